//! Constructors of refusals. The callers decide about refusals and their reasons.

use editd_types::{ErrorCode, RequestError};

use crate::Refusal;

/// Creates a refusal with a code and a sentence.
pub(crate) fn refuse(code: ErrorCode, message: impl Into<String>) -> Refusal {
    Box::new(RequestError::new(code, message))
}

/// Creates the refusal of a request that contradicts itself or lacks a field.
pub(crate) fn malformed(message: impl Into<String>) -> Refusal {
    refuse(ErrorCode::Malformed, message)
}

/// Adds the line that a refusal is about.
pub(crate) fn on_line(line: u64, mut refusal: Refusal) -> Refusal {
    refusal.line = Some(line);
    refusal
}

/// Creates the refusal of a payload whose line has an error. The message begins with the line.
pub(crate) fn line_error(line: u64, what: impl std::fmt::Display) -> Refusal {
    on_line(line, malformed(format!("line {line}: {what}")))
}

/// Creates the refusal of a line that is not in the file, which has this many lines.
pub(crate) fn out_of_range(message: impl Into<String>, lines: u64) -> Refusal {
    let mut error = refuse(ErrorCode::OutOfRange, message);
    error.lines = Some(lines);
    error
}

/// Creates the refusal of something that is over its limit, in bytes.
pub(crate) fn too_large(message: impl Into<String>, limit: usize) -> Refusal {
    let mut error = refuse(ErrorCode::TooLarge, message);
    error.limit = Some(limit as u64);
    error
}

/// Creates the refusal of a job whose work budget is used up.
pub(crate) fn spent(message: impl Into<String>, limit: u64) -> Refusal {
    let mut error = refuse(ErrorCode::Limit, message);
    error.limit = Some(limit);
    error
}

/// Creates the refusal of a job that needs more memory than it may use now.
pub(crate) fn no_room() -> Refusal {
    refuse(ErrorCode::Busy, "the job needs more memory than it has now; it is tried again with more")
}

/// Creates the error for a bug in the engine, instead of a panic.
pub(crate) fn internal(message: impl Into<String>) -> Refusal {
    refuse(ErrorCode::Internal, message)
}
