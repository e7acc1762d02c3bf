//! Explains a refusal: if a quoted text is not in a file, it searches the journal for the reason. This changes only the
//! words of the refusal, and takes no longer than [`limits::WHY_MS`].

use std::collections::BTreeMap;

use editd_engine::{EditFacts, FileState, Plan, Quotation, Refusal};
use editd_proto::error::{ChangeAuthor, ErrorCode, RequestError};
use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use super::ParsedJob;
use super::snapshot::JobSnapshot;
use crate::journal::moved::{MovedFile, moved};
use crate::journal::why::{MissingText, RemovedBy, SearchBudget, why};
use crate::limits;
use crate::state::WorkspaceState;

/// The hashes of the contents that a job was planned on.
type Hashes = BTreeMap<FilePath, ContentHash>;

/// Returns the refusal with the reason that the journal has.
pub(super) fn explained(
    state: &WorkspaceState,
    snapshot: &JobSnapshot,
    known: &Hashes,
    mut refusal: Refusal,
) -> Refusal {
    if let (ErrorCode::NotFound, Some(path)) = (refusal.code, refusal.path.clone()) {
        explain(state, snapshot, known, &path, &mut refusal, &mut SearchBudget::begin(state));
    }
    if let (ErrorCode::Missing, Some(path)) = (refusal.code, refusal.path.clone()) {
        name_moved(state, &path, &mut refusal);
    }
    refusal
}

/// Names the present path of a missing file in its refusal, if an entry moved it.
pub fn name_moved(state: &WorkspaceState, path: &FilePath, refusal: &mut RequestError) {
    let Some(MovedFile { to, by, sentence }) = moved(state, path) else { return };
    refusal.message = format!("{path} does not exist: {sentence}; name {to}");
    refusal.by = Some(ChangeAuthor::Entry(by));
    refusal.cause = Some(sentence);
}

/// With `partial`: adds the reasons that the journal has to the first edits that were left out.
pub(super) fn explain_parts(state: &WorkspaceState, snapshot: &JobSnapshot, known: &Hashes, plan: &mut Plan) {
    let mut patience = SearchBudget::begin(state);
    let errors = plan.files.iter_mut().flat_map(|file| {
        let path = file.path.clone();
        file.edits.iter_mut().filter_map(move |edit| Some((path.clone(), edit.error.as_mut()?)))
    });
    for (path, error) in errors.filter(|(_, error)| error.code == ErrorCode::NotFound).take(limits::WHY_EDITS)
    {
        let first = plan.error.as_mut().filter(|first| **first == *error);
        explain(state, snapshot, known, &path, error, &mut patience);
        if let Some(first) = first {
            *first = error.clone();
        }
    }
}

fn explain(
    state: &WorkspaceState,
    snapshot: &JobSnapshot,
    known: &Hashes,
    path: &FilePath,
    error: &mut RequestError,
    patience: &mut SearchBudget,
) {
    let Some((quoted, new)) = quoted(&snapshot.request, path, error.edit) else { return };
    let content = match snapshot.world.files.get(path) {
        Some(FileState::File { bytes, .. }) => &**bytes,
        Some(FileState::Absent) | None => &[],
    };
    let hash = known.get(path).copied();
    let missing = MissingText { path, content, hash, quoted: &quoted, new: new.as_deref() };
    let Some(RemovedBy { by, sentence }) = why(state, &missing, patience) else { return };
    error.message = format!("{}; {sentence}: `editctl show {by}` shows more", error.message);
    error.by = Some(ChangeAuthor::Entry(by));
    error.cause = Some(match error.cause.take() {
        Some(cause) => format!("{cause}; {sentence}"),
        None => sentence,
    });
}

/// Returns the text that an edit quotes, and its replacement.
fn quoted<'r>(request: &'r ParsedJob, path: &FilePath, edit: Option<u64>) -> Option<Quotation<'r>> {
    let index = usize::try_from(edit?.checked_sub(1)?).ok()?;
    let mut entries = request.job.entries.iter().filter(|entry| entry.path == *path);
    entries.find_map(|entry| entry.edits().nth(index).and_then(EditFacts::quotation))
}
