//! Reads a segment through a small window, so that reading a large log takes little memory. It only reads.

use super::frame::{FRAME, RecordFrame};
use super::position::align;
use super::read::fill;
use super::segment::{self, failure};
use super::{ALIGN, header};
use crate::limits;
use crate::os::{Access, Dir, File};
use crate::store::{LogPosition, StoreError};

/// The bytes read at once: small enough that allocators do not return them to the system each time.
const CHUNK: usize = 64 * 1024;

/// An open segment and the part of it that was read last.
pub struct SegmentWindow {
    segment: u64,
    file: File,
    len: u64,
    start: u64,
    bytes: Vec<u8>,
}

impl SegmentWindow {
    /// Opens a segment.
    pub fn open(dir: &Dir, id: u64) -> Result<Self, StoreError> {
        let segment = segment::open(dir, id, Access::Read).map_err(|e| failure("opening", id, &e))?;
        Ok(Self { segment: id, file: segment.file, len: segment.len, start: 0, bytes: Vec::new() })
    }

    /// Returns the number of the segment.
    pub fn segment(&self) -> u64 {
        self.segment
    }

    /// Returns `len` bytes from an offset on; `None` if the segment ends before, or no record is that long.
    pub fn get(&mut self, offset: u64, len: usize) -> Result<Option<&[u8]>, StoreError> {
        if len > limits::RECORD || offset.saturating_add(len as u64) > self.len {
            return Ok(None);
        }
        let held = offset >= self.start && offset + len as u64 <= self.start + self.bytes.len() as u64;
        if !held {
            self.bytes.resize(len.max(CHUNK), 0);
            let filled = fill(&*self.file, &mut self.bytes, offset)
                .map_err(|e| failure("reading", self.segment, &e))?;
            self.bytes.truncate(filled);
            self.start = offset;
        }
        let from = usize::try_from(offset - self.start).unwrap_or(usize::MAX);
        Ok(self.bytes.get(from..).and_then(|bytes| bytes.get(..len)))
    }

    /// Returns the segment's header, if it has its own; fails if the format is newer than this daemon.
    pub fn header(&mut self) -> Result<Option<header::SegmentHeader>, StoreError> {
        let id = self.segment;
        let Some(block) = self.get(0, header::HEADER as usize)? else { return Ok(None) };
        match header::SegmentHeader::decode(block, id) {
            Some(header) if header.format > header::FORMAT => Err(StoreError::Io(
                format!(
                    "the log has format {}, this daemon knows up to {}: a newer editd wrote it; use that one",
                    header.format,
                    header::FORMAT
                )
                .into(),
            )),
            other => Ok(other),
        }
    }

    /// Returns the highest flushed position in any frame from `offset` on. A frame counts at any offset if it was
    /// written for that position: the value was true when it was written, and nothing below a flushed position is
    /// ever cut.
    pub fn evidence(&mut self, offset: u64) -> Result<LogPosition, StoreError> {
        let (segment, mut highest) = (self.segment, LogPosition(0));
        let mut offset = align(offset, ALIGN);
        loop {
            let room = usize::try_from(self.len.saturating_sub(offset)).unwrap_or(CHUNK).min(CHUNK);
            if room < FRAME {
                return Ok(highest);
            }
            let Some(bytes) = self.get(offset, room)? else { return Ok(highest) };
            let mut inner = 0;
            while let Some(rest) = bytes.get(inner..).filter(|rest| rest.len() >= FRAME) {
                let at = LogPosition::at(segment, offset + inner as u64);
                if RecordFrame::may_begin(rest)
                    && let Some((frame, _)) = RecordFrame::decode(rest, at)
                {
                    highest = highest.max(frame.flushed);
                }
                inner += ALIGN as usize;
            }
            offset += inner as u64;
        }
    }
}
