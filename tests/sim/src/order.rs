//! The order of changes of names and metadata on a disk that keeps no common order: the earlier changes that each one
//! needs. Pure.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::tree::{EntryName, MetadataChange, MetadataOperation, NodeId, SimTree};

/// The names and files that a step needs and changes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ChangeScope {
    /// The names that it changes.
    names: Vec<EntryName>,
    /// The files, folders and links that it makes, names, unnames or alters.
    subjects: Vec<NodeId>,
}

impl ChangeScope {
    /// The reach of a step that is about to be done on a tree.
    pub(super) fn of(what: &MetadataOperation, tree: &SimTree) -> Self {
        let (names, known): (Vec<&EntryName>, Option<NodeId>) = match what {
            MetadataOperation::Create { id, at, .. } | MetadataOperation::Link { id, at } => {
                (vec![at], Some(*id))
            }
            MetadataOperation::Unlink { at } => (vec![at], None),
            MetadataOperation::Rename { from, to } => (vec![from, to], None),
            MetadataOperation::Exchange { a, b } => (vec![a, b], None),
            MetadataOperation::Attributes { id, .. } => (Vec::new(), Some(*id)),
        };
        let subjects = names.iter().filter_map(|at| tree.child(at)).chain(known).collect();
        Self { names: names.into_iter().cloned().collect(), subjects }
    }
}

/// Everything that some steps reach.
#[derive(Default)]
struct ScopeUnion<'a> {
    names: BTreeSet<(NodeId, &'a [u8])>,
    folders: BTreeSet<NodeId>,
    subjects: BTreeSet<NodeId>,
}

impl<'a> ScopeUnion<'a> {
    fn add(&mut self, scope: &'a ChangeScope) {
        self.names.extend(scope.names.iter().map(|at| (at.dir, at.name.as_slice())));
        self.folders.extend(scope.names.iter().map(|at| at.dir));
        self.subjects.extend(&scope.subjects);
    }

    /// Returns true if the order of a step and these must be kept: they share a name or a subject, or one changes the
    /// folder in which the other works.
    fn meets(&self, scope: &ChangeScope) -> bool {
        let shares = |at: &EntryName| {
            self.names.contains(&(at.dir, at.name.as_slice())) || self.subjects.contains(&at.dir)
        };
        let subject = |id: &NodeId| self.subjects.contains(id) || self.folders.contains(id);
        scope.names.iter().any(shares) || scope.subjects.iter().any(subject)
    }
}

/// Splits steps into those that are wanted, with the earlier ones that these need, and the rest.
pub(super) fn closure(
    steps: &[Arc<MetadataChange>],
    wanted: impl Fn(&MetadataChange) -> bool,
) -> (Vec<Arc<MetadataChange>>, Vec<Arc<MetadataChange>>) {
    let mut reached = ScopeUnion::default();
    let (mut taken, mut left) = (Vec::new(), Vec::new());
    for step in steps.iter().rev() {
        if wanted(step) || reached.meets(&step.scope) {
            reached.add(&step.scope);
            taken.push(Arc::clone(step));
        } else {
            left.push(Arc::clone(step));
        }
    }
    taken.reverse();
    left.reverse();
    (taken, left)
}

/// The steps that are there if each that needs no lost one is there or not as `keep` says.
pub(super) fn survivors(
    steps: &[Arc<MetadataChange>],
    mut keep: impl FnMut() -> bool,
) -> Vec<Arc<MetadataChange>> {
    let mut lost = ScopeUnion::default();
    let mut kept = Vec::new();
    for step in steps {
        if !lost.meets(&step.scope) && keep() {
            kept.push(Arc::clone(step));
        } else {
            lost.add(&step.scope);
        }
    }
    kept
}
