//! Validation of new contents before they are written: by the built-in check of syntax, and by the commands of the
//! workspace. It changes no file of the workspace, and decides nothing: `edit` decides what an issue means.
//!
//! *Calling sequence*: [`check()`] with every new content of a job. [`check_whole`] after a job, for the workspace.
//!
//! *Invariants*: only issues that an edit *introduces* are reported: those of the old content are subtracted
//! (`subtract`). Runs are bounded in number, time, memory and output ([`process`]); a validator that cannot run is
//! not taken for one without issues.
//!
//! *Limitations*: a validator sees one new content at a time, with all other files as they are on the disk.

mod check;
mod command;
mod issues;
mod subtract;
mod syntax;
mod whole;

pub mod process;

pub use check::{CheckContext, CheckResults, CheckedContent, check};
pub use subtract::unnumbered;
pub use whole::{ReportedIssue, RunEnd, check_whole};
