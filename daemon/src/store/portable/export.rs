//! Exports an open store in pieces. Nothing is held between two pieces; each one says where the next begins. Entries that
//! retention removes meanwhile are reported as absent.

use editd_proto::ids::{ContentHash, JobId};

pub use super::cursor::ExportCursor;
use super::cursor::{ExportStage, NextLine};
use super::line::{AbsenceReason, AbsentLine, HeaderLine, JournalLine};
use super::render::{self, ExportedMarks, KeptContents, LineSink};
use super::{FORMAT, PIECE, PIECE_ENTRIES, VERSION};
use crate::limits::ENTRY_HOLDS;
use crate::record::FileRecord;
use crate::store::index::key;
use crate::store::index::row::{self, ClipRow, EntryRow};
use crate::store::{EntryQuery, Store, StoreError};
use crate::sync::lock;

/// The parts of the journal that an export has.
const CONTAINS: [&str; 4] = ["entries", "contents", "clipboards", "keys"];

/// The numbers among which the next entries are looked up first.
const WINDOW: u64 = 256;

/// A piece of an export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportPiece {
    /// Whole lines.
    pub bytes: Vec<u8>,
    /// The position of the next piece; `None` after the last one.
    pub next: Option<ExportCursor>,
    /// The bytes of memory without which the piece has no lines.
    pub needs: Option<usize>,
}

/// The contents of one store, for an export.
struct StoreContents<'a> {
    store: &'a Store,
    first: u64,
    id: u64,
}

impl KeptContents for StoreContents<'_> {
    fn get(&self, hash: ContentHash) -> Option<Vec<u8>> {
        self.store.content(hash)
    }

    fn left_earlier(&self, file: &FileRecord, hash: ContentHash) -> bool {
        let query = EntryQuery { path: Some(file.path.clone()), limit: 1, ..EntryQuery::default() };
        // On any doubt, the content is written once more.
        let Ok(ids) = self.store.ids(&query, Some(JobId(self.id))) else { return false };
        let Some(before) = ids.first().filter(|before| before.0 >= self.first) else { return false };
        matches!(self.store.left_by(&file.path, *before), Ok(Some(Some(left))) if left == hash)
    }
}

/// The effect of one entry on a piece.
enum EntryEnd {
    /// All of its lines are written.
    Whole,
    /// The piece is full.
    Full(NextLine),
    /// More memory is needed.
    Needs(usize),
}

