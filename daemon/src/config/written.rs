//! The settings as `.editd.toml` has them, with their lines. Pure.

use toml::Table;
use toml::de::{DeTable, DeValue};

use super::RelaxedSetting;
use super::relaxed::shown;

/// The kinds of commands in the file.
pub(super) const COMMANDS: [&str; 4] = ["validator", "format", "after_write", "check"];

/// A setting as the file has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenSetting {
    /// Its key; for a command, its kind and its name.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Its line, from 1.
    pub line: u64,
    /// True if it applies only if the file is trusted.
    pub needs_trust: bool,
    /// True if the daemon reads it at its start only.
    pub at_start: bool,
}

/// Returns the settings and commands of a valid file. `relaxed` has those settings that need trust.
pub(super) fn find(text: &str, relaxed: &[RelaxedSetting]) -> Vec<WrittenSetting> {
    let (Ok(places), Ok(values)) = (DeTable::parse(text), text.parse::<Table>()) else { return Vec::new() };
    let line = |at: usize| line(text, at);
    let needs_trust = |key: &str| relaxed.iter().any(|setting| setting.key == key);
    let mut found = Vec::new();
    for (key, place) in places.get_ref() {
        let name = key.get_ref().as_ref();
        let Some(value) = values.get(name) else { continue };
        if COMMANDS.contains(&name) {
            let lines = place.get_ref().as_array().map(|all| {
                all.iter().map(|one| first_key(one.get_ref()).unwrap_or(one.span().start)).collect::<Vec<_>>()
            });
            let commands = value.as_array().map(Vec::as_slice).unwrap_or_default();
            for (command, at) in commands.iter().zip(lines.unwrap_or_default()) {
                found.push(command_of(name, command, line(at)));
            }
        } else if let (Some(table), Some(inner)) = (value.as_table(), place.get_ref().as_table()) {
            for (part, _) in inner {
                let key = format!("{name}.{}", part.get_ref());
                let value = table.get(part.get_ref().as_ref()).map(plain).unwrap_or_default();
                let (line, needs_trust) = (line(part.span().start), needs_trust(&key));
                found.push(WrittenSetting { key, value, line, needs_trust, at_start: false });
            }
        } else {
            found.push(WrittenSetting {
                key: name.to_owned(),
                value: plain(value),
                line: line(key.span().start),
                needs_trust: needs_trust(name),
                at_start: true,
            });
        }
    }
    found
}

/// A command in the file.
pub(super) struct NamedCommand {
    pub(super) kind: &'static str,
    pub(super) name: String,
    /// The line of its name.
    pub(super) line: u64,
}

/// Returns the commands of a valid file, in its order.
pub(super) fn named(text: &str) -> Vec<NamedCommand> {
    let Ok(places) = DeTable::parse(text) else { return Vec::new() };
    let mut found = Vec::new();
    for kind in COMMANDS {
        let commands = places.get_ref().get(kind).and_then(|list| list.get_ref().as_array());
        for command in commands.into_iter().flatten() {
            let name = command.get_ref().as_table().and_then(|table| table.get("name"));
            if let Some((name, at)) =
                name.and_then(|name| Some((name.get_ref().as_str()?, name.span().start)))
            {
                found.push((at, NamedCommand { kind, name: name.to_owned(), line: line(text, at) }));
            }
        }
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, command)| command).collect()
}

/// Returns the line of a place in the text, from 1.
pub(super) fn line(text: &str, at: usize) -> u64 {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count() as u64
}

/// Returns the place of the first key of a table.
fn first_key(value: &DeValue<'_>) -> Option<usize> {
    value.as_table()?.iter().map(|(key, _)| key.span().start).min()
}

fn command_of(kind: &str, command: &toml::Value, line: u64) -> WrittenSetting {
    let part = |key| command.get(key).map(plain).unwrap_or_default();
    let key = format!("{kind} {}", part("name"));
    WrittenSetting { key, value: part("command"), line, needs_trust: true, at_start: false }
}

/// Returns a value as TOML has it, a text without its quotes.
fn plain(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| shown(value), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_and_command_has_its_line() {
        let text = "# first\nunread = \"allow\"\nkeep_entries = 700\n\n[syntax]\ncheck = false\n\n[[validator]]\n\
                    name = \"ruff\"\nfiles = [\"*.py\"]\ncommand = [\"ruff\", \"check\"]\n\n[[encodings]]\n\
                    encoding = \"latin1\"\npaths = \"a\"\n\n[[check]]\nname = \"build\"\nfiles = [\"*.rs\"]\n\
                    command = [\"cargo\", \"check\"]\n";
        let relaxed = RelaxedSetting { key: "unread", line: String::new(), at_start: true };
        let found = find(text, &[relaxed]);
        let told: Vec<String> = found
            .iter()
            .map(|one| {
                format!("{}: {} {} {} {}", one.line, one.key, one.value, one.needs_trust, one.at_start)
            })
            .collect();
        let mut told: Vec<&str> = told.iter().map(String::as_str).collect();
        told.sort_unstable();
        assert_eq!(
            told,
            [
                "13: encodings [{ encoding = \"latin1\", paths = \"a\" }] false true",
                "18: check build [\"cargo\", \"check\"] true false",
                "2: unread allow true true",
                "3: keep_entries 700 false true",
                "6: syntax.check false false false",
                "9: validator ruff [\"ruff\", \"check\"] true false",
            ]
        );
        assert!(find("unread = ", &[]).is_empty());
    }
}
