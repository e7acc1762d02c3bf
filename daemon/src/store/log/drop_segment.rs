//! Drops the oldest segment. Its file becomes the next one where possible: its blocks are allocated already.

use std::io;

use super::segment::{self, LogSegment, failure};
use super::{Log, forgotten};
use crate::store::StoreError;
use crate::sync::lock;

impl Log {
    /// Drops the oldest segment, which must not be the one that is written to or have unflushed bytes. Its file
    /// becomes the next segment if none is prepared. Returns false if there was nothing to drop. No other thread may drop
    /// a segment meanwhile.
    pub fn drop_oldest(&self) -> Result<bool, StoreError> {
        let (id, len) = {
            let tail = lock(&self.tail);
            if let Some(why) = &tail.failed {
                return Err(StoreError::Failed(why.clone()));
            }
            match tail.segments.first() {
                Some(&first) if first.0 < self.flushed().segment() => first,
                _ => return Ok(false),
            }
        };
        // The end is not locked while the folder is flushed: appends go on.
        let mut next = lock(&self.next);
        let free = self.current() + 1;
        let is_plain = || segment::read(&self.dir, id).is_ok_and(|read| !read.is_packed());
        if next.is_none() && len == self.size && is_plain() {
            *next = Some(self.reuse(id, free).map_err(|e| failure("used again", id, &e))?);
            drop(next);
        } else {
            drop(next);
            segment::remove(&self.dir, id).map_err(|e| failure("removed", id, &e))?;
            self.dir.sync().map_err(|e| failure("removed", id, &e))?;
        }
        forgotten::remove(&self.dir, id);
        lock(&self.tail).segments.retain(|one| one.0 != id);
        lock(&self.examined).remove(&id);
        Ok(true)
    }

    /// Renames an old segment's file to a new number. Its header has another number, so nothing in it counts.
    fn reuse(&self, id: u64, free: u64) -> io::Result<LogSegment> {
        let old = segment::open(&self.dir, id)?;
        let (from, to) = (segment::name(id), segment::name(free));
        self.os.rename(&self.dir, from.as_bytes(), &self.dir, to.as_bytes())?;
        self.dir.sync()?;
        Ok(LogSegment { id: free, ..old })
    }
}
