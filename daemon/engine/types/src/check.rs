//! The results of checks, which run on the whole workspace after a job was applied.

use serde::{Deserialize, Serialize};

use crate::ids::JobId;
use crate::path::FilePath;
use crate::skip::is_default;

/// The state of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// It ended with status 0.
    Passed,
    /// It ended with another status.
    Failed,
    /// It waits for its turn, or runs.
    #[default]
    Running,
    /// It was ended because it took too long.
    Timeout,
    /// It could not run, or did not end by itself.
    CouldNotRun,
}

/// A problem that a check found.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The file, if the check names one of the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<FilePath>,
    /// The 1-based line, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The 1-based column, as the check counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// A description of the problem.
    pub message: String,
}

/// `path:line:column: message`, without the parts that are unknown.
impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}")?;
            for number in [self.line, self.column].into_iter().flatten() {
                write!(f, ":{number}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

/// The result of a check after one or more jobs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CheckOutcome {
    /// The name of the check.
    pub check: String,
    /// The state.
    pub status: CheckStatus,
    /// The jobs that were applied since the run before, oldest first; only the newest ones if they are many. Left out in
    /// the receipt of the only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobId>,
    /// The problems that the run before did not have; the first ones if they are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<Diagnostic>,
    /// The number of new problems that `new` leaves out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more: u64,
    /// The number of problems that are not new, or may not be.
    #[serde(default, skip_serializing_if = "is_default")]
    pub known: u64,
    /// Set if there was no run before: `new` has all problems in files of the jobs, some of which may be older.
    #[serde(default, skip_serializing_if = "is_default")]
    pub first: bool,
    /// The reason why it has no result, or why its result is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
