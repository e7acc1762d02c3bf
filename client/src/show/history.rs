//! Journal entries for people.

use editd_proto::message::{EntryFile, EntryKind, EntrySummary, HistoryReply, ShowReply};

use super::letters::{Paint, one_line};
use super::{Look, diff};

/// Files of an entry that a list names; the others are counted.
const FILES: usize = 8;

pub(crate) fn list(reply: &HistoryReply, look: &Look) -> String {
    let mut out = String::new();
    for entry in &reply.entries {
        add(&mut out, entry, FILES, look);
    }
    if reply.entries.is_empty() {
        out.push_str("no entries\n");
    }
    if let Some(last) = reply.entries.last().filter(|_| reply.more) {
        out.push_str(&format!("older ones: editctl log --before {}\n", last.id));
    }
    out
}

/// One entry; `shown` of its files are shown here or were passed over.
pub(crate) fn one(reply: &ShowReply, shown: u64, look: &Look) -> String {
    let mut out = String::new();
    add(&mut out, &reply.entry, usize::MAX, look);
    for change in &reply.changes {
        out.push('\n');
        if change.diff.is_empty() {
            out.push_str(&format!("{}: no change of content\n", change.path.display()));
        }
        diff::add(&mut out, &change.diff, look);
        if change.omitted_hunks > 0 {
            out.push_str(&format!("and {} more hunks, which are not shown\n", change.omitted_hunks));
        }
    }
    let entry = &reply.entry;
    if (entry.files.len() as u64).saturating_add(entry.omitted_files) > shown {
        out.push_str(&format!("\nmore files: editctl show {} --from {shown}\n", entry.id));
    }
    out
}

fn add(out: &mut String, entry: &EntrySummary, files: usize, look: &Look) {
    let mut words = vec![
        look.paint(Paint::Strong, &entry.id.to_string()),
        look.time(entry.time),
        kind(entry.kind).to_owned(),
    ];
    if !entry.of.is_empty() {
        let of: Vec<String> = entry.of.iter().map(ToString::to_string).collect();
        let more =
            if entry.omitted_of > 0 { format!(" and {} more", entry.omitted_of) } else { String::new() };
        words.push(format!("of {}{more}", of.join(", ")));
    }
    if entry.kind != EntryKind::External {
        words.push(format!("by {} ({})", one_line(&entry.session), one_line(&entry.client)));
    }
    if let Some(label) = &entry.label {
        words.push(format!("\u{201c}{}\u{201d}", one_line(label)));
    }
    if entry.undone {
        words.push(look.paint(Paint::Notice, "undone"));
    }
    if entry.diverged {
        words.push(look.paint(Paint::Bad, "diverged"));
    }
    out.push_str(&words.join("  "));
    out.push('\n');
    if let Some(key) = &entry.key {
        out.push_str(&format!("    key {}\n", one_line(key)));
    }
    for file in entry.files.iter().take(files) {
        out.push_str(&format!("    {}  {}\n", file.path.display(), extent(file, look)));
    }
    let more = (entry.files.len().saturating_sub(files) as u64).saturating_add(entry.omitted_files);
    if more > 0 {
        out.push_str(&format!("    and {more} more files\n"));
    }
}

fn extent(file: &EntryFile, look: &Look) -> String {
    let counts = format!(
        "{} {}",
        look.paint(Paint::Good, &format!("+{}", file.added)),
        look.paint(Paint::Bad, &format!("-{}", file.removed))
    );
    match (&file.before, &file.after) {
        (None, Some(_)) => format!("{counts} new"),
        (Some(_), None) => format!("{counts} gone"),
        _ => counts,
    }
}

fn kind(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Edit => "edit",
        EntryKind::Undo => "undo",
        EntryKind::Redo => "redo",
        EntryKind::External => "external",
        EntryKind::Hook => "hook",
    }
}
