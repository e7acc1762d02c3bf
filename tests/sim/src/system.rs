//! The state of the machine, and its file system calls as plain functions on it. It has no processes, faults or
//! hooks, which `call` handles before.

mod bytes;
mod handles;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use editd::testing::{FileIdentity, Stat};

use super::call::OsCall;
use super::choose::{ChoicePoint, CutChooser};
use super::file::FileData;
use super::order::{self, ChangeScope};
use super::tree::{
    EntryName, MetadataChange, MetadataOperation, NodeAttributes, NodeBody, NodeId, ROOT, SimNode, SimTree,
};
pub(super) use handles::{HandleId, HandleOwner, OpenHandle};
pub(super) use names::TargetExists;

/// Nanoseconds that pass with each change.
const TICK: i64 = 1_000;
/// Nanoseconds from a power cut to the next start.
const DOWN: i64 = 5_000_000_000;
/// The first start of the machine: 2026-01-01.
const START: i64 = 1_767_225_600_000_000_000;

/// The features of this machine's operating system and file system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SystemFeatures {
    /// Two names can be exchanged.
    pub exchange: bool,
    /// A move can refuse to replace.
    pub no_replace: bool,
    /// There are read leases.
    pub leases: bool,
    /// The file system keeps birth times.
    pub birth_times: bool,
    /// After a power cut one file may stand under both names of an exchange.
    pub half_exchanges: bool,
    /// Names persist in one order. Else only in the order that one name, file or folder demands.
    pub ordered_names: bool,
    /// Times move. Else every change happens in the same instant, as within a coarse clock's tick.
    pub fine_times: bool,
}

impl Default for SystemFeatures {
    fn default() -> Self {
        Self {
            exchange: true,
            no_replace: true,
            leases: true,
            birth_times: true,
            half_exchanges: false,
            ordered_names: true,
            fine_times: true,
        }
    }
}

/// Everything about the machine that a copy copies.
#[derive(Clone)]
pub(super) struct SystemState {
    /// The tree that every process sees.
    tree: SimTree,
    /// The tree that a power cut leaves at least.
    durable: SimTree,
    /// The later changes, in order; a power cut may lose them.
    journal: Vec<Arc<MetadataChange>>,
    data: BTreeMap<NodeId, Arc<FileData>>,
    handles: BTreeMap<HandleId, OpenHandle>,
    next_handle: HandleId,
    next_id: NodeId,
    next_dev: u64,
    next_number: u64,
    free_numbers: BTreeSet<u64>,
    clock: i64,
    births: i64,
    boot: u64,
    began: i64,
    pub(super) features: SystemFeatures,
    /// Flushes that report success and do nothing.
    pub(super) lies: BTreeSet<OsCall>,
}

impl SystemState {
    pub(super) fn new() -> Self {
        let attributes =
            NodeAttributes { mode: 0o755, uid: 1000, gid: 1000, modified: START, extended: Arc::default() };
        let root = SimNode {
            body: NodeBody::Dir { entries: BTreeMap::new(), parent: ROOT },
            attributes,
            dev: 1,
            number: 2,
            born: START,
            links: 1,
            changed: START,
        };
        Self {
            tree: SimTree::new(root.clone()),
            durable: SimTree::new(root),
            journal: Vec::new(),
            data: BTreeMap::new(),
            handles: BTreeMap::new(),
            next_handle: 1,
            next_id: ROOT + 1,
            next_dev: 2,
            next_number: 11,
            free_numbers: BTreeSet::new(),
            clock: START,
            births: START,
            boot: 1,
            began: START,
            features: SystemFeatures::default(),
            lies: BTreeSet::new(),
        }
    }

    pub(super) fn boot(&self) -> u64 {
        self.boot
    }

    /// The time at which this run of the machine began.
    pub(super) fn began(&self) -> i64 {
        self.began
    }

    pub(super) fn now(&self) -> i64 {
        self.clock
    }

    pub(super) fn pass(&mut self, nanoseconds: i64) {
        self.clock = self.clock.saturating_add(nanoseconds);
    }

    pub(super) fn tree(&self) -> &SimTree {
        &self.tree
    }

    pub(super) fn data(&self, id: NodeId) -> Option<&FileData> {
        self.data.get(&id).map(Arc::as_ref)
    }

    /// Returns the number of changes of names and metadata that a power cut may lose.
    pub(super) fn unforced(&self) -> usize {
        self.journal.len()
    }

    pub(super) fn stat(&self, id: NodeId) -> io::Result<Stat> {
        let node = self.node(id)?;
        let size = match &node.body {
            NodeBody::File => self.data(id).map_or(0, |data| data.seen().len()),
            NodeBody::Link { target } => target.len() as u64,
            NodeBody::Dir { .. } => 4096,
            NodeBody::Special => 0,
        };
        let born = if self.features.birth_times { node.born } else { 0 };
        Ok(Stat {
            kind: node.kind(),
            identity: FileIdentity { dev: node.dev, ino: node.number, born },
            size,
            mode: node.attributes.mode,
            uid: node.attributes.uid,
            gid: node.attributes.gid,
            links: node.links,
            modified: node.attributes.modified,
            changed: node.changed,
        })
    }

