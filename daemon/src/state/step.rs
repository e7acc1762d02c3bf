//! An observer of the steps of jobs, so that a test can act between two of them. A daemon has none.

pub use crate::metrics::JobStep;

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
    fn after(&self, step: JobStep) -> StepDecision;
}
