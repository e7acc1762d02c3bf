//! Checks the log in the background: after each start, and regularly. One thread of low priority reads one segment after
//! the other, with pauses. It reports damage, also what requests have found, and changes nothing.

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
    asked: Mutex<CheckerRequest>,
    changed: Condvar,
}

#[derive(Default)]
struct CheckerRequest {
    stop: bool,
    /// A request has found damage.
    report: bool,
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
            Arc::new(CheckerShared { workspace, watching, asked: Mutex::default(), changed: Condvar::new() });
        // The workspace has this for good; a strong reference would keep both for good, too.
        let weak = Arc::downgrade(&shared);
        shared.workspace.on_damage(Box::new(move || {
            if let Some(shared) = weak.upgrade() {
                lock(&shared.asked).report = true;
                shared.changed.notify_all();
            }
        }));
        let thread = {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("check".to_owned()).stack_size(limits::STACK);
            thread.spawn(move || shared.run())?
        };
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Ends the thread after the segment that it reads. Later calls do nothing.
    pub(super) fn stop(&self) {
        lock(&self.shared.asked).stop = true;
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
                Ok(Some(damage)) => self.report(&damage),
                // The other segments hardly say anything else.
                Err(why) => {
                    self.report(&format!("the log cannot be checked: {}", why.message));
                    return true;
                }
            }
            if !self.rest(limits::LOG_CHECK_PAUSE_MS) {
                return false;
            }
        }
        true
    }

    fn report(&self, damage: &str) {
        tracing::error!("{damage}");
        self.watching.damaged(damage);
    }

    /// Sleeps, and reports the damage that requests find meanwhile: it then sleeps for the whole time again. Returns false
    /// if the thread must end.
    fn rest(&self, ms: u64) -> bool {
        loop {
            let time = Duration::from_millis(ms);
            let asked = lock(&self.asked);
            let rested = self.changed.wait_timeout_while(asked, time, |asked| !asked.stop && !asked.report);
            let mut asked = rested.unwrap_or_else(PoisonError::into_inner).0;
            if asked.stop || !std::mem::take(&mut asked.report) {
                return !asked.stop;
            }
            drop(asked);
            self.workspace.found_damage().iter().for_each(|damage| self.report(damage));
        }
    }
}
