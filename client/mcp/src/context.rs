//! The session of the server, and its requests to the daemon of a workspace.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use editctl::daemon::{ClientOptions, SpawnPolicy, program, reach};
use editctl::retry::Caller;
use editctl::{CallError, Connection, Workspace, machine, session};
use editd_proto::ids::JobId;
use editd_proto::message::{
    CheckOutcome, CheckStatus, ChecksRequest, JobRequest, JobStatus, OnStale, Receipt, UndoRequest,
};
use editd_proto::{ErrorCode, FilePath, RequestError};

use crate::checked::CheckedJobs;
use crate::named::NamedFiles;
use crate::refused::RefusedEdits;
use crate::roots::WorkspaceRoots;

/// The way to find out whether a request was carried out.
const ADVICE: &str = "history lists the jobs that were done; read the files before you send it again";

/// The most jobs of which the workspace is remembered.
const PLACED_JOBS: usize = 1000;

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
        Self(Box::new(error.refusal(ADVICE)))
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
    /// The workspaces.
    pub(crate) roots: WorkspaceRoots,
    current: PathBuf,
    session: String,
    socket: Option<PathBuf>,
    start: SpawnPolicy,
    /// The name of the runtime, once it is known.
    client: OnceLock<String>,
    /// The last edits and undos that stand, oldest first.
    jobs: Mutex<Vec<PlacedJob>>,
    /// The workspaces with checks that had not ended when their job was answered.
    awaited: Mutex<Vec<Workspace>>,
    /// The files that calls have named by relative paths.
    named: NamedFiles,
    /// The jobs that were only checked.
    pub(crate) checked: CheckedJobs,
    /// The edits that were refused.
    pub(crate) refused: RefusedEdits,
}

impl CallContext {
    /// Finds the workspace and chooses the session.
    ///
    /// # Errors
    /// A message for people: the workspace cannot be used.
    pub(crate) fn open(
        workspace: Option<&Path>,
        chosen: Option<String>,
        socket: Option<PathBuf>,
        no_spawn: bool,
    ) -> Result<Self, String> {
        let current = machine::current_folder().map_err(|error| format!("the current folder: {error}"))?;
        let found = Workspace::choose(workspace, &current)?;
        let roots = WorkspaceRoots::new(found, workspace.is_some());
        let session = chosen.or(session::from_environment()?).unwrap_or_else(own_session);
        let start = if no_spawn { SpawnPolicy::Never } else { SpawnPolicy::Program(program()) };
        let (client, jobs, awaited) = (OnceLock::new(), Mutex::default(), Mutex::default());
        let (named, checked, refused) =
            (NamedFiles::default(), CheckedJobs::default(), RefusedEdits::default());
        Ok(Self { roots, current, session, socket, start, client, jobs, awaited, named, checked, refused })
    }

    /// Notes the name of the runtime for the journal. The first name stays.
    pub(crate) fn set_client(&self, name: &str) {
        let _ = self.client.set(name.chars().filter(|letter| !letter.is_control()).take(64).collect());
    }

    /// Returns the session.
    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// Notes that checks still run in a workspace, or no longer.
    fn awaits_checks(&self, workspace: &Workspace, running: bool) {
        let mut awaited = self.awaited.lock().unwrap_or_else(PoisonError::into_inner);
        awaited.retain(|one| one != workspace);
        if running {
            awaited.push(workspace.clone());
        }
    }

    /// Returns the results of checks that have ended since the replies to their jobs. Asks a daemon only if a reply said that
    /// a check was running.
    pub(crate) fn late_checks(&self) -> Vec<CheckOutcome> {
        let awaited = self.awaited.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut late = Vec::new();
        for workspace in awaited {
            let target = CallTarget { context: self, workspace };
            let request = ChecksRequest { unseen: true, ..ChecksRequest::default() };
            // Without an answer the results are gone with the daemon; the call itself has succeeded.
            let Ok(reply) = target.ask(|it| it.checks(&request)) else { continue };
            let (running, ended): (Vec<_>, Vec<_>) = reply.checks.into_iter().partition(is_running);
            self.awaits_checks(&target.workspace, !running.is_empty());
            late.extend(ended);
        }
        late
    }

    /// Notes an edit, for a later `undo` without a path.
    fn edited(&self, target: &CallTarget<'_>, receipt: &Receipt) {
        if let (Some(job), JobStatus::Applied | JobStatus::Partial) = (receipt.job, receipt.status) {
            self.place(PlacedJob::new(target, job, false));
        }
    }

