//! Sends the requests of a call to the daemon. A call is denied only if one of its files changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use editctl::daemon::{ClientOptions, ReachError, SpawnPolicy, program, reach};
use editctl::retry::Caller;
use editctl::{CallError, Connection, Workspace, machine};
use editd_proto::message::{NotePhase, NoteRequest, ReadRequest};
use editd_proto::{ErrorCode, FilePath, RequestError};

use crate::call::{HookMoment, ToolCall, ToolEffect};
use crate::limits::{FILES, PASSAGES};
use crate::runtime::project_variable;
use crate::search::ShownPassage;
use crate::{HookOptions, tell};

/// The decision about a call.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum HookDecision {
    /// The call may be made, or was made.
    Allow,
    /// A file changed since the agent read it.
    Deny(Box<RequestError>),
}

/// The reason for which a hook did nothing, for people.
#[derive(Debug)]
pub(crate) struct HookFailure(pub(crate) String);

impl From<CallError> for HookFailure {
    fn from(error: CallError) -> Self {
        Self(error.to_string())
    }
}

impl From<ReachError> for HookFailure {
    fn from(error: ReachError) -> Self {
        Self(error.to_string())
    }
}

/// Sends the requests of a call.
///
/// # Errors
/// The daemon cannot be reached, or refuses a request.
pub(crate) fn act(options: &HookOptions, call: &ToolCall) -> Result<HookDecision, HookFailure> {
    let concerns = match (&call.effect, call.moment) {
        (ToolEffect::Nothing, _) | (ToolEffect::Shows(_), HookMoment::Before | HookMoment::Failed) => false,
        (ToolEffect::Shows(shown), HookMoment::After) => !shown.is_empty(),
        (ToolEffect::Changes(_) | ToolEffect::ChangesAnything, _) => true,
    };
    if !concerns {
        return Ok(HookDecision::Allow);
    }
    let Some(place) = CallPlace::find(options, call)? else { return Ok(HookDecision::Allow) };
    if let Some(files) = call.unchecked.filter(|_| call.moment == HookMoment::Before) {
        tell(&format!("the call changes {files} files, which are not checked: more than {FILES} never are"));
    }
    let session = options.session.as_deref().unwrap_or(&call.session);
    let connect = || place.connect(options, session);
    let caller: Caller<'_, HookFailure> = Caller::new(connect, tell);
    match (&call.effect, call.moment) {
        (ToolEffect::Shows(shown), _) => {
            let named: Vec<(FilePath, &ShownPassage)> =
                shown.iter().filter_map(|one| Some((place.name(&one.path)?, one))).collect();
            let (recorded, left) = named.split_at(named.len().min(PASSAGES));
            if !recorded.is_empty() {
                record(&mut connect()?, recorded)?;
            }
            if !left.is_empty() {
                tell(&unrecorded(recorded, left));
            }
            Ok(HookDecision::Allow)
        }
        (ToolEffect::Changes(paths), moment) => {
            let paths: Vec<FilePath> = paths.iter().filter_map(|path| place.name(path)).collect();
            if paths.is_empty() {
                return Ok(HookDecision::Allow);
            }
            note(&caller, call, moment, paths)
        }
        (ToolEffect::ChangesAnything, moment) => note(&caller, call, moment, Vec::new()),
        (ToolEffect::Nothing, _) => Ok(HookDecision::Allow),
    }
}

