//! The state of an open workspace: its opened modules, and what jobs share while the daemon runs. Its only own task
//! is to issue numbers and names.

pub mod announced;
pub mod path_cache;
pub mod refusal;
pub mod step;
pub mod undecided;
pub mod unreported;
pub mod unsettled;

mod memory;
mod parsing;
mod warnings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

use editd_engine::{PlanOptions, TreeCache};
use editd_proto::ids::JobId;
use editd_proto::path::FilePath;
use globset::{Candidate, GlobBuilder, GlobMatcher};

use crate::clock::{Clock, SteadyClock};
use crate::config::Settings;
use crate::disk::Disk;
use crate::disk::hashing::hash_parts;
use crate::limits;
use crate::metrics::{JobStep, Metrics};
use crate::os::BootId;
use crate::store::Store;
use crate::store::intent::Intended;
use crate::trust::{CommandTrust, WorkspaceCommands};
use crate::validate::process::CommandRunner;

pub use crate::sync::lock;
pub use memory::{BudgetClass, MemoryBudget, Reservation, ReservedReply, readable};
pub use parsing::ParsingLock;
pub use warnings::ToldWarnings;

use announced::AnnouncedChanges;
use path_cache::PathCache;
use step::{Observer, StepDecision};
use undecided::UndecidedJobs;
use unreported::UnreportedChanges;
use unsettled::UnsettledEntries;

/// Distinguishes call ids from stored numbers.
const CALL_ID: u64 = 1 << 63;

/// The state of one open workspace.
pub struct WorkspaceState {
    /// The workspace's absolute path.
    pub root: PathBuf,
    /// Its files.
    pub disk: Disk,
    /// The log and the database.
    pub store: Store,
    /// The absolute path of the state folder, in which the store is.
    pub state_folder: PathBuf,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The clock for ages, which never jumps ahead.
    pub steady: SteadyClock,
    /// Settings.
    pub settings: Settings,
    /// Decides whether the commands of the workspace may run.
    pub trust: CommandTrust,
    /// Runs the commands that may run.
    pub runner: CommandRunner,
    /// The paths with a configured encoding, and its label; the first match wins.
    encodings: Vec<(GlobMatcher, String)>,
    /// This run of the machine, and of the workspace's mount.
    pub boot: BootId,
    /// The last known file at each path.
    pub path_cache: Mutex<PathCache>,
    /// The changes by other tools that sessions have announced. A thread that holds it does not ask for `path_cache`.
    pub announced: Mutex<AnnouncedChanges>,
    /// Changes by other programs that became entries and that subscribers were not sent yet.
    pub unreported: Mutex<UnreportedChanges>,
    /// Sealed entries whose files are not flushed yet.
    pub unsettled: Mutex<UnsettledEntries>,
    /// Jobs that failed after their intent and could not be repaired yet: their files are locked, and stay marked as being
    /// written in the path cache.
    pub broken: Mutex<Vec<Intended>>,
    /// Jobs whose outcome is unknown until the next start, or until they are repaired.
    pub undecided: Mutex<UndecidedJobs>,
    /// Jobs with a key, or detached, that have not ended.
    pub pending: Mutex<PendingJobs>,
    /// Notified with `underway` when a detached job was stored, or could not be, and when one has ended.
    pub queued: Condvar,
    /// The turns of parsing large texts.
    pub parsing: ParsingLock,
    /// The syntax trees of recent contents.
    pub trees: Arc<TreeCache>,
    /// The warnings about the configuration that sessions have been sent.
    pub told: ToldWarnings,
    /// Counters, latencies and the times of jobs.
    pub metrics: Arc<Metrics>,
    /// The limit on the contents that requests hold in memory.
    pub memory: MemoryBudget,
    observer: OnceLock<Arc<dyn Observer>>,
    next_id: AtomicU64,
    next_staged_name: AtomicU64,
    next_call_id: AtomicU64,
    /// Makes the staged names of this run differ from those of any other.
    run: String,
}

/// Jobs that have not ended.
#[derive(Default)]
pub struct PendingJobs {
    /// By session and key: the number and the hash of the request.
    pub keys: BTreeMap<(String, String), (JobId, editd_proto::ids::ContentHash)>,
    /// Detached jobs: their stored form, and true if they have begun.
    pub detached: BTreeMap<JobId, (crate::record::QueuedJobRecord, bool)>,
    /// The requests that wait until a detached job with their key is stored.
    pub waiting: usize,
}

/// The parts of an opened workspace.
pub struct WorkspaceParts {
    /// The workspace's absolute path.
    pub root: PathBuf,
    /// Its files.
    pub disk: Disk,
    /// The log and the database.
    pub store: Store,
    /// The absolute path of the state folder, in which the store is.
    pub state_folder: PathBuf,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Settings.
    pub settings: Settings,
    /// Decides whether the commands of the workspace may run.
    pub trust: CommandTrust,
    /// This run of the machine.
    pub boot: BootId,
    /// The highest number ever given to a job.
    pub last_id: u64,
}

