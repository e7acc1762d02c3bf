//! Undo and redo: selects entries and computes the effect of their inverses on the present files. It changes no file:
//! it returns a transaction, which `transaction` carries out like any other.

mod choose;
mod marked;
mod merged;
mod moved_again;
mod parsed;
mod parts;
mod restored;
mod reverted;
mod select;
mod to_mark;
mod turn;
mod unwind;
mod without_effect;

pub use parsed::{UndoJob, UndoOptions};
pub use select::{last_of_session, with_fixed_entry};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use editd_engine::{FileState, LineChange, QuotedLines, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::limits;
use editd_proto::message::{EntryKind, FileOutcome, JobStatus};
use editd_proto::path::FilePath;

use self::choose::{ReadEntries, SelectedPart};
use self::select::SelectedEntries;
use self::unwind::{EntryTurn, UnwoundFiles};
use crate::caller::Caller;
use crate::disk::stage::StagedMode;
use crate::disk::{FileSnapshot, Observation, ResolveError, ResolvedPath};
use crate::journal::change;
use crate::journal::external;
use crate::limits::{ENTRY_HOLDS, JOB_HOLDS, MEMORY_UNRESERVED};
use crate::record::FileMeta;
use crate::state::WorkspaceState;
use crate::state::path_cache::ObservationVersion;
use crate::state::readable;
use crate::state::refusal::{disk_refusal, no_entry, store_refusal};
use crate::transaction::{FileChange, JobAbort, JobGuard, Origin, Transaction, set_id};

/// Times the size of a file that an undo holds: an earlier content of each file is kept from one entry to the next.
const UNDO_HOLDS: usize = JOB_HOLDS + 1;

/// The direction of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UndoDirection {
    /// Undo entries.
    Undo,
    /// Redo what was undone.
    Redo,
}

/// Makes the transaction that undoes or redoes the selected entries.
///
/// # Errors
/// The refusal of the request; `not_found` if nothing is selected, `stale` if later changes are in the way or it was undone
/// already, `conflict` if they were to be merged and touch the same lines, `unsupported` if the journal has no bytes of a
/// change; [`JobAbort::NeedsMemory`] if the files need more memory than was reserved.
pub fn transaction(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    (caller, hash): (&Caller, ContentHash),
    job: &UndoJob,
) -> Result<Transaction, JobAbort> {
    let selection = job.selection.as_ref().map_err(Clone::clone)?;
    let (mark, options) = (selection.mark(), &job.options);
    let chosen = select::select(state, selection, job.direction)?;
    let entries = entries_of(state, guard, caller, &chosen.choices)?;
    let mut now = EntryFiles::take(state, guard, &chosen.choices, &entries)?;
    if selection.is_group() && is_outdated(state, job, &chosen, &now)? {
        let message =
            "other programs keep changing the files that would be undone; try again when they have stopped";
        return Err(JobAbort::Retry(Box::new(RequestError::new(ErrorCode::Busy, message))));
    }
    let resolved = choose::resolve(state, &chosen.choices, entries, &now.states)?;
    now.keep(&resolved.turns.iter().flat_map(EntryTurn::paths).collect());
    let unwound = unwind::unwind(state, caller, &resolved.turns, &mut now.states, options.on_stale)?;
    let ids: Vec<JobId> = resolved.turns.iter().map(|turn| turn.entry.id).collect();
    let of: Vec<JobId> = chosen.marks.difference(&resolved.spared).copied().collect();
    let mut origin = Origin {
        kind: chosen.kind,
        caller: caller.clone(),
        key: options.key.clone(),
        request: hash,
        label: options.label.clone().or_else(|| match mark {
            Some(name) => Some(format!("undo to {name}")),
            None => Some(label(chosen.kind, &ids, !resolved.parts.is_empty())),
        }),
        // The entries are in ascending order.
        parts: resolved.parts.into_iter().filter(|part| of.binary_search(&part.entry).is_ok()).collect(),
        of,
        durability: options.durability.unwrap_or(state.settings.durability),
        queued: None,
    };
    let mut seen = BTreeMap::new();
    for path in now.states.keys() {
        if let Some(one) = state.store.seen(&caller.session, path).map_err(|error| store_refusal(&error))? {
            seen.insert(path.clone(), one);
        }
    }
    let unmade = resolved.turns.iter().flat_map(EntryTurn::unmade).collect();
    let foreign = resolved.turns.iter().any(|turn| turn.entry.session != caller.session);
    let (changes, mut files) = now.into_changes(options.diff, &unwound, foreign);
    for file in files.iter_mut().filter(|file| unwound.merged.contains(&file.path)) {
        file.warnings.push("later changes are kept: the inverse was merged into them".to_owned());
    }
    if mark.is_some() {
        // An undo to a mark names no files: only those that it changes are worth a line.
        files.retain(|file| file.status != JobStatus::Unchanged || !file.warnings.is_empty());
    }
    if changes.is_empty() && chosen.mixed {
        (origin.of, origin.parts) = (Vec::new(), Vec::new());
    }
    let rebased = !unwound.merged.is_empty();
    let diffs = options.diff != Some(false);
    Ok(Transaction {
        origin,
        changes,
        clips: Vec::new(),
        files,
        error: None,
        seen,
        unmade,
        rebased,
        diffs,
        dialect_reply: None,
    })
}

