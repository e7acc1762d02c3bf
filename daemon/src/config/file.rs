//! `.editd.toml` at the root of the workspace. It is read once, at the start, and never written.

#![expect(clippy::disallowed_methods, reason = "config is the module that reads the settings file")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use editd_proto::message::{Durability, OnStale};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, de};

use super::commands::{FormatterFields, ValidatorFields, WrittenHook, WrittenSyntax};
use super::{GeneratedPolicy, Settings, UnreadPolicy, owner, units};
use crate::limits;

/// The settings file's name.
pub const FILE_NAME: &str = ".editd.toml";

/// The settings file cannot be used.
#[derive(thiserror::Error, Debug)]
pub enum ConfigError {
    /// It cannot be read.
    #[error("{} cannot be read: {why}; make it readable, or move it away to use the defaults", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system or the parser.
        why: String,
    },
    /// It belongs to another user.
    #[error(
        "{} belongs to user {owner}, so its settings are not used; remove it, or serve another folder (`--workspace`)",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// It has something that editd does not know.
    #[error("{} is not valid; correct it, or move it away to use the defaults\n{why}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Line, column and key, and the expected value.
        why: String,
    },
}

/// The settings of the daemon itself.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct WrittenSettings {
    unread: Option<UnreadPolicy>,
    on_stale: Option<OnStale>,
    durability: Option<Durability>,
    idle_exit: Option<WrittenDuration>,
    keep_age: Option<WrittenDuration>,
    keep_entries: Option<u64>,
    keep_bytes: Option<WrittenSize>,
    keep_contents: Option<WrittenSize>,
    payload_limit: Option<WrittenSize>,
    generated: Option<GeneratedPolicy>,
    #[serde(default)]
    encodings: Vec<WrittenEncoding>,
    #[serde(rename = "syntax")]
    _syntax: Option<IgnoredAny>,
    #[serde(rename = "validator")]
    _validator: Option<IgnoredAny>,
    #[serde(rename = "format")]
    _format: Option<IgnoredAny>,
    #[serde(rename = "after_write")]
    _after_write: Option<IgnoredAny>,
}

/// Checks and hooks.
#[derive(Deserialize, Default)]
pub(super) struct ParsedConfig {
    pub(super) syntax: Option<WrittenSyntax>,
    #[serde(default)]
    pub(super) validator: Vec<ValidatorFields>,
    #[serde(default)]
    pub(super) format: Vec<FormatterFields>,
    #[serde(default)]
    pub(super) after_write: Vec<WrittenHook>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEncoding {
    paths: WrittenGlob,
    encoding: WrittenLabel,
}

pub(super) struct WrittenDuration(pub(super) Duration);
pub(super) struct WrittenSize(pub(super) u64);
struct WrittenGlob(String);
struct WrittenLabel(String);

impl<'de> Deserialize<'de> for WrittenDuration {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        units::duration(&text).map(Self).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for WrittenSize {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        units::size(&text).map(Self).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for WrittenGlob {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        globset::Glob::new(&text).map_err(de::Error::custom)?;
        Ok(Self(text))
    }
}

impl<'de> Deserialize<'de> for WrittenLabel {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        match encoding_rs::Encoding::for_label(text.as_bytes()) {
            Some(_) => Ok(Self(text)),
            None => Err(de::Error::custom(format_args!(
                "{text:?} is not an encoding's label: use one of the WHATWG encoding standard, such as \
                 \"windows-1252\""
            ))),
        }
    }
}

/// Reads the settings of a workspace: its settings file over the defaults. An error in a command does not fail:
/// `trust` reads the commands, and then skips all of them.
///
/// # Errors
/// The file exists and cannot be read, belongs to another user, or has something unknown; a missing file is no error.
pub fn load(workspace: &Path) -> Result<Settings, ConfigError> {
    let path = workspace.join(FILE_NAME);
    owner::check(workspace, &path)?;
    match read(&path) {
        Ok(None) => Ok(Settings::default()),
        Ok(Some(text)) => parse(&text).map_err(|why| ConfigError::Wrong { path, why }),
        Err(why) => Err(ConfigError::Unreadable { path, why: why.to_string() }),
    }
}

fn read(path: &Path) -> std::io::Result<Option<String>> {
    // Checked before it is opened: opening a FIFO would wait for its writer.
    match std::fs::metadata(path) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(why),
        Ok(meta) if !meta.is_file() => return Err(std::io::Error::other("it is not a file")),
        Ok(_) => {}
    }
    let mut text = String::new();
    #[expect(clippy::disallowed_types, reason = "config is the module that reads the settings file")]
    let file = std::fs::File::open(path)?;
    file.take(limits::CONFIG as u64 + 1).read_to_string(&mut text)?;
    if text.len() > limits::CONFIG {
        return Err(std::io::Error::other(format!("it has more than {} bytes", limits::CONFIG)));
    }
    Ok(Some(text))
}

/// Parses a whole settings file strictly, for its commands.
pub(super) fn written(text: &str) -> Result<ParsedConfig, String> {
    settings(text)?;
    toml::from_str(text).map_err(|why| why.to_string())
}

fn settings(text: &str) -> Result<WrittenSettings, String> {
    toml::from_str(text).map_err(|why| why.to_string())
}

