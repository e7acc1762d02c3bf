//! The journal: intents and seals, changes by other programs, settling and recovery. It writes to the log through
//! `store` and moves files through `disk`; it knows entries, not the jobs that made them.
//!
//! *Calling sequence*: [`recover::recover`] at opening, before any transaction. Then transactions append intents and
//! seals; [`settle::settle`] follows them.
//!
//! *Invariants*: an entry goes `intended → sealed → settled`, or `intended → void`; **nothing else**: it is sealed
//! only with the proof of every file, settled only after the flush of what it settles, and void only if it is not
//! sealed, after the flush of what was rolled back.

mod attributed;
pub mod change;
pub mod entry;
pub mod external;
pub mod flushing;
pub mod moved;
pub mod past;
pub mod recover;
mod rewrite;
pub mod roll_back;
pub mod seal;
mod seen;
pub mod settle;
pub mod why;
pub mod withdraw;
