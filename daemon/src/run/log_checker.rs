//! Checks the log in the background: after each start, and regularly. One thread of low priority reads one segment after
//! the other, with pauses. It reports damage and changes nothing.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::watching::ChangeReporter;
use crate::queue::WorkspaceRequests;
use crate::sync::lock;
use crate::{limits, os};

/// The thread that checks the log.
pub(super) struct LogChecker {
    shared: Arc<CheckerShared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct CheckerShared {
    workspace: Arc<dyn WorkspaceRequests>,
    watching: Arc<ChangeReporter>,
    stop: Mutex<bool>,
    changed: Condvar,
}

impl LogChecker {
    /// Starts the thread.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start(
        workspace: Arc<dyn WorkspaceRequests>,
        watching: Arc<ChangeReporter>,
    ) -> io::Result<Self> {
        let shared =
            Arc::new(CheckerShared { workspace, watching, stop: Mutex::default(), changed: Condvar::new() });
        let thread = {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("check".to_owned()).stack_size(limits::STACK);
            thread.spawn(move || shared.run())?
        };
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Ends the thread after the segment that it reads. Later calls do nothing.
    pub(super) fn stop(&self) {
        *lock(&self.shared.stop) = true;
        self.shared.changed.notify_all();
        let thread = lock(&self.thread).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("internal error while checking the log");
        }
    }
}

impl CheckerShared {
    fn run(&self) {
        os::low_priority();
        let mut pause = limits::LOG_CHECK_AFTER_MS;
        while self.rest(pause) {
            if !self.pass() {
                return;
            }
            pause = limits::LOG_CHECK_MS;
        }
    }

    /// Checks every segment. Returns false if the thread must end.
    fn pass(&self) -> bool {
        for id in self.workspace.log_segments() {
            match self.workspace.check_log_segment(id) {
                Ok(None) => {}
                Ok(Some(damage)) => {
                    tracing::error!("{damage}");
                    self.watching.damaged(&damage);
                }
                Err(why) => {
                    let damage = format!("the log cannot be read: {}; look at the disk", why.message);
                    tracing::error!("{damage}");
                    self.watching.damaged(&damage);
                }
            }
            if !self.rest(limits::LOG_CHECK_PAUSE_MS) {
                return false;
            }
        }
        true
    }

    /// Sleeps. Returns false if the thread must end.
    fn rest(&self, ms: u64) -> bool {
        let stop = lock(&self.stop);
        let time = Duration::from_millis(ms);
        let rested = self.changed.wait_timeout_while(stop, time, |stop| !*stop);
        !*rested.unwrap_or_else(PoisonError::into_inner).0
    }
}
