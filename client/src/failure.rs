//! Exit statuses and failures of commands. Prints nothing.

use std::process::ExitCode;

use editd_proto::message::{JobStatus, Receipt};
use editd_proto::system_error::with_remedy;
use editd_proto::{ErrorCode, RequestError};

use crate::CallError;
use crate::daemon::ReachError;

/// The exit status of `editctl`. The numbers are stable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitStatus {
    /// Done, unchanged, verified or queued.
    Done = 0,
    /// Refused, or applied only in part.
    Refused = 1,
    /// The command line or the text of the job is invalid.
    Usage = 2,
    /// The content changed or was not read.
    Stale = 3,
    /// No daemon could be reached.
    NoDaemon = 4,
    /// An input or output error, or a bug in editd.
    Fault = 5,
}

impl ExitStatus {
    /// Returns the status for the end of the process.
    pub fn code(self) -> ExitCode {
        ExitCode::from(self as u8)
    }

    /// Returns the status that another program of this installation ended with.
    pub fn of_program(code: Option<i32>) -> Self {
        let all = [Self::Done, Self::Refused, Self::Usage, Self::Stale, Self::NoDaemon];
        all.into_iter().find(|status| code == Some(*status as i32)).unwrap_or(Self::Fault)
    }

    /// Returns the status for an error of the daemon.
    pub fn of_error(error: &RequestError) -> Self {
        match error.code {
            ErrorCode::Stale | ErrorCode::Unread => Self::Stale,
            ErrorCode::Io | ErrorCode::Internal => Self::Fault,
            _ => Self::Refused,
        }
    }

    /// Returns the status for a receipt.
    pub fn of_receipt(receipt: &Receipt) -> Self {
        match receipt.status {
            JobStatus::Applied | JobStatus::Unchanged | JobStatus::Verified | JobStatus::Queued => Self::Done,
            JobStatus::Partial => Self::Refused,
            JobStatus::Refused => receipt.error.as_ref().map_or(Self::Refused, Self::of_error),
        }
    }
}

/// The reason for which a command has no reply to print.
#[derive(Debug)]
pub enum Failure {
    /// The arguments contradict each other, or the job is invalid.
    Usage(String),
    /// The daemon refused the request, or would have to.
    Refused(Box<RequestError>),
    /// No daemon could be reached.
    Reach(ReachError),
    /// The connection failed during a request.
    Call(CallError),
    /// A file of the user cannot be read or written.
    File(String, std::io::Error),
}

impl Failure {
    /// Creates a refusal.
    pub fn refused(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Refused(Box::new(RequestError::new(code, message)))
    }

    /// Returns the status for the failure.
    pub fn exit(&self) -> ExitStatus {
        match self {
            Self::Usage(_) => ExitStatus::Usage,
            Self::Refused(error) => ExitStatus::of_error(error),
            // The daemon is running and reports why it rejects the connection.
            Self::Reach(ReachError::Hello(CallError::Refused(error))) => ExitStatus::of_error(error),
            Self::Reach(_) => ExitStatus::NoDaemon,
            Self::Call(_) | Self::File(..) => ExitStatus::Fault,
        }
    }

    /// Returns the failure as an error message, as `--json` prints it.
    pub fn wire(&self) -> RequestError {
        match self {
            Self::Usage(message) => RequestError::new(ErrorCode::Malformed, message.clone()),
            Self::Refused(error) => (**error).clone(),
            Self::Reach(error) => error.refusal(),
            Self::Call(error) => {
                error.refusal("see `editctl log`; a command with --key can be repeated with the same key")
            }
            Self::File(name, error) => {
                RequestError::new(ErrorCode::Io, format!("{name}: {}", with_remedy(error)))
            }
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

    fn receipt(status: JobStatus, code: Option<ErrorCode>) -> Receipt {
        Receipt { error: code.map(|code| RequestError::new(code, "so")), ..Receipt::new(None, status) }
    }

    #[test]
    fn receipts_have_their_status() {
        for (status, code, number) in [
            (JobStatus::Applied, None, 0),
            (JobStatus::Unchanged, None, 0),
            (JobStatus::Verified, None, 0),
            (JobStatus::Queued, None, 0),
            (JobStatus::Partial, None, 1),
            (JobStatus::Partial, Some(ErrorCode::Stale), 1),
            (JobStatus::Refused, None, 1),
            (JobStatus::Refused, Some(ErrorCode::Ambiguous), 1),
            (JobStatus::Refused, Some(ErrorCode::Malformed), 1),
            (JobStatus::Refused, Some(ErrorCode::Outside), 1),
            (JobStatus::Refused, Some(ErrorCode::Conflict), 1),
            (JobStatus::Refused, Some(ErrorCode::Stale), 3),
            (JobStatus::Refused, Some(ErrorCode::Unread), 3),
            (JobStatus::Refused, Some(ErrorCode::Io), 5),
            (JobStatus::Refused, Some(ErrorCode::Internal), 5),
            (JobStatus::Refused, Some(ErrorCode::Unknown), 1),
        ] {
            assert_eq!(ExitStatus::of_receipt(&receipt(status, code)) as u8, number, "{status:?} {code:?}");
        }
    }

    #[test]
    fn failures_have_their_status_and_code() {
        let io = || std::io::Error::other("so");
        let refused = |code| CallError::Refused(Box::new(RequestError::new(code, "so")));
        for (failure, number, code) in [
            (Failure::Usage("so".into()), 2, ErrorCode::Malformed),
            (Failure::from(refused(ErrorCode::Missing)), 1, ErrorCode::Missing),
            (Failure::from(refused(ErrorCode::Stale)), 3, ErrorCode::Stale),
            (Failure::from(CallError::Closed), 5, ErrorCode::Io),
            (Failure::from(CallError::Io(io())), 5, ErrorCode::Io),
            (Failure::from(ReachError::NoDaemon("/w".into())), 4, ErrorCode::Io),
            (Failure::from(ReachError::Hello(CallError::Stranger)), 4, ErrorCode::Denied),
            (Failure::from(ReachError::Hello(CallError::TimedOut)), 4, ErrorCode::Io),
            (Failure::from(ReachError::Hello(refused(ErrorCode::Unsupported))), 1, ErrorCode::Unsupported),
            (Failure::File("f".into(), io()), 5, ErrorCode::Io),
        ] {
            assert_eq!(failure.exit() as u8, number, "{failure:?}");
            assert_eq!(failure.wire().code, code, "{failure:?}");
        }
    }
}
