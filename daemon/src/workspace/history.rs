//! What the journal tells: lists of entries, one entry whole.

use std::borrow::Cow;

use editd_engine::{Refusal, Splice, State};
use editd_proto::error::{Code, WireError};
use editd_proto::ids::JobId;
use editd_proto::limits;
use editd_proto::message::{EntryDetail, EntrySummary, HistoryReply, HistoryRequest, ShowReply};
use editd_proto::path::WirePath;

use super::Workspace;
use crate::disk::sight::hash;
use crate::job::store_refusal;
use crate::journal::undo::entry_of;
use crate::limits::FILES_LISTED;
use crate::store::Query;
use crate::store::record::{Face, FileRecord};

/// Entries in a reply that does not say how many.
const PAGE: u64 = 100;

/// How many of the first entries one reply holds: at least one, and no more files than [`FILES_LISTED`], nor paths than
/// half a frame. The next page begins behind them.
fn room_of(entries: &[EntrySummary]) -> usize {
    let (mut files, mut bytes) = (0_usize, 0_usize);
    let fits = |entry: &&EntrySummary| {
        files += entry.files.len();
        bytes += entry.files.iter().map(|file| file.path.as_bytes().len()).sum::<usize>();
        files <= FILES_LISTED && bytes <= limits::FRAME / 2
    };
    entries.iter().take_while(fits).count().max(1)
}

impl Workspace {
    /// Lists entries, newest first.
    ///
    /// # Errors
    /// `malformed` for a page of no entries, or a path that leaves the workspace, `io` where the journal cannot be read.
    pub fn history(&self, request: &HistoryRequest) -> Result<HistoryReply, Refusal> {
        if request.limit == Some(0) {
            let message = "a page has at least one entry; leave `limit` out, or say how many";
            return Err(Box::new(WireError::new(Code::Malformed, message)));
        }
        let limit = request.limit.unwrap_or(PAGE).min(limits::HISTORY as u64);
        let limit = usize::try_from(limit).unwrap_or(limits::HISTORY);
        let query = Query {
            path: request.path.as_ref().map(|path| self.known_path(path)).transpose()?,
            session: request.session.clone(),
            since: request.since,
            before: request.before,
            limit: limit.saturating_add(1),
        };
        let mut entries = self.rooms.store.history(&query).map_err(|error| store_refusal(&error))?;
        let room = room_of(&entries).min(limit);
        let more = entries.len() > room;
        entries.truncate(room);
        Ok(HistoryReply { entries, more })
    }

    /// A path as the journal knows it: links resolved where it exists, else as it is written.
    pub(super) fn known_path(&self, path: &WirePath) -> Result<WirePath, Refusal> {
        match self.rooms.disk.resolve(path) {
            Ok(place) => Ok(place.path().clone()),
            Err(error) => Err(Box::new(error.to_wire(path))),
        }
    }

    /// One entry with its diffs.
    ///
    /// # Errors
    /// `not_found` where there is none.
    pub fn show(&self, id: JobId) -> Result<ShowReply, Refusal> {
        let id = entry_of(&self.rooms, id)?;
        let summary = self.rooms.store.summary(id).map_err(|error| store_refusal(&error))?;
        let entry = self.rooms.store.entry(id).map_err(|error| store_refusal(&error))?;
        let (Some(summary), Some(entry)) = (summary, entry) else {
            let message = format!("the journal has no entry {id}; `editctl log` lists what it has");
            return Err(Box::new(WireError::new(Code::NotFound, message)));
        };
        // One reply holds as much as a frame: the diffs share it.
        let mut room = limits::FRAME / 2;
        let mut changes = Vec::with_capacity(entry.files.len());
        for file in &entry.files {
            let (diff, omitted) = self.diff_of(file);
            let (diff, omitted) =
                if diff.len() <= room { (diff, omitted) } else { (String::new(), omitted.saturating_add(1)) };
            room -= diff.len().min(room);
            changes.push(EntryDetail { path: file.path.clone(), diff, omitted_hunks: omitted });
        }
        Ok(ShowReply { entry: summary, changes })
    }

    /// What changed in one file: a diff with its surroundings where a whole state is still kept, else the changed
    /// ranges alone.
    fn diff_of(&self, file: &FileRecord) -> (String, u64) {
        match self.states_of(file) {
            Some((before, after)) => editd_engine::unified_diff(&file.path, &before, &after),
            None => editd_engine::splice_diff(&file.path, &changed(file)),
        }
    }

    /// A file before and after, where one of them can be had whole: the splices make the other of it.
    fn states_of(&self, file: &FileRecord) -> Option<(State, State)> {
        let whole = |face: &Option<Face>| match face {
            None => Some(Vec::new()),
            Some(face) => self.rooms.store.content(face.hash),
        };
        let carried = match (&file.before, file.splices.as_slice()) {
            (Some(face), [one]) if one.at == 0 && one.old.len() as u64 == face.size => Some(one.old.clone()),
            _ => None,
        };
        let (before, after) = match carried.or_else(|| whole(&file.before)) {
            Some(before) => {
                let after = editd_engine::apply(&before, &file.splices)?;
                (before, after)
            }
            None => {
                let after = whole(&file.after)?;
                let before = editd_engine::apply(&after, &editd_engine::invert(&file.splices))?;
                (before, after)
            }
        };
        Some((state(before, file.before.as_ref())?, state(after, file.after.as_ref())?))
    }
}

/// A state with these bytes; `None` where they are others than were recorded.
fn state(bytes: Vec<u8>, face: Option<&Face>) -> Option<State> {
    match face {
        None => bytes.is_empty().then_some(State::Absent),
        Some(face) => {
            let same = hash(&bytes) == face.hash;
            same.then(|| State::File { bytes: bytes.into(), mode: face.mode })
        }
    }
}

/// The changed ranges of one file. A young file is carried whole in the log; what changed of it is shown.
fn changed(file: &FileRecord) -> Cow<'_, [Splice]> {
    match file.splices.as_slice() {
        [one] if one.at == 0 && !one.old.is_empty() && !one.new.is_empty() => {
            Cow::Owned(editd_engine::splices_between(&one.old, &one.new))
        }
        splices => Cow::Borrowed(splices),
    }
}
