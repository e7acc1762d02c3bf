//! Turns one file of an entry from one set of undone hunks to another, exactly, or merged into later changes. Undoing
//! a whole entry is the turn from nothing to everything. It writes nothing.

use editd_engine::{FileState, Refusal, Splice, apply, invert};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;

use super::merged::NotMerged;
use crate::disk::observation::hash;
use crate::journal::change;
use crate::journal::past::PastBudget;
use crate::record::{FileMeta, FileRecord};
use crate::state::WorkspaceState;
use crate::store::taken::{FileTaken, in_runs};

/// One file of an entry, with the present file at its path.
#[derive(Clone, Copy)]
pub(super) struct FileTurn<'t> {
    pub(super) state: &'t WorkspaceState,
    pub(super) entry: JobId,
    pub(super) file: &'t FileRecord,
    /// The part of its change that is undone, and the part that shall be.
    pub(super) from: FileTaken<'t>,
    pub(super) to: FileTaken<'t>,
    /// The state of the path before the job.
    pub(super) there: &'t FileState,
    pub(super) patience: &'t PastBudget,
}

impl<'t> FileTurn<'t> {
    /// Returns the turn that undoes the change of the same file by another entry.
    pub(super) const fn inverse_of(self, entry: JobId, file: &'t FileRecord) -> Self {
        Self { entry, file, from: FileTaken::Nothing, to: FileTaken::Whole, ..self }
    }

    /// Returns the state after the turn, if `state` is exactly its start; `None` otherwise.
    ///
    /// # Errors
    /// `unsupported` if the journal does not have the bytes.
    pub(super) fn exact(&self, state: &FileState) -> Result<Option<FileState>, Refusal> {
        let (before, after) = (self.file.before.as_ref(), self.file.after.as_ref());
        let fits = match self.from {
            FileTaken::Nothing => self.shows(state, after),
            FileTaken::Whole => self.shows(state, before),
            FileTaken::Hunks(..) => {
                let expected = self.content(self.from)?;
                let meta = after.map(|after| FileMeta { hash: hash(&expected), ..after.clone() });
                self.shows(state, meta.as_ref())
            }
        };
        if !fits {
            return Ok(None);
        }
        let bytes = state.bytes();
        let (made, meta) = match (&self.from, &self.to) {
            (FileTaken::Nothing, FileTaken::Whole) => (apply(bytes, &invert(&self.file.splices)), before),
            (FileTaken::Whole, FileTaken::Nothing) => (apply(bytes, &self.file.splices), after),
            (_, FileTaken::Whole) => (Some(self.content(self.to)?), before),
            _ => (Some(self.content(self.to)?), after),
        };
        let Some(meta) = meta else { return Ok(Some(FileState::Absent)) };
        // The mode of a file that another program deleted is not always recorded.
        if matches!(state, FileState::Absent) && meta.mode == 0 && meta.identity.ino == 0 {
            return Err(self.no_bytes());
        }
        let whole = matches!(self.to, FileTaken::Nothing | FileTaken::Whole);
        let is_right = |made: &Vec<u8>| !whole || hash(made) == meta.hash;
        let made = match made.filter(is_right) {
            Some(made) => made,
            // The bytes of a large change by another program are not in its entry, but the content may be kept.
            None => change::content(self.state, self.file, self.there, meta.hash, self.patience)
                .filter(is_right)
                .ok_or_else(|| self.no_bytes())?,
        };
        let mode = match state {
            FileState::File { mode, .. } if !self.changed_mode() => *mode,
            _ => meta.mode,
        };
        Ok(Some(FileState::File { bytes: made.into(), mode }))
    }

    /// Returns the metadata at the start and at the end of the turn of a whole change.
    pub(super) fn ends(&self) -> Option<(Option<&'t FileMeta>, Option<&'t FileMeta>)> {
        let (before, after) = (self.file.before.as_ref(), self.file.after.as_ref());
        match (&self.from, &self.to) {
            (FileTaken::Nothing, FileTaken::Whole) => Some((after, before)),
            (FileTaken::Whole, FileTaken::Nothing) => Some((before, after)),
            _ => None,
        }
    }

