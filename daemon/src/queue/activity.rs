//! Counts connections and jobs. It decides nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// The count of connections and jobs.
#[derive(Debug, Default)]
pub struct ActivityCounter {
    going: AtomicUsize,
    changed: Notify,
}

/// Counts as one until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct ActivityGuard(Arc<ActivityCounter>);

impl ActivityCounter {
    /// Creates a count of 0.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Adds one to the count.
    pub fn begin(self: &Arc<Self>) -> ActivityGuard {
        if self.going.fetch_add(1, Ordering::AcqRel) == 0 {
            self.changed.notify_waiters();
        }
        ActivityGuard(Arc::clone(self))
    }

    /// Returns the count.
    pub fn count(&self) -> usize {
        self.going.load(Ordering::Acquire)
    }

    /// Returns once the count is 0.
    pub async fn idle(&self) {
        self.until(|going| going == 0).await;
    }

    /// Returns once the count is not 0.
    pub async fn active(&self) {
        self.until(|going| going > 0).await;
    }

    async fn until(&self, reached: impl Fn(usize) -> bool) {
        loop {
            // Registered before checking, so that a change in between is not missed.
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if reached(self.count()) {
                return;
            }
            changed.await;
        }
    }
}

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        if self.0.going.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.changed.notify_waiters();
        }
    }
}
