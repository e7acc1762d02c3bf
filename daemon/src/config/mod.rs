//! Settings: what `.editd.toml` and the command line may change, with their defaults. It never writes one.
//!
//! The command line wins over `.editd.toml`, which wins over the defaults. Where the daemon keeps its state
//! only the command line and the environment may say: a workspace that was fetched from somewhere does not
//! decide what else is written.
//!
//! Settings are read once, at the start. The commands that a workspace brings stand in the same file, and are
//! read again whenever it changed: [`read_commands`]; whether they may run is `trust`'s.

mod args;
mod commands;
mod file;
mod globs;
mod place;
mod units;
mod words;

use std::path::PathBuf;
use std::time::Duration;

use editd_proto::message::{Durability, OnStale};

pub use args::{Args, LogLevel};
pub use commands::{
    BUILT_IN, CommandKind, CommandSpec, Commands, FILE, IssuePattern, PATH, SyntaxCheck, read_commands,
};
pub use file::{ConfigError, FILE_NAME, load};
pub use globs::FileGlobs;
pub use place::{Environment, state_folder};
pub use units::{UnitError, duration, size};

/// What an edit may do to a file that its session has not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnreadPolicy {
    /// Pass if every edit quotes what it replaces.
    #[default]
    Anchored,
    /// Refuse.
    Reject,
    /// Pass.
    Allow,
}

/// What becomes of a job that changes a file which a program writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GeneratedPolicy {
    /// It is done, with a warning.
    #[default]
    Warn,
    /// It is refused.
    Refuse,
    /// It is done.
    Allow,
}

/// The settings of one daemon.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// What an edit may do to a file that its session has not read.
    pub unread: UnreadPolicy,
    /// The default for jobs that do not say what to do when content changed since their base.
    pub on_stale: OnStale,
    /// When replies are sent, for jobs that do not say.
    pub durability: Durability,
    /// Leave after this long without connection or job; never where `None`.
    pub idle_exit: Option<Duration>,
    /// Oldest entry kept.
    pub keep_age: Duration,
    /// Most entries kept.
    pub keep_entries: u64,
    /// Most bytes of log kept.
    pub keep_bytes: u64,
    /// Most bytes of kept contents.
    pub keep_contents: u64,
    /// Glob and encoding label, first match wins.
    pub encodings: Vec<(String, String)>,
    /// What becomes of a job that changes a generated file.
    pub generated: GeneratedPolicy,
    /// Bytes that the payload of another tool may have.
    pub payload_limit: usize,
    /// The workspace's absolute path as it was named, where links lead to it: payloads may use that name.
    pub named: Option<PathBuf>,
    /// Folder of log and database; the user's state folder where `None`.
    pub state: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            unread: UnreadPolicy::default(),
            on_stale: OnStale::default(),
            durability: Durability::default(),
            idle_exit: None,
            keep_age: Duration::from_secs(30 * 24 * 60 * 60),
            keep_entries: 100_000,
            keep_bytes: 1 << 30,
            keep_contents: 256 << 20,
            encodings: Vec::new(),
            generated: GeneratedPolicy::default(),
            payload_limit: crate::limits::PAYLOAD,
            named: None,
            state: None,
        }
    }
}
