//! Finds the socket of a workspace's daemon, connects to it, and starts a daemon if none listens. Never stops a daemon
//! and never removes a socket.

mod attempt;
mod error;
mod leaving;
mod spawn;
#[cfg(all(test, unix))]
mod tests;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use editd_proto::limits;
use editd_proto::message::{Hello, OnStale};
use editd_proto::socket_path::{self, SocketEnvironment};
use editd_proto::systemd_unit;

use crate::connection::{CallError, Connection};
use crate::machine;
use crate::workspace::Workspace;
use attempt::{ConnectAttempt, ConnectWait, PAUSES, attempt, told_by, until_decided};
pub use error::ReachError;
pub use leaving::{LEAVE_PATIENCE, StoppingDaemon};
use spawn::{SpawnError, SpawnedDaemon};

/// The time limit for a daemon to listen, for one that is starting to answer again, and for one with too many connections to
/// accept another. A daemon that is starting is awaited as long as it answers.
pub const START_PATIENCE: Duration = Duration::from_secs(10);

/// Seconds without connection and job after which a daemon that was started here stops.
pub const IDLE_EXIT: u32 = 1800;

/// Number of failed starts after which no further one is tried.
const STARTS: u32 = 3;

/// The action if no daemon listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpawnPolicy {
    /// Return an error.
    Never,
    /// Start this program.
    Program(PathBuf),
}

/// The identity and the options of the client.
#[derive(Clone, Debug)]
pub struct ClientOptions<'a> {
    /// The name of the program, for the journal.
    pub client: &'a str,
    /// The session that owns receipts, clipboards and undo.
    pub session: &'a str,
    /// The default of the session's jobs for stale files; the daemon's setting if absent.
    pub on_stale: Option<OnStale>,
    /// The socket, if it is not the usual one of the workspace.
    pub socket: Option<&'a Path>,
    /// A function that gets a sentence to show if something takes long, such as waiting for a stopping daemon.
    pub tell: fn(&str),
}

/// Runs `editd --salvage` for a workspace and waits for it. Returns its standard output, or its error message.
///
/// # Errors
/// The program cannot be started.
pub fn salvage(
    program: &Path,
    workspace: &Workspace,
    state: Option<&Path>,
    json: bool,
) -> std::io::Result<Result<Vec<u8>, String>> {
    offline(program, &["--salvage".as_ref()], workspace, state, json)
}

/// Runs `editd --show-settings` for a workspace whose daemon does not start. Returns its standard output, or its error message.
///
/// # Errors
/// The program cannot be started.
pub fn show_settings(
    program: &Path,
    workspace: &Workspace,
    socket: Option<&Path>,
) -> std::io::Result<Result<Vec<u8>, String>> {
    let mut task: Vec<&OsStr> = vec!["--show-settings".as_ref()];
    if let Some(socket) = socket {
        task.extend(["--socket".as_ref(), socket.as_os_str()]);
    }
    offline(program, &task, workspace, None, false)
}

/// Runs `editd --import` for a workspace and waits for it. Returns its standard output, or its error message.
///
/// # Errors
/// The program cannot be started.
pub fn import(
    program: &Path,
    workspace: &Workspace,
    file: &Path,
    state: Option<&Path>,
    json: bool,
) -> std::io::Result<Result<Vec<u8>, String>> {
    offline(program, &["--import".as_ref(), file.as_os_str()], workspace, state, json)
}

/// Runs the daemon's program for a task without a daemon.
fn offline<'a>(
    program: &Path,
    task: &[&'a OsStr],
    workspace: &'a Workspace,
    state: Option<&'a Path>,
    json: bool,
) -> std::io::Result<Result<Vec<u8>, String>> {
    let mut words = task.to_vec();
    words.extend(["--workspace".as_ref(), workspace.root().as_os_str()]);
    if let Some(state) = state {
        words.extend(["--state".as_ref(), state.as_os_str()]);
    }
    if json {
        words.push("--json".as_ref());
    }
    spawn::awaited(program, &words)
}

