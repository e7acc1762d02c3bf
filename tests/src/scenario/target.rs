//! The target of a scenario: it answers requests, can be killed after a step, and can be opened again. It knows
//! nothing of files and does not interpret the replies.

use serde::Deserialize;
use serde_json::Value;

/// The steps of a job after which others may act and the process may be killed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepName {
    /// It has its number.
    Admit,
    /// Its paths are places.
    Resolve,
    /// Its files were read.
    Snapshot,
    /// It was compared with what the session has seen.
    CheckStaleness,
    /// Its edits are splices.
    Plan,
    /// Validators have seen the new contents.
    Validate,
    /// It was checked against limits and rules.
    CheckLimits,
    /// The new contents are written beside the old.
    Stage,
    /// Its intent is durable.
    Intend,
    /// Its files are exchanged.
    Swap,
    /// It is sealed.
    Seal,
    /// Its hooks have run.
    Hooks,
    /// The displaced file is dropped.
    Settle,
}

impl StepName {
    /// All steps in order.
    pub const ALL: [StepName; 13] = [
        StepName::Admit,
        StepName::Resolve,
        StepName::Snapshot,
        StepName::CheckStaleness,
        StepName::Plan,
        StepName::Validate,
        StepName::CheckLimits,
        StepName::Stage,
        StepName::Intend,
        StepName::Swap,
        StepName::Seal,
        StepName::Hooks,
        StepName::Settle,
    ];
}

/// Receives each step.
pub trait StepHook: Send + Sync {
    /// Returns false if the process is killed after this step. Nothing is cleaned up, and no further request is sent.
    fn after(&self, step: StepName) -> bool;
}

/// Something that answers requests.
pub trait ScenarioTarget {
    /// Answers a request of the protocol as JSON. An error is `{"error": …}`.
    fn ask(&mut self, session: &str, kind: &str, body: &Value) -> Value;
    /// Settles everything.
    fn settle(&mut self);
    /// Looks at a path, as after a hint that the file changed.
    fn observe(&mut self, path: &str);
    /// Flushes the log.
    fn flush(&mut self);
}