impl WorkspaceState {
    /// Creates the state of an opened workspace.
    pub fn new(parts: WorkspaceParts) -> Self {
        let WorkspaceParts { root, disk, store, state_folder, clock, settings, trust, boot, last_id } = parts;
        // The settings were validated when they were read; an invalid glob matches nothing.
        let encodings = settings.encodings.iter().filter_map(|(glob, label)| {
            let glob = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build().ok()?;
            Some((glob.compile_matcher(), label.clone()))
        });
        let encodings = encodings.collect();
        let runner = CommandRunner::new(None, clock.clone()).confined(settings.confinement.is_confined());
        runner.remove_left(&root);
        // It includes the last number, since the clock alone may be set back to the start of an earlier run.
        let steady = SteadyClock::start(&*clock);
        let parsing = ParsingLock::new(Arc::clone(&clock));
        let metrics = Arc::new(Metrics::new(Arc::clone(&clock)));
        let run = format!("{last_id:x}-{:x}", clock.wall_ms());
        Self {
            root,
            disk,
            store,
            state_folder,
            clock,
            steady,
            settings,
            trust,
            runner,
            encodings,
            boot,
            path_cache: Mutex::default(),
            announced: Mutex::default(),
            unreported: Mutex::default(),
            unsettled: Mutex::default(),
            broken: Mutex::default(),
            undecided: Mutex::default(),
            pending: Mutex::default(),
            queued: Condvar::new(),
            parsing,
            trees: Arc::new(TreeCache::new(limits::SYNTAX_TREES)),
            told: ToldWarnings::default(),
            metrics,
            memory: MemoryBudget::default(),
            observer: OnceLock::new(),
            next_id: AtomicU64::new(last_id.saturating_add(1)),
            next_staged_name: AtomicU64::new(0),
            next_call_id: AtomicU64::new(0),
            run,
        }
    }

    /// Returns the next number of an entry, issued in the order in which entries change a file, or of a detached job.
    pub fn next_id(&self) -> JobId {
        JobId(self.next_id.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns an id for a job that runs now; no entry ever has it, and it has no meaning after the job.
    pub fn next_call_id(&self) -> JobId {
        JobId(CALL_ID | self.next_call_id.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the encodings of the texts of these paths, and the trees of recent ones.
    pub fn options<'a>(&self, paths: impl IntoIterator<Item = &'a FilePath>) -> PlanOptions {
        let label = |path: &FilePath| {
            let candidate = Candidate::from_bytes(path.as_bytes());
            self.encodings.iter().find(|(glob, _)| glob.is_match_candidate(&candidate))
        };
        let named = |path: &'a FilePath| Some((path.clone(), label(path)?.1.clone()));
        let encodings = paths.into_iter().filter_map(named).collect();
        PlanOptions { encodings, room: None, trees: Arc::clone(&self.trees), hash_parts }
    }

    /// Returns the present commands of the workspace, and whether they may run.
    pub fn workspace_commands(&self) -> WorkspaceCommands {
        self.trust.observe(&self.disk, self.clock.wall_ms())
    }

    /// Returns the commands of the workspace as they were a moment ago; see [`CommandTrust::recent`].
    pub fn recent_commands(&self) -> WorkspaceCommands {
        self.trust.recent(&self.disk, self.clock.wall_ms())
    }

    /// Returns the absolute paths of the workspace's folder: its own, and the one that the daemon was given.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.root.as_path()).chain(self.settings.named.as_deref())
    }

    /// Returns a staged name that no file ever had.
    pub fn next_staged_name(&self) -> String {
        let nth = self.next_staged_name.fetch_add(1, Ordering::Relaxed);
        format!("{}-{nth:x}", self.run)
    }

    /// Returns true if a failed job that is not rolled back yet has this path.
    pub fn is_broken(&self, path: &FilePath) -> bool {
        lock(&self.broken).iter().any(|entry| entry.files.iter().any(|file| file.path == *path))
    }

    /// Tells the observer, if there is one, that a step is done.
    pub fn took(&self, step: JobStep) -> StepDecision {
        self.observer.get().map_or(StepDecision::Continue, |observer| observer.after(step))
    }

    /// Sets the observer of all steps, once.
    pub fn observe(&self, observer: Arc<dyn Observer>) {
        let first = self.observer.set(observer).is_ok();
        debug_assert!(first, "a workspace has one observer");
    }
}

/// Returns true if a number came from [`WorkspaceState::next_call_id`]: it has no meaning after the job.
pub fn is_call_id(id: JobId) -> bool {
    id.0 & CALL_ID != 0
}
