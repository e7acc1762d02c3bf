//! Walks over a segment and returns the records that are valid and follow one another. It only reads.

use super::frame::{Checksum, FRAME, RecordFrame, digest};
use super::header::HEADER;
use super::position::align;
use super::window::{FlushProof, SegmentWindow};
use super::{ALIGN, BLOCK};
use crate::store::{LogPosition, StoreError};

/// The position of a scan: after a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScanCursor {
    /// The end of the last record.
    pub end: LogPosition,
    /// The start of the last record.
    pub last: LogPosition,
    /// The sequence of the next record.
    pub sequence: u64,
    /// The checksum of the last record.
    pub previous: Checksum,
    /// The highest epoch seen.
    pub epoch: u64,
    /// The highest position up to which the log is proven to have been flushed.
    pub flushed: LogPosition,
    /// The sequence below which all records are proven to have been flushed.
    pub flushed_sequence: u64,
}

/// A valid record.
#[derive(Clone, Debug)]
pub struct ScannedRecord {
    /// Its start.
    pub at: LogPosition,
    /// Its frame.
    pub frame: RecordFrame,
    /// The frame that describes `stored`; it differs if the payload was replaced.
    pub described: RecordFrame,
    /// Its payload as stored, or the replacement.
    pub stored: Vec<u8>,
}

impl ScannedRecord {
    /// Reads the payload that follows a valid frame, or its replacement; `None` if neither is valid.
    pub(super) fn read(
        segment: &mut SegmentWindow,
        at: LogPosition,
        frame: &RecordFrame,
    ) -> Result<Option<Self>, StoreError> {
        let offset = at.offset();
        let Some(stored) = segment.get(offset + FRAME as u64, frame.stored as usize)? else {
            return Ok(None);
        };
        if digest(stored) == frame.digest {
            let stored = stored.to_vec();
            return Ok(Some(Self { at, frame: *frame, described: *frame, stored }));
        }
        let Some((described, stored)) = segment.forgotten()?.of(offset, frame) else { return Ok(None) };
        let stored = stored.to_vec();
        Ok(Some(Self { at, frame: *frame, described, stored }))
    }

    /// Returns true if the payload was removed from the segment, and `stored` is its replacement.
    pub fn is_replaced(&self) -> bool {
        self.described.digest != self.frame.digest
    }
}

impl ScanCursor {
    /// Returns a cursor at the beginning of a segment, from its header.
    pub fn begin(header: &super::header::SegmentHeader) -> Self {
        Self {
            end: LogPosition::at(header.segment, HEADER),
            last: LogPosition::at(header.segment, 0),
            sequence: header.sequence,
            previous: header.previous,
            epoch: header.epoch,
            flushed: header.flushed,
            flushed_sequence: 0,
        }
    }

    /// Returns the next whole group in the segment, if one follows; the cursor moves after it.
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
            let (end, more) = (offset + found.frame.size(), found.frame.more);
            cursor.pass(&found, sum);
            group.push(found);
            if !more {
                *self = cursor;
                return Ok(Some(group));
            }
            offset = align(end, ALIGN);
        }
    }

    /// Moves after a record.
    pub(super) fn pass(&mut self, found: &ScannedRecord, sum: Checksum) {
        *self = Self {
            end: LogPosition(found.at.0 + found.frame.size()),
            last: found.at,
            sequence: self.sequence + 1,
            previous: sum,
            epoch: found.frame.epoch,
            flushed: self.flushed.max(found.frame.flushed),
            flushed_sequence: self.flushed_sequence,
        };
    }

    /// Returns the record at an offset if it is valid and follows the last one.
    pub(super) fn record_at(
        &self,
        segment: &mut SegmentWindow,
        offset: u64,
    ) -> Result<Option<(ScannedRecord, Checksum)>, StoreError> {
        let at = LogPosition::at(segment.segment(), offset);
        let Some(head) = segment.get(offset, FRAME)? else { return Ok(None) };
        let Some((frame, sum)) = RecordFrame::decode(head, at) else { return Ok(None) };
        if frame.previous != self.previous || frame.sequence != self.sequence || frame.epoch < self.epoch {
            return Ok(None);
        }
        Ok(ScannedRecord::read(segment, at, &frame)?.map(|found| (found, sum)))
    }

    /// Returns true if the log is proven to have been flushed beyond the cursor: the bytes after it are then damaged.
    pub fn proven_beyond(&self) -> bool {
        self.flushed > LogPosition::at(self.end.segment(), align(self.end.offset(), BLOCK))
            || self.flushed_sequence > self.sequence
    }

    /// Returns this beginning of a segment as the continuation of a scan.
    pub(super) fn after(self, before: &Self) -> Self {
        let flushed = self.flushed.max(before.flushed);
        let flushed_sequence = self.flushed_sequence.max(before.flushed_sequence);
        Self { last: before.last, flushed, flushed_sequence, ..self }
    }

    /// Adds proof of flushes.
    pub fn prove(&mut self, proof: FlushProof) {
        self.flushed = self.flushed.max(proof.flushed);
        self.flushed_sequence = self.flushed_sequence.max(proof.sequence);
    }
}
