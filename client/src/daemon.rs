//! Reaching the daemon of a workspace: where its socket is, connecting, and starting one where none
//! listens. It never stops one, and never removes a socket.

mod leaving;
mod spawn;
#[cfg(all(test, unix))]
mod tests;

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use editd_proto::message::{Hello, OnStale};
use editd_proto::socket_path::{self, SocketEnvironment};
use editd_proto::systemd_unit;
use editd_proto::{Code, limits};

use crate::connection::{CallError, Connection};
use crate::machine;
use crate::workspace::Workspace;
pub use leaving::{LEAVE_PATIENCE, Leaving};
use spawn::Spawned;

/// How long a daemon may take until it listens: recovery after a power cut included.
pub const START_PATIENCE: Duration = Duration::from_secs(10);

/// Seconds without connection or job after which a daemon that was started here leaves.
pub const IDLE_EXIT: u32 = 1800;

/// Failed starts after which it is clear that another try fails too.
const STARTS: u32 = 3;

/// Bytes of the address that a daemon wrote into its workspace: more than a socket's path has.
const ADDRESS: usize = 4096;

/// First and longest pause between two tries to connect.
const PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));

/// What to do where no daemon listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// Say so.
    Never,
    /// Start this program.
    Program(PathBuf),
}

/// Who asks, and where.
#[derive(Clone, Debug)]
pub struct Caller<'a> {
    /// The program's name, for the journal.
    pub client: &'a str,
    /// Whose receipts, clipboards and undo.
    pub session: &'a str,
    /// The default of this session's jobs for stale files; the daemon's setting if absent.
    pub on_stale: Option<OnStale>,
    /// The socket, where it is not the workspace's usual one.
    pub socket: Option<&'a Path>,
    /// Told, in a sentence, of what takes long: that the last daemon has to finish first.
    pub tell: fn(&str),
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// None runs, and none was to be started.
    #[error("no daemon serves {}; a command without --no-spawn starts one", .0.display())]
    NoDaemon(PathBuf),
    /// The program could not be started.
    #[error("{} cannot be started: {source}; install editd beside editctl or in PATH, or name it in EDITD_BIN", program.display())]
    CannotStart {
        /// Which.
        program: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It was started and left again.
    #[error("{} left without serving ({status}){}", program.display(), said(last_words))]
    Left {
        /// Which.
        program: PathBuf,
        /// Its status.
        status: ExitStatus,
        /// The end of its log, where there is one.
        last_words: Option<String>,
    },
    /// Nothing listened in time.
    #[error("no daemon listened at {} within {} s; it may still be starting{}", socket.display(), START_PATIENCE.as_secs(), said(last_words))]
    TooLate {
        /// Where.
        socket: PathBuf,
        /// The end of the log of the one that was started, where there is one.
        last_words: Option<String>,
    },
    /// The last daemon is not done.
    #[error(
        "the last editd (process {process}) is leaving and has jobs to finish, for more than {} minutes now; look what \
         they wait for, or end it", LEAVE_PATIENCE.as_secs() / 60
    )]
    Leaving {
        /// Which.
        process: u32,
    },
    /// The place of the socket cannot be used.
    #[error(transparent)]
    Place(#[from] socket_path::SocketPathTooLong),
    /// Somebody listens, and does not talk to us.
    #[error("{0}")]
    Hello(CallError),
}

fn said(last_words: &Option<String>) -> String {
    last_words.as_ref().map(|words| format!(": {words}")).unwrap_or_default()
}

/// The program to start: `EDITD_BIN`, else `editd` beside the running program, else `editd` in `PATH`.
pub fn program() -> PathBuf {
    if let Some(named) = machine::variable("EDITD_BIN") {
        let named = PathBuf::from(named);
        // A path is meant from where the caller stands; a bare name is looked up in PATH.
        let is_path = named.components().nth(1).is_some();
        return if is_path { machine::canonical(&named).unwrap_or(named) } else { named };
    }
    let name = format!("editd{}", std::env::consts::EXE_SUFFIX);
    let beside = machine::own_program().map(|own| own.with_file_name(&name));
    beside.filter(|path| machine::is_file(path)).unwrap_or_else(|| PathBuf::from(name))
}

