//! Replies from the journal: lists of entries, and one entry as a whole.

use std::borrow::Cow;
use std::cell::Cell;

use editd_engine::{FileState, HunkExtent, Refusal, Splice};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::limits;
use editd_proto::message::{
    EntryDetail, EntryFile, EntryHunk, EntrySummary, HistoryReply, HistoryRequest, ShowReply, ShowRequest,
};
use editd_proto::path::FilePath;

use super::Workspace;
use crate::caller::Caller;
use crate::journal::change;
use crate::journal::entry::entry_of;
use crate::journal::past::PastBudget;
use crate::limits::{ENTRY_HOLDS, FILES_LISTED, MEMORY_UNRESERVED, OF_LISTED};
use crate::record::FileRecord;
use crate::state::refusal::{no_entry, store_refusal};
use crate::state::{BudgetClass, ReservedReply};
use crate::state::{lock, readable};
use crate::store::EntryQuery;
use crate::store::taken::{FileTaken, TakenBack, in_runs};

/// Entries in the reply to a request that names no number.
const PAGE: u64 = 100;

/// Bytes that a full reply takes: its fields, their encoding, and the frame.
const PAGE_HOLDS: usize = 4 * limits::FRAME;

/// The bytes that two states of a file take while they are compared, for each byte of the file.
pub(super) const STATES_HOLD: usize = 4;

/// Bytes of the shortest diff; if less space is left, none is made.
const DIFF_LEAST: usize = 64;

/// The number of times that a reader starts again with a larger reservation.
pub(super) const ASKINGS: usize = 8;

/// The space that is left in one reply.
struct ReplySpace {
    files: usize,
    bytes: usize,
    of: usize,
}

impl ReplySpace {
    /// The space of a reply to `history`: its paths may take half a frame.
    const fn of_page() -> Self {
        Self { files: FILES_LISTED, bytes: limits::FRAME / 2, of: OF_LISTED }
    }

    /// The space of a reply to `show`: it has every path twice, and the diffs take half a frame.
    const fn of_entry() -> Self {
        Self { files: limits::FILES, bytes: limits::FRAME / 8, of: OF_LISTED }
    }

    /// Removes the first `from` files of an entry, and the files and references that do not fit.
    fn cut(&self, entry: &mut EntrySummary, from: usize) {
        let (files, mut bytes) = (entry.files.len(), 0_usize);
        entry.files.drain(..from.min(files));
        let fits = |file: &&EntryFile| {
            bytes += file.path.as_bytes().len();
            bytes <= self.bytes
        };
        let kept = entry.files.iter().take(self.files).take_while(fits).count();
        entry.files.truncate(kept);
        entry.omitted_files = (files - kept) as u64;
        entry.omitted_of = entry.of.len().saturating_sub(self.of) as u64;
        entry.of.truncate(self.of);
    }

    /// Takes the space of an entry; returns false if there is not as much.
    fn take(&mut self, entry: &EntrySummary) -> bool {
        let bytes = entry.files.iter().map(|file| file.path.as_bytes().len()).sum::<usize>();
        let left = (
            self.files.checked_sub(entry.files.len()),
            self.bytes.checked_sub(bytes),
            self.of.checked_sub(entry.of.len()),
        );
        let (Some(files), Some(bytes), Some(of)) = left else { return false };
        *self = Self { files, bytes, of };
        true
    }

    /// Returns the bytes that the paths of a page have taken.
    const fn taken(&self) -> usize {
        Self::of_page().bytes - self.bytes
    }
}

