//! The errors of encoding and decoding messages.

use crate::error::{ErrorCode, RequestError};
use crate::limits;
use crate::message::bounded::{TOO_MANY_EDITS, TOO_MANY_FILES};

/// Maximum size of a decoder's explanation in bytes, since it may quote the input.
const EXPLANATION: usize = 300;

/// The error of a message that cannot be decoded or encoded. It depends only on the bytes and the limits.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CodecError {
    /// The length prefix is above the limit. Nothing behind it can be read.
    #[error("the frame declares {declared} bytes and the limit is {limit}; send less at once")]
    FrameTooLarge {
        /// The declared size in bytes.
        declared: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A line of JSON is above the limit. Nothing behind it is read.
    #[error(
        "the line has more than {limit} bytes, which is the limit; send less at once, and end each message with a line feed"
    )]
    LineTooLong {
        /// The limit in bytes.
        limit: u64,
    },
    /// A line is not one JSON value.
    #[error("the line is not JSON: {0}; send one whole object per line")]
    Json(String),
    /// A message to be sent, or the MessagePack of a line, does not fit into a frame.
    #[error("the message does not fit into a frame of {limit} bytes; ask for less at once")]
    MessageTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// A list or map above [`limits::COUNT`], or a job above [`limits::FILES`] or [`limits::EDITS`].
    #[error("{what} has more than {limit} elements; send less at once")]
    TooMany {
        /// A description of the list or map.
        what: &'static str,
        /// The maximum number of elements.
        limit: u64,
    },
    /// The message has more values than [`limits::VALUES`].
    #[error("the message holds more than {limit} values; send less at once")]
    TooManyValues {
        /// The maximum number of values.
        limit: u64,
    },
    /// The message is nested deeper than [`limits::DEPTH`].
    #[error("the message is nested deeper than {limit} levels; send it flatter")]
    TooDeep {
        /// The maximum number of levels.
        limit: u64,
    },
    /// A value extends beyond the end of the frame.
    #[error("the message ends inside a value at byte {offset}; send whole MessagePack values")]
    Truncated {
        /// The start of the value, in bytes from the start of the message.
        offset: usize,
    },
    /// Bytes that MessagePack or this protocol does not allow.
    #[error("{what} at byte {offset}; see WIRE.md")]
    Invalid {
        /// A description of the violation.
        what: &'static str,
        /// The offset, in bytes from the start of the message.
        offset: usize,
    },
    /// A well-formed message that does not have the fields that its kind requires.
    #[error("the message does not fit its kind: {0}")]
    Body(String),
}

impl CodecError {
    /// Creates an error from a decoder's explanation, truncated, since it may quote the input of a hostile peer.
    pub fn body(explanation: impl std::fmt::Display) -> Self {
        Self::Body(short(explanation))
    }

    /// Converts the error of a reader of JSON. Its line number says nothing, since there is one line.
    pub(super) fn json(error: &serde_json::Error) -> Self {
        Self::Json(short(error.to_string().replace(" at line 1 column ", " at byte ")))
    }

    /// Converts the error of a body's decoder.
    pub(super) fn refused(explanation: impl std::fmt::Display) -> Self {
        match explanation.to_string().as_str() {
            TOO_MANY_FILES => Self::TooMany { what: "the list of files", limit: limits::FILES as u64 },
            TOO_MANY_EDITS => Self::TooMany { what: "the list of edits", limit: limits::EDITS as u64 },
            other => Self::body(other),
        }
    }

    /// Returns the code that a client sees.
    pub fn code(&self) -> ErrorCode {
        if self.limit().is_some() { ErrorCode::TooLarge } else { ErrorCode::Malformed }
    }

    /// Returns the limit that the message is over, if any.
    fn limit(&self) -> Option<u64> {
        match self {
            Self::FrameTooLarge { limit, .. }
            | Self::LineTooLong { limit }
            | Self::MessageTooLarge { limit }
            | Self::TooMany { limit, .. }
            | Self::TooManyValues { limit }
            | Self::TooDeep { limit } => Some(*limit),
            Self::Json(_) | Self::Truncated { .. } | Self::Invalid { .. } | Self::Body(_) => None,
        }
    }
}

/// Returns the first bytes of an explanation.
fn short(explanation: impl std::fmt::Display) -> String {
    let mut text = explanation.to_string();
    if text.len() > EXPLANATION {
        text.truncate(text.floor_char_boundary(EXPLANATION));
        text.push('…');
    }
    text
}

impl From<&CodecError> for RequestError {
    fn from(error: &CodecError) -> Self {
        RequestError { limit: error.limit(), ..RequestError::new(error.code(), error.to_string()) }
    }
}

impl From<CodecError> for RequestError {
    fn from(error: CodecError) -> Self {
        RequestError::from(&error)
    }
}
