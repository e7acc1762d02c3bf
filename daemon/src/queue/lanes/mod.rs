//! Decides which job may run now. Pure: `(event) -> jobs that may run`; it has no thread, clock or lock.
//!
//! *Invariants*: jobs that share a key run one at a time, in order of arrival; jobs that share none run at once; a
//! job that needs all lanes runs alone, after every earlier job and before every later one. There is no starvation
//! and no deadlock: a job enters all its lanes in one step, so it only ever waits for earlier jobs.

mod table;
#[cfg(test)]
mod tests;

pub use table::{LaneRemoval, LaneTable, LaneTicket};