impl Workspace {
    /// Lists entries, newest first. An entry with more files than fit a reply has the first of them, and the number of
    /// the others.
    ///
    /// # Errors
    /// `malformed` for a page of no entries, the errors of a path that cannot be resolved, `io` if the journal cannot
    /// be read, `busy` if there is not enough memory.
    pub fn history(
        &self,
        caller: &Caller,
        request: &HistoryRequest,
    ) -> Result<ReservedReply<'_, HistoryReply>, Refusal> {
        if request.limit == Some(0) {
            let message = "a page has at least one entry; leave `limit` out, or say how many";
            return Err(Box::new(RequestError::new(ErrorCode::Malformed, message)));
        }
        let limit = request.limit.unwrap_or(PAGE).min(limits::HISTORY as u64);
        let limit = usize::try_from(limit).unwrap_or(limits::HISTORY);
        let query = EntryQuery {
            path: request.path.as_ref().map(|path| self.known_path(path)).transpose()?,
            session: request.session.clone(),
            since: request.since,
            after: request.after,
            before: request.before,
            limit: limit.saturating_add(1),
        };
        let mut needs = 0;
        for _ in 0..ASKINGS {
            let reservation = self.state.memory.acquire(&caller.owner, needs, BudgetClass::Reader)?;
            match self.page(&query, limit, reservation.granted())? {
                Ok(reply) => return Ok(ReservedReply::new(reservation, reply)),
                Err(more) => needs = more,
            }
        }
        Err(in_motion())
    }

    /// Returns a page of entries; the inner error is the number of bytes that must be reserved for it.
    fn page(
        &self,
        query: &EntryQuery,
        limit: usize,
        most: usize,
    ) -> Result<Result<HistoryReply, usize>, Refusal> {
        let (mut entries, mut more, mut space) = (Vec::new(), false, ReplySpace::of_page());
        let heavier = Cell::new(None);
        let may_hold = |bytes: usize| {
            if bytes > most {
                heavier.set(Some(bytes));
            }
            bytes <= most
        };
        let may_read = |bytes: usize| may_hold(bytes.saturating_mul(ENTRY_HOLDS).saturating_add(PAGE_HOLDS));
        let mut see = |mut entry: EntrySummary| {
            ReplySpace::of_page().cut(&mut entry, 0);
            if entries.len() >= limit || !space.take(&entry) {
                more = true;
                return false;
            }
            entries.push(entry);
            // Few pages have paths of so many bytes.
            space.taken() <= MEMORY_UNRESERVED / 4 || may_hold(PAGE_HOLDS)
        };
        let seen = self.state.store.each(query, &may_read, &mut see);
        seen.map_err(|error| store_refusal(&error))?;
        Ok(heavier.get().map_or(Ok(HistoryReply { entries, more }), Err))
    }

    /// Returns a path as the journal names it, with links resolved.
    pub(super) fn known_path(&self, path: &FilePath) -> Result<FilePath, Refusal> {
        match self.state.disk.resolve(path) {
            Ok(place) => Ok(place.path().clone()),
            Err(error) => Err(Box::new(error.to_wire(path))),
        }
    }

    /// Returns one entry with its diffs, or the page of it that begins after the first `from` files.
    ///
    /// # Errors
    /// `not_found` if there is none, `out_of_range` if it has no more files, `busy` if there is not enough memory, `io`
    /// if the journal cannot be read.
    pub fn show(
        &self,
        caller: &Caller,
        request: &ShowRequest,
    ) -> Result<ReservedReply<'_, ShowReply>, Refusal> {
        let id = entry_of(&self.state, request.job)?;
        let from = request.from.map_or(0, |from| usize::try_from(from).unwrap_or(usize::MAX));
        let size = self.state.store.entry_size(id).map_err(|error| store_refusal(&error))?.unwrap_or(0);
        let read = size.saturating_mul(ENTRY_HOLDS);
        let mut needs = read;
        for _ in 0..ASKINGS {
            let reservation = self.state.memory.acquire(&caller.owner, needs, BudgetClass::Reader)?;
            let summary = self.state.store.summary(id).map_err(|error| store_refusal(&error))?;
            let entry = self.state.store.entry(id).map_err(|error| store_refusal(&error))?;
            let (Some(mut summary), Some(entry)) = (summary, entry) else {
                if let Some(undecided) = lock(&self.state.undecided).numbered(id) {
                    return Err(undecided.refusal.clone());
                }
                return Err(no_entry(&self.state, id));
            };
            if from > 0 && from >= entry.files.len() {
                return Err(no_more_files(id, entry.files.len()));
            }
            ReplySpace::of_entry().cut(&mut summary, from);
            let shown = entry.files.get(from..).unwrap_or_default();
            let shown = shown.get(..summary.files.len()).unwrap_or_default();
            let largest = shown.iter().map(state_size).max().unwrap_or(0);
            // One state may be held while the other is made.
            let states = largest.saturating_mul(STATES_HOLD + 1);
            let told = shown.iter().map(|file| file.path.as_bytes().len() + DIFF_LEAST).sum::<usize>();
            let told = told.saturating_mul(8).min(PAGE_HOLDS);
            needs = read.saturating_add(states).saturating_add(told);
            if reservation.grow(needs) {
                let taken = self.state.store.taken_back(id).map_err(|error| store_refusal(&error))?;
                let first = u32::try_from(from).unwrap_or(u32::MAX);
                let changes = self.changes_of(id, shown, first, &taken);
                return Ok(ReservedReply::new(reservation, ShowReply { changes, entry: summary }));
            }
        }
        Err(in_motion())
    }

    fn changes_of(&self, id: JobId, files: &[FileRecord], from: u32, taken: &TakenBack) -> Vec<EntryDetail> {
        // All files share these. Contents are all there is to show of a change that the entry does not have.
        let (exact, lacking) = (PastBudget::of_shown(), [PastBudget::whole(), PastBudget::whole()]);
        // A reply has the size of a frame, of which the diffs share a half.
        let mut room = limits::FRAME / 2;
        let change = |(number, file): (u32, &FileRecord)| {
            let none = EntryDetail { forgotten: file.is_forgotten(), ..no_change(file.path.clone()) };
            if none.forgotten {
                return none;
            }
            if room < DIFF_LEAST {
                return none;
            }
            let [now, older] = &lacking;
            let has_change = !file.splices.is_empty() && !change::lacks_before(file);
            let budgets = if has_change { (&exact, &exact) } else { (now, older) };
            let detail = self.detail_of((id, file), taken.of_file(number), budgets);
            let detail = if detail.diff.len() <= room {
                detail
            } else {
                EntryDetail { omitted_hunks: detail.omitted_hunks.saturating_add(1), ..none }
            };
            room -= detail.diff.len().min(room);
            detail
        };
        (from..).zip(files).map(change).collect()
    }

    /// Returns the change of one file: a diff with context and its numbered hunks if both states are known, otherwise only
    /// the changed bytes, at unknown line numbers, or the whole content after the change.
    fn detail_of(
        &self,
        (id, file): (JobId, &FileRecord),
        taken: FileTaken<'_>,
        budgets: (&PastBudget, &PastBudget),
    ) -> EntryDetail {
        let path = file.path.clone();
        let states = match change::states(&self.state, file, None) {
            Some((before, after)) => [Some(before), Some(after)],
            None => self.known_states((id, file), budgets),
        };
        let (before, after) = match states {
            [Some(before), Some(after)] => (before, after),
            [_, after] => return only_known(file, after),
        };
        let leads = editd_engine::apply(before.bytes(), &file.splices);
        if leads.as_deref() != Some(after.bytes()) {
            // The content before was found elsewhere. No hunk of such an entry can be undone, so none has a number.
            let (diff, omitted_hunks) = editd_engine::unified_diff(&path, &before, &after);
            return EntryDetail { diff, omitted_hunks, ..no_change(path) };
        }
        let lines = change::lines(file, &before, &after);
        let (diff, omitted_hunks) = lines.diff(&path);
        let all = lines.hunks();
        let shown = all.len().saturating_sub(usize::try_from(omitted_hunks).unwrap_or(usize::MAX));
        let hunk = |(hunk, extent): (u64, &HunkExtent)| EntryHunk {
            hunk,
            line: extent.line,
            added: extent.added,
            removed: extent.removed,
            undone: match taken {
                FileTaken::Nothing => false,
                FileTaken::Whole => true,
                FileTaken::Hunks(runs, _) => in_runs(runs, hunk),
            },
        };
        let hunks = (1..).zip(all.iter().take(shown)).map(hunk).collect();
        EntryDetail { diff, omitted_hunks, hunks, ..no_change(path) }
    }
}

