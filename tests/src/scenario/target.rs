//! The target of a scenario: it answers requests, can be killed after a step, and can be opened again. It knows
//! nothing of files and does not interpret the replies.

use editd::testing::JobStep;
use serde_json::Value;

/// Receives each step.
pub trait StepHook: Send + Sync {
    /// Returns false if the process is killed after this step. Nothing is cleaned up, and no further request is sent.
    fn after(&self, step: JobStep) -> bool;
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
