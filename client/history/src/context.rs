//! The workspace, the session and the options of a command, and its requests to the daemon.

use std::io::Write;
use std::path::{Path, PathBuf};

use editctl::daemon::{ClientOptions, SpawnPolicy, program, reach};
use editctl::failure::Failure;
use editctl::retry::Caller;
use editctl::session::{SessionOrigin, derive, from_environment};
use editctl::show::{OutputStyle, letters};
use editctl::{Connection, Workspace, machine};
use editd_proto::FilePath;

use crate::GlobalFlags;

/// The name of this program in the journal.
const CLIENT: &str = "editctl-history";

/// Prints a message to standard error.
pub(crate) fn tell(words: &str) {
    // If this fails, the message cannot be reported anywhere.
    let _ = writeln!(std::io::stderr(), "editctl: {}", letters::one_line(words));
}

/// Everything that a command needs.
pub(crate) struct ReviewContext<'a> {
    /// The workspace.
    pub(crate) workspace: Workspace,
    /// The options of the output.
    pub(crate) style: &'a OutputStyle,
    /// The value of `--session`, if it was given.
    pub(crate) chosen_session: Option<String>,
    /// The session of this command.
    pub(crate) session: String,
    /// Set if no other command has the session of this one.
    pub(crate) alone: bool,
    current: PathBuf,
    socket: Option<PathBuf>,
    start: SpawnPolicy,
}

impl<'a> ReviewContext<'a> {
    /// Finds the workspace and chooses the session.
    ///
    /// # Errors
    /// The workspace cannot be used, or the session is not UTF-8.
    pub(crate) fn open(flags: GlobalFlags, style: &'a OutputStyle) -> Result<Self, Failure> {
        let current =
            machine::current_folder().map_err(|error| Failure::File("the current folder".into(), error))?;
        let workspace = Workspace::choose(flags.workspace.as_deref(), &current).map_err(Failure::Usage)?;
        let (session, alone) = session(flags.session.as_ref())?;
        let start = if flags.no_spawn { SpawnPolicy::Never } else { SpawnPolicy::Program(program()) };
        Ok(Self {
            workspace,
            style,
            chosen_session: flags.session,
            session,
            alone,
            current,
            socket: flags.socket,
            start,
        })
    }

    /// Returns a path of the user as the journal names it: with links within the workspace resolved.
    pub(crate) fn name(&self, path: &Path) -> FilePath {
        let full = self.current.join(path);
        let resolved = full.ancestors().find_map(|there| {
            let rest = full.strip_prefix(there).ok()?;
            let resolved = machine::canonical(there).ok()?;
            Some(if rest.as_os_str().is_empty() { resolved } else { resolved.join(rest) })
        });
        let inside = resolved.filter(|resolved| resolved.starts_with(self.workspace.root()));
        self.workspace.name(&self.current, inside.as_deref().unwrap_or(path))
    }

    /// Returns the sender of requests.
    pub(crate) fn caller(&self) -> Caller<'_, Failure> {
        Caller::new(|| self.connect(), tell)
    }

    fn connect(&self) -> Result<Connection, Failure> {
        let socket = self.socket.as_deref();
        let options = ClientOptions { client: CLIENT, session: &self.session, on_stale: None, socket, tell };
        Ok(reach(&self.workspace, &options, &self.start)?)
    }
}

/// Returns the session of this command, and true if no other command has it.
fn session(flag: Option<&String>) -> Result<(String, bool), Failure> {
    if let Some(name) = flag {
        return Ok((name.clone(), false));
    }
    if let Some(name) = from_environment().map_err(Failure::Usage)? {
        return Ok((name, false));
    }
    let derived = derive();
    Ok((derived.name, derived.origin == SessionOrigin::Command))
}
