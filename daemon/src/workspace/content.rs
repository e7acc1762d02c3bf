//! The reply to `content`: a content that a file had before or after an entry, byte for byte. It changes nothing.

use std::cell::OnceCell;

use editd_engine::{FileState, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{ContentReply, ContentRequest, EntrySide};
use editd_proto::path::FilePath;

use super::Workspace;
use super::history::{ASKINGS, STATES_HOLD, in_motion, state_size};
use crate::caller::Caller;
use crate::disk::observation::hash;
use crate::journal::change;
use crate::journal::entry::entry_of;
use crate::journal::past::{self, PastBudget};
use crate::limits::{CONTENT_PART, ENTRY_HOLDS};
use crate::record::{Entry, FileMeta, FileRecord};
use crate::state::refusal::{no_entry, store_refusal};
use crate::state::{BudgetClass, ReservedReply};

/// The bytes that a reply takes for each byte of the content: the byte, and its number in a line of JSON.
const REPLY_HOLDS: usize = 5;

/// The paths of an entry that a message names.
const PATHS: usize = 5;

impl Workspace {
    /// Returns a content that a file of an entry had, or the part of it that begins after `from` bytes.
    ///
    /// # Errors
    /// `not_found` if there is no such entry, it did not change the file, or the content is no longer kept;
    /// `out_of_range` if it has fewer bytes, `busy` if there is not enough memory, `io` if the journal cannot be read.
    pub fn content(
        &self,
        caller: &Caller,
        request: &ContentRequest,
    ) -> Result<ReservedReply<'_, ContentReply>, Refusal> {
        let id = entry_of(&self.state, request.job)?;
        // A path whose folder is gone cannot be resolved, and the journal may have it.
        let path = self.known_path(&request.path).unwrap_or_else(|_| request.path.clone());
        let size = self.state.store.entry_size(id).map_err(|error| store_refusal(&error))?.unwrap_or(0);
        let read = size.saturating_mul(ENTRY_HOLDS);
        let mut needs = read;
        for _ in 0..ASKINGS {
            let reservation = self.state.memory.acquire(&caller.owner, needs, BudgetClass::Reader)?;
            let entry = self.state.store.entry(id).map_err(|error| store_refusal(&error))?;
            let Some(entry) = entry else { return Err(no_entry(&self.state, id)) };
            let file = entry.files.iter().find(|file| file.path == path);
            let file = file.ok_or_else(|| not_in(&entry, &path))?;
            needs = read
                .saturating_add(state_size(file).saturating_mul(STATES_HOLD))
                .saturating_add(REPLY_HOLDS * state_size(file).min(CONTENT_PART));
            if reservation.grow(needs) {
                let reply = self.part(id, file, request)?;
                return Ok(ReservedReply::new(reservation, reply));
            }
        }
        Err(in_motion())
    }

    fn part(&self, id: JobId, file: &FileRecord, request: &ContentRequest) -> Result<ContentReply, Refusal> {
        let path = file.path.clone();
        let meta = match request.side {
            EntrySide::After => &file.after,
            EntrySide::Before => &file.before,
        };
        let (version, bytes) = match meta {
            None => (None, Vec::new()),
            Some(meta) => {
                let budget = PastBudget::whole();
                let budgets = (&budget, &PastBudget::whole());
                let now = OnceCell::new();
                let bytes = self.content_of((id, file), (request.side, meta.hash), &now, budgets);
                (Some(meta.hash.version()), bytes.ok_or_else(|| self.not_kept(id, file, &budget))?)
            }
        };
        let size = bytes.len() as u64;
        if request.from > size {
            let message = format!("that content of {path} has {size} bytes; ask for a part of them");
            return Err(Box::new(RequestError::new(ErrorCode::OutOfRange, message).at(&path)));
        }
        let from = usize::try_from(request.from).unwrap_or(usize::MAX);
        let bytes = bytes.into_iter().skip(from).take(CONTENT_PART).collect();
        Ok(ContentReply { path, version, size, bytes })
    }

    /// Returns the content with this hash that a file had before or after a change: as the change has it, as it is kept,
    /// or made from the present content or, if a newer entry is damaged, from older entries. Each of these two ways has
    /// its budget. `now` is the present state, once it was needed.
    fn content_of(
        &self,
        (id, file): (JobId, &FileRecord),
        (side, wanted): (EntrySide, ContentHash),
        now: &OnceCell<FileState>,
        (budget, older): (&PastBudget, &PastBudget),
    ) -> Option<Vec<u8>> {
        if let [one] = file.splices.as_slice() {
            let whole = match side {
                EntrySide::After => &one.new,
                EntrySide::Before => &one.old,
            };
            if one.at == 0 && hash(whole) == wanted {
                return Some(whole.clone());
            }
        }
        let now = now.get_or_init(|| self.present(&file.path, state_size(file)));
        let of_states = || {
            let (before, after) = change::states(&self.state, file, Some((now, budget)))?;
            let state = match side {
                EntrySide::After => after,
                EntrySide::Before => before,
            };
            Some(state.bytes().to_vec())
        };
        let of_older = || {
            let newest = match side {
                EntrySide::After => JobId(id.0.saturating_add(1)),
                EntrySide::Before => id,
            };
            past::left(&self.state, (&file.path, Some(newest)), wanted, older)
        };
        change::content(&self.state, file, now, wanted, budget).or_else(of_states).or_else(of_older)
    }

    /// Returns the states of a file before and after an entry, each as far as it is known: what `content` returns.
    pub(super) fn known_states(
        &self,
        (id, file): (JobId, &FileRecord),
        budgets: (&PastBudget, &PastBudget),
    ) -> [Option<FileState>; 2] {
        let now = OnceCell::new();
        let found = |side, meta: &FileMeta| self.content_of((id, file), (side, meta.hash), &now, budgets);
        let state =
            |meta: &FileMeta, bytes: Vec<u8>| FileState::File { bytes: bytes.into(), mode: meta.mode };
        let after = match &file.after {
            None => Some(FileState::Absent),
            Some(meta) => found(EntrySide::After, meta).map(|bytes| state(meta, bytes)),
        };
        let before = match &file.before {
            None => Some(FileState::Absent),
            Some(meta) => {
                let inverse = |after: &FileState| {
                    editd_engine::apply(after.bytes(), &editd_engine::invert(&file.splices))
                        .filter(|made| hash(made) == meta.hash)
                };
                let made = after.as_ref().and_then(inverse).or_else(|| found(EntrySide::Before, meta));
                made.map(|bytes| state(meta, bytes))
            }
        };
        [before, after]
    }

    /// The refusal for a content that the journal cannot give, with the reason.
    fn not_kept(&self, id: JobId, file: &FileRecord, budget: &PastBudget) -> Refusal {
        let path = &file.path;
        if file.is_forgotten() {
            let message = format!("the contents of {path} in entry {id} were removed by `editctl forget`");
            return Box::new(RequestError::new(ErrorCode::NotFound, message).at(path));
        }
        if let Some((unread, error)) = budget.unread() {
            let message = format!("that content of {path} cannot be made without entry {unread}: {error}");
            return Box::new(RequestError::new(ErrorCode::Io, message).at(path));
        }
        let message = match self.state.store.damage() {
            Some(damage) => {
                format!("that content of {path} is no longer kept, or was lost through damage: {damage}")
            }
            None => format!(
                "that content of {path} is no longer kept; `editctl show {id}` shows what is known of the change"
            ),
        };
        Box::new(RequestError::new(ErrorCode::NotFound, message).at(path))
    }

    /// Returns the present state of a path; no file if it cannot be read, or is much larger than a content of `size`
    /// bytes.
    fn present(&self, path: &FilePath, size: usize) -> FileState {
        let Ok(place) = self.state.disk.resolve(path) else { return FileState::Absent };
        let most = size.saturating_add(CONTENT_PART);
        match self.state.disk.observe_within(&place, most).ok().as_ref().and_then(|seen| seen.found()) {
            Some(found) => FileState::File { bytes: found.bytes.clone(), mode: found.meta.mode },
            None => FileState::Absent,
        }
    }
}

fn not_in(entry: &Entry, path: &FilePath) -> Refusal {
    let paths: Vec<String> = entry.files.iter().take(PATHS).map(|file| file.path.to_string()).collect();
    let more = match entry.files.len().saturating_sub(PATHS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let changed = if paths.is_empty() { "no file".to_owned() } else { paths.join(", ") };
    let message = format!("entry {} did not change {path}; it changed {changed}{more}", entry.id);
    Box::new(RequestError::new(ErrorCode::NotFound, message).at(path))
}
