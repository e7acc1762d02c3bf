//! The journal: what is intended and what is done, what others did, and the way back: settling, recovery, undo.
//! It writes to the log through `store` and moves files through `disk`; how a job comes to be is `job`'s.
//!
//! *Calling sequence*: at opening [`recover::recover`], before any job. Then jobs append intents and seals;
//! [`settle::settle`] follows behind them; [`undo`] makes drafts that `job` carries out like any other.
//!
//! *Invariants*: an entry goes `intended → sealed → settled`, or `intended → roll_back`; **nothing else**: no seal
//! without every file's proof, no settle before the flush of what it settles, no void of a sealed entry, nor before the
//! flush of what was taken back.

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
