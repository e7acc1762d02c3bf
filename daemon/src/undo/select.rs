//! Selects the entries that an undo or a redo means. It only reads the journal.

use std::collections::{BTreeMap, BTreeSet};

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{EntryKind, EntrySummary, OUTSIDE};
use editd_proto::path::FilePath;

use super::UndoDirection;
use super::choose::{SelectedPart, WantedPart};
use super::marked::{marked, undos_of};
use super::parsed::{EntrySelection, UndoJob};
use super::parts;
use super::reverted::reverted;
use super::to_mark::{mark_of, nothing_behind};
use crate::caller::Caller;
use crate::journal::entry::entry_of;
use crate::limits::UNDO;
use crate::record::ChangeMethod;
use crate::state::WorkspaceState;
use crate::state::refusal::{no_entry, store_refusal};
use crate::store::EntryQuery;

/// The most entries that the search for a redo goes through, newest first.
const SEARCH: usize = 10_000;
/// Entries that are looked up at once.
const PAGE: usize = 64;

/// The selected entries.
pub(super) struct SelectedEntries {
    /// The entries, in the order in which they are turned.
    pub(super) choices: Vec<SelectedPart>,
    /// The kind of the new entry.
    pub(super) kind: EntryKind,
    /// The entries whose `undone` it sets (undo) or clears (redo).
    pub(super) marks: BTreeSet<JobId>,
    /// True if it undoes both entries and their undos: if that changes no file, nothing happened.
    pub(super) mixed: bool,
}

/// Returns an undo of the last change with the number of that entry, so that later attempts of the job mean the same
/// entry; any other job as it is. Without this, a change by another program that makes an attempt fail would be the
/// last one at the next attempt.
///
/// # Errors
/// `io` if the journal cannot be read.
pub fn with_fixed_entry(state: &WorkspaceState, mut job: UndoJob) -> Result<UndoJob, Refusal> {
    if let (UndoDirection::Undo, Ok(EntrySelection::Newest(query))) = (job.direction, &job.selection)
        && let Some(entry) = last(state, query)?
    {
        job.selection = Ok(EntrySelection::entry(entry.id));
    }
    Ok(job)
}

/// Returns the newest entry of a query that can be undone, with the job in place of its hook.
fn last(state: &WorkspaceState, query: &EntryQuery) -> Result<Option<EntrySummary>, Refusal> {
    newest(state, query)?.map(|last| whole(state, last)).transpose()
}

/// Finds the entries of a selection.
pub(super) fn select(
    state: &WorkspaceState,
    selection: &EntrySelection,
    direction: UndoDirection,
) -> Result<SelectedEntries, Refusal> {
    if let EntrySelection::Named { ids, part, .. } = selection
        && let Some(chosen) = parts::select(state, ids, part, direction)?
    {
        return Ok(chosen);
    }
    let mut passed_over = BTreeSet::new();
    let entries = match direction {
        UndoDirection::Undo => with_hooks(state, to_undo(state, selection, &mut passed_over)?)?,
        UndoDirection::Redo => to_redo(state, selection)?,
    };
    // Everything that matches was undone before.
    if entries.is_empty() && !passed_over.is_empty() {
        let kind = EntryKind::Undo;
        return Ok(SelectedEntries { choices: Vec::new(), kind, marks: BTreeSet::new(), mixed: true });
    }
    if entries.is_empty() {
        return Err(nothing(state, selection, direction));
    }
    if entries.len() > UNDO {
        return Err(too_many(direction));
    }
    // An undo of named entries that are all undos is a redo. One of a group stays an undo, so that a redo reverts it.
    let names_back = direction == UndoDirection::Redo || !selection.is_group();
    let back = names_back && entries.iter().all(|entry| entry.kind == EntryKind::Undo);
    let kind = if back { EntryKind::Redo } else { EntryKind::Undo };
    let marks = marked(state, &entries, back)?;
    let mixed = !back && entries.iter().any(|entry| entry.kind == EntryKind::Undo);
    let mut choices = Vec::with_capacity(entries.len());
    for entry in entries {
        match if back { parts::brought_back(state, &entry)? } else { None } {
            Some(parts) => choices.extend(parts),
            None => choices.push(SelectedPart::to_undo(entry.id, WantedPart::Everything)),
        }
    }
    Ok(SelectedEntries { choices, kind, marks, mixed })
}

