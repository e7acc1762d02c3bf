//! The errors of requests. The caller decides what to do next.

use std::io;

use editd_proto::{ErrorCode, RequestError};

/// The error of a request.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The daemon replied with an error. The connection is usable unless the daemon closes it.
    #[error("{0}")]
    Refused(Box<RequestError>),
    /// The request was not sent, since the daemon would have to refuse it.
    #[error("{0}")]
    Unsendable(Box<RequestError>),
    /// The request was not sent, since too many are open.
    #[error("{} requests are open; get their replies first", super::OPEN)]
    TooManyOpen,
    /// The daemon closed the connection. Open requests may have been executed or not.
    #[error("the daemon closed the connection")]
    Closed,
    /// The daemon sent data that violates the protocol.
    #[error("the daemon sent an invalid reply: {0}")]
    Garbled(String),
    /// The reply did not arrive in time. The request may still be executed.
    #[error("the daemon did not answer in time")]
    TimedOut,
    /// The socket belongs to a process of another user. Nothing was sent.
    #[error("the socket is served by another user's process")]
    Stranger,
    /// The system reported an error.
    #[error("the connection failed: {0}")]
    Io(#[source] io::Error),
}

impl CallError {
    /// Returns the error in the form of a refusal. `advice` says how to find out whether a request was carried out.
    pub fn refusal(&self, advice: &str) -> RequestError {
        match self {
            Self::Refused(error) | Self::Unsendable(error) => (**error).clone(),
            Self::Closed | Self::TimedOut => {
                let event = match self {
                    Self::Closed => "disconnected before it replied",
                    _ => "did not reply in time",
                };
                let message = format!("the daemon {event}, so a change may be done or not: {advice}");
                RequestError::new(ErrorCode::Io, message)
            }
            other => RequestError::new(ErrorCode::Io, other.to_string()),
        }
    }
}
