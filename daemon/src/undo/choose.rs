//! The parts of the selected entries that an undo or redo turns: everything, some files, or some hunks. It reads
//! entries and contents, and writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use editd_engine::{FileState, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::EntryKind;
use editd_proto::path::FilePath;

use super::unwind::EntryTurn;
use super::without_effect::without_effect;
use crate::journal::change;
use crate::journal::past::PastBudget;
use crate::record::{Entry, EntryPart, FilePart, FileRecord};
use crate::state::WorkspaceState;
use crate::state::refusal::store_refusal;
use crate::store::taken::TakenBack;

/// The most files and runs of hunks that a row holds for one entry.
const RUNS: usize = 128;

/// One selected entry, and the selected part of it.
#[derive(Clone, Debug)]
pub(super) struct SelectedPart {
    pub(super) id: JobId,
    pub(super) want: WantedPart,
    /// Set if it is undone; otherwise it is redone.
    pub(super) taken: bool,
    /// The undo that undid exactly this part, if the request undoes that undo.
    pub(super) undo: Option<JobId>,
}

/// The selected part of an entry.
#[derive(Clone, Debug)]
pub(super) enum WantedPart {
    /// All of it.
    Everything,
    /// These parts.
    Parts(Vec<FilePart>),
    /// Its change of these files; `true` if it must have changed one of them.
    Files(Vec<FilePath>, bool),
    /// These hunks of its change of a file, as first and last numbers of runs.
    Hunks(Option<FilePath>, Vec<(u32, u32)>),
}

impl SelectedPart {
    /// Selects a part to undo.
    pub(super) const fn to_undo(id: JobId, want: WantedPart) -> Self {
        Self { id, want, taken: true, undo: None }
    }

    /// Selects a part to restore.
    pub(super) const fn to_restore(id: JobId, want: WantedPart) -> Self {
        Self { id, want, taken: false, undo: None }
    }

    /// Returns true if it names hunks.
    pub(super) const fn is_of_hunks(&self) -> bool {
        matches!(self.want, WantedPart::Hunks(..) | WantedPart::Parts(_))
    }

    /// Returns the files of its entry that it may turn.
    pub(super) fn files<'e>(&self, entry: &'e Entry) -> Vec<&'e FileRecord> {
        let meant = |(number, file): &(u32, &FileRecord)| match &self.want {
            WantedPart::Everything | WantedPart::Hunks(None, _) => true,
            WantedPart::Parts(parts) => parts.iter().any(|part| part.file == *number),
            WantedPart::Files(paths, _) => paths.contains(&file.path),
            WantedPart::Hunks(Some(path), _) => file.path == *path,
        };
        (0..).zip(&entry.files).filter(meant).map(|(_, file)| file).collect()
    }
}

/// The turns of all selected entries, and the parts that the new entry records.
pub(super) struct ResolvedTurns {
    pub(super) turns: Vec<EntryTurn>,
    /// The selected parts of entries that are not selected whole.
    pub(super) parts: Vec<EntryPart>,
    /// Selected entries that have none of the files.
    pub(super) spared: BTreeSet<JobId>,
}

/// The entries that a request names, as the journal has them.
pub(super) struct ReadEntries {
    /// The entry of each choice, in the same order.
    pub(super) chosen: Vec<Entry>,
    /// The undos that the choices revert.
    pub(super) undos: BTreeMap<JobId, Arc<Entry>>,
    /// The size of all their records, bytes.
    pub(super) size: usize,
}

