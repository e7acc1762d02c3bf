//! The steps of a job, for the times of each and for tests that act between two of them. It does nothing else.

use serde::Deserialize;

/// A step that a job has completed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStep {
    /// The job has its number.
    Admit,
    /// Every path is resolved inside the workspace.
    Resolve,
    /// The files and clipboards were read.
    Snapshot,
    /// The files are those that the session has seen, or the job rebases.
    CheckStaleness,
    /// The new contents are planned.
    Plan,
    /// The validators have checked the new contents.
    Validate,
    /// The transaction is within all limits.
    CheckLimits,
    /// The new bytes are staged beside their targets.
    Stage,
    /// The intent is durable.
    Intend,
    /// The new bytes are in place.
    Swap,
    /// The seal is in the log.
    Seal,
    /// The commands that run after writing have run, and what they changed is journaled.
    Hooks,
    /// Files and folders are flushed, displaced files are dropped.
    Settle,
}

impl JobStep {
    /// All steps in order.
    pub const ALL: [Self; 13] = [
        Self::Admit,
        Self::Resolve,
        Self::Snapshot,
        Self::CheckStaleness,
        Self::Plan,
        Self::Validate,
        Self::CheckLimits,
        Self::Stage,
        Self::Intend,
        Self::Swap,
        Self::Seal,
        Self::Hooks,
        Self::Settle,
    ];
}
