//! Walks over all segments and hands out their records in order. It only reads.
//!
//! Damage is passed if the end of its segment is known: it becomes a [`LogGap`], and the records behind it are handed out.
//! The next segment repeats the end of one that was flushed as a whole; in the newest segment, the record that proves the
//! latest flush shows how far it reaches. Any other damage before the flushed end is an error, since it cannot be told how
//! much is lost.

use super::frame::{Checksum, FRAME, RecordFrame};
use super::header::HEADER;
use super::mend::{LogGap, MendedStep, SegmentEnd, SegmentMender};
use super::read::{self, rotten};
use super::recover::{LogCheckpoint, LogItem, LogVisitor};
use super::scan::{ScanCursor, ScannedRecord};
use super::window::{FlushProof, SegmentWindow};
use super::{BLOCK, payload};
use crate::os::Dir;
use crate::store::{LogPosition, StoreError};

/// A walk over all segments.
pub(super) struct LogWalk<'a> {
    pub(super) dir: &'a Dir,
    pub(super) ids: &'a [u64],
    /// The segment behind which everything was searched for proof of a flush.
    searched: Option<u64>,
}

/// The beginning of a segment.
pub(super) struct SegmentStart {
    pub(super) window: SegmentWindow,
    pub(super) cursor: ScanCursor,
    /// The damage of its header.
    pub(super) gap: Option<LogGap>,
}

impl SegmentStart {
    /// Finds the beginning of a segment: its header or, if that is damaged, its first record. `None` if both are
    /// damaged, or were never written.
    pub(super) fn find(dir: &Dir, id: u64) -> Result<Option<Self>, StoreError> {
        let mut window = SegmentWindow::open(dir, id)?;
        let begin = begin(&mut window)?;
        Ok(begin.map(|(cursor, gap)| Self { window, cursor, gap }))
    }
}

/// Returns the beginning of an open segment, as [`SegmentStart::find`] does, and the damage of its header.
pub(super) fn begin(window: &mut SegmentWindow) -> Result<Option<(ScanCursor, Option<LogGap>)>, StoreError> {
    let id = window.segment();
    if let Some(header) = window.header()? {
        return Ok(Some((ScanCursor::begin(&header), None)));
    }
    let end = LogPosition::at(id, HEADER);
    let first = window.get(HEADER, FRAME)?.and_then(|head| RecordFrame::decode(head, end));
    let Some((frame, _)) = first else { return Ok(None) };
    let last = LogPosition::at(id, 0);
    let RecordFrame { sequence, previous, epoch, flushed, .. } = frame;
    let cursor = ScanCursor { end, last, sequence, previous, epoch, flushed, flushed_sequence: 0 };
    let gap = LogGap { from: last, to: end, records: Some(0), what: "the header of a segment" };
    Ok(Some((cursor, Some(gap))))
}

/// Hands a group of records out.
pub(super) fn hand_out(
    group: &[ScannedRecord],
    last: Checksum,
    visit: &mut LogVisitor<'_>,
) -> Result<(), StoreError> {
    // The checksum of each record is repeated in the one after it.
    let sums = group.iter().skip(1).map(|found| found.frame.previous).chain([last]);
    for (found, sum) in group.iter().zip(sums) {
        let record =
            payload::decode(&found.described, &found.stored).map_err(|what| rotten(found.at, &what))?;
        visit(LogItem::Record(found.at, sum, Box::new(record)))?;
    }
    Ok(())
}

/// Hands out what a step past damage found. Returns false if it found nothing more.
pub(super) fn hand_out_step(step: MendedStep, visit: &mut LogVisitor<'_>) -> Result<bool, StoreError> {
    match step {
        MendedStep::Record(found, sum) => hand_out(&[found], sum, visit)?,
        MendedStep::Repaired(found, sum, gap) => {
            visit(LogItem::Gap(gap))?;
            hand_out(&[found], sum, visit)?;
        }
        MendedStep::Gap(gap) => visit(LogItem::Gap(gap))?,
        MendedStep::End => return Ok(false),
    }
    Ok(true)
}

