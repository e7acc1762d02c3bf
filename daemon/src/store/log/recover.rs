//! Opens the log: finds its end, cuts the tail, refuses damage. It changes nothing before it knows that the log is
//! valid, and never skips a record.

use std::io;
use std::ops::RangeInclusive;

use super::frame::Checksum;
use super::header::{FORMAT, HEADER, SegmentHeader};
use super::payload;
use super::position::align;
use super::read::{fill, rotten};
use super::scan::{ScanCursor, ScannedRecord};
use super::segment::{self, LogSegment, failure};
use super::window::SegmentWindow;
use super::writer::{Log, LogLocation, LogTail};
use super::{BLOCK, read};
use crate::os::{Access, Dir};
use crate::record::Record;
use crate::store::{LogPosition, StoreError};

/// The bytes that are rewritten at once.
const CHUNK: usize = 64 * 1024;

/// A record that is known to be in the log: reading starts after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogCheckpoint {
    /// Its start.
    pub at: LogPosition,
    /// Its checksum.
    pub sum: Checksum,
}

/// Receives the records of a scan, group by group: each with its position and checksum.
pub type RecordVisitor<'a> = dyn FnMut(LogPosition, Checksum, Record) -> Result<(), StoreError> + 'a;

/// The reason why the log cannot be read from a checkpoint: its record is not there, or is another one.
#[derive(Debug)]
pub struct CheckpointMismatch(pub String);

/// Checks that the record of a checkpoint is in the log.
pub fn find(dir: &Dir, checkpoint: &LogCheckpoint) -> Result<(), CheckpointMismatch> {
    match read::record(dir, checkpoint.at) {
        Ok((_, _, sum)) if sum == checkpoint.sum => Ok(()),
        Ok(_) => Err(CheckpointMismatch("it was made from another log".to_owned())),
        Err(e) => Err(CheckpointMismatch(format!("the record it reaches is not in the log: {e}"))),
    }
}

/// Returns the position of the first record, if the log has a segment.
pub fn oldest(dir: &Dir) -> Result<Option<LogPosition>, StoreError> {
    Ok(list(dir)?.first().map(|id| LogPosition::at(*id, HEADER)))
}

/// Returns the numbers of the oldest and the newest segment; both are 0 if there is none.
pub fn segments(dir: &Dir) -> Result<RangeInclusive<u64>, StoreError> {
    let ids = list(dir)?;
    Ok(ids.first().copied().unwrap_or_default()..=ids.last().copied().unwrap_or_default())
}

fn list(dir: &Dir) -> Result<Vec<u64>, StoreError> {
    segment::list(dir).map_err(|e| StoreError::Io(format!("listing the log failed: {e}").into()))
}

/// Opens the log in `dir`, or begins one: calls `visit` for every record after the checkpoint (or for all), cuts the
/// tail, makes the rest durable and begins a new epoch. The caller must flush its first append before the next one.
pub fn open(
    home: LogLocation,
    from: Option<LogCheckpoint>,
    visit: &mut RecordVisitor<'_>,
) -> Result<Log, StoreError> {
    let ids = list(&home.dir)?;
    let walk = LogScan { dir: &home.dir, ids: &ids, until: None };
    let Some(cursor) = walk.run(from, visit)? else {
        return begin(home, &ids);
    };
    let kept: Vec<u64> = ids.iter().copied().filter(|id| *id <= cursor.end.segment()).collect();
    if let Some((before, _)) = kept.iter().zip(kept.iter().skip(1)).find(|(id, next)| **id + 1 != **next) {
        return Err(rotten(
            LogPosition::at(before + 1, 0),
            "this segment is missing; restore it from a copy",
        ));
    }
    resume(home, &ids, cursor)
}

/// A scan over all segments.
pub(super) struct LogScan<'a> {
    pub(super) dir: &'a Dir,
    pub(super) ids: &'a [u64],
    /// The record at which the scan ends; it must be reached.
    pub(super) until: Option<LogPosition>,
}

