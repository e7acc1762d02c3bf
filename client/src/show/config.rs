//! Formats the settings of a daemon for people.

use editd_proto::message::{ConfigReply, SettingInfo, SettingSource, SettingWait};

use super::OutputStyle;
use super::letters::{TextStyle, lines, one_line};

/// Maximum width of a value, in characters, that moves the sources of other settings.
const VALUE: usize = 24;

/// Formats the settings: the name, the value and the source of each, and what to do about values that wait.
pub fn settings(reply: &ConfigReply, style: &OutputStyle) -> String {
    let width = |text: &str| text.chars().count();
    let names = reply.settings.iter().map(|one| width(&one.name)).max().unwrap_or_default();
    let values = reply.settings.iter().map(|one| width(&one.value)).filter(|width| *width <= VALUE).max();
    let values = values.unwrap_or_default();
    let mut out = String::new();
    for one in &reply.settings {
        let name = style.paint(TextStyle::Strong, &format!("{:<names$}", one_line(&one.name)));
        let (value, source) = (one_line(&one.value), source(one));
        out.push_str(&format!("{name}  {value:<values$}  {source}{}\n", waits(one, style)));
    }
    let notice = |word| style.paint(TextStyle::Notice, word);
    if let Some(problem) = &reply.problem {
        out.push_str(&format!("{}: {}: {}\n", notice("not used"), one_line(&reply.file), lines(problem)));
    }
    if reply.changed && reply.problem.is_none() {
        let file = one_line(&reply.file);
        out.push_str(&format!(
            "{}: {file} has changes that the daemon reads only when it starts; after `editctl stop`, the next command \
             starts a daemon that reads them\n",
            notice("changed")
        ));
    }
    out
}

fn source(one: &SettingInfo) -> String {
    let by = one.by.as_deref().map(one_line);
    match (one.source, by, one.line.filter(|_| one.waits.is_none())) {
        (SettingSource::Default, ..) => "default".to_owned(),
        (SettingSource::File, _, Some(line)) => format!(".editd.toml:{line}"),
        (SettingSource::File, ..) => ".editd.toml at the start".to_owned(),
        (SettingSource::Systemd, ..) => "systemd".to_owned(),
        (SettingSource::Option | SettingSource::Environment, by, _) => by.unwrap_or_default(),
    }
}

/// Returns the value of the file that does not apply, and what to do.
fn waits(one: &SettingInfo, style: &OutputStyle) -> String {
    let line = one.line.map(|line| format!(":{line}")).unwrap_or_default();
    let written = one.written.as_ref().map(|value| format!("; .editd.toml{line} has {}", one_line(value)));
    match (written, one.waits) {
        (None, None) => String::new(),
        (Some(written), None) => written,
        (None, Some(_)) => {
            style.paint(TextStyle::Notice, "; .editd.toml no longer has it: run `editctl stop`")
        }
        (Some(written), Some(SettingWait::Trust)) => {
            style.paint(TextStyle::Notice, &format!("{written}, which is not trusted: run `editctl trust`"))
        }
        (Some(written), Some(SettingWait::Restart)) => {
            style.paint(TextStyle::Notice, &format!("{written} now: run `editctl stop`"))
        }
    }
}
