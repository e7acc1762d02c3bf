//! Adds the names of the definitions that enclose the places of an ambiguous quotation, so that the client can tell the
//! places apart without reading the file. It decides nothing.

use editd_engine::{FileState, Refusal};
use editd_proto::error::RequestError;
use editd_proto::message::SymbolInfo;

use super::snapshot::JobSnapshot;
use crate::caller::Caller;
use crate::limits::{PLACES_FILES, PLACES_PARSED};
use crate::state::WorkspaceState;

/// Returns the refusal with the innermost definition at each place. A file gets none if its language is unknown, if it
/// is large, or if the job lists it more than once: the lines of a later entry are not those of the file.
pub(super) fn named(
    state: &WorkspaceState,
    caller: &Caller,
    snapshot: &JobSnapshot,
    mut refusal: Refusal,
) -> Refusal {
    let mut others = std::mem::take(&mut refusal.others);
    let errors = std::iter::once(&mut *refusal).chain(&mut others);
    for error in errors.filter(|error| !error.candidates.is_empty()).take(PLACES_FILES) {
        name(state, caller, snapshot, error);
    }
    refusal.others = others;
    refusal
}

fn name(state: &WorkspaceState, caller: &Caller, snapshot: &JobSnapshot, error: &mut RequestError) {
    let Some(path) = &error.path else { return };
    let listed = snapshot.request.job.entries.iter().filter(|entry| entry.path == *path).count();
    let Some(FileState::File { bytes, .. }) = snapshot.world.files.get(path) else { return };
    if listed != 1 || bytes.len() > PLACES_PARSED {
        return;
    }
    let Ok(_turn) = state.parsing.turn_of_reader(&caller.owner, bytes.len()) else { return };
    let Ok(outlined) = editd_engine::outline(bytes, None, path, &state.options([path])) else { return };
    for candidate in &mut error.candidates {
        let line = candidate.line;
        let holds = |symbol: &&SymbolInfo| (symbol.lines.0..=symbol.lines.1).contains(&line);
        let innermost = outlined.symbols.iter().filter(holds).max_by_key(|symbol| symbol.depth);
        candidate.symbol = innermost.map(|symbol| symbol.name.clone());
    }
}
