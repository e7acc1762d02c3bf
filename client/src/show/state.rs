//! Formats the daemon's state, its findings, clipboards and changes for people.

use std::path::Path;

use editd_proto::message::{
    ChangeEvent, ChangeKind, CheckReply, ClipReply, DialectInfo, DialectsReply, StatusReply, TrustReply,
};

use super::letters::{TextStyle, lines, one_line};
use super::{OutputStyle, metrics};

/// Formats the state of a daemon.
pub fn status(reply: &StatusReply, style: &OutputStyle) -> String {
    let rows = [
        ("workspace", one_line(&reply.workspace)),
        ("daemon", format!("editd {}, process {}", one_line(&reply.version), reply.pid)),
        ("socket", one_line(&reply.socket)),
        ("state", one_line(&reply.state)),
        ("uptime", length(reply.uptime)),
        ("clients", reply.sessions.to_string()),
        ("queue", reply.queue.to_string()),
        ("entries", reply.entries.to_string()),
        ("unsettled", reply.unsettled.to_string()),
        ("watch", format!("{} folders", reply.watch)),
    ];
    let mut out: String = rows.iter().map(|(name, value)| format!("{name:<9}  {value}\n")).collect();
    out.push_str(&metrics::rows(reply));
    if let Some(reason) = &reply.failed {
        out.push_str(&style.paint(TextStyle::Bad, "no edits are accepted"));
        out.push_str(&format!(": {}\n", lines(reason)));
    }
    if let Some(damage) = &reply.damage {
        out.push_str(&format!("{}: {}\n", style.paint(TextStyle::Bad, "damaged"), lines(damage)));
    }
    if let Some(told) = &reply.database {
        out.push_str(&format!("{}: {}\n", style.paint(TextStyle::Notice, "database"), lines(told)));
    }
    for other in &reply.nearby {
        out.push_str(&format!(
            "{}: {}\n",
            style.paint(TextStyle::Notice, "note"),
            nearby(&reply.workspace, other)
        ));
    }
    if let Some(left_out) = &reply.left_out {
        out.push_str(&format!("{}: {}\n", style.paint(TextStyle::Notice, "left out"), lines(left_out)));
    }
    out
}

/// Returns a note about another served workspace and its consequences.
pub fn nearby(workspace: &str, other: &str) -> String {
    let place = if Path::new(other).starts_with(workspace) { "below" } else { "above" };
    format!(
        "another editd serves {}, {place} this workspace; each sees edits through the other as outside changes, so \
         always edit a file through the same one (--workspace)",
        one_line(other)
    )
}

/// Formats the commands and settings of the workspace that need trust.
pub fn trust(reply: &TrustReply, style: &OutputStyle) -> String {
    let mut out = String::new();
    for one in &reply.commands {
        // The words are quoted, so that their boundaries are visible.
        let words: Vec<String> = one.command.iter().map(|word| one_line(&format!("{word:?}"))).collect();
        let name = style.paint(TextStyle::Strong, &one_line(&one.name));
        let files = one_line(&one.files.join(" "));
        out.push_str(&format!("{} {name} for {files}\n  {}\n", one_line(&one.kind), words.join(" ")));
        if !one.env.is_empty() {
            let variables: Vec<String> = one.env.iter().map(|it| one_line(&format!("{it:?}"))).collect();
            out.push_str(&format!("  env {}\n", variables.join(" ")));
        }
        if !one.write.is_empty() {
            let folders: Vec<String> = one.write.iter().map(|it| one_line(&format!("{it:?}"))).collect();
            out.push_str(&format!("  write {}\n", folders.join(" ")));
        }
    }
    for setting in &reply.settings {
        out.push_str(&format!("setting {}\n", one_line(setting)));
    }
    if reply.commands.is_empty() && reply.settings.is_empty() {
        out.push_str("no commands\n");
    }
    if let Some(hash) = &reply.hash {
        let (paint, word) =
            if reply.trusted { (TextStyle::Good, "trusted") } else { (TextStyle::Notice, "not trusted") };
        out.push_str(&format!("{}: {}\n", style.paint(paint, word), one_line(hash)));
    }
    out
}

/// Returns `2d 3h 4m 5s`, starting with the largest unit that is not zero.
fn length(seconds: u64) -> String {
    let units =
        [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let shown: Vec<String> = units
        .iter()
        .skip_while(|(count, unit)| *count == 0 && *unit != "s")
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    shown.join(" ")
}

/// Formats the findings of a check.
pub fn findings(reply: &CheckReply, style: &OutputStyle) -> String {
    let mut out = String::new();
    for finding in &reply.findings {
        let paint = match finding.severity.as_str() {
            "ok" => TextStyle::Good,
            "bad" => TextStyle::Bad,
            _ => TextStyle::Notice,
        };
        let severity = style.paint(paint, &format!("{:<4}", one_line(&finding.severity)));
        out.push_str(&format!("{severity}  {}: {}\n", one_line(&finding.subject), lines(&finding.message)));
    }
    out
}

/// Formats the list of dialects.
pub fn dialects(reply: &DialectsReply, style: &OutputStyle) -> String {
    let width = reply.dialects.iter().map(|one| one.name.chars().count()).max().unwrap_or_default();
    let row = |one: &DialectInfo| {
        let name = style.paint(TextStyle::Strong, &format!("{:<width$}", one_line(&one.name)));
        format!("{name}  {}\n", one_line(&one.sentence))
    };
    reply.dialects.iter().map(row).collect()
}

/// Formats the list of clipboards, or the content of one.
pub fn clipboards(reply: &ClipReply, style: &OutputStyle) -> String {
    let clips = reply.clips.as_deref().unwrap_or_default();
    if clips.is_empty() {
        return String::from("no clipboards\n");
    }
    clips
        .iter()
        .map(|clip| {
            let name = style.paint(TextStyle::Strong, &one_line(&clip.name));
            let origin =
                clip.origin.as_ref().map(|path| format!("  from {}", path.display())).unwrap_or_default();
            format!("{name}  {} bytes  {}{origin}\n", clip.size, style.time(clip.time))
        })
        .collect()
}

/// Returns a line per event.
pub fn change(event: &ChangeEvent, style: &OutputStyle) -> String {
    let (word, paint) = match event.change {
        ChangeKind::Created => ("created", TextStyle::Good),
        ChangeKind::Changed => ("changed", TextStyle::Notice),
        ChangeKind::Removed => ("removed", TextStyle::Bad),
        ChangeKind::Damage => ("damaged", TextStyle::Bad),
        ChangeKind::Check => {
            return event.check.as_ref().map(|check| super::checks::one(check, style)).unwrap_or_default();
        }
        ChangeKind::Overflow => ("overflow: events were lost; check every file that matters", TextStyle::Bad),
    };
    let mut out = style.paint(paint, word);
    if let Some(path) = &event.path {
        out.push_str(&format!(" {}", path.display()));
    }
    if let Some(version) = &event.version {
        out.push_str(&format!("  {}", one_line(&version.0)));
    }
    if let Some(entry) = event.entry {
        out.push_str(&format!("  entry {entry}"));
    }
    if let Some(session) = &event.session {
        out.push_str(&format!("  by {}", one_line(session)));
    }
    if let Some(message) = &event.message {
        out.push_str(&format!(": {}", one_line(message)));
    }
    out.push('\n');
    out
}
