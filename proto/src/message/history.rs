//! Requests about the journal: undo, redo, history and show.

use editd_types::{EntryKind, JobMode};
use serde::{Deserialize, Serialize};

use super::job::{Durability, OnStale, is_default};
use crate::ids::{JobId, Version};
use crate::path::FilePath;

/// Undoes entries (`undo`) or undoes undos (`redo`). Without a selector: the last entry of the session.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct UndoRequest {
    /// These entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobId>,
    /// All applied entries of this session; with `since` or `path`, only those that also match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// All entries from this time on, in milliseconds since 1970 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// All entries with a higher number; with `session` or `path`, only those that also match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<JobId>,
    /// Everything after the newest mark with this name; with `session` or `path`, only entries that also match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The newest entry that changed this path; with `since`, `after`, `to` or `session`, all entries that did. With
    /// `jobs`, a further element of `paths`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FilePath>,
    /// With `jobs`: only the changes of these files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<FilePath>,
    /// With a single entry in `jobs`, and a single path if the entry has several files: only these hunks, by their
    /// numbers in the reply to `show`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkChoice>,
    /// As in a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// As in a job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// `verify_only` shows the effect and writes nothing. All other modes undo, without running validators.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: JobMode,
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

/// A hunk of a change, or a range of hunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HunkChoice {
    /// One hunk.
    One(u64),
    /// The first and the last hunk.
    Run((u64, u64)),
}

/// Lists journal entries, newest first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct HistoryRequest {
    /// Only entries that changed this path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FilePath>,
    /// Only entries of this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only entries from this time on, in milliseconds since 1970 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Only entries with a higher number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<JobId>,
    /// Only entries with a lower number, to get the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<JobId>,
    /// Maximum number of entries: 100 if absent, [`crate::limits::HISTORY`] at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// A file of an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryFile {
    /// The path.
    pub path: FilePath,
    /// The version before; absent if there was no file.
    pub before: Option<Version>,
    /// The version after; absent if there is no file.
    pub after: Option<Version>,
    /// The number of added lines. This and `removed` are both 0 if the lines are not known: of a binary file, of a file
    /// that is too large to be compared, or if the journal never had the content before the change.
    pub added: u64,
    /// The number of removed lines.
    pub removed: u64,
    /// Set if the change of this file was undone while other files of the entry were not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// The undone hunks, if only some were undone: the first and the last number of each range, as in the reply to
    /// `show`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone_hunks: Vec<(u64, u64)>,
}

impl EntryFile {
    /// Returns true if the content changed but no lines were counted.
    #[must_use]
    pub fn lacks_counts(&self) -> bool {
        self.before != self.after && (self.added, self.removed) == (0, 0)
    }
}

/// The session and the client of a change whose author is not known.
pub const OUTSIDE: &str = "outside";

/// A journal entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntrySummary {
    /// The number of the entry.
    pub id: JobId,
    /// The number under which a detached job was queued. Both numbers identify the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<JobId>,
    /// The key that the client gave the job.
    pub key: Option<String>,
    /// The time, in milliseconds since 1970 UTC.
    pub time: u64,
    /// The session that made the entry.
    pub session: String,
    /// The program that made the entry.
    pub client: String,
    /// The label of the job.
    pub label: Option<String>,
    /// The origin of the entry.
    pub kind: EntryKind,
    /// Set if the entry was undone.
    pub undone: bool,
    /// Set if some, but not all, files or hunks were undone; `files` shows which.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partly_undone: bool,
    /// Set if recovery found a file with neither the content before nor the content after.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub diverged: bool,
    /// Set if contents of the entry were removed from the journal (`forget`). It can then not be undone as a whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
    /// The entries that this undo or redo acted on, or the job that this hook belongs to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<JobId>,
    /// The number of entries that `of` leaves out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub omitted_of: u64,
    /// The changed files, as many as fit.
    pub files: Vec<EntryFile>,
    /// The number of files that `files` leaves out. `show` returns them page by page.
    #[serde(default, skip_serializing_if = "is_default")]
    pub omitted_files: u64,
}

impl EntrySummary {
    /// Returns true if its author is not known: another program made the change, and no session claimed it by `note`.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        self.kind == EntryKind::External && self.session == OUTSIDE
    }
}

/// The reply to `history`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HistoryReply {
    /// The entries, newest first.
    pub entries: Vec<EntrySummary>,
    /// Set if older entries were left out.
    pub more: bool,
}

/// Asks for one entry with its diffs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShowRequest {
    /// The number of the entry.
    pub job: JobId,
    /// The number of files to skip, to get the next page of an entry that did not fit into one reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
}

/// The change of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryDetail {
    /// The path.
    pub path: FilePath,
    /// A unified diff as text, with invalid UTF-8 replaced.
    pub diff: String,
    /// Set if a content is not known any more, since it is no longer stored or is damaged. `diff` then shows only the
    /// changed bytes, without context, under `@@ -?,1 +?,1 @@ at byte N`: the line numbers are unknown, and the text may
    /// begin and end within a line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Set beside `partial` if the journal has neither the content before the change, which another program made, nor the
    /// changed bytes. `diff` then shows the whole content after it, under `@@ -?,? +1,N @@`, or no bytes if the file is gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub before_unknown: bool,
    /// Set if the contents of the change were removed from the journal. `diff` is empty then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
    /// The number of hunks that `diff` leaves out.
    pub omitted_hunks: u64,
    /// The hunks of `diff` in its order, with the numbers that `undo` accepts. Empty if the whole contents are no
    /// longer stored, or if the content is not shown byte for byte.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<EntryHunk>,
}

/// A hunk of the change of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryHunk {
    /// The number of the hunk within the file, from 1.
    pub hunk: u64,
    /// The first changed line after the change, from 1.
    pub line: u64,
    /// The number of added lines.
    pub added: u64,
    /// The number of removed lines.
    pub removed: u64,
    /// Set if the hunk was undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
}

/// The reply to `show`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShowReply {
    /// The entry, with the files of this page.
    pub entry: EntrySummary,
    /// The changes of these files.
    pub changes: Vec<EntryDetail>,
}
