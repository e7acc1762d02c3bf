//! What became of a job: the reply to everything that changes files.

use serde::{Deserialize, Serialize};

use crate::error::WireError;
use crate::ids::{JobId, Version};
use crate::path::WirePath;

use super::history::is_zero;
use super::job::is_default;
use super::ranges::LineRanges;

/// How a job, or one file of it, ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Written. A file without a `status` is applied.
    #[default]
    Applied,
    /// Nothing to change.
    Unchanged,
    /// `verify_only`: would have been written.
    Verified,
    /// Nothing was written.
    Refused,
    /// Some edits were written, others refused.
    Partial,
    /// Detached: waiting for its turn.
    Queued,
}

/// How one edit ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditStatus {
    /// Part of what was written. An edit without a `status` is applied.
    #[default]
    Applied,
    /// Changed nothing.
    Unchanged,
    /// Not applied; its error says why.
    Refused,
}

/// What became of one edit.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct EditOutcome {
    /// Its 1-based number in its entry, where not every edit of the entry is listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<u64>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "is_default")]
    pub status: EditStatus,
    /// The rung that found its place.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub rung: Option<String>,
    /// First and last line of its place in the content as read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u64, u64)>,
    /// First and last line of the same place in the new content; the last is one less than the first where nothing is
    /// left of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<(u64, u64)>,
    /// By how many lines the text was away from `near`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<i64>,
    /// Places replaced, with `all` and `substitute`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacements: Option<u64>,
    /// Similarity, at the fuzzy rung.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Line breaks that were converted to the file's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub converted_breaks: Option<u64>,
    /// With `partial`: why it was refused. Boxed: a receipt may have very many edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<WireError>>,
}

/// What became of one file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileOutcome {
    /// The path as the workspace knows it.
    pub path: WirePath,
    /// How it ended.
    #[serde(default, skip_serializing_if = "is_default")]
    pub status: Status,
    /// The version before; absent where there was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Version>,
    /// The version after; absent where there is no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Version>,
    /// The lines of the new content that changed, the first [`crate::limits::PLACES_LISTED`] places.
    #[serde(default, skip_serializing_if = "LineRanges::is_empty")]
    pub lines: LineRanges,
    /// The number of places that changed, if `lines` does not list all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<u64>,
    /// Lines added.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub added: u64,
    /// Lines removed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub removed: u64,
    /// A unified diff, at most [`crate::limits::DIFF`] bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Hunks that the diff leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted_hunks: Option<u64>,
    /// A formatter changed what the job would have written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formatted: Option<Formatted>,
    /// What became of each edit, in request order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<EditOutcome>,
    /// What validators found that the job introduces, at most [`crate::limits::ISSUES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// What the user should know: a hard link was rewritten in place, a late write was rescued.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl EditOutcome {
    /// An outcome that says how an edit ended, and nothing more.
    pub fn new(status: EditStatus) -> Self {
        Self { status, ..Self::default() }
    }
}

impl FileOutcome {
    /// An outcome that says how a file ended, and nothing more.
    pub fn new(path: WirePath, status: Status) -> Self {
        Self {
            path,
            status,
            before: None,
            after: None,
            lines: LineRanges::default(),
            places: None,
            added: 0,
            removed: 0,
            diff: None,
            omitted_hunks: None,
            formatted: None,
            edits: Vec::new(),
            issues: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// The difference that formatters made, before anything was written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Formatted {
    /// The names of the formatters that changed it, in the order in which they ran.
    pub by: Vec<String>,
    /// A unified diff from what the job would have written to what was written.
    pub diff: String,
    /// Hunks that the diff leaves out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_hunks: u64,
}

/// Something that a validator has against a content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Issue {
    /// The file.
    pub path: WirePath,
    /// Who says so: `syntax`, or the name of a configured validator.
    pub validator: String,
    /// The 1-based line in the new content, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The 1-based column, as the validator counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// What is wrong.
    pub message: String,
}

/// `path:line:column: message (validator)`, the parts that are known.
impl std::fmt::Display for Issue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        write!(f, ": {} ({})", self.message, self.validator)
    }
}

/// What a command that runs after writing did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HookOutcome {
    /// Its name.
    pub name: String,
    /// The entry that holds its change; absent where it changed nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// The files that it changed: `before` is what the job wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileOutcome>,
    /// What the user should know: it failed, it was ended, it may not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The reply to `edit`, `undo`, `redo` and `wait`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Receipt {
    /// The job's number; absent where it left nothing behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// The number under which it was queued, of a detached job that left an entry with another; both numbers name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<JobId>,
    /// How it ended.
    pub status: Status,
    /// What became of each file; the first of them where not all fit a reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileOutcome>,
    /// Files left out of `files`; `show` of the job has them, where it wrote any.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_files: u64,
    /// What the commands that run after writing did; the `after` of `files` is what stands there then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookOutcome>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WireError>,
    /// `verify_only`: send it as `verified` to apply exactly this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<String>,
    /// The plan was merged into content newer than its base.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rebased: bool,
    /// The key had been seen: this is the first job's receipt, without diffs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// The dialect of the job's payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The reply in the words of that dialect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Receipt {
    /// A receipt that says how a job ended, and nothing more.
    pub fn new(job: Option<JobId>, status: Status) -> Self {
        Self {
            job,
            queued: None,
            status,
            files: Vec::new(),
            omitted_files: 0,
            hooks: Vec::new(),
            error: None,
            verified: None,
            rebased: false,
            repeated: false,
            dialect: None,
            text: None,
        }
    }

    /// The receipt of a job that was refused and left nothing behind.
    pub fn refused(error: WireError) -> Self {
        Self { error: Some(error), ..Self::new(None, Status::Refused) }
    }
}
