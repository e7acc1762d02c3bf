//! An open file of the log. For a salvage and for checks, it reads around blocks that the disk cannot read: their bytes are
//! zeros then, so that they count as damaged. It writes nothing.

use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;

use editd_proto::system_error::is_out_of_descriptors;

use super::BLOCK;
use super::mend::LogGap;
use super::position::align;
use super::window::SegmentWindow;
use crate::os::File;
use crate::store::LogPosition;
use crate::sync::lock;

/// The damaged part in messages if the disk cannot read it.
const UNREADABLE: &str = "blocks that the disk cannot read";

/// An open file of the log.
pub struct LogFile {
    file: File,
    /// Its bytes.
    pub size: u64,
    /// The blocks that could not be read; `None` if a failed read is an error.
    unreadable: Option<Mutex<BTreeSet<u64>>>,
}

impl LogFile {
    /// Takes an open file. A failed read is an error.
    pub fn new(file: File) -> io::Result<Self> {
        let size = file.stat()?.size;
        Ok(Self { file, size, unreadable: None })
    }

    /// Takes an open file, to read around what the disk cannot read.
    pub fn around(file: File) -> io::Result<Self> {
        Ok(Self { unreadable: Some(Mutex::default()), ..Self::new(file)? })
    }

    /// Reads up to `buf.len()` bytes at an offset; 0 at the end.
    pub fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        match (self.file.read_at(buf, offset), &self.unreadable) {
            (Err(error), Some(known)) if is_of_the_disk(&error) => self.read_block(buf, offset, known),
            (read, _) => read,
        }
    }

    /// Reads up to the end of the block at an offset, or gives zeros for it.
    fn read_block(&self, buf: &mut [u8], offset: u64, known: &Mutex<BTreeSet<u64>>) -> io::Result<usize> {
        let block = offset / BLOCK;
        let end = ((block + 1) * BLOCK).min(self.size);
        let room = usize::try_from(end.saturating_sub(offset)).unwrap_or_default().min(buf.len());
        let Some(part) = buf.get_mut(..room) else { return Ok(0) };
        match self.file.read_at(part, offset) {
            Err(error) if is_of_the_disk(&error) => {
                part.fill(0);
                lock(known).insert(block);
                Ok(room)
            }
            read => read,
        }
    }

    /// Returns the runs of blocks that could not be read so far, as offsets in the file.
    pub fn unreadable(&self) -> Vec<(u64, u64)> {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        let Some(known) = &self.unreadable else { return runs };
        for block in lock(known).iter() {
            let (from, to) = (block * BLOCK, (block + 1) * BLOCK);
            match runs.last_mut() {
                Some((_, end)) if *end == from => *end = to,
                _ => runs.push((from, to)),
            }
        }
        runs
    }
}

/// Returns true if a read failed because of the disk, and not for a lack of rights, memory or file descriptors.
pub fn is_of_the_disk(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, InvalidInput, OutOfMemory, PermissionDenied, WouldBlock};
    !matches!(error.kind(), Interrupted | InvalidInput | OutOfMemory | PermissionDenied | WouldBlock)
        && !is_out_of_descriptors(error)
}

/// The parts of segments that the disk cannot read.
#[derive(Default)]
pub struct UnreadableParts(Vec<(LogPosition, LogPosition)>);

impl UnreadableParts {
    /// Adds those that a window has found so far.
    pub fn add(&mut self, window: &SegmentWindow) {
        let at = |offset| LogPosition::at(window.segment(), offset);
        self.0.extend(window.unreadable().into_iter().map(|(from, to)| (at(from), at(to))));
    }

    /// Names the reason of a gap if it is one of these parts.
    pub fn name(&self, gap: &mut LogGap) {
        if self.0.iter().any(|part| overlaps(gap, part)) {
            gap.what = UNREADABLE;
        }
    }

    /// Returns the parts that are in none of these gaps. No record was in them, unless the next record would begin in
    /// one of them. `end` is the end of the log.
    pub fn without(&self, gaps: &[LogGap], end: Option<LogPosition>) -> Vec<LogGap> {
        let others = self.0.iter().filter(|part| !gaps.iter().any(|gap| overlaps(gap, part)));
        let gap = |&(from, to): &(LogPosition, LogPosition)| {
            let is_next = end.is_some_and(|end| from <= LogPosition(align(end.0, BLOCK)) && end < to);
            LogGap { from, to, records: if is_next { None } else { Some(0) }, what: UNREADABLE }
        };
        others.map(gap).collect()
    }
}

fn overlaps(gap: &LogGap, part: &(LogPosition, LogPosition)) -> bool {
    gap.from < part.1 && part.0 < gap.to
}