/// Records passages as read. One that the daemon refuses is left out: a file may be gone, or no text.
fn record(connection: &mut Connection, shown: &[(FilePath, &ShownPassage)]) -> Result<(), HookFailure> {
    for (path, passage) in shown {
        let mut read = |lines| {
            let path = path.clone();
            connection.read(&ReadRequest { path, lines: Some(lines), symbol: None, body: false, seen: None })
        };
        let mut reply = read(passage.lines);
        if let (Err(CallError::Refused(error)), Some(line)) = (&reply, passage.else_line)
            && error.code == ErrorCode::OutOfRange
        {
            reply = read((line, line));
        }
        match reply {
            Ok(_) => {}
            Err(CallError::Refused(error)) if error.code != ErrorCode::Stopping => tell(&error.message),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Returns the message about passages that are not recorded.
fn unrecorded(recorded: &[(FilePath, &ShownPassage)], left: &[(FilePath, &ShownPassage)]) -> String {
    let known: BTreeSet<&[u8]> = recorded.iter().map(|(path, _)| path.as_bytes()).collect();
    let unknown = left.iter().map(|(path, _)| path.as_bytes()).filter(|path| !known.contains(path));
    let files = unknown.collect::<BTreeSet<_>>().len();
    let count = left.len();
    let message = format!("{count} passages of the search are not recorded as read: at most {PASSAGES} are");
    match files {
        0 => format!("{message}; one of each file is recorded"),
        _ => format!("{message}; of {files} files none is, so read these before you edit them"),
    }
}

fn note(
    caller: &Caller<'_, HookFailure>,
    call: &ToolCall,
    moment: HookMoment,
    paths: Vec<FilePath>,
) -> Result<HookDecision, HookFailure> {
    let begins = moment == HookMoment::Before;
    let request = NoteRequest {
        phase: if begins { NotePhase::Begin } else { NotePhase::End },
        check: begins && !paths.is_empty(),
        paths,
        session: None,
        label: begins.then(|| call.label.clone()),
        call: Some(call.name.clone()),
    };
    // A repeated `begin` announces the same, and a repeated `end` only returns less. A repeated check would find the change
    // read, and pass.
    let noted = caller.ask(!request.check, |it| match it.note(&request) {
        Err(CallError::Refused(error)) if error.code == ErrorCode::Stale => Ok(Some(error)),
        other => other.map(|_| None),
    })?;
    Ok(noted.map_or(HookDecision::Allow, HookDecision::Deny))
}

/// The workspace of a call, and the folder from which its paths begin.
struct CallPlace {
    workspace: Workspace,
    folder: PathBuf,
}

impl CallPlace {
    /// Finds the workspace: that of the project, else that of the folder in which the call is made. `None` if it would be
    /// the home folder or the whole file system, which no agent may track as a whole.
    fn find(options: &HookOptions, call: &ToolCall) -> Result<Option<Self>, HookFailure> {
        let current = machine::current_folder()
            .map_err(|error| HookFailure(format!("the current folder cannot be used: {error}")))?;
        let variable = project_variable(options.runtime).and_then(machine::variable).map(PathBuf::from);
        let named = call.roots.iter().chain(&call.folder).map(PathBuf::from);
        let mut places = variable.into_iter().chain(named);
        let usable = |path: &PathBuf| path.is_absolute() && machine::is_folder(path);
        let project = places.find(usable).unwrap_or_else(|| current.clone());
        let found = match &options.workspace {
            Some(folder) => Workspace::at(folder),
            None => Workspace::find(&project),
        };
        let named = options.workspace.as_deref().unwrap_or(&project);
        let workspace =
            found.map_err(|error| HookFailure(format!("the workspace {}: {error}", named.display())))?;
        let home = machine::variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let home = home.and_then(|home| machine::canonical(Path::new(&home)).ok());
        let root = workspace.root();
        if options.workspace.is_none() && (home.as_deref() == Some(root) || root.parent().is_none()) {
            return Ok(None);
        }
        let folder = call.folder.as_ref().map(PathBuf::from).filter(usable).unwrap_or(project);
        Ok(Some(Self { workspace, folder }))
    }

    /// Returns a path of the call as a path in the workspace; `None` if it leads out of it.
    fn name(&self, path: &str) -> Option<FilePath> {
        // Through links, a folder may have several names.
        let folder = machine::canonical(&self.folder).unwrap_or_else(|_| self.folder.clone());
        let full =
            if folder.starts_with(self.workspace.root()) { PathBuf::from(path) } else { folder.join(path) };
        let name = self.workspace.name(&folder, &full);
        let is_outside = Path::new(&name.display().to_string()).is_absolute()
            || name.as_bytes().starts_with(b"../")
            || name.as_bytes().is_empty();
        (!is_outside).then_some(name)
    }

    fn connect(&self, options: &HookOptions, session: &str) -> Result<Connection, HookFailure> {
        let client = ClientOptions {
            client: options.runtime.name(),
            session,
            on_stale: None,
            socket: options.socket.as_deref(),
            tell,
        };
        let start = if options.no_spawn { SpawnPolicy::Never } else { SpawnPolicy::Program(program()) };
        Ok(reach(&self.workspace, &client, &start)?)
    }
}
