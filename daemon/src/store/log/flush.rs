//! Makes the log durable, with one flush for all callers that wait at the same time. It starts no thread: one of the
//! waiting callers flushes for all. Before it does so, it waits a short time for the callers that have announced that
//! they are about to append a record and to flush it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use super::segment::{LogSegment, failure};
use super::writer::{Log, fail, pad};
use crate::limits;
use crate::store::{LogPosition, StoreError};
use crate::sync::lock;

/// The state of the flush that callers share.
#[derive(Default)]
pub(super) struct GroupFlush {
    /// True while a caller flushes.
    leading: bool,
    /// The callers that wait for it.
    waiting: usize,
    /// The callers that have announced a flush.
    announced: usize,
    /// True while the leading caller waits for those.
    gathers: bool,
    /// The duration of the last flush.
    last: Duration,
}

/// The announcement of a caller that is about to append a record and to flush it. It ends when it is dropped, which must
/// be before the caller flushes.
#[must_use]
pub struct FlushAnnouncement<'l>(&'l Log);

impl Drop for FlushAnnouncement<'_> {
    fn drop(&mut self) {
        let gathered = {
            let mut sync = lock(&self.0.sync);
            sync.announced -= 1;
            sync.gathers && sync.announced == 0
        };
        if gathered {
            self.0.gathered.notify_one();
        }
    }
}

/// Counts of the work since the log was opened.
#[derive(Debug, Default)]
pub(super) struct LogCounts {
    flushes: AtomicU64,
    syncs: AtomicU64,
    pub(super) bytes: AtomicU64,
}

/// Ends a caller's flush and wakes the others, also if the flush panicked.
struct FlushLead<'a> {
    log: &'a Log,
    /// The duration of the flush, if it was measured.
    took: Option<Duration>,
}

impl Drop for FlushLead<'_> {
    fn drop(&mut self) {
        let waiting = {
            let mut sync = lock(&self.log.sync);
            sync.leading = false;
            sync.last = self.took.unwrap_or(sync.last);
            sync.waiting
        };
        if waiting > 0 {
            self.log.synced.notify_all();
        }
    }
}

impl Log {
    /// Returns the numbers of flushes, of calls of `fdatasync` for them, and of appended bytes since the log was opened.
    pub fn counts(&self) -> [u64; 3] {
        let LogCounts { flushes, syncs, bytes } = &self.counts;
        [flushes, syncs, bytes].map(|count| count.load(Ordering::Relaxed))
    }

    /// Announces a flush, so that another caller that flushes before waits for it.
    pub fn announce_flush(&self) -> FlushAnnouncement<'_> {
        lock(&self.sync).announced += 1;
        FlushAnnouncement(self)
    }

    /// Makes the record that starts at `upto`, and all before it, durable. Returns the position before which
    /// everything is durable now. A caller that arrives during a flush waits until it ends; if it did not include the
    /// caller's record, the next flush does. A failed flush is not repeated: from then on the log refuses everything.
    pub fn flush(&self, upto: LogPosition) -> Result<LogPosition, StoreError> {
        self.flush_for_all(upto, None)
    }

    /// Does the same, but before a flush it waits for those that are announced, at most half as long as the last such
    /// flush took and at most `limits::GATHER_MS`. `now` returns the time since some fixed moment.
    pub fn flush_together(
        &self,
        upto: LogPosition,
        now: &dyn Fn() -> Duration,
    ) -> Result<LogPosition, StoreError> {
        self.flush_for_all(upto, Some(now))
    }

    fn flush_for_all(
        &self,
        upto: LogPosition,
        now: Option<&dyn Fn() -> Duration>,
    ) -> Result<LogPosition, StoreError> {
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
        if let Some(now) = now {
            sync = self.gather(sync, now);
        }
        drop(sync);
        let mut lead = FlushLead { log: self, took: None };
        let start = now.map(|now| now());
        let (target, segments) = self.begin_flush()?;
        self.counts.flushes.fetch_add(1, Ordering::Relaxed);
        for segment in &segments {
            self.counts.syncs.fetch_add(1, Ordering::Relaxed);
            if let Err(e) = segment.file.sync_data() {
                return Err(fail(&mut lock(&self.tail), &failure("flushed to the disk", segment.id, &e)));
            }
        }
        self.flushed.store(target.0, Ordering::Release);
        lead.took = now.zip(start).map(|(now, start)| now().saturating_sub(start));
        drop(lead);
        Ok(target)
    }

    /// Waits until no flush is announced, or for a part of the duration of a flush.
    fn gather<'s>(
        &'s self,
        mut sync: MutexGuard<'s, GroupFlush>,
        now: &dyn Fn() -> Duration,
    ) -> MutexGuard<'s, GroupFlush> {
        if sync.announced == 0 {
            return sync;
        }
        let until = now() + (sync.last / 2).min(Duration::from_millis(limits::GATHER_MS));
        sync.gathers = true;
        while sync.announced > 0 {
            let left = until.saturating_sub(now());
            let (back, timeout) =
                self.gathered.wait_timeout(sync, left).unwrap_or_else(PoisonError::into_inner);
            sync = back;
            if timeout.timed_out() || left.is_zero() {
                break;
            }
        }
        sync.gathers = false;
        sync
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
