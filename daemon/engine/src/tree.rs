//! The files of a job after each of its entries, so that an entry sees the renames of earlier entries. It moves no
//! file on the disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_types::{ContentHash, ErrorCode, FilePath};

use crate::diff::LineChange;
use crate::hash::hash;
use crate::limits;
use crate::plan::Budget;
use crate::refusal::{internal, no_room, refuse, too_large};
use crate::splice::compose;
use crate::{FileState, PlannedChange, QuotedLines, Refusal, Splice, WorkspaceSnapshot, splices_between};

/// The relation of a path's content to its content in the snapshot.
#[derive(Clone, Debug)]
enum NetChange {
    /// These splices turn the content in the snapshot into it.
    Spliced(Vec<Splice>),
    /// It is the content of another file, or the snapshot has no file there.
    Replaced,
}

/// The state of a path.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The current file.
    pub(crate) state: FileState,
    hash: Option<ContentHash>,
    net_change: NetChange,
    /// The numbers of added and removed lines, if one stage made the whole change.
    totals: Option<(u64, u64)>,
    /// The lines of the content in the snapshot that edits quote, if one stage made the whole change.
    quoted: QuotedLines,
    stages: u32,
}

/// A new content for a path.
pub(crate) struct Stage {
    /// The content.
    pub(crate) bytes: Arc<[u8]>,
    /// Its permission bits.
    pub(crate) mode: u32,
    /// Its hash.
    pub(crate) hash: ContentHash,
    /// The splices from the content before.
    pub(crate) splices: Vec<Splice>,
    /// The lines of the content before that edits quote.
    pub(crate) quoted: QuotedLines,
    /// The numbers of added and removed lines.
    pub(crate) totals: (u64, u64),
}

/// The paths of a job.
#[derive(Debug)]
pub(crate) struct Tree<'w> {
    snapshot: &'w WorkspaceSnapshot,
    /// The known hashes of the contents in the snapshot.
    hashes: &'w BTreeMap<FilePath, ContentHash>,
    nodes: BTreeMap<FilePath, Node>,
}

impl Node {
    fn new(state: FileState) -> Self {
        let net_change = NetChange::Spliced(Vec::new());
        Self { state, hash: None, net_change, totals: None, quoted: QuotedLines::default(), stages: 0 }
    }

    /// Returns the hash of the current content, which is computed once.
    pub(crate) fn hash(&mut self) -> Option<ContentHash> {
        if let (None, FileState::File { bytes, .. }) = (self.hash, &self.state) {
            self.hash = Some(hash(bytes));
        }
        self.hash
    }

    /// Returns the hash if it was computed already.
    pub(crate) fn known_hash(&self) -> Option<ContentHash> {
        self.hash
    }

    /// Takes over the state of another path.
    fn replace(&mut self, state: FileState, hash: Option<ContentHash>) {
        let (net_change, stages) = (NetChange::Replaced, self.stages + 1);
        *self = Self { state, hash, net_change, totals: None, quoted: QuotedLines::default(), stages };
    }

    /// Returns true if exactly one stage changed the content. Then the contents need not be compared.
    fn surely_differs(&self) -> bool {
        self.stages == 1 && matches!(&self.net_change, NetChange::Spliced(splices) if !splices.is_empty())
    }

    /// Returns the maximum size of the net splices, in bytes.
    fn weight(&self, before: &FileState) -> usize {
        match self.spliced(before) {
            Some(splices) => splices.iter().map(|splice| splice.old.len() + splice.new.len()).sum(),
            None => before.bytes().len() + self.state.bytes().len(),
        }
    }

    /// Returns the net splices, if stages turned one content into the other.
    fn spliced(&self, before: &FileState) -> Option<&[Splice]> {
        match &self.net_change {
            NetChange::Spliced(splices)
                if *before != FileState::Absent && self.state != FileState::Absent =>
            {
                Some(splices)
            }
            _ => None,
        }
    }

    fn net_splices(self, before: &FileState) -> Vec<Splice> {
        let whole = |bytes: &[u8]| bytes.to_vec();
        let one = |old: Vec<u8>, new: Vec<u8>| {
            if old == new { Vec::new() } else { vec![Splice { at: 0, old, new }] }
        };
        match (before, &self.state) {
            (FileState::Absent, FileState::Absent) => Vec::new(),
            (FileState::Absent, FileState::File { bytes, .. }) => one(Vec::new(), whole(bytes)),
            (FileState::File { bytes, .. }, FileState::Absent) => one(whole(bytes), Vec::new()),
            (FileState::File { bytes: old, .. }, FileState::File { bytes: new, .. }) => match self.net_change
            {
                NetChange::Spliced(splices) => splices,
                NetChange::Replaced => splices_between(old, new),
            },
        }
    }
}

impl<'w> Tree<'w> {
    /// Creates a tree that equals the snapshot.
    pub(crate) fn new(snapshot: &'w WorkspaceSnapshot, hashes: &'w BTreeMap<FilePath, ContentHash>) -> Self {
        Self { snapshot, hashes, nodes: BTreeMap::new() }
    }

    /// Returns the state of a path.
    ///
    /// # Errors
    /// `internal` if the caller did not provide the path.
    pub(crate) fn node(&mut self, path: &FilePath) -> Result<&mut Node, Refusal> {
        if !self.nodes.contains_key(path) {
            let state = self.snapshot.files.get(path).cloned();
            let state = state.ok_or_else(|| internal(format!("{path} was not read before planning")))?;
            let hash = self.hashes.get(path).copied().filter(|_| state != FileState::Absent);
            self.nodes.insert(path.clone(), Node { hash, ..Node::new(state) });
        }
        self.nodes.get_mut(path).ok_or_else(|| internal("a path was lost while planning"))
    }

