//! The result of a job: the reply to every request that changes files.

use serde::{Deserialize, Serialize};

use crate::check::CheckOutcome;
use crate::error::RequestError;
use crate::ids::{JobId, Version};
use crate::path::FilePath;
use crate::ranges::LineRanges;
use crate::skip::is_default;

/// The result of a job or of one of its files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// It was written. A file without a `status` is applied.
    #[default]
    Applied,
    /// There was nothing to change.
    Unchanged,
    /// `verify_only`: it would have been written.
    Verified,
    /// Nothing was written.
    Refused,
    /// Some edits were written, others were refused.
    Partial,
    /// The job is detached and waits for its turn.
    Queued,
}

/// The result of an edit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditStatus {
    /// It is part of the written content. An edit without a `status` is applied.
    #[default]
    Applied,
    /// It changed nothing.
    Unchanged,
    /// It was not applied; its error contains the reason.
    Refused,
}

/// The result of an edit, with details.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct EditOutcome {
    /// The 1-based number in its entry, if not every edit of the entry is listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<u64>,
    /// The result.
    #[serde(default, skip_serializing_if = "is_default")]
    pub status: EditStatus,
    /// The rung that found the place.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub rung: Option<String>,
    /// The first and the last line of its place in the content before the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u64, u64)>,
    /// The first and the last line of the same place in the new content. If nothing is left of it, the last is one less
    /// than the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<(u64, u64)>,
    /// The distance of the text from `near`, in lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<i64>,
    /// The number of replaced places, for `all` and `substitute`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacements: Option<u64>,
    /// The similarity, for the fuzzy rung.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The number of line breaks that were converted to those of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub converted_breaks: Option<u64>,
    /// With `partial`: the reason of a refusal. It is boxed since a receipt may have very many edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<RequestError>>,
}

/// The result of a file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FileOutcome {
    /// The path in the workspace.
    pub path: FilePath,
    /// The new path of a file that was moved. `lines` are those of its content there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<FilePath>,
    /// The result.
    #[serde(default, skip_serializing_if = "is_default")]
    pub status: JobStatus,
    /// The version before; absent if there was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Version>,
    /// The version after; absent if there is no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Version>,
    /// The changed lines of the new content, for the first [`crate::limits::PLACES_LISTED`] places.
    #[serde(default, skip_serializing_if = "LineRanges::is_empty")]
    pub lines: LineRanges,
    /// The number of changed places, if `lines` does not list all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<u64>,
    /// The number of added lines.
    #[serde(default, skip_serializing_if = "is_default")]
    pub added: u64,
    /// The number of removed lines.
    #[serde(default, skip_serializing_if = "is_default")]
    pub removed: u64,
    /// A unified diff, at most [`crate::limits::DIFF`] bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The number of hunks that the diff leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted_hunks: Option<u64>,
    /// The change that formatters made to the job's content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formatted: Option<FormatterChange>,
    /// The result of each edit, in the order of the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<EditOutcome>,
    /// The issues that validators found and that the job introduced, at most [`crate::limits::ISSUES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// Warnings for the user: for example, a hard link was rewritten in place, or a late write was rescued.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl EditOutcome {
    /// Creates a result without details.
    pub fn new(status: EditStatus) -> Self {
        Self { status, ..Self::default() }
    }
}

impl FileOutcome {
    /// Creates a result without details.
    pub fn new(path: FilePath, status: JobStatus) -> Self {
        Self { path, status, ..Self::default() }
    }
}

/// The change that formatters made before the content was written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FormatterChange {
    /// The names of the formatters that changed the content, in the order in which they ran.
    pub by: Vec<String>,
    /// A unified diff from the job's content to the written content.
    pub diff: String,
    /// The number of hunks that the diff leaves out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub omitted_hunks: u64,
}

/// An objection of a validator to a content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Issue {
    /// The file.
    pub path: FilePath,
    /// The validator: `syntax`, or the name of a configured validator.
    pub validator: String,
    /// The 1-based line in the new content, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The 1-based column, as the validator counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// A description of the problem.
    pub message: String,
}

/// `path:line:column: message (validator)`, without the parts that are unknown.
impl std::fmt::Display for Issue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        write!(f, ": {} ({})", self.message, self.validator)
    }
}

/// The result of a command that runs after writing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HookOutcome {
    /// The name of the command.
    pub name: String,
    /// The entry that contains its change; absent if it changed nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// The files that it changed. `before` is the content that the job wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileOutcome>,
    /// Warnings for the user: the command failed, was ended, or may not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The reply to `edit`, `undo`, `redo` and `wait`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Receipt {
    /// The number of the job; absent if the job left nothing behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// The number under which a detached job was queued, if its entry has another one. Both numbers identify the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<JobId>,
    /// The result of the job.
    pub status: JobStatus,
    /// The result of each file; only the first ones if not all fit into a reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileOutcome>,
    /// The number of files that `files` leaves out. `show` returns them if the job wrote any.
    #[serde(default, skip_serializing_if = "is_default")]
    pub omitted_files: u64,
    /// The results of the commands that ran after writing. `after` of `files` is the content after them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookOutcome>,
    /// The checks that run because of the job, and the results of earlier jobs of the session that no reply had yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckOutcome>,
    /// The reason of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RequestError>,
    /// `verify_only`: a token. Send it as `verified` to apply exactly this plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<String>,
    /// Set if the plan was merged into content newer than its base.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rebased: bool,
    /// Set if a job with the same key was done before. This is its receipt, without diffs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// The dialect of the payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The reply in the format of that dialect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Receipt {
    /// Creates a receipt without details.
    pub fn new(job: Option<JobId>, status: JobStatus) -> Self {
        Self { job, status, ..Self::default() }
    }

    /// Creates the receipt of a refused job that left nothing behind.
    pub fn refused(error: RequestError) -> Self {
        Self { error: Some(error), ..Self::new(None, JobStatus::Refused) }
    }
}
