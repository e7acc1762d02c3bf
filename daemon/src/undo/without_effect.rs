//! Finds the parts of entries whose undo changed nothing in their file, since others had reverted them before. A redo
//! leaves that file as it is. It only reads the journal.

use std::collections::BTreeMap;

use editd_engine::Refusal;
use editd_proto::ids::JobId;
use editd_proto::message::{EntryKind, EntrySummary};
use editd_proto::path::FilePath;

use super::choose::{SelectedPart, files_of};
use super::select::summary;
use crate::record::{Entry, EntryPart, FilePart};
use crate::state::WorkspaceState;
use crate::state::refusal::store_refusal;
use crate::store::EntryQuery;
use crate::store::taken::TakenBack;

/// The undone part of an entry that a redo restores.
struct RestoredEntry<'e> {
    entry: &'e Entry,
    /// The undone parts whose undo is not found yet.
    sought: TakenBack,
    without_effect: Vec<FilePart>,
}

/// Returns the undone parts of the entries to restore whose undo changed nothing, by entry.
pub(super) fn without_effect(
    state: &WorkspaceState,
    choices: &[SelectedPart],
    entries: &[Entry],
) -> Result<BTreeMap<JobId, Vec<FilePart>>, Refusal> {
    let mut restored: BTreeMap<JobId, RestoredEntry<'_>> = BTreeMap::new();
    for (choice, entry) in choices.iter().zip(entries).filter(|(choice, _)| !choice.taken) {
        let sought = state.store.taken_back(choice.id).map_err(|error| store_refusal(&error))?;
        restored.insert(choice.id, RestoredEntry { entry, sought, without_effect: Vec::new() });
    }
    let Some(oldest) = restored.keys().next().copied() else { return Ok(BTreeMap::new()) };
    let query = EntryQuery { after: Some(oldest), limit: 64, ..EntryQuery::default() };
    let mut failed = None;
    let see = &mut |later: EntrySummary| {
        if later.kind == EntryKind::Undo && later.of.iter().any(|id| restored.contains_key(id)) {
            failed = attribute(state, &mut restored, &later).err();
        }
        failed.is_none() && restored.values().any(|one| !one.sought.is_empty())
    };
    state.store.each(&query, &|_| true, see).map_err(|error| store_refusal(&error))?;
    match failed {
        Some(refusal) => Err(refusal),
        None => Ok(restored.into_iter().map(|(id, one)| (id, one.without_effect)).collect()),
    }
}

/// Takes the parts that an undo undid from those that are sought, and notes those whose file it did not change.
fn attribute(
    state: &WorkspaceState,
    restored: &mut BTreeMap<JobId, RestoredEntry<'_>>,
    undo: &EntrySummary,
) -> Result<(), Refusal> {
    let named = state.store.parts_named(undo.id).map_err(|error| store_refusal(&error))?;
    for id in &undo.of {
        let Some(one) = restored.get(id) else { continue };
        let (entry, files) = (one.entry, files_of(one.entry));
        let all = |file| FilePart { file, hunks: Vec::new(), total: 0 };
        let mut parts: Vec<FilePart> =
            named.iter().filter(|part| part.entry == *id).map(|part| part.part.clone()).collect();
        if parts.is_empty() {
            parts = (0..files).map(all).collect();
        }
        let mut found = Vec::new();
        for part in one.sought.among(&parts) {
            let file = usize::try_from(part.file).ok().and_then(|file| entry.files.get(file));
            let unchanged = file.filter(|file| undo.files.iter().all(|other| other.path != file.path));
            if let Some(file) = unchanged
                && restores_all(state, restored, (undo, &named), &file.path)?
            {
                found.push(part);
            }
        }
        let Some(one) = restored.get_mut(id) else { continue };
        parts.iter().for_each(|part| one.sought.set(files, part, false));
        one.without_effect.extend(found);
    }
    Ok(())
}

/// Returns true if a request restores all entries that an undo undid in a file. Each of several may have changed the
/// file although all together did not.
fn restores_all(
    state: &WorkspaceState,
    restored: &BTreeMap<JobId, RestoredEntry<'_>>,
    (undo, named): (&EntrySummary, &[EntryPart]),
    path: &FilePath,
) -> Result<bool, Refusal> {
    for id in undo.of.iter().filter(|id| !restored.contains_key(id)) {
        let Some(of) = summary(state, *id)? else { continue };
        if matches!(of.kind, EntryKind::Undo | EntryKind::Redo) {
            continue;
        }
        let mut parts = named.iter().filter(|part| part.entry == *id).peekable();
        let is_whole = parts.peek().is_none();
        let is_meant = |number: u32| is_whole || parts.clone().any(|part| part.part.file == number);
        if (0..).zip(&of.files).any(|(number, file)| file.path == *path && is_meant(number)) {
            return Ok(false);
        }
    }
    Ok(true)
}
