//! Reads the log while it is in use: all of it, or one segment. It changes nothing.

use super::file::UnreadableParts;
use super::frame::FRAME;
use super::header::{HEADER, SegmentHeader};
use super::mend::{LogGap, MendedStep, SegmentEnd, SegmentMender};
use super::payload;
use super::read::rotten;
use super::scan::{ScanCursor, ScannedRecord};
use super::segment;
use super::walk::begin;
use super::window::SegmentWindow;
use super::writer::Log;
use crate::os::Dir;
use crate::record::Record;
use crate::store::{LogPosition, StoreError};
use crate::sync::lock;

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LogCheck {
    /// Valid records.
    pub records: u64,
    /// Segments that were read.
    pub segments: u64,
    /// The damage.
    pub gaps: Vec<LogGap>,
}

impl LogCheck {
    /// Adds the result for further segments.
    pub fn add(&mut self, more: Self) {
        self.records += more.records;
        self.segments += more.segments;
        self.gaps.extend(more.gaps);
    }
}

impl Log {
    /// Reads every record up to the last one written so far. No segment may be dropped meanwhile.
    ///
    /// # Errors
    /// Errors of the system.
    #[cfg(test)]
    pub fn verify(&self) -> Result<LogCheck, StoreError> {
        let mut check = LogCheck::default();
        for (id, _) in self.segments() {
            check.add(self.verify_segment(id)?);
        }
        Ok(check)
    }

    /// Returns true if its folder was removed, so that it has no segment that could be checked.
    pub fn is_removed(&self) -> bool {
        segment::is_removed(self.dir())
    }

    /// Reads every record of a segment, of the newest one up to the last one written so far. The segment must not be
    /// dropped meanwhile. Blocks that the disk cannot read are damage.
    ///
    /// # Errors
    /// Errors of the system other than failed reads.
    pub fn verify_segment(&self, id: u64) -> Result<LogCheck, StoreError> {
        let mut check = LogCheck { segments: 1, ..LogCheck::default() };
        let Ok(mut window) = SegmentWindow::open_if_readable(self.dir(), id)? else {
            let (from, to) = (LogPosition::at(id, 0), LogPosition::at(id + 1, 0));
            check.gaps.push(LogGap { from, to, records: None, what: "a segment that cannot be opened" });
            return Ok(check);
        };
        self.verify_opened(id, &mut window, &mut check)?;
        let mut unreadable = UnreadableParts::default();
        unreadable.add(&window);
        check.gaps.iter_mut().for_each(|gap| unreadable.name(gap));
        check.gaps.extend(unreadable.without(&check.gaps, None));
        Ok(check)
    }

    fn verify_opened(
        &self,
        id: u64,
        window: &mut SegmentWindow,
        check: &mut LogCheck,
    ) -> Result<(), StoreError> {
        let end = self.end_of(id)?;
        let last = end.map_or(u64::MAX, |end| end.sequence);
        let Some((mut cursor, gap)) = begin(window)? else {
            let (from, to) = (LogPosition::at(id, 0), LogPosition::at(id, HEADER + FRAME as u64));
            let what = "the beginning of a segment";
            check.gaps.push(LogGap { from, to, records: None, what });
            return Ok(());
        };
        check.gaps.extend(gap);
        if window.is_table_damaged() {
            let at = LogPosition::at(id, 0);
            let what = "the header or a table of a packed segment";
            check.gaps.push(LogGap { from: at, to: at, records: Some(0), what });
        }
        let mut mender = None;
        loop {
            while cursor.sequence < last
                && let Some(group) = cursor.group(window)?
            {
                check.records += group.len() as u64;
            }
            // Records that were written after the end was determined are not checked.
            if cursor.sequence >= last {
                return Ok(());
            }
            if mender.is_none() {
                mender = Some(SegmentMender::new(window, cursor.end.offset(), end, None, &[])?);
            }
            let Some(mender) = &mender else { return Ok(()) };
            match mender.step(window, &mut cursor)? {
                MendedStep::Record(..) => check.records += 1,
                MendedStep::Repaired(_, _, gap) => {
                    check.records += 1;
                    check.gaps.push(gap);
                }
                MendedStep::Gap(gap) => check.gaps.push(gap),
                MendedStep::End => return Ok(()),
            }
        }
    }

    /// Returns the end of a segment: of the newest one as it is now, of others as the next one repeats it. `None` if
    /// the beginning of the next one is damaged, which its own check reports.
    pub(super) fn end_of(&self, id: u64) -> Result<Option<SegmentEnd>, StoreError> {
        {
            let tail = lock(&self.tail);
            if tail.segment.id == id {
                return Ok(Some(SegmentEnd { previous: tail.previous, sequence: tail.sequence }));
            }
        }
        // If it cannot be opened, its own check reports that.
        let Ok(mut next) = SegmentWindow::open_if_readable(self.dir(), id + 1)? else { return Ok(None) };
        Ok(begin(&mut next)?.map(|(cursor, _)| SegmentEnd::of(&cursor)))
    }

    /// Calls `visit` for every record of a segment that is followed by another. No segment may be dropped meanwhile.
    pub fn segment(
        &self,
        id: u64,
        visit: &mut dyn FnMut(LogPosition, Record) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let end = walk(self.dir(), id, &mut |found, record| visit(found.at, record))?;
        follows(self.dir(), &end, id)
    }
}

fn header(window: &mut SegmentWindow) -> Result<SegmentHeader, StoreError> {
    let id = window.segment();
    window.header()?.ok_or_else(|| rotten(LogPosition::at(id, 0), "a segment without a valid header"))
}

/// Calls `visit` for every record of a segment; returns the cursor after the last one.
pub(super) fn walk(
    dir: &Dir,
    id: u64,
    visit: &mut dyn FnMut(&ScannedRecord, Record) -> Result<(), StoreError>,
) -> Result<ScanCursor, StoreError> {
    let mut window = SegmentWindow::open(dir, id)?;
    let mut cursor = ScanCursor::begin(&header(&mut window)?);
    while let Some(group) = cursor.group(&mut window)? {
        for found in group {
            let record =
                payload::decode(&found.described, &found.stored).map_err(|what| rotten(found.at, &what))?;
            visit(&found, record)?;
        }
    }
    Ok(cursor)
}

/// Checks that the segment after this one continues at the cursor.
pub(super) fn follows(dir: &Dir, end: &ScanCursor, id: u64) -> Result<(), StoreError> {
    let next = header(&mut SegmentWindow::open(dir, id + 1)?)?;
    if end.sequence != next.sequence {
        return Err(rotten(end.end, "no valid record follows, though more was written"));
    }
    Ok(())
}
