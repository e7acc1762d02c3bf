//! The sources of a running daemon's settings, compared with the present `.editd.toml`. Pure.

use std::fmt::Debug;
use std::path::Path;

use editd_proto::ids::ContentHash;
use editd_proto::message::{SettingInfo, SettingSource, SettingWait};

use super::{DaemonArgs, DaemonEnvironment, Settings, WrittenSetting, units};

/// The value of an empty list.
const NONE: &str = "none";

/// A setting that the command line, the environment or the service manager has given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GivenSetting {
    key: &'static str,
    source: SettingSource,
    by: Option<&'static str>,
}

/// The settings of a daemon as they were when it started, and their sources.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SettingSources {
    /// The hash of the settings file; `None` if there was none, or if it was a link.
    hash: Option<ContentHash>,
    /// The settings as that file had them.
    written: Vec<WrittenSetting>,
    /// True if the file was trusted, or needed no trust.
    pub trusted: bool,
    /// The settings that other sources have given.
    given: Vec<GivenSetting>,
    /// The name and the value of each setting that applies.
    values: Vec<(&'static str, String)>,
}

/// The settings file as it is now.
#[derive(Clone, Copy, Debug)]
pub struct PresentFile<'a> {
    /// Its hash; `None` if there is none.
    pub hash: Option<ContentHash>,
    /// Its settings and commands; `None` if it cannot be used.
    pub written: Option<&'a [WrittenSetting]>,
    /// True if it is trusted.
    pub trusted: bool,
}

impl SettingSources {
    /// Creates the sources of a daemon that applies all settings of the file.
    pub fn of_file(hash: Option<ContentHash>, written: Vec<WrittenSetting>) -> Self {
        Self { hash, written, trusted: true, ..Self::default() }
    }

    /// Notes the settings that the command line and the environment have given. `handed`: the service manager has made
    /// the socket.
    pub fn note_given(&mut self, args: &DaemonArgs, around: &DaemonEnvironment, handed: bool) {
        let mut give = |key, source, by| self.given.push(GivenSetting { key, source, by });
        let options = [
            ("workspace", args.workspace.is_some(), "--workspace"),
            ("state", args.state.is_some(), "--state"),
            ("socket", args.socket.is_some() && !handed, "--socket"),
            ("idle_exit", args.idle_exit.is_some(), "--idle-exit"),
            ("confine", args.no_confine, "--no-confine"),
            ("log_level", args.log_level != super::LogLevel::default(), "--log-level"),
        ];
        for (key, _, option) in options.iter().filter(|(_, is_given, _)| *is_given) {
            give(*key, SettingSource::Option, Some(*option));
        }
        if handed {
            give("socket", SettingSource::Systemd, None);
        }
        #[cfg(unix)]
        if around.runtime_dir.is_some() && args.socket.is_none() && !handed {
            give("socket", SettingSource::Environment, Some("XDG_RUNTIME_DIR"));
        }
        if around.names_state_home && args.state.is_none() {
            give("state", SettingSource::Environment, Some("XDG_STATE_HOME"));
        }
    }

