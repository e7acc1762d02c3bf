//! Walks over a log that may be damaged anywhere, for `salvage`: it hands out every record that is known to be part of
//! the log, and reports every gap. It only reads, around what the disk cannot read.
//!
//! The end of the newest segment is treated as at every start: what was not proven to be flushed is no damage.

use super::file::UnreadableParts;
use super::frame::Checksum;
use super::header::HEADER;
use super::mend::{LogGap, SegmentEnd, SegmentMender};
use super::recover::{LogItem, LogVisitor};
use super::scan::ScanCursor;
use super::segment;
use super::walk::{begin, hand_out, hand_out_step, proof};
use super::window::{FlushProof, SegmentWindow};
use crate::os::Dir;
use crate::store::{LogPosition, StoreError};

/// A survey of all segments.
struct LogSurvey<'a> {
    dir: &'a Dir,
    ids: Vec<u64>,
    /// Proof of how far the log was flushed.
    proof: FlushProof,
    /// Checksums that are known to be those of records.
    sums: &'a [Checksum],
}

/// Visits every valid record of the log, and its gaps. `sums` are checksums that are known to be those of records, from
/// outside of the log.
///
/// # Errors
/// Errors of the system, those of `visit`, and a record or segment that a newer editd wrote.
pub fn survey(dir: &Dir, sums: &[Checksum], visit: &mut LogVisitor<'_>) -> Result<(), StoreError> {
    let ids = segment::list(dir).map_err(|e| {
        StoreError::Io(
            format!(
                "the journal's folder log could not be listed: {}",
                editd_proto::system_error::in_words(&e)
            )
            .into(),
        )
    })?;
    let (mut flushed, mut unreadable) = (FlushProof::default(), UnreadableParts::default());
    for &id in &ids {
        // This reads all of it.
        let mut window = SegmentWindow::open_around(dir, id)?;
        flushed = flushed.max(proof(&mut window)?);
        unreadable.add(&window);
    }
    let survey = LogSurvey { dir, ids, proof: flushed, sums };
    let mut before = None;
    let mut gaps = Vec::new();
    let reporting: &mut LogVisitor<'_> = &mut |item| match item {
        LogItem::Gap(mut gap) => {
            unreadable.name(&mut gap);
            gaps.push(gap.clone());
            visit(LogItem::Gap(gap))
        }
        record => visit(record),
    };
    for &id in &survey.ids {
        let Some((mut window, mut cursor)) = survey.begin(id, before, reporting)? else { break };
        survey.segment(&mut window, &mut cursor, reporting)?;
        before = Some(cursor);
    }
    let end = before.map(|cursor| cursor.end);
    unreadable.without(&gaps, end).into_iter().try_for_each(|gap| visit(LogItem::Gap(gap)))
}

impl LogSurvey<'_> {
    /// Returns the beginning of a segment, after what was found before it; `None` if the log ends before it.
    fn begin(
        &self,
        id: u64,
        before: Option<ScanCursor>,
        visit: &mut LogVisitor<'_>,
    ) -> Result<Option<(SegmentWindow, ScanCursor)>, StoreError> {
        let start = LogPosition::at(id, HEADER);
        let mut window = SegmentWindow::open_around(self.dir, id)?;
        let Some((cursor, gap)) = begin(&mut window)? else {
            if self.proof.flushed <= start {
                return Ok(None);
            }
            let last = LogPosition::at(id, 0);
            let what = "the header of a segment";
            visit(LogItem::Gap(LogGap { from: last, to: start, records: Some(0), what }))?;
            // Without a segment before it, neither a sequence nor a checksum is known.
            let (sequence, previous, epoch) =
                before.map(|at| (at.sequence, at.previous, at.epoch)).unwrap_or_default();
            let cursor = ScanCursor {
                end: start,
                last,
                sequence,
                previous,
                epoch,
                flushed: start,
                flushed_sequence: 0,
            };
            return Ok(Some((window, cursor)));
        };
        if let Some(before) = before.filter(|before| SegmentEnd::of(before) != SegmentEnd::of(&cursor)) {
            let records = cursor.sequence.checked_sub(before.sequence).filter(|records| *records > 0);
            // It was begun in an earlier life of the log, and what it held was never flushed.
            let Some(records) = records.filter(|_| self.proof.flushed > start) else { return Ok(None) };
            let what = "the end of a segment, or a missing segment";
            let records = (before.sequence > 0).then_some(records);
            visit(LogItem::Gap(LogGap { from: before.end, to: start, records, what }))?;
        }
        if let Some(gap) = gap {
            visit(LogItem::Gap(gap))?;
        }
        Ok(Some((window, cursor)))
    }

    /// Visits the records of a segment.
    fn segment(
        &self,
        window: &mut SegmentWindow,
        cursor: &mut ScanCursor,
        visit: &mut LogVisitor<'_>,
    ) -> Result<(), StoreError> {
        let id = window.segment();
        let flushed_whole = self.proof.flushed.segment() > id;
        let next = match self.ids.contains(&(id + 1)) {
            true => begin(&mut SegmentWindow::open_around(self.dir, id + 1)?)?.map(|(next, _)| next),
            false => None,
        };
        let end = next.as_ref().filter(|_| flushed_whole).map(SegmentEnd::of);
        let mut mender = None;
        loop {
            while let Some(group) = cursor.group(window)? {
                hand_out(&group, cursor.previous, visit)?;
            }
            cursor.prove(self.proof);
            let ends = match end {
                Some(end) => SegmentEnd::of(cursor) == end,
                None => !cursor.proven_beyond(),
            };
            if ends {
                return Ok(());
            }
            if mender.is_none() {
                mender =
                    Some(SegmentMender::new(window, cursor.end.offset(), end, next.as_ref(), self.sums)?);
            }
            let Some(mender) = &mender else { return Ok(()) };
            if hand_out_step(mender.step(window, cursor)?, visit)? {
                continue;
            }
            // The sequence in the next segment shows whether records are missing.
            if flushed_whole {
                return Ok(());
            }
            let what = "the rest of the log";
            let gap = LogGap { from: cursor.end, to: self.proof.flushed, records: None, what };
            return visit(LogItem::Gap(gap));
        }
    }
}
