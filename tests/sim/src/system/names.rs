//! Calls that look up, make, move and remove names. They check what a real system checks, permissions apart.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use editd::testing::FileKind;

use super::SystemState;
use crate::file::FileData;
use crate::tree::{
    EntryName, MetadataChange, MetadataOperation, NodeAttributes, NodeBody, NodeId, ROOT, SimNode,
};

/// The behaviour of a move whose target exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TargetExists {
    Replace,
    Refuse,
}

fn fail<T>(kind: ErrorKind) -> io::Result<T> {
    Err(io::Error::from(kind))
}

impl SystemState {
    /// Checks a name as the real seam does.
    pub(crate) fn at(&self, dir: NodeId, name: &[u8]) -> io::Result<EntryName> {
        if matches!(name, b"" | b"." | b"..") || name.contains(&b'/') || name.contains(&0) {
            return fail(ErrorKind::InvalidInput);
        }
        if name.len() > 255 {
            return fail(ErrorKind::InvalidFilename);
        }
        match &self.node(dir)?.body {
            NodeBody::Dir { .. } => Ok(EntryName { dir, name: name.to_vec() }),
            NodeBody::File | NodeBody::Link { .. } | NodeBody::Special => fail(ErrorKind::NotADirectory),
        }
    }

    pub(crate) fn lookup(&self, dir: NodeId, name: &[u8]) -> io::Result<NodeId> {
        let at = self.at(dir, name)?;
        self.tree.child(&at).ok_or_else(|| io::Error::from(ErrorKind::NotFound))
    }

    /// Walks an absolute path, following links if asked; for opening the root, and for outside actors.
    pub(crate) fn walk(&self, path: &[u8], follow: bool) -> io::Result<NodeId> {
        let mut rest: Vec<Vec<u8>> = split(path);
        let (mut here, mut links) = (ROOT, 0);
        while let Some(name) = rest.pop() {
            if name == b".." {
                here = self.parent(here);
                continue;
            }
            let next = self.lookup(here, &name)?;
            match &self.node(next)?.body {
                NodeBody::Link { target } if follow || !rest.is_empty() => {
                    links += 1;
                    if links > 40 {
                        return Err(super::super::os::link_error());
                    }
                    if target.starts_with(b"/") {
                        here = ROOT;
                    }
                    rest.extend(split(target));
                }
                _ => here = next,
            }
        }
        Ok(here)
    }

    fn parent(&self, dir: NodeId) -> NodeId {
        match self.tree.get(dir).map(|node| &node.body) {
            Some(NodeBody::Dir { parent, .. }) => *parent,
            _ => ROOT,
        }
    }

    /// Makes a file, folder, link or special file.
    pub(crate) fn create(
        &mut self,
        dir: NodeId,
        name: &[u8],
        body: NodeBody,
        mode: u32,
    ) -> io::Result<NodeId> {
        let at = self.at(dir, name)?;
        let folder = self.node(dir)?;
        if folder.links == 0 {
            return fail(ErrorKind::NotFound);
        }
        if self.tree.child(&at).is_some() {
            return fail(ErrorKind::AlreadyExists);
        }
        let (dev, uid, gid) = (folder.dev, folder.attributes.uid, folder.attributes.gid);
        let number = self.free_number();
        self.births = self.births.max(self.clock) + 1;
        let id = self.next_id;
        self.next_id += 1;
        let attributes =
            NodeAttributes { mode: mode & 0o7777, uid, gid, modified: self.clock, extended: Arc::default() };
        if matches!(body, NodeBody::File) {
            self.data.insert(id, Arc::new(FileData::default()));
        }
        let node =
            SimNode { body, attributes, dev, number, born: self.births, links: 1, changed: self.clock };
        self.step(MetadataOperation::Create { id, at, node });
        Ok(id)
    }

    /// Returns a number that no file has. Where changes of names reach the disk in any order, the number of a removed file
    /// is free only once its removal is durable: after a power cut, no disk has two files with one number.
    fn free_number(&mut self) -> u64 {
        let ordered = self.features.ordered_names;
        let may_return = |number: u64| {
            let made = |step: &Arc<MetadataChange>| matches!(&step.what, MetadataOperation::Create { node, .. } if node.number == number);
            self.durable.nodes.values().any(|node| node.number == number) || self.journal.iter().any(made)
        };
        let free = self.free_numbers.iter().copied().find(|number| ordered || !may_return(*number));
        if let Some(number) = free {
            self.free_numbers.remove(&number);
            return number;
        }
        self.next_number += 1;
        self.next_number - 1
    }

    /// Makes a folder on a file system of its own.
    pub(crate) fn mount(&mut self, dir: NodeId, name: &[u8]) -> io::Result<NodeId> {
        let id = self.create(dir, name, NodeBody::Dir { entries: BTreeMap::new(), parent: dir }, 0o755)?;
        let dev = self.next_dev;
        self.next_dev += 1;
        // A mount is nothing that a power cut could lose half of.
        self.settle();
        for tree in [&mut self.tree, &mut self.durable] {
            if let Some(node) = tree.nodes.get_mut(&id) {
                Arc::make_mut(node).dev = dev;
            }
        }
        Ok(id)
    }