/// Makes turns of the choices and their entries. `states` are the present states of the files.
pub(super) fn resolve(
    state: &WorkspaceState,
    choices: &[SelectedPart],
    entries: ReadEntries,
    states: &BTreeMap<FilePath, FileState>,
) -> Result<ResolvedTurns, Refusal> {
    every_path_is_known(choices, &entries.chosen)?;
    no_content_is_forgotten(choices, &entries.chosen)?;
    let without_effect = without_effect(state, choices, &entries.chosen)?;
    let mut whole: BTreeSet<JobId> = BTreeSet::new();
    let mut now: BTreeMap<JobId, TakenBack> = BTreeMap::new();
    let mut resolved = ResolvedTurns { turns: Vec::new(), parts: Vec::new(), spared: BTreeSet::new() };
    for (choice, entry) in choices.iter().zip(entries.chosen) {
        if matches!(entry.kind, EntryKind::Undo | EntryKind::Redo) {
            follow(state, &mut now, &entry)?;
            if entry.kind == EntryKind::Redo {
                resolved.parts.extend(entry.parts.iter().cloned());
            }
            let mut to = TakenBack::default();
            to.set_all(true);
            resolved.turns.push(EntryTurn { entry, from: TakenBack::default(), to, undo: None });
            continue;
        }
        let earlier = now.remove(&entry.id);
        // A turn of this request changed what is undone.
        let kept = without_effect.get(&entry.id).filter(|_| earlier.is_none());
        let from = match earlier {
            Some(taken) => taken,
            None => state.store.taken_back(entry.id).map_err(|error| store_refusal(&error))?,
        };
        let everything = matches!(choice.want, WantedPart::Everything);
        // An entry that a later one of the selection restores is undone whole.
        let from = if everything && choice.taken && from.is_whole() { TakenBack::default() } else { from };
        let to = target(state, choice, &entry, &from, states)?;
        if from == to {
            if matches!(choice.want, WantedPart::Files(_, false)) {
                resolved.spared.insert(entry.id);
                continue;
            }
            return Err(done_already(entry.id, choice.taken));
        }
        if to.size() > RUNS {
            return Err(too_many_parts(entry.id));
        }
        resolved.parts.extend(difference(&entry, &from, &to, choice.taken));
        if (from.is_empty() && to.is_whole()) || (from.is_whole() && to.is_empty()) {
            whole.insert(entry.id);
        }
        now.insert(entry.id, to.clone());
        let mut to = to;
        kept.into_iter().flatten().for_each(|part| to.set(files_of(&entry), part, true));
        let undo = choice.undo.and_then(|id| entries.undos.get(&id).cloned());
        resolved.turns.push(EntryTurn { entry, from, to, undo });
    }
    resolved.parts.retain(|part| !whole.contains(&part.entry));
    Ok(resolved)
}

/// Follows an undo or redo that is itself undone: the entries that it names are restored, or undone again.
fn follow(
    state: &WorkspaceState,
    now: &mut BTreeMap<JobId, TakenBack>,
    entry: &Entry,
) -> Result<(), Refusal> {
    let taken = entry.kind == EntryKind::Redo;
    for id in &entry.of {
        let mut set = match now.remove(id) {
            Some(set) => set,
            None => state.store.taken_back(*id).map_err(|error| store_refusal(&error))?,
        };
        let mut meant = entry.parts.iter().filter(|part| part.entry == *id).peekable();
        if meant.peek().is_none() {
            set.set_all(taken);
        }
        meant.for_each(|part| set.set(part.files, &part.part, taken));
        now.insert(*id, set);
    }
    Ok(())
}

/// Returns the number of files of an entry.
pub(super) fn files_of(entry: &Entry) -> u32 {
    u32::try_from(entry.files.len()).unwrap_or(u32::MAX)
}

/// Returns the parts that a turn undoes or restores; none if that is the whole entry.
fn difference(entry: &Entry, from: &TakenBack, to: &TakenBack, taken: bool) -> Vec<EntryPart> {
    let files = files_of(entry);
    let (less, more) = if taken { (from, to) } else { (to, from) };
    if less.is_empty() && more.is_whole() {
        return Vec::new();
    }
    let parts = more.among(&less.rest(files));
    parts.into_iter().map(|part| EntryPart { entry: entry.id, files, part }).collect()
}

/// Returns the part of an entry that is undone after the turn.
fn target(
    state: &WorkspaceState,
    choice: &SelectedPart,
    entry: &Entry,
    from: &TakenBack,
    states: &BTreeMap<FilePath, FileState>,
) -> Result<TakenBack, Refusal> {
    let mut to = from.clone();
    let files = files_of(entry);
    let whole = |file| FilePart { file, hunks: Vec::new(), total: 0 };
    match &choice.want {
        WantedPart::Everything => to.set_all(choice.taken),
        WantedPart::Parts(parts) => parts.iter().for_each(|part| to.set(files, part, choice.taken)),
        WantedPart::Files(paths, required) => {
            let mut any = false;
            for (number, _) in (0..).zip(&entry.files).filter(|(_, file)| paths.contains(&file.path)) {
                any = true;
                to.set(files, &whole(number), choice.taken);
            }
            if !any && *required {
                return Err(not_of_entry(entry.id, paths.first()));
            }
        }
        WantedPart::Hunks(path, runs) => {
            let part = hunks_of(state, entry, path.as_ref(), runs, states)?;
            to.set(files, &part, choice.taken);
        }
    }
    Ok(to)
}

