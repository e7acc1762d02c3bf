//! The workspace and the session of the server, and its requests to the daemon.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use editctl::daemon::{ClientOptions, SpawnPolicy, program, reach};
use editctl::retry::Caller;
use editctl::{CallError, Connection, Workspace, machine};
use editd_proto::message::{OnStale, Receipt};
use editd_proto::{ErrorCode, FilePath, RequestError};

/// The variable with which a program names its session.
const SESSION: &str = "EDITCTL_SESSION";

/// The way to repeat a request that may have been carried out.
const AGAIN: &str = "read the files before you send it again";

/// Prints a message to standard error, which runtimes log.
pub(crate) fn tell(words: &str) {
    // If this fails, the message cannot be reported anywhere.
    let _ = writeln!(std::io::stderr(), "editctl mcp: {words}");
}

/// The error of a call, in the form of a refusal.
pub(crate) struct CallRefusal(pub(crate) Box<RequestError>);

impl CallRefusal {
    /// Refuses invalid arguments.
    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self(Box::new(RequestError::new(ErrorCode::Malformed, message)))
    }
}

impl From<CallError> for CallRefusal {
    fn from(error: CallError) -> Self {
        Self(Box::new(error.refusal(AGAIN)))
    }
}

/// Returns a name that no other process has.
fn own_session() -> String {
    let id = ulid::Ulid::generate().to_string().to_ascii_lowercase();
    // The last characters are the random ones: 50 bits.
    format!("mcp-{}", id.get(id.len() - 10..).unwrap_or(&id))
}

/// Everything that a call needs.
pub(crate) struct CallContext {
    workspace: Workspace,
    current: PathBuf,
    session: String,
    socket: Option<PathBuf>,
    start: SpawnPolicy,
    /// The name of the runtime, once it is known.
    client: OnceLock<String>,
}

impl CallContext {
    /// Finds the workspace and chooses the session.
    ///
    /// # Errors
    /// A message for people: the workspace cannot be used.
    pub(crate) fn open(
        workspace: Option<&Path>,
        session: Option<String>,
        socket: Option<PathBuf>,
    ) -> Result<Self, String> {
        let current = machine::current_folder().map_err(|error| format!("the current folder: {error}"))?;
        let found = match workspace {
            Some(folder) => Workspace::at(folder),
            None => Workspace::find(&current),
        };
        let named = workspace.unwrap_or(&current);
        let workspace = found.map_err(|error| format!("the workspace {}: {error}", named.display()))?;
        let named = machine::variable(SESSION).and_then(|name| name.into_string().ok());
        let session = session.or(named).unwrap_or_else(own_session);
        let start = SpawnPolicy::Program(program());
        Ok(Self { workspace, current, session, socket, start, client: OnceLock::new() })
    }

    /// Notes the name of the runtime for the journal. The first name stays.
    pub(crate) fn set_client(&self, name: &str) {
        let _ = self.client.set(name.chars().filter(|letter| !letter.is_control()).take(64).collect());
    }

    /// Returns a path of a call as a path in the workspace.
    pub(crate) fn name(&self, path: &str) -> FilePath {
        self.workspace.name(&self.current, Path::new(path))
    }

    fn connect(&self) -> Result<Connection, CallRefusal> {
        let options = ClientOptions {
            client: self.client.get().map_or("mcp", String::as_str),
            session: &self.session,
            on_stale: Some(OnStale::Rebase),
            socket: self.socket.as_deref(),
            tell,
        };
        reach(&self.workspace, &options, &self.start).map_err(|error| CallRefusal(Box::new(error.refusal())))
    }

    /// Sends a request that changes nothing, or has a key.
    pub(crate) fn ask<R>(
        &self,
        request: impl Fn(&mut Connection) -> Result<R, CallError>,
    ) -> Result<R, CallRefusal> {
        Caller::new(|| self.connect(), tell).ask(true, request)
    }

    /// Sends a job that has a key.
    pub(crate) fn ask_job(
        &self,
        request: impl Fn(&mut Connection) -> Result<Receipt, CallError>,
    ) -> Result<Receipt, CallRefusal> {
        Caller::new(|| self.connect(), tell).ask_job(true, request)
    }

    /// Returns a new key, under which a job may be sent again.
    pub(crate) fn key() -> String {
        ulid::Ulid::generate().to_string()
    }
}
