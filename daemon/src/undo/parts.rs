//! Selection of parts of entries: some of their files or hunks, or the parts that an earlier undo undid. It only reads
//! the journal.

use std::collections::BTreeMap;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{EntryKind, EntrySummary};

use super::UndoDirection;
use super::choose::{SelectedPart, WantedPart};
use super::select::{SelectedEntries, no_mark, summary};
use crate::journal::entry::entry_of;
use crate::record::{EntryPart, FilePart};
use crate::state::WorkspaceState;
use crate::state::refusal::{no_entry, store_refusal};

/// Selects the wanted part of the named entries; `None` if whole entries are meant.
pub(super) fn select(
    state: &WorkspaceState,
    ids: &[JobId],
    want: &WantedPart,
    direction: UndoDirection,
) -> Result<Option<SelectedEntries>, Refusal> {
    match direction {
        UndoDirection::Undo if matches!(want, WantedPart::Everything) => Ok(None),
        UndoDirection::Undo => undone(state, ids, want).map(Some),
        UndoDirection::Redo => redone(state, ids, want),
    }
}

/// Selects the named entries, of which parts shall be undone, newest first, with the entries of their hooks on the same
/// files.
fn undone(state: &WorkspaceState, ids: &[JobId], want: &WantedPart) -> Result<SelectedEntries, Refusal> {
    let mut choices = BTreeMap::new();
    for id in ids {
        let entry = summary(state, entry_of(state, *id)?)?.ok_or_else(|| no_entry(state, *id))?;
        no_mark(&entry)?;
        if matches!(entry.kind, EntryKind::Undo | EntryKind::Redo) {
            return Err(not_of_parts(&entry));
        }
        if let WantedPart::Files(paths, _) = want {
            for hook in state.store.hooks_of(entry.id).map_err(|error| store_refusal(&error))? {
                let want = WantedPart::Files(paths.clone(), false);
                choices.entry(hook).or_insert(SelectedPart::to_undo(hook, want));
            }
        }
        choices.insert(entry.id, SelectedPart::to_undo(entry.id, want.clone()));
    }
    let marks = choices.keys().copied().collect();
    let choices = choices.into_values().rev().collect();
    Ok(SelectedEntries { choices, kind: EntryKind::Undo, marks, mixed: false })
}

/// Selects the named entries, of which parts shall be restored, oldest first; `None` if whole undos are meant.
fn redone(
    state: &WorkspaceState,
    ids: &[JobId],
    want: &WantedPart,
) -> Result<Option<SelectedEntries>, Refusal> {
    let mut choices: BTreeMap<JobId, SelectedPart> = BTreeMap::new();
    for id in ids {
        let entry = summary(state, entry_of(state, *id)?)?.ok_or_else(|| no_entry(state, *id))?;
        if entry.kind == EntryKind::Redo {
            // The undo that undid it restores it, as a whole.
            return if matches!(want, WantedPart::Everything) { Ok(None) } else { Err(not_of_parts(&entry)) };
        }
        let undo = entry.kind == EntryKind::Undo;
        if matches!(want, WantedPart::Everything) && (undo || !was_in_parts(state, &entry)?) {
            return Ok(None);
        }
        if undo && (matches!(want, WantedPart::Hunks(..)) && entry.of.len() > 1) {
            return Err(not_of_parts(&entry));
        }
        let mut named = if undo { changes_of(state, &entry)? } else { vec![entry.id] };
        if !undo && !matches!(want, WantedPart::Hunks(..)) {
            named.extend(state.store.hooks_of(entry.id).map_err(|error| store_refusal(&error))?);
        }
        for of in named {
            if state.store.taken_back(of).map_err(|error| store_refusal(&error))?.is_empty() && of != entry.id
            {
                continue;
            }
            let want = match want {
                WantedPart::Files(paths, _) => WantedPart::Files(paths.clone(), of == entry.id),
                other => other.clone(),
            };
            choices.insert(of, SelectedPart::to_restore(of, want));
        }
    }
    let marks = choices.keys().copied().collect();
    let choices = choices.into_values().collect();
    Ok(Some(SelectedEntries { choices, kind: EntryKind::Redo, marks, mixed: false }))
}

/// Returns the entries with changes of their own that an undo names. A redo that it undid is beside what that had redone.
///
/// # Errors
/// `malformed` for an undo of undos, or of a redo of these.
fn changes_of(state: &WorkspaceState, undo: &EntrySummary) -> Result<Vec<JobId>, Refusal> {
    let mut named = Vec::with_capacity(undo.of.len());
    for id in &undo.of {
        match summary(state, *id)? {
            Some(of) if is_repeated(undo, &of) => {}
            Some(of) if matches!(of.kind, EntryKind::Undo | EntryKind::Redo) => {
                return Err(not_of_parts(undo));
            }
            _ => named.push(*id),
        }
    }
    Ok(named)
}

