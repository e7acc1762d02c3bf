//! `.editd.toml` at the root of the workspace. It is read once, at the start, and never written.

#![expect(clippy::disallowed_methods, reason = "config is the module that reads the settings file")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use editd_proto::ids::ContentHash;
use editd_proto::message::{Durability, OnStale};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, de};

use super::commands::{FormatterFields, ValidatorFields, WrittenCheck, WrittenHook, WrittenSyntax};
use super::relaxed::{self, RelaxedSetting, SettingsByTrust};
use super::written::{self, WrittenSetting};
use super::{
    ConfinementPolicy, GeneratedPolicy, GitFolderPolicy, HardLinkPolicy, Settings, UnreadPolicy, nearest,
    owner, units, unknown,
};
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
        "{path} belongs to user {owner}, so its settings are not used, and its folder is not served: check it, then replace it \
         by a copy of your own (`cp {path} {path}.own && mv -f {path}.own {path}`) or move it away; if you may not, ask \
         the owner of the folder",
        path = path.display()
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
    idle_exit: Option<LeastDuration<{ limits::IDLE_EXIT_LEAST_MS }>>,
    keep_age: Option<LeastDuration<{ limits::KEEP_AGE_LEAST_MS }>>,
    keep_entries: Option<LeastCount<{ limits::KEEP_ENTRIES_LEAST }>>,
    keep_bytes: Option<LeastSize<{ limits::KEEP_BYTES_LEAST }>>,
    keep_contents: Option<LeastSize<{ limits::KEEP_CONTENTS_LEAST }>>,
    payload_limit: Option<LeastSize<{ limits::PAYLOAD_LEAST }>>,
    generated: Option<GeneratedPolicy>,
    git_folder: Option<GitFolderPolicy>,
    hard_links: Option<HardLinkPolicy>,
    confine: Option<ConfinementPolicy>,
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
    #[serde(rename = "check")]
    _check: Option<IgnoredAny>,
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
    #[serde(default)]
    pub(super) check: Vec<WrittenCheck>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEncoding {
    paths: WrittenGlob,
    encoding: WrittenLabel,
}

pub(super) struct WrittenDuration(pub(super) Duration);
pub(super) struct WrittenSize(pub(super) u64);
struct LeastDuration<const MS: u64>(Duration);
struct LeastCount<const LEAST: u64>(u64);
struct LeastSize<const BYTES: u64>(u64);
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

impl<'de, const MS: u64> Deserialize<'de> for LeastDuration<MS> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let WrittenDuration(time) = WrittenDuration::deserialize(from)?;
        at_least(time >= Duration::from_millis(MS), || units::duration_text(MS)).map(|()| Self(time))
    }
}

impl<'de, const LEAST: u64> Deserialize<'de> for LeastCount<LEAST> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let count = u64::deserialize(from)?;
        at_least(count >= LEAST, || LEAST.to_string()).map(|()| Self(count))
    }
}

impl<'de, const BYTES: u64> Deserialize<'de> for LeastSize<BYTES> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let WrittenSize(size) = WrittenSize::deserialize(from)?;
        at_least(size >= BYTES, || units::size_text(BYTES)).map(|()| Self(size))
    }
}

fn at_least<E: de::Error>(enough: bool, least: impl FnOnce() -> String) -> Result<(), E> {
    if enough { Ok(()) } else { Err(E::custom(format_args!("it must be at least {}", least()))) }
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

/// The settings of a workspace, and the content that has them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LoadedSettings {
    /// The hash of the settings file; `None` if there is none, or if it is a link, which is never trusted.
    pub hash: Option<ContentHash>,
    /// The settings for a trusted file and for an untrusted one.
    pub settings: SettingsByTrust,
    /// The settings as the file has them.
    pub written: Vec<WrittenSetting>,
    /// The folders besides the workspace that its commands can write, if the file is trusted.
    pub write: Vec<String>,
}

/// Reads the settings of a workspace: its settings file over the defaults. An error in a command does not fail:
/// `trust` reads the commands, and then skips all of them.
///
/// # Errors
/// The file exists and cannot be read, belongs to another user, or has something unknown or too small; a missing file
/// is no error.
pub fn load(workspace: &Path) -> Result<LoadedSettings, ConfigError> {
    let path = workspace.join(FILE_NAME);
    owner::check(workspace, &path)?;
    let text = match read(&path) {
        Ok(None) => return Ok(LoadedSettings::default()),
        Ok(Some(text)) => text,
        Err(why) => return Err(ConfigError::Unreadable { path, why: why.to_string() }),
    };
    let is_link = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink());
    let hash = ContentHash::from_bytes(*blake3::hash(text.as_bytes()).as_bytes());
    let settings = by_trust(&text).map_err(|why| ConfigError::Wrong { path, why })?;
    // `trust` reports an error in a command.
    let commands = super::read_commands(text.as_bytes()).map_or_else(|_| Vec::new(), |config| config.list);
    let write = commands.into_iter().flat_map(|command| command.write).collect();
    let written = written::find(&text, &settings.trusted.relaxed);
    Ok(LoadedSettings { hash: (!is_link).then_some(hash), settings, written, write })
}

fn by_trust(text: &str) -> Result<SettingsByTrust, String> {
    let mut trusted = parse(text)?;
    let (untrusted, keys) = relaxed::restrict(trusted.clone());
    trusted.relaxed = relaxed::find(&keys, text);
    Ok(SettingsByTrust { trusted, untrusted })
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

/// Parses a whole settings file strictly, for its commands and the settings that need trust.
pub(super) fn written(text: &str) -> Result<(ParsedConfig, Vec<RelaxedSetting>), String> {
    let (_, keys) = relaxed::restrict(parse(text)?);
    let relaxed = relaxed::find(&keys, text);
    Ok((toml::from_str(text).map_err(|why| explained(&why, text))?, relaxed))
}

fn settings(text: &str) -> Result<WrittenSettings, String> {
    toml::from_str(text).map_err(|why| explained(&why, text))
}

/// Returns an error of the parser with the nearest names, and with the other keys that do not exist.
fn explained(why: &toml::de::Error, text: &str) -> String {
    nearest::with_others(nearest::named(&why.to_string()), &unknown::settings(text))
}

/// Returns the first error of the parser in a text, as it says it.
pub(super) fn first_error(text: &str) -> Option<String> {
    let own = toml::from_str::<WrittenSettings>(text).err();
    own.or_else(|| toml::from_str::<ParsedConfig>(text).err()).map(|why| why.to_string())
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
        keep_entries: written.keep_entries.map_or(default.keep_entries, |count| count.0),
        keep_bytes: written.keep_bytes.map_or(default.keep_bytes, |size| size.0),
        keep_contents: written.keep_contents.map_or(default.keep_contents, |size| size.0),
        encodings: written.encodings.into_iter().map(|e| (e.paths.0, e.encoding.0)).collect(),
        generated: written.generated.unwrap_or(default.generated),
        git_folder: written.git_folder.unwrap_or(default.git_folder),
        hard_links: written.hard_links.unwrap_or(default.hard_links),
        payload_limit: written.payload_limit.map_or(default.payload_limit, |size| {
            // No frame is larger.
            usize::try_from(size.0).unwrap_or(usize::MAX)
        }),
        named: None,
        state: None,
        relaxed: Vec::new(),
        confine: written.confine.unwrap_or(default.confine),
        confinement: default.confinement,
        sources: default.sources,
    })
}

#[cfg(test)]
mod tests;