    /// Returns the files at other paths, in the order of the paths.
    pub(crate) fn others(&self, path: &FilePath) -> impl Iterator<Item = (&FilePath, &[u8])> {
        let states = self
            .snapshot
            .files
            .iter()
            .map(|(path, state)| (path, self.nodes.get(path).map_or(state, |n| &n.state)));
        states.filter(move |(other, _)| *other != path).filter_map(|(path, state)| match state {
            FileState::File { bytes, .. } => Some((path, &**bytes)),
            FileState::Absent => None,
        })
    }

    /// Returns the content of a path before the job, and the changes that earlier entries made to it. Returns
    /// `None` if they made none, or replaced the file by another.
    pub(crate) fn earlier(&self, path: &FilePath) -> Option<(&[u8], &[Splice])> {
        let (before, node) = (self.snapshot.files.get(path)?, self.nodes.get(path)?);
        let splices = node.spliced(before).filter(|splices| !splices.is_empty())?;
        Some((before.bytes(), splices))
    }

    /// Stores a new content at a path.
    pub(crate) fn write(&mut self, path: &FilePath, stage: Stage) -> Result<(), Refusal> {
        let node = self.node(path)?;
        let existed = node.state != FileState::Absent;
        node.stages += 1;
        node.totals = (node.stages == 1).then_some(stage.totals);
        node.quoted = if node.stages == 1 { stage.quoted } else { QuotedLines::default() };
        node.net_change = match &node.net_change {
            NetChange::Spliced(first) if existed && first.is_empty() => NetChange::Spliced(stage.splices),
            NetChange::Spliced(first) if existed => {
                compose(first, &stage.splices).map_or(NetChange::Replaced, NetChange::Spliced)
            }
            _ => NetChange::Replaced,
        };
        node.state = FileState::File { bytes: stage.bytes, mode: stage.mode };
        node.hash = Some(stage.hash);
        Ok(())
    }

    /// Refuses a file at a path that another file of the job needs as a folder, or below a path that is a file.
    ///
    /// # Errors
    /// `missing`, with the path that is not a folder.
    pub(crate) fn check_room(&self, path: &FilePath) -> Result<(), Refusal> {
        let bytes = path.as_bytes();
        let is_file = |node: &Node| node.state != FileState::Absent;
        let no_folder = |path: &FilePath| {
            let message = format!("{path} is a file of this job and not a folder; choose another path");
            Err(refuse(ErrorCode::Missing, message))
        };
        for end in memchr::memchr_iter(b'/', bytes) {
            let above = FilePath::new(bytes.get(..end).unwrap_or_default());
            if self.nodes.get(&above).is_some_and(is_file) {
                return no_folder(&above);
            }
        }
        let below = FilePath::new([bytes, b"/"].concat());
        let inside = self
            .nodes
            .range(&below..)
            .take_while(|(other, _)| other.as_bytes().starts_with(below.as_bytes()));
        if inside.map(|(_, node)| node).any(is_file) { no_folder(path) } else { Ok(()) }
    }

    /// Sets the permission bits. Returns true if they differ.
    pub(crate) fn chmod(&mut self, path: &FilePath, mode: u32) -> Result<bool, Refusal> {
        let node = self.node(path)?;
        if let FileState::File { mode: old, .. } = &mut node.state {
            let changed = *old != mode;
            *old = mode;
            return Ok(changed);
        }
        Ok(false)
    }

    /// Removes the file at a path.
    pub(crate) fn remove(&mut self, path: &FilePath) -> Result<(), Refusal> {
        self.node(path)?.replace(FileState::Absent, None);
        Ok(())
    }

    /// Copies the file at `from` to `to`. Returns true if that changes the file at `to`.
    pub(crate) fn copy(&mut self, from: &FilePath, to: &FilePath) -> Result<bool, Refusal> {
        let node = self.node(from)?;
        let (state, hash) = (node.state.clone(), node.hash);
        let target = self.node(to)?;
        let changed = target.state != state;
        if changed {
            target.replace(state, hash);
        }
        Ok(changed)
    }

    /// Returns the net changes, in the order of `paths`.
    ///
    /// # Errors
    /// `too_large` if their splices have more than `limits::CHANGE` bytes, `busy` if there is no room for them.
    pub(crate) fn changes(
        mut self,
        paths: &[FilePath],
        budget: &Budget,
    ) -> Result<Vec<PlannedChange>, Refusal> {
        let mut changes = Vec::new();
        let mut held = 0usize;
        for path in paths {
            let (Some(before), Some(mut node)) = (self.snapshot.files.get(path), self.nodes.remove(path))
            else {
                continue;
            };
            if !node.surely_differs() && *before == node.state {
                continue;
            }
            let weight = node.weight(before);
            held = held.saturating_add(weight);
            if held > limits::CHANGE {
                let message = "this job changes more bytes than a job may; send it as several jobs";
                return Err(Box::new(too_large(message, limits::CHANGE).at(path)));
            }
            // The room for splices of stages was taken when these were made. Splices of a copy or a
            // removal are made here.
            if node.spliced(before).is_none() && !budget.make(weight) {
                return Err(no_room());
            }
            let (totals, after, hash) = (node.totals, node.state.clone(), node.hash);
            let quoted = std::mem::take(&mut node.quoted);
            let splices = node.net_splices(before);
            let (added, removed) =
                totals.unwrap_or_else(|| LineChange::new(before, &after, &splices).totals());
            changes.push(PlannedChange {
                path: path.clone(),
                before: before.clone(),
                after,
                hash,
                splices,
                quoted,
                added,
                removed,
            });
        }
        Ok(changes)
    }
}
