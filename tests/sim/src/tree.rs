//! Names and metadata, and the changes to them. The same changes are applied to the tree that processes see and,
//! later, to that of the disk. It checks nothing: `system` has checked each change before.

use std::collections::BTreeMap;
use std::sync::Arc;

use editd::testing::FileKind;

use super::order::ChangeScope;

/// A file, folder or link for as long as the machine lives; never reused.
pub(super) type NodeId = u64;

/// The root of the machine's one tree.
pub(super) const ROOT: NodeId = 0;

/// The metadata that `chmod`, `chown`, `setxattr` or a write sets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NodeAttributes {
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) modified: i64,
    pub(super) extended: Arc<BTreeMap<Vec<u8>, Vec<u8>>>,
}

/// The kind of a node, with the data of that kind.
#[derive(Clone, Debug)]
pub(super) enum NodeBody {
    File,
    Dir { entries: BTreeMap<Vec<u8>, NodeId>, parent: NodeId },
    Link { target: Vec<u8> },
    Special,
}

#[derive(Clone, Debug)]
pub(super) struct SimNode {
    pub(super) body: NodeBody,
    pub(super) attributes: NodeAttributes,
    pub(super) dev: u64,
    pub(super) number: u64,
    pub(super) born: i64,
    pub(super) links: u64,
    pub(super) changed: i64,
}

impl SimNode {
    pub(super) fn kind(&self) -> FileKind {
        match self.body {
            NodeBody::File => FileKind::File,
            NodeBody::Dir { .. } => FileKind::Dir,
            NodeBody::Link { .. } => FileKind::Link,
            NodeBody::Special => FileKind::Other,
        }
    }
}

/// A name in a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EntryName {
    pub(super) dir: NodeId,
    pub(super) name: Vec<u8>,
}

/// One change of names or metadata: there after a power cut, or not.
#[derive(Clone, Debug)]
pub(super) enum MetadataOperation {
    Create { id: NodeId, at: EntryName, node: SimNode },
    Link { id: NodeId, at: EntryName },
    Unlink { at: EntryName },
    Rename { from: EntryName, to: EntryName },
    Exchange { a: EntryName, b: EntryName },
    Attributes { id: NodeId, attributes: NodeAttributes },
}

#[derive(Clone, Debug)]
pub(super) struct MetadataChange {
    pub(super) time: i64,
    pub(super) scope: ChangeScope,
    pub(super) what: MetadataOperation,
}

impl MetadataChange {
    /// Returns true if flushing this folder must make the step durable.
    pub(super) fn concerns_folder(&self, dir: NodeId) -> bool {
        match &self.what {
            MetadataOperation::Create { id, at, .. } => at.dir == dir || *id == dir,
            MetadataOperation::Link { at, .. } | MetadataOperation::Unlink { at } => at.dir == dir,
            MetadataOperation::Rename { from, to } => from.dir == dir || to.dir == dir,
            MetadataOperation::Exchange { a, b } => a.dir == dir || b.dir == dir,
            MetadataOperation::Attributes { id, .. } => *id == dir,
        }
    }

    /// Returns true if `sync_all` of this file must make the step durable.
    pub(super) fn concerns_file(&self, file: NodeId) -> bool {
        matches!(&self.what, MetadataOperation::Create { id, .. } | MetadataOperation::Attributes { id, .. } if *id == file)
    }
}

/// All names and metadata at one moment.
#[derive(Clone, Debug)]
pub(super) struct SimTree {
    pub(super) nodes: BTreeMap<NodeId, Arc<SimNode>>,
}

impl SimTree {
    pub(super) fn new(root: SimNode) -> Self {
        Self { nodes: BTreeMap::from([(ROOT, Arc::new(root))]) }
    }

    pub(super) fn get(&self, id: NodeId) -> Option<&SimNode> {
        self.nodes.get(&id).map(Arc::as_ref)
    }

    pub(super) fn child(&self, at: &EntryName) -> Option<NodeId> {
        match &self.get(at.dir)?.body {
            NodeBody::Dir { entries, .. } => entries.get(&at.name).copied(),
            NodeBody::File | NodeBody::Link { .. } | NodeBody::Special => None,
        }
    }

    fn edit(&mut self, id: NodeId, change: impl FnOnce(&mut SimNode)) {
        if let Some(node) = self.nodes.get_mut(&id) {
            change(Arc::make_mut(node));
        }
    }

