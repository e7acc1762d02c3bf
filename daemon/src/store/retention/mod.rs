//! Keeping the log bounded: whole oldest segments are dropped, and what is still needed of them is
//! written again at the log's end first. It never drops an unsettled entry, and never tells the log what
//! it removed: a rebuilt database shows it again until the next upkeep.
//!
//! *Calling sequence* of [`crate::store::Store::upkeep`]: entries beyond the limits lose their rows
//! ([`prune`]); receipts for files beyond theirs too; then, oldest segment first: what lives in it is
//! appended again ([`carry`]), flushed, rows and database follow, and only then the file goes. A kill
//! between any two of these leaves records twice at most, and applying a record twice changes nothing.
//!
//! *Limitations*: a segment with an entry that cannot be settled stays, and all behind it.

mod carry;
mod live;
mod prune;
mod upkeep;

#[cfg(test)]
mod tests;
