//! The steps of a job's journey by name, so that a test can act between two of them. It does nothing.

/// A step that a job has just taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// It has its number.
    Admit,
    /// Its paths are places inside the workspace.
    Resolve,
    /// What is there was read.
    Snapshot,
    /// What is there is what its session has seen.
    Judge,
    /// What it would write is known.
    Plan,
    /// The validators were asked.
    Validate,
    /// That is within all limits.
    Vet,
    /// The new bytes stand beside their targets.
    Stage,
    /// The intent is durable.
    Intend,
    /// The new bytes are in place.
    Swap,
    /// The log says so.
    Seal,
    /// The commands that run after writing have run, and what they changed is journaled.
    Hooks,
    /// Files and folders are flushed, displaced files are dropped.
    Settle,
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Go {
    /// Yes.
    On,
    /// As if the process ended here: return at once, tidy nothing up.
    Stop,
}

/// Somebody who is told of every step.
pub trait Observer: Send + Sync {
    /// A job took a step.
    fn after(&self, step: Step) -> Go;
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn after(&self, _: Step) -> Go {
        Go::On
    }
}
