//! Opens the log: finds its end, cuts the tail, passes damage that is surely before the end and refuses any other. It
//! changes nothing before it knows where the log ends, and never skips a record without reporting it.

use std::io;
use std::ops::RangeInclusive;

use super::forgotten;
use super::frame::Checksum;
use super::header::{FORMAT, HEADER, SegmentHeader};
use super::mend::LogGap;
use super::position::align;
use super::read::{fill, rotten};
use super::scan::ScanCursor;
use super::segment::{self, LogSegment, failure};
use super::walk::LogWalk;
use super::writer::{Log, LogLocation, LogTail};
use super::{BLOCK, pack, read};
use crate::os::Dir;
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

/// A part of the log, as a walk finds it.
#[derive(Debug)]
pub enum LogItem {
    /// A record with its position and its checksum.
    Record(LogPosition, Checksum, Box<Record>),
    /// Damage that was passed.
    Gap(LogGap),
}

/// Receives the parts of the log in their order.
pub type LogVisitor<'a> = dyn FnMut(LogItem) -> Result<(), StoreError> + 'a;

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
    segment::list(dir).map_err(|e| {
        StoreError::Io(
            format!(
                "the journal's folder log could not be listed: {}",
                editd_proto::system_error::in_words(&e)
            )
            .into(),
        )
    })
}

/// Opens the log in `dir`, or begins one: calls `visit` for every record after the checkpoint (or for all), cuts the
/// tail, makes the rest durable and begins a new epoch. `visit` also gets the damage that was passed. The caller must
/// flush its first append before the next one.
pub fn open(
    home: LogLocation,
    from: Option<LogCheckpoint>,
    visit: &mut LogVisitor<'_>,
) -> Result<Log, StoreError> {
    let ids = list(&home.dir)?;
    let Some(cursor) = LogWalk::new(&home.dir, &ids).run(from, visit)? else {
        return begin(home, &ids);
    };
    let kept: Vec<u64> = ids.iter().copied().filter(|id| *id <= cursor.end.segment()).collect();
    if let Some((before, _)) = kept.iter().zip(kept.iter().skip(1)).find(|(id, next)| **id + 1 != **next) {
        return Err(rotten(
            LogPosition::at(before + 1, 0),
            "this segment is missing; restore it from a copy if there is one",
        ));
    }
    resume(home, &ids, cursor)
}

/// Begins a log: nothing in the folder was ever part of one.
fn begin(home: LogLocation, ids: &[u64]) -> Result<Log, StoreError> {
    for &id in ids.iter().rev() {
        segment::remove(&home.dir, id).map_err(|e| failure("removed", id, &e))?;
        forgotten::remove(&home.dir, id);
    }
    let first = segment::prepare(&home.dir, 1, home.size).map_err(|e| failure("made", 1, &e))?;
    let (epoch, sequence, previous) = (1, 1, [0; 16]);
    let flushed = LogPosition::at(1, 0);
    let header = SegmentHeader { format: FORMAT, segment: 1, epoch, sequence, flushed, previous };
    first.file.write_all_at(&header.encode(), 0).map_err(|e| failure("written", 1, &e))?;
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
    // It is packed only if the segments behind it were removed.
    pack::unpack(&*home.os, dir, id).map_err(|e| failure("unpacking", id, &e))?;
    rewrite(dir, ids, &cursor)?;
    let next = clear(&home, ids, id)?;
    let mut segments = Vec::new();
    for &old in ids.iter().filter(|old| **old <= id) {
        let stored = segment::read(dir, old).map_err(|e| failure("opened", old, &e))?.stored;
        segments.push((old, stored));
    }
    let segment = segment::open(dir, id).map_err(|e| failure("opened", id, &e))?;
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
        let read = segment::read(dir, id).map_err(|e| segment::unreadable("opened", id, &e))?;
        let again = || -> io::Result<()> {
            if read.is_packed() {
                // It was flushed before it took the place of the plain one, which was flushed as well.
                return Ok(());
            }
            let segment = segment::open(dir, id)?;
            let end = if id == cursor.end.segment() { cursor.end.offset() } else { segment.len };
            let mut bytes = vec![0; CHUNK];
            let mut offset = start;
            while offset < end {
                let room = usize::try_from(end - offset).unwrap_or(CHUNK).min(CHUNK);
                let part = bytes.get_mut(..room).unwrap_or_default();
                let filled = fill(&read, part, offset)?;
                let Some(part) = part.get(..filled).filter(|part| !part.is_empty()) else { break };
                segment.file.write_all_at(part, offset)?;
                offset += filled as u64;
            }
            segment.file.sync_data()
        };
        again().map_err(|e| failure("written", id, &e))?;
    }
    Ok(())
}

/// Removes the files behind the last segment, except the next one if it has the usual size: it is kept as the prepared
/// segment.
fn clear(home: &LogLocation, ids: &[u64], last: u64) -> Result<Option<LogSegment>, StoreError> {
    let mut next = None;
    for &id in ids.iter().rev().filter(|id| **id > last) {
        let read = segment::read(&home.dir, id).map_err(|e| failure("opened", id, &e))?;
        if id == last + 1 && read.stored == home.size && !read.is_packed() {
            let segment = segment::open(&home.dir, id).map_err(|e| failure("opened", id, &e))?;
            segment.file.sync_all().map_err(|e| failure("flushed to the disk", id, &e))?;
            next = Some(segment);
        } else {
            segment::remove(&home.dir, id).map_err(|e| failure("removed", id, &e))?;
        }
    }
    let removed = forgotten::remove_leftovers(&home.dir, ids);
    removed.map_err(|e| {
        StoreError::Io(
            format!(
                "old files of the journal could not be removed: {}",
                editd_proto::system_error::in_words(&e)
            )
            .into(),
        )
    })?;
    // This also makes the names of segments durable that a killed daemon had just created.
    home.dir.sync().map_err(|e| {
        StoreError::Io(
            format!(
                "the journal's folder log could not be flushed to the disk: {}",
                editd_proto::system_error::in_words(&e)
            )
            .into(),
        )
    })?;
    Ok(next)
}
