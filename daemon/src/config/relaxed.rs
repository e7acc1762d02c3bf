//! The settings that take effect only if `.editd.toml` is trusted: those that relax a check, shorten retention, or
//! raise a limit. Pure.
//!
//! A setting that makes the daemon stricter than its defaults needs no trust.

use std::time::Duration;

use editd_proto::message::{Durability, OnStale};
use toml::{Table, Value};

use super::{ConfinementPolicy, GeneratedPolicy, GitFolderPolicy, HardLinkPolicy, Settings, UnreadPolicy};

/// A setting in a settings file that needs trust.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelaxedSetting {
    /// Its key.
    pub key: &'static str,
    /// The key and its value, as a line of the file.
    pub line: String,
    /// True if the daemon reads it at its start only.
    pub at_start: bool,
}

/// The settings of a file, with and without those that need trust.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SettingsByTrust {
    /// All of them, for a trusted file.
    pub trusted: Settings,
    /// Those that need no trust, over the defaults.
    pub untrusted: Settings,
}

/// The idle time from which a setting needs no trust: the default of a daemon that `editctl` starts.
const IDLE_EXIT: Duration = Duration::from_secs(30 * 60);

/// Replaces each setting that needs trust by its default, and returns the keys of those settings.
pub(super) fn restrict(mut settings: Settings) -> (Settings, Vec<&'static str>) {
    let default = Settings::default();
    let mut keys = Vec::new();
    let now = settings.clone();
    let mut hold = |key, relaxed: bool| {
        if relaxed {
            keys.push(key);
        }
        relaxed
    };
    if hold("unread", now.unread == UnreadPolicy::Allow) {
        settings.unread = default.unread;
    }
    if hold("on_stale", now.on_stale == OnStale::Rebase) {
        settings.on_stale = default.on_stale;
    }
    if hold("durability", now.durability == Durability::Relaxed) {
        settings.durability = default.durability;
    }
    if hold("idle_exit", now.idle_exit.is_some_and(|time| time < IDLE_EXIT)) {
        settings.idle_exit = default.idle_exit;
    }
    if hold("keep_age", now.keep_age < default.keep_age) {
        settings.keep_age = default.keep_age;
    }
    if hold("keep_entries", now.keep_entries < default.keep_entries) {
        settings.keep_entries = default.keep_entries;
    }
    // A smaller size shortens retention, a larger one fills the user's disk.
    if hold("keep_bytes", now.keep_bytes != default.keep_bytes) {
        settings.keep_bytes = default.keep_bytes;
    }
    if hold("keep_contents", now.keep_contents != default.keep_contents) {
        settings.keep_contents = default.keep_contents;
    }
    if hold("payload_limit", now.payload_limit > default.payload_limit) {
        settings.payload_limit = default.payload_limit;
    }
    if hold("generated", now.generated == GeneratedPolicy::Allow) {
        settings.generated = default.generated;
    }
    if hold("git_folder", now.git_folder == GitFolderPolicy::Allow) {
        settings.git_folder = default.git_folder;
    }
    if hold("hard_links", now.hard_links == HardLinkPolicy::Allow) {
        settings.hard_links = default.hard_links;
    }
    if hold("confine", now.confine == ConfinementPolicy::Off) {
        settings.confine = default.confine;
    }
    settings.encodings.retain(|(_, label)| keeps_ascii(label));
    if settings.encodings.len() < now.encodings.len() {
        keys.push("encodings");
    }
    (settings, keys)
}

/// Returns true if ASCII text has the same bytes in this encoding. In another one, the content that a check reads can
/// differ from the text that a compiler or a shell reads.
fn keeps_ascii(label: &str) -> bool {
    encoding_rs::Encoding::for_label(label.as_bytes()).is_some_and(encoding_rs::Encoding::is_ascii_compatible)
}

/// Returns the settings of a valid file that need trust: those with these keys, which [`restrict`] returned, and those
/// of `[syntax]`.
pub(super) fn find(keys: &[&'static str], text: &str) -> Vec<RelaxedSetting> {
    let table: Table = toml::from_str(text).unwrap_or_default();
    let line = |key: &str, value: &Value| format!("{key} = {}", shown(value));
    let mut found: Vec<RelaxedSetting> = keys
        .iter()
        .filter_map(|key| Some(RelaxedSetting { key, line: line(key, table.get(*key)?), at_start: true }))
        .collect();
    let syntax = table.get("syntax").and_then(Value::as_table);
    let of_syntax = |key: &str| syntax.and_then(|syntax| syntax.get(key));
    if let Some(check @ Value::Boolean(false)) = of_syntax("check") {
        found.push(RelaxedSetting {
            key: "syntax.check",
            line: line("syntax.check", check),
            at_start: false,
        });
    }
    if let Some(except) =
        of_syntax("except").filter(|globs| globs.as_array().is_some_and(|it| !it.is_empty()))
    {
        found.push(RelaxedSetting {
            key: "syntax.except",
            line: line("syntax.except", except),
            at_start: false,
        });
    }
    found
}

/// Returns a value as TOML has it, in one line.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(set) => set.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Datetime(time) => time.to_string(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        Value::Table(table) => {
            let pairs: Vec<String> =
                table.iter().map(|(key, value)| format!("{key} = {}", shown(value))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}
