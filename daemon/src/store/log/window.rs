//! Reads a segment through a small window, so that reading a large log takes little memory. It only reads.

use std::io;

use super::file::is_of_the_disk;
use super::forgotten::ForgottenPayloads;
use super::frame::{Checksum, FRAME, RecordFrame};
use super::position::align;
use super::read::fill;
use super::segment::{self, ReadSegment, unreadable};
use super::{ALIGN, header};
use crate::limits;
use crate::os::Dir;
use crate::store::{LogPosition, StoreError};

/// The bytes read at once: small enough that allocators do not return them to the system each time.
const CHUNK: usize = 64 * 1024;

/// Proof of how far the log was flushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FlushProof {
    /// The position up to which it was flushed.
    pub flushed: LogPosition,
    /// The sequence below which all records were flushed.
    pub sequence: u64,
}

impl FlushProof {
    /// Returns what both prove.
    pub fn max(self, other: Self) -> Self {
        Self { flushed: self.flushed.max(other.flushed), sequence: self.sequence.max(other.sequence) }
    }
}

/// An open segment and the part of it that was read last.
pub struct SegmentWindow {
    dir: Dir,
    segment: ReadSegment,
    start: u64,
    bytes: Vec<u8>,
    /// Read when first needed.
    forgotten: Option<ForgottenPayloads>,
    /// True if it reads around what the disk cannot read.
    is_around: bool,
}

impl SegmentWindow {
    /// Opens a segment.
    pub fn open(dir: &Dir, id: u64) -> Result<Self, StoreError> {
        let segment = segment::read(dir, id).map_err(|e| unreadable("opened", id, &e))?;
        Ok(Self { dir: dir.clone(), segment, start: 0, bytes: Vec::new(), forgotten: None, is_around: false })
    }

    /// Opens a segment for reading around what the disk cannot read.
    pub fn open_around(dir: &Dir, id: u64) -> Result<Self, StoreError> {
        Self::open_if_readable(dir, id)?.map_err(|e| unreadable("opened", id, &e))
    }

    /// As [`Self::open_around`]. The inner error is one of the disk, or the file is absent.
    ///
    /// # Errors
    /// A lack of rights, memory or file descriptors, which says nothing about the segment.
    pub fn open_if_readable(dir: &Dir, id: u64) -> Result<io::Result<Self>, StoreError> {
        let segment = match segment::read_around(dir, id) {
            Err(e) if !is_of_the_disk(&e) => return Err(unreadable("opened", id, &e)),
            Err(e) => return Ok(Err(e)),
            Ok(segment) => segment,
        };
        let dir = dir.clone();
        Ok(Ok(Self { dir, segment, start: 0, bytes: Vec::new(), forgotten: None, is_around: true }))
    }

    /// Returns the parts of its file that the disk could not read so far.
    pub fn unreadable(&self) -> Vec<(u64, u64)> {
        self.segment.unreadable()
    }

    /// Returns the replacements of the segment's removed payloads.
    pub fn forgotten(&mut self) -> Result<&ForgottenPayloads, StoreError> {
        let known = match self.forgotten.take() {
            Some(known) => known,
            None => match ForgottenPayloads::read(&self.dir, self.segment.id) {
                Err(why) if self.is_around => {
                    tracing::error!("{why}: the records that it replaces are lost");
                    ForgottenPayloads::default()
                }
                read => read?,
            },
        };
        Ok(self.forgotten.insert(known))
    }

    /// Returns the number of the segment.
    pub fn segment(&self) -> u64 {
        self.segment.id
    }

    /// Returns true if it is packed, and its header or one of its tables is damaged.
    pub fn is_table_damaged(&self) -> bool {
        self.segment.is_table_damaged()
    }

    /// Returns `len` bytes from an offset on; `None` if the segment ends before, or no record is that long.
    pub fn get(&mut self, offset: u64, len: usize) -> Result<Option<&[u8]>, StoreError> {
        if len > limits::RECORD || offset.saturating_add(len as u64) > self.segment.len {
            return Ok(None);
        }
        let held = offset >= self.start && offset + len as u64 <= self.start + self.bytes.len() as u64;
        if !held {
            self.bytes.resize(len.max(CHUNK), 0);
            let filled = fill(&self.segment, &mut self.bytes, offset)
                .map_err(|e| unreadable("read", self.segment.id, &e))?;
            self.bytes.truncate(filled);
            self.start = offset;
        }
        let from = usize::try_from(offset - self.start).unwrap_or(usize::MAX);
        Ok(self.bytes.get(from..).and_then(|bytes| bytes.get(..len)))
    }

    /// Returns the segment's header, if it has its own; fails if the format is newer than this daemon.
    pub fn header(&mut self) -> Result<Option<header::SegmentHeader>, StoreError> {
        let id = self.segment.id;
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

    /// Returns what the frames from `offset` on prove about flushes. A frame counts at any offset if it was written for
    /// that position: what it says was true when it was written, and nothing below a flushed position is ever cut.
    pub fn evidence(&mut self, offset: u64) -> Result<FlushProof, StoreError> {
        let (segment, mut proof) = (self.segment.id, FlushProof::default());
        self.each_frame(offset, &mut |at, frame, _| {
            // The first record after a flush: all records before it were flushed.
            let first = frame.flushed == LogPosition::at(segment, at);
            let sequence = if first { frame.sequence } else { 0 };
            proof = proof.max(FlushProof { flushed: frame.flushed, sequence });
        })?;
        Ok(proof)
    }

    /// Calls `visit` with the offset, the frame and the checksum of every frame from `offset` on that was written for
    /// its position. Its payload is not checked, and it need not be part of the log.
    pub fn each_frame(
        &mut self,
        offset: u64,
        visit: &mut dyn FnMut(u64, RecordFrame, Checksum),
    ) -> Result<(), StoreError> {
        let segment = self.segment.id;
        let mut offset = align(offset, ALIGN);
        loop {
            let room = usize::try_from(self.segment.len.saturating_sub(offset)).unwrap_or(CHUNK).min(CHUNK);
            let Some(last_start) = room.checked_sub(FRAME) else { return Ok(()) };
            let Some(bytes) = self.get(offset, room)? else { return Ok(()) };
            for inner in RecordFrame::beginnings(bytes).take_while(|inner| *inner <= last_start) {
                let (at, rest) = (offset + inner as u64, bytes.get(inner..).unwrap_or_default());
                if let Some((frame, sum)) = RecordFrame::decode(rest, LogPosition::at(segment, at)) {
                    visit(at, frame, sum);
                }
            }
            // A frame that begins later is not wholly in these bytes.
            offset = align(offset + last_start as u64 + 1, ALIGN);
        }
    }

    /// Returns the bytes of the segment.
    pub fn len(&self) -> u64 {
        self.segment.len
    }
}
