//! What a job may reach: the rooms below it, opened, and what they share while the daemon runs. It does
//! nothing of its own beyond handing out numbers and names.

mod memory;
mod parsing;
mod warnings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};

use editd_engine::Options;
use editd_proto::ids::JobId;
use editd_proto::path::WirePath;
use globset::{Candidate, GlobBuilder, GlobMatcher};

use crate::clock::{Clock, SteadyClock};
use crate::config::Settings;
use crate::disk::Disk;
use crate::job::step::{Go, Observer, Step};
use crate::journal::path_cache::PathCache;
use crate::journal::settle::Unsettled;
use crate::os::BootId;
use crate::store::Store;
use crate::store::record::Entry;
use crate::trust::{CommandTrust, WorkspaceCommands};
use crate::validate::process::CommandRunner;

pub use memory::{BudgetClass, MemoryBudget, Reservation, ReservedReply};
pub use parsing::{Parsing, Turn};
pub use warnings::ToldWarnings;

/// What tells a ticket from a number that is stored.
const CALL_ID: u64 = 1 << 63;

/// The rooms of one open workspace.
pub struct WorkspaceState {
    /// The workspace's absolute path.
    pub root: PathBuf,
    /// Its files.
    pub disk: Disk,
    /// Log and database.
    pub store: Store,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The time by which things are too old.
    pub steady: SteadyClock,
    /// Settings.
    pub settings: Settings,
    /// Whether the commands that the workspace brings may run.
    pub trust: CommandTrust,
    /// Runs the commands that may run.
    pub runner: CommandRunner,
    /// Which paths the settings name an encoding for, and its label; the first match wins.
    encodings: Vec<(GlobMatcher, String)>,
    /// This run of the machine, and of the workspace's mount.
    pub boot: BootId,
    /// What each path was last seen to hold.
    pub path_cache: Mutex<PathCache>,
    /// Sealed entries whose files are not flushed yet.
    pub unsettled: Mutex<Unsettled>,
    /// Jobs that broke behind their intent and could not be brought to an end yet: their files wait.
    pub broken: Mutex<Vec<Arc<Entry>>>,
    /// Jobs with a key, or detached, that have not ended.
    pub underway: Mutex<Underway>,
    /// Notified with `underway` when a detached job was stored, or could not be, and when one has ended.
    pub queued: Condvar,
    /// Whose turn it is to have a large text parsed.
    pub parsing: Parsing,
    /// The warnings about the configuration that sessions have been sent.
    pub told: ToldWarnings,
    /// How much requests may hold of files' contents.
    pub memory: MemoryBudget,
    observer: RwLock<Arc<dyn Observer>>,
    next_id: AtomicU64,
    next_staged_name: AtomicU64,
    next_call_id: AtomicU64,
    /// Tells the slots of this run from those of any other.
    run: String,
}

/// Jobs that have not ended.
#[derive(Default)]
pub struct Underway {
    /// By session and key: number and hash of the request.
    pub keys: BTreeMap<(String, String), (JobId, editd_proto::ids::ContentHash)>,
    /// Detached jobs: what is stored of them, and whether they have begun.
    pub detached: BTreeMap<JobId, (crate::store::record::Queued, bool)>,
}

/// What a workspace was opened with.
pub struct WorkspaceParts {
    /// The workspace's absolute path.
    pub root: PathBuf,
    /// Its files.
    pub disk: Disk,
    /// Log and database.
    pub store: Store,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Settings.
    pub settings: Settings,
    /// Whether the commands that the workspace brings may run.
    pub trust: CommandTrust,
    /// This run of the machine.
    pub boot: BootId,
    /// The highest number ever given to a job.
    pub last_id: u64,
}

impl WorkspaceState {
    /// Puts opened rooms together.
    pub fn new(parts: WorkspaceParts) -> Self {
        let WorkspaceParts { root, disk, store, clock, settings, trust, boot, last_id } = parts;
        // The settings were checked when they were read; a glob that is none matches nothing.
        let encodings = settings.encodings.iter().filter_map(|(glob, label)| {
            let glob = GlobBuilder::new(glob).literal_separator(true).build().ok()?;
            Some((glob.compile_matcher(), label.clone()))
        });
        let encodings = encodings.collect();
        let runner = CommandRunner::new(None, clock.clone());
        // With the last number, since the clock alone may go back to where an earlier run began.
        let steady = SteadyClock::start(&*clock);
        let run = format!("{last_id:x}-{:x}", clock.wall_ms());
        Self {
            root,
            disk,
            store,
            clock,
            steady,
            settings,
            trust,
            runner,
            encodings,
            boot,
            path_cache: Mutex::default(),
            unsettled: Mutex::default(),
            broken: Mutex::default(),
            underway: Mutex::default(),
            queued: Condvar::new(),
            parsing: Parsing::default(),
            told: ToldWarnings::default(),
            memory: MemoryBudget::default(),
            observer: RwLock::new(Arc::new(crate::job::step::Unobserved)),
            next_id: AtomicU64::new(last_id.saturating_add(1)),
            next_staged_name: AtomicU64::new(0),
            next_call_id: AtomicU64::new(0),
            run,
        }
    }

    /// The next number: of an entry, taken in the order in which they change a file, or of a detached job.
    pub fn next_id(&self) -> JobId {
        JobId(self.next_id.fetch_add(1, Ordering::Relaxed))
    }

    /// A name for a job that runs now and is known to nobody afterwards; no entry ever has it.
    pub fn next_call_id(&self) -> JobId {
        JobId(CALL_ID | self.next_call_id.fetch_add(1, Ordering::Relaxed))
    }

    /// How the text of these paths is read.
    pub fn options<'a>(&self, paths: impl IntoIterator<Item = &'a WirePath>) -> Options {
        let label = |path: &WirePath| {
            let candidate = Candidate::from_bytes(path.as_bytes());
            self.encodings.iter().find(|(glob, _)| glob.is_match_candidate(&candidate))
        };
        let named = |path: &'a WirePath| Some((path.clone(), label(path)?.1.clone()));
        Options { encodings: paths.into_iter().filter_map(named).collect(), room: None }
    }

    /// What commands the workspace brings now, and whether they may run.
    pub fn workspace_commands(&self) -> WorkspaceCommands {
        self.trust.observe(&self.disk, self.clock.wall_ms())
    }

    /// The absolute names of the workspace's folder: its own, and the one by which the daemon was told of it.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.root.as_path()).chain(self.settings.named.as_deref())
    }

    /// A name for a slot that no slot ever had.
    pub fn next_staged_name(&self) -> String {
        let nth = self.next_staged_name.fetch_add(1, Ordering::Relaxed);
        format!("{}-{nth:x}", self.run)
    }

    /// Whether a broken job has this path.
    pub fn is_broken(&self, path: &WirePath) -> bool {
        lock(&self.broken).iter().any(|entry| entry.files.iter().any(|file| file.path == *path))
    }

    /// Tells the observer of a step.
    pub fn took(&self, step: Step) -> Go {
        let observer = self.observer.read().unwrap_or_else(PoisonError::into_inner).clone();
        observer.after(step)
    }

    /// Sets who is told of every step.
    pub fn observe(&self, observer: Arc<dyn Observer>) {
        *self.observer.write().unwrap_or_else(PoisonError::into_inner) = observer;
    }
}

/// Whether a number is a name that [`WorkspaceState::next_ticket`] gave: it means nothing once the job has ended.
pub fn is_call_id(id: JobId) -> bool {
    id.0 & CALL_ID != 0
}

/// Locks what is consistent after every statement, so that a panic elsewhere does no harm.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
