//! The checks that run after jobs: which are due, which run, the problems that each knows, and the results that sessions
//! have not been told. Pure: it starts no command, reads no file and has no clock.
//!
//! *Calling sequence*: [`CheckBoard::add`] after a job; [`CheckBoard::next`] for a run that may begin now, which the
//! caller carries out; [`CheckBoard::finish`] with its result; [`CheckBoard::tell`] for the reply to a session;
//! [`CheckBoard::keep_only`] before results are told.
//!
//! *Invariants*: a check runs once at a time. Jobs that are applied while it runs share one later run. A problem is new
//! only if the last completed run of the check did not have it ([`known`]).
//!
//! *Limitations*: results are not stored, so the first run after a start of the daemon has nothing to compare with.

mod board;
mod known;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};

use editd_proto::message::Diagnostic;
use editd_proto::path::FilePath;

use crate::config::CommandSpec;
use crate::validate::RunEnd;

pub use board::{CheckBoard, StartedCheck};

/// A check that is due for a job, and the files of the job that it is for.
#[derive(Clone, PartialEq, Debug)]
pub struct DueCheck {
    /// The check.
    pub spec: CommandSpec,
    /// The files.
    pub files: Vec<FilePath>,
}

/// A problem that a run found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundIssue {
    /// The problem.
    pub told: Diagnostic,
    /// The text of its line, as a hash, if the line could be read.
    pub text: Option<u64>,
}

/// The lines of a file after a run, as hashes; `None` if there is no such file.
pub type LinesOfFile = Option<HashSet<u64>>;

/// The result of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinishedRun {
    /// The end.
    pub end: RunEnd,
    /// All problems.
    pub issues: Vec<FoundIssue>,
    /// The files that were read, those of earlier problems among them.
    pub lines: HashMap<FilePath, LinesOfFile>,
}

impl FinishedRun {
    /// Returns true if the command ended by itself: its problems can be compared.
    fn is_complete(&self) -> bool {
        matches!(self.end, RunEnd::Passed | RunEnd::Failed)
    }
}

/// The files that jobs have changed since the last run began.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChangedFiles {
    files: BTreeSet<FilePath>,
    /// True if there were more than are kept.
    too_many: bool,
}

impl ChangedFiles {
    fn add(&mut self, files: impl IntoIterator<Item = FilePath>) {
        for file in files {
            if self.files.len() >= crate::limits::CHECK_FILES && !self.files.contains(&file) {
                self.too_many = true;
            } else {
                self.files.insert(file);
            }
        }
    }

    fn has(&self, path: &FilePath) -> bool {
        self.too_many || self.files.contains(path)
    }

    /// Returns the files; `None` if there are more than are kept.
    pub fn list(&self) -> Option<Vec<FilePath>> {
        (!self.too_many).then(|| self.files.iter().cloned().collect())
    }
}
