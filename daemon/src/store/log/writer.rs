//! Writes the log: groups of records at its end, one write each. It never writes below the flushed position, and
//! writes nothing after a failure.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use super::flush::{GroupFlush, LogCounts};
use super::frame::{Checksum, RecordFrame};
use super::header::{FORMAT, HEADER, SegmentHeader};
use super::payload::RecordPayload;
use super::position::align;
use super::segment::{self, LogSegment, failure};
use super::{ALIGN, BLOCK};
use crate::limits;
use crate::os::{Dir, Os};
use crate::store::{LogPosition, StoreError};
use crate::sync::lock;

/// The end of the log.
pub(super) struct LogTail {
    /// The segment that is written to.
    pub(super) segment: LogSegment,
    /// The offset of the next record in it.
    pub(super) offset: u64,
    /// The next record's sequence.
    pub(super) sequence: u64,
    /// Checksum of the last record.
    pub(super) previous: Checksum,
    /// Start of the last record.
    pub(super) last: LogPosition,
    /// Earlier segments with bytes that were not flushed yet.
    pub(super) dirty: Vec<LogSegment>,
    /// All segments that belong to the log and their bytes, ascending.
    pub(super) segments: Vec<(u64, u64)>,
    /// The reason why nothing is written any more.
    pub(super) failed: Option<Arc<str>>,
}

impl LogTail {
    /// Returns the bytes of all segments.
    fn bytes(&self) -> u64 {
        self.segments.iter().map(|(_, len)| len).sum()
    }
}

/// The place where a log is stored.
#[derive(Clone)]
pub struct LogLocation {
    /// The operating system.
    pub os: Arc<dyn Os>,
    /// The log's folder.
    pub dir: Dir,
    /// Bytes of a segment, a multiple of [`BLOCK`]; a group that needs more gets a larger segment.
    pub size: u64,
}

/// The position of an appended record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacedRecord {
    /// Its start.
    pub at: LogPosition,
    /// Its sequence.
    pub sequence: u64,
    /// Its checksum.
    pub sum: Checksum,
}

/// The open log. All calls may come from any thread.
pub struct Log {
    pub(super) os: Arc<dyn Os>,
    pub(super) dir: Dir,
    /// Bytes of a segment.
    pub(super) size: u64,
    pub(super) epoch: u64,
    pub(super) tail: Mutex<LogTail>,
    /// Locked after `tail`, never before it.
    pub(super) next: Mutex<Option<LogSegment>>,
    /// The number of the segment that is written to; changed only while `next` is locked.
    pub(super) current: AtomicU64,
    /// Segments that were packed, or need not be.
    pub(super) examined: Mutex<BTreeSet<u64>>,
    /// The error of the last attempt to prepare a segment: it is tried again only when there is no other way.
    stuck: Mutex<Option<StoreError>>,
    pub(super) flushed: AtomicU64,
    pub(super) counts: LogCounts,
    pub(super) sync: Mutex<GroupFlush>,
    pub(super) synced: Condvar,
    /// Wakes the caller that waits for announced flushes.
    pub(super) gathered: Condvar,
}

impl Log {
    pub(super) fn new(
        LogLocation { os, dir, size }: LogLocation,
        epoch: u64,
        tail: LogTail,
        next: Option<LogSegment>,
        flushed: LogPosition,
    ) -> Self {
        Self {
            os,
            dir,
            size,
            epoch,
            current: AtomicU64::new(tail.segment.id),
            tail: Mutex::new(tail),
            next: Mutex::new(next),
            examined: Mutex::default(),
            stuck: Mutex::default(),
            flushed: AtomicU64::new(flushed.0),
            counts: LogCounts::default(),
            sync: Mutex::new(GroupFlush::default()),
            synced: Condvar::new(),
            gathered: Condvar::new(),
        }
    }

    /// Appends a group: after a kill or a power cut all of its records are there, or none. Returns the position of
    /// each. From its return they survive a kill. Fails with `Io` if nothing was written and a later call may succeed:
    /// the next segment could not be prepared, as on a full disk, or the group is too large. After a failed write all
    /// calls fail.
    pub fn append(&self, group: &[RecordPayload]) -> Result<Vec<PlacedRecord>, StoreError> {
        self.append_within(group, u64::MAX, 0)
    }

