//! The threads that answer requests: no connection, session or process has more than `limits::THREADS_SHARE` of them. Work
//! above that waits in order of arrival, and delays nobody else.
//!
//! A request is answered on the thread that read it, as long as few are: its reply need not wait until another thread has
//! woken up. That other thread takes over the sockets meanwhile.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::runtime::{Handle, RuntimeFlavor};

use crate::caller::{RequestOwner, ShareTable};
use crate::limits;
use crate::sync::lock;

/// Work that needs a thread.
type ThreadWork = Box<dyn FnOnce() + Send>;

/// The threads that are at work, by their owners.
#[derive(Default)]
pub(super) struct ThreadShares(Mutex<BusyThreads>);

#[derive(Default)]
struct BusyThreads {
    at_work: ShareTable<usize>,
    /// The number of them.
    count: usize,
    waiting: VecDeque<(RequestOwner, ThreadWork)>,
}

impl BusyThreads {
    fn begin(&mut self, owner: &RequestOwner) {
        self.at_work.change(owner, |threads| *threads += 1);
        self.count += 1;
    }

    fn has_share(&self, owner: &RequestOwner) -> bool {
        self.at_work.exhausted(owner, |threads| *threads >= limits::THREADS_SHARE).is_none()
    }

    /// Takes the first work whose owners have threads left.
    fn next(&mut self) -> Option<(RequestOwner, ThreadWork)> {
        let at = self.waiting.iter().position(|(owner, _)| self.has_share(owner))?;
        let (owner, work) = self.waiting.remove(at)?;
        self.begin(&owner);
        Some((owner, work))
    }
}

/// Ends a piece of work when it is dropped, also after a panic, and starts the next one.
#[must_use]
pub(super) struct WorkingThread {
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

    /// Permits the calling thread, which reads sockets, to work itself; `None` if too many threads work, so that no other
    /// thread would take over the sockets.
    pub(super) fn begin_here(
        self: &Arc<Self>,
        runtime: &Handle,
        owner: &RequestOwner,
    ) -> Option<WorkingThread> {
        let mut threads = lock(&self.0);
        // The tests stop the clock of a runtime, which has one thread then.
        let may_work = runtime.runtime_flavor() == RuntimeFlavor::MultiThread;
        if !may_work || threads.count >= limits::READING_WORKERS || !threads.has_share(owner) {
            return None;
        }
        threads.begin(owner);
        Some(WorkingThread { shares: Arc::clone(self), runtime: runtime.clone(), owner: owner.clone() })
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
        threads.count = threads.count.saturating_sub(1);
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
