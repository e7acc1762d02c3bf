//! Errors as they travel: a stable code to branch on, a sentence that says what to do next, and typed
//! details beside it.

use serde::{Deserialize, Serialize};

use crate::ids::{JobId, Version};
use crate::limits;
use crate::message::{Issue, LaterEntry};
use crate::path::WirePath;

/// What went wrong. Stable: a code is never renamed or reused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The content changed since this session's base.
    Stale,
    /// The session has not read what it would replace.
    Unread,
    /// The quoted text, pattern, job or entry is not there.
    NotFound,
    /// More than one place fits.
    Ambiguous,
    /// Two edits touch the same bytes.
    Overlap,
    /// A line or position outside the file.
    OutOfRange,
    /// The request contradicts itself or lacks a field.
    Malformed,
    /// The regular expression does not compile.
    InvalidRegex,
    /// The named clipboard holds nothing.
    NoClipboard,
    /// A line does not start with what `reindent.strip` names.
    StripMismatch,
    /// Another number of occurrences than `expect`.
    CountMismatch,
    /// No symbol has that name.
    SymbolNotFound,
    /// The path exists and should not.
    Exists,
    /// The path does not exist and should.
    Missing,
    /// The file is not text.
    Binary,
    /// The file's encoding is not one that editd edits.
    Encoding,
    /// A file, frame, clipboard or payload over its limit.
    TooLarge,
    /// The path leaves the workspace.
    Outside,
    /// The system or the peer check refused.
    Denied,
    /// A rebase that cannot be done: others changed the same or neighbouring lines.
    Conflict,
    /// A validator refused.
    Rejected,
    /// Too much is waiting; try again.
    Busy,
    /// The daemon is leaving, and did nothing of it: connect again, and send it again.
    Stopping,
    /// A work budget ran out.
    Limit,
    /// The disk or the connection failed.
    Io,
    /// Known, but not done by this version or for this kind of file.
    Unsupported,
    /// A fault of editd itself.
    Internal,
    /// A code of a newer version.
    #[serde(other)]
    Unknown,
}

/// One place that an `ambiguous` error lists.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// The 1-based line where it starts.
    pub line: u64,
    /// The 1-based column where it starts, in Unicode scalar values.
    pub column: u64,
    /// The text of that line, shortened.
    pub text: String,
    /// The innermost definition that holds the place, as a name path, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// The nearest window that a `not_found` error shows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NearMiss {
    /// The 1-based line where it starts.
    pub line: u64,
    /// Numbered lines, at most [`crate::limits::NEAR_MISS_LINES`].
    pub text: String,
    /// Similarity, 0 to 1.
    pub score: f64,
    /// The 1-based number of the first of the lines that differs from what was quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs: Option<u64>,
    /// The line that was quoted for it, shortened; absent if fewer lines were quoted, or if the first window has the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quoted: Option<String>,
}

/// A place that one of a chunk's checks refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fallen {
    /// The 1-based line where it starts.
    pub line: u64,
    /// The check: `position`, `content`, `insertion`, `deletion`, `boundary`, `end_of_symbol`, `line_ending`.
    pub check: String,
    /// Why, in a few words.
    pub reason: String,
}

/// One way to indent the new lines of an edit, where several are possible.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IndentReading {
    /// The frame of the new lines in this reading, in a few words.
    pub how: String,
    /// The lines that this reading would write, from the first that differs; at most
    /// [`crate::limits::READING_LINES`], each shortened.
    pub text: String,
}

/// Present lines of the file that a refusal shows, because the session was not shown them before.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Excerpt {
    /// The 1-based number of the first.
    pub line: u64,
    /// The lines, with their breaks.
    pub text: String,
}

/// Lines that an edit names by number, and that no longer stand there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MovedLines {
    /// The 1-based number of the edit within its file entry.
    pub edit: u64,
    /// The version that the numbers refer to: the one this session read.
    pub read: Version,
    /// First and last number; `last` = `first` - 1 is the place before line `first`.
    pub lines: (u64, u64),
    /// The lines that stood there then, shortened; absent if they are not kept any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
    /// The present numbers of those lines; absent if they were changed or removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<(u64, u64)>,
    /// The lines that stand there now, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub there: Option<String>,
}

/// Lines that a merge cannot combine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Region {
    /// The 1-based line where it starts in what is there now.
    pub line: u64,
    /// What the job saw, shortened.
    pub base: String,
    /// What is there now, shortened.
    pub current: String,
    /// What the job would put there, shortened.
    pub wanted: String,
}