impl LogScan<'_> {
    /// Visits every record from the checkpoint on; `None` if there is no log yet.
    pub(super) fn run(
        &self,
        from: Option<LogCheckpoint>,
        visit: &mut RecordVisitor<'_>,
    ) -> Result<Option<ScanCursor>, StoreError> {
        let start = match from {
            Some(checkpoint) => checkpoint.at.segment(),
            None => match self.ids.first() {
                Some(first) => *first,
                None => return Ok(None),
            },
        };
        let mut window = SegmentWindow::open(self.dir, start)?;
        let mut cursor = match from {
            Some(checkpoint) => self.behind(&checkpoint)?,
            None => match window.header()? {
                Some(header) => ScanCursor::begin(&header),
                None => return self.nothing(&mut window).map(|()| None),
            },
        };
        let mut id = start;
        loop {
            while let Some(group) = cursor.group(&mut window)? {
                let sums = sums(&group, cursor.previous);
                for (found, sum) in group.iter().zip(sums) {
                    let record = payload::decode(&found.frame, &found.stored)
                        .map_err(|what| rotten(found.at, &what))?;
                    visit(found.at, sum, record)?;
                }
                if self.until.is_some_and(|until| cursor.last >= until) {
                    return Ok(Some(cursor));
                }
            }
            cursor.flushed = cursor.flushed.max(window.evidence(cursor.end.offset())?);
            if !self.ids.contains(&(id + 1)) {
                break;
            }
            let mut next = SegmentWindow::open(self.dir, id + 1)?;
            match next.header()? {
                Some(header) if header.previous == cursor.previous && header.sequence == cursor.sequence => {
                    id += 1;
                    let (last, flushed) = (cursor.last, cursor.flushed.max(header.flushed));
                    cursor = ScanCursor { last, flushed, ..ScanCursor::begin(&header) };
                    window = next;
                }
                _ => break,
            }
        }
        self.prove(&mut cursor)?;
        match self.until {
            Some(_) => Err(rotten(cursor.end, "no valid record follows, though more was written")),
            None => Ok(Some(cursor)),
        }
    }

    /// Returns a cursor after a record that is known to be in the log.
    fn behind(&self, checkpoint: &LogCheckpoint) -> Result<ScanCursor, StoreError> {
        let (frame, sum) = read::frame_at(self.dir, checkpoint.at)?;
        Ok(ScanCursor {
            end: LogPosition(checkpoint.at.0 + frame.size()),
            last: checkpoint.at,
            sequence: frame.sequence + 1,
            previous: sum,
            epoch: frame.epoch,
            flushed: frame.flushed,
        })
    }

    /// Searches everything behind the end for proof that the log was flushed further.
    fn prove(&self, cursor: &mut ScanCursor) -> Result<(), StoreError> {
        for &id in self.ids.iter().filter(|id| **id > cursor.end.segment()) {
            let mut window = SegmentWindow::open(self.dir, id)?;
            if let Some(header) = window.header()? {
                cursor.flushed = cursor.flushed.max(header.flushed);
            }
            cursor.flushed = cursor.flushed.max(window.evidence(HEADER)?);
        }
        if cursor.proven_beyond() {
            return Err(rotten(
                cursor.end,
                &format!(
                    "no valid record follows, though the log was flushed up to {}; nothing was changed. \
                     Restore the state folder from a copy, or move it away to begin with an empty journal: \
                     the workspace's files are not touched by that",
                    cursor.flushed.shown()
                ),
            ));
        }
        Ok(())
    }

    /// Handles a first segment without a header: nothing was ever written, or it was damaged.
    fn nothing(&self, window: &mut SegmentWindow) -> Result<(), StoreError> {
        let id = window.segment();
        let start = LogPosition::at(id, HEADER);
        let mut cursor =
            ScanCursor { end: start, last: start, sequence: 0, previous: [0; 16], epoch: 0, flushed: start };
        cursor.flushed = cursor.flushed.max(window.evidence(HEADER)?);
        if id != 1 {
            // The first segment is numbered 1. A later one is the oldest only after retention, which drops a segment
            // only after the next one was flushed.
            return Err(rotten(LogPosition::at(id, 0), "the oldest segment has no valid header"));
        }
        self.prove(&mut cursor)
    }
}

/// Returns the checksums of a group's records: each is repeated in the record after it.
fn sums(group: &[ScannedRecord], last: Checksum) -> Vec<Checksum> {
    group.iter().skip(1).map(|found| found.frame.previous).chain([last]).collect()
}

