//! Unified diffs, bounded, from splices if they are known: the cost is that of the change, not of the file. They are
//! for readers; nothing is applied from them.

mod changes;
mod hunks;
mod name;
mod nearby;
mod render;
mod states;

pub use hunks::{HunkExtent, LineChange};
pub use nearby::{NearbyDiff, nearby_diff};
pub use states::{describe_change, splice_diff, unified_diff};

pub(crate) use changes::{ChangedRun, Delta};
pub(crate) use states::{FileMove, entry_diff, readable};

#[cfg(test)]
mod tests;