/// Returns true for a redo that an undo names beside all entries that it had redone.
fn is_repeated(undo: &EntrySummary, of: &EntrySummary) -> bool {
    of.kind == EntryKind::Redo && of.of.iter().all(|id| undo.of.contains(id))
}

/// Returns true for an entry that was undone in parts: a redo then restores all of them, whichever undo removed them.
fn was_in_parts(state: &WorkspaceState, entry: &EntrySummary) -> Result<bool, Refusal> {
    if entry.partly_undone {
        return Ok(true);
    }
    if !entry.undone {
        return Ok(false);
    }
    let mut query = crate::store::EntryQuery { limit: 64, ..crate::store::EntryQuery::default() };
    loop {
        let page = state.store.history(&query).map_err(|error| store_refusal(&error))?;
        for later in &page {
            if later.id <= entry.id {
                return Ok(false);
            }
            if later.kind == EntryKind::Undo && later.of.contains(&entry.id) {
                return Ok(!parts_of(state, later.id, entry.id)?.is_empty());
            }
        }
        let Some(last) = page.last() else { return Ok(false) };
        query.before = Some(last.id);
    }
}

/// Returns true if anything that an undo or redo names of an entry is undone now.
pub(super) fn took_some(state: &WorkspaceState, by: JobId, of: JobId) -> Result<bool, Refusal> {
    let named = parts_of(state, by, of)?;
    let taken = state.store.taken_back(of).map_err(|error| store_refusal(&error))?;
    Ok(if named.is_empty() { !taken.is_empty() } else { !taken.among(&named).is_empty() })
}

fn parts_of(state: &WorkspaceState, by: JobId, of: JobId) -> Result<Vec<FilePart>, Refusal> {
    let named = state.store.parts_named(by).map_err(|error| store_refusal(&error))?;
    let of = |part: EntryPart| (part.entry == of).then_some(part.part);
    Ok(named.into_iter().filter_map(of).collect())
}

/// Returns true for an undo that is still in force, at least in part.
pub(super) fn stands(state: &WorkspaceState, entry: &EntrySummary) -> Result<bool, Refusal> {
    if entry.kind != EntryKind::Undo {
        return Ok(false);
    }
    let mut some = false;
    for id in &entry.of {
        let Some(of) = summary(state, *id)? else { return Ok(false) };
        if is_repeated(entry, &of) {
            continue;
        }
        let named = parts_of(state, entry.id, *id)?;
        if named.is_empty() && !of.partly_undone {
            if !of.undone {
                return Ok(false);
            }
            some = true;
        } else {
            some |= took_some(state, entry.id, *id)?;
        }
    }
    Ok(some)
}

/// Returns the choices that undo an undo which was partial, or of which parts were restored since; `None` if its own
/// inverse does that.
pub(super) fn brought_back(
    state: &WorkspaceState,
    undo: &EntrySummary,
) -> Result<Option<Vec<SelectedPart>>, Refusal> {
    let (mut choices, mut in_parts) = (Vec::new(), false);
    // Its own inverse restores the parts, unless some of them were restored since.
    let mut is_exact = true;
    for id in &undo.of {
        let Some(of) = summary(state, *id)? else { return Ok(None) };
        if is_repeated(undo, &of) {
            continue;
        }
        if matches!(of.kind, EntryKind::Undo | EntryKind::Redo) {
            return Ok(None);
        }
        let named = parts_of(state, undo.id, *id)?;
        in_parts |= of.partly_undone || !named.is_empty();
        let taken = state.store.taken_back(*id).map_err(|error| store_refusal(&error))?;
        let standing = taken.among(&named);
        is_exact &= if named.is_empty() { taken.is_whole() } else { standing == named };
        if taken.is_empty() {
            continue;
        }
        let want = if named.is_empty() { WantedPart::Everything } else { WantedPart::Parts(standing) };
        choices.push(SelectedPart::to_restore(*id, want));
    }
    for choice in choices.iter_mut().filter(|_| is_exact) {
        choice.undo = Some(undo.id);
    }
    Ok(in_parts.then_some(choices))
}

fn not_of_parts(entry: &EntrySummary) -> Refusal {
    let (id, of) = (entry.id, entry.of.first().copied().unwrap_or(entry.id));
    let message =
        format!("entry {id} has no parts of its own; name the entry that it undoes or redoes ({of})");
    Box::new(RequestError::new(ErrorCode::Malformed, message))
}

#[cfg(all(test, unix))]
mod tests;
