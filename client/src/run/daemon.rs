//! `status`, `doctor` and `stop`: about the daemon itself.

use std::time::Duration;

use editctl::CallError;
use editctl::daemon::Start;
use editd_proto::message::{CheckReply, Finding, StatusReply};

use super::{Answer, Desk};
use crate::failure::{Exit, Failure};
use crate::show::state;

/// How long a daemon may take to finish and settle once it was asked to leave.
const LEAVE: Duration = Duration::from_secs(60);

pub(super) fn status(desk: &Desk<'_>) -> Result<Answer, Failure> {
    let reply: StatusReply = desk.ask(true, |it| it.status())?;
    Ok(desk.answer(&reply, state::status))
}

pub(super) fn doctor(desk: &Desk<'_>) -> Result<Answer, Failure> {
    let (server, found) = desk.ask(true, |it| {
        let server = it.welcome().map(|welcome| welcome.server.clone()).unwrap_or_default();
        it.check().map(|found| (server, found))
    })?;
    let mut findings = vec![same_version(&server)];
    findings.extend(found.findings);
    let bad = findings.iter().any(|finding| finding.severity == "bad");
    let exit = if bad { Exit::Refused } else { Exit::Done };
    Ok(Answer { exit, ..desk.answer(&CheckReply { findings }, state::findings) })
}

fn same_version(server: &str) -> Finding {
    let own = env!("CARGO_PKG_VERSION");
    let (severity, message) = if server == own {
        ("ok", format!("editd and editctl are both {own}"))
    } else {
        (
            "note",
            format!("editd is {server} and editctl is {own}; `editctl stop` lets the installed one start"),
        )
    };
    Finding { severity: severity.into(), subject: "version".into(), message }
}

/// Asks it to leave and waits until it has, so that what follows finds it gone. One that does not run is
/// not started for that.
pub(super) fn stop(desk: &Desk<'_>) -> Result<Answer, Failure> {
    let mut connection = desk.connect(&Start::Never)?;
    let reply = connection.stop()?;
    connection.set_patience(Some(LEAVE));
    match connection.until_closed() {
        Ok(()) => Ok(desk.answer(&reply, |reply, _| format!("stopped process {}\n", reply.pid))),
        Err(CallError::TimedOut) => {
            let message = format!("process {} was told to stop and still runs; ask again", reply.pid);
            Err(Failure::refused(editd_proto::Code::Busy, message))
        }
        Err(other) => Err(other.into()),
    }
}
