//! Which job may run now. Pure: `(event) -> jobs that may run`; it has no thread, clock or lock.
//!
//! *Invariants*: jobs that share a key run one at a time, in order of arrival; jobs that share none run at
//! once; a job that needs all lanes runs alone, after every job before it and before every job after it.
//! Nothing starves and nothing can wait in a circle: a job takes its place in all its lanes in one step, so
//! it only ever waits for jobs that came before it.

mod table;
#[cfg(test)]
mod tests;

pub use table::{LaneRemoval, LaneTable, LaneTicket};
