//! Every request that a workspace answers, as plain synchronous code which `queue` runs on its worker threads. It knows
//! no socket and starts no thread.
//!
//! *Calling sequence*: [`Workspace::open`], which recovers; then any call, from any thread. Calls that change files are
//! made only while `queue::lanes` holds the job's lanes, so that no two jobs touch a file at once.

mod attempts;
mod checks;
mod clip;
mod config;
mod confinement;
mod content;
mod detached;
mod edit;
mod export;
mod forget;
mod history;
mod look;
mod mark;
mod note;
mod open;
mod outline;
mod read;
mod salvage;
mod several;
#[cfg(all(test, unix))]
pub(crate) mod tests;
mod trust;
mod understand;
mod undo;
mod upkeep;
#[cfg(all(test, windows))]
mod windows_tests;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use editd_engine::Refusal;
use editd_proto::ids::JobId;
use editd_proto::message::{DialectInfo, DialectsReply, JobRequest, Receipt};
use editd_proto::path::FilePath;

use crate::caller::{Caller, LaneKey, Lanes};
pub use crate::checks::{DueCheck, FinishedRun, StartedCheck};
use crate::clock::Clock;
use crate::config::{CommandKind, Settings};
use crate::os::Os;
use crate::record::QueuedJobRecord;
use crate::state::refusal::{own_present, root_present};
use crate::state::step::Observer;
pub use crate::state::{ReservedReply, is_call_id};
use crate::state::{WorkspaceState, lock};
pub use crate::store::DamageSignal;
use crate::store::StoreOptions;
use understand::Action;
pub use understand::ParsedRequest;

/// The result of the recovery when the workspace was opened.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Detached jobs to run again, oldest first.
    pub queued: Vec<QueuedJobRecord>,
    /// Notes for the log, one sentence each.
    pub notes: Vec<String>,
}

/// The answer to a job that asks to run.
#[derive(Clone, PartialEq, Debug)]
pub enum Admission {
    /// The job is new and runs under this number.
    New(JobId),
    /// A job with this key has ended with this receipt.
    Ended(Box<Receipt>),
    /// A job with this key waits or runs under this number.
    Pending(JobId),
    /// The job is refused, for instance because the key was used for another request.
    Refused(Refusal),
}

/// The numbers for `status`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Journal entries.
    pub entries: u64,
    /// Entries not yet settled.
    pub unsettled: u64,
}

/// The error of [`Workspace::open`]: the message says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OpenError(pub String);

/// A workspace with its journal.
pub struct Workspace {
    state: WorkspaceState,
    /// Folders of files that were read or written.
    touched: Mutex<TouchedFolders>,
}

#[derive(Default)]
struct TouchedFolders {
    folders: BTreeSet<FilePath>,
    in_order: Vec<FilePath>,
}

impl Workspace {
    /// Opens a workspace: takes the lock in `root`, opens the store in `state` (both absolute paths of existing
    /// folders), and recovers open entries.
    ///
    /// # Errors
    /// Fails if another daemon serves it, or something cannot be opened.
    pub fn open(
        os: Arc<dyn Os>,
        root: &Path,
        state: &Path,
        options: StoreOptions,
        settings: Settings,
        clock: Arc<dyn Clock>,
    ) -> Result<(Self, Recovered), OpenError> {
        open::open(os, root, state, options, settings, clock)
    }

    fn of(state: WorkspaceState) -> Self {
        Self { state, touched: Mutex::default() }
    }

    /// Returns the folder of the workspace.
    #[cfg(all(test, unix))]
    pub(crate) fn root(&self) -> std::path::PathBuf {
        self.state.root.clone()
    }

    /// Stores the address of the daemon in the workspace, for processes that find it locked.
    pub fn announce(&self, address: &Path) {
        if let Err(why) = self.state.disk.announce(address.as_os_str().as_encoded_bytes()) {
            tracing::warn!(%why, "cannot write into .editd/lock where this daemon listens");
        }
    }

    /// Refuses if the workspace's path leads to another folder now, or to none, or if another daemon has its lock. Repairs
    /// what another program changed in `.editd`.
    ///
    /// # Errors
    /// `stopping` if it does; the refusal of a system error if that cannot be told.
    pub fn root_present(&self) -> Result<(), Refusal> {
        root_present(&self.state).and_then(|()| own_present(&self.state))
    }

