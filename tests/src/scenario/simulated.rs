//! A scenario's machine in memory: a [`SimMachine`] whose process is the daemon. Each start of the daemon is a new
//! process, so that everything that the previous process had open is closed.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use editd::testing::Workspace;

use super::format::{OptionalFeature, ScenarioSettings};
use super::machine::ScenarioMachine;
use super::target::{ScenarioTarget, StepHook};
use super::workspace;
use crate::fault_injection::sim_workspace::{OutsideEffects, ROOT, STATE, SimWorkspace};
use crate::sim::{OutsideProcess, SimMachine, SnapshotNode, SystemFeatures};
use crate::tree::{FileTree, TreeNode};

/// A simulated machine with one workspace.
pub struct SimulatedMachine {
    process: Mutex<SimProcess>,
    outside: OutsideProcess,
    others: OutsideEffects,
}

struct SimProcess {
    machine: SimMachine,
    /// The daemon's workspace. It is not kept alive, because its observer refers to this machine.
    workspace: Option<Weak<Workspace>>,
    /// The notes of the last recovery.
    notes: Vec<String>,
}

/// Returns what a machine can do without these features.
#[must_use]
pub fn features(without: &[OptionalFeature]) -> SystemFeatures {
    let has = |feature| !without.contains(&feature);
    SystemFeatures {
        exchange: has(OptionalFeature::Exchange),
        no_replace: has(OptionalFeature::NoReplace),
        leases: has(OptionalFeature::Leases),
        birth_times: has(OptionalFeature::BirthTimes),
        fine_times: has(OptionalFeature::FineTimes),
        ..SystemFeatures::default()
    }
}

impl SimulatedMachine {
    /// Makes an empty workspace on a machine.
    ///
    /// # Panics
    /// If the folders cannot be made.
    #[must_use]
    pub fn new(machine: &SimMachine) -> Self {
        let outside = machine.outside();
        for folder in [ROOT, STATE] {
            outside.mkdir(folder).expect("a folder can be made");
        }
        Self::existing(machine)
    }

    /// Uses the workspace that is on a machine.
    #[must_use]
    pub fn existing(machine: &SimMachine) -> Self {
        let process = SimProcess { machine: machine.clone(), workspace: None, notes: Vec::new() };
        Self { process: Mutex::new(process), outside: machine.outside(), others: OutsideEffects::default() }
    }

    /// Returns the workspace that is open, for requests of this session.
    #[must_use]
    pub fn workspace(&self, session: &str) -> Option<SimWorkspace> {
        let process = self.process();
        Some(SimWorkspace {
            machine: process.machine.clone(),
            inner: process.workspace.as_ref()?.upgrade()?,
            session: session.to_owned(),
            notes: process.notes.clone(),
            others: self.others.clone(),
        })
    }

    fn process(&self) -> MutexGuard<'_, SimProcess> {
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
        self.others.run(&self.outside, |outside| outside.remove_all(&place(path)))
    }

    fn rename(&self, from: &[u8], to: &[u8]) -> io::Result<()> {
        self.others.run(&self.outside, |outside| outside.rename(&place(from), &place(to)))
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
        self.others.run(&self.outside, |outside| outside.write(&place(path), bytes))
    }

    fn append(&self, path: &[u8], bytes: &[u8]) -> io::Result<()> {
        self.outside.append(&place(path), bytes)
    }

    fn set_mode(&self, path: &[u8], mode: u32) -> io::Result<()> {
        self.outside.chmod(&place(path), mode)
    }

    fn set_comment(&self, path: &[u8], comment: &[u8]) -> io::Result<()> {
        self.outside.set_attribute(&place(path), "user.comment", comment)
    }

    fn comment(&self, path: &[u8]) -> Option<Vec<u8>> {
        self.outside.attribute(&place(path), "user.comment").ok().flatten()
    }

    fn read(&self, path: &[u8]) -> Vec<u8> {
        self.outside.read(&place(path)).unwrap_or_default()
    }

    fn tree(&self) -> FileTree {
        let snapshot = self.outside.snapshot(ROOT).unwrap_or_default().without(".editd");
        let node = |seen| match seen {
            SnapshotNode::File { mode, bytes } => TreeNode::file(&bytes, mode),
            SnapshotNode::Dir { mode } => TreeNode::Folder(mode),
            SnapshotNode::Link { target } => TreeNode::Link(target),
            SnapshotNode::Other => TreeNode::Other,
        };
        FileTree { nodes: snapshot.0.into_iter().map(|(path, seen)| (path, node(seen))).collect() }
    }

    fn is_same_file(&self, path: &[u8], other: &[u8]) -> bool {
        let identity = |path| self.outside.stat(&place(path)).map(|stat| stat.identity).ok();
        identity(path) == identity(other)
    }

    fn mount(&self, path: &[u8]) -> io::Result<()> {
        self.outside.mount(&place(path))
    }

    fn hold(&self, path: &[u8]) -> io::Result<()> {
        self.others.hold(self.outside.open(&place(path))?);
        Ok(())
    }

    fn flush(&self, path: &[u8]) -> io::Result<()> {
        self.outside.flush(&place(path))
    }

    fn sync(&self) {
        self.process().machine.settle();
    }

    fn pass(&self, time: Duration) -> u64 {
        let process = self.process();
        process.machine.pass(time);
        u64::try_from(process.machine.now() / 1_000_000).unwrap_or(0)
    }

    fn open(
        &self,
        settings: &ScenarioSettings,
        hook: Arc<dyn StepHook>,
    ) -> Result<Box<dyn ScenarioTarget>, String> {
        let mut process = self.process();
        if process.workspace.is_some() {
            process.machine = process.machine.kill();
        }
        let opened = SimWorkspace::open_with(&process.machine, workspace::settings(settings)?, "")?;
        process.workspace = Some(Arc::downgrade(&opened.inner));
        process.notes = opened.notes;
        Ok(workspace::target(opened.inner, hook))
    }
}
