//! Runs jobs on worker threads, each as soon as it may run. It knows no socket and no file.
//!
//! *Calling sequence*: a request passes the [`AdmissionGate`]; [`JobQueue::edit`], [`JobQueue::undo`] and [`JobQueue::redo`]
//! give a job its number and its place, and return a [`RunnableJob`] if the calling thread should run it
//! ([`RunnableJob::run`]). Called in the order of a connection's frames, they keep that order for jobs on one file.
//!
//! *Invariants*: those of [`lanes`]; every [`JobReply`] is answered exactly once, even if a job panics; requests with
//! the same key are one job; at most `limits::WORKERS` jobs run, at most `limits::CALLING_WORKERS` of them with commands, and at
//! most `limits::QUEUE` wait; no session has all the workers, and a free worker takes a job of the session that has the
//! fewest. A job that needs all lanes does not enter them while commands of the workspace run: later jobs of other sessions
//! would wait for these.

pub mod activity;
pub mod admit;
mod board;
mod held;
pub mod lanes;
mod pool;
mod ready;
pub mod reply;
pub mod requests;
#[cfg(test)]
pub(crate) mod tests;

pub use activity::ActivityCounter;
pub use admit::{AdmissionGate, AdmissionPass};
pub use pool::{FinishedJob, JobQueue, QueueEvents, RunnableJob, result_of};
pub use reply::{JobOutcome, JobReply};
pub use requests::WorkspaceRequests;