impl Store {
    /// Returns the first piece of an export of the entries from `since` on, and of everything else.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn export_first(
        &self,
        since: Option<JobId>,
        workspace: &[u8],
        now_ms: u64,
    ) -> Result<ExportPiece, StoreError> {
        let from = since.map_or(1, |id| id.0);
        let newest = self.page(&EntryQuery { limit: 1, ..EntryQuery::default() })?;
        let last = newest.first().map_or(0, |id| id.0);
        let first = self.entries_from(from, last)?.first().copied();
        let mut sink = LineSink::default();
        sink.put(&JournalLine::Header(HeaderLine {
            format: FORMAT.to_owned(),
            version: VERSION,
            editd: env!("CARGO_PKG_VERSION").to_owned(),
            workspace: workspace.into(),
            time: now_ms,
            since: since.map(|id| id.0),
            first,
            last: first.map(|_| last),
            contains: CONTAINS.map(str::to_owned).to_vec(),
        }));
        let mut absent = |entries, reason| {
            sink.put(&JournalLine::Absent(AbsentLine { entries: Some(entries), ..AbsentLine::of(reason) }));
        };
        if let Some(first) = first.filter(|first| since.is_some() && *first > from)
            && self
                .page(&EntryQuery { limit: 1, before: Some(JobId(first)), ..EntryQuery::default() })?
                .is_empty()
        {
            absent((from, first - 1), AbsenceReason::Pruned);
        }
        for (low, high) in self.lost_entries()? {
            if high >= from {
                absent((low.max(from), high), AbsenceReason::Damaged);
            }
        }
        let first = first.unwrap_or(from);
        let next = ExportCursor { first, last, stage: ExportStage::Entries(first, None) };
        Ok(ExportPiece { bytes: sink.bytes, next: Some(next), needs: None })
    }

    /// Returns the next piece. `may` reserves memory: it returns false if so many bytes may not be held in all.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn export_next(
        &self,
        cursor: &ExportCursor,
        may: &dyn Fn(usize) -> bool,
    ) -> Result<ExportPiece, StoreError> {
        match &cursor.stage {
            ExportStage::Entries(next, within) => self.export_entries(cursor, *next, *within, may),
            ExportStage::Clipboards(before) => self.export_clipboards(cursor, before.as_deref()),
        }
    }

    fn export_entries(
        &self,
        cursor: &ExportCursor,
        mut next: u64,
        mut within: Option<NextLine>,
        may: &dyn Fn(usize) -> bool,
    ) -> Result<ExportPiece, StoreError> {
        let mut sink = LineSink::default();
        let piece = |sink: LineSink, stage, needs| ExportPiece {
            bytes: sink.bytes,
            next: Some(ExportCursor { stage, ..cursor.clone() }),
            needs,
        };
        let ids = self.entries_from(next, cursor.last)?;
        let behind = cursor.last.saturating_add(1);
        let ends = ids.is_empty();
        for id in ids.into_iter().take(PIECE_ENTRIES) {
            self.note_gap(&mut sink, cursor.first, (next, id), within.take_if(|_| next < id))?;
            next = id;
            if sink.is_full() {
                return Ok(piece(sink, ExportStage::Entries(next, within), None));
            }
            let begun = within.take();
            match self.export_entry(&mut sink, cursor.first, id, begun, may)? {
                EntryEnd::Whole => next = id.saturating_add(1),
                EntryEnd::Full(line) => return Ok(piece(sink, ExportStage::Entries(id, Some(line)), None)),
                EntryEnd::Needs(bytes) => {
                    return Ok(piece(sink, ExportStage::Entries(id, begun), Some(bytes)));
                }
            }
        }
        if ends {
            self.note_gap(&mut sink, cursor.first, (next, behind), within)?;
            return Ok(piece(sink, ExportStage::Clipboards(None), None));
        }
        Ok(piece(sink, ExportStage::Entries(next, None), None))
    }

    /// Writes the lines of an entry.
    fn export_entry(
        &self,
        sink: &mut LineSink,
        first: u64,
        id: u64,
        within: Option<NextLine>,
        may: &dyn Fn(usize) -> bool,
    ) -> Result<EntryEnd, StoreError> {
        let absent = |sink: &mut LineSink, reason| {
            let entries = Some((id, id));
            sink.put(&JournalLine::Absent(AbsentLine { entries, ..AbsentLine::of(reason) }));
            Ok(EntryEnd::Whole)
        };
        let rotten = |error: &StoreError| matches!(error, StoreError::Rotten { .. });
        let size = match self.entry_size(JobId(id)) {
            Err(error) if rotten(&error) => return absent(sink, AbsenceReason::Damaged),
            size => size?.unwrap_or(0),
        };
        let read = size.saturating_mul(ENTRY_HOLDS).saturating_add(4 * PIECE);
        if !may(read) {
            return Ok(EntryEnd::Needs(read));
        }
        let entry = match self.entry(JobId(id)) {
            Err(error) if rotten(&error) => return absent(sink, AbsenceReason::Damaged),
            entry => entry?,
        };
        let Some(entry) = entry else { return absent(sink, AbsenceReason::Pruned) };
        let fingerprint = render::fingerprint(&entry);
        if within.is_some_and(|line| line.fingerprint != fingerprint) {
            return absent(sink, AbsenceReason::Forgotten);
        }
        let sizes = entry.files.iter().flat_map(|file| [&file.before, &file.after]).flatten();
        let sizes = sizes.filter_map(|meta| self.content_size(meta.hash));
        let needs = read.saturating_add(sizes.max().unwrap_or(0).saturating_mul(2));
        if !may(needs) {
            return Ok(EntryEnd::Needs(needs));
        }
        let marks = |value: &[u8]| {
            let row: EntryRow = row::rest(value)?;
            Ok(Some(ExportedMarks { undone: row.undone, diverged: row.diverged }))
        };
        let marks = self.shared.held(&key::job(key::ENTRY, JobId(id)), marks)?;
        let marks = marks.unwrap_or(ExportedMarks { undone: false, diverged: false });
        sink.from = within.map_or((0, 0, 0), |line| line.at);
        sink.stopped = None;
        if !render::entry(sink, &entry, marks, &StoreContents { store: self, first, id }) {
            return absent(sink, AbsenceReason::TooLong);
        }
        Ok(match sink.stopped {
            Some(at) => EntryEnd::Full(NextLine { at, fingerprint }),
            None => EntryEnd::Whole,
        })
    }

    /// Notes why there are no entries from the first number up to the second, if there should be some. `begun`: lines of
    /// the first were written.
    fn note_gap(
        &self,
        sink: &mut LineSink,
        first: u64,
        (from, to): (u64, u64),
        begun: Option<NextLine>,
    ) -> Result<(), StoreError> {
        if from >= to {
            return Ok(());
        }
        let mut absent = |entries, reason| {
            sink.put(&JournalLine::Absent(AbsentLine { entries: Some(entries), ..AbsentLine::of(reason) }));
        };
        let unfinished: Vec<u64> = {
            let index = lock(&self.shared.index);
            let open = index.open.range(JobId(from)..JobId(to)).filter(|(_, open)| open.sealed.is_none());
            open.map(|(id, _)| id.0).collect()
        };
        unfinished.iter().for_each(|id| absent((*id, *id), AbsenceReason::Unfinished));
        // Retention removes the oldest entries first: it has passed these if the one before is gone.
        let before = JobId(from.saturating_sub(1));
        let passed =
            from > first && self.shared.held(&key::job(key::ENTRY, before), |_| Ok(Some(())))?.is_none();
        if passed || begun.is_some() {
            absent((from, to - 1), AbsenceReason::Pruned);
        }
        Ok(())
    }

    /// Returns the next entries from a number on, up to the last one, oldest first. Empty if there is none.
    fn entries_from(&self, from: u64, last: u64) -> Result<Vec<u64>, StoreError> {
        let (mut low, mut window, mut ids) = (from, WINDOW, Vec::new());
        while low <= last && ids.is_empty() {
            let high = low.saturating_add(window).min(last.saturating_add(1));
            let bounds = [low, high].map(|id| key::job(key::ENTRY, JobId(id)));
            let [lo, hi] = &bounds;
            self.shared.rows.down(lo, hi, &mut |key, _| {
                ids.extend(key::id_of(key).map(|id| id.0));
                Ok(true)
            })?;
            (low, window) = (high, window.saturating_mul(2));
        }
        ids.reverse();
        Ok(ids)
    }

    fn export_clipboards(
        &self,
        cursor: &ExportCursor,
        before: Option<&[u8]>,
    ) -> Result<ExportPiece, StoreError> {
        let mut sink = LineSink::default();
        let (mut last, mut more) = (None, false);
        let hi = before.map_or_else(|| key::behind(&[key::CLIP]), <[u8]>::to_vec);
        self.shared.rows.down(&[key::CLIP], &hi, &mut |key, value| {
            more = sink.is_full();
            if more {
                return Ok(false);
            }
            last = Some(key.to_vec());
            match self.shared.held(key, |value| self.shared.clip_at(value).map(Some)) {
                Ok(Some(clip)) => render::clipboard(&mut sink, &clip),
                // It was removed a moment ago.
                Ok(None) => {}
                Err(StoreError::Rotten { .. }) => {
                    let clipboard = Some(row::rest::<ClipRow>(value)?.name);
                    let absent = AbsentLine { clipboard, ..AbsentLine::of(AbsenceReason::Damaged) };
                    sink.put(&JournalLine::Absent(absent));
                }
                Err(other) => return Err(other),
            }
            Ok(true)
        })?;
        let stage = ExportStage::Clipboards(last);
        let next = more.then(|| ExportCursor { stage, ..cursor.clone() });
        Ok(ExportPiece { bytes: sink.bytes, next, needs: None })
    }
}
