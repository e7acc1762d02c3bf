//! The error of a request: a stable code, a sentence that says what to do next, and typed details.

use serde::{Deserialize, Serialize};

use crate::entry::LaterEntry;
use crate::ids::{JobId, Version};
use crate::limits;
use crate::path::FilePath;
use crate::receipt::Issue;

/// The kind of an error. Codes are stable: none is ever renamed or reused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The content changed since this session's base.
    Stale,
    /// The session has not read the text that the edit replaces.
    Unread,
    /// The quoted text, pattern, job or entry does not exist.
    NotFound,
    /// More than one place matches.
    Ambiguous,
    /// Two edits touch the same bytes.
    Overlap,
    /// A line or position is outside of the file.
    OutOfRange,
    /// The request contradicts itself or lacks a field.
    Malformed,
    /// The regular expression does not compile.
    InvalidRegex,
    /// The named clipboard is empty.
    NoClipboard,
    /// A line does not start with the text in `reindent.strip`.
    StripMismatch,
    /// The number of occurrences differs from `expect`.
    CountMismatch,
    /// No symbol has that name.
    SymbolNotFound,
    /// The path exists, but must not.
    Exists,
    /// The path does not exist, but must.
    Missing,
    /// The file is not text.
    Binary,
    /// editd does not edit files in this encoding.
    Encoding,
    /// A file, frame, clipboard or payload is over its limit.
    TooLarge,
    /// The path leaves the workspace.
    Outside,
    /// The system or the check of the peer's user id refused.
    Denied,
    /// A rebase is impossible: another change touched the same or adjacent lines.
    Conflict,
    /// A validator refused.
    Rejected,
    /// Too many requests are waiting; try again.
    Busy,
    /// The daemon is stopping and did not start the request. Connect again and send it again.
    Stopping,
    /// The daemon is starting. Connect again in a moment.
    Starting,
    /// A work budget ran out.
    Limit,
    /// The disk or the connection failed.
    Io,
    /// The request is valid, but not supported by this version or for this kind of file.
    Unsupported,
    /// A bug in editd.
    Internal,
    /// A code that a newer version added.
    #[default]
    #[serde(other)]
    Unknown,
}

/// A place that an `ambiguous` error lists.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// The 1-based line of its start.
    pub line: u64,
    /// The 1-based column of its start, in Unicode scalar values.
    pub column: u64,
    /// The text of that line, truncated.
    pub text: String,
    /// The name path of the innermost definition that contains the place, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// A part of the file that is similar to the quoted text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NearMiss {
    /// The 1-based line of its start.
    pub line: u64,
    /// The lines with their numbers, at most [`crate::limits::NEAR_MISS_LINES`].
    pub text: String,
    /// The similarity, from 0 to 1.
    pub score: f64,
    /// The 1-based number of the first line that differs from the quoted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs: Option<u64>,
    /// The quoted line at that place, truncated. Absent if fewer lines were quoted, or if the first near miss has the
    /// same line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quoted: Option<String>,
}

/// A place that a check of a `chunk` edit rejected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RejectedPlace {
    /// The 1-based line of its start.
    pub line: u64,
    /// The check: `position`, `content`, `insertion`, `deletion`, `boundary`, `end_of_symbol`, `line_ending`.
    pub check: String,
    /// The reason, in a few words.
    pub reason: String,
}

/// One way to indent the new lines of an edit, if there are several.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IndentReading {
    /// A short description of the indentation of the new lines.
    pub how: String,
    /// The lines that this reading would write, from the first that differs: at most [`crate::limits::READING_LINES`]
    /// lines, each truncated.
    pub text: String,
}

/// Current lines of the file that a refusal shows, since the session has not seen them before.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Excerpt {
    /// The 1-based number of the first line.
    pub line: u64,
    /// The lines with their line breaks.
    pub text: String,
}

/// Lines that an edit selects by number, although the numbers now belong to other lines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MovedLines {
    /// The 1-based number of the edit within its file entry.
    pub edit: u64,
    /// The version that the numbers refer to, which is the version that this session read.
    pub read: Version,
    /// The first and the last number. If `last` is `first` - 1, they select the place before line `first`.
    pub lines: (u64, u64),
    /// The lines that had these numbers then, truncated. Absent if that version is no longer stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// The current numbers of those lines. Absent if they were changed or removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<(u64, u64)>,
    /// The lines that have these numbers now, truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub there: Option<String>,
}

/// Lines that a merge cannot combine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ConflictRegion {
    /// The 1-based line of its start in the current content.
    pub line: u64,
    /// The lines that the job was based on, truncated.
    pub base: String,
    /// The current lines, truncated.
    pub current: String,
    /// The lines that the job would write, truncated.
    pub wanted: String,
}

