//! Converts an entry to its rows, and rows to the summary that `history` shows. Pure.

use editd_proto::ids::JobId;
use editd_proto::message::{EntryFile, EntrySummary};

use super::row::{EntryRow, EntrySummaryRow, FileRow, fitting_value};
use super::{RowChanges, key};
use crate::record::{ChangeMethod, Entry, FilePart, FileRecord};
use crate::store::taken::{FileTaken, TakenBack};
use crate::store::{LogPosition, StoreError};

/// The last byte of a path's row if the bytes were never at the path.
pub const RESCUED: u8 = 0;

/// Writes the rows of an entry that has no marks yet.
pub fn put(draft: &mut RowChanges<'_>, at: LogPosition, entry: &Entry) -> Result<(), StoreError> {
    put_marked(draft, at, entry, EntryMarks { undone: false, parts: &[], hooks: &[] })
}

/// The marks that later entries left on an entry.
#[derive(Clone, Copy, Debug)]
pub struct EntryMarks<'m> {
    /// True if it has been undone.
    pub undone: bool,
    /// The parts of it that have been undone, if not all of it.
    pub parts: &'m [FilePart],
    /// The entries of commands that ran on its files.
    pub hooks: &'m [JobId],
}

/// Writes the rows of an entry with the marks that later entries left on it.
pub fn put_marked(
    draft: &mut RowChanges<'_>,
    at: LogPosition,
    entry: &Entry,
    marks: EntryMarks<'_>,
) -> Result<(), StoreError> {
    let row = EntryRow {
        undone: marks.undone,
        diverged: false,
        kind: entry.kind,
        time: entry.time,
        brief: Some(brief(entry)),
        hooks: marks.hooks.to_vec(),
        parts: marks.parts.to_vec(),
        forgotten: entry.files.iter().any(FileRecord::is_forgotten),
    };
    let bytes = fitting_value(at, row, |row| row.brief = None)?;
    draft.put(key::job(key::ENTRY, entry.id), bytes);
    draft.put(key::session(&entry.session, entry.id), at.0.to_be_bytes().to_vec());
    for file in &entry.files {
        let mut bytes = at.0.to_be_bytes().to_vec();
        match &file.after {
            // Rescued bytes were never at their path.
            _ if file.how == ChangeMethod::Rescued => bytes.push(RESCUED),
            Some(after) => {
                bytes.extend_from_slice(after.hash.as_bytes());
                bytes.extend_from_slice(&after.mode.to_be_bytes());
            }
            None => {}
        }
        draft.put(key::path(&file.path, entry.id), bytes);
    }
    Ok(())
}

/// Removes the rows of an entry.
pub fn remove(draft: &mut RowChanges<'_>, entry: &Entry) {
    draft.remove(key::job(key::ENTRY, entry.id));
    draft.remove(key::session(&entry.session, entry.id));
    for file in &entry.files {
        draft.remove(key::path(&file.path, entry.id));
    }
}

/// Returns the part of an entry that usually fits a row.
pub fn brief(entry: &Entry) -> EntrySummaryRow {
    let files = entry.files.iter().map(|file| FileRow {
        path: file.path.clone(),
        before: file.before.as_ref().map(|meta| meta.hash),
        after: file.after.as_ref().map(|meta| meta.hash),
        added: file.added,
        removed: file.removed,
    });
    EntrySummaryRow {
        queued: entry.queued,
        key: entry.key.clone(),
        session: entry.session.clone(),
        client: entry.client.clone(),
        label: entry.label.clone(),
        of: entry.of.clone(),
        parts: entry.parts.clone(),
        files: files.collect(),
    }
}

/// Returns the summary that `history` shows.
pub fn summary(id: JobId, row: &EntryRow, brief: EntrySummaryRow) -> EntrySummary {
    let taken = TakenBack::new(row.undone, row.parts.clone());
    let files = (0..).zip(brief.files).map(|(number, file)| {
        let (undone, undone_hunks) = match taken.of_file(number) {
            _ if row.undone => (false, Vec::new()),
            FileTaken::Nothing => (false, Vec::new()),
            FileTaken::Whole => (true, Vec::new()),
            FileTaken::Hunks(runs, _) => {
                (false, runs.iter().map(|&(first, last)| (first.into(), last.into())).collect())
            }
        };
        EntryFile {
            path: file.path,
            before: file.before.map(|hash| hash.version()),
            after: file.after.map(|hash| hash.version()),
            added: file.added,
            removed: file.removed,
            undone,
            undone_hunks,
        }
    });
    EntrySummary {
        id,
        queued: brief.queued,
        key: brief.key,
        time: row.time,
        session: brief.session,
        client: brief.client,
        label: brief.label,
        kind: row.kind,
        undone: row.undone,
        partly_undone: !row.undone && !row.parts.is_empty(),
        diverged: row.diverged,
        forgotten: row.forgotten,
        of: brief.of,
        omitted_of: 0,
        files: files.collect(),
        omitted_files: 0,
    }
}