    pub(crate) fn remove(&mut self, dir: NodeId, name: &[u8], folder: bool) -> io::Result<()> {
        let id = self.lookup(dir, name)?;
        match (&self.node(id)?.body, folder) {
            (NodeBody::Dir { .. }, false) => return fail(ErrorKind::IsADirectory),
            (NodeBody::Dir { entries, .. }, true) if !entries.is_empty() => {
                return fail(ErrorKind::DirectoryNotEmpty);
            }
            (NodeBody::Dir { .. }, true) | (_, false) => {}
            (_, true) => return fail(ErrorKind::NotADirectory),
        }
        let at = self.at(dir, name)?;
        self.step(MetadataOperation::Unlink { at });
        Ok(())
    }

    pub(crate) fn link(&mut self, from: (NodeId, &[u8]), to: (NodeId, &[u8])) -> io::Result<()> {
        let id = self.lookup(from.0, from.1)?;
        let at = self.target(id, to)?;
        if self.tree.child(&at).is_some() {
            return fail(ErrorKind::AlreadyExists);
        }
        if self.node(id)?.kind() == FileKind::Dir {
            return fail(ErrorKind::PermissionDenied);
        }
        self.step(MetadataOperation::Link { id, at });
        Ok(())
    }

    /// Checks that a file may get a name in a folder.
    fn target(&self, id: NodeId, to: (NodeId, &[u8])) -> io::Result<EntryName> {
        let at = self.at(to.0, to.1)?;
        let folder = self.node(to.0)?;
        if folder.links == 0 {
            return fail(ErrorKind::NotFound);
        }
        if folder.dev != self.node(id)?.dev {
            return fail(ErrorKind::CrossesDevices);
        }
        Ok(at)
    }

    /// Returns true if a folder is `ancestor` or below it.
    fn lies_in(&self, mut dir: NodeId, ancestor: NodeId) -> bool {
        loop {
            if dir == ancestor {
                return true;
            }
            if dir == ROOT {
                return false;
            }
            dir = self.parent(dir);
        }
    }

    pub(crate) fn rename(
        &mut self,
        from: (NodeId, &[u8]),
        to: (NodeId, &[u8]),
        how: TargetExists,
    ) -> io::Result<()> {
        if how == TargetExists::Refuse && !self.features.no_replace {
            return fail(ErrorKind::Unsupported);
        }
        let id = self.lookup(from.0, from.1)?;
        let (from, to) = (self.at(from.0, from.1)?, self.target(id, to)?);
        let moves_folder = self.node(id)?.kind() == FileKind::Dir;
        let replaced = self.tree.child(&to);
        if how == TargetExists::Refuse && replaced.is_some() {
            return fail(ErrorKind::AlreadyExists);
        }
        if moves_folder && self.lies_in(to.dir, id) {
            return fail(if how == TargetExists::Refuse {
                ErrorKind::Unsupported
            } else {
                ErrorKind::InvalidInput
            });
        }
        if let Some(replaced) = replaced {
            if self.node(replaced)?.kind() == FileKind::Dir && self.lies_in(from.dir, replaced) {
                return fail(ErrorKind::DirectoryNotEmpty);
            }
            // Two names of one file: nothing is done, says POSIX.
            if replaced == id {
                return Ok(());
            }
            match (&self.node(replaced)?.body, moves_folder) {
                (NodeBody::Dir { .. }, false) => return fail(ErrorKind::IsADirectory),
                (NodeBody::Dir { entries, .. }, true) if !entries.is_empty() => {
                    return fail(ErrorKind::DirectoryNotEmpty);
                }
                (NodeBody::Dir { .. }, true) | (_, false) => {}
                (_, true) => return fail(ErrorKind::NotADirectory),
            }
        }
        self.step(MetadataOperation::Rename { from, to });
        Ok(())
    }

    pub(crate) fn exchange(&mut self, a: (NodeId, &[u8]), b: (NodeId, &[u8])) -> io::Result<()> {
        if !self.features.exchange {
            return fail(ErrorKind::Unsupported);
        }
        let (first, second) = (self.lookup(a.0, a.1)?, self.lookup(b.0, b.1)?);
        let (a, b) = (self.target(second, a)?, self.target(first, b)?);
        for (moved, into) in [(first, b.dir), (second, a.dir)] {
            // The system answers as it does to a flag that it does not know.
            if self.node(moved)?.kind() == FileKind::Dir && self.lies_in(into, moved) {
                return fail(ErrorKind::Unsupported);
            }
        }
        if first != second {
            self.step(MetadataOperation::Exchange { a, b });
        }
        Ok(())
    }
}

/// The components of a path, last first; empty ones and `.` left out.
fn split(path: &[u8]) -> Vec<Vec<u8>> {
    let parts = path.split(|byte| *byte == b'/').filter(|part| !matches!(*part, b"" | b"."));
    parts.rev().map(<[u8]>::to_vec).collect()
}
