//! A scenario's machine with real files: a temporary folder, and a clock that moves only between steps. The daemon
//! runs in the process of the test.

#[cfg(unix)]
#[path = "real/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "real/windows.rs"]
mod system;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use editd::testing::{Clock, DatabaseBackend, StoreOptions, Workspace};

use super::format::ScenarioSettings;
use super::machine::ScenarioMachine;
use super::target::{ScenarioTarget, StepHook};
use super::workspace;
use crate::tree::FileTree;

pub use system::{os, unplayable};

/// The time at which every scenario begins, in milliseconds since 1970.
const BEGIN: u64 = 1_767_225_600_000;
/// Bytes of a log segment.
const SEGMENT: u64 = 1024 * 1024;
/// Bytes of kept contents.
const CONTENTS: u64 = 64 * 1024 * 1024;

/// The folders and options with which a target is opened.
pub struct TargetOptions<'a> {
    /// The workspace.
    pub root: &'a Path,
    /// The folder of log and database.
    pub state: &'a Path,
    /// The `[settings]` of the scenario.
    pub settings: &'a ScenarioSettings,
    /// The time, in milliseconds since 1970. It moves between steps.
    pub now: Arc<AtomicU64>,
    /// Receives each step of a job.
    pub hook: Arc<dyn StepHook>,
}

/// Opens a target, which recovers the state that the previous one left.
pub type OpenTarget = fn(&TargetOptions<'_>) -> Result<Box<dyn ScenarioTarget>, String>;

/// A machine with real files.
pub struct RealMachine {
    root: PathBuf,
    state: PathBuf,
    now: Arc<AtomicU64>,
    open: OpenTarget,
    /// Files that other programs keep open.
    held: Mutex<Vec<fs::File>>,
    _scratch: tempfile::TempDir,
}

impl RealMachine {
    /// Makes an empty workspace whose target is opened by `open`.
    ///
    /// # Panics
    /// If the system refuses.
    #[must_use]
    pub fn new(open: OpenTarget) -> Self {
        let scratch = tempfile::Builder::new().prefix("case-").tempdir();
        let scratch = scratch.expect("a temporary folder can be made");
        let top = scratch.path().canonicalize().expect("a folder that was just made is there");
        let [root, state] = ["workspace", "state"].map(|name| top.join(name));
        for folder in [&root, &state] {
            fs::create_dir(folder).expect("a folder can be made in a temporary folder");
        }
        Self {
            root,
            state,
            now: Arc::new(AtomicU64::new(BEGIN)),
            open,
            held: Mutex::default(),
            _scratch: scratch,
        }
    }

    /// Makes an empty workspace for the daemon.
    #[must_use]
    pub fn with_daemon() -> Self {
        Self::new(open_workspace)
    }

    fn place(&self, path: &[u8]) -> PathBuf {
        system::place(&self.root, path)
    }
}

impl ScenarioMachine for RealMachine {
    fn make_folders(&self, path: &[u8]) -> io::Result<()> {
        fs::create_dir_all(self.place(path))
    }

    fn remove(&self, path: &[u8]) -> io::Result<()> {
        let place = self.place(path);
        if place.is_dir() { fs::remove_dir_all(&place) } else { fs::remove_file(&place) }
    }

    fn rename(&self, from: &[u8], to: &[u8]) -> io::Result<()> {
        system::rename(&self.place(from), &self.place(to))
    }

    fn make_symlink(&self, target: &[u8], path: &[u8]) -> io::Result<()> {
        system::make_symlink(target, &self.place(path))
    }

    fn make_hard_link(&self, from: &[u8], path: &[u8]) -> io::Result<()> {
        fs::hard_link(self.place(from), self.place(path))
    }

    fn make_fifo(&self, path: &[u8]) -> io::Result<()> {
        system::make_fifo(&self.place(path))
    }

    fn write(&self, path: &[u8], bytes: &[u8]) -> io::Result<()> {
        fs::write(self.place(path), bytes)
    }

    fn append(&self, path: &[u8], bytes: &[u8]) -> io::Result<()> {
        fs::File::options().append(true).open(self.place(path))?.write_all(bytes)
    }

    fn set_mode(&self, path: &[u8], mode: u32) -> io::Result<()> {
        system::set_mode(&self.place(path), mode)
    }

    fn set_comment(&self, path: &[u8], comment: &[u8]) -> io::Result<()> {
        system::set_comment(&self.place(path), comment)
    }

    fn comment(&self, path: &[u8]) -> Option<Vec<u8>> {
        system::comment(&self.place(path))
    }

    fn read(&self, path: &[u8]) -> Vec<u8> {
        fs::read(self.place(path)).unwrap_or_default()
    }

    fn tree(&self) -> FileTree {
        FileTree::of(&self.root)
    }

    fn is_same_file(&self, path: &[u8], other: &[u8]) -> bool {
        system::is_same_file(&self.place(path), &self.place(other))
    }

    /// Fails: a mount needs privileges.
    fn mount(&self, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn hold(&self, path: &[u8]) -> io::Result<()> {
        let file = fs::File::options().append(true).open(self.place(path))?;
        self.held.lock().unwrap_or_else(PoisonError::into_inner).push(file);
        Ok(())
    }

    /// Does nothing: the machine that runs the tests does not lose its power.
    fn flush(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Does nothing, as [`Self::flush`].
    fn sync(&self) {}

    fn pass(&self, time: Duration) -> u64 {
        let passed = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.now.fetch_add(passed, Ordering::SeqCst) + passed
    }

    fn open(
        &self,
        settings: &ScenarioSettings,
        hook: Arc<dyn StepHook>,
    ) -> Result<Box<dyn ScenarioTarget>, String> {
        let now = Arc::clone(&self.now);
        (self.open)(&TargetOptions { root: &self.root, state: &self.state, settings, now, hook })
    }
}

/// Opens the daemon's workspace, which recovers the state that the previous one left.
fn open_workspace(opening: &TargetOptions<'_>) -> Result<Box<dyn ScenarioTarget>, String> {
    let clock = Arc::new(ScenarioClock(Arc::clone(&opening.now)));
    // The rows are rebuilt from the log at each opening; one segment is enough for a scenario.
    let options = StoreOptions {
        database: DatabaseBackend::Memory,
        segment: SEGMENT,
        contents: CONTENTS,
        background: false,
        progress: Default::default(),
    };
    let settings = workspace::settings(opening.settings)?;
    let opened = Workspace::open(system::os(), opening.root, opening.state, options, settings, clock);
    let (workspace, _) = opened.map_err(|e| e.to_string())?;
    Ok(workspace::target(Arc::new(workspace), Arc::clone(&opening.hook)))
}

/// The clock of the scenario.
struct ScenarioClock(Arc<AtomicU64>);

impl Clock for ScenarioClock {
    fn wall_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.wall_ms())
    }
}