/// Returns true if reading the files has journaled changes by other programs that the selection means as well. After a mark,
/// each new entry counts; otherwise, those of the files that were read do.
fn is_outdated(
    state: &WorkspaceState,
    job: &UndoJob,
    chosen: &SelectedEntries,
    now: &EntryFiles,
) -> Result<bool, Refusal> {
    let selection = job.selection.as_ref().map_err(Clone::clone)?;
    let marks = select::select(state, selection, job.direction)?.marks;
    if selection.mark().is_some() {
        return Ok(marks != chosen.marks);
    }
    for id in marks.difference(&chosen.marks) {
        let files = select::summary(state, *id)?.map(|entry| entry.files).unwrap_or_default();
        if files.iter().any(|file| now.states.contains_key(&file.path)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads the entries that some choices name.
fn entries_of(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    caller: &Caller,
    choices: &[SelectedPart],
) -> Result<ReadEntries, JobAbort> {
    let undos: BTreeSet<JobId> = choices.iter().filter_map(|choice| choice.undo).collect();
    let ids = || choices.iter().map(|choice| choice.id).chain(undos.iter().copied());
    let reader = state.store.entry_reader();
    let mut size = 0_usize;
    for id in ids() {
        let one = reader.size(id).map_err(|error| store_refusal(&error))?;
        size = size.saturating_add(one.unwrap_or(0));
    }
    guard.acquire(caller, size.saturating_mul(ENTRY_HOLDS))?;
    let mut entries = Vec::with_capacity(choices.len() + undos.len());
    let mut held = 0_usize;
    for id in ids() {
        let entry = reader.entry(id).map_err(|error| store_refusal(&error))?;
        let entry = entry.ok_or_else(|| no_entry(state, id))?;
        let splices = entry.files.iter().flat_map(|file| &file.splices);
        held += splices.map(|splice| splice.old.len() + splice.new.len()).sum::<usize>();
        if held > crate::limits::JOB_BYTES {
            let limit = crate::limits::JOB_BYTES;
            let message =
                format!("these entries hold more than {limit} bytes of changes; undo fewer at once");
            let mut error = RequestError::new(ErrorCode::TooLarge, message);
            error.limit = Some(limit as u64);
            return Err(JobAbort::Refused(Box::new(error)));
        }
        entries.push(entry);
    }
    let undos = entries.split_off(choices.len());
    let undos = undos.into_iter().map(|entry| (entry.id, Arc::new(entry))).collect();
    Ok(ReadEntries { chosen: entries, undos, size })
}

fn label(kind: EntryKind, ids: &[JobId], in_parts: bool) -> String {
    let word = if kind == EntryKind::Redo { "redo" } else { "undo" };
    let word = if in_parts { format!("{word} a part of") } else { word.to_owned() };
    let shown: Vec<String> = ids.iter().take(8).map(ToString::to_string).collect();
    let more = ids.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{word} {}{rest}", shown.join(", "))
}

/// The files of some entries, before and after.
struct EntryFiles {
    places: Vec<(FilePath, ResolvedPath, Option<FileSnapshot>)>,
    states: BTreeMap<FilePath, FileState>,
}

impl EntryFiles {
    /// Reads the files of the chosen entries.
    fn take(
        state: &WorkspaceState,
        guard: &JobGuard<'_>,
        choices: &[SelectedPart],
        entries: &ReadEntries,
    ) -> Result<Self, JobAbort> {
        let mut now = Self { places: Vec::new(), states: BTreeMap::new() };
        let mut read = 0_usize;
        let mut meant = Vec::new();
        let mut whole = 0_usize;
        for (choice, entry) in choices.iter().zip(&entries.chosen) {
            let files = choice.files(entry);
            let taken = state.store.taken_back(entry.id).map_err(|error| store_refusal(&error))?;
            if choice.is_of_hunks() || taken.size() > 0 {
                // Both contents of the entry are needed at once, of one file at a time.
                let size = |meta: &Option<FileMeta>| meta.as_ref().map_or(0, |meta| readable(meta.size));
                let sizes = files.iter().map(|file| size(&file.before).saturating_add(size(&file.after)));
                whole = whole.max(sizes.max().unwrap_or(0));
            }
            meant.extend(files.into_iter().map(|file| &file.path));
        }
        for path in meant {
            if now.states.contains_key(path) {
                continue;
            }
            if state.is_broken(path) {
                let message =
                    format!("{path} is locked until a failed job is rolled back; send the undo again");
                return Err(JobAbort::Refused(Box::new(
                    RequestError::new(ErrorCode::Busy, message).at(path),
                )));
            }
            let place = place_of(state, path)?;
            let size = place.stat().map_or(0, |stat| readable(stat.size));
            let bytes = read.saturating_add(size).saturating_add(whole);
            guard.grow(entries.size.saturating_add(bytes.saturating_mul(UNDO_HOLDS)))?;
            // A file that has grown since is too large for the reservation.
            let most = size.max(MEMORY_UNRESERVED / JOB_HOLDS);
            let observation =
                state.disk.observe_within(&place, most).map_err(|error| disk_refusal(path, &error))?;
            if let Observation::TooLarge(stat) = &observation
                && readable(stat.size) > 0
            {
                let message = format!("{path} keeps growing while it is read; undo again when it is stable");
                return Err(JobAbort::Retry(Box::new(RequestError::new(ErrorCode::Busy, message).at(path))));
            }
            external::note(state, path, &observation, ObservationVersion::Lane, None, true);
            let (state, found) = match observation {
                Observation::Absent => (FileState::Absent, None),
                Observation::File(found) => {
                    read = read.saturating_add(found.bytes.len());
                    (FileState::File { bytes: found.bytes.clone(), mode: found.meta.mode }, Some(found))
                }
                Observation::TooLarge(_) | Observation::Unreadable(_) | Observation::Other(_) => {
                    return Err(not_a_file(path).into());
                }
            };
            if read > crate::limits::JOB_BYTES {
                let limit = crate::limits::JOB_BYTES;
                let message =
                    format!("these entries touch files of more than {limit} bytes; undo fewer at once");
                let mut error = RequestError::new(ErrorCode::TooLarge, message);
                error.limit = Some(limit as u64);
                return Err(JobAbort::Refused(Box::new(error)));
            }
            now.states.insert(path.clone(), state);
            now.places.push((path.clone(), place, found));
        }
        Ok(now)
    }

    /// Keeps the files at these paths; the others stay unchanged.
    fn keep(&mut self, meant: &BTreeSet<&FilePath>) {
        self.places.retain(|(path, ..)| meant.contains(path));
        self.states.retain(|path, _| meant.contains(path));
    }

    /// Returns the changes and their reports. `show` asks for all diffs or none; without it, only merged files have
    /// one. `foreign`: entries of other sessions are undone or redone.
    fn into_changes(
        self,
        show: Option<bool>,
        unwound: &UnwoundFiles,
        foreign: bool,
    ) -> (Vec<FileChange>, Vec<FileOutcome>) {
        let Self { places, mut states } = self;
        let mut changes = Vec::new();
        let mut files = Vec::new();
        for (path, place, before) in places {
            let Some(after) = states.remove(&path) else { continue };
            let old = match &before {
                None => FileState::Absent,
                Some(found) => FileState::File { bytes: found.bytes.clone(), mode: found.meta.mode },
            };
            let (after, lost) = set_id::without_set_id(&old, after);
            let changed = old != after;
            let diffs = show.unwrap_or_else(|| unwound.merged.contains(&path));
            let splices = if changed { change::splices(&old, &after) } else { Vec::new() };
            let lines = LineChange::new(&old, &after, &splices);
            let (diff, omitted) = if diffs && changed { lines.diff(&path) } else { Default::default() };
            let (added, removed) = lines.totals();
            let status = if changed { JobStatus::Applied } else { JobStatus::Unchanged };
            let mut outcome = FileOutcome {
                before: change::version(&old),
                after: change::version(&after),
                diff: (diffs && changed).then_some(diff),
                omitted_hunks: (omitted > 0).then_some(omitted),
                ..FileOutcome::new(path.clone(), status)
            };
            if changed {
                lines.describe(&mut outcome);
            }
            files.push(outcome);
            if lost {
                set_id::warn(&mut files, &path);
            }
            if changed {
                let mode = match &after {
                    FileState::File { mode, .. } => StagedMode::Exact(*mode),
                    FileState::Absent => StagedMode::Masked,
                };
                let restores = unwound.restored.get(&path).filter(|_| before.is_none()).cloned();
                let from = None;
                let foreign = foreign || before.is_none();
                changes.push(FileChange {
                    place,
                    before,
                    after,
                    hash: None,
                    mode,
                    splices,
                    quoted: QuotedLines::default(),
                    foreign,
                    added,
                    removed,
                    from,
                    restores,
                });
            }
        }
        (changes, files)
    }
}

/// Returns the place of a file of the journal. It is not followed through folders that became links: the file that the
/// entries changed is not there.
fn place_of(state: &WorkspaceState, path: &FilePath) -> Result<ResolvedPath, Refusal> {
    let in_the_way = |error: RequestError, what: String| {
        let message = format!("cannot undo the changes of {path}: {what} now; move it away and undo again");
        Box::new(RequestError { message, ..error })
    };
    match state.disk.resolve_link(path) {
        Ok(place) if place.path() == path => Ok(place),
        Ok(place) => {
            let what = format!("a folder in its path is a link, which leads to {}", place.path());
            Err(in_the_way(RequestError::new(ErrorCode::Unsupported, "").at(path), what))
        }
        Err(
            error @ (ResolveError::IsFolder(_)
            | ResolveError::IsLink { .. }
            | ResolveError::Special(_)
            | ResolveError::NotAFolder(_)),
        ) => Err(in_the_way(error.to_wire(path), error.to_string())),
        Err(error) => Err(Box::new(error.to_wire(path))),
    }
}

fn not_a_file(path: &FilePath) -> Refusal {
    let message = format!(
        "{path} is no regular file of up to {} bytes any more; move it away and undo again",
        limits::FILE
    );
    Box::new(RequestError::new(ErrorCode::Unsupported, message).at(path))
}

#[cfg(all(test, unix))]
mod tests;
