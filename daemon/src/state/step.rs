//! The names of the steps of a job, so that a test can act between two of them. It does nothing else.

/// A step that a job has completed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
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

/// The answer of an observer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepDecision {
    /// The job goes on.
    Continue,
    /// The job returns at once and cleans nothing up, as if the process ended here.
    Stop,
}

/// A test that is told of every step.
pub trait Observer: Send + Sync {
    /// Called after each step of a job.
    fn after(&self, step: Step) -> StepDecision;
}

/// The observer of a daemon: it lets every step pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn after(&self, _: Step) -> StepDecision {
        StepDecision::Continue
    }
}