/// Returns the program to start: `EDITD_BIN`, else `editd` beside the running program, else `editd` in `PATH`.
pub fn program() -> PathBuf {
    if let Some(named) = machine::variable("EDITD_BIN") {
        let named = PathBuf::from(named);
        // A path is relative to the current folder; a bare name is looked up in PATH.
        let is_path = named.components().nth(1).is_some();
        return if is_path { machine::canonical(&named).unwrap_or(named) } else { named };
    }
    companion("editd")
}

/// Returns a program that is installed together with the running one: beside it, else in `PATH`.
fn companion(name: &str) -> PathBuf {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let beside = machine::own_program().map(|own| own.with_file_name(&name));
    beside.filter(|path| machine::is_file(path)).unwrap_or_else(|| PathBuf::from(name))
}

/// Runs `editctl-NAME` in the place of this program. Returns only if it cannot be started or, on Windows, once it has
/// ended.
///
/// # Errors
/// The program, and the error of the system.
pub fn become_companion(name: &str, words: &[OsString]) -> Result<ExitStatus, (PathBuf, std::io::Error)> {
    let program = companion(&format!("editctl-{name}"));
    spawn::instead(&program, words).map_err(|error| (program, error))
}

/// Returns the usual pipe of a workspace.
///
/// # Errors
/// None here. Without a user the pipe has a name that nobody listens at.
#[cfg(windows)]
pub fn socket(workspace: &Workspace) -> Result<PathBuf, socket_path::SocketPathTooLong> {
    let user = editd_proto::windows_user::security_id().unwrap_or_default();
    Ok(PathBuf::from(socket_path::pipe(&user, workspace.root())))
}

/// Returns the usual socket of a workspace.
///
/// # Errors
/// The path is longer than the system allows.
#[cfg(not(windows))]
pub fn socket(workspace: &Workspace) -> Result<PathBuf, socket_path::SocketPathTooLong> {
    let runtime_dir = machine::variable("XDG_RUNTIME_DIR");
    let around = SocketEnvironment { runtime_dir: runtime_dir.as_deref(), uid: uid() };
    socket_path::socket(&around, workspace.root())
}

/// Returns the sockets to try, in this order: the given one, else the usual one of the workspace and that of its
/// systemd unit. A daemon that is started here listens on the first.
fn sockets(
    workspace: &Workspace,
    given: Option<&Path>,
) -> Result<(PathBuf, Option<PathBuf>), socket_path::SocketPathTooLong> {
    if let Some(given) = given {
        return Ok((given.to_path_buf(), None));
    }
    let usual = socket(workspace)?;
    let runtime_dir = machine::variable("XDG_RUNTIME_DIR");
    let around = SocketEnvironment { runtime_dir: runtime_dir.as_deref(), uid: uid() };
    let units = systemd_unit::socket(&around, workspace.root()).filter(|_| !cfg!(windows));
    Ok((usual, units))
}

#[cfg(unix)]
fn uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn uid() -> u32 {
    0
}

/// Connects to the daemon of a workspace and says hello. Starts a daemon if none listens and `start` allows it.
///
/// Several clients may do so at the same time. Each may start a program, but only one of these gets the workspace. The
/// others exit, and all clients connect to the one that serves.
///
/// # Errors
/// See [`ReachError`].
pub fn reach(
    workspace: &Workspace,
    caller: &ClientOptions<'_>,
    start: &SpawnPolicy,
) -> Result<Connection, ReachError> {
    let (socket, units) = sockets(workspace, caller.socket)?;
    let hello = Hello {
        protocol: limits::PROTOCOLS.to_vec(),
        client: caller.client.to_owned(),
        session: Some(caller.session.to_owned()),
        on_stale: caller.on_stale,
        capabilities: Vec::new(),
    };
    let attempt = || {
        let reached = match (attempt(workspace, &socket, &hello)?, &units) {
            (ConnectAttempt::Nobody, Some(units)) => attempt(workspace, units, &hello)?,
            (reached, _) => reached,
        };
        let elsewhere = matches!(reached, ConnectAttempt::Nobody) && caller.socket.is_none();
        Ok(if elsewhere { told_by(workspace, &hello) } else { reached })
    };
    let mut wait = ConnectWait::begin(START_PATIENCE, caller.tell);
    let reached = until_decided(attempt, &mut wait)?;
    match (reached, start) {
        (ConnectAttempt::Reached(connection), _) => Ok(*connection),
        (ConnectAttempt::Busy(error) | ConnectAttempt::Starting(error), _) => {
            Err(ReachError::Hello(CallError::Refused(error)))
        }
        (_, SpawnPolicy::Never) => Err(ReachError::NoDaemon(workspace.root().to_path_buf())),
        (_, SpawnPolicy::Program(program)) => {
            let state_home = spawn::state_home();
            let start = DaemonStart {
                program,
                workspace: workspace.root(),
                state_home: state_home.as_deref(),
                socket: caller.socket,
            };
            let mut connection = start.until_served(attempt, &socket, &mut wait)?;
            tell_of_nearby(&mut connection, caller.tell);
            Ok(connection)
        }
    }
}