/// Begins a log: nothing in the folder was ever part of one.
fn begin(home: LogLocation, ids: &[u64]) -> Result<Log, StoreError> {
    for &id in ids.iter().rev() {
        segment::remove(&home.dir, id).map_err(|e| failure("removing", id, &e))?;
    }
    let first = segment::prepare(&home.dir, 1, home.size).map_err(|e| failure("preparing", 1, &e))?;
    let (epoch, sequence, previous) = (1, 1, [0; 16]);
    let flushed = LogPosition::at(1, 0);
    let header = SegmentHeader { format: FORMAT, segment: 1, epoch, sequence, flushed, previous };
    first.file.write_all_at(&header.encode(), 0).map_err(|e| failure("a write", 1, &e))?;
    let tail = LogTail {
        segments: vec![(1, first.len)],
        segment: first,
        offset: HEADER,
        sequence,
        previous,
        last: LogPosition(0),
        dirty: Vec::new(),
        failed: None,
    };
    Ok(Log::new(home, epoch, tail, None, flushed))
}

/// Continues after the last record.
fn resume(home: LogLocation, ids: &[u64], cursor: ScanCursor) -> Result<Log, StoreError> {
    let id = cursor.end.segment();
    let dir = &home.dir;
    rewrite(dir, ids, &cursor)?;
    let next = clear(&home, ids, id)?;
    let mut segments = Vec::new();
    for &old in ids.iter().filter(|old| **old <= id) {
        let len = segment::open(dir, old, Access::Read).map_err(|e| failure("opening", old, &e))?.len;
        segments.push((old, len));
    }
    let segment = segment::open(dir, id, Access::Write).map_err(|e| failure("opening", id, &e))?;
    let offset = align(cursor.end.offset(), BLOCK).min(segment.len);
    let tail = LogTail {
        segment,
        offset,
        sequence: cursor.sequence,
        previous: cursor.previous,
        last: cursor.last,
        dirty: Vec::new(),
        segments,
        failed: None,
    };
    // The header and everything up to this position was just flushed.
    let flushed = LogPosition::at(id, offset);
    Ok(Log::new(home, cursor.epoch + 1, tail, next, flushed))
}

/// Makes bytes durable that are not proven to be, by writing the same bytes again before the flush: after a failed
/// flush, the system may show bytes that never reached the disk and that a second flush would not write either.
fn rewrite(dir: &Dir, ids: &[u64], cursor: &ScanCursor) -> Result<(), StoreError> {
    let from = cursor.flushed.min(cursor.end);
    // The proven position may lie in a segment that retention has dropped since.
    for &id in ids.iter().filter(|id| (from.segment()..=cursor.end.segment()).contains(*id)) {
        let start = if id == from.segment() { from.offset() } else { 0 };
        let again = || -> io::Result<()> {
            let segment = segment::open(dir, id, Access::Write)?;
            let end = if id == cursor.end.segment() { cursor.end.offset() } else { segment.len };
            let mut bytes = vec![0; CHUNK];
            let mut offset = start;
            while offset < end {
                let room = usize::try_from(end - offset).unwrap_or(CHUNK).min(CHUNK);
                let part = bytes.get_mut(..room).unwrap_or_default();
                let filled = fill(&*segment.file, part, offset)?;
                let Some(part) = part.get(..filled).filter(|part| !part.is_empty()) else { break };
                segment.file.write_all_at(part, offset)?;
                offset += filled as u64;
            }
            segment.file.sync_data()
        };
        again().map_err(|e| failure("a write", id, &e))?;
    }
    Ok(())
}

/// Removes the files behind the last segment, except the next one if it has the usual size: it is kept as the prepared
/// segment.
fn clear(home: &LogLocation, ids: &[u64], last: u64) -> Result<Option<LogSegment>, StoreError> {
    let mut next = None;
    for &id in ids.iter().rev().filter(|id| **id > last) {
        let segment = segment::open(&home.dir, id, Access::Write).map_err(|e| failure("opening", id, &e))?;
        if id == last + 1 && segment.len == home.size {
            segment.file.sync_all().map_err(|e| failure("a flush", id, &e))?;
            next = Some(segment);
        } else {
            segment::remove(&home.dir, id).map_err(|e| failure("removing", id, &e))?;
        }
    }
    // This also makes the names of segments durable that a killed daemon had just created.
    home.dir.sync().map_err(|e| StoreError::Io(format!("a flush of the log's folder failed: {e}").into()))?;
    Ok(next)
}
