//! Settings: what `.editd.toml` and the command line may change, with their defaults.

use std::path::PathBuf;
use std::time::Duration;

use editd_proto::message::Durability;

/// What an edit may do to a file that its session has not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unread {
    /// Pass if every edit quotes what it replaces.
    #[default]
    Anchored,
    /// Refuse.
    Reject,
    /// Pass.
    Allow,
}

/// The settings of one daemon.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What an edit may do to a file that its session has not read.
    pub unread: Unread,
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
    /// Folder of log and database; the user's state folder where `None`.
    pub state: Option<PathBuf>,
}
