//! The check of a file that another tool is about to change: whether it is what the session has read. A refusal shows what
//! changed, and the session has then read that. It changes no file.

use std::sync::Arc;

use editd_engine::{FileState, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::path::FilePath;

use super::shown;
use super::stale;
use crate::caller::Caller;
use crate::disk::{FileSnapshot, Observation};
use crate::journal::past::{self, PastBudget};
use crate::receipt;
use crate::record::ReadReceipt;
use crate::state::WorkspaceState;
use crate::state::refusal::store_refusal;

/// Returns true if a file is not what the session has read.
///
/// # Errors
/// `io` if the journal cannot be read.
pub fn has_changed(
    state: &WorkspaceState,
    caller: &Caller,
    path: &FilePath,
    observation: &Observation,
) -> Result<bool, Refusal> {
    let seen = state.store.seen(&caller.session, path).map_err(|error| store_refusal(&error))?;
    let is_comparable = matches!(observation, Observation::Absent | Observation::File(_));
    Ok(is_comparable && seen.is_some_and(|seen| seen.hash != observation.hash()))
}

/// Returns the refusal if a file is not what the session has read; `None` if it is, or if the session has not read it.
/// `room` is the number of bytes that refusals may still show; it is reduced.
///
/// # Errors
/// `io` if the journal cannot be read.
pub fn changed_since_read(
    state: &WorkspaceState,
    caller: &Caller,
    path: &FilePath,
    observation: &Observation,
    room: &mut usize,
) -> Result<Option<Refusal>, Refusal> {
    let seen = state.store.seen(&caller.session, path).map_err(|error| store_refusal(&error))?;
    let Some(seen) = seen.filter(|seen| seen.hash != observation.hash()) else { return Ok(None) };
    let now = state.clock.wall_ms();
    let mut error = RequestError::new(ErrorCode::Stale, String::new()).at(path);
    let own;
    (error.by, own) = stale::by(state, caller, path, observation);
    let own = own.map_or_else(String::new, |job| format!(" by this session's own entry {job}"));
    let (what, renewed) = match observation {
        Observation::Absent => ("is gone", receipt::absent(now)),
        Observation::File(found) => {
            error.version = Some(found.meta.hash.version());
            state.store.keep_content(found.meta.hash, Arc::clone(&found.bytes));
            ("changed", shown_change(state, &seen, (path, found), room, &mut error))
        }
        // Nobody can read it here, so nothing can be compared.
        Observation::TooLarge(_) | Observation::Unreadable(_) | Observation::Other(_) => return Ok(None),
    };
    let advice = match (&error.diff, error.omitted_hunks) {
        (Some(_), None) => "look at what changed, and call the tool again if it still fits",
        _ if observation.hash().is_none() => "call the tool again if it creates the file",
        _ => "read the file before you call the tool again",
    };
    error.message = format!("{path} {what}{own} since this session read it; {advice}");
    shown::record(state, caller, path, renewed);
    Ok(Some(Box::new(error)))
}

/// Adds the diff of a change to an error. Returns the receipt for the present content: of the lines that the session knew,
/// and of those that the diff shows.
fn shown_change(
    state: &WorkspaceState,
    seen: &ReadReceipt,
    (path, found): (&FilePath, &FileSnapshot),
    room: &mut usize,
    error: &mut RequestError,
) -> receipt::ReceiptContent {
    let (hash, now) = (found.meta.hash, state.clock.wall_ms());
    let old = match seen.hash {
        None => Some(Vec::new()),
        Some(_) => past::of_receipt(state, seen, (hash, &found.bytes), &PastBudget::short(state)),
    };
    let Some(old) = old else { return receipt::glimpsed(Some(seen), hash, &[], now) };
    let text = |bytes: Arc<[u8]>| FileState::File { bytes, mode: found.meta.mode };
    let before = if seen.hash.is_some() { text(old.clone().into()) } else { FileState::Absent };
    let after = text(found.bytes.clone());
    let diff = editd_engine::nearby_diff(path, &before, &after, &[], (*room, None));
    *room = room.saturating_sub(diff.text.len());
    error.omitted_hunks = (diff.omitted > 0).then_some(diff.omitted);
    error.diff = (!diff.text.is_empty()).then_some(diff.text);
    if seen.hash.is_none() {
        return receipt::glimpsed(Some(seen), hash, &diff.shown, now);
    }
    let splices = editd_engine::splices_between(&old, &found.bytes);
    let whole = error.diff.is_some() && diff.omitted == 0;
    receipt::changed_by_others(
        seen,
        hash,
        &receipt::KnownChange::new((&old, &found.bytes), &splices),
        (&diff.shown, whole),
        now,
    )
}
