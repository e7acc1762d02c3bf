//! Reads the log from its beginning while it is in use, to make the rows of the database again. It changes nothing.

use super::header::HEADER;
use super::mend::{LogGap, MendedStep, SegmentMender};
use super::recover::{LogItem, LogVisitor};
use super::scan::ScanCursor;
use super::walk::{SegmentStart, hand_out};
use super::writer::Log;
use crate::store::{LogPosition, StoreError};

impl Log {
    /// Calls `visit` for every record up to the flushed one at `upto`, and for every gap before it. Appends continue
    /// meanwhile; no segment may be dropped.
    ///
    /// # Errors
    /// Errors of the system, and those of `visit`.
    pub fn replay(&self, upto: LogPosition, visit: &mut LogVisitor<'_>) -> Result<(), StoreError> {
        for (id, len) in self.segments() {
            if id > upto.segment() {
                break;
            }
            self.replay_segment((id, len), upto, visit)?;
        }
        Ok(())
    }

    fn replay_segment(
        &self,
        (id, len): (u64, u64),
        upto: LogPosition,
        visit: &mut LogVisitor<'_>,
    ) -> Result<(), StoreError> {
        // Before anything is read: the bytes of all records before it are in the file by then.
        let end = self.end_of(id)?;
        let Some(SegmentStart { mut window, mut cursor, gap }) = SegmentStart::find(self.dir(), id)? else {
            let (from, to) = (LogPosition::at(id, HEADER), LogPosition::at(id, len));
            return visit(LogItem::Gap(LogGap { from, to, records: None, what: "a segment" }));
        };
        if let Some(gap) = gap {
            visit(LogItem::Gap(gap))?;
        }
        let done = |cursor: &ScanCursor| {
            cursor.last >= upto || end.is_some_and(|end| cursor.sequence >= end.sequence)
        };
        let mut mender = None;
        loop {
            while !done(&cursor)
                && let Some(group) = cursor.group(&mut window)?
            {
                hand_out(&group, cursor.previous, visit)?;
            }
            if done(&cursor) {
                return Ok(());
            }
            if mender.is_none() {
                mender = Some(SegmentMender::new(&mut window, cursor.end.offset(), end, None, &[])?);
            }
            let Some(mender) = &mender else { return Ok(()) };
            match mender.step(&mut window, &mut cursor)? {
                MendedStep::Record(found, sum) => hand_out(&[found], sum, visit)?,
                MendedStep::Repaired(found, sum, gap) => {
                    visit(LogItem::Gap(gap))?;
                    hand_out(&[found], sum, visit)?;
                }
                MendedStep::Gap(gap) => visit(LogItem::Gap(gap))?,
                MendedStep::End => return Ok(()),
            }
        }
    }
}