/// The usual socket (on Windows: pipe) of a workspace.
///
/// # Errors
/// The path is longer than the system takes.
pub fn socket(workspace: &Workspace) -> Result<PathBuf, socket_path::SocketPathTooLong> {
    if cfg!(windows) {
        return Ok(PathBuf::from(socket_path::pipe(workspace.root())));
    }
    let runtime_dir = machine::variable("XDG_RUNTIME_DIR");
    let around = SocketEnvironment { runtime_dir: runtime_dir.as_deref(), uid: uid() };
    socket_path::socket(&around, workspace.root())
}

/// Where to look for a daemon, in this order: what the caller names, else the workspace's usual socket and
/// that of its systemd unit. A daemon that is started listens at the first.
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

/// Connects to the daemon of a workspace and says hello; starts one where none listens, if it may.
///
/// Several callers may do so at once: each may start a program, one of them gets the workspace, the
/// others leave, and all callers connect to that one.
///
/// # Errors
/// See [`ReachError`].
pub fn reach(workspace: &Workspace, caller: &Caller<'_>, start: &Start) -> Result<Connection, ReachError> {
    let (socket, units) = sockets(workspace, caller.socket)?;
    let hello = Hello {
        protocol: limits::PROTOCOLS.to_vec(),
        client: caller.client.to_owned(),
        session: Some(caller.session.to_owned()),
        on_stale: caller.on_stale,
        capabilities: Vec::new(),
    };
    let attempt = || {
        let reached = match (attempt(&socket, &hello)?, &units) {
            (Attempt::Nobody, Some(units)) => attempt(units, &hello)?,
            (reached, _) => reached,
        };
        let elsewhere = matches!(reached, Attempt::Nobody) && caller.socket.is_none();
        Ok(if elsewhere { told_by(workspace, &hello) } else { reached })
    };
    let end = machine::tick() + START_PATIENCE;
    let (mut reached, mut pause) = (attempt()?, PAUSES.0);
    // Until its socket is gone, or another listens there, which a service manager may start.
    while matches!(reached, Attempt::Leaving) && machine::tick() < end {
        machine::pause(pause);
        pause = (pause * 2).min(PAUSES.1);
        reached = attempt()?;
    }
    match (reached, start) {
        (Attempt::Reached(connection), _) => Ok(*connection),
        (_, Start::Never) => Err(ReachError::NoDaemon(workspace.root().to_path_buf())),
        (_, Start::Program(program)) => {
            let state_home = spawn::state_home();
            let start = Starting {
                program,
                workspace: workspace.root(),
                state_home: state_home.as_deref(),
                socket: caller.socket,
                tell: caller.tell,
                end,
            };
            let mut connection = start.until_served(attempt, &socket)?;
            tell_of_nearby(&mut connection, caller.tell);
            Ok(connection)
        }
    }
}

/// Tells, of a daemon that was just started, which other workspaces above or below are served.
fn tell_of_nearby(connection: &mut Connection, tell: fn(&str)) {
    // Where it cannot be asked, the request that follows says why.
    let Ok(state) = connection.status() else { return };
    for other in state.nearby {
        tell(&format!("another editd serves {other}, above or below this workspace; see `editctl status`"));
    }
}

/// What came of trying to connect.
enum Attempt<C> {
    /// A daemon serves.
    Reached(Box<C>),
    /// One leaves, and its socket is about to go.
    Leaving,
    /// None listens.
    Nobody,
}

