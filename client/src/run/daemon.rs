//! The commands `doctor`, `salvage` and `stop`.

use std::path::Path;
use std::time::Duration;

use editctl::daemon::{LEAVE_PATIENCE, ReachError, SpawnPolicy, StoppingDaemon, program};
use editctl::{CallError, Connection};
use editd_proto::ErrorCode;
use editd_proto::message::{CheckFinding, CheckReply, StopReply};

use super::{CommandContext, CommandOutput, tell};
use editctl::failure::{ExitStatus, Failure};
use editctl::show::state;

/// The time after which the user is told that the daemon has jobs to finish.
const QUIET: Duration = Duration::from_secs(1);

pub(super) fn doctor(context: &CommandContext<'_>) -> Result<CommandOutput, Failure> {
    let (server, state, found) = context.ask(true, |it| {
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
    let exit = if bad { ExitStatus::Refused } else { ExitStatus::Done };
    Ok(CommandOutput { exit, ..context.answer(&CheckReply { findings }, state::findings) })
}

/// Runs `editd --salvage`, which takes the lock of the workspace.
pub(super) fn salvage(context: &CommandContext<'_>, state: Option<&Path>) -> Result<CommandOutput, Failure> {
    let editd = program();
    let salvaged = editctl::daemon::salvage(&editd, &context.workspace, state, context.style.json)
        .map_err(|source| ReachError::CannotStart { program: editd, source })?;
    salvaged.map(CommandOutput::text).map_err(|message| Failure::refused(ErrorCode::Io, message))
}

fn same_version(server: &str) -> CheckFinding {
    let own = env!("CARGO_PKG_VERSION");
    let (severity, message) = if server == own {
        ("ok", format!("editd and editctl are both {own}"))
    } else {
        (
            "note",
            format!(
                "editd is {server} and editctl is {own}; run `editctl stop`, so that the installed editd starts"
            ),
        )
    };
    CheckFinding { severity: severity.into(), subject: "version".into(), message }
}

/// Stops the daemon and waits until its process has ended, so that later commands do not meet it. Waits for a daemon
/// that is already stopping. Starts none.
pub(super) fn stop(context: &CommandContext<'_>) -> Result<CommandOutput, Failure> {
    let socket = match &context.socket {
        Some(socket) => socket.clone(),
        None => editctl::daemon::socket(&context.workspace).map_err(ReachError::from)?,
    };
    let mut last = StoppingDaemon::at(&socket, tell);
    let asked = context.connect(&SpawnPolicy::Never).and_then(|mut connection| {
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
    Ok(context.answer(&reply, |reply, _| format!("stopped process {}\n", reply.pid)))
}

/// Waits until the process has ended. Reports the wait if it takes long.
fn until_ended(connection: &mut Connection, pid: u32) -> Result<(), Failure> {
    connection.set_patience(Some(QUIET));
    match connection.until_closed() {
        Err(CallError::TimedOut) => {}
        ended => return Ok(ended?),
    }
    tell(&format!("waiting for process {pid}, which is stopping and has jobs to finish"));
    connection.set_patience(Some(LEAVE_PATIENCE));
    match connection.until_closed() {
        Err(CallError::TimedOut) => Err(ReachError::Leaving { process: pid }.into()),
        ended => Ok(ended?),
    }
}