impl<'a> LogWalk<'a> {
    /// A walk over these segments, ascending.
    pub(super) fn new(dir: &'a Dir, ids: &'a [u64]) -> Self {
        Self { dir, ids, searched: None }
    }

    /// Visits every record from the checkpoint on; `None` if there is no log yet.
    pub(super) fn run(
        &mut self,
        from: Option<LogCheckpoint>,
        visit: &mut LogVisitor<'_>,
    ) -> Result<Option<ScanCursor>, StoreError> {
        let start = match from {
            Some(checkpoint) => checkpoint.at.segment(),
            None => match self.ids.first() {
                Some(first) => *first,
                None => return Ok(None),
            },
        };
        let mut window = SegmentWindow::open(self.dir, start)?;
        let mut cursor = match from {
            Some(checkpoint) => self.behind(&checkpoint)?,
            None => match window.header()? {
                Some(header) => ScanCursor::begin(&header),
                None => match self.headless(start, visit)? {
                    Some(cursor) => cursor,
                    None => return self.nothing(&mut window).map(|()| None),
                },
            },
        };
        loop {
            while let Some(group) = cursor.group(&mut window)? {
                hand_out(&group, cursor.previous, visit)?;
            }
            cursor.prove(window.evidence(cursor.end.offset())?);
            match self.next(&mut window, &mut cursor, visit)? {
                Some(next) => window = next,
                None if self.mend_newest(&mut window, &mut cursor, visit)? => {}
                None => break,
            }
        }
        self.prove(&mut cursor)?;
        Ok(Some(cursor))
    }

    /// Moves the cursor to the next segment, past damage in this one; `None` if the log ends here.
    fn next(
        &mut self,
        window: &mut SegmentWindow,
        cursor: &mut ScanCursor,
        visit: &mut LogVisitor<'_>,
    ) -> Result<Option<SegmentWindow>, StoreError> {
        let id = window.segment();
        if !self.ids.contains(&(id + 1)) {
            return Ok(None);
        }
        let mut next = SegmentWindow::open(self.dir, id + 1)?;
        if let Some(header) = next.header()?
            && header.previous == cursor.previous
            && header.sequence == cursor.sequence
        {
            *cursor = ScanCursor::begin(&header).after(cursor);
            return Ok(Some(next));
        }
        self.search_behind(cursor)?;
        if cursor.flushed.segment() <= id {
            // What follows was never flushed.
            return Ok(None);
        }
        let Some(start) = SegmentStart::find(self.dir, id + 1)? else { return Ok(None) };
        if !self.mend(window, cursor, SegmentEnd::of(&start.cursor), visit)? {
            return Ok(None);
        }
        if let Some(gap) = start.gap {
            visit(LogItem::Gap(gap))?;
        }
        *cursor = start.cursor.after(cursor);
        Ok(Some(start.window))
    }

