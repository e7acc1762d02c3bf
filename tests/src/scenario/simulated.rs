//! A scenario's machine in memory: a [`SimMachine`] whose process is the daemon. Each start of the daemon is a new
//! process, so that everything that the previous process had open is closed.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use editd::testing::{DatabaseBackend, StoreOptions, Workspace};

use super::format::Settings;
use super::machine::ScenarioMachine;
use super::target::{ScenarioTarget, StepHook};
use super::workspace;
use crate::lens::desk::{ROOT, STATE, SimClock};
use crate::sim::{Outside, SimMachine, SnapshotNode};
use crate::tree::{Node, Tree};

/// The time that each step takes.
const TICK: Duration = Duration::from_secs(1);
/// Bytes of a log segment: small, so that scenarios cross from one to the next.
const SEGMENT: u64 = 64 * 1024;
/// Bytes of kept contents.
const CONTENTS: u64 = 64 * 1024 * 1024;

/// A simulated machine with one workspace.
pub struct SimulatedMachine {
    process: Mutex<Process>,
    outside: Outside,
}

struct Process {
    machine: SimMachine,
    workspace: Option<Arc<Workspace>>,
    /// The notes of the last recovery.
    notes: Vec<String>,
}

impl SimulatedMachine {
    /// Makes an empty workspace on a machine.
    ///
    /// # Panics
    /// If the folders cannot be made.
    #[must_use]
    pub fn new(machine: SimMachine) -> Self {
        let outside = machine.outside();
        for folder in [ROOT, STATE] {
            outside.mkdir(folder).expect("a folder can be made");
        }
        let process = Process { machine, workspace: None, notes: Vec::new() };
        Self { process: Mutex::new(process), outside }
    }

    fn process(&self) -> MutexGuard<'_, Process> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn place(path: &[u8]) -> Vec<u8> {
    [ROOT.as_bytes(), b"/", path].concat()
}

impl ScenarioMachine for SimulatedMachine {
    fn make_folders(&self, path: &[u8]) -> io::Result<()> {
        self.outside.mkdir(&place(path))
    }

    fn remove(&self, path: &[u8]) -> io::Result<()> {
        self.outside.remove_all(&place(path))
    }

    fn rename(&self, from: &[u8], to: &[u8]) -> io::Result<()> {
        self.outside.rename(&place(from), &place(to))
    }

    fn make_symlink(&self, target: &[u8], path: &[u8]) -> io::Result<()> {
        self.outside.symlink(target, &place(path))
    }

    fn make_hard_link(&self, from: &[u8], path: &[u8]) -> io::Result<()> {
        self.outside.link(&place(from), &place(path))
    }

    fn make_fifo(&self, path: &[u8]) -> io::Result<()> {
        self.outside.fifo(&place(path))
    }

    fn write(&self, path: &[u8], bytes: &[u8]) -> io::Result<()> {
        self.outside.write(&place(path), bytes)
    }

    fn append(&self, path: &[u8], bytes: &[u8]) -> io::Result<()> {
        self.outside.append(&place(path), bytes)
    }

    fn set_mode(&self, path: &[u8], mode: u32) -> io::Result<()> {
        self.outside.chmod(&place(path), mode)
    }

    fn read(&self, path: &[u8]) -> Vec<u8> {
        self.outside.read(&place(path)).unwrap_or_default()
    }

    fn tree(&self) -> Tree {
        let snapshot = self.outside.snapshot(ROOT).unwrap_or_default().without(".editd");
        let node = |seen| match seen {
            SnapshotNode::File { mode, bytes } => Node::file(&bytes, mode),
            SnapshotNode::Dir { mode } => Node::Folder(mode),
            SnapshotNode::Link { target } => Node::Link(target),
            SnapshotNode::Other => Node::Other,
        };
        Tree { nodes: snapshot.0.into_iter().map(|(path, seen)| (path, node(seen))).collect() }
    }

    fn is_same_file(&self, path: &[u8], other: &[u8]) -> bool {
        let identity = |path| self.outside.stat(&place(path)).map(|stat| stat.identity).ok();
        identity(path) == identity(other)
    }

    fn sync(&self) {
        self.process().machine.settle();
    }

    fn begin_step(&self) -> u64 {
        let process = self.process();
        process.machine.pass(TICK);
        u64::try_from(process.machine.now() / 1_000_000).unwrap_or(0)
    }

    fn open(&self, settings: &Settings, hook: Arc<dyn StepHook>) -> Result<Box<dyn ScenarioTarget>, String> {
        let mut process = self.process();
        if process.workspace.take().is_some() {
            process.machine = process.machine.kill();
            // No daemon starts in the millisecond in which another one ended.
            process.machine.pass(Duration::from_millis(20));
        }
        let options = StoreOptions {
            database: DatabaseBackend::Memory,
            segment: SEGMENT,
            contents: CONTENTS,
            background: false,
        };
        let opened = Workspace::open(
            Arc::new(process.machine.clone()),
            Path::new(ROOT),
            Path::new(STATE),
            options,
            workspace::settings(settings)?,
            Arc::new(SimClock(process.machine.clone())),
        );
        let (workspace, recovered) = opened.map_err(|error| error.to_string())?;
        let workspace = Arc::new(workspace);
        process.workspace = Some(Arc::clone(&workspace));
        process.notes = recovered.notes;
        Ok(workspace::target(workspace, hook))
    }
}
