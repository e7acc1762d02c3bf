//! The watcher's thread and its interface. It decides nothing itself: events go through `settle`, and the keeper
//! handles them.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use editd_proto::path::FilePath;

use super::keeper::{FolderKeeper, WatchedFolders};
use super::names::from_wire;
use super::settle::Debouncer;
use super::source::{EventSource, NoEventSource, NotifySource, RawEvent};
use super::subjects::{SubscribeError, SubscriptionId, SubscriptionTable};
use crate::clock::Clock;
use crate::limits;
use crate::os::Os;
use crate::sync::lock;

/// The longest pause of the source's thread between two series of events.
const PAUSE: Duration = Duration::from_millis(limits::WATCH_PAUSE_MS);
/// True if the system's queue has room for the events of a pause. That of Windows has room for a few hundred.
const PAUSES: bool = cfg!(target_os = "linux");

/// A possible change. Any hint may be wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangeHint {
    /// This path may have changed.
    Look(FilePath),
    /// A file may have been moved to this path, or away from it. Nothing else was reported about it.
    Moved(FilePath),
    /// This folder was removed or moved away with everything in it: known paths below it may have changed.
    Below(FilePath),
    /// This folder is watched from now on: known files in it, but not those in folders below, may have changed before.
    Watched(FilePath),
    /// Events were lost: every known path may have changed, and every subscriber must be told.
    Overflow,
    /// Some folders are not watched, for this reason: to be logged.
    Warning(String),
}

/// Watches folders of one workspace on a thread of its own. Dropping it ends the thread.
pub struct Watcher {
    shared: Arc<WatcherShared>,
    thread: Option<JoinHandle<()>>,
}