    fn lock_jobs(&self) -> MutexGuard<'_, Vec<PlacedJob>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, placed: PlacedJob) {
        let mut jobs = self.lock_jobs();
        if jobs.len() == PLACED_JOBS {
            jobs.remove(0);
        }
        jobs.push(placed);
    }

    /// Notes an undo of the last edit or of a job, of which parts may stand.
    fn undone(&self, target: &CallTarget<'_>, request: &UndoRequest, receipt: &Receipt) {
        let (Some(undo), JobStatus::Applied) = (receipt.job, receipt.status) else { return };
        let mut jobs = self.lock_jobs();
        let meant = request.jobs.first();
        let at = jobs
            .iter()
            .rposition(|placed| placed.workspace == target.workspace && placed.is_meant(meant.copied()));
        let was_undo = at.and_then(|at| jobs.get(at)).is_some_and(|placed| placed.is_undo);
        let whole = request.paths.is_empty() && request.hunks.is_empty();
        if let Some(placed) = at.filter(|_| whole).and_then(|at| jobs.get_mut(at)) {
            placed.is_undone = true;
        }
        drop(jobs);
        // The undo of an undo makes an edit again.
        self.place(PlacedJob::new(target, undo, !was_undo));
    }

    /// Returns the workspace of the last edit, or of a job, for an `undo` without a path.
    ///
    /// # Errors
    /// Jobs of several workspaces have this number.
    pub(crate) fn workspace_of_job(&self, job: Option<JobId>) -> Result<CallTarget<'_>, CallRefusal> {
        let jobs = self.lock_jobs();
        let mut meant =
            jobs.iter().rev().filter(|placed| placed.is_meant(job)).map(|placed| &placed.workspace);
        let workspace = meant.next().cloned();
        if let (Some(job), Some(one)) = (job, &workspace)
            && let Some(other) = meant.find(|place| *place != one)
        {
            let (one, other) = (one.root().display(), other.root().display());
            return Err(CallRefusal::malformed(format!(
                "{one} and {other} both have a job {job}: name one of its files, by its absolute path"
            )));
        }
        drop(jobs);
        Ok(CallTarget { context: self, workspace: workspace.unwrap_or_else(|| self.roots.usual()) })
    }

    /// Returns a workspace for the requests of a call.
    pub(crate) fn target(&self, workspace: Workspace) -> CallTarget<'_> {
        CallTarget { context: self, workspace }
    }

    /// Returns all workspaces in which the session may have made changes, the usual one first: those with jobs of this
    /// process, and the other roots that a daemon serves.
    pub(crate) fn all_workspaces(&self) -> impl Iterator<Item = CallTarget<'_>> {
        let usual = self.roots.usual();
        let mut edited: Vec<Workspace> =
            self.lock_jobs().iter().map(|placed| placed.workspace.clone()).collect();
        let mut all = self.roots.all();
        all.retain(|one| {
            *one == usual || edited.contains(one) || self.target(one.clone()).connect_to_running().is_ok()
        });
        edited.retain(|one| !all.contains(one));
        edited.dedup();
        all.into_iter().chain(edited).map(|workspace| self.target(workspace))
    }

    /// Returns the workspace of a path for the requests of a call; the usual one without a path.
    pub(crate) fn workspace_of(&self, path: Option<&str>) -> CallTarget<'_> {
        let workspace = path.map_or_else(|| self.roots.usual(), |path| self.roots.of(path));
        CallTarget { context: self, workspace }
    }
}

/// A job of this session, and its workspace.
struct PlacedJob {
    workspace: Workspace,
    job: JobId,
    is_undo: bool,
    is_undone: bool,
}

impl PlacedJob {
    fn new(target: &CallTarget<'_>, job: JobId, is_undo: bool) -> Self {
        Self { workspace: target.workspace.clone(), job, is_undo, is_undone: false }
    }

    /// Returns true if an undo of a job, or of the last edit, may mean it.
    fn is_meant(&self, job: Option<JobId>) -> bool {
        job.map_or(!self.is_undo && !self.is_undone, |job| self.job == job)
    }
}

/// The folder at which a relative path of a call begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PathBase {
    /// The current folder of the server.
    Current,
    /// The root of the workspace.
    Root,
}

/// The workspace of a call.
pub(crate) struct CallTarget<'a> {
    context: &'a CallContext,
    workspace: Workspace,
}

