//! Keeps the log bounded: whole segments are dropped, oldest first. Records in them that are still needed, also open
//! entries, are appended again before. It never drops an unsettled entry, and does not record what it removed: a
//! rebuilt database shows that again until the next upkeep.
//!
//! *Calling sequence*: when the log has a new segment, [`crate::store::Store::trim`] packs those before it, and drops old ones if
//! the log exceeds its limit in bytes; [`crate::store::quota`] lets requests wait meanwhile. [`crate::store::Store::upkeep`] removes the rows of entries ([`prune`]) and of read
//! receipts beyond the limits. Then, oldest segment first, it appends the needed records again ([`carry`]), flushes
//! them, brings rows and database up to date, and only then deletes the segment's file. A kill between two steps
//! leaves some records twice, and applying a record twice changes nothing.
//!
//! Requests never wait for more than one step: a record, a few entries, or a batch of rows.
//!
//! *Limitations*: a log of which more than half is needed is not rewritten: its size is at most twice the needed
//! bytes, if that is more than the limit. Clipboards, unsettled entries, detached jobs, read receipts and keys have
//! limits of their own. Keys are kept for a day, but for less if the log would otherwise exceed its limit.

mod carry;
mod live;
mod prune;
mod upkeep;

#[cfg(test)]
mod tests;
