//! Applies undos and redos of entries in memory, one after the other: each must find the content that it starts from,
//! or is merged into the present one. A refusal names the later entries with their owners.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use editd_engine::{FileState, Refusal};
use editd_proto::error::{ErrorCode, RequestError, WouldApply};
use editd_proto::ids::JobId;
use editd_proto::message::{EntryKind, EntrySummary, LaterEntry, OnStale};
use editd_proto::path::FilePath;

use super::merged;
use super::restored;
use super::select::is_rescue;
use super::turn::FileTurn;
use crate::caller::Caller;
use crate::disk::restore::RestoredFile;
use crate::journal::past::PastBudget;
use crate::record::{ChangeMethod, Entry, FileRecord};
use crate::state::WorkspaceState;
use crate::store::EntryQuery;
use crate::store::taken::{FileTaken, TakenBack};

/// The most later entries that a refusal lists.
const LATER_LISTED: usize = 20;
/// The most entries of a path that are searched for them.
const LATER_SEARCHED: usize = 1000;

/// One entry, and its undone parts before and after.
pub(super) struct EntryTurn {
    pub(super) entry: Entry,
    pub(super) from: TakenBack,
    pub(super) to: TakenBack,
    /// The undo that this turn reverts. Where a file shows what this undo left, its own inverse is exact, even if the
    /// undo had been merged into later changes.
    pub(super) undo: Option<Arc<Entry>>,
}

impl EntryTurn {
    /// Returns the files that it turns.
    fn files(&self) -> impl Iterator<Item = (u32, &FileRecord)> {
        let turned =
            |(number, _): &(u32, &FileRecord)| self.from.of_file(*number) != self.to.of_file(*number);
        (0..).zip(&self.entry.files).filter(turned)
    }

    /// Returns the changes by the undo that it reverts, by path.
    fn undone(&self) -> BTreeMap<&FilePath, (JobId, &FileRecord)> {
        let undo = self.undo.iter();
        undo.flat_map(|undo| undo.files.iter().map(|file| (&file.path, (undo.id, file)))).collect()
    }

    /// Returns the paths that it turns.
    pub(super) fn paths(&self) -> impl Iterator<Item = &FilePath> {
        self.files().map(|(_, file)| &file.path)
    }

    /// Returns the folders created for the files that it removes, each list outermost first.
    pub(super) fn unmade(&self) -> Vec<Vec<FilePath>> {
        let gone = self
            .files()
            .filter(|(number, file)| file.before.is_none() && self.to.of_file(*number) == FileTaken::Whole);
        gone.map(|(_, file)| file.made.clone()).filter(|made| !made.is_empty()).collect()
    }
}

/// The result of [`unwind`], beside the states.
#[derive(Default)]
pub(super) struct UnwoundFiles {
    /// The paths of files with later changes, into which a turn was merged.
    pub(super) merged: BTreeSet<FilePath>,
    /// The removed files that are made again.
    pub(super) restored: BTreeMap<FilePath, RestoredFile>,
}

/// Applies turns of entries, in the order given, to the states of their files.
pub(super) fn unwind(
    state: &WorkspaceState,
    caller: &Caller,
    turns: &[EntryTurn],
    states: &mut BTreeMap<FilePath, FileState>,
    on_stale: OnStale,
) -> Result<UnwoundFiles, Refusal> {
    let chosen: BTreeSet<JobId> = turns.iter().map(|turn| turn.entry.id).collect();
    let there = states.clone();
    let patience = PastBudget::whole();
    let mut unwound = UnwoundFiles::default();
    for turn in turns {
        let entry = &turn.entry;
        let files: Vec<(u32, &FileRecord)> = turn.files().collect();
        let all_undone = turn.undone();
        for (number, file) in files.into_iter().rev() {
            let (from, to) = (turn.from.of_file(number), turn.to.of_file(number));
            if file.how == ChangeMethod::Rescued {
                return Err(only_kept(entry.id, &file.path));
            }
            let current = states.get(&file.path).cloned().unwrap_or(FileState::Absent);
            let now = there.get(&file.path).unwrap_or(&FileState::Absent);
            let undone = all_undone.get(&file.path).copied();
            let removals = [undone.map(|(_, file)| file), Some(file)];
            let turn = FileTurn { state, entry: entry.id, file, from, to, there: now, patience: &patience };
            let inverse =
                undone.and_then(|(id, file)| turn.inverse_of(id, file).exact(&current).ok().flatten());
            let exact = match inverse {
                Some(turned) => Some(turned),
                None => turn.exact(&current)?,
            };
            if let Some(turned) = exact {
                let again = restored::again(state, removals, (&current, &turned))?;
                unwound.restored.extend(again.map(|removed| (file.path.clone(), removed)));
                states.insert(file.path.clone(), turned);
                continue;
            }
            // Others have restored exactly what the turn leads to.
            if turn.is_done(&current) {
                continue;
            }
            let stale = || changed_since(state, caller, entry.id, &file.path, &chosen);
            if on_stale == OnStale::Reject {
                // Tried on a copy, so that the refusal can say whether a rebase would work.
                let trial = unwind(state, caller, turns, &mut there.clone(), OnStale::Rebase);
                return Err(advised(stale(), entry.id, &file.path, trial.map(drop)));
            }
            let turned = merged::turned(&turn, &current);
            let turned = turned.map_err(|kept| kept.refusal(entry.id, &file.path, stale()))?;
            states.insert(file.path.clone(), turned);
            unwound.merged.insert(file.path.clone());
        }
    }
    Ok(unwound)
}

