//! Formats unified diffs of bounded size for readers. If the splices are known, the cost is that of the change, not of
//! the file. Nothing parses these diffs again.

mod changes;
mod hunks;
mod name;
mod nearby;
mod render;
mod states;

pub use hunks::{HunkExtent, LineChange};
pub use nearby::{NearbyDiff, nearby_diff};
pub use states::{after_diff, describe_change, splice_diff, unified_diff};

pub(crate) use changes::{ChangedRun, Delta};
pub(crate) use states::{entry_diff, readable};

#[cfg(test)]
mod tests;