    /// Sets the observer of every step of every job, for tests.
    pub fn set_observer(&self, observer: Arc<dyn Observer>) {
        self.state.observe(observer);
    }

    /// Parses a request for a job; later calls take the result. If the request does not set `on_stale`, the settings
    /// do.
    pub fn understand(&self, mut request: JobRequest) -> ParsedRequest {
        request.on_stale.get_or_insert(self.state.settings.on_stale);
        let mut roots: Vec<Vec<u8>> =
            self.state.roots().map(|root| root.as_os_str().as_encoded_bytes().to_vec()).collect();
        let limit = self.state.settings.payload_limit;
        let mut parsed = ParsedRequest::new(request, &roots, limit);
        // Links above the workspace give its folder names that only a client knows.
        while roots.len() < crate::limits::ROOT_NAMES
            && let Some(name) = parsed.outside().and_then(|path| self.state.disk.root_name(path.as_bytes()))
        {
            roots.push(name);
            parsed = ParsedRequest::new(parsed.into_request(), &roots, limit);
        }
        parsed.without_wire_form()
    }

    /// Lists the dialects of payloads.
    pub fn dialects(&self) -> DialectsReply {
        let info = |(name, sentence): (&str, &str)| DialectInfo {
            name: name.to_owned(),
            sentence: sentence.to_owned(),
        };
        DialectsReply { dialects: editd_engine::dialect::list().map(info).collect() }
    }

    /// Returns the lanes that a job needs, and checks its paths.
    ///
    /// # Errors
    /// The refusal of the request; `outside`, `malformed`, `denied` and other errors of its paths.
    pub fn lanes(&self, caller: &Caller, parsed: &ParsedRequest) -> Result<Lanes, Refusal> {
        let lanes = match parsed.action()? {
            // Its files are looked up when it runs; before that its lanes are unknown.
            Action::Native if parsed.names_several() && parsed.request().detach => Lanes::All,
            Action::Native | Action::Job(_) => {
                let job = self.edit_job(caller, parsed)?;
                let now = self.state.clock.monotonic();
                let (lanes, resolved) = crate::edit::lanes_of(&self.state, &job)?;
                parsed.keep_resolved(resolved, now);
                lanes
            }
            Action::View(_) => Lanes::Some(Vec::new()),
            Action::Undo(_) => Lanes::All,
        };
        if let Lanes::Some(keys) = &lanes {
            for key in keys {
                if let LaneKey::Path(path) = key {
                    self.touch(path);
                }
            }
        }
        Ok(lanes)
    }

    /// Returns true if commands of the workspace may run for a job with these lanes, as far as is known before it runs.
    pub fn runs_commands(&self, lanes: &Lanes) -> bool {
        // A job with all lanes runs alone: no other job waits for a worker because of it.
        let Lanes::Some(keys) = lanes else { return false };
        let workspace_commands = self.state.recent_commands();
        let mut commands = [CommandKind::Format, CommandKind::Validator, CommandKind::AfterWrite]
            .into_iter()
            .flat_map(|kind| workspace_commands.runnable(kind));
        commands.any(|command| {
            keys.iter().any(|key| matches!(key, LaneKey::Path(path) if command.files.matches(path)))
        })
    }

    /// Returns the folders, as workspace paths, of files that were read or written since the workspace was opened (at
    /// most `limits::WATCHED_FOLDERS`), without the first `known`; `None` if there are no further ones.
    pub fn touched_folders(&self, known: usize) -> Option<Vec<FilePath>> {
        let touched = lock(&self.touched);
        touched.in_order.get(known..).filter(|new| !new.is_empty()).map(<[FilePath]>::to_vec)
    }

    /// Returns the paths below a folder (every path, for the root) whose changes by other programs are journaled, as
    /// far as the cache has them: these are observed when a hint names no path.
    pub fn tracked_below(&self, folder: &FilePath) -> Vec<FilePath> {
        lock(&self.state.path_cache).tracked_below(folder)
    }

    fn touch(&self, path: &FilePath) {
        let folder = path.folder();
        let mut touched = lock(&self.touched);
        if touched.in_order.len() < crate::limits::WATCHED_FOLDERS && touched.folders.insert(folder.clone()) {
            touched.in_order.push(folder);
        }
    }
}
