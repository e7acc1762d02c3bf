//! Walking over a segment's bytes: which records stand there and follow one another, and what frames
//! behind the last good one prove. Pure.

use super::frame::{FRAME, Frame, Sum, digest};
use super::header::HEADER;
use super::position::align;
use super::{ALIGN, BLOCK};
use crate::store::Position;

/// A segment's bytes.
pub struct Bytes<'a> {
    /// Its number.
    pub segment: u64,
    /// All of them, from the header on.
    pub bytes: &'a [u8],
}

/// Where a walk stands: behind which record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cursor {
    /// Behind the last record.
    pub end: Position,
    /// Start of the last record.
    pub last: Position,
    /// Sequence of the next.
    pub sequence: u64,
    /// Checksum of the last.
    pub previous: Sum,
    /// Highest epoch seen.
    pub epoch: u64,
    /// The highest place before which the log is proven to have been flushed.
    pub flushed: Position,
}

/// A record that holds.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// Its start.
    pub at: Position,
    /// Its frame.
    pub frame: Frame,
    /// Its payload as stored.
    pub stored: &'a [u8],
}

impl Cursor {
    /// The beginning of a segment whose header says what comes first in it.
    pub fn begin(header: &super::header::Header) -> Self {
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
    pub fn group<'a>(&mut self, segment: &Bytes<'a>) -> Option<Vec<Found<'a>>> {
        let end = self.end.offset();
        let direct = align(end, ALIGN);
        // After a flush the next record starts a new block.
        let padded = align(end, BLOCK);
        let found = self.group_at(segment, direct);
        if found.is_some() || padded == direct { found } else { self.group_at(segment, padded) }
    }

    fn group_at<'a>(&mut self, segment: &Bytes<'a>, offset: u64) -> Option<Vec<Found<'a>>> {
        let mut cursor = *self;
        let mut group = Vec::new();
        let mut offset = offset;
        loop {
            let at = Position::at(segment.segment, offset);
            let (frame, sum) = Frame::decode(segment.from(offset)?, at)?;
            if frame.previous != cursor.previous
                || frame.sequence != cursor.sequence
                || frame.epoch < cursor.epoch
            {
                return None;
            }
            let end = offset + frame.size();
            let stored = segment.range(offset + FRAME as u64, end)?;
            if digest(stored) != frame.digest {
                return None;
            }
            group.push(Found { at, frame, stored });
            cursor = Cursor {
                end: Position::at(segment.segment, end),
                last: at,
                sequence: cursor.sequence + 1,
                previous: sum,
                epoch: frame.epoch,
                flushed: cursor.flushed.max(frame.flushed),
            };
            if !frame.more {
                *self = cursor;
                return Some(group);
            }
            offset = align(end, ALIGN);
        }
    }

    /// Whether the log is proven to have been flushed beyond the cursor: then what follows it was damaged.
    pub fn proven_beyond(&self) -> bool {
        self.flushed > Position::at(self.end.segment(), align(self.end.offset(), BLOCK))
    }
}

impl<'a> Bytes<'a> {
    fn from(&self, offset: u64) -> Option<&'a [u8]> {
        self.bytes.get(usize::try_from(offset).ok()?..)
    }

    fn range(&self, start: u64, end: u64) -> Option<&'a [u8]> {
        self.bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    /// The highest flushed place that any frame from `offset` on tells. A frame counts wherever it stands,
    /// if it was written for that place: what it tells was true then, and nothing below a flushed place is
    /// ever cut.
    pub fn evidence(&self, offset: u64) -> Position {
        let mut highest = Position(0);
        let mut offset = align(offset, ALIGN);
        while let Some(bytes) = self.from(offset).filter(|bytes| bytes.len() >= FRAME) {
            if Frame::may_begin(bytes)
                && let Some((frame, _)) = Frame::decode(bytes, Position::at(self.segment, offset))
            {
                highest = highest.max(frame.flushed);
            }
            offset += ALIGN;
        }
        highest
    }
}