/// The refusal to undo a file that later entries have changed, with those entries.
fn changed_since(
    state: &WorkspaceState,
    caller: &Caller,
    id: JobId,
    path: &FilePath,
    chosen: &BTreeSet<JobId>,
) -> Refusal {
    let query = EntryQuery { path: Some(path.clone()), limit: LATER_LISTED, ..EntryQuery::default() };
    let (mut later, mut searched) = (Vec::new(), 0);
    let see = &mut |entry: EntrySummary| {
        searched += 1;
        let counts = entry.id > id && !chosen.contains(&entry.id) && !entry.undone;
        // Entries that undo or redo a part of the entry are taken into account elsewhere.
        let counts = counts && (entry.kind == EntryKind::Hook || !entry.of.contains(&id));
        let goes_on = entry.id > id && searched < LATER_SEARCHED;
        if counts && !is_rescue(state, &entry).unwrap_or(false) {
            later.push(LaterEntry {
                job: entry.id,
                // Another program may have made a change that the session only announced.
                own: entry.session == caller.session && entry.kind != EntryKind::External,
                session: entry.session,
                client: entry.client,
                label: entry.label,
                kind: entry.kind,
            });
        }
        goes_on && later.len() < LATER_LISTED
    };
    // Without them, the refusal only says less.
    let _ = state.store.each(&query, &|_| true, see);
    let message = format!("cannot undo entry {id} in {path}: {}", owners(&later));
    let mut error = RequestError::new(ErrorCode::Stale, message).at(path);
    error.later = later;
    Box::new(error)
}

/// Returns the number of later entries that changed the file, and their owners.
fn owners(later: &[LaterEntry]) -> String {
    let own = later.iter().filter(|entry| entry.own).count();
    let most = if later.len() == LATER_LISTED { "at least " } else { "" };
    let by_programs = later.iter().any(|entry| entry.kind == EntryKind::External);
    let others = if by_programs { "other sessions or programs" } else { "other sessions" };
    match (later.len(), own) {
        (0, _) => "its content is no longer the result of the entry".to_owned(),
        (1, 0) if by_programs => "another program changed it later".to_owned(),
        (1, 0) => "a later entry of another session changed it".to_owned(),
        (1, _) => "a later entry of this session changed it".to_owned(),
        (all, own) if own == all => format!("{most}{all} later entries of this session changed it"),
        (all, 0) => format!("{most}{all} later entries of {others} changed it"),
        (all, own) => {
            format!("{most}{all} later entries changed it, {} of them of {others}", all - own)
        }
    }
}

/// Adds the caller's options to the refusal: a rebase if it was tried and fits, otherwise an undo of the session's
/// own entries, never of other sessions'.
fn advised(mut stale: Refusal, id: JobId, path: &FilePath, trial: Result<(), Refusal>) -> Refusal {
    let own: Vec<String> =
        stale.later.iter().filter(|entry| entry.own).map(|entry| entry.job.to_string()).collect();
    let all_own = own.len() == stale.later.len() && !own.is_empty();
    let advice = match trial {
        Ok(()) => {
            stale.would_apply = Some(WouldApply::Clean);
            "a rebase undoes it and keeps the later changes: send the undo with `on_stale: \"rebase\"`"
                .to_owned()
        }
        Err(conflict) => {
            stale.would_apply = Some(WouldApply::Conflict);
            stale.regions = conflict.regions;
            if all_own {
                format!("a rebase does not fit; undo those first ({})", own.join(", "))
            } else {
                format!("a rebase does not fit; edit {path} instead: `editctl show {id}` shows the change")
            }
        }
    };
    stale.message = format!("{}; {advice}", stale.message);
    stale
}

fn only_kept(id: JobId, path: &FilePath) -> Refusal {
    let message = format!(
        "entry {id} changed nothing in {path}, and only keeps what others wrote there, so there is nothing to undo; \
         `editctl show {id}` shows it"
    );
    Box::new(RequestError::new(ErrorCode::Unsupported, message).at(path))
}
