//! Computes the change of one file of an entry with its whole contents, as far as they are still kept. It changes
//! nothing.

use editd_engine::{FileState, LineChange, Splice};
use editd_proto::ids::{ContentHash, Version};

use super::past::{self, PastBudget};
use crate::disk::observation::hash;
use crate::record::{FileMeta, FileRecord};
use crate::state::WorkspaceState;

/// Returns the states of a file before and after an entry if one of them is kept whole: the splices make the other
/// from it. `now` is the present content, from which the inverses of later entries can be applied.
pub fn states(
    state: &WorkspaceState,
    file: &FileRecord,
    now: Option<(&FileState, &PastBudget)>,
) -> Option<(FileState, FileState)> {
    let whole = |meta: &Option<FileMeta>| match meta {
        None => Some(Vec::new()),
        Some(meta) => state.store.content(meta.hash),
    };
    let carried = match (&file.before, file.splices.as_slice()) {
        (Some(meta), [one]) if one.at == 0 && one.old.len() as u64 == meta.size => Some(one.old.clone()),
        _ => None,
    };
    let (before, after) = match carried.or_else(|| whole(&file.before)) {
        Some(before) => {
            let after = editd_engine::apply(&before, &file.splices)?;
            (before, after)
        }
        None => {
            let left = || now.and_then(|(now, patience)| held(state, file, now, patience));
            let after = whole(&file.after).or_else(left)?;
            let before = editd_engine::apply(&after, &editd_engine::invert(&file.splices))?;
            (before, after)
        }
    };
    Some((file_state(before, file.before.as_ref())?, file_state(after, file.after.as_ref())?))
}

/// Returns true if the content before a change was not known when it was journaled: then its only splice has the whole
/// content after it, or nothing for a deletion, and is no insertion.
pub fn lacks_before(file: &FileRecord) -> bool {
    let (Some(before), [one]) = (&file.before, file.splices.as_slice()) else { return false };
    let is_after = match &file.after {
        Some(after) => hash(&one.new) == after.hash,
        None => one.new.is_empty(),
    };
    one.at == 0 && one.old.is_empty() && before.hash != hash(&[]) && is_after
}

/// Returns the content that an entry left, made from the present content.
fn held(
    state: &WorkspaceState,
    file: &FileRecord,
    now: &FileState,
    patience: &PastBudget,
) -> Option<Vec<u8>> {
    content(state, file, now, file.after.as_ref()?.hash, patience)
}

/// Returns a content that a file of an entry had: the present one, a kept one, or the present one with the inverses
/// of later entries applied.
pub fn content(
    state: &WorkspaceState,
    file: &FileRecord,
    now: &FileState,
    wanted: ContentHash,
    patience: &PastBudget,
) -> Option<Vec<u8>> {
    let now = match now {
        FileState::Absent => None,
        FileState::File { bytes, .. } => Some((hash(bytes), &**bytes)),
    };
    if let Some((_, bytes)) = now.filter(|(hash, _)| *hash == wanted) {
        return Some(bytes.to_vec());
    }
    let past = || past::content(state, (&file.path, 0), now, patience, &|hash, _| hash == wanted);
    state.store.content(wanted).or_else(|| past().map(|(_, bytes)| bytes))
}

/// Returns the version of a state; `None` if there is no file.
pub fn version(state: &FileState) -> Option<Version> {
    match state {
        FileState::Absent => None,
        FileState::File { bytes, .. } => Some(hash(bytes).version()),
    }
}

/// Returns the change between two states of an entry's file, compared as when its lines were counted.
pub fn lines<'s>(file: &FileRecord, before: &'s FileState, after: &'s FileState) -> LineChange<'s> {
    LineChange::new(before, after, &file.planned(before.bytes(), after.bytes(), 0))
}

/// Returns splices that turn one state into another; one whole splice if finer ones would be wrong.
pub fn splices(before: &FileState, after: &FileState) -> Vec<Splice> {
    let (old, new) = (before.bytes(), after.bytes());
    if old == new {
        return Vec::new();
    }
    let fine = editd_engine::splices_between(old, new);
    match editd_engine::apply(old, &fine) {
        Some(made) if *made == *new => fine,
        _ => vec![Splice { at: 0, old: old.to_vec(), new: new.to_vec() }],
    }
}

/// Returns a state with these bytes; `None` if they differ from the recorded ones.
fn file_state(bytes: Vec<u8>, meta: Option<&FileMeta>) -> Option<FileState> {
    match meta {
        None => bytes.is_empty().then_some(FileState::Absent),
        Some(meta) => {
            let same = hash(&bytes) == meta.hash;
            same.then(|| FileState::File { bytes: bytes.into(), mode: meta.mode })
        }
    }
}
