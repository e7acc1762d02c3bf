//! Applies undos and redos of entries in memory, one after the other: each must find the content that it starts from,
//! or is merged into the present one. A refusal names the later entries with their owners.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use editd_engine::{FileState, Refusal};
use editd_proto::error::{ErrorCode, RequestError, WouldApply};
use editd_proto::ids::JobId;
use editd_proto::message::{EntryKind, EntrySummary, LaterEntry, OnStale};
use editd_proto::path::FilePath;

use super::merged::{self, NotMerged};
use super::moved_again::moved_again;
use super::restored;
use super::select::is_rescue;
use super::turn::FileTurn;
use crate::caller::Caller;
use crate::disk::restore::RestoredFile;
use crate::journal::past::PastBudget;
use crate::limits::{JOB_HOLDS, MEMORY_UNRESERVED};
use crate::record::{ChangeMethod, Entry, FileRecord};
use crate::state::WorkspaceState;
use crate::store::EntryQuery;
use crate::store::taken::{FileTaken, TakenBack};

/// The most later entries that a refusal lists.
const LATER_LISTED: usize = 20;
/// The most entries of a path that are searched for them.
const LATER_SEARCHED: usize = 1000;
/// The reason why the undo of a move is not merged.
const MOVED_AGAIN: &str = "the file that the entry moved was renamed again or deleted";

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
    let there = states.clone();
    let size: usize = there.values().map(|file| file.bytes().len()).sum();
    let patience = PastBudget::of_undo(size.max(MEMORY_UNRESERVED / JOB_HOLDS));
    let mut run = UnwindRun {
        state,
        caller,
        turns,
        there: &there,
        patience: &patience,
        on_stale,
        inverted: BTreeMap::new(),
        unwound: UnwoundFiles::default(),
    };
    for turn in turns {
        run.turn(turn, states)?;
    }
    Ok(run.unwound)
}

/// The turns of one request while they are applied.
struct UnwindRun<'r> {
    state: &'r WorkspaceState,
    caller: &'r Caller,
    turns: &'r [EntryTurn],
    /// The states before the request.
    there: &'r BTreeMap<FilePath, FileState>,
    patience: &'r PastBudget,
    on_stale: OnStale,
    /// For each undo and file, true if the inverse of the undo's whole change was applied to the file.
    inverted: BTreeMap<(JobId, &'r FilePath), bool>,
    unwound: UnwoundFiles,
}

impl<'r> UnwindRun<'r> {
    /// Turns the files of one entry.
    fn turn(
        &mut self,
        turn: &'r EntryTurn,
        states: &mut BTreeMap<FilePath, FileState>,
    ) -> Result<(), Refusal> {
        let turns: Vec<FileTurn<'r>> = turn.files().map(|one| self.file_turn(turn, one)).collect();
        let entry = turn.entry.id;
        self.patience.turns_to(entry);
        if let Some(rescued) = turns.iter().rev().find(|turn| turn.file.how == ChangeMethod::Rescued) {
            return Err(only_kept(entry, &rescued.file.path));
        }
        let state_of = |path: &FilePath| states.get(path).cloned().unwrap_or(FileState::Absent);
        if let Some(path) = moved_again(&turns, &state_of) {
            self.reject((entry, path))?;
            return Err(self.not_merged((entry, path), NotMerged::Stale(MOVED_AGAIN)));
        }
        let all_undone = turn.undone();
        for file_turn in turns.into_iter().rev() {
            let file = file_turn.file;
            let current = states.get(&file.path).cloned().unwrap_or(FileState::Absent);
            let undone = all_undone.get(&file.path).copied();
            let inverse = match undone {
                Some((undo, _)) if self.inverted.get(&(undo, &file.path)) == Some(&true) => continue,
                Some((undo, record)) => self.inverse(&file_turn, (undo, record), &current),
                None => None,
            };
            if let Some(turned) = self.file(&file_turn, (&current, inverse), undone.map(|(_, file)| file))? {
                states.insert(file.path.clone(), turned);
            }
        }
        Ok(())
    }

    fn file_turn(&self, turn: &'r EntryTurn, (number, file): (u32, &'r FileRecord)) -> FileTurn<'r> {
        FileTurn {
            state: self.state,
            entry: turn.entry.id,
            file,
            from: turn.from.of_file(number),
            to: turn.to.of_file(number),
            there: self.there.get(&file.path).unwrap_or(&FileState::Absent),
            patience: self.patience,
        }
    }

    /// Returns the state after the inverse of an undo's whole change, if the file is as the undo left it. The turns of
    /// several entries may share the undo: the first of them applies it.
    fn inverse(
        &mut self,
        turn: &FileTurn<'r>,
        (undo, record): (JobId, &'r FileRecord),
        current: &FileState,
    ) -> Option<FileState> {
        if self.inverted.contains_key(&(undo, &record.path)) {
            return None;
        }
        let inverse = turn.inverse_of(undo, record).exact(current).ok().flatten();
        self.inverted.insert((undo, &record.path), inverse.is_some());
        inverse
    }

    /// Returns the state of a file after its turn, or `None` if it stays as it is. `inverse` is that state if it is known.
    fn file(
        &mut self,
        turn: &FileTurn<'_>,
        (current, inverse): (&FileState, Option<FileState>),
        undone: Option<&FileRecord>,
    ) -> Result<Option<FileState>, Refusal> {
        let (file, id) = (turn.file, turn.entry);
        let exact = match inverse {
            Some(turned) => Some(turned),
            None => turn.exact(current)?,
        };
        if let Some(turned) = exact {
            let again = restored::again(self.state, [undone, Some(file)], (current, &turned))?;
            self.unwound.restored.extend(again.map(|removed| (file.path.clone(), removed)));
            return Ok(Some(turned));
        }
        // Others have restored exactly what the turn leads to.
        if turn.is_done(current) {
            return Ok(None);
        }
        self.reject((id, &file.path))?;
        let turned = merged::turned(turn, current).map_err(|kept| self.not_merged((id, &file.path), kept))?;
        self.unwound.merged.insert(file.path.clone());
        Ok(Some(turned))
    }

    /// Refuses a file with later changes, unless the request wants a merge.
    fn reject(&self, (id, path): (JobId, &FilePath)) -> Result<(), Refusal> {
        if self.on_stale != OnStale::Reject {
            return Ok(());
        }
        // Tried on a copy, so that the refusal can say whether a rebase would work.
        let mut copy = self.there.clone();
        let trial = unwind(self.state, self.caller, self.turns, &mut copy, OnStale::Rebase);
        Err(advised(self.stale(id, path), id, path, trial.map(drop)))
    }

    /// The refusal of a file into which nothing was merged.
    fn not_merged(&self, (id, path): (JobId, &FilePath), kept: NotMerged) -> Refusal {
        kept.refusal(id, path, self.stale(id, path))
    }

    fn stale(&self, id: JobId, path: &FilePath) -> Refusal {
        let chosen: BTreeSet<JobId> = self.turns.iter().map(|turn| turn.entry.id).collect();
        changed_since(self.state, self.caller, id, path, &chosen)
    }
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
            stale.limit = conflict.limit;
            if stale.limit.is_some() {
                "a rebase takes fewer entries at once: undo the newest first".to_owned()
            } else if all_own {
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
