//! Walking over a segment: which records stand there and follow one another. It only reads.

use super::frame::{Checksum, FRAME, RecordFrame, digest};
use super::header::HEADER;
use super::position::align;
use super::window::SegmentWindow;
use super::{ALIGN, BLOCK};
use crate::store::{Position, StoreError};

/// Where a walk stands: behind which record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScanCursor {
    /// Behind the last record.
    pub end: Position,
    /// Start of the last record.
    pub last: Position,
    /// Sequence of the next.
    pub sequence: u64,
    /// Checksum of the last.
    pub previous: Checksum,
    /// Highest epoch seen.
    pub epoch: u64,
    /// The highest place before which the log is proven to have been flushed.
    pub flushed: Position,
}

/// A record that holds.
#[derive(Clone, Debug)]
pub struct ScannedRecord {
    /// Its start.
    pub at: Position,
    /// Its frame.
    pub frame: RecordFrame,
    /// Its payload as stored.
    pub stored: Vec<u8>,
}

impl ScanCursor {
    /// The beginning of a segment whose header says what comes first in it.
    pub fn begin(header: &super::header::SegmentHeader) -> Self {
        Self {
            end: Position::at(header.segment, HEADER),
            last: Position::at(header.segment, 0),
            sequence: header.sequence,
            previous: header.previous,
            epoch: header.epoch,
            flushed: header.flushed,
        }
    }

    /// The next whole group in the segment, if one follows; the cursor moves behind it.
    pub fn group(&mut self, segment: &mut SegmentWindow) -> Result<Option<Vec<ScannedRecord>>, StoreError> {
        let end = self.end.offset();
        let direct = align(end, ALIGN);
        // After a flush the next record starts a new block.
        let padded = align(end, BLOCK);
        let found = self.group_at(segment, direct)?;
        if found.is_some() || padded == direct { Ok(found) } else { self.group_at(segment, padded) }
    }

    fn group_at(
        &mut self,
        segment: &mut SegmentWindow,
        offset: u64,
    ) -> Result<Option<Vec<ScannedRecord>>, StoreError> {
        let mut cursor = *self;
        let mut group = Vec::new();
        let mut offset = offset;
        loop {
            let Some((found, sum)) = cursor.record_at(segment, offset)? else { return Ok(None) };
            let (at, frame) = (found.at, found.frame);
            let end = offset + frame.size();
            group.push(found);
            cursor = ScanCursor {
                end: Position::at(segment.segment(), end),
                last: at,
                sequence: cursor.sequence + 1,
                previous: sum,
                epoch: frame.epoch,
                flushed: cursor.flushed.max(frame.flushed),
            };
            if !frame.more {
                *self = cursor;
                return Ok(Some(group));
            }
            offset = align(end, ALIGN);
        }
    }

    /// The record at an offset, if it holds and follows.
    fn record_at(
        &self,
        segment: &mut SegmentWindow,
        offset: u64,
    ) -> Result<Option<(ScannedRecord, Checksum)>, StoreError> {
        let at = Position::at(segment.segment(), offset);
        let Some(head) = segment.get(offset, FRAME)? else { return Ok(None) };
        let Some((frame, sum)) = RecordFrame::decode(head, at) else { return Ok(None) };
        if frame.previous != self.previous || frame.sequence != self.sequence || frame.epoch < self.epoch {
            return Ok(None);
        }
        let Some(stored) = segment.get(offset + FRAME as u64, frame.stored as usize)? else {
            return Ok(None);
        };
        let holds = digest(stored) == frame.digest;
        Ok(holds.then(|| (ScannedRecord { at, frame, stored: stored.to_vec() }, sum)))
    }

    /// Whether the log is proven to have been flushed beyond the cursor: then what follows it was damaged.
    pub fn proven_beyond(&self) -> bool {
        self.flushed > Position::at(self.end.segment(), align(self.end.offset(), BLOCK))
    }
}
