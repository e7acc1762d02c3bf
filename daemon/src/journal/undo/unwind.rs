//! Taking entries back in thought: from the newest to the oldest, each must find what it left, and each
//! inverse must give what it found.

use std::collections::{BTreeMap, BTreeSet};

use editd_engine::{Refusal, Splice, State};
use editd_proto::error::{Code, WireError};
use editd_proto::ids::JobId;
use editd_proto::message::OnStale;
use editd_proto::path::WirePath;

use super::merged;
use super::select::is_rescue;
use crate::disk::sight::hash;
use crate::journal::past::Patience;
use crate::rooms::Rooms;
use crate::store::Query;
use crate::store::record::{Entry, Face, FileRecord, How};

/// The most entries that a refusal lists.
const IN_THE_WAY: usize = 20;

/// Takes entries (newest first) back from the states of their files. Gives the paths where later changes were in
/// the way, and the inverse was merged into them.
pub(super) fn unwind(
    rooms: &Rooms,
    entries: &[Entry],
    states: &mut BTreeMap<WirePath, State>,
    on_stale: OnStale,
) -> Result<BTreeSet<WirePath>, Refusal> {
    let chosen: BTreeSet<JobId> = entries.iter().map(|entry| entry.id).collect();
    let there = states.clone();
    let patience = Patience::whole();
    let mut rebased = BTreeSet::new();
    for entry in entries {
        for file in entry.files.iter().rev() {
            if file.how == How::Rescued {
                return Err(only_kept(entry.id, &file.path));
            }
            let state = states.get(&file.path).cloned().unwrap_or(State::Absent);
            if !shows(&state, file.after.as_ref(), file) {
                let stale = || in_the_way(rooms, entry.id, &file.path, &chosen);
                if on_stale == OnStale::Reject {
                    return Err(stale());
                }
                let now = there.get(&file.path).unwrap_or(&State::Absent);
                let back = merged::back(rooms, file, now, &state, &patience);
                let back = back.map_err(|kept| kept.refusal(entry.id, &file.path, stale()))?;
                states.insert(file.path.clone(), back);
                rebased.insert(file.path.clone());
                continue;
            }
            let back = back(&state, file).ok_or_else(|| no_bytes(entry.id, &file.path))?;
            states.insert(file.path.clone(), back);
        }
    }
    Ok(rebased)
}

/// Whether a state is what a record left. Another mode is in the way only of a record that changed the mode.
fn shows(state: &State, face: Option<&Face>, file: &FileRecord) -> bool {
    match (state, face) {
        (State::Absent, None) => true,
        (State::File { bytes, mode }, Some(face)) => {
            let mode_matters = file.before.as_ref().is_none_or(|before| before.mode != face.mode);
            hash(bytes) == face.hash && (!mode_matters || *mode == face.mode)
        }
        _ => false,
    }
}

/// The state before a record; `None` where the journal has not the bytes for it.
fn back(state: &State, file: &FileRecord) -> Option<State> {
    let Some(before) = &file.before else { return Some(State::Absent) };
    // A deletion by others of a file whose mode nobody recorded.
    if file.after.is_none() && before.mode == 0 && before.identity.ino == 0 {
        return None;
    }
    let (bytes, mode): (&[u8], u32) = match state {
        State::Absent => (&[], before.mode),
        State::File { bytes, mode } => (bytes, *mode),
    };
    let old = editd_engine::apply(bytes, &editd_engine::invert(&file.splices))?;
    let changed_mode = file.after.as_ref().is_none_or(|after| after.mode != before.mode);
    let mode = if changed_mode { before.mode } else { mode };
    (hash(&old) == before.hash).then(|| State::File { bytes: old.into(), mode })
}

/// Splices that turn one state into another; one whole splice where the fine ones would not do it.
pub(super) fn splices(before: &State, after: &State) -> Vec<Splice> {
    let bytes = |state: &State| match state {
        State::Absent => std::sync::Arc::from([]),
        State::File { bytes, .. } => bytes.clone(),
    };
    let (old, new) = (bytes(before), bytes(after));
    if old == new {
        return Vec::new();
    }
    let fine = editd_engine::splices_between(&old, &new);
    match editd_engine::apply(&old, &fine) {
        Some(made) if *made == *new => fine,
        _ => vec![Splice { at: 0, old: old.to_vec(), new: new.to_vec() }],
    }
}

fn in_the_way(rooms: &Rooms, id: JobId, path: &WirePath, chosen: &BTreeSet<JobId>) -> Refusal {
    let query = Query { path: Some(path.clone()), limit: 1000, ..Query::default() };
    let later: Vec<JobId> = rooms
        .store
        .history(&query)
        .unwrap_or_default()
        .into_iter()
        .filter(|entry| entry.id > id && !chosen.contains(&entry.id) && !entry.undone)
        .filter(|entry| !is_rescue(rooms, entry).unwrap_or(false))
        .map(|entry| entry.id)
        .take(IN_THE_WAY)
        .collect();
    let what = if later.is_empty() {
        "it no longer holds what the entry left; restore that first".to_owned()
    } else {
        let shown: Vec<String> = later.iter().map(ToString::to_string).collect();
        format!("later entries changed it: undo those too ({})", shown.join(", "))
    };
    let mut error = WireError::new(Code::Stale, format!("cannot undo entry {id} in {path}: {what}")).at(path);
    error.entries = later;
    Box::new(error)
}

fn only_kept(id: JobId, path: &WirePath) -> Refusal {
    let message = format!(
        "entry {id} changed nothing in {path}, and only keeps what others wrote there, so there is nothing to undo; \
         `editctl show {id}` shows it"
    );
    Box::new(WireError::new(Code::Unsupported, message).at(path))
}

fn no_bytes(id: JobId, path: &WirePath) -> Refusal {
    let message = format!(
        "cannot undo entry {id} in {path}: the journal does not hold the bytes before it; `editctl show {id}` \
         shows what it has"
    );
    Box::new(WireError::new(Code::Unsupported, message).at(path))
}
