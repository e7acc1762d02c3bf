//! The journal: intents and seals, changes by other programs, settling, recovery and undo. It writes to the log
//! through `store` and moves files through `disk`; `job` decides the changes.
//!
//! *Calling sequence*: [`recover::recover`] at opening, before any job. Then jobs append intents and seals;
//! [`settle::settle`] follows them; [`undo`] makes transactions that `job` carries out like any other.
//!
//! *Invariants*: an entry goes `intended → sealed → settled`, or `intended → void`; **nothing else**: it is sealed
//! only with the proof of every file, settled only after the flush of what it settles, and void only if it is not
//! sealed, after the flush of what was rolled back.

pub mod change;
pub mod external;
pub mod flushing;
pub mod past;
pub mod path_cache;
pub mod recover;
mod rewrite;
pub mod roll_back;
pub mod settle;
pub mod undo;
pub mod why;