impl CallTarget<'_> {
    /// Returns the folder at which a relative path begins: the current one; the root, as in replies, if there is a file only
    /// there.
    pub(crate) fn base_of(&self, path: &str) -> PathBase {
        let at_root = Path::new(path).is_relative()
            && !machine::is_there(&self.context.current.join(path))
            && machine::is_there(&self.workspace.root().join(path));
        if at_root { PathBase::Root } else { PathBase::Current }
    }

    /// The same for a file that is written as a whole: the root only if an earlier call has named the file there. Otherwise a
    /// new file in the current folder would overwrite another one.
    pub(crate) fn base_of_written(&self, path: &str) -> PathBase {
        let at_root = || self.workspace.name(self.workspace.root(), Path::new(path));
        match self.base_of(path) {
            PathBase::Root if self.context.named.has(&at_root()) => PathBase::Root,
            _ => PathBase::Current,
        }
    }

    /// Returns a path of the call as a path in the workspace.
    ///
    /// # Errors
    /// The path belongs to another workspace.
    pub(crate) fn name(&self, path: &str) -> Result<FilePath, CallRefusal> {
        self.name_in(self.base_of(path), path)
    }

    /// Returns a path of the call, which begins at this folder if it is relative, as a path in the workspace.
    ///
    /// # Errors
    /// The path belongs to another workspace.
    pub(crate) fn name_in(&self, base: PathBase, path: &str) -> Result<FilePath, CallRefusal> {
        let other = self.context.roots.of(path);
        if other != self.workspace {
            let (own, other) = (self.workspace.root().display(), other.root().display());
            return Err(CallRefusal::malformed(format!(
                "{path} belongs to the workspace {other}, the paths before it to {own}: a job is applied to one \
                 workspace; use a call for each"
            )));
        }
        let base = match base {
            PathBase::Current => &self.context.current,
            PathBase::Root => self.workspace.root(),
        };
        let name = self.workspace.file_name(base, Path::new(path));
        if Path::new(path).is_relative() {
            self.context.named.note(&name);
        }
        Ok(name)
    }

    fn connect(&self) -> Result<Connection, CallRefusal> {
        self.connect_with(&self.context.start)
    }

    /// Connects to the daemon, and starts none.
    fn connect_to_running(&self) -> Result<Connection, CallRefusal> {
        self.connect_with(&SpawnPolicy::Never)
    }

    fn connect_with(&self, start: &SpawnPolicy) -> Result<Connection, CallRefusal> {
        let options = ClientOptions {
            client: self.context.client.get().map_or("mcp", String::as_str),
            session: &self.context.session,
            on_stale: Some(OnStale::Rebase),
            // The other workspaces have their usual sockets.
            socket: self.context.socket.as_deref().filter(|_| self.workspace == self.context.roots.usual()),
            tell,
        };
        reach(&self.workspace, &options, start).map_err(|error| CallRefusal(Box::new(error.refusal())))
    }

    /// Sends a request that changes nothing, or has a key.
    pub(crate) fn ask<R>(
        &self,
        request: impl Fn(&mut Connection) -> Result<R, CallError>,
    ) -> Result<R, CallRefusal> {
        self.caller().ask(true, request)
    }

    /// Returns the sender of requests.
    pub(crate) fn caller(&self) -> Caller<'_, CallRefusal> {
        Caller::new(|| self.connect(), tell)
    }

    /// Returns the root if it is not the one of relative paths, for the reply to a job: paths are relative to it there.
    pub(crate) fn other_root(&self) -> Option<&Path> {
        (self.workspace != self.context.roots.usual()).then(|| self.workspace.root())
    }

    /// Returns the workspace.
    pub(crate) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Sends a job with edits that has a key.
    pub(crate) fn ask_job(
        &self,
        request: impl Fn(&mut Connection) -> Result<Receipt, CallError>,
    ) -> Result<Receipt, CallRefusal> {
        let receipt = self.ask_change(request)?;
        self.context.edited(self, &receipt);
        Ok(receipt)
    }

    /// Sends an edit that has a key. One that was refused for its syntax is applied when it is sent again.
    pub(crate) fn ask_edit(&self, job: &mut JobRequest) -> Result<Receipt, CallRefusal> {
        self.context.refused.syntax.accept_again(self.workspace.root(), job);
        let mut receipt = self.ask_job(|it| it.edit(job))?;
        self.context.refused.syntax.note(self.workspace.root(), job, &mut receipt);
        Ok(receipt)
    }

    /// Sends an undo of a job, or of the last edit, that has a key.
    pub(crate) fn ask_undo(&self, request: &UndoRequest) -> Result<Receipt, CallRefusal> {
        let receipt = self.ask_change(|it| it.undo(request))?;
        self.context.undone(self, request, &receipt);
        Ok(receipt)
    }

    fn ask_change(
        &self,
        request: impl Fn(&mut Connection) -> Result<Receipt, CallError>,
    ) -> Result<Receipt, CallRefusal> {
        let receipt = self.caller().ask_job(true, request)?;
        if receipt.checks.iter().any(is_running) {
            self.context.awaits_checks(&self.workspace, true);
        }
        Ok(receipt)
    }
}

fn is_running(check: &CheckOutcome) -> bool {
    check.status == CheckStatus::Running
}

/// Returns a new key, under which a job may be sent again.
pub(crate) fn new_key() -> String {
    ulid::Ulid::generate().to_string()
}
