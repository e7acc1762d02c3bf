//! Background work after the replies: one thread that flushes and settles when that is due, asks for retention, and checks
//! every now and then that the workspace's folder and the socket's name still exist. Otherwise it sleeps. It never delays a
//! job.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use editd_proto::error::ErrorCode;

use super::checks::CheckThreads;
use super::schedule::{DueTasks, TaskSchedule};
use super::watching::ChangeReporter;
use crate::caller::Caller;
use crate::clock::Clock;
use crate::ipc::{SocketName, StopSignal};
use crate::limits;
use crate::os;
use crate::queue::{FinishedJob, JobOutcome, JobReply, QueueEvents, WorkspaceRequests};
use crate::sync::lock;

/// The background thread, which is notified of events.
pub struct BackgroundWork {
    shared: Arc<BackgroundShared>,
    watching: Arc<ChangeReporter>,
    checks: Arc<CheckThreads>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct BackgroundShared {
    workspace: Arc<dyn WorkspaceRequests>,
    clock: Arc<dyn Clock>,
    /// The socket's name, if this daemon gave it.
    socket: Option<Arc<SocketName>>,
    /// Signalled if the workspace's folder or the socket is no longer at its path.
    stop: Arc<StopSignal>,
    state: Mutex<BackgroundState>,
    changed: Condvar,
}

#[derive(Default)]
struct BackgroundState {
    schedule: TaskSchedule,
    /// The time until which the thread sleeps; `None` while it works or sleeps without limit.
    until: Option<Duration>,
    stop: bool,
}

impl BackgroundWork {
    /// Starts the thread. Work that an earlier daemon left is due at once.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(
        workspace: Arc<dyn WorkspaceRequests>,
        clock: Arc<dyn Clock>,
        watching: Arc<ChangeReporter>,
        checks: Arc<CheckThreads>,
        socket: Option<Arc<SocketName>>,
        stop: Arc<StopSignal>,
    ) -> io::Result<Arc<Self>> {
        let shared = Arc::new(BackgroundShared {
            workspace,
            clock,
            socket,
            stop,
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        lock(&shared.state).schedule.started(shared.clock.monotonic());
        let thread = {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("afterwards".to_owned());
            thread.stack_size(limits::STACK).spawn(move || shared.work())?
        };
        Ok(Arc::new(Self { shared, watching, checks, thread: Mutex::new(Some(thread)) }))
    }

    /// Flushes and settles everything that can be, and ends the thread. Later calls do nothing.
    pub fn finish(&self) {
        let thread = lock(&self.thread).take();
        let Some(thread) = thread else { return };
        lock(&self.shared.state).stop = true;
        self.shared.changed.notify_all();
        if thread.join().is_err() {
            tracing::error!("internal error while settling; the next start recovers");
        }
    }
}

impl QueueEvents for BackgroundWork {
    fn job_ended(&self, done: FinishedJob) {
        self.shared.notify(|schedule, now| schedule.job_ended(done.relaxed || !done.entries.is_empty(), now));
        self.watching.touched();
        self.watching.wrote_all(done.entries);
    }

    fn answer(&self, caller: &Caller, outcome: JobOutcome, reply: Option<JobReply>) {
        self.checks.answer(caller, outcome, reply);
    }

    fn memory_freed(&self) {
        self.shared.notify(TaskSchedule::memory_freed);
    }

    fn receipt_renewed(&self) {
        self.shared.notify(TaskSchedule::receipt_renewed);
        self.watching.touched();
        self.watching.wrote_all(Vec::new());
    }
}

impl BackgroundShared {
    fn notify(&self, change: impl FnOnce(&mut TaskSchedule, Duration)) {
        let mut state = lock(&self.state);
        change(&mut state.schedule, self.clock.monotonic());
        // The thread is woken only if it would sleep too long; most jobs do not wake it.
        let sooner = match (state.schedule.next(), state.until) {
            (Some(next), Some(until)) => next < until,
            (next, None) => next.is_some(),
            (None, Some(_)) => false,
        };
        // Woken under the lock, the thread would wait for it at once.
        drop(state);
        if sooner {
            self.changed.notify_all();
        }
    }

    fn work(&self) {
        while let Some(due) = self.wait() {
            if due.flush {
                self.flush();
            }
            if due.settle || due.check_paths {
                self.stop_if_root_is_gone();
                self.stop_if_socket_is_lost();
            }
            if due.settle
                && let Some(ms) = self.workspace.settle(false)
            {
                let now = self.clock.monotonic();
                lock(&self.state).schedule.settle_again(Duration::from_millis(ms), now);
            }
            if due.upkeep {
                self.workspace.ask_upkeep();
            }
            if due.drop_trees {
                self.workspace.drop_trees();
            }
            // Under load more work always follows, and memory given back would be needed again.
            let quiet = lock(&self.state).schedule.is_quiet();
            if quiet && due != (DueTasks { check_paths: true, ..DueTasks::default() }) {
                os::give_back();
            }
        }
        self.flush();
        self.settle_all();
    }

    /// Requests a stop if the workspace's folder was moved, removed or replaced. There is no event for every folder
    /// above it, and a job that notices it may have no client that waits for the error.
    fn stop_if_root_is_gone(&self) {
        if let Err(refusal) = self.workspace.root_present()
            && refusal.code == ErrorCode::Stopping
        {
            tracing::warn!("{}", refusal.message);
            self.stop.ask_once();
        }
    }

    /// Requests a stop if no client finds the socket any more: this daemon would only keep others from serving the workspace.
    fn stop_if_socket_is_lost(&self) {
        let Some(socket) = self.socket.as_ref().filter(|socket| socket.is_lost()) else { return };
        // A daemon that is stopping has removed the name itself.
        if !self.stop.is_asked() {
            tracing::warn!("the socket {} was removed or replaced; stopping", socket.path().display());
            self.stop.ask_once();
        }
    }

    /// Sleeps until something is due; `None` when the thread must end.
    fn wait(&self) -> Option<DueTasks> {
        let mut state = lock(&self.state);
        loop {
            if state.stop {
                return None;
            }
            let now = self.clock.monotonic();
            let due = state.schedule.take(now);
            if due != DueTasks::default() {
                state.until = None;
                return Some(due);
            }
            state.until = state.schedule.next();
            state = match state.until {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(next) => {
                    let free_memory = next.saturating_sub(now);
                    self.changed.wait_timeout(state, free_memory).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn flush(&self) {
        if let Err(why) = self.workspace.flush() {
            tracing::error!(%why, "flushing failed");
        }
    }

    /// Settles everything that can be settled now. Files that still have a writer are left to the next start.
    fn settle_all(&self) {
        if let Some(ms) = self.workspace.settle(true) {
            tracing::info!(ms, "other programs still have some files open; the next start settles them");
        }
        self.workspace.close();
    }
}
