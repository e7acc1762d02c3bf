//! `status`, `doctor` and `stop`: about the daemon itself.

use std::time::Duration;

use editctl::daemon::{LEAVE_PATIENCE, Leaving, ReachError, Start};
use editctl::{CallError, Connection};
use editd_proto::message::{CheckFinding, CheckReply, StatusReply, StopReply};
use serde::Serialize;

use super::session::SessionInJson;
use super::{Answer, Desk, tell};
use crate::failure::{Exit, Failure};
use crate::show::state;

/// After how long it is said that a daemon that was asked to leave has still to finish.
const QUIET: Duration = Duration::from_secs(1);

pub(super) fn status(desk: &Desk<'_>) -> Result<Answer, Failure> {
    let daemon: StatusReply = desk.ask(true, |it| it.status())?;
    let reply = StatusInJson { daemon, session: desk.session.in_json() };
    let session = format!("{:<9}  {} ({})\n", "session", desk.session.name, desk.session.source());
    Ok(desk.answer(&reply, |reply, look| state::status(&reply.daemon, look) + &session))
}

/// The daemon's reply, and the session of this command.
#[derive(Serialize)]
struct StatusInJson {
    #[serde(flatten)]
    daemon: StatusReply,
    session: SessionInJson,
}

pub(super) fn doctor(desk: &Desk<'_>) -> Result<Answer, Failure> {
    let (server, state, found) = desk.ask(true, |it| {
        let server = it.welcome().map(|welcome| welcome.server.clone()).unwrap_or_default();
        Ok((server, it.status()?, it.check()?))
    })?;
    let mut findings = vec![same_version(&server)];
    findings.extend(state.nearby.iter().map(|other| CheckFinding {
        severity: "note".into(),
        subject: "workspace".into(),
        message: state::nearby(&state.workspace, other),
    }));
    findings.extend(found.findings);
    let bad = findings.iter().any(|finding| finding.severity == "bad");
    let exit = if bad { Exit::Refused } else { Exit::Done };
    Ok(Answer { exit, ..desk.answer(&CheckReply { findings }, state::findings) })
}

fn same_version(server: &str) -> CheckFinding {
    let own = env!("CARGO_PKG_VERSION");
    let (severity, message) = if server == own {
        ("ok", format!("editd and editctl are both {own}"))
    } else {
        (
            "note",
            format!("editd is {server} and editctl is {own}; `editctl stop` lets the installed one start"),
        )
    };
    CheckFinding { severity: severity.into(), subject: "version".into(), message }
}

/// Asks it to leave and waits until its process has ended, so that what follows finds it gone; one that is leaving
/// already is waited for. One that does not run is not started for that.
pub(super) fn stop(desk: &Desk<'_>) -> Result<Answer, Failure> {
    let socket = match &desk.socket {
        Some(socket) => socket.clone(),
        None => editctl::daemon::socket(&desk.workspace).map_err(ReachError::from)?,
    };
    let mut last = Leaving::at(&socket, tell);
    let asked = desk.connect(&Start::Never).and_then(|mut connection| {
        let reply = connection.stop()?;
        until_ended(&mut connection, reply.pid)?;
        Ok(reply)
    });
    let reply = match (asked, last.process()) {
        (Ok(reply), _) => reply,
        (Err(_), Some(pid)) => {
            last.until_left()?;
            StopReply { pid }
        }
        (Err(failure), None) => return Err(failure),
    };
    Ok(desk.answer(&reply, |reply, _| format!("stopped process {}\n", reply.pid)))
}

/// Waits until the process has ended; says what it waits for where that takes long.
fn until_ended(connection: &mut Connection, pid: u32) -> Result<(), Failure> {
    connection.set_patience(Some(QUIET));
    match connection.until_closed() {
        Err(CallError::TimedOut) => {}
        ended => return Ok(ended?),
    }
    tell(&format!("process {pid} is leaving and has jobs to finish; waiting for it"));
    connection.set_patience(Some(LEAVE_PATIENCE));
    match connection.until_closed() {
        Err(CallError::TimedOut) => Err(ReachError::Leaving { process: pid }.into()),
        ended => Ok(ended?),
    }
}
