//! Translates the payloads of other edit tools into native file entries, and formats replies as these tools do. It
//! finds no place in a file and changes no byte.
//!
//! *Calling sequence*: [`translate`] returns the [`PayloadRequest`] of a payload and a [`ReplyFormat`]. The caller
//! performs the request and then calls [`ReplyFormat::format`]. For a refused payload, it calls [`format_refusal`].
//!
//! *Invariants*: all blocks of a payload for one path are one file entry, so that they are located in the same
//! content. A payload that is not understood completely is refused completely, with the part that must be corrected.
//! No payload causes a panic.
//!
//! *To add a dialect*: add a folder with a `Dialect`, its `mod` line here, and a line in the table in `registry`. `explain`
//! and `summary` word what every reply must contain. The recipe in daemon/ARCHITECTURE.md has the other places.

mod apply_patch;
mod call;
mod chunks;
mod context;
mod entries;
mod explain;
mod json;
mod patch;
mod ranges;
mod recognise;
mod registry;
mod safe_edit;
mod search_replace;
mod summary;
mod text_editor;
mod tools;
mod unified_diff;

use editd_types::{FileEntry, FilePath, JobMode, Receipt, RequestError};

use crate::Refusal;

pub use context::PayloadContext;
pub use registry::{format_refusal, list, translate};
pub use search_replace::progress;

/// One dialect.
pub(crate) trait Dialect: Sync {
    /// Its name, as `--dialect` takes it.
    fn name(&self) -> &'static str;

    /// Returns a description of the dialect in one sentence, for people.
    fn sentence(&self) -> &'static str;

    /// Returns true if the fields or the first marker of a payload identify this dialect. A payload that two dialects
    /// identify is ambiguous.
    fn recognises(&self, payload: &PayloadSample<'_>) -> bool;

    /// Returns true if the dialect reads the tool call around a payload itself. The other dialects get only the
    /// content of the call.
    fn reads_calls(&self) -> bool {
        false
    }

    /// Translates a payload into a request.
    ///
    /// # Errors
    /// `malformed`, `too_large` or `outside`, with the part of the payload that must be corrected.
    fn translate(&self, payload: &str, setting: &PayloadContext<'_>) -> Result<Translation, Refusal>;

    /// Returns the error message of a refused payload, in the terms of the dialect.
    fn format_refusal(&self, error: &RequestError) -> String {
        error.message.clone()
    }
}

/// A payload that comes without the name of its dialect.
#[derive(Debug)]
pub(crate) enum PayloadSample<'p> {
    /// A JSON object.
    Json(&'p serde_json::Map<String, serde_json::Value>),
    /// Any other text, including a JSON list.
    Text(&'p str),
}

/// A translated payload.
pub struct Translation {
    /// The dialect's name.
    pub dialect: &'static str,
    /// The request that the payload makes.
    pub request: PayloadRequest,
    /// The format of the reply.
    pub reply: Box<dyn ReplyFormat>,
}

/// The request that a payload makes.
#[derive(Clone, PartialEq, Debug)]
pub enum PayloadRequest {
    /// An edit job.
    Job(PayloadJob),
    /// Show a file.
    View {
        /// The file.
        path: FilePath,
        /// First and last line, 1-based, inclusive; a last line past the end means the end.
        lines: Option<(u64, u64)>,
    },
    /// Undo the last entry of this session that changed a file.
    Undo {
        /// The file.
        path: FilePath,
    },
}

/// The edits of a payload, and its options for the whole job. The request beside the payload decides each option that
/// is `None`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PayloadJob {
    /// The files.
    pub files: Vec<FileEntry>,
    /// The handling of validator issues.
    pub mode: Option<JobMode>,
    /// True if the reply contains diffs.
    pub diff: Option<bool>,
    /// The lowest similarity that fuzzy matching accepts.
    pub threshold: Option<f64>,
    /// True if the edits that succeed are applied even if others fail.
    pub partial: Option<bool>,
    /// Warnings for the user, beside the reply.
    pub warnings: Vec<String>,
}

/// The outcome of a payload's request.
#[derive(Clone, Copy, Debug)]
pub enum PayloadOutcome<'a> {
    /// The receipt of an edit or an undo, whether it was applied or refused.
    Receipt(&'a Receipt),
    /// The reply to a view.
    Read(ShownFile<'a>),
}

/// The part of a file that a view shows.
#[derive(Clone, Copy, Debug)]
pub struct ShownFile<'a> {
    /// The path of the file, with links resolved.
    pub path: &'a FilePath,
    /// The text; `None` if the file is not text.
    pub text: Option<&'a str>,
    /// The bytes, if the file is not text.
    pub bytes: Option<&'a [u8]>,
    /// The 1-based number of the first line of `text`.
    pub first_line: u64,
    /// The line ending: `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub line_ending: &'a str,
    /// The size of the whole file in bytes.
    pub size: u64,
}

/// Formats the outcome of a payload as the tool of the dialect does.
pub trait ReplyFormat: Send + Sync {
    /// Returns the reply for the caller of the tool. Its length is bounded by the size of the outcome.
    fn format(&self, outcome: &PayloadOutcome<'_>) -> String;
}

#[cfg(test)]
mod tests;
