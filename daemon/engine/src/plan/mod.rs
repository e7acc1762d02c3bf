//! Plans a job on a snapshot: applies its entries in order to a virtual tree of files. It writes nothing, and a job that
//! is not `partial` is planned as a whole or refused.
//!
//! *Calling sequence*: [`needs()`] lists the files and clipboards of the snapshot; then call [`plan`].

mod all_failures;
mod budget;
mod combine;
mod entry;
mod files;
mod job;
mod needs;
mod net_diff;
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