fn parse(text: &str) -> Result<Settings, String> {
    let written = settings(text)?;
    let default = Settings::default();
    Ok(Settings {
        unread: written.unread.unwrap_or(default.unread),
        on_stale: written.on_stale.unwrap_or(default.on_stale),
        durability: written.durability.unwrap_or(default.durability),
        idle_exit: written.idle_exit.map_or(default.idle_exit, |time| Some(time.0)),
        keep_age: written.keep_age.map_or(default.keep_age, |time| time.0),
        keep_entries: written.keep_entries.unwrap_or(default.keep_entries),
        keep_bytes: written.keep_bytes.map_or(default.keep_bytes, |size| size.0),
        keep_contents: written.keep_contents.map_or(default.keep_contents, |size| size.0),
        encodings: written.encodings.into_iter().map(|e| (e.paths.0, e.encoding.0)).collect(),
        generated: written.generated.unwrap_or(default.generated),
        payload_limit: written.payload_limit.map_or(default.payload_limit, |size| {
            // No frame is larger.
            usize::try_from(size.0).unwrap_or(usize::MAX)
        }),
        named: None,
        state: None,
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_gives_the_defaults() {
        assert_eq!(parse("").unwrap(), Settings::default());
    }

    #[test]
    fn every_key_is_read() {
        let settings = parse(
            r#"
            unread = "reject"
            on_stale = "rebase"
            durability = "full"
            idle_exit = "10m"
            keep_age = "14d"
            keep_entries = 7
            keep_bytes = "64MiB"
            keep_contents = "1KB"
            payload_limit = "2MiB"
            generated = "refuse"
            [[encodings]]
            paths = "legacy/**"
            encoding = "latin1"
            "#,
        )
        .unwrap();
        let expected = Settings {
            unread: UnreadPolicy::Reject,
            on_stale: OnStale::Rebase,
            durability: Durability::Full,
            idle_exit: Some(Duration::from_secs(600)),
            keep_age: Duration::from_secs(14 * 86400),
            keep_entries: 7,
            keep_bytes: 64 << 20,
            keep_contents: 1000,
            encodings: vec![("legacy/**".into(), "latin1".into())],
            payload_limit: 2 << 20,
            generated: GeneratedPolicy::Refuse,
            named: None,
            state: None,
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn the_page_shows_the_defaults() {
        let page = include_str!("../../docs/configuration.md");
        let shown = page.split("```toml config\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let settings = parse(shown).unwrap();
        let encodings = vec![("legacy/**/*.txt".to_owned(), "windows-1252".to_owned())];
        let idle_exit = Some(Duration::from_secs(1800));
        assert_eq!(settings, Settings { encodings, idle_exit, ..Settings::default() });
    }

    #[test]
    fn a_mistake_is_named_with_its_line_and_key() {
        for (text, line, word) in [
            ("\nunraed = \"reject\"", "line 2", "unraed"),
            ("unread = \"never\"", "line 1", "anchored"),
            ("generated = \"never\"", "line 1", "refuse"),
            ("\n\nkeep_age = \"14\"", "line 3", "a duration"),
            ("keep_bytes = 5", "line 1", "keep_bytes"),
            ("keep_bytes = \"5mb\"", "line 1", "a size"),
            ("keep_entries = -1", "line 1", "keep_entries"),
            ("state = \"/tmp\"", "line 1", "state"),
            ("[[encodings]]\npaths = \"a[\"\nencoding = \"latin1\"", "line 2", "paths"),
            ("[[encodings]]\npaths = \"a\"\nencoding = \"klingon\"", "line 3", "klingon"),
            ("keep_age = ", "line 1", "keep_age"),
        ] {
            let why = parse(text).unwrap_err();
            assert!(why.contains(line) && why.contains(word), "{text}: {why}");
        }
    }

    #[test]
    fn a_mistake_in_a_command_leaves_the_settings_as_they_are_and_is_told_with_the_commands() {
        for wrong in [
            "[[validator]]\nname = \"a\"\nfiles = [\"*\"]\ncommand = [\"a\"]\npattern = \"(bad\"",
            "[[validator]]\nshell = \"sh\"",
            "[[after_write]]\nname = 5",
            "[syntax]\ncheck = \"no\"",
        ] {
            let text = format!("keep_entries = 7\n{wrong}\n");
            assert_eq!(parse(&text).unwrap().keep_entries, 7, "{text}");
            assert!(written(&text).is_err(), "{text}");
            let text = format!("keep_entries = -7\n{wrong}\n");
            assert!(parse(&text).unwrap_err().contains("line 1"), "{text}");
        }
    }

    #[test]
    fn a_file_that_is_too_long_or_none_is_unreadable() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(load(folder.path()).unwrap(), Settings::default());
        std::fs::write(folder.path().join(FILE_NAME), "#".repeat(limits::CONFIG + 1)).unwrap();
        assert!(matches!(load(folder.path()), Err(ConfigError::Unreadable { .. })));
        std::fs::remove_file(folder.path().join(FILE_NAME)).unwrap();
        std::fs::create_dir(folder.path().join(FILE_NAME)).unwrap();
        let why = load(folder.path()).unwrap_err().to_string();
        assert!(why.contains(FILE_NAME) && why.contains("not a file"), "{why}");
    }
}
