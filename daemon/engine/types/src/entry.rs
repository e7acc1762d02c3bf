//! Journal entries as an error lists them.

use serde::{Deserialize, Serialize};

use crate::ids::JobId;

/// The origin of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A job.
    Edit,
    /// An undo.
    Undo,
    /// A redo.
    Redo,
    /// A change that was not made through editd.
    External,
    /// The changes that a command made to the files of a job after it was written. The job is in `of`.
    Hook,
    /// A mark: it changed nothing, and its label is its name.
    Mark,
}

/// An entry that changed a file after the entry that is to be undone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LaterEntry {
    /// The number of the entry.
    pub job: JobId,
    /// The session that made the entry, or `outside` for a change that was not made through editd.
    pub session: String,
    /// The program that made the entry.
    pub client: String,
    /// The label of the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The kind of the entry.
    pub kind: EntryKind,
    /// Set if the requesting session made the entry. A session can undo only its own entries.
    pub own: bool,
}
