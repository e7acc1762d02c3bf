//! Turns a job and the world into changes: entries in order, each a stage on a virtual tree. It writes
//! nothing, and a job that is not `partial` is planned as a whole or refused.
//!
//! *Calling sequence*: [`needs`], then, with the world that it names, [`plan`].

mod all_failures;
mod budget;
mod combine;
mod entry;
mod files;
mod job;
mod needs;
mod several;
mod stage;
mod verdict;

pub use all_failures::{failures, has_unlisted_failures};
pub use job::{lacks_room, plan, plan_known};
pub use needs::{check_names, needs};
pub use several::{CountBudget, PatternCounts};

pub(crate) use budget::Budget;
pub(crate) use needs::{Parsed, check_shape, read_entry};

#[cfg(test)]
mod tests;
