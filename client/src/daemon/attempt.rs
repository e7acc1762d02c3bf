//! Attempts to connect to a daemon, and waits for one that is starting, stopping or busy. It starts none.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use editd_proto::message::Hello;
use editd_proto::{ErrorCode, RequestError};

use super::{ReachError, START_PATIENCE};
use crate::connection::{CallError, Connection};
use crate::machine;
use crate::workspace::Workspace;

/// Maximum size of the socket path that a daemon records in its workspace, in bytes. It is longer than any socket path.
const ADDRESS: usize = 4096;

/// The first and the longest pause between two attempts to connect.
pub(super) const PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));

/// The time after which the user is told about a wait.
pub(super) const TELL_AFTER: Duration = Duration::from_secs(1);

/// The pause before the user is told how far a start has come by then.
const TELL_AGAIN: Duration = Duration::from_secs(5);

/// The wait for a connection: its end, and what the user was told.
pub(super) struct ConnectWait {
    pub(super) tell: fn(&str),
    pub(super) tell_from: Instant,
    told: String,
    pub(super) end: Instant,
}

impl ConnectWait {
    /// Begins a wait that ends after this time.
    pub(super) fn begin(time: Duration, tell: fn(&str)) -> Self {
        let now = machine::tick();
        Self { tell, tell_from: now + TELL_AFTER, told: String::new(), end: now + time }
    }

    pub(super) fn is_over(&self) -> bool {
        machine::tick() >= self.end
    }

    /// Makes the wait end no sooner than [`START_PATIENCE`] from now.
    pub(super) fn extend(&mut self) {
        self.end = self.end.max(machine::tick() + START_PATIENCE);
    }

    /// Tells the user about a daemon that is starting or busy, and extends the wait for one that is starting.
    pub(super) fn note<C>(&mut self, reached: &ConnectAttempt<C>) {
        let words = match reached {
            ConnectAttempt::Busy(_) => "waiting for the daemon, which serves as many connections as it can",
            ConnectAttempt::Starting(error) => {
                self.extend();
                error.message.as_str()
            }
            _ => return,
        };
        let now = machine::tick();
        if now >= self.tell_from && words != self.told {
            (self.tell)(words);
            words.clone_into(&mut self.told);
            self.tell_from = now + TELL_AGAIN;
        }
    }
}

/// Tries to connect until a daemon accepts the connection or none listens. A stopping daemon is awaited until it
/// removes its socket, or until another daemon listens on it, which a service manager may start; a starting one until it
/// serves; a daemon with too many connections until one of them ends. Returns the last result at the end of the wait.
pub(super) fn until_decided<C>(
    attempt: impl Fn() -> Result<ConnectAttempt<C>, ReachError>,
    wait: &mut ConnectWait,
) -> Result<ConnectAttempt<C>, ReachError> {
    let (mut reached, mut pause) = (attempt()?, PAUSES.0);
    while !matches!(reached, ConnectAttempt::Reached(_) | ConnectAttempt::Nobody) && !wait.is_over() {
        wait.note(&reached);
        machine::pause(pause);
        pause = (pause * 2).min(PAUSES.1);
        reached = attempt()?;
    }
    Ok(reached)
}

/// The result of an attempt to connect.
pub(super) enum ConnectAttempt<C> {
    /// A daemon accepted the connection.
    Reached(Box<C>),
    /// A daemon is stopping and will remove its socket.
    Leaving,
    /// A daemon has as many connections as it serves at once; this is its error.
    Busy(Box<RequestError>),
    /// A daemon is starting; its error says how far that has come.
    Starting(Box<RequestError>),
    /// No daemon listens.
    Nobody,
}

/// Tries to connect to the daemon at a socket, which must serve exactly this workspace.
pub(super) fn attempt(
    workspace: &Workspace,
    socket: &Path,
    hello: &Hello,
) -> Result<ConnectAttempt<Connection>, ReachError> {
    match Connection::open(socket, hello) {
        Ok(connection) => match connection.welcome().map(|welcome| &welcome.workspace) {
            // The daemon sends its path as text, too.
            Some(serves) if *serves != workspace.root().to_string_lossy() => {
                Err(ReachError::OtherWorkspace {
                    socket: socket.to_path_buf(),
                    serves: serves.clone(),
                    workspace: workspace.root().to_path_buf(),
                })
            }
            _ => Ok(ConnectAttempt::Reached(Box::new(connection))),
        },
        // The daemon stopped while this client connected.
        Err(CallError::Closed) => Ok(ConnectAttempt::Leaving),
        Err(CallError::Refused(error)) if error.code == ErrorCode::Stopping => Ok(ConnectAttempt::Leaving),
        Err(CallError::Refused(error)) if error.code == ErrorCode::Busy => Ok(ConnectAttempt::Busy(error)),
        Err(CallError::Refused(error)) if error.code == ErrorCode::Starting => {
            Ok(ConnectAttempt::Starting(error))
        }
        Err(CallError::Io(error)) if nobody(error.kind()) => Ok(ConnectAttempt::Nobody),
        Err(other) => Err(ReachError::Hello(other)),
    }
}

/// Connects to the daemon whose socket is recorded in the lock file of the workspace. It was started with another
/// `XDG_RUNTIME_DIR` or socket. The workspace may come from anywhere, so an invalid address, or one of a daemon that serves
/// another folder, is treated like a missing one.
pub(super) fn told_by(workspace: &Workspace, hello: &Hello) -> ConnectAttempt<Connection> {
    let Some(socket) = machine::first_line(&workspace.root().join(".editd/lock"), ADDRESS) else {
        return ConnectAttempt::Nobody;
    };
    attempt(workspace, Path::new(&socket), hello).unwrap_or(ConnectAttempt::Nobody)
}

/// Returns true if the error means that nothing listens at the moment.
pub(super) fn nobody(kind: ErrorKind) -> bool {
    use ErrorKind::{ConnectionRefused, ConnectionReset, NotConnected, NotFound, WouldBlock};
    matches!(kind, NotFound | ConnectionRefused | ConnectionReset | NotConnected | WouldBlock)
}