/// Returns what is known of a change if the content before it or the one after it is not.
fn only_known(file: &FileRecord, after: Option<FileState>) -> EntryDetail {
    let path = file.path.clone();
    let modes = [&file.before, &file.after].map(|meta| meta.as_ref().map(|meta| meta.mode));
    let before_unknown = change::lacks_before(file) || file.splices.is_empty() && after.is_some();
    let (diff, omitted_hunks) = match after {
        Some(after) if before_unknown => editd_engine::after_diff(&path, modes, after.bytes()),
        _ => editd_engine::splice_diff(&path, modes, &changed(file)),
    };
    EntryDetail { partial: true, before_unknown, diff, omitted_hunks, ..no_change(path) }
}

fn no_change(path: FilePath) -> EntryDetail {
    EntryDetail {
        path,
        diff: String::new(),
        partial: false,
        before_unknown: false,
        forgotten: false,
        omitted_hunks: 0,
        hunks: Vec::new(),
    }
}

/// Returns the bytes of the larger of a file's two states; 0 for a state that is too large to be kept.
pub(super) fn state_size(file: &FileRecord) -> usize {
    let sizes = [&file.before, &file.after].into_iter().flatten().map(|meta| readable(meta.size));
    sizes.max().unwrap_or(0)
}

fn no_more_files(id: JobId, files: usize) -> Refusal {
    let message = format!("entry {id} has {files} files; leave `from` out, or pass over fewer");
    Box::new(RequestError::new(ErrorCode::OutOfRange, message))
}

/// The refusal for an entry or a page that changes with every attempt to read it.
pub(super) fn in_motion() -> Refusal {
    Box::new(RequestError::new(
        ErrorCode::Busy,
        "the journal changes while it is read; ask again in a moment",
    ))
}

/// Returns the changed ranges of one file, also if the log stores the whole file.
fn changed(file: &FileRecord) -> Cow<'_, [Splice]> {
    match file.splices.as_slice() {
        [one] if !file.extents.is_empty() => file.planned(&one.old, &one.new, one.at),
        [one] if one.at == 0 && !one.old.is_empty() && !one.new.is_empty() => {
            Cow::Owned(editd_engine::splices_between(&one.old, &one.new))
        }
        splices => Cow::Borrowed(splices),
    }
}