    /// Visits the records behind damage in a segment. Returns false if its end was not reached.
    fn mend(
        &self,
        window: &mut SegmentWindow,
        cursor: &mut ScanCursor,
        end: SegmentEnd,
        visit: &mut LogVisitor<'_>,
    ) -> Result<bool, StoreError> {
        if SegmentEnd::of(cursor) == end {
            return Ok(true);
        }
        let mender = SegmentMender::new(window, cursor.end.offset(), Some(end), None, &[])?;
        while SegmentEnd::of(cursor) != end {
            if !hand_out_step(mender.step(window, cursor)?, visit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Visits the records behind damage in the newest segment, as far as a flush is proven. Returns false if nothing is
    /// damaged, or no record behind the damage is known.
    fn mend_newest(
        &mut self,
        window: &mut SegmentWindow,
        cursor: &mut ScanCursor,
        visit: &mut LogVisitor<'_>,
    ) -> Result<bool, StoreError> {
        self.search_behind(cursor)?;
        if !cursor.proven_beyond() || cursor.flushed.segment() != window.segment() {
            return Ok(false);
        }
        let following = window.segment() + 1;
        let next = match self.ids.contains(&following) {
            true => SegmentStart::find(self.dir, following)?.map(|start| start.cursor),
            false => None,
        };
        let mender = SegmentMender::new(window, cursor.end.offset(), None, next.as_ref(), &[])?;
        while cursor.proven_beyond() {
            if let Some(group) = cursor.group(window)? {
                hand_out(&group, cursor.previous, visit)?;
            } else if !hand_out_step(mender.step(window, cursor)?, visit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns a cursor after a record that is known to be in the log.
    fn behind(&self, checkpoint: &LogCheckpoint) -> Result<ScanCursor, StoreError> {
        let (frame, sum) = read::frame_at(self.dir, checkpoint.at)?;
        Ok(ScanCursor {
            end: LogPosition(checkpoint.at.0 + frame.size()),
            last: checkpoint.at,
            sequence: frame.sequence + 1,
            previous: sum,
            epoch: frame.epoch,
            flushed: frame.flushed,
            flushed_sequence: 0,
        })
    }

    /// Returns what the segments behind one prove about flushes.
    fn flushed_behind(&self, segment: u64) -> Result<FlushProof, StoreError> {
        let mut flushed = FlushProof::default();
        for &id in self.ids.iter().filter(|id| **id > segment) {
            flushed = flushed.max(proof(&mut SegmentWindow::open(self.dir, id)?)?);
        }
        Ok(flushed)
    }

    /// Searches the segments behind the cursor, once, for proof that the log was flushed further.
    fn search_behind(&mut self, cursor: &mut ScanCursor) -> Result<(), StoreError> {
        let id = cursor.end.segment();
        if self.searched != Some(id) {
            cursor.prove(self.flushed_behind(id)?);
            self.searched = Some(id);
        }
        Ok(())
    }

    /// Fails if the log was flushed beyond the cursor.
    fn prove(&mut self, cursor: &mut ScanCursor) -> Result<(), StoreError> {
        self.search_behind(cursor)?;
        if cursor.proven_beyond() {
            return Err(rotten(
                cursor.end,
                &format!(
                    "no record that follows is known to be part of the log, though the log was flushed up to {}",
                    cursor.flushed.shown()
                ),
            ));
        }
        Ok(())
    }

    /// Returns a cursor at the first record of the oldest segment, whose header is damaged.
    fn headless(&self, id: u64, visit: &mut LogVisitor<'_>) -> Result<Option<ScanCursor>, StoreError> {
        let Some(SegmentStart { mut window, mut cursor, gap }) = SegmentStart::find(self.dir, id)? else {
            return Ok(None);
        };
        cursor.prove(window.evidence(HEADER)?.max(self.flushed_behind(id)?));
        // Otherwise the segment is new, and the header was never written.
        let written = cursor.flushed > LogPosition::at(id, HEADER + BLOCK - 1);
        if written && let Some(gap) = gap {
            visit(LogItem::Gap(gap))?;
        }
        Ok(written.then_some(cursor))
    }

    /// Handles a first segment without a header: nothing was ever written, or it was damaged.
    fn nothing(&mut self, window: &mut SegmentWindow) -> Result<(), StoreError> {
        let id = window.segment();
        let start = LogPosition::at(id, HEADER);
        let mut cursor = ScanCursor {
            end: start,
            last: start,
            sequence: 0,
            previous: [0; 16],
            epoch: 0,
            flushed: start,
            flushed_sequence: 0,
        };
        // A first record without its header proves nothing: neither was flushed.
        cursor.flushed = cursor.flushed.max(window.evidence(HEADER)?.flushed);
        if id != 1 {
            // The first segment is numbered 1. A later one is the oldest only after retention, which drops a segment
            // only after the next one was flushed.
            return Err(rotten(LogPosition::at(id, 0), "the oldest segment has no valid header"));
        }
        self.prove(&mut cursor)
    }
}

/// Returns what a segment proves about flushes.
pub(super) fn proof(window: &mut SegmentWindow) -> Result<FlushProof, StoreError> {
    let flushed = window.header()?.map_or(LogPosition(0), |header| header.flushed);
    Ok(window.evidence(HEADER)?.max(FlushProof { flushed, sequence: 0 }))
}