fn too_many(direction: UndoDirection) -> Refusal {
    let one = match direction {
        UndoDirection::Undo => "undo",
        UndoDirection::Redo => "redo",
    };
    let message = format!(
        "more than {UNDO} entries match, and one {one} takes no more: {one} the newest first, with a later `since` or mark, and \
         then send this again; entries that were undone by then do not count"
    );
    let mut error = RequestError::new(ErrorCode::Limit, message);
    error.limit = Some(UNDO as u64);
    Box::new(error)
}

fn to_undo(
    state: &WorkspaceState,
    selection: &EntrySelection,
    passed_over: &mut BTreeSet<JobId>,
) -> Result<Vec<EntrySummary>, Refusal> {
    match selection {
        EntrySelection::Newest(query) => Ok(last(state, query)?.into_iter().collect()),
        EntrySelection::Named { ids, .. } => named(state, ids),
        EntrySelection::Group(query) => standing(state, query, passed_over),
        EntrySelection::AfterMark(name, query) => {
            let mark = mark_of(state, name)?;
            let query = EntryQuery { after: Some(mark), ..query.clone() };
            let chosen = standing(state, &query, passed_over)?;
            if chosen.is_empty() && passed_over.is_empty() {
                return Err(nothing_behind(name, mark));
            }
            Ok(chosen)
        }
    }
}

/// Returns the entries of a query that can be undone, newest first. Sets `passed_over` to those that need not be, since
/// an undo among them took them back exactly.
fn standing(
    state: &WorkspaceState,
    query: &EntryQuery,
    passed_over: &mut BTreeSet<JobId>,
) -> Result<Vec<EntrySummary>, Refusal> {
    *passed_over = reverted(state, query)?;
    // An entry that was undone outside the selection has nothing left to undo.
    let mut within: BTreeSet<JobId> = BTreeSet::new();
    each(state, query, &mut |entry| {
        if entry.kind == EntryKind::Undo && !passed_over.contains(&entry.id) {
            within.extend(&entry.of);
        }
        if entry.kind == EntryKind::Redo {
            within.extend(undos_of(state, &entry)?);
        }
        Ok(true)
    })?;
    let mut chosen = Vec::new();
    each(state, query, &mut |entry| {
        let counts = entry.kind != EntryKind::Mark && !passed_over.contains(&entry.id);
        let stands = counts && (!entry.undone || within.contains(&entry.id));
        if stands && !is_rescue(state, &entry)? && !is_spent(state, &entry, &within)? {
            chosen.push(entry);
        }
        // One entry too many is refused.
        Ok(chosen.len() <= UNDO)
    })?;
    Ok(chosen)
}

fn to_redo(state: &WorkspaceState, selection: &EntrySelection) -> Result<Vec<EntrySummary>, Refusal> {
    let (query, ids, whole_group) = match selection {
        EntrySelection::Newest(query) => (query, [].as_slice(), false),
        EntrySelection::Named { ids, undos, .. } => (undos, ids.as_slice(), false),
        EntrySelection::Group(query) | EntrySelection::AfterMark(_, query) => (query, [].as_slice(), true),
    };
    let mut wanted = BTreeSet::new();
    for id in ids {
        wanted.insert(entry_of(state, *id)?);
    }
    let (mut chosen, mut searched) = (Vec::new(), 0);
    each(state, query, &mut |entry| {
        searched += 1;
        let meant =
            wanted.is_empty() || wanted.contains(&entry.id) || entry.of.iter().any(|id| wanted.contains(id));
        let mut done = false;
        if meant && parts::stands(state, &entry)? {
            wanted.remove(&entry.id);
            entry.of.iter().for_each(|id| {
                wanted.remove(id);
            });
            chosen.push(entry);
            done = !whole_group && wanted.is_empty();
        }
        Ok(!done && searched < SEARCH)
    })?;
    if let Some(id) = wanted.first() {
        let message = format!("entry {id} is not undone; `editctl log` shows which entries are");
        return Err(Box::new(RequestError::new(ErrorCode::NotFound, message)));
    }
    Ok(chosen)
}

