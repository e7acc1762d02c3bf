//! Removes payloads from segments that are no longer written to. Every segment has its old or its new bytes at every
//! moment, and both are valid.
//!
//! *Calling sequence*: [`Log::begin_segment`], so that all present records are in segments that no longer change; then
//! [`Log::erase`] for each of them, while none is dropped.

use std::io;

use super::forgotten::ForgottenPayloads;
use super::frame::FRAME;
use super::header::HEADER;
use super::payload;
use super::read::fill;
use super::segment::{self, failure};
use super::verify::{follows, walk};
use super::writer::Log;
use crate::os::{Access, File};
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
                segment::remove(&self.dir, ready.id).map_err(|e| failure("removing", ready.id, &e))?;
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
        let old = segment::open(&self.dir, id, Access::Read).map_err(|e| failure("opening", id, &e))?;
        let failed = |e: io::Error| failure("rewriting", id, &e);
        if replaced > 0 {
            forgotten.write(&*self.os, &self.dir, id)?;
        }
        if copy(&old.file, None, old.len, &kept).map_err(failed)? {
            self.exchange(id, &old.file, old.len, &kept).map_err(failed)?;
        }
        Ok(replaced)
    }

    /// Puts a copy with only the kept bytes in the place of a segment.
    fn exchange(&self, id: u64, old: &File, len: u64, kept: &[(u64, u64)]) -> io::Result<()> {
        let (name, fresh) = (segment::name(id), format!("{}.new", segment::name(id)));
        match self.dir.remove_file(fresh.as_bytes()) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let file = self.dir.create_file(fresh.as_bytes(), 0o600)?;
        copy(old, Some(&file), len, kept)?;
        file.sync_all()?;
        self.os.rename(&self.dir, fresh.as_bytes(), &self.dir, name.as_bytes())?;
        self.dir.sync()
    }
}

/// Copies a segment, with zeros in the place of the bytes outside of the kept ranges, which are ascending. Without `to`,
/// nothing is written. Returns true if the copy differs.
fn copy(from: &File, to: Option<&File>, len: u64, kept: &[(u64, u64)]) -> io::Result<bool> {
    let mut ranges = kept.iter().copied().peekable();
    let (mut differs, mut bytes, mut at) = (false, vec![0; CHUNK], 0);
    while at < len {
        let room = usize::try_from(len - at).unwrap_or(CHUNK).min(CHUNK);
        let part = bytes.get_mut(..room).unwrap_or_default();
        let filled = fill(&**from, part, at)?;
        if filled < room {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for (offset, byte) in (at..).zip(part.iter_mut()).filter(|(_, byte)| **byte != 0) {
            while ranges.next_if(|(_, end)| *end <= offset).is_some() {}
            if ranges.peek().is_none_or(|(start, _)| offset < *start) {
                *byte = 0;
                differs = true;
            }
        }
        if let Some(to) = to {
            to.write_all_at(part, at)?;
        }
        at += room as u64;
    }
    Ok(differs)
}