/// Reports other served workspaces above or below this one, after a daemon was started.
fn tell_of_nearby(connection: &mut Connection, tell: fn(&str)) {
    // If this request fails, the next one reports the error.
    let Ok(state) = connection.status() else { return };
    for other in state.nearby {
        tell(&format!("another editd serves {other}, above or below this workspace; see `editctl status`"));
    }
}

struct DaemonStart<'a> {
    program: &'a Path,
    workspace: &'a Path,
    state_home: Option<&'a Path>,
    socket: Option<&'a Path>,
}

impl DaemonStart<'_> {
    fn until_served<C>(
        &self,
        mut attempt: impl FnMut() -> Result<ConnectAttempt<C>, ReachError>,
        socket: &Path,
        wait: &mut ConnectWait,
    ) -> Result<C, ReachError> {
        let mut last = StoppingDaemon::at(socket, wait.tell);
        let mut running: Option<SpawnedDaemon> = None;
        let (mut failures, mut pause) = (0, PAUSES.0);
        loop {
            if last.is_held()? {
                // The next daemon starts only after the previous one has stopped.
                wait.extend();
            } else if running.is_none() {
                running = Some(self.start()?);
            }
            // Checked before the attempt: if the program exited since another daemon serves, the attempt will reach
            // that one.
            let left = running.as_mut().and_then(SpawnedDaemon::left);
            let reached = attempt()?;
            if let ConnectAttempt::Reached(connection) = reached {
                return Ok(*connection);
            }
            wait.note(&reached);
            if let Some(status) = left {
                failures += u32::from(status.code() != Some(i32::from(socket_path::OCCUPIED)));
                if failures >= STARTS {
                    let last_words = running.as_ref().and_then(SpawnedDaemon::last_words);
                    return Err(ReachError::Left { program: self.program.into(), status, last_words });
                }
                running = None;
            }
            if wait.is_over() {
                if let ConnectAttempt::Busy(error) | ConnectAttempt::Starting(error) = reached {
                    return Err(ReachError::Hello(CallError::Refused(error)));
                }
                let last_words = running.as_ref().and_then(SpawnedDaemon::last_words);
                return Err(ReachError::TooLate { socket: socket.to_path_buf(), last_words });
            }
            machine::pause(pause);
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    fn start(&self) -> Result<SpawnedDaemon, ReachError> {
        let mut words: Vec<&OsStr> = vec!["--workspace".as_ref(), self.workspace.as_os_str()];
        let idle = IDLE_EXIT.to_string();
        words.extend(["--idle-exit-default".as_ref(), OsStr::new(&idle)]);
        if let Some(socket) = self.socket {
            words.extend(["--socket".as_ref(), socket.as_os_str()]);
        }
        spawn::detached(self.program, &words, self.workspace, self.state_home).map_err(|error| match error {
            SpawnError::ForeignLog(log) => ReachError::ForeignLog(log),
            SpawnError::System(source) => ReachError::CannotStart { program: self.program.into(), source },
        })
    }
}
