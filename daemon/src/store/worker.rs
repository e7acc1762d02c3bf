//! The store's thread: on request it applies rows, prepares segments and writes contents. Otherwise it sleeps.
//! Correctness does not need it.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::shared::StoreParts;
use crate::limits;
use crate::sync::lock;

#[derive(Default)]
struct WorkerRequest {
    listening: bool,
    apply: bool,
    prepare: bool,
    contents: bool,
    stop: bool,
    /// True while the thread waits before it writes more contents: a request to write them need not wake it.
    resting: bool,
}

/// The requests to the thread.
#[derive(Default)]
pub(super) struct WorkerSignal {
    asked: Mutex<WorkerRequest>,
    woken: Condvar,
    /// Notified when the thread has applied rows.
    applied: Condvar,
}

impl WorkerSignal {
    /// Asks the thread to apply rows or to prepare the next segment. Returns false if there is no thread.
    pub(super) fn ask(&self, apply: bool, prepare: bool) -> bool {
        let mut asked = lock(&self.asked);
        asked.apply |= apply;
        asked.prepare |= prepare;
        let listening = asked.listening;
        // Woken under the lock, the thread would wait for it at once.
        drop(asked);
        if listening && (apply || prepare) {
            self.woken.notify_one();
        }
        listening
    }

    /// Waits until the thread has applied rows, for at most so many milliseconds.
    pub(super) fn wait_until_applied(&self, milliseconds: u64) {
        let asked = lock(&self.asked);
        let time = Duration::from_millis(milliseconds);
        // A wait that ends too early, or too late by this time, does no harm.
        drop(self.applied.wait_timeout(asked, time).unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits for so many milliseconds if there is a thread, which may need a lock that the caller had.
    pub(super) fn let_others_work(&self, milliseconds: u64) {
        if lock(&self.asked).listening {
            std::thread::park_timeout(Duration::from_millis(milliseconds));
        }
    }

    /// Asks the thread to write contents. Returns false if there is no thread.
    pub(super) fn ask_contents(&self) -> bool {
        let mut asked = lock(&self.asked);
        let first = !std::mem::replace(&mut asked.contents, true);
        let (listening, resting) = (asked.listening, asked.resting);
        drop(asked);
        if listening && first && !resting {
            self.woken.notify_one();
        }
        listening
    }

    /// Waits for a request. `rest`: contents were written just now, and it waits for so long before it writes more, since a
    /// content that the next job replaces need not be written.
    fn wait(&self, mut rest: Option<Duration>) -> WorkerRequest {
        let mut asked = lock(&self.asked);
        while !(asked.stop || asked.apply || asked.prepare || (asked.contents && rest.is_none())) {
            asked = if let Some(time) = rest {
                asked.resting = true;
                let woken = self.woken.wait_timeout(asked, time).unwrap_or_else(PoisonError::into_inner);
                rest = rest.filter(|_| !woken.1.timed_out());
                let mut asked = woken.0;
                asked.resting = false;
                asked
            } else {
                self.woken.wait(asked).unwrap_or_else(PoisonError::into_inner)
            };
        }
        let (listening, stop) = (asked.listening, asked.stop);
        std::mem::replace(&mut *asked, WorkerRequest { listening, stop, ..WorkerRequest::default() })
    }
}

/// The running thread; dropping this ends it.
pub(super) struct StoreWorker {
    shared: Arc<StoreParts>,
    thread: Option<JoinHandle<()>>,
}

impl StoreWorker {
    /// Starts the thread; `None` if the system provides none, which only costs time.
    pub(super) fn start(shared: &Arc<StoreParts>) -> Option<Self> {
        lock(&shared.signal.asked).listening = true;
        let own = shared.clone();
        let thread = std::thread::Builder::new().name("store".to_owned()).spawn(move || run(&own));
        if thread.is_err() {
            lock(&shared.signal.asked).listening = false;
        }
        Some(Self { shared: shared.clone(), thread: Some(thread.ok()?) })
    }
}

fn run(shared: &StoreParts) {
    let mut rest = None;
    loop {
        let asked = shared.signal.wait(rest);
        if asked.stop {
            return;
        }
        // Errors are ignored here: a caller that needs the result gets the same error.
        if asked.prepare
            && let Err(e) = shared.log.prepare_next()
        {
            tracing::warn!("{e}");
        }
        if asked.apply {
            if let Err(e) = shared.apply() {
                tracing::warn!("{e}");
            }
            shared.signal.applied.notify_all();
        }
        rest = asked.contents.then(|| {
            let bytes = shared.contents.write_waiting();
            let milliseconds = (bytes / limits::CONTENTS_BYTES_PER_MS) as u64;
            Duration::from_millis(milliseconds.max(limits::CONTENTS_MS))
        });
    }
}

impl Drop for StoreWorker {
    fn drop(&mut self) {
        {
            let mut asked = lock(&self.shared.signal.asked);
            asked.stop = true;
            asked.listening = false;
            self.shared.signal.woken.notify_all();
        }
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed when it happened.
            let _ = thread.join();
        }
    }
}
