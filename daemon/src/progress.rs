//! The progress of a start, for the daemon's log and for clients that connect meanwhile.

use std::fmt;
use std::sync::{Arc, Mutex};

use crate::sync::lock;

/// The present step of a start. All clones share it.
#[derive(Clone, Debug, Default)]
pub struct StartProgress(Arc<Mutex<StartStep>>);

/// A step of a start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StartStep {
    /// The workspace and its state folder are opened.
    #[default]
    Opening,
    /// The database is compared with the log.
    CheckingDatabase,
    /// The records of the log are read that the database lacks.
    ReadingLog {
        /// True if the database is made anew, from all records.
        rebuild: bool,
        /// The bytes that were read.
        read: u64,
        /// The bytes of the log's files.
        size: u64,
    },
    /// Jobs that a kill or a power cut interrupted are finished or rolled back.
    Recovering {
        /// The number of jobs.
        jobs: usize,
        /// The number of their files that were restored.
        done: usize,
        /// The number of their files.
        files: usize,
    },
}

impl StartProgress {
    /// Begins a step, or reports how far it has come.
    pub fn set(&self, step: StartStep) {
        *lock(&self.0) = step;
    }
}

impl fmt::Display for StartProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *lock(&self.0) {
            StartStep::Opening => write!(f, "opening the workspace"),
            StartStep::CheckingDatabase => write!(f, "checking the database"),
            StartStep::ReadingLog { rebuild, read, size } => {
                let what = if rebuild { "rebuilding the database from the log" } else { "reading the log" };
                write!(f, "{what}, {} of {} MiB", read >> 20, size.div_ceil(1 << 20))
            }
            StartStep::Recovering { jobs, done, files } => {
                let jobs = if jobs == 1 {
                    "1 interrupted job".to_owned()
                } else {
                    format!("{jobs} interrupted jobs")
                };
                write!(f, "recovering {jobs}, {done} of {files} files")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_shown_with_its_progress() {
        let progress = StartProgress::default();
        let shown = |step| {
            progress.clone().set(step);
            progress.to_string()
        };
        assert_eq!(progress.to_string(), "opening the workspace");
        let log = StartStep::ReadingLog { rebuild: true, read: 40 << 20, size: (408 << 20) - 1 };
        assert_eq!(shown(log), "rebuilding the database from the log, 40 of 408 MiB");
        let one = StartStep::Recovering { jobs: 1, done: 2, files: 5 };
        assert_eq!(shown(one), "recovering 1 interrupted job, 2 of 5 files");
    }
}
