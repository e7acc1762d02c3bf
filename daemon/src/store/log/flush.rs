//! Makes the log durable, with one flush for all callers that wait at the same time. It starts no thread: one of the
//! waiting callers flushes for all.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use super::segment::{LogSegment, failure};
use super::writer::{Log, fail, pad};
use crate::store::{LogPosition, StoreError};
use crate::sync::lock;

/// The state of the flush that callers share.
#[derive(Default)]
pub(super) struct GroupFlush {
    /// True while a caller flushes.
    leading: bool,
    /// The callers that wait for it.
    waiting: usize,
}

/// Counts of the work since the log was opened.
#[derive(Debug, Default)]
pub(super) struct LogCounts {
    flushes: AtomicU64,
    syncs: AtomicU64,
    pub(super) bytes: AtomicU64,
}

/// Ends a caller's flush and wakes the others, also if the flush panicked.
struct FlushLead<'a>(&'a Log);

impl Drop for FlushLead<'_> {
    fn drop(&mut self) {
        let waiting = {
            let mut sync = lock(&self.0.sync);
            sync.leading = false;
            sync.waiting
        };
        if waiting > 0 {
            self.0.synced.notify_all();
        }
    }
}

impl Log {
    /// Returns the numbers of flushes, of calls of `fdatasync` for them, and of appended bytes since the log was opened.
    pub fn counts(&self) -> [u64; 3] {
        let LogCounts { flushes, syncs, bytes } = &self.counts;
        [flushes, syncs, bytes].map(|count| count.load(Ordering::Relaxed))
    }

    /// Makes the record that starts at `upto`, and all before it, durable. Returns the position before which
    /// everything is durable now. A caller that arrives during a flush waits until it ends; if it did not include the
    /// caller's record, the next flush does. A failed flush is not repeated: from then on the log refuses everything.
    pub fn flush(&self, upto: LogPosition) -> Result<LogPosition, StoreError> {
        let upto = upto.min(self.last());
        let mut sync = lock(&self.sync);
        loop {
            let flushed = self.flushed();
            if flushed > upto {
                return Ok(flushed);
            }
            if !sync.leading {
                break;
            }
            sync.waiting += 1;
            sync = self.synced.wait(sync).unwrap_or_else(PoisonError::into_inner);
            sync.waiting -= 1;
        }
        sync.leading = true;
        drop(sync);
        let lead = FlushLead(self);
        let (target, segments) = self.begin_flush()?;
        self.counts.flushes.fetch_add(1, Ordering::Relaxed);
        for segment in &segments {
            self.counts.syncs.fetch_add(1, Ordering::Relaxed);
            if let Err(e) = segment.file.sync_data() {
                return Err(fail(&mut lock(&self.tail), &failure("flushed to the disk", segment.id, &e)));
            }
        }
        self.flushed.store(target.0, Ordering::Release);
        drop(lead);
        Ok(target)
    }

    /// Returns the segments to flush, oldest first, and the position up to which everything is durable afterwards.
    fn begin_flush(&self) -> Result<(LogPosition, Vec<LogSegment>), StoreError> {
        let mut tail = lock(&self.tail);
        if let Some(why) = &tail.failed {
            return Err(StoreError::Failed(why.clone()));
        }
        let target = pad(&mut tail);
        let mut segments = std::mem::take(&mut tail.dirty);
        segments.push(tail.segment.clone());
        Ok((target, segments))
    }
}
