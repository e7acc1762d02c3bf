//! Exit statuses, and what becomes of everything that can go wrong. It prints nothing.

use std::process::ExitCode;

use editctl::CallError;
use editctl::daemon::ReachError;
use editd_proto::message::{Receipt, Status};
use editd_proto::{Code, WireError};

/// How `editctl` ends. The numbers are a promise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// Done, unchanged, verified or queued.
    Done = 0,
    /// Refused, or done only in part.
    Refused = 1,
    /// The command line or the job's text makes no sense.
    Usage = 2,
    /// The content changed, or was not read.
    Stale = 3,
    /// No daemon could be reached.
    NoDaemon = 4,
    /// Input, output, or a fault of editd.
    Fault = 5,
}

impl Exit {
    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(self as u8)
    }

    pub(crate) fn of_error(error: &WireError) -> Self {
        match error.code {
            Code::Stale | Code::Unread => Self::Stale,
            Code::Io | Code::Internal => Self::Fault,
            _ => Self::Refused,
        }
    }

    pub(crate) fn of_receipt(receipt: &Receipt) -> Self {
        match receipt.status {
            Status::Applied | Status::Unchanged | Status::Verified | Status::Queued => Self::Done,
            Status::Partial => Self::Refused,
            Status::Refused => receipt.error.as_ref().map_or(Self::Refused, Self::of_error),
        }
    }
}

/// Why there is no answer to print.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The caller's words make no sense together, or a payload is no job.
    Usage(String),
    /// The daemon refused, or would have to.
    Refused(Box<WireError>),
    /// There is no daemon to ask.
    Reach(ReachError),
    /// The conversation broke off.
    Call(CallError),
    /// A file of the caller's.
    File(String, std::io::Error),
}

impl Failure {
    /// A refusal with a code and a sentence.
    pub(crate) fn refused(code: Code, message: impl Into<String>) -> Self {
        Self::Refused(Box::new(WireError::new(code, message)))
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Refused(error) => Exit::of_error(error),
            // It runs, and says why it will not talk to us.
            Self::Reach(ReachError::Hello(CallError::Refused(error))) => Exit::of_error(error),
            Self::Reach(_) => Exit::NoDaemon,
            Self::Call(_) | Self::File(..) => Exit::Fault,
        }
    }

    /// The same as an error on the wire, which is how `--json` prints it.
    pub(crate) fn wire(&self) -> WireError {
        match self {
            Self::Usage(message) => WireError::new(Code::Malformed, message.clone()),
            Self::Refused(error) | Self::Reach(ReachError::Hello(CallError::Refused(error))) => {
                (**error).clone()
            }
            Self::Reach(ReachError::Hello(CallError::Stranger)) => WireError::new(
                Code::Denied,
                "the socket is served by another user's process; remove it, or name another with --socket",
            ),
            Self::Reach(error @ ReachError::Leaving { .. }) => {
                WireError::new(Code::Stopping, error.to_string())
            }
            Self::Reach(error) => WireError::new(Code::Io, error.to_string()),
            Self::Call(CallError::Closed | CallError::TimedOut) => WireError::new(
                Code::Io,
                "the daemon went away before it answered, and the work may be done or not: look at `editctl \
                 log`, or send it again with the --key that it had",
            ),
            Self::Call(error) => WireError::new(Code::Io, error.to_string()),
            Self::File(name, error) => WireError::new(Code::Io, format!("{name}: {error}")),
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(error) | CallError::Unsendable(error) => Self::Refused(error),
            other => Self::Call(other),
        }
    }
}

impl From<ReachError> for Failure {
    fn from(error: ReachError) -> Self {
        Self::Reach(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt(status: Status, code: Option<Code>) -> Receipt {
        Receipt { error: code.map(|code| WireError::new(code, "so")), ..Receipt::new(None, status) }
    }

    #[test]
    fn receipts_have_their_status() {
        for (status, code, number) in [
            (Status::Applied, None, 0),
            (Status::Unchanged, None, 0),
            (Status::Verified, None, 0),
            (Status::Queued, None, 0),
            (Status::Partial, None, 1),
            (Status::Partial, Some(Code::Stale), 1),
            (Status::Refused, None, 1),
            (Status::Refused, Some(Code::Ambiguous), 1),
            (Status::Refused, Some(Code::Malformed), 1),
            (Status::Refused, Some(Code::Outside), 1),
            (Status::Refused, Some(Code::Conflict), 1),
            (Status::Refused, Some(Code::Stale), 3),
            (Status::Refused, Some(Code::Unread), 3),
            (Status::Refused, Some(Code::Io), 5),
            (Status::Refused, Some(Code::Internal), 5),
            (Status::Refused, Some(Code::Unknown), 1),
        ] {
            assert_eq!(Exit::of_receipt(&receipt(status, code)) as u8, number, "{status:?} {code:?}");
        }
    }

    #[test]
    fn failures_have_their_status_and_code() {
        let io = || std::io::Error::other("so");
        let refused = |code| CallError::Refused(Box::new(WireError::new(code, "so")));
        for (failure, number, code) in [
            (Failure::Usage("so".into()), 2, Code::Malformed),
            (Failure::from(refused(Code::Missing)), 1, Code::Missing),
            (Failure::from(refused(Code::Stale)), 3, Code::Stale),
            (Failure::from(CallError::Closed), 5, Code::Io),
            (Failure::from(CallError::Io(io())), 5, Code::Io),
            (Failure::from(ReachError::NoDaemon("/w".into())), 4, Code::Io),
            (Failure::from(ReachError::Hello(CallError::Stranger)), 4, Code::Denied),
            (Failure::from(ReachError::Hello(CallError::TimedOut)), 4, Code::Io),
            (Failure::from(ReachError::Hello(refused(Code::Unsupported))), 1, Code::Unsupported),
            (Failure::File("f".into(), io()), 5, Code::Io),
        ] {
            assert_eq!(failure.exit() as u8, number, "{failure:?}");
            assert_eq!(failure.wire().code, code, "{failure:?}");
        }
    }
}
