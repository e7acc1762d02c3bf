//! Removes payloads from segments that are no longer written to. Every segment has its old or its new bytes at every
//! moment, and both are valid.
//!
//! *Calling sequence*: [`Log::begin_segment`], so that all present records are in segments that no longer change; then
//! [`Log::erase`] for each of them, while none is dropped.

use std::io;

use super::forgotten::ForgottenPayloads;
use super::frame::FRAME;
use super::header::HEADER;
use super::pack;
use super::payload;
use super::read::fill;
use super::segment::{self, ReadSegment, failure};
use super::verify::{follows, walk};
use super::writer::Log;
use crate::os::Dir;
use crate::record::Record;
use crate::store::{LogPosition, StoreError};
use crate::sync::lock;

/// The bytes that are copied at once.
const CHUNK: usize = 64 * 1024;

/// Returns what a record becomes; `None` if it stays as it is.
pub type RecordEraser<'a> = dyn FnMut(LogPosition, &Record) -> Result<Option<Record>, StoreError> + 'a;

impl Log {
    /// Continues in a new segment, and makes everything before it durable. The segment's file has no bytes of an earlier
    /// life. Returns the segment's number. No segment may be dropped meanwhile.
    pub fn begin_segment(&self) -> Result<u64, StoreError> {
        {
            let mut next = lock(&self.next);
            if let Some(ready) = next.take() {
                segment::remove(&self.dir, ready.id).map_err(|e| failure("removed", ready.id, &e))?;
            }
        }
        // Prepared before the tail is locked, so that appends do not wait for it.
        self.prepare_next()?;
        self.roll_over()?;
        self.flush(self.last())?;
        let current = self.segments().last().map_or(0, |(id, _)| *id);
        Ok(current)
    }

    /// Replaces the payloads of the records for which `erase` returns another record, and zeroes all bytes of the segment
    /// that belong to no record. The segment must be followed by another. Returns the number of replaced records.
    ///
    /// First the replacements become durable, then a cleaned copy takes the segment's place.
    pub fn erase(&self, id: u64, erase: &mut RecordEraser<'_>) -> Result<u64, StoreError> {
        let mut forgotten = ForgottenPayloads::read(&self.dir, id)?;
        let mut replaced = 0;
        let mut kept = vec![(0, HEADER)];
        let end = walk(&self.dir, id, &mut |found, record| {
            let (start, whole) = (found.at.offset(), found.frame.size());
            let body = start + FRAME as u64;
            match erase(found.at, &record)? {
                Some(instead) => {
                    forgotten.add(start, payload::encode(&instead)?);
                    replaced += 1;
                    kept.push((start, body));
                }
                None if found.is_replaced() => kept.push((start, body)),
                None => kept.push((start, start + whole)),
            }
            Ok(())
        })?;
        follows(&self.dir, &end, id)?;
        let old = segment::read(&self.dir, id).map_err(|e| failure("opened", id, &e))?;
        let failed = |e: io::Error| failure("rewritten", id, &e);
        if replaced > 0 {
            forgotten.write(&*self.os, &self.dir, id)?;
        }
        let mut differs = false;
        let see = &mut |_, _: &[u8], changed| {
            differs |= changed;
            Ok(())
        };
        blanked(&old, CHUNK, &kept, see).map_err(failed)?;
        if differs {
            let len = old.len;
            self.exchange(old, &kept).map_err(failed)?;
            // It is not packed any more.
            self.resized(id, len);
            lock(&self.examined).remove(&id);
        }
        Ok(replaced)
    }

    /// Puts a copy with only the kept bytes in the place of a segment.
    fn exchange(&self, old: ReadSegment, kept: &[(u64, u64)]) -> io::Result<()> {
        let name = segment::name(old.id);
        let file = pack::fresh(&self.dir, &name)?;
        blanked(&old, CHUNK, kept, &mut |at, bytes, _| file.write_all_at(bytes, at))?;
        file.sync_all()?;
        // Some file systems of Windows replace no file that is open.
        drop(old);
        pack::place(&*self.os, &self.dir, &name)
    }
}

/// Returns the ranges of a segment's bytes that belong to its header and its records. Fails if it is damaged, or not
/// followed by another.
pub(super) fn record_ranges(dir: &Dir, id: u64) -> Result<Vec<(u64, u64)>, StoreError> {
    let mut kept = vec![(0, HEADER)];
    let end = walk(dir, id, &mut |found, _| {
        let start = found.at.offset();
        let end = if found.is_replaced() { start + FRAME as u64 } else { start + found.frame.size() };
        kept.push((start, end));
        Ok(())
    })?;
    follows(dir, &end, id)?;
    Ok(kept)
}

/// Receives a part of a segment: its offset, its bytes, and true if some of them were replaced by zeros.
pub(super) type PartVisitor<'a> = dyn FnMut(u64, &[u8], bool) -> io::Result<()> + 'a;

/// Calls `visit` for all parts of `size` bytes of a segment, with zeros in the place of the bytes outside of the kept
/// ranges, which are ascending.
pub(super) fn blanked(
    from: &ReadSegment,
    size: usize,
    kept: &[(u64, u64)],
    visit: &mut PartVisitor<'_>,
) -> io::Result<()> {
    let mut ranges = kept.iter().copied().peekable();
    let (mut bytes, zeros, mut at) = (vec![0; size], vec![0; size], 0);
    while at < from.len {
        let room = usize::try_from(from.len - at).unwrap_or(size).min(size);
        let part = bytes.get_mut(..room).unwrap_or_default();
        if fill(from, part, at)? < room {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let (mut differs, mut from, end) = (false, at, at + room as u64);
        while from < end {
            // The bytes up to the next kept range, and then that range.
            while ranges.next_if(|(_, end)| *end <= from).is_some() {}
            let next = ranges.peek().map_or(end, |(start, _)| (*start).clamp(from, end));
            let blank = usize::try_from(from - at).ok().zip(usize::try_from(next - at).ok());
            if let Some(blank) = blank.and_then(|(from, to)| part.get_mut(from..to))
                && zeros.get(..blank.len()) != Some(&*blank)
            {
                blank.fill(0);
                differs = true;
            }
            from = ranges.peek().map_or(end, |(_, to)| (*to).clamp(next, end));
        }
        visit(at, part, differs)?;
        at = end;
    }
    Ok(())
}
