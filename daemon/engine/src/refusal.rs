//! Constructors of refusals. The callers decide what is refused, and why.

use editd_types::{ErrorCode, RequestError};

use crate::Refusal;

/// A refusal with a code and a sentence.
pub(crate) fn refuse(code: ErrorCode, message: impl Into<String>) -> Refusal {
    Box::new(RequestError::new(code, message))
}

/// The request contradicts itself or lacks a field.
pub(crate) fn malformed(message: impl Into<String>) -> Refusal {
    refuse(ErrorCode::Malformed, message)
}

/// Something is over its limit, in bytes.
pub(crate) fn too_large(message: impl Into<String>, limit: usize) -> Refusal {
    let mut error = refuse(ErrorCode::TooLarge, message);
    error.limit = Some(limit as u64);
    error
}

/// A work budget ran out.
pub(crate) fn spent(message: impl Into<String>, limit: u64) -> Refusal {
    let mut error = refuse(ErrorCode::Limit, message);
    error.limit = Some(limit);
    error
}

/// The job would need more memory than is free for it now.
pub(crate) fn no_room() -> Refusal {
    refuse(ErrorCode::Busy, "the job needs more memory than it has now; it is tried again with more")
}

/// A fault of the engine itself, reported instead of a panic.
pub(crate) fn internal(message: impl Into<String>) -> Refusal {
    refuse(ErrorCode::Internal, message)
}