    /// Returns true if a state is the end of the turn of a whole change.
    pub(super) fn is_done(&self, state: &FileState) -> bool {
        self.ends().is_some_and(|(_, end)| self.shows(state, end))
    }

    /// Returns the content at the start of the turn, on which later changes were made, and the splices of the turn.
    pub(super) fn merge_sides(&self) -> Result<(Vec<u8>, Vec<Splice>), NotMerged> {
        let (Some(before), Some(after)) = (&self.file.before, &self.file.after) else {
            return Err(NotMerged::Stale("the entry made or deleted the file"));
        };
        let lost = |why| if self.patience.is_spent() { NotMerged::Spent } else { NotMerged::Stale(why) };
        match (&self.from, &self.to) {
            (FileTaken::Nothing, FileTaken::Whole) => {
                let left = change::content(self.state, self.file, self.there, after.hash, self.patience);
                let left = left.ok_or_else(|| lost("the content that the entry left is no longer stored"))?;
                let inverse = invert(&self.file.splices);
                let fits = apply(&left, &inverse).is_some_and(|old| hash(&old) == before.hash);
                let lacks = NotMerged::Stale("the journal does not have the earlier bytes");
                if fits { Ok((left, inverse)) } else { Err(lacks) }
            }
            _ => {
                let content = |taken| {
                    let made = self.content(taken);
                    made.map_err(|_| lost("the content that it starts from is no longer stored"))
                };
                let (from, to) = (content(self.from)?, content(self.to)?);
                let state = |bytes: &[u8]| FileState::File { bytes: bytes.into(), mode: 0 };
                let turned = change::splices(&state(&from), &state(&to));
                Ok((from, turned))
            }
        }
    }

    /// Returns true if metadata describe a state. A different mode matters only if the entry changed the mode.
    fn shows(&self, state: &FileState, meta: Option<&FileMeta>) -> bool {
        match (state, meta) {
            (FileState::Absent, None) => true,
            (FileState::File { bytes, mode }, Some(meta)) => {
                hash(bytes) == meta.hash && (!self.changed_mode() || *mode == meta.mode)
            }
            _ => false,
        }
    }

    fn changed_mode(&self) -> bool {
        match (&self.file.before, &self.file.after) {
            (Some(before), Some(after)) => before.mode != after.mode,
            _ => true,
        }
    }

    /// Returns the content with a part of the change undone.
    fn content(&self, taken: FileTaken<'_>) -> Result<Vec<u8>, Refusal> {
        let states = change::states(self.state, self.file, Some((self.there, self.patience)));
        let (before, after) = states.ok_or_else(|| self.no_bytes())?;
        match taken {
            FileTaken::Nothing => Ok(after.bytes().to_vec()),
            FileTaken::Whole => Ok(before.bytes().to_vec()),
            FileTaken::Hunks(runs, total) => {
                let lines = change::lines(self.file, &before, &after);
                if lines.hunks().len() != total as usize {
                    return Err(self.no_bytes());
                }
                Ok(lines.without(&|hunk| in_runs(runs, hunk)))
            }
        }
    }

    fn no_bytes(&self) -> Refusal {
        let (id, path) = (self.entry, &self.file.path);
        if self.patience.is_spent() {
            let stale = RequestError::new(ErrorCode::Limit, format!("cannot undo entry {id} in {path}"));
            return NotMerged::Spent.refusal(id, path, Box::new(stale.at(path)));
        }
        let message = format!(
            "cannot undo entry {id} in {path}: the journal does not have the earlier bytes; `editctl show {id}` \
             shows what it has"
        );
        Box::new(RequestError::new(ErrorCode::Unsupported, message).at(path))
    }
}
