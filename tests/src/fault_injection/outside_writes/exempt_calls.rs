//! The calls before which an outside write may be lost, as the limitations of `disk` describe them. They are found in
//! the calls of a run without outside writes.

use std::sync::Arc;

use super::action::OutsideAction;

/// The numbers of calls before which outside writes are not tested.
#[derive(Clone, Default, Debug)]
pub struct ExemptCalls {
    /// A file with several names is rewritten in place: from the last look to the last cut of its length.
    rewriting: Vec<u64>,
    /// There is no exchange: between the link that holds the displaced file and the rename over its name.
    replacing: Vec<u64>,
    /// The calls from the move to the check of the target: another file there is not told from one that went in instead of the
    /// staged file, so the job is done once more. Nothing is lost.
    checking: Vec<u64>,
}

impl ExemptCalls {
    /// Finds them in the trace of a process.
    #[must_use]
    pub fn of(trace: &[Arc<str>]) -> Self {
        let op = |at: usize| trace.get(at).and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
        let mut exempt_calls = Self::default();
        for at in 0..trace.len() {
            if op(at) == "Rename" && at > 0 && op(at - 1) == "Link" {
                exempt_calls.replacing.push(at as u64 + 1);
            }
            // A move by a link removes the staged name, and one without exchange moves the displaced file.
            let moved = |at: usize| matches!(op(at), "Exchange" | "RenameNoreplace");
            let steps = |at: usize| {
                at > 1
                    && ((op(at - 1) == "Link" && op(at) == "RemoveFile")
                        || (op(at - 1) == "Rename" && op(at) == "Rename"))
            };
            if op(at) == "Stat" && at > 0 && (moved(at - 1) || steps(at - 1)) {
                exempt_calls.checking.push(at as u64 + 1);
                if !moved(at - 1) {
                    // The file was put in place by the first of the two steps.
                    exempt_calls.checking.push(at as u64);
                }
            }
            // The log is never truncated: only a rewrite in place truncates the file that it wrote.
            if op(at) == "SetLen" && op(at - 1) == "WriteAt" {
                let opened = (0..at).rev().find(|before| op(*before) == "OpenFile").unwrap_or(at);
                exempt_calls.rewriting.extend(opened as u64 + 2..=at as u64 + 1);
            }
        }
        exempt_calls
    }

    /// Keeps only the calls after this one, which are those of the job.
    #[must_use]
    pub fn after(mut self, first: u64) -> Self {
        self.rewriting.retain(|call| *call > first);
        self.replacing.retain(|call| *call > first);
        self.checking.retain(|call| *call > first);
        self
    }

    /// Returns true if an outside write before this call may be lost, or make the job be done once more.
    #[must_use]
    pub fn contain(&self, action: OutsideAction, call: u64) -> bool {
        let in_place = matches!(
            action,
            OutsideAction::Rewrite
                | OutsideAction::RewriteAlone
                | OutsideAction::Append
                | OutsideAction::AppendHeld
        );
        (in_place && self.rewriting.contains(&call))
            || self.replacing.contains(&call)
            || self.checking.contains(&call)
    }

    /// Returns true if an outside write before a call, or one while no daemon runs, may be lost.
    #[must_use]
    pub fn may_lose(&self, at: Option<(OutsideAction, u64)>) -> bool {
        match at {
            Some((action, call)) => self.contain(action, call) || (self.rewrites() && action.reads()),
            None => self.rewrites(),
        }
    }

    /// Returns true if a kill after an outside write before this call may leave a half rewritten file: the write hit
    /// the file, or its name, between its first new byte and the seal, so that recovery cannot tell what the file
    /// holds.
    #[must_use]
    pub fn may_tear_when_killed(&self, call: u64, answered: u64) -> bool {
        self.rewriting.first().is_some_and(|first| (*first..=answered).contains(&call))
    }

    /// Returns the number of the calls before which an outside write may be lost.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rewriting.len() + self.replacing.len()
    }

    /// Returns true if there are no such calls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if a file is rewritten in place.
    #[must_use]
    pub fn rewrites(&self) -> bool {
        !self.rewriting.is_empty()
    }
}