/// Returns the part that consists of numbered hunks.
fn hunks_of(
    state: &WorkspaceState,
    entry: &Entry,
    path: Option<&FilePath>,
    runs: &[(u32, u32)],
    states: &BTreeMap<FilePath, FileState>,
) -> Result<FilePart, Refusal> {
    let id = entry.id;
    let mut files = (0..).zip(&entry.files).filter(|(_, file)| path.is_none_or(|path| *path == file.path));
    let (Some((number, file)), None) = (files.next(), files.next()) else {
        if path.is_some() {
            return Err(not_of_entry(id, path));
        }
        let message = format!(
            "entry {id} has {} files, and hunks are numbered in each; name one path",
            entry.files.len()
        );
        return Err(Box::new(RequestError::new(ErrorCode::Malformed, message)));
    };
    let path = &file.path;
    let patience = PastBudget::whole();
    let now = states.get(path).map(|state| (state, &patience));
    let total = change::states(state, file, now)
        .map(|(before, after)| change::lines(file, &before, &after).hunks().len());
    let total = u32::try_from(total.unwrap_or(0)).unwrap_or(u32::MAX);
    if total == 0 {
        let message = format!(
            "the change of {path} in entry {id} has no numbered hunks: it is not text that is shown as its bytes, or its \
             whole content is no longer kept; name its path without hunks"
        );
        return Err(Box::new(RequestError::new(ErrorCode::Unsupported, message).at(path)));
    }
    if let Some((first, last)) =
        runs.iter().find(|(first, last)| *first == 0 || first > last || *last > total)
    {
        let asked = if first == last { format!("{first}") } else { format!("{first}-{last}") };
        let message = format!(
            "entry {id} has the hunks 1 to {total} in {path}, not {asked}; `editctl show {id}` numbers them"
        );
        return Err(Box::new(RequestError::new(ErrorCode::OutOfRange, message).at(path)));
    }
    Ok(FilePart { file: number, hunks: crate::store::taken::joined(runs.to_vec()), total })
}

fn every_path_is_known(choices: &[SelectedPart], entries: &[Entry]) -> Result<(), Refusal> {
    let wanted = choices.iter().find_map(|choice| match &choice.want {
        WantedPart::Files(paths, true) => Some((choice.id, paths)),
        _ => None,
    });
    let Some((id, paths)) = wanted else { return Ok(()) };
    let changed =
        |path: &&FilePath| entries.iter().all(|entry| entry.files.iter().all(|file| file.path != **path));
    match paths.iter().find(changed) {
        Some(path) => Err(not_of_entry(id, Some(path))),
        None => Ok(()),
    }
}

/// Refuses changes whose contents were removed from the journal.
fn no_content_is_forgotten(choices: &[SelectedPart], entries: &[Entry]) -> Result<(), Refusal> {
    for (choice, entry) in choices.iter().zip(entries) {
        let Some(file) = choice.files(entry).into_iter().find(|file| file.is_forgotten()) else { continue };
        let (path, id) = (&file.path, entry.id);
        let message = format!(
            "the contents that entry {id} changed in {path} were removed from the journal by `editctl forget`, so this \
             change can be neither undone nor redone; name other files of the entry with --path, or edit {path}"
        );
        return Err(Box::new(RequestError::new(ErrorCode::Unsupported, message).at(path)));
    }
    Ok(())
}

fn not_of_entry(id: JobId, path: Option<&FilePath>) -> Refusal {
    let name = path.map_or_else(|| "this file".to_owned(), ToString::to_string);
    let message = format!("entry {id} did not change {name}; `editctl show {id}` lists its files");
    let error = RequestError::new(ErrorCode::NotFound, message);
    Box::new(match path {
        Some(path) => error.at(path),
        None => error,
    })
}

fn done_already(id: JobId, taken: bool) -> Refusal {
    let message = if taken {
        format!("that part of entry {id} was undone already; `editctl redo {id}` restores it")
    } else {
        format!("that part of entry {id} is not undone; `editctl show {id}` shows which parts are")
    };
    Box::new(RequestError::new(if taken { ErrorCode::Stale } else { ErrorCode::NotFound }, message))
}

fn too_many_parts(id: JobId) -> Refusal {
    let message = format!(
        "more than {RUNS} separate parts of entry {id} would be undone (a part is a file or a run of hunks); undo all of it, or fewer parts"
    );
    let mut error = RequestError::new(ErrorCode::Limit, message);
    error.limit = Some(RUNS as u64);
    Box::new(error)
}
