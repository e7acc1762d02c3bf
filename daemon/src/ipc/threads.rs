//! The threads that answer requests: no connection, session or process has more than `limits::THREADS_SHARE` of them. Work
//! above that waits in order of arrival, and delays nobody else.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::runtime::Handle;

use crate::limits;
use crate::queue::{RequestOwner, ShareTable};
use crate::sync::lock;

/// Work that needs a thread.
type ThreadWork = Box<dyn FnOnce() + Send>;

/// The threads that are at work, by their owners.
#[derive(Default)]
pub(super) struct ThreadShares(Mutex<BusyThreads>);

#[derive(Default)]
struct BusyThreads {
    at_work: ShareTable<usize>,
    waiting: VecDeque<(RequestOwner, ThreadWork)>,
}

impl BusyThreads {
    fn has_share(&self, owner: &RequestOwner) -> bool {
        self.at_work.exhausted(owner, |threads| *threads >= limits::THREADS_SHARE).is_none()
    }

    /// Takes the first work whose owners have threads left.
    fn next(&mut self) -> Option<(RequestOwner, ThreadWork)> {
        let at = self.waiting.iter().position(|(owner, _)| self.has_share(owner))?;
        let (owner, work) = self.waiting.remove(at)?;
        self.at_work.change(&owner, |threads| *threads += 1);
        Some((owner, work))
    }
}

/// Ends a piece of work when it is dropped, also after a panic, and starts the next one.
struct WorkingThread {
    shares: Arc<ThreadShares>,
    runtime: Handle,
    owner: RequestOwner,
}

impl ThreadShares {
    /// Runs some work on a thread of the runtime, as soon as its owners have one.
    pub(super) fn run(self: &Arc<Self>, runtime: &Handle, owner: RequestOwner, work: ThreadWork) {
        let mut threads = lock(&self.0);
        threads.waiting.push_back((owner, work));
        let next = threads.next();
        drop(threads);
        self.spawn(runtime, next);
    }

    fn spawn(self: &Arc<Self>, runtime: &Handle, next: Option<(RequestOwner, ThreadWork)>) {
        let Some((owner, work)) = next else { return };
        let thread = WorkingThread { shares: Arc::clone(self), runtime: runtime.clone(), owner };
        runtime.spawn_blocking(move || {
            work();
            drop(thread);
        });
    }
}

impl Drop for WorkingThread {
    fn drop(&mut self) {
        let mut threads = lock(&self.shares.0);
        threads.at_work.change(&self.owner, |threads| *threads = threads.saturating_sub(1));
        let next = threads.next();
        drop(threads);
        self.shares.spawn(&self.runtime, next);
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_owner_leaves_threads_to_the_others_and_all_its_work_is_done() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(limits::THREADS_SHARE + 1)
            .build()
            .unwrap();
        let shares = Arc::new(ThreadShares::default());
        let run = |session: &str, work: ThreadWork| {
            shares.run(runtime.handle(), RequestOwner::of_session(session), work);
        };
        let count = 2 * limits::THREADS_SHARE;
        let gate = Arc::new(Mutex::new(()));
        let (to, ended) = mpsc::channel();
        let closed = lock(&gate);
        for _ in 0..count {
            let (gate, to) = (Arc::clone(&gate), to.clone());
            run(
                "greedy",
                Box::new(move || {
                    drop(lock(&gate));
                    to.send("greedy").unwrap();
                }),
            );
        }
        let to_honest = to.clone();
        run("honest", Box::new(move || to_honest.send("honest").unwrap()));
        let next = || ended.recv_timeout(Duration::from_secs(30)).unwrap();
        assert_eq!(next(), "honest");
        drop(closed);
        assert!((0..count).all(|_| next() == "greedy"));
    }
}
