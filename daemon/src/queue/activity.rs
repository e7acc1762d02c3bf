//! Counts connections and jobs. It decides nothing.

use std::sync::Arc;

use tokio::sync::watch;

/// The count of connections and jobs.
#[derive(Debug, Default)]
pub struct ActivityCounter(watch::Sender<usize>);

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
        // Waiting threads are woken only if they wait for this.
        self.0.send_if_modified(|count| {
            *count += 1;
            *count == 1
        });
        ActivityGuard(Arc::clone(self))
    }

    /// Returns once the count is 0.
    pub async fn idle(&self) {
        self.reaches(|count| count == 0).await;
    }

    /// Returns once the count is not 0.
    pub async fn active(&self) {
        self.reaches(|count| count > 0).await;
    }

    async fn reaches(&self, enough: impl Fn(usize) -> bool) {
        // The sender is `self`, so it cannot be gone.
        let _ = self.0.subscribe().wait_for(|count| enough(*count)).await;
    }
}

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        self.0.0.send_if_modified(|count| {
            *count -= 1;
            *count == 0
        });
    }
}
