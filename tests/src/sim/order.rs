//! The order of changes of names and metadata on a disk that keeps no common order: the earlier changes that each one
//! needs. Pure.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::tree::{At, Id, MetadataChange, SimTree, What};

/// The names and files that a step needs and changes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Reach {
    /// The names that it changes.
    names: Vec<At>,
    /// The files, folders and links that it makes, names, unnames or alters.
    subjects: Vec<Id>,
}

impl Reach {
    /// The reach of a step that is about to be done on a tree.
    pub(super) fn of(what: &What, tree: &SimTree) -> Self {
        let (names, known): (Vec<&At>, Option<Id>) = match what {
            What::Create { id, at, .. } | What::Link { id, at } => (vec![at], Some(*id)),
            What::Unlink { at } => (vec![at], None),
            What::Rename { from, to } => (vec![from, to], None),
            What::Exchange { a, b } => (vec![a, b], None),
            What::Attributes { id, .. } => (Vec::new(), Some(*id)),
        };
        let subjects = names.iter().filter_map(|at| tree.child(at)).chain(known).collect();
        Self { names: names.into_iter().cloned().collect(), subjects }
    }
}

/// Everything that some steps reach.
#[derive(Default)]
struct Reached<'a> {
    names: BTreeSet<(Id, &'a [u8])>,
    folders: BTreeSet<Id>,
    subjects: BTreeSet<Id>,
}

impl<'a> Reached<'a> {
    fn add(&mut self, reach: &'a Reach) {
        self.names.extend(reach.names.iter().map(|at| (at.dir, at.name.as_slice())));
        self.folders.extend(reach.names.iter().map(|at| at.dir));
        self.subjects.extend(&reach.subjects);
    }

    /// Returns true if the order of a step and these must be kept: they share a name or a subject, or one changes the
    /// folder in which the other works.
    fn meets(&self, reach: &Reach) -> bool {
        let shares =
            |at: &At| self.names.contains(&(at.dir, at.name.as_slice())) || self.subjects.contains(&at.dir);
        let subject = |id: &Id| self.subjects.contains(id) || self.folders.contains(id);
        reach.names.iter().any(shares) || reach.subjects.iter().any(subject)
    }
}

/// Splits steps into those that are wanted, with the earlier ones that these need, and the rest.
pub(super) fn closure(
    steps: &[Arc<MetadataChange>],
    wanted: impl Fn(&MetadataChange) -> bool,
) -> (Vec<Arc<MetadataChange>>, Vec<Arc<MetadataChange>>) {
    let mut reached = Reached::default();
    let (mut taken, mut left) = (Vec::new(), Vec::new());
    for step in steps.iter().rev() {
        if wanted(step) || reached.meets(&step.reach) {
            reached.add(&step.reach);
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
    let mut lost = Reached::default();
    let mut kept = Vec::new();
    for step in steps {
        if !lost.meets(&step.reach) && keep() {
            kept.push(Arc::clone(step));
        } else {
            lost.add(&step.reach);
        }
    }
    kept
}