    /// The same, but fails with `Full` if the group needs a new segment while the log has more than `most` bytes, or if it
    /// exceeds them by more than a segment: other groups began a segment then. Nothing was written in this case. The group
    /// leaves `reserve` bytes of its segment free, but at most a quarter of it.
    pub fn append_within(
        &self,
        group: &[RecordPayload],
        most: u64,
        reserve: u64,
    ) -> Result<Vec<PlacedRecord>, StoreError> {
        let mut tail = lock(&self.tail);
        if let Some(why) = &tail.failed {
            return Err(StoreError::Failed(why.clone()));
        }
        if group.is_empty() {
            return Ok(Vec::new());
        }
        let needed = group.iter().fold(0u64, |sum, payload| {
            sum.saturating_add(align(super::frame::FRAME as u64 + payload.bytes.len() as u64, ALIGN))
        });
        if needed > 2 * limits::RECORD as u64 {
            return Err(StoreError::Io(format!("{needed} bytes in one group are too many").into()));
        }
        let with_reserve = needed + reserve.min(self.size / 4);
        let rolls = tail.offset.saturating_add(with_reserve) > tail.segment.len;
        if tail.bytes() > if rolls { most } else { most.saturating_add(self.size) } {
            return Err(StoreError::Full(most));
        }
        if rolls {
            self.roll(&mut tail, with_reserve)?;
        }
        let flushed = LogPosition(self.flushed.load(Ordering::Acquire));
        let (bytes, placed) = self.lay_out(&tail, group, flushed);
        if let Err(e) = tail.segment.file.write_all_at(&bytes, tail.offset) {
            let why = failure("written", tail.segment.id, &e);
            return Err(fail(&mut tail, &why));
        }
        self.counts.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        tail.offset += bytes.len() as u64;
        tail.sequence += group.len() as u64;
        if let Some(last) = placed.last() {
            tail.previous = last.sum;
            tail.last = last.at;
        }
        Ok(placed)
    }

    fn lay_out(
        &self,
        tail: &LogTail,
        group: &[RecordPayload],
        flushed: LogPosition,
    ) -> (Vec<u8>, Vec<PlacedRecord>) {
        let longest = |payload: &RecordPayload| super::frame::FRAME + payload.bytes.len() + ALIGN as usize;
        let mut bytes = Vec::with_capacity(group.iter().map(longest).sum());
        let mut placed = Vec::with_capacity(group.len());
        let mut previous = tail.previous;
        for (sequence, (index, payload)) in (tail.sequence..).zip(group.iter().enumerate()) {
            let at = LogPosition::at(tail.segment.id, tail.offset + bytes.len() as u64);
            let frame = RecordFrame {
                // `payload::encode` refuses payloads longer than 32 bits can express.
                stored: u32::try_from(payload.bytes.len()).unwrap_or(u32::MAX),
                raw: payload.raw,
                kind: payload.kind,
                version: payload.version,
                packed: payload.packed,
                more: index + 1 < group.len(),
                epoch: self.epoch,
                sequence,
                flushed,
                previous,
                digest: payload.digest,
            };
            previous = frame.encode(at, &mut bytes);
            bytes.extend_from_slice(&payload.bytes);
            bytes.resize(align(bytes.len() as u64, ALIGN) as usize, 0);
            placed.push(PlacedRecord { at, sequence, sum: previous });
        }
        (bytes, placed)
    }

    /// Continues in the next segment. The rest of the current one stays unused.
    fn roll(&self, tail: &mut LogTail, needed: u64) -> Result<(), StoreError> {
        let id = tail.segment.id + 1;
        let len = segment::length_for(self.size, needed);
        let mut next = lock(&self.next);
        let fresh = match next.take() {
            Some(ready) if ready.id == id && ready.len >= len => ready,
            _ => segment::prepare(&self.dir, id, len).map_err(|e| {
                *lock(&self.stuck) = Some(failure("made", id, &e));
                segment::no_room(id, &e)
            })?,
        };
        let header = SegmentHeader {
            format: FORMAT,
            segment: id,
            epoch: self.epoch,
            sequence: tail.sequence,
            flushed: LogPosition(self.flushed.load(Ordering::Acquire)),
            previous: tail.previous,
        };
        if let Err(e) = fresh.file.write_all_at(&header.encode(), 0) {
            return Err(fail(tail, &failure("written", id, &e)));
        }
        self.current.store(id, Ordering::Release);
        *lock(&self.stuck) = None;
        tail.segments.push((id, fresh.len));
        let full = std::mem::replace(&mut tail.segment, fresh);
        tail.dirty.push(full);
        tail.offset = HEADER;
        Ok(())
    }

    /// Continues in the next segment, which is prepared if it is not.
    pub(super) fn roll_over(&self) -> Result<(), StoreError> {
        let mut tail = lock(&self.tail);
        if let Some(why) = &tail.failed {
            return Err(StoreError::Failed(why.clone()));
        }
        self.roll(&mut tail, 0)
    }