/// An error as a client sees it. Fields that do not apply are absent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WireError {
    /// The stable code.
    pub code: Code,
    /// One sentence that says what to do next.
    pub message: String,
    /// The path it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<WirePath>,
    /// The 1-based number of the file entry in the job, where the job lists the path more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<u64>,
    /// The 1-based number of the edit within its file entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<u64>,
    /// With `overlap`: the other edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_edit: Option<u64>,
    /// `stale`, `conflict`: the version that is there now. Sent as `base`, it lets the same job apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// `stale`, `conflict`: what changed since this session's read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Hunks that `diff` leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted_hunks: Option<u64>,
    /// `stale`, `conflict`: who changed it: an entry's number, or `outside`. `not_found`: the entry that took the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    /// `stale`: whether the job as it is would apply to what is there now, and, where it replaces what it does not
    /// quote, whether a rebase would do: `clean` or `conflict`. Of an undo: whether a rebase would do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_apply: Option<WouldApply>,
    /// `ambiguous`: the places, at most [`crate::limits::CANDIDATES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// `ambiguous` of the new lines' indentation: what each reading of them would write at `line`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<IndentReading>,
    /// `ambiguous`, `count_mismatch`, `conflict`: how many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<u64>,
    /// `count_mismatch`: how many were expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<u64>,
    /// `out_of_range`: the lines of the file. `strip_mismatch`, `malformed`: the line concerned is `line`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// The 1-based line it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// `encoding`: the 1-based column, in Unicode scalar values, up to which the file can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// `encoding`: the encoding that the file has, or as which it does not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// `encoding`: the character of the new text that the encoding lacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub character: Option<String>,
    /// `not_found`: the rungs that were tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<String>,
    /// `not_found`: the nearest windows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near_misses: Vec<NearMiss>,
    /// `not_found`: why, where it is known. `stale` of a rebase: why the job does not fit what was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// `not_found`: first and last line that were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<(u64, u64)>,
    /// `not_found`: the similarity that would have been accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<f64>,
    /// Of a chunk: the check that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Of a chunk: the places that were looked at, at most [`crate::limits::CANDIDATES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallen: Vec<Fallen>,
    /// `malformed` of a text with markers: the marker that was found at `line`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
    /// `malformed` of a text with markers: the marker that belongs there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_marker: Option<String>,
    /// `unread`, `stale`: present lines that this session was not shown before, and has been shown now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excerpts: Vec<Excerpt>,
    /// `stale` of edits by line number: the lines that the numbers referred to when the session read them, and the lines
    /// under those numbers now, at most [`crate::limits::CANDIDATES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<MovedLines>,
    /// The other failures of the job: every other edit that fails, and every other file, at most
    /// [`crate::limits::OTHER_ERRORS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<WireError>,
    /// `conflict`: what could not be merged, at most [`crate::limits::CANDIDATES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<Region>,
    /// `symbol_not_found`, `ambiguous` of a symbol: the name paths that there are or that are meant, at most
    /// [`crate::limits::SYMBOLS_LISTED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// `rejected`: what the validators have against the job, at most [`crate::limits::ISSUES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// `stale`, `conflict` of an undo: the entries that changed the file later, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<LaterEntry>,
    /// `too_large`, `limit`: the limit, in the unit the message names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// The number of failures that `others` does not list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<u64>,
}

/// Who made a change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum By {
    /// The journal entry that did.
    Entry(JobId),
    /// `"outside"`: not through editd.
    Outside(Outside),
}

/// The word `outside`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Outside {
    /// Not through editd.
    #[serde(rename = "outside")]
    Outside,
}

/// Whether a refused job would apply to what is there now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WouldApply {
    /// It would.
    Clean,
    /// It would not.
    Conflict,
}

impl WireError {
    /// An error with a code and a sentence; details are set on the fields.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            path: None,
            file: None,
            edit: None,
            other_edit: None,
            version: None,
            diff: None,
            omitted_hunks: None,
            by: None,
            would_apply: None,
            candidates: Vec::new(),
            readings: Vec::new(),
            found: None,
            expected: None,
            lines: None,
            line: None,
            column: None,
            encoding: None,
            character: None,
            tried: Vec::new(),
            near_misses: Vec::new(),
            cause: None,
            searched: None,
            needed: None,
            check: None,
            fallen: Vec::new(),
            marker: None,
            expected_marker: None,
            excerpts: Vec::new(),
            moved: Vec::new(),
            others: Vec::new(),
            regions: Vec::new(),
            symbols: Vec::new(),
            issues: Vec::new(),
            later: Vec::new(),
            limit: None,
            more: None,
        }
    }

    /// The same error with the other refusals of its job beside it.
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

    /// The same error about a path.
    #[must_use]
    pub fn at(mut self, path: &WirePath) -> Self {
        self.path = Some(path.clone());
        self
    }
}

impl std::fmt::Display for WireError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WireError {}
