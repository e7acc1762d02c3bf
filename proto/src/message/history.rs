//! The journal: undo, redo, history, show.

use serde::{Deserialize, Serialize};

use super::job::{Durability, Mode, OnStale};
use crate::ids::{JobId, Version};
use crate::path::WirePath;

/// Takes entries back (`undo`), or takes undos back (`redo`). Without a selector: the session's last.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct UndoRequest {
    /// These entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobId>,
    /// Every entry of this session that stands (with `since` or `path`: of those).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Every entry at or after this time, milliseconds since 1970 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// The newest entry that touches this path; with `since` or `session`, every one of those. With `jobs`: one of
    /// `paths`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<WirePath>,
    /// With `jobs`: only what those entries changed in these files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<WirePath>,
    /// With one of `jobs`, and one path where the entry has several files: only these hunks of its change, by their
    /// numbers as `show` tells them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkChoice>,
    /// As in a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// As in a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// `verify_only` shows what would be undone, and writes nothing. The other modes undo it; no validator is asked.
    #[serde(default, skip_serializing_if = "is_strict")]
    pub mode: Mode,
    /// As in a job.
    #[serde(default)]
    pub on_stale: OnStale,
    /// As in a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// As in a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<bool>,
    /// As in a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
}

/// Hunks of a change: one, or all from the first number to the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HunkChoice {
    /// This one.
    One(u64),
    /// These, both included.
    Run((u64, u64)),
}

/// Lists entries, newest first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct HistoryRequest {
    /// Only those that touch this path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<WirePath>,
    /// Only those of this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only those at or after this time, milliseconds since 1970 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Only those below this number: the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<JobId>,
    /// How many; 100 where absent, [`crate::limits::HISTORY`] at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// What made an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A job.
    Edit,
    /// An undo.
    Undo,
    /// A redo.
    Redo,
    /// A change that did not go through editd.
    External,
    /// What a command made of the files that a job had just written; `of` is that job.
    Hook,
}

/// An entry that changed a file after the entry that an undo names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LaterEntry {
    /// Its number.
    pub job: JobId,
    /// The session that made it; `outside` for a change that did not go through editd.
    pub session: String,
    /// The program that made it.
    pub client: String,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its kind.
    pub kind: EntryKind,
    /// Set where the session that asks made it. Only such an entry is its to undo.
    pub own: bool,
}

/// One file of an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryFile {
    /// Its path.
    pub path: WirePath,
    /// The version before; absent where there was no file.
    pub before: Option<Version>,
    /// The version after; absent where there is no file.
    pub after: Option<Version>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// Its change has been undone, while that of other files of the entry has not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// Some hunks of its change have been undone: the first and last number of each run, as `show` numbers them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone_hunks: Vec<(u64, u64)>,
}

/// One entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntrySummary {
    /// Its number.
    pub id: JobId,
    /// The number under which it was queued, of a detached job; both numbers name the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<JobId>,
    /// The client's key.
    pub key: Option<String>,
    /// When, milliseconds since 1970 UTC.
    pub time: u64,
    /// Whose.
    pub session: String,
    /// Which program's.
    pub client: String,
    /// Why.
    pub label: Option<String>,
    /// What made it.
    pub kind: EntryKind,
    /// Whether it has been taken back.
    pub undone: bool,
    /// Some of its files or hunks have been taken back, and not all; `files` says which.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partly_undone: bool,
    /// Set where recovery found a file that is neither before nor after.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub diverged: bool,
    /// Entries that this one took back (undo) or brought back (redo); the job whose hook it is (hook).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<JobId>,
    /// Entries left out of `of`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_of: u64,
    /// Its files, as many as fit.
    pub files: Vec<EntryFile>,
    /// Files left out of `files`; `show` has them, page by page.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_files: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields so")]
fn is_strict(mode: &Mode) -> bool {
    *mode == Mode::Strict
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields so")]
pub(super) fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The reply to `history`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HistoryReply {
    /// Newest first.
    pub entries: Vec<EntrySummary>,
    /// Whether older ones were left out.
    pub more: bool,
}

/// Asks for one entry with its diffs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShowRequest {
    /// Which.
    pub job: JobId,
    /// How many of its files to pass over: the next page, where not all of them fitted into one reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
}

/// One changed range of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryDetail {
    /// Its path.
    pub path: WirePath,
    /// A unified diff, lossily as text; where no whole content is kept any more, of the changed ranges alone,
    /// without context and without the numbers of the lines.
    pub diff: String,
    /// Hunks left out of `diff`.
    pub omitted_hunks: u64,
    /// The hunks of `diff` in its order, by the numbers under which `undo` takes them; empty where no whole content is
    /// kept any more, or the content is not shown as its bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<EntryHunk>,
}

/// One hunk of the change of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryHunk {
    /// Its number within the file, from 1.
    pub hunk: u64,
    /// The line after the change where the changed lines begin, from 1.
    pub line: u64,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// It has been undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
}

/// The reply to `show`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShowReply {
    /// The entry, with the files of this page.
    pub entry: EntrySummary,
    /// Their changes.
    pub changes: Vec<EntryDetail>,
}