struct WatcherShared {
    inbox: Mutex<EventInbox>,
    /// Notified when the inbox is not empty.
    arrived: Condvar,
    /// Notified when the watcher stops.
    stopped: Condvar,
    subjects: Arc<RwLock<SubscriptionTable>>,
    folders: AtomicUsize,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct EventInbox {
    settle: Debouncer,
    orders: VecDeque<WatcherRequest>,
    stop: bool,
    /// The time at which the source's thread last went on after a pause.
    resumed: Duration,
}

/// A request of a caller to the thread.
enum WatcherRequest {
    Touch(PathBuf),
    Subscribe(SubscriptionId, Vec<String>, mpsc::Sender<Result<u64, SubscribeError>>),
    Unsubscribe(SubscriptionId),
}

impl Watcher {
    /// Starts watching the workspace at `root`, its path without links; no folder is watched yet.
    ///
    /// `sink` is called on the watcher's thread and must not wait for it: it passes the hint on, and if it cannot,
    /// remembers an overflow. If the system provides no events, it gets a [`ChangeHint::Warning`] and no further
    /// hints.
    ///
    /// # Errors
    /// Fails if `root` cannot be opened or no thread can be started.
    pub fn start(
        os: &dyn Os,
        clock: Arc<dyn Clock>,
        root: &Path,
        mut sink: impl FnMut(ChangeHint) + Send + 'static,
    ) -> io::Result<Self> {
        let dir = os.open_dir(root)?;
        let shared = Arc::new(WatcherShared {
            inbox: Mutex::default(),
            arrived: Condvar::new(),
            stopped: Condvar::new(),
            subjects: Arc::default(),
            folders: AtomicUsize::new(0),
            clock,
        });
        let source: Box<dyn EventSource> = {
            let shared = Arc::downgrade(&shared);
            let from = root.to_path_buf();
            let notify = NotifySource::new(root, move |raw| {
                if let Some(shared) = shared.upgrade() {
                    shared.take(raw, &from);
                }
            });
            match notify {
                Ok(notify) => Box::new(notify),
                Err(error) => {
                    sink(ChangeHint::Warning(format!(
                        "changes by other programs are not reported: {error:?}"
                    )));
                    Box::new(NoEventSource)
                }
            }
        };
        let mut keeper = FolderKeeper {
            root: dir,
            root_path: root.to_path_buf(),
            source,
            subjects: Arc::clone(&shared.subjects),
            state: WatchedFolders::default(),
        };
        let thread = {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("watch".to_owned()).stack_size(256 * 1024);
            thread.spawn(move || shared.serve(&mut keeper, &mut sink))?
        };
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Watches a folder in which a file was read or written, after a short while; at most `limits::WATCHED_FOLDERS`,
    /// later ones are ignored. A folder that does not exist is watched once it does.
    pub fn watch_folder(&self, folder: &FilePath) {
        if let Some(folder) = from_wire(folder) {
            self.order(WatcherRequest::Touch(folder));
        }
    }

    /// Watches every folder in which a file can match one of the globs; every folder without globs. Blocks until they
    /// are watched. Returns the number of folders watched for subscriptions.
    ///
    /// # Errors
    /// See [`SubscribeError`]; then nothing is subscribed.
    pub fn subscribe(&self, id: SubscriptionId, globs: &[String]) -> Result<u64, SubscribeError> {
        let (answer, answered) = mpsc::channel();
        self.order(WatcherRequest::Subscribe(id, globs.to_vec(), answer));
        answered.recv().unwrap_or(Err(SubscribeError::Stopped))
    }

    /// Ends a subscription, after a short while.
    pub fn unsubscribe(&self, id: SubscriptionId) {
        self.order(WatcherRequest::Unsubscribe(id));
    }

    /// Returns the subscriptions that include a file.
    pub fn matches(&self, path: &FilePath) -> Vec<SubscriptionId> {
        let Some(path) = from_wire(path) else { return Vec::new() };
        self.shared.subjects.read().unwrap_or_else(PoisonError::into_inner).matching(&path)
    }

    /// Returns the number of watched folders.
    pub fn len(&self) -> usize {
        self.shared.folders.load(Ordering::Relaxed)
    }

    fn order(&self, order: WatcherRequest) {
        let mut inbox = lock(&self.shared.inbox);
        // Requests for folders come with each file that is read: beyond the limit they are not queued. Other requests
        // are bounded by the callers: each waits for its answer, or ends a subscription whose answer it had.
        let soft = matches!(order, WatcherRequest::Touch(_));
        let full = soft && inbox.orders.len() >= limits::WATCHED_FOLDERS;
        if !(inbox.stop || full) {
            inbox.orders.push_back(order);
            self.shared.arrived.notify_one();
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        lock(&self.shared.inbox).stop = true;
        self.shared.arrived.notify_one();
        self.shared.stopped.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the sink was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl WatcherShared {
    /// Handles an event, on the source's thread.
    fn take(&self, raw: RawEvent, root: &Path) {
        let now = self.clock.monotonic();
        let mut inbox = lock(&self.inbox);
        // A thread that waits for a pending path checks the time again when it wakes.
        let sleeping = inbox.settle.is_empty();
        match raw {
            RawEvent::Lost => inbox.settle.overflow(now),
            RawEvent::At(path, events) => {
                let Ok(below) = path.strip_prefix(root) else { return };
                inbox.settle.event(below.to_path_buf(), events, now);
            }
        }
        // Woken under the lock, the thread would wait for it at once.
        drop(inbox);
        if sleeping {
            self.arrived.notify_one();
        }
        self.pause(now);
    }

    /// Waits for a moment, unless the source's thread has just done so. Events that come meanwhile stay in the system's
    /// queue and wake nobody: otherwise each file that a job puts in place would wake this thread.
    fn pause(&self, now: Duration) {
        let inbox = lock(&self.inbox);
        if !PAUSES || now.saturating_sub(inbox.resumed) < PAUSE {
            return;
        }
        let waited = self.stopped.wait_timeout_while(inbox, PAUSE, |inbox| !inbox.stop);
        waited.unwrap_or_else(PoisonError::into_inner).0.resumed = self.clock.monotonic();
    }

    /// The thread's loop: first requests, then settled events; otherwise it sleeps, without limit if nothing is
    /// pending.
    fn serve(&self, keeper: &mut FolderKeeper, sink: &mut dyn FnMut(ChangeHint)) {
        let _leaving = WatcherExit(self);
        let mut inbox = lock(&self.inbox);
        while !inbox.stop {
            if let Some(order) = inbox.orders.pop_front() {
                drop(inbox);
                obey(order, keeper, sink);
                self.folders.store(keeper.state.watched.len(), Ordering::Relaxed);
                inbox = lock(&self.inbox);
                continue;
            }
            let now = self.clock.monotonic();
            let wait = inbox.settle.next().map(|due| due.saturating_sub(now));
            inbox = match wait {
                None => self.arrived.wait(inbox).unwrap_or_else(PoisonError::into_inner),
                Some(wait) if !wait.is_zero() => {
                    let woken = self.arrived.wait_timeout(inbox, wait);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                Some(_) => {
                    let due = inbox.settle.take(now);
                    drop(inbox);
                    keeper.settled(due, sink);
                    self.folders.store(keeper.state.watched.len(), Ordering::Relaxed);
                    lock(&self.inbox)
                }
            };
        }
    }
}

/// However the thread ends, no caller waits for its answer afterwards.
struct WatcherExit<'a>(&'a WatcherShared);

impl Drop for WatcherExit<'_> {
    fn drop(&mut self) {
        let mut inbox = lock(&self.0.inbox);
        inbox.stop = true;
        inbox.orders.clear();
    }
}

fn obey(order: WatcherRequest, keeper: &mut FolderKeeper, sink: &mut dyn FnMut(ChangeHint)) {
    match order {
        WatcherRequest::Touch(folder) => keeper.touch(folder, sink),
        WatcherRequest::Unsubscribe(id) => keeper.unsubscribe(id),
        WatcherRequest::Subscribe(id, globs, answer) => {
            let answered = answer.send(keeper.subscribe(id, &globs, sink));
            if answered.is_err() {
                keeper.unsubscribe(id);
            }
        }
    }
}
