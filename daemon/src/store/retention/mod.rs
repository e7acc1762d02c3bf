//! Keeping the log bounded: whole oldest segments are dropped, and what is still needed of them is
//! written again at the log's end first, open entries as well. It never drops an unsettled entry, and never tells
//! the log what it removed: a rebuilt database shows it again until the next upkeep.
//!
//! *Calling sequence* of [`crate::store::Store::upkeep`]: entries beyond the limits lose their rows
//! ([`prune`]); receipts for files beyond theirs too; then, oldest segment first: what lives in it is
//! appended again ([`carry`]), flushed, rows and database follow, and only then the file goes. A kill
//! between any two of these leaves records twice at most, and applying a record twice changes nothing.
//!
//! *Limitations*: a log of which more than half lives is not written again: it has at most twice the bytes of what
//! lives in it, where that is more than the limit. Clipboards, entries that are not settled, detached jobs, receipts
//! for files and keys have limits of their own.

mod carry;
mod live;
mod prune;
mod upkeep;

#[cfg(test)]
mod tests;