    /// Notes the values that apply. The paths are those of the workspace, the state folder and the socket.
    pub fn note_values(&mut self, settings: &Settings, args: &DaemonArgs, paths: [&Path; 3]) {
        let duration = |time: std::time::Duration| {
            units::duration_text(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
        };
        let encodings: Vec<String> =
            settings.encodings.iter().map(|(glob, label)| format!("{glob} = {label}")).collect();
        let [workspace, state, socket] = paths.map(|path| path.to_string_lossy().into_owned());
        self.values = vec![
            ("unread", word(settings.unread)),
            ("on_stale", word(settings.on_stale)),
            ("durability", word(settings.durability)),
            ("idle_exit", settings.idle_exit.map_or_else(|| "never".to_owned(), duration)),
            ("keep_age", duration(settings.keep_age)),
            ("keep_entries", settings.keep_entries.to_string()),
            ("keep_bytes", units::size_text(settings.keep_bytes)),
            ("keep_contents", units::size_text(settings.keep_contents)),
            ("payload_limit", units::size_text(settings.payload_limit as u64)),
            ("generated", word(settings.generated)),
            ("git_folder", word(settings.git_folder)),
            ("hard_links", word(settings.hard_links)),
            ("confine", word(settings.confine)),
            ("encodings", if encodings.is_empty() { NONE.to_owned() } else { encodings.join(", ") }),
            ("workspace", workspace),
            ("state", state),
            ("socket", socket),
            ("log_level", word(args.log_level)),
        ];
    }

    /// Returns every setting with its source, then the commands of the present file.
    pub fn list(&self, now: &PresentFile<'_>) -> Vec<SettingInfo> {
        let mut all: Vec<SettingInfo> =
            self.values.iter().map(|(key, value)| self.at_start(key, value, now)).collect();
        let written = now.written.unwrap_or_default();
        for (key, default) in [("syntax.check", "true"), ("syntax.except", "[]")] {
            let found = written.iter().find(|one| one.key == key);
            all.push(
                found.map_or_else(|| info(key, default), |one| at_once(one, Some(default), now.trusted)),
            );
        }
        let is_command = |one: &&WrittenSetting| !one.at_start && !one.key.starts_with("syntax.");
        all.extend(written.iter().filter(is_command).map(|one| at_once(one, None, now.trusted)));
        all
    }

    /// Returns true if the present file is not the one that was read at the start, and has other settings that are read
    /// only then, or cannot be used.
    pub fn is_changed(&self, now: &PresentFile<'_>) -> bool {
        let waits = |one: &SettingInfo| one.waits == Some(SettingWait::Restart);
        self.is_other(now) && (now.written.is_none() || self.list(now).iter().any(waits))
    }

    /// Returns true if the present file is not the one that was read at the start.
    pub fn is_other(&self, now: &PresentFile<'_>) -> bool {
        self.hash != now.hash
    }

    /// Returns a setting that is read at the start.
    fn at_start(&self, key: &str, value: &str, now: &PresentFile<'_>) -> SettingInfo {
        let of = |written: &'_ [WrittenSetting]| written.iter().find(|one| one.key == key).cloned();
        // Some of the encodings may apply although others need trust.
        let is_partial = key == "encodings" && value != NONE;
        let read = of(&self.written).filter(|one| self.trusted || !one.needs_trust || is_partial);
        let mut told = info(key, value);
        if let Some(given) = self.given.iter().find(|given| given.key == key) {
            (told.source, told.by) = (given.source, given.by.map(str::to_owned));
        } else if let Some(read) = &read {
            (told.source, told.line) = (SettingSource::File, Some(read.line));
        }
        let Some(written) = now.written else { return told };
        let present = of(written);
        let overruled = !matches!(told.source, SettingSource::Default | SettingSource::File);
        match present {
            Some(present) if overruled => told.written = Some(present.value),
            _ if overruled => {}
            Some(present) if present.needs_trust && !now.trusted => {
                (told.written, told.line) = (Some(present.value), Some(present.line));
                told.waits = Some(SettingWait::Trust);
            }
            Some(present) if read.as_ref().is_none_or(|read| read.value != present.value) => {
                (told.written, told.line) = (Some(present.value), Some(present.line));
                told.waits = Some(SettingWait::Restart);
            }
            Some(present) => told.line = Some(present.line),
            None if read.is_some() => {
                (told.line, told.waits) = (None, Some(SettingWait::Restart));
            }
            None => {}
        }
        told
    }
}

fn info(key: &str, value: &str) -> SettingInfo {
    SettingInfo { name: key.to_owned(), value: value.to_owned(), ..SettingInfo::default() }
}

/// Returns a setting that is read whenever the file has changed. A command has no default.
fn at_once(one: &WrittenSetting, default: Option<&str>, trusted: bool) -> SettingInfo {
    let line = Some(one.line);
    if trusted || !one.needs_trust {
        return SettingInfo { source: SettingSource::File, line, ..info(&one.key, &one.value) };
    }
    let (written, waits) = (Some(one.value.clone()), Some(SettingWait::Trust));
    SettingInfo { line, written, waits, ..info(&one.key, default.unwrap_or("does not run")) }
}

/// Returns the word of a value in `.editd.toml`: each has the name of its variant.
fn word(value: impl Debug) -> String {
    format!("{value:?}").to_lowercase()
}

#[cfg(test)]
mod tests;
