//! Why a request has no answer, or a refusal for one. It only names; what to do is said by the caller.

use std::io;

use editd_proto::WireError;

/// What became of a request that was not answered as asked.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The daemon answered with an error. The connection is fine unless it closes.
    #[error("{0}")]
    Refused(Box<WireError>),
    /// The request was not sent, since the daemon would have to refuse it.
    #[error("{0}")]
    Unsendable(Box<WireError>),
    /// The request was not sent: collect replies first.
    #[error("{} requests are open already; collect their replies first", super::OPEN)]
    TooManyOpen,
    /// The daemon closed the connection. What was open may have been done or not.
    #[error("the daemon closed the connection")]
    Closed,
    /// What the daemon sent is not the protocol.
    #[error("the daemon sent what is no reply: {0}")]
    Garbled(String),
    /// The reply did not come in time. It may still be done.
    #[error("the daemon did not answer in time")]
    TimedOut,
    /// The socket belongs to another user's process; nothing was sent.
    #[error("the socket is served by another user's process")]
    Stranger,
    /// The system failed.
    #[error("the connection failed: {0}")]
    Io(#[source] io::Error),
}
