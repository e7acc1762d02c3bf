//! Which job may run now, and the threads on which it does. It knows no socket and no file.
//!
//! *Calling sequence*: a request passes the [`AdmissionGate`]; [`Queue::edit`], [`Queue::undo`] and [`Queue::redo`]
//! give a job its number and its place, and hand back what the calling thread should [`Runnable::run`], if
//! anything may begin. Called in the order in which a connection's frames arrived, they keep that order for
//! jobs on one file.
//!
//! *Invariants*: what [`lanes`] says; every [`Reply`] is answered exactly once, also when a job panics;
//! the same key is the same job; never more than `limits::WORKERS` jobs run, of which at most
//! `limits::CALLING_WORKERS` are such for which commands may run, nor do more than `limits::QUEUE` wait.

pub mod activity;
pub mod admit;
mod board;
#[cfg(test)]
pub(crate) mod fake;
pub mod lanes;
mod pool;
pub mod reply;
pub mod requests;
#[cfg(test)]
mod tests;

pub use activity::{Activity, ActivityGuard};
pub use admit::{AdmissionGate, AdmissionPass};
pub use board::WaitId;
pub use pool::{Done, Queue, QueueEvents, Runnable};
pub use reply::{JobOutcome, Reply};
pub use requests::Requests;