/// The reason why a request was refused. Fields that do not apply are absent.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RequestError {
    /// The stable code.
    pub code: ErrorCode,
    /// A sentence that says what happened and what to do next.
    pub message: String,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FilePath>,
    /// The 1-based number of the file entry, if the job lists the path more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<u64>,
    /// The 1-based number of the edit within its file entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<u64>,
    /// `overlap`: the number of the other edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_edit: Option<u64>,
    /// `stale`, `conflict`: the current version. If the job is sent again with it as `base`, the job applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// `stale`, `conflict`: the changes since this session read the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The number of hunks that `diff` leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted_hunks: Option<u64>,
    /// `stale`, `conflict`: the entry that changed the file, or `outside`. `not_found`: the entry that removed the
    /// text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<ChangeAuthor>,
    /// `stale`: the result of trying the job on the current content, with a rebase if it replaces text that it does not
    /// quote. Of an undo: the result of trying a rebase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_apply: Option<WouldApply>,
    /// `ambiguous`: the matching places, at most [`crate::limits::CANDIDATES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// `ambiguous` indentation of new lines: the lines that each reading would write at `line`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<IndentReading>,
    /// `ambiguous`, `count_mismatch`, `conflict`: the number of places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<u64>,
    /// `count_mismatch`: the expected number of places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<u64>,
    /// `out_of_range`: the number of lines of the file. `strip_mismatch`, `malformed`: the line is in `line`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// The 1-based line that the error is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// `encoding`: the 1-based column, in Unicode scalar values, up to which the file can be decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// `encoding`: the encoding of the file, or the encoding with which it cannot be decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// `encoding`: the character of the new text that the encoding does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub character: Option<String>,
    /// `not_found`: the rungs that were tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<String>,
    /// `not_found`: the most similar parts of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near_misses: Vec<NearMiss>,
    /// `not_found`: the reason, if it is known. `stale` of a rebase: the reason for which the job does not fit its
    /// base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// `not_found`: the first and the last line that were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<(u64, u64)>,
    /// `not_found`: the similarity that a match would have needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<f64>,
    /// The failed check of a `chunk` edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The places that a `chunk` edit tried, at most [`crate::limits::CANDIDATES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallen: Vec<RejectedPlace>,
    /// `malformed` text with markers: the marker in `line`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
    /// `malformed` text with markers: the marker that is expected there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_marker: Option<String>,
    /// `unread`, `stale`: current lines that this session had not seen. They now count as read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excerpts: Vec<Excerpt>,
    /// `stale` of edits by line number: the lines that had the numbers when the session read the file, and the lines
    /// that have them now, at most [`crate::limits::CANDIDATES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<MovedLines>,
    /// The errors of all other failed edits and files of the job, at most [`crate::limits::OTHER_ERRORS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<RequestError>,
    /// `conflict`: the lines that could not be merged, at most [`crate::limits::CANDIDATES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<ConflictRegion>,
    /// `symbol_not_found`: similar name paths. `ambiguous` symbol: the matching name paths. At most
    /// [`crate::limits::SYMBOLS_LISTED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// `rejected`: the issues that validators found, at most [`crate::limits::ISSUES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// `stale`, `conflict` of an undo: the later entries that changed the file, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<LaterEntry>,
    /// `too_large`, `limit`: the limit, in the unit that the message names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// The number of errors that `others` leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<u64>,
}

/// The author of a change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ChangeAuthor {
    /// The journal entry that made the change.
    Entry(JobId),
    /// `"outside"`: another program changed the file.
    Outside(OutsideWord),
}

/// The word `outside`, in place of the number of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum OutsideWord {
    /// A change that was not made through editd.
    #[serde(rename = "outside")]
    Outside,
}

/// The result of trying a refused job on the current content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WouldApply {
    /// The job would apply.
    Clean,
    /// The job would not apply.
    Conflict,
}

impl RequestError {
    /// Creates an error without details.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), ..Self::default() }
    }

    /// Adds the other errors of the same job.
    #[must_use]
    pub fn beside(mut self, others: impl IntoIterator<Item = Self>) -> Self {
        let mut more = self.more.unwrap_or(0);
        for mut other in others {
            let further = std::mem::take(&mut other.others);
            more = more.saturating_add(other.more.take().unwrap_or(0));
            for one in std::iter::once(other).chain(further) {
                if self.others.len() < limits::OTHER_ERRORS {
                    self.others.push(one);
                } else {
                    more = more.saturating_add(1);
                }
            }
        }
        self.more = (more > 0).then_some(more);
        self
    }

    /// Sets the path.
    #[must_use]
    pub fn at(mut self, path: &FilePath) -> Self {
        self.path = Some(path.clone());
        self
    }
}

impl std::fmt::Display for RequestError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RequestError {}
