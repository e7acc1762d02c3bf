//! The contents of a folder, for comparing: names, kinds, modes and bytes, without times and inode numbers; and a hash
//! of the whole disk, with them.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use super::system::SystemState;
use super::tree::{NodeBody, NodeId};

/// One thing in a folder.
#[derive(Clone, PartialEq, Eq)]
pub enum SnapshotNode {
    /// A regular file.
    File {
        /// Its permission bits.
        mode: u32,
        /// Its content.
        bytes: Vec<u8>,
    },
    /// A folder.
    Dir {
        /// Its permission bits.
        mode: u32,
    },
    /// A symbolic link.
    Link {
        /// The path in the link.
        target: Vec<u8>,
    },
    /// A FIFO, socket or device.
    Other,
}

impl SnapshotNode {
    /// The content of a file.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File { bytes, .. } => Some(bytes),
            _ => None,
        }
    }
}

impl fmt::Debug for SnapshotNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotNode::File { mode, bytes } => {
                let start = bytes.get(..200).unwrap_or(bytes);
                write!(f, "{mode:o} {} bytes {:?}", bytes.len(), String::from_utf8_lossy(start))
            }
            SnapshotNode::Dir { mode } => write!(f, "{mode:o} folder"),
            SnapshotNode::Link { target } => write!(f, "link to {:?}", String::from_utf8_lossy(target)),
            SnapshotNode::Other => f.write_str("special"),
        }
    }
}

/// Everything in a folder and below, by its path from there.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct MachineSnapshot(pub BTreeMap<Vec<u8>, SnapshotNode>);

impl fmt::Debug for MachineSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.0.iter().map(|(path, seen)| (String::from_utf8_lossy(path), seen)))
            .finish()
    }
}

impl MachineSnapshot {
    /// A file's content, if the path is one.
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        match self.0.get(path.as_bytes()) {
            Some(SnapshotNode::File { bytes, .. }) => Some(bytes),
            _ => None,
        }
    }

    /// The same without a folder and what lies below it.
    #[must_use]
    pub fn without(mut self, folder: &str) -> Self {
        let below = format!("{folder}/");
        self.0.retain(|path, _| path != folder.as_bytes() && !path.starts_with(below.as_bytes()));
        self
    }

    pub(super) fn take(system: &SystemState, path: &[u8]) -> io::Result<Self> {
        let mut found = BTreeMap::new();
        let mut waiting: Vec<(Vec<u8>, NodeId)> = vec![(Vec::new(), system.walk(path, true)?)];
        while let Some((prefix, id)) = waiting.pop() {
            let Some(NodeBody::Dir { entries, .. }) = system.tree().get(id).map(|node| &node.body) else {
                return Err(io::Error::from(io::ErrorKind::NotADirectory));
            };
            for (name, id) in entries {
                let mut path = prefix.clone();
                path.extend_from_slice(name);
                let Some(node) = system.tree().get(*id) else { continue };
                let mode = node.attributes.mode;
                let seen = match &node.body {
                    NodeBody::File => {
                        let bytes = system.data(*id).map(|data| data.seen().all()).unwrap_or_default();
                        SnapshotNode::File { mode, bytes }
                    }
                    NodeBody::Dir { .. } => {
                        waiting.push(([path.as_slice(), b"/"].concat(), *id));
                        SnapshotNode::Dir { mode }
                    }
                    NodeBody::Link { target } => SnapshotNode::Link { target: target.clone() },
                    NodeBody::Special => SnapshotNode::Other,
                };
                found.insert(path, seen);
            }
        }
        Ok(Self(found))
    }
}

/// Returns a hash of all files, folders and links with their metadata, as processes see them. Disks with equal hashes
/// differ at most in the clock of the machine and in the changes that another power cut could lose.
pub(super) fn disk_hash(system: &SystemState) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for (id, node) in &system.tree().nodes {
        hasher.update(format!("{id} {node:?}").as_bytes());
        if let Some(data) = system.data(*id) {
            data.seen().add_to(&mut hasher);
        }
    }
    hasher.finalize().into()
}
