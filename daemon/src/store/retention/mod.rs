//! Keeps the log bounded: whole segments are dropped, oldest first. Records in them that are still needed, also open
//! entries, are appended again before. It never drops an unsettled entry, and does not record what it removed: a
//! rebuilt database shows that again until the next upkeep.
//!
//! *Calling sequence* of [`crate::store::Store::upkeep`]: it removes the rows of entries ([`prune`]) and of read
//! receipts beyond the limits. Then, oldest segment first, it appends the needed records again ([`carry`]), flushes
//! them, brings rows and database up to date, and only then deletes the segment's file. A kill between two steps
//! leaves some records twice, and applying a record twice changes nothing.
//!
//! *Limitations*: a log of which more than half is needed is not rewritten: its size is at most twice the needed
//! bytes, if that is more than the limit. Clipboards, unsettled entries, detached jobs, read receipts and keys have
//! limits of their own.

mod carry;
mod live;
mod prune;
mod upkeep;

#[cfg(test)]
mod tests;