/// Returns true if an entry only keeps bytes that were never at their path: there is nothing to undo.
pub(super) fn is_rescue(state: &WorkspaceState, entry: &EntrySummary) -> Result<bool, Refusal> {
    if entry.kind != EntryKind::External {
        return Ok(false);
    }
    let whole = state.store.entry(entry.id).map_err(|error| store_refusal(&error))?;
    Ok(whole.is_some_and(|entry| entry.files.iter().all(|file| file.how == ChangeMethod::Rescued)))
}

/// Returns true if this entry is a redo and one of the entries it restored was undone again. Entries `within`, which
/// undos of the selection undid, do not count. The redo itself can then not be undone any more, only the entries that
/// it names, as far as they are not undone.
fn is_spent(state: &WorkspaceState, entry: &EntrySummary, within: &BTreeSet<JobId>) -> Result<bool, Refusal> {
    if entry.kind != EntryKind::Redo {
        return Ok(false);
    }
    for id in entry.of.iter().filter(|id| !within.contains(id)) {
        let Some(of) = summary(state, *id)? else { continue };
        // A redo that names an undo undid it.
        if of.undone != (of.kind == EntryKind::Undo) {
            return Ok(true);
        }
        if of.partly_undone && parts::took_some(state, entry.id, *id)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Refuses a mark in place of an entry with changes.
pub(super) fn no_mark(entry: &EntrySummary) -> Result<(), Refusal> {
    if entry.kind != EntryKind::Mark {
        return Ok(());
    }
    let (id, name) = (entry.id, entry.label.as_deref().unwrap_or_default());
    let message = format!(
        "entry {id} is the mark {name:?}, which changed nothing; `editctl undo --to NAME` undoes the entries after it"
    );
    Err(Box::new(RequestError::new(ErrorCode::Unsupported, message)))
}

fn named(state: &WorkspaceState, ids: &[JobId]) -> Result<Vec<EntrySummary>, Refusal> {
    let mut entries = Vec::with_capacity(ids.len());
    let ids: BTreeSet<JobId> = ids.iter().copied().collect();
    for id in ids.into_iter().rev() {
        let entry = summary(state, entry_of(state, id)?)?.ok_or_else(|| no_entry(state, id))?;
        no_mark(&entry)?;
        if entry.undone {
            let message = format!("entry {id} was undone already; `editctl redo {id}` restores it");
            return Err(Box::new(RequestError::new(ErrorCode::Stale, message)));
        }
        in_force(state, &entry)?;
        entries.push(entry);
    }
    Ok(entries)
}

/// Refuses an undo that was redone since, and a redo of which something was undone again: what each did is not there any
/// more, and its own inverse would mark other entries wrongly.
fn in_force(state: &WorkspaceState, entry: &EntrySummary) -> Result<(), Refusal> {
    let (id, of) = (entry.id, entry.of.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    let message = match entry.kind {
        EntryKind::Undo if !parts::stands(state, entry)? => {
            format!(
                "what entry {id} undid was redone already; to undo it again, name the entries themselves ({of})"
            )
        }
        EntryKind::Redo if is_spent(state, entry, &BTreeSet::new())? => {
            format!(
                "what entry {id} redid was undone again; to undo the rest, name the entries themselves ({of})"
            )
        }
        _ => return Ok(()),
    };
    Err(Box::new(RequestError::new(ErrorCode::Stale, message)))
}

/// Returns the job whose hook made this entry, if the journal still has it and it is not undone; otherwise the entry
/// itself. An undo of the last change means the whole job, not only the changes of its hook.
fn whole(state: &WorkspaceState, entry: EntrySummary) -> Result<EntrySummary, Refusal> {
    let Some(job) = entry.of.first().filter(|_| entry.kind == EntryKind::Hook) else { return Ok(entry) };
    Ok(summary(state, *job)?.filter(|job| !job.undone).unwrap_or(entry))
}

/// Adds the entries of hooks of each job that are not undone, newest first.
fn with_hooks(state: &WorkspaceState, entries: Vec<EntrySummary>) -> Result<Vec<EntrySummary>, Refusal> {
    let mut chosen: BTreeMap<JobId, EntrySummary> = BTreeMap::new();
    for entry in entries {
        for id in state.store.hooks_of(entry.id).map_err(|error| store_refusal(&error))? {
            let standing = summary(state, id)?.filter(|hook| !hook.undone);
            chosen.extend(standing.map(|hook| (id, hook)));
        }
        chosen.insert(entry.id, entry);
    }
    Ok(chosen.into_values().rev().collect())
}

/// Returns the last entry of a session that changed a path and is not undone.
///
/// # Errors
/// `not_found` if there is none, `io` if the journal cannot be read.
pub fn last_of_session(state: &WorkspaceState, caller: &Caller, path: &FilePath) -> Result<JobId, Refusal> {
    let query = EntryQuery {
        path: Some(path.clone()),
        session: Some(caller.session.clone()),
        ..EntryQuery::default()
    };
    last(state, &query)?.map(|entry| entry.id).ok_or_else(|| {
        let message = format!(
            "this session has no change of {path} that is not undone; `editctl log --path` lists all changes"
        );
        Box::new(RequestError::new(ErrorCode::NotFound, message).at(path))
    })
}

/// Returns the newest entry that can be undone, searching page by page. An undo does not count: repeated undos go
/// further back. Neither does a change from outside that is the newest of a path: it may be what refused this undo before.
fn newest(state: &WorkspaceState, query: &EntryQuery) -> Result<Option<EntrySummary>, Refusal> {
    let mut newest = None;
    let passes_outside = query.path.is_some() && query.session.is_none();
    each(state, query, &mut |entry| {
        let is_passed = passes_outside && entry.session == OUTSIDE;
        if !entry.undone
            && !is_passed
            && !matches!(entry.kind, EntryKind::Undo | EntryKind::Mark)
            && !is_rescue(state, &entry)?
            && !is_spent(state, &entry, &BTreeSet::new())?
        {
            newest = Some(entry);
        }
        Ok(newest.is_none())
    })?;
    Ok(newest)
}

/// Calls `see` for the entries of a query, newest first and page by page, until it returns false.
fn each(
    state: &WorkspaceState,
    query: &EntryQuery,
    see: &mut dyn FnMut(EntrySummary) -> Result<bool, Refusal>,
) -> Result<(), Refusal> {
    let mut query = EntryQuery { limit: PAGE, ..query.clone() };
    loop {
        let page = history(state, &query)?;
        let full = page.len() == query.limit;
        query.before = page.last().map(|entry| entry.id);
        for entry in page {
            if !see(entry)? {
                return Ok(());
            }
        }
        if !full {
            return Ok(());
        }
    }
}

fn history(state: &WorkspaceState, query: &EntryQuery) -> Result<Vec<EntrySummary>, Refusal> {
    state.store.history(query).map_err(|error| store_refusal(&error))
}

pub(super) fn summary(state: &WorkspaceState, id: JobId) -> Result<Option<EntrySummary>, Refusal> {
    state.store.summary(id).map_err(|error| store_refusal(&error))
}

/// Returns the refusal of a selection without entries. That of an undo without a selector names the newest entry of any
/// session.
fn nothing(state: &WorkspaceState, selection: &EntrySelection, direction: UndoDirection) -> Refusal {
    let others = match selection {
        EntrySelection::Newest(EntryQuery { session: Some(own), .. }) if direction == UndoDirection::Undo => {
            // Without it, the refusal only says less.
            newest(state, &EntryQuery::default()).ok().flatten().map(|newest| (own, newest))
        }
        _ => None,
    };
    let message = match (direction, others) {
        (UndoDirection::Undo, Some((own, EntrySummary { id, session, .. }))) => format!(
            "session {own:?} has nothing to undo; the newest entry that is not undone is {id}, by session {session:?}: \
             `editctl undo {id}` undoes it, and `editctl log` lists every entry"
        ),
        (UndoDirection::Undo, None) => "there is nothing to undo; `editctl log` lists every entry".to_owned(),
        (UndoDirection::Redo, _) => "there is nothing to redo; `editctl log` lists every entry".to_owned(),
    };
    Box::new(RequestError::new(ErrorCode::NotFound, message))
}

#[cfg(all(test, unix))]
mod tests;
