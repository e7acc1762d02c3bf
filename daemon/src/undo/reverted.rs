//! Finds the entries of a selection whose changes an undo in the selection took back exactly: both are passed over, as if
//! neither had been made. It only reads the journal.

use std::collections::{BTreeMap, BTreeSet};

use editd_engine::Refusal;
use editd_proto::ids::{JobId, Version};
use editd_proto::message::{EntryKind, EntrySummary};

use crate::limits::REVERTED_SOUGHT;
use crate::state::WorkspaceState;
use crate::state::refusal::store_refusal;
use crate::store::{EntryQuery, PathDigest};

/// The versions of a file before and after a change.
type Versions = (Option<Version>, Option<Version>);

/// One entry of the selection.
struct SeenEntry {
    undone: bool,
    /// The entries that it undid as a whole, if it is an undo that stands.
    takes: Option<BTreeSet<JobId>>,
    is_change: bool,
    files: Vec<(PathDigest, Versions)>,
}

/// The changes of each path that are not passed over, oldest first.
type ChangeStacks = BTreeMap<PathDigest, Vec<(JobId, Versions)>>;

/// Returns the entries of a query that are to be passed over; none if there are more than
/// [`REVERTED_SOUGHT`] entries or files.
pub(super) fn reverted(state: &WorkspaceState, query: &EntryQuery) -> Result<BTreeSet<JobId>, Refusal> {
    let (mut seen, mut held) = (BTreeMap::new(), 0_usize);
    let mut has_undo = false;
    let query = EntryQuery { limit: 64, ..query.clone() };
    let mut see = |entry: EntrySummary| {
        held = held.saturating_add(1 + entry.files.len() + entry.of.len());
        has_undo |= entry.kind == EntryKind::Undo;
        seen.insert(entry.id, SeenEntry::of(entry));
        held <= REVERTED_SOUGHT
    };
    state.store.each(&query, &|_| true, &mut see).map_err(|error| store_refusal(&error))?;
    if held > REVERTED_SOUGHT || !has_undo {
        return Ok(BTreeSet::new());
    }
    let mut found = BTreeSet::new();
    let mut stacks = ChangeStacks::new();
    for (id, entry) in &seen {
        let parts = match entry.takes {
            Some(_) => state.store.parts_named(*id).map_err(|error| store_refusal(&error))?,
            None => Vec::new(),
        };
        if parts.is_empty() && took_back(&seen, &found, &mut stacks, entry) {
            found.insert(*id);
            found.extend(entry.takes.iter().flatten());
        } else {
            for (path, versions) in &entry.files {
                stacks.entry(*path).or_default().push((*id, versions.clone()));
            }
        }
    }
    Ok(found)
}

impl SeenEntry {
    fn of(entry: EntrySummary) -> Self {
        let is_change = matches!(entry.kind, EntryKind::Edit | EntryKind::External | EntryKind::Hook)
            && !entry.partly_undone;
        let takes = entry.kind == EntryKind::Undo && !entry.undone && !entry.partly_undone;
        let files =
            entry.files.into_iter().map(|file| (PathDigest::of(&file.path), (file.before, file.after)));
        Self {
            undone: entry.undone,
            files: files.collect(),
            takes: takes.then(|| entry.of.into_iter().collect()),
            is_change,
        }
    }
}

/// Returns true if an undo took back entries of the selection so that each file was again as it was before them, and removes
/// these from the stacks. Nothing but these entries changed the files in between.
fn took_back(
    seen: &BTreeMap<JobId, SeenEntry>,
    found: &BTreeSet<JobId>,
    stacks: &mut ChangeStacks,
    undo: &SeenEntry,
) -> bool {
    let Some(takes) = undo.takes.as_ref().filter(|takes| !takes.is_empty()) else { return false };
    let mut changes: BTreeMap<PathDigest, usize> = BTreeMap::new();
    for id in takes {
        let Some(entry) = seen.get(id).filter(|entry| entry.undone && entry.is_change) else { return false };
        if found.contains(id) {
            return false;
        }
        entry.files.iter().for_each(|(path, _)| *changes.entry(*path).or_default() += 1);
    }
    let mut left: BTreeMap<PathDigest, &Versions> =
        undo.files.iter().map(|(path, versions)| (*path, versions)).collect();
    for (path, number) in &changes {
        let Some(stack) = stacks.get(path) else { return false };
        let Some(first) = stack.len().checked_sub(*number) else { return false };
        let top = stack.get(first..).unwrap_or_default();
        let (Some((_, (before, _))), Some((_, (_, after)))) = (top.first(), top.last()) else { return false };
        let inverse = match left.remove(path) {
            Some((from, to)) => from == after && to == before,
            None => before == after,
        };
        if !inverse || top.iter().any(|(id, _)| !takes.contains(id)) {
            return false;
        }
    }
    if !left.is_empty() {
        return false;
    }
    for (path, number) in changes {
        if let Some(stack) = stacks.get_mut(&path) {
            stack.truncate(stack.len().saturating_sub(number));
        }
    }
    true
}
