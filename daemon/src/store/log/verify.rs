//! Reads the log while it is in use: all of it, or one old segment. It changes nothing.

use super::payload;
use super::read::rotten;
use super::recover::LogScan;
use super::scan::ScanCursor;
use super::window::SegmentWindow;
use super::writer::Log;
use crate::record::Record;
use crate::store::{LogPosition, StoreError};

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LogCheck {
    /// Valid records.
    pub records: u64,
    /// Segments that were read.
    pub segments: u64,
}

impl Log {
    /// Reads every record up to the last one written so far. No segment may be dropped meanwhile.
    pub fn verify(&self) -> Result<LogCheck, StoreError> {
        let last = self.last();
        let ids: Vec<u64> = self.segments().iter().map(|(id, _)| *id).collect();
        let mut records = 0;
        if last > LogPosition(0) {
            let walk = LogScan { dir: self.dir(), ids: &ids, until: Some(last) };
            walk.run(None, &mut |_, _, _| {
                records += 1;
                Ok(())
            })?;
        }
        Ok(LogCheck { records, segments: ids.len() as u64 })
    }

    /// Calls `visit` for every record of a segment that is followed by another. No segment may be dropped meanwhile.
    pub fn segment(
        &self,
        id: u64,
        visit: &mut dyn FnMut(LogPosition, Record) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (mut window, mut next) =
            (SegmentWindow::open(self.dir(), id)?, SegmentWindow::open(self.dir(), id + 1)?);
        let missing = |id| rotten(LogPosition::at(id, 0), "a segment without a valid header");
        let begin = window.header()?.ok_or_else(|| missing(id))?;
        let next = next.header()?.ok_or_else(|| missing(id + 1))?;
        let mut cursor = ScanCursor::begin(&begin);
        while let Some(group) = cursor.group(&mut window)? {
            for found in group {
                let record =
                    payload::decode(&found.frame, &found.stored).map_err(|what| rotten(found.at, &what))?;
                visit(found.at, record)?;
            }
        }
        if cursor.sequence != next.sequence {
            return Err(rotten(cursor.end, "no valid record follows, though more was written"));
        }
        Ok(())
    }
}
