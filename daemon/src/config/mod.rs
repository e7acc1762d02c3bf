//! The settings of `.editd.toml` and the command line, with their defaults. It never writes them.
//!
//! The command line takes precedence over `.editd.toml`, and that over the defaults. Only the command line and the
//! environment decide where the daemon stores its state: a workspace from elsewhere cannot make it write to other
//! places.
//!
//! Settings are read once, at the start; those that relax something take effect only if the file is trusted then
//! (`relaxed`). The commands of a workspace are in the same file, and are read again
//! whenever it changes ([`read_commands`]); `trust` decides whether they may run.

mod args;
mod commands;
mod environment;
mod file;
mod globs;
mod nearest;
mod owner;
mod place;
mod relaxed;
mod sources;
mod units;
mod unknown;
mod words;
mod written;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use editd_proto::message::{Durability, OnStale};
use serde::Deserialize;

use crate::confine::Confinement;

pub use args::{DaemonArgs, LogLevel};
pub use commands::{
    BUILT_IN, CommandConfig, CommandKind, CommandSpec, FILE, FILES, IssuePattern, PATH, SyntaxCheck,
    read_commands,
};
pub use environment::command_environment;
#[cfg(unix)]
pub use environment::command_folders;
pub use file::{ConfigError, FILE_NAME, LoadedSettings, load};
pub use globs::FileGlobs;
pub use place::{DaemonEnvironment, state_folder};
pub use relaxed::RelaxedSetting;
pub use sources::{PresentFile, SettingSources};
pub use written::WrittenSetting;

/// The policy for edits of a file that the session has not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnreadPolicy {
    /// Accept if every edit quotes the text that it replaces.
    #[default]
    Anchored,
    /// Refuse.
    Reject,
    /// Accept.
    Allow,
}

/// The policy for jobs that change a generated file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GeneratedPolicy {
    /// Apply the job, with a warning.
    #[default]
    Warn,
    /// Refuse the job.
    Refuse,
    /// Apply the job.
    Allow,
}

/// The policy for jobs that change something in a `.git` folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GitFolderPolicy {
    /// Refuse the job.
    #[default]
    Refuse,
    /// Apply the job.
    Allow,
}

/// The policy for jobs that change a file with a hard link outside the workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HardLinkPolicy {
    /// Refuse the job.
    #[default]
    Refuse,
    /// Apply the job.
    Allow,
}

/// The policy for restricting the files that the daemon and its commands can write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfinementPolicy {
    /// Restrict them where the system can.
    #[default]
    On,
    /// Restrict nothing.
    Off,
}

/// The settings of one daemon.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The policy for edits of a file that the session has not read.
    pub unread: UnreadPolicy,
    /// The default for jobs that do not say what to do if a content changed since their base.
    pub on_stale: OnStale,
    /// The default for the time at which replies are sent.
    pub durability: Durability,
    /// The daemon exits after this long without connection or job; never if `None`.
    pub idle_exit: Option<Duration>,
    /// The greatest age of an entry.
    pub keep_age: Duration,
    /// The most entries.
    pub keep_entries: u64,
    /// The most bytes of log.
    pub keep_bytes: u64,
    /// The most bytes of kept contents.
    pub keep_contents: u64,
    /// Glob and encoding label; the first match wins.
    pub encodings: Vec<(String, String)>,
    /// The policy for jobs that change a generated file.
    pub generated: GeneratedPolicy,
    /// The policy for jobs that change something in a `.git` folder.
    pub git_folder: GitFolderPolicy,
    /// The policy for jobs that change a file with a hard link outside the workspace.
    pub hard_links: HardLinkPolicy,
    /// The most bytes of the payload of another tool.
    pub payload_limit: usize,
    /// The workspace's absolute path as it was named, if links lead to it: payloads may use that path.
    pub named: Option<PathBuf>,
    /// The folder of the log and the database; the user's state folder if `None`.
    pub state: Option<PathBuf>,
    /// The settings of a trusted file that need trust.
    pub relaxed: Vec<RelaxedSetting>,
    /// The policy for confinement.
    pub confine: ConfinementPolicy,
    /// The restriction of this process.
    pub confinement: Confinement,
    /// The sources of the settings.
    pub sources: Arc<SettingSources>,
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
            git_folder: GitFolderPolicy::default(),
            hard_links: HardLinkPolicy::default(),
            payload_limit: crate::limits::PAYLOAD,
            named: None,
            state: None,
            relaxed: Vec::new(),
            confine: ConfinementPolicy::default(),
            confinement: Confinement::default(),
            sources: Arc::default(),
        }
    }
}