    pub(crate) fn node(&self, id: NodeId) -> io::Result<&SimNode> {
        self.tree.get(id).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    /// Does a step before all eyes, and remembers that a power cut may lose it.
    fn step(&mut self, what: MetadataOperation) {
        if self.features.fine_times {
            self.clock += TICK;
        }
        let step = MetadataChange { time: self.clock, scope: ChangeScope::of(&what, &self.tree), what };
        self.tree.apply(&step);
        // A file that is written again and again changes its times each time: one step stands for all.
        let again = |last: &Arc<MetadataChange>| match (&last.what, &step.what) {
            (MetadataOperation::Attributes { id: a, .. }, MetadataOperation::Attributes { id: b, .. }) => {
                a == b
            }
            _ => false,
        };
        let same_mode = |last: &Arc<MetadataChange>| match (&last.what, &step.what) {
            (
                MetadataOperation::Attributes { attributes: a, .. },
                MetadataOperation::Attributes { attributes: b, .. },
            ) => (a.mode, a.uid, a.gid, &a.extended) == (b.mode, b.uid, b.gid, &b.extended),
            _ => false,
        };
        if self.journal.last().is_some_and(|last| again(last) && same_mode(last)) {
            self.journal.pop();
        }
        self.journal.push(Arc::new(step));
        self.tidy();
    }

    /// Forgets what has neither a name nor a handle.
    fn tidy(&mut self) {
        let handles = &self.handles;
        for (_, number) in self.tree.forget(|id| handles.values().any(|handle| handle.id == id)) {
            self.free_numbers.insert(number);
        }
        if self.journal.is_empty() {
            let (tree, durable) = (&self.tree, &self.durable);
            self.data.retain(|id, _| tree.get(*id).is_some() || durable.get(*id).is_some());
        }
    }

    /// Makes the steps durable that are concerned, and those that were done before them or that they need.
    fn force(&mut self, concerned: impl Fn(&MetadataChange) -> bool) {
        let (forced, left) = if self.features.ordered_names {
            let end = self.journal.iter().rposition(|step| concerned(step)).map_or(0, |last| last + 1);
            let left = self.journal.split_off(end);
            (std::mem::take(&mut self.journal), left)
        } else {
            order::closure(&self.journal, concerned)
        };
        for step in &forced {
            self.durable.apply(step);
        }
        self.journal = left;
        self.durable.forget(|_| false);
        self.tidy();
    }

    /// Makes everything durable: the state before a scenario begins.
    pub(super) fn settle(&mut self) {
        self.force(|_| true);
        for data in self.data.values_mut() {
            Arc::make_mut(data).flush();
        }
    }

    /// Names and metadata as they may be found after a power cut.
    fn cut_tree(&self, chooser: &mut dyn CutChooser) -> SimTree {
        let mut tree = self.durable.clone();
        if !self.features.ordered_names {
            for step in order::survivors(&self.journal, || chooser.choose(ChoicePoint::Step, 2) == 1) {
                tree.apply(&step);
            }
            return tree;
        }
        let kept = chooser.choose(ChoicePoint::Journal, self.journal.len() + 1);
        for step in self.journal.iter().take(kept) {
            tree.apply(step);
        }
        if let Some(MetadataOperation::Exchange { a, b }) = self.half_exchange(kept) {
            match chooser.choose(ChoicePoint::HalfExchange, 3) {
                0 => {}
                way => tree.apply_half(a, b, way == 1),
            }
        }
        tree
    }

    /// The machine as it may be found after a power cut.
    pub(super) fn cut(&self, chooser: &mut dyn CutChooser) -> SystemState {
        let mut tree = self.cut_tree(chooser);
        tree.forget(|_| false);
        let files = tree.nodes.iter().filter(|(_, node)| matches!(node.body, NodeBody::File));
        let data = files
            .map(|(id, _)| {
                let left = self.data(*id).map(|data| data.cut(chooser)).unwrap_or_default();
                (*id, Arc::new(FileData::durable(left)))
            })
            .collect();
        let used: BTreeSet<u64> = tree.nodes.values().map(|node| node.number).collect();
        SystemState {
            durable: tree.clone(),
            journal: Vec::new(),
            data,
            handles: BTreeMap::new(),
            free_numbers: (11..self.next_number).filter(|number| !used.contains(number)).collect(),
            boot: self.boot + 1,
            began: self.clock + DOWN,
            clock: self.clock + DOWN,
            tree,
            ..self.clone()
        }
    }

    fn half_exchange(&self, kept: usize) -> Option<&MetadataOperation> {
        let lost = self.journal.get(kept).filter(|_| self.features.half_exchanges)?;
        Some(&lost.what).filter(|what| match what {
            MetadataOperation::Exchange { a, b } => self.is_file(a) && self.is_file(b),
            _ => false,
        })
    }

    fn is_file(&self, at: &EntryName) -> bool {
        let found = self.tree.child(at).and_then(|id| self.tree.get(id));
        found.is_some_and(|node| matches!(node.body, NodeBody::File))
    }
}
