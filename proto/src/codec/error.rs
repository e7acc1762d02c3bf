//! Why bytes are not a message, or a message does not become bytes.

use crate::error::{Code, WireError};
use crate::limits;
use crate::message::bounded::{TOO_MANY_EDITS, TOO_MANY_FILES};

/// Bytes of a decoder's explanation that are passed on: it may quote the input.
const EXPLANATION: usize = 300;

/// What the codec refuses. None of these cases depends on anything but the bytes and the limits.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CodecError {
    /// The length prefix declares more than is accepted; nothing after it can be read.
    #[error("the frame declares {declared} bytes and the limit is {limit}; send less at once")]
    FrameTooLarge {
        /// Bytes declared.
        declared: u64,
        /// Bytes accepted.
        limit: u64,
    },
    /// A message that was to be sent does not fit into a frame.
    #[error("the message does not fit into a frame of {limit} bytes; ask for less at once")]
    MessageTooLarge {
        /// Bytes accepted.
        limit: u64,
    },
    /// A list or map over [`limits::COUNT`]; a job over [`limits::FILES`] or [`limits::EDITS`].
    #[error("{what} has more than {limit} elements; send less at once")]
    TooMany {
        /// What is too long.
        what: &'static str,
        /// Elements accepted.
        limit: u64,
    },
    /// More values than [`limits::VALUES`].
    #[error("the message holds more than {limit} values; send less at once")]
    TooManyValues {
        /// Values accepted.
        limit: u64,
    },
    /// Nested deeper than [`limits::DEPTH`].
    #[error("the message is nested deeper than {limit} levels; send it flatter")]
    TooDeep {
        /// Levels accepted.
        limit: u64,
    },
    /// A value reaches past the end of the frame.
    #[error("the message ends inside a value at byte {offset}; send whole MessagePack values")]
    Truncated {
        /// Where the value begins, in bytes from the start of the message.
        offset: usize,
    },
    /// Bytes that MessagePack or this protocol does not allow.
    #[error("{what} at byte {offset}; see WIRE.md")]
    Invalid {
        /// What is wrong.
        what: &'static str,
        /// Where, in bytes from the start of the message.
        offset: usize,
    },
    /// Well-formed, but not the message that its kind says, or not a message at all.
    #[error("the message does not fit its kind: {0}")]
    Body(String),
}

impl CodecError {
    /// A decoder's explanation, shortened: it may quote what a hostile peer sent.
    pub fn body(explanation: impl std::fmt::Display) -> Self {
        let mut text = explanation.to_string();
        if text.len() > EXPLANATION {
            let end = (0..=EXPLANATION).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            text.truncate(end);
            text.push('…');
        }
        Self::Body(text)
    }

    /// What a decoder says about a body.
    pub(super) fn refused(explanation: impl std::fmt::Display) -> Self {
        match explanation.to_string().as_str() {
            TOO_MANY_FILES => Self::TooMany { what: "the list of files", limit: limits::FILES as u64 },
            TOO_MANY_EDITS => Self::TooMany { what: "the list of edits", limit: limits::EDITS as u64 },
            other => Self::body(other),
        }
    }

    /// The code that a client sees.
    pub fn code(&self) -> Code {
        match self {
            Self::FrameTooLarge { .. }
            | Self::MessageTooLarge { .. }
            | Self::TooMany { .. }
            | Self::TooManyValues { .. }
            | Self::TooDeep { .. } => Code::TooLarge,
            Self::Truncated { .. } | Self::Invalid { .. } | Self::Body(_) => Code::Malformed,
        }
    }
}

impl From<&CodecError> for WireError {
    fn from(error: &CodecError) -> Self {
        let mut wire = WireError::new(error.code(), error.to_string());
        wire.limit = match error {
            CodecError::FrameTooLarge { limit, .. }
            | CodecError::MessageTooLarge { limit }
            | CodecError::TooMany { limit, .. }
            | CodecError::TooManyValues { limit }
            | CodecError::TooDeep { limit } => Some(*limit),
            CodecError::Truncated { .. } | CodecError::Invalid { .. } | CodecError::Body(_) => None,
        };
        wire
    }
}

impl From<CodecError> for WireError {
    fn from(error: CodecError) -> Self {
        WireError::from(&error)
    }
}

/// What a decoder says of a wrong type, in the words of those who write jobs.
pub fn plain(explanation: &str) -> String {
    explanation
        .replace("expected u64", "expected a whole number")
        .replace("expected i64", "expected a whole number")
        .replace("a tuple of size 2", "a list of two")
        .replace("fewer elements in array", "fewer")
        .replace("expected f64", "expected a number")
        .replace("a sequence", "a list")
        .replace("sequence", "list")
        .replace("expected map with a single key", "expected an object with one field")
        .replace(
            "data did not match any variant of untagged enum FileMode",
            "use octal digits as text, such as \"755\"",
        )
}
