//! What others have to say about a content before it is written: the built-in check of syntax, and the commands that
//! the workspace brings. It changes no file of the workspace, and decides nothing: what an issue means for a job is
//! `job`'s.
//!
//! *Calling sequence*: [`check`] with every new content of a job.
//!
//! *Invariants*: only what an edit *introduces* is told: what a validator says of the old content is taken away
//! (`subtract`). Runs are bounded in number, time, memory and output ([`process`]); a validator that cannot run is
//! told apart from one that is content.
//!
//! *Limitations*: a validator sees one content at a time, with all other files as they are on the disk.

mod check;
mod command;
mod issues;
mod subtract;
mod syntax;

pub mod process;

pub use check::{
    CheckContext, CheckResults, CheckedContent, FailedValidator, ParseTurn, ValidatorReport, check,
};