fn attempt(socket: &Path, hello: &Hello) -> Result<Attempt<Connection>, ReachError> {
    match Connection::open(socket, hello) {
        Ok(connection) => Ok(Attempt::Reached(Box::new(connection))),
        // It was leaving just when we came.
        Err(CallError::Closed) => Ok(Attempt::Leaving),
        Err(CallError::Refused(error)) if error.code == Code::Stopping => Ok(Attempt::Leaving),
        Err(CallError::Io(error)) if nobody(error.kind()) => Ok(Attempt::Nobody),
        Err(other) => Err(ReachError::Hello(other)),
    }
}

/// The daemon whose address stands in the workspace's own lock: it was started with another `XDG_RUNTIME_DIR` or socket.
/// The workspace may have come from anywhere, so only a daemon that says that it serves this very folder counts.
fn told_by(workspace: &Workspace, hello: &Hello) -> Attempt<Connection> {
    let Some(socket) = machine::first_line(&workspace.root().join(".editd/lock"), ADDRESS) else {
        return Attempt::Nobody;
    };
    match attempt(Path::new(&socket), hello) {
        Ok(Attempt::Reached(connection)) => {
            let serves = connection.welcome().map(|welcome| welcome.workspace.as_str());
            let this = serves.is_some() && serves == workspace.root().to_str();
            if this { Attempt::Reached(connection) } else { Attempt::Nobody }
        }
        Ok(other) => other,
        // A wrong address is as good as none.
        Err(_) => Attempt::Nobody,
    }
}

/// Whether an error of connecting means that nobody listens, or not just now.
fn nobody(kind: ErrorKind) -> bool {
    use ErrorKind::{ConnectionRefused, ConnectionReset, NotConnected, NotFound, WouldBlock};
    matches!(kind, NotFound | ConnectionRefused | ConnectionReset | NotConnected | WouldBlock)
}

struct Starting<'a> {
    program: &'a Path,
    workspace: &'a Path,
    state_home: Option<&'a Path>,
    socket: Option<&'a Path>,
    tell: fn(&str),
    end: Instant,
}

impl Starting<'_> {
    fn until_served<C>(
        &self,
        mut attempt: impl FnMut() -> Result<Attempt<C>, ReachError>,
        socket: &Path,
    ) -> Result<C, ReachError> {
        let mut last = Leaving::at(socket, self.tell);
        let mut running: Option<Spawned> = None;
        let (mut failures, mut pause, mut end) = (0, PAUSES.0, self.end);
        loop {
            if last.is_held()? {
                // Only when it is done, the next one can begin.
                end = end.max(machine::tick() + START_PATIENCE);
            } else if running.is_none() {
                running = Some(self.start()?);
            }
            // Looked at before the attempt: who left because another serves leaves us somebody to talk to.
            let left = running.as_mut().and_then(Spawned::left);
            if let Attempt::Reached(connection) = attempt()? {
                return Ok(*connection);
            }
            if let Some(status) = left {
                failures += u32::from(status.code() != Some(i32::from(socket_path::OCCUPIED)));
                if failures >= STARTS {
                    let last_words = running.as_ref().and_then(Spawned::last_words);
                    return Err(ReachError::Left { program: self.program.into(), status, last_words });
                }
                running = None;
            }
            if machine::tick() >= end {
                let last_words = running.as_ref().and_then(Spawned::last_words);
                return Err(ReachError::TooLate { socket: socket.to_path_buf(), last_words });
            }
            machine::pause(pause);
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    fn start(&self) -> Result<Spawned, ReachError> {
        let mut words: Vec<&OsStr> = vec!["--workspace".as_ref(), self.workspace.as_os_str()];
        let idle = IDLE_EXIT.to_string();
        words.extend(["--idle-exit-default".as_ref(), OsStr::new(&idle)]);
        if let Some(socket) = self.socket {
            words.extend(["--socket".as_ref(), socket.as_os_str()]);
        }
        spawn::detached(self.program, &words, self.workspace, self.state_home)
            .map_err(|source| ReachError::CannotStart { program: self.program.into(), source })
    }
}
