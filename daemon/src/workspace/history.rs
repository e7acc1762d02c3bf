//! What the journal tells: lists of entries, one entry whole.

use editd_engine::{Refusal, Splice};
use editd_proto::error::{Code, WireError};
use editd_proto::ids::JobId;
use editd_proto::limits;
use editd_proto::message::{EntryDetail, HistoryReply, HistoryRequest, ShowReply};
use editd_proto::path::WirePath;

use super::Workspace;
use crate::job::store_refusal;
use crate::journal::undo::entry_of;
use crate::store::Query;
use crate::store::record::FileRecord;

/// Entries in a reply that does not say how many.
const PAGE: u64 = 100;

impl Workspace {
    /// Lists entries, newest first.
    ///
    /// # Errors
    /// `malformed` for a path that leaves the workspace, `io` where the journal cannot be read.
    pub fn history(&self, request: &HistoryRequest) -> Result<HistoryReply, Refusal> {
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
        let more = entries.len() > limit;
        entries.truncate(limit);
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
            let (diff, omitted) = diff_of(file);
            let (diff, omitted) =
                if diff.len() <= room { (diff, omitted) } else { (String::new(), omitted.saturating_add(1)) };
            room -= diff.len().min(room);
            changes.push(EntryDetail { path: file.path.clone(), diff, omitted_hunks: omitted });
        }
        Ok(ShowReply { entry: summary, changes })
    }
}

/// The changed ranges of one file. A young file is carried whole in the log; what changed of it is shown.
fn diff_of(file: &FileRecord) -> (String, u64) {
    let whole = match file.splices.as_slice() {
        [one] if one.at == 0 && !one.old.is_empty() && !one.new.is_empty() => {
            Some(editd_engine::splices_between(&one.old, &one.new))
        }
        _ => None,
    };
    let splices: &[Splice] = whole.as_deref().unwrap_or(&file.splices);
    editd_engine::splice_diff(&file.path, splices)
}