    /// Returns true if the next segment should be prepared now: more than half of the current one is used.
    pub fn wants_next(&self) -> bool {
        let tail = lock(&self.tail);
        tail.failed.is_none()
            && tail.offset > tail.segment.len / 2
            && self.stuck().is_none()
            // If the lock is held, a thread is preparing it already.
            && self.next.try_lock().is_ok_and(|next| next.is_none())
    }

    /// Returns the error of the last attempt to prepare the next segment, if it failed.
    pub fn stuck(&self) -> Option<StoreError> {
        lock(&self.stuck).clone()
    }

    /// Prepares the next segment ahead of need, without blocking appends.
    pub fn prepare_next(&self) -> Result<(), StoreError> {
        let mut next = lock(&self.next);
        if next.is_none() {
            let id = self.current.load(Ordering::Acquire) + 1;
            let ready = segment::prepare(&self.dir, id, self.size).map_err(|e| failure("made", id, &e));
            *lock(&self.stuck) = ready.as_ref().err().cloned();
            *next = Some(ready?);
        }
        Ok(())
    }

    /// Returns the start of the last record.
    pub fn last(&self) -> LogPosition {
        lock(&self.tail).last
    }

    /// Returns the start and the checksum of the last record.
    pub fn reach(&self) -> (LogPosition, Checksum) {
        let tail = lock(&self.tail);
        (tail.last, tail.previous)
    }

    /// Returns the lowest position that the next record can have.
    #[cfg(test)]
    pub(super) fn end(&self) -> LogPosition {
        let tail = lock(&self.tail);
        LogPosition::at(tail.segment.id, tail.offset)
    }

    /// Returns the position up to which everything is durable.
    pub fn flushed(&self) -> LogPosition {
        LogPosition(self.flushed.load(Ordering::Acquire))
    }

    /// Returns the reason why nothing is written any more, if there is one.
    pub fn failed(&self) -> Option<Arc<str>> {
        lock(&self.tail).failed.clone()
    }

    /// Returns the names in the folder with this absolute path.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn names_in(&self, folder: &Path) -> io::Result<Vec<String>> {
        let listed = self.os.open_dir(folder)?.list()?;
        Ok(listed.into_iter().map(|entry| String::from_utf8_lossy(&entry.name).into_owned()).collect())
    }

    /// Returns true if the segment that is written to is in the folder with this path. It is not if another program
    /// removed, moved or replaced it, or a folder above it.
    ///
    /// # Errors
    /// Errors of the system if it cannot be told.
    pub fn is_in(&self, folder: &Path) -> io::Result<bool> {
        use io::ErrorKind::{NotADirectory, NotFound};
        loop {
            let written = lock(&self.tail).segment.clone();
            match self.os.stat_in(folder, segment::name(written.id).as_bytes()) {
                Ok(found) if segment::identity(&found) == written.identity => return Ok(true),
                Err(error) if !matches!(error.kind(), NotADirectory | NotFound) => return Err(error),
                // Retention may have removed it if the log continues in a later one.
                _ if lock(&self.tail).segment.id == written.id => return Ok(false),
                _ => {}
            }
        }
    }

    /// Returns the log's segments and their bytes, oldest first.
    pub fn segments(&self) -> Vec<(u64, u64)> {
        lock(&self.tail).segments.clone()
    }

    /// Returns the bytes of all segments.
    pub fn bytes(&self) -> u64 {
        lock(&self.tail).bytes()
    }

    /// Returns the number of the segment that is written to.
    pub fn current(&self) -> u64 {
        self.current.load(Ordering::Acquire)
    }

    /// Returns the bytes of a segment.
    pub fn segment_bytes(&self) -> u64 {
        self.size
    }

    /// Returns the log's folder.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Notes the bytes that a segment takes now.
    pub(super) fn resized(&self, id: u64, len: u64) {
        let mut tail = lock(&self.tail);
        tail.segments.iter_mut().filter(|one| one.0 == id).for_each(|one| one.1 = len);
    }
}

/// Marks the log as failed and returns the error.
pub(super) fn fail(tail: &mut LogTail, why: &StoreError) -> StoreError {
    let why: Arc<str> = why.to_string().into();
    tail.failed.get_or_insert(why.clone());
    StoreError::Failed(why)
}

/// Rounds the end up to a block, so that flushed bytes are never written again.
pub(super) fn pad(tail: &mut LogTail) -> LogPosition {
    tail.offset = align(tail.offset, BLOCK).min(tail.segment.len);
    LogPosition::at(tail.segment.id, tail.offset)
}
