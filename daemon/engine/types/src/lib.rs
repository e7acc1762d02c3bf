//! The vocabulary of edits: relative paths, content hashes, edits, refusals, outcomes, the table of operations, and the
//! limits of a job. This crate decides nothing and does no I/O; its types only derive or implement serde.
//!
//! `editd-engine` plans edits that are written in these types. `editd-proto` sends them between editd and its clients.

pub mod error;
pub mod ids;
pub mod limits;
pub mod operation;
pub mod path;

mod check;
mod edit;
mod entry;
mod job;
mod ranges;
mod receipt;
mod skip;
mod strict;
mod symbol;
mod type_error;

pub use check::{CheckOutcome, CheckStatus, Diagnostic};
pub use edit::{EditPosition, EditScope, FileEdit, FileEntry, FileMode, Reindent};
pub use entry::{EntryKind, LaterEntry};
pub use error::{ErrorCode, RequestError};
pub use ids::{ContentHash, JobId, Version};
pub use job::{JobInput, JobMode};
pub use path::FilePath;
pub use ranges::LineRanges;
pub use receipt::{
    EditOutcome, EditStatus, FileOutcome, FormatterChange, HookOutcome, Issue, JobStatus, Receipt,
};
pub use symbol::{SymbolDeclaration, SymbolInfo, SymbolPosition, TextExtent};
pub use type_error::plain_type_error;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct TypesReadmeExample;