    fn set(&mut self, at: &EntryName, id: NodeId, time: i64) {
        self.edit(at.dir, |node| {
            node.changed = time;
            if let NodeBody::Dir { entries, .. } = &mut node.body {
                entries.insert(at.name.clone(), id);
            }
        });
        self.edit(id, |node| {
            if let NodeBody::Dir { parent, .. } = &mut node.body {
                *parent = at.dir;
            }
        });
    }

    fn clear(&mut self, at: &EntryName, time: i64) {
        self.edit(at.dir, |node| {
            node.changed = time;
            if let NodeBody::Dir { entries, .. } = &mut node.body {
                entries.remove(&at.name);
            }
        });
    }

    fn count(&mut self, id: NodeId, time: i64, by: i64) {
        self.edit(id, |node| {
            node.links = node.links.saturating_add_signed(by);
            node.changed = time;
        });
    }

    /// Makes the step. A node without links stays until [`SimTree::forget`].
    pub(super) fn apply(&mut self, step: &MetadataChange) {
        match &step.what {
            MetadataOperation::Create { id, at, node } => {
                self.nodes.insert(*id, Arc::new(node.clone()));
                self.set(at, *id, step.time);
            }
            MetadataOperation::Link { id, at } => {
                self.set(at, *id, step.time);
                self.count(*id, step.time, 1);
            }
            MetadataOperation::Unlink { at } => {
                if let Some(id) = self.child(at) {
                    self.clear(at, step.time);
                    self.count(id, step.time, -1);
                }
            }
            MetadataOperation::Rename { from, to } => {
                let (Some(id), replaced) = (self.child(from), self.child(to)) else { return };
                self.clear(from, step.time);
                self.set(to, id, step.time);
                self.count(id, step.time, 0);
                if let Some(replaced) = replaced {
                    self.count(replaced, step.time, -1);
                }
            }
            MetadataOperation::Exchange { a, b } => {
                let (Some(first), Some(second)) = (self.child(a), self.child(b)) else { return };
                self.set(a, second, step.time);
                self.set(b, first, step.time);
                self.count(first, step.time, 0);
                self.count(second, step.time, 0);
            }
            MetadataOperation::Attributes { id, attributes } => self.edit(*id, |node| {
                node.attributes = attributes.clone();
                node.changed = step.time;
            }),
        }
    }

    /// Makes half of an exchange, as btrfs was seen to: one file stands under both names.
    pub(super) fn apply_half(&mut self, a: &EntryName, b: &EntryName, first: bool) {
        let (from, to) = if first { (a, b) } else { (b, a) };
        if let (Some(kept), Some(lost)) = (self.child(from), self.child(to)) {
            let time = self.get(kept).map_or(0, |node| node.changed);
            self.set(to, kept, time);
            self.edit(lost, |node| node.links = node.links.saturating_sub(1));
        }
    }

    /// Drops what has no name any more, but for what `held` says is open. Returns the dropped.
    pub(super) fn forget(&mut self, held: impl Fn(NodeId) -> bool) -> Vec<(NodeId, u64)> {
        let gone: Vec<(NodeId, u64)> = self
            .nodes
            .iter()
            .filter(|(id, node)| node.links == 0 && !held(**id))
            .map(|(id, node)| (*id, node.number))
            .collect();
        for (id, _) in &gone {
            self.nodes.remove(id);
        }
        gone
    }

    /// Returns the first inconsistency that `fsck` would find.
    pub(super) fn inconsistency(&self) -> Option<String> {
        let mut counted: BTreeMap<NodeId, u64> = BTreeMap::from([(ROOT, 1)]);
        let mut waiting = vec![ROOT];
        while let Some(dir) = waiting.pop() {
            let Some(NodeBody::Dir { entries, .. }) = self.get(dir).map(|node| &node.body) else { continue };
            for (name, id) in entries {
                let Some(node) = self.get(*id) else { return Some(format!("{name:?} names nothing")) };
                *counted.entry(*id).or_default() += 1;
                if let NodeBody::Dir { parent, .. } = node.body {
                    if counted.get(id) > Some(&1) || parent != dir {
                        return Some(format!("{name:?} is a folder in two places"));
                    }
                    waiting.push(*id);
                }
            }
        }
        let wrong = self.nodes.iter().find(|(id, node)| counted.get(id).copied().unwrap_or(0) != node.links);
        wrong.map(|(id, node)| format!("{id} has {:?} names and {} links", counted.get(id), node.links))
    }
}
