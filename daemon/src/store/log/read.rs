//! Reads one record by its position. It never returns a record that is not valid.

use std::io;

use super::file::LogFile;
use super::forgotten::ForgottenPayloads;
use super::frame::{Checksum, FRAME, RecordFrame, digest};
use super::payload;
use super::segment::{self, ReadSegment};
use crate::limits;
use crate::os::Dir;
use crate::record::Record;
use crate::store::{LogPosition, StoreError};

/// Reads many records of few segments. It keeps the last segment open, with the last of its blocks that was unpacked.
///
/// No segment may be packed, erased from or dropped while it is used.
pub struct RecordReader<'a> {
    dir: &'a Dir,
    last: Option<ReadSegment>,
}

impl<'a> RecordReader<'a> {
    /// Reads segments of the log in a folder.
    pub fn new(dir: &'a Dir) -> Self {
        Self { dir, last: None }
    }

    /// Returns the record that starts at a position.
    pub fn record(&mut self, at: LogPosition) -> Result<Record, StoreError> {
        let dir = self.dir;
        record_in(self.segment(at)?, dir, at).map(|(record, _, _)| record)
    }

    /// Returns the frame of the record that starts at a position.
    pub fn frame_at(&mut self, at: LogPosition) -> Result<RecordFrame, StoreError> {
        frame(self.segment(at)?, at).map(|(frame, _)| frame)
    }

    /// Closes the segment that it keeps open.
    pub fn close(&mut self) {
        self.last = None;
    }

    fn segment(&mut self, at: LogPosition) -> Result<&ReadSegment, StoreError> {
        let kept = self.last.take().filter(|last| last.id == at.segment());
        let segment = match kept {
            Some(segment) => segment,
            None => opened(self.dir, at)?,
        };
        Ok(self.last.insert(segment))
    }
}

/// Returns the record that starts at a position, with its frame and checksum.
pub fn record(dir: &Dir, at: LogPosition) -> Result<(Record, RecordFrame, Checksum), StoreError> {
    record_in(&opened(dir, at)?, dir, at)
}

fn record_in(
    segment: &ReadSegment,
    dir: &Dir,
    at: LogPosition,
) -> Result<(Record, RecordFrame, Checksum), StoreError> {
    let (frame, sum) = frame(segment, at)?;
    let stored = exactly(segment, frame.stored as usize, at.offset() + FRAME as u64, at)?;
    let decoded = if digest(&stored) == frame.digest {
        payload::decode(&frame, &stored)
    } else {
        let forgotten = ForgottenPayloads::read(dir, at.segment())?;
        let replaced = forgotten.of(at.offset(), &frame);
        let (described, stored) =
            replaced.ok_or_else(|| rotten(at, "a record whose payload does not match its digest"))?;
        payload::decode(&described, stored)
    };
    Ok((decoded.map_err(|what| rotten(at, &what))?, frame, sum))
}

/// Returns the frame and the checksum of the record that starts at a position; the payload is not read.
pub fn frame_at(dir: &Dir, at: LogPosition) -> Result<(RecordFrame, Checksum), StoreError> {
    frame(&opened(dir, at)?, at)
}

fn opened(dir: &Dir, at: LogPosition) -> Result<ReadSegment, StoreError> {
    segment::read(dir, at.segment()).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound if segment::is_removed(dir) => StoreError::Gone,
        _ => segment::unreadable("opened", at.segment(), &e),
    })
}

fn frame(segment: &ReadSegment, at: LogPosition) -> Result<(RecordFrame, Checksum), StoreError> {
    let head = exactly(segment, FRAME, at.offset(), at)?;
    let found = RecordFrame::decode(&head, at).ok_or_else(|| rotten(at, "no record where one must be"))?;
    if found.0.stored as usize > limits::RECORD {
        return Err(rotten(at, "a record above the limit"));
    }
    Ok(found)
}

fn exactly(segment: &ReadSegment, len: usize, offset: u64, at: LogPosition) -> Result<Vec<u8>, StoreError> {
    let mut bytes = vec![0; len];
    let filled =
        fill(segment, &mut bytes, offset).map_err(|e| segment::unreadable("read", at.segment(), &e))?;
    if filled < len {
        return Err(rotten(at, "the segment ends inside a record"));
    }
    Ok(bytes)
}

/// Reads until the buffer is full or the segment ends; returns the number of bytes.
pub(super) fn fill(segment: &ReadSegment, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    fill_by(&|room, offset| segment.read_at(room, offset), bytes, offset)
}

/// The same with the bytes of a file, whatever its form.
pub(super) fn fill_file(file: &LogFile, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    fill_by(&|room, offset| file.read_at(room, offset), bytes, offset)
}

fn fill_by(
    read: &dyn Fn(&mut [u8], u64) -> io::Result<usize>,
    bytes: &mut [u8],
    offset: u64,
) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
        match read(room, offset + filled as u64)? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

/// The error for damage at a position, with what to do about it.
pub(super) fn rotten(at: LogPosition, what: &str) -> StoreError {
    StoreError::Rotten { at, what: what.to_owned() }
}
