//! Turns hints into events: it observes the path of a hint, and sends the resulting event to subscribers. It trusts no
//! hint, and reports lost hints.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use editd_engine::Refusal;
use editd_proto::RequestError;
use editd_proto::ids::JobId;
use editd_proto::message::{
    ChangeEvent, ChangeKind, CheckOutcome, EntryFile, EntrySummary, HistoryRequest, SubscribeRequest,
};
use editd_proto::path::FilePath;

use crate::caller::Caller;
use crate::clock::Clock;
use crate::ipc::{EventSink, Subscription, SubscriptionProvider};
use crate::limits;
use crate::os::Os;
use crate::queue::WorkspaceRequests;
use crate::sync::lock;
use crate::watch::{ChangeHint, PostponedPaths, ReportedVersions, Watcher};

/// The watcher, and the thread that observes the paths in its hints.
pub struct ChangeReporter {
    shared: Arc<WatchingShared>,
    /// The number of folders that the watcher was given.
    known: Mutex<usize>,
    messages: SyncSender<ReporterMessage>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct WatchingShared {
    workspace: Arc<dyn WorkspaceRequests>,
    watcher: Watcher,
    sinks: Mutex<BTreeMap<u64, Arc<EventSink>>>,
    next: AtomicU64,
    /// Set if hints were lost between the watcher and the thread.
    lost: Arc<AtomicBool>,
    clock: Arc<dyn Clock>,
}

enum ReporterMessage {
    Hint(ChangeHint),
    /// A request wrote this entry.
    Wrote(JobId),
    Stop,
}

impl ChangeReporter {
    /// Starts watching the workspace at `root`, its path without links.
    ///
    /// # Errors
    /// `root` cannot be opened, or no thread can be started.
    pub fn start(
        workspace: Arc<dyn WorkspaceRequests>,
        os: &dyn Os,
        clock: Arc<dyn Clock>,
        root: &Path,
    ) -> io::Result<Arc<Self>> {
        let (messages, received) = sync_channel(limits::HINTS);
        let lost = Arc::new(AtomicBool::new(false));
        let watcher = {
            let (messages, lost) = (messages.clone(), Arc::clone(&lost));
            Watcher::start(os, Arc::clone(&clock), root, move |hint| {
                if messages.try_send(ReporterMessage::Hint(hint)).is_err() {
                    lost.store(true, Ordering::Release);
                }
            })?
        };
        let shared = Arc::new(WatchingShared {
            workspace,
            watcher,
            sinks: Mutex::default(),
            next: AtomicU64::new(0),
            lost,
            clock,
        });
        let thread = {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("look".to_owned()).stack_size(limits::STACK);
            thread.spawn(move || shared.run(&received))?
        };
        let thread = Mutex::new(Some(thread));
        Ok(Arc::new(Self { shared, known: Mutex::default(), messages, thread }))
    }

    /// Watches the folders of files that were read or written.
    pub fn touched(&self) {
        let mut known = lock(&self.known);
        if let Some(new) = self.shared.workspace.touched_folders(*known) {
            *known += new.len();
            for folder in &new {
                self.shared.watcher.watch_folder(folder);
            }
        }
    }

    /// Notifies subscribers of entries that a request wrote, and of changes by other programs that requests noticed before
    /// the watcher did: it finds nothing new there any more.
    pub fn wrote_all(&self, mut entries: Vec<JobId>) {
        let (noticed, lost) = self.shared.workspace.unreported();
        entries.extend(noticed);
        entries.sort_unstable();
        entries.dedup();
        entries.into_iter().for_each(|entry| self.wrote(entry));
        if lost {
            self.shared.lost.store(true, Ordering::Release);
        }
    }

    fn wrote(&self, entry: JobId) {
        if !lock(&self.shared.sinks).is_empty()
            && self.messages.try_send(ReporterMessage::Wrote(entry)).is_err()
        {
            self.shared.lost.store(true, Ordering::Release);
        }
    }

    /// Notifies all subscribers of damage of the log.
    pub fn damaged(&self, message: &str) {
        self.shared.to_all(&ChangeEvent {
            message: Some(message.to_owned()),
            ..ChangeEvent::without_path(ChangeKind::Damage)
        });
    }

    /// Notifies all subscribers of the end of a check.
    pub fn checked(&self, outcome: CheckOutcome) {
        self.shared
            .to_all(&ChangeEvent { check: Some(outcome), ..ChangeEvent::without_path(ChangeKind::Check) });
    }

    /// Ends the thread. Later calls do nothing.
    pub fn stop(&self) {
        let thread = lock(&self.thread).take();
        let Some(thread) = thread else { return };
        // The thread handles earlier messages until this one, so this waits for at most one observation.
        if self.messages.send(ReporterMessage::Stop).is_err() || thread.join().is_err() {
            tracing::error!("internal error while watching");
        }
    }
}

impl SubscriptionProvider for ChangeReporter {
    fn subscribe(
        &self,
        request: &SubscribeRequest,
        sink: Arc<EventSink>,
    ) -> Result<(Box<dyn Subscription>, u64), Refusal> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.shared.sinks).insert(id, sink);
        // Dropping this removes the subscription, whatever happens from here on.
        let subscribed = Box::new(SubscriptionGuard { shared: Arc::clone(&self.shared), id });
        let watched = self.shared.watcher.subscribe(id, &request.globs);
        let folders = watched.map_err(|why| Box::new(RequestError::from(why)))?;
        Ok((subscribed, folders))
    }

    fn folders(&self) -> u64 {
        self.shared.watcher.len() as u64
    }
}

struct SubscriptionGuard {
    shared: Arc<WatchingShared>,
    id: u64,
}

impl Subscription for SubscriptionGuard {}

impl Drop for SubscriptionGuard {
    fn drop(&mut self) {
        lock(&self.shared.sinks).remove(&self.id);
        self.shared.watcher.unsubscribe(self.id);
    }
}

/// The paths that the thread has reported, and those that it will look at.
#[derive(Default)]
struct LookState {
    echo: ReportedVersions,
    postponed: PostponedPaths,
}

impl WatchingShared {
    fn run(&self, received: &Receiver<ReporterMessage>) {
        let mut looks = LookState::default();
        loop {
            match self.message(received, &looks.postponed) {
                Ok(ReporterMessage::Hint(hint)) => self.follow(hint, &mut looks),
                Ok(ReporterMessage::Wrote(entry)) => self.report_entry(entry, &mut looks.echo),
                Ok(ReporterMessage::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            for path in looks.postponed.take(self.clock.monotonic()) {
                self.observe(&path, &mut looks);
            }
            if self.lost.swap(false, Ordering::AcqRel) {
                self.look_below(&FilePath::default(), &mut looks);
            }
        }
    }

    /// Looks at the paths of a hint.
    fn follow(&self, hint: ChangeHint, looks: &mut LookState) {
        match hint {
            ChangeHint::Look(path) => self.look(path, looks),
            ChangeHint::Moved(path) if self.workspace.is_as_left(&path) => {}
            ChangeHint::Moved(path) => self.look(path, looks),
            ChangeHint::Below(folder) => self.look_below(&folder, looks),
            ChangeHint::Watched(folder) => self.look_in(&folder, looks),
            ChangeHint::Overflow => self.look_below(&FilePath::default(), looks),
            ChangeHint::Warning(warning) => tracing::warn!(warning, "watching"),
        }
    }

    /// Waits for a message, or until a postponed path is due.
    fn message(
        &self,
        received: &Receiver<ReporterMessage>,
        postponed: &PostponedPaths,
    ) -> Result<ReporterMessage, RecvTimeoutError> {
        match postponed.next() {
            None => received.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(due) => received.recv_timeout(due.saturating_sub(self.clock.monotonic())),
        }
    }

    /// Looks at the tracked files below a folder after unknown changes. An overflow tells subscribers to check the others.
    fn look_below(&self, folder: &FilePath, looks: &mut LookState) {
        for path in self.workspace.tracked_below(folder) {
            self.look(path, looks);
        }
        self.overflow();
    }

    /// Looks at the tracked files of one folder.
    fn look_in(&self, folder: &FilePath, looks: &mut LookState) {
        let below = self.workspace.tracked_below(folder);
        for path in below.into_iter().filter(|path| path.folder() == *folder) {
            self.look(path, looks);
        }
    }

    /// Observes a path, later if a call has announced its change.
    fn look(&self, path: FilePath, looks: &mut LookState) {
        if self.workspace.is_announced(&path) {
            looks.postponed.add(path, self.clock.monotonic());
        } else {
            looks.postponed.remove(&path);
            self.observe(&path, looks);
        }
    }

    fn observe(&self, path: &FilePath, looks: &mut LookState) {
        let Some(event) = self.workspace.observe(path) else { return };
        if looks.echo.is_news(&event) {
            self.send(path, &event);
        }
    }

    /// Reports an entry that the daemon wrote: observations do not report the daemon's own changes.
    fn report_entry(&self, id: JobId, echo: &mut ReportedVersions) {
        let newest_to_it = HistoryRequest {
            before: Some(JobId(id.0.saturating_add(1))),
            limit: Some(1),
            ..HistoryRequest::default()
        };
        let entries = match self.workspace.history(&Caller::of_session("", "editd"), &newest_to_it) {
            Ok(found) => found.reply.entries,
            // The overflow tells subscribers to check the files.
            Err(_) => return self.overflow(),
        };
        for entry in entries.iter().filter(|entry| entry.id == id) {
            for file in &entry.files {
                echo.wrote(&file.path, file.after.as_ref());
                self.send(&file.path, &event_of(entry, file));
            }
            if entry.omitted_files > 0 {
                self.overflow();
            }
        }
    }

    fn send(&self, path: &FilePath, event: &ChangeEvent) {
        let ids = self.watcher.matches(event.path.as_ref().unwrap_or(path));
        let sinks: Vec<Arc<EventSink>> = {
            let sinks = lock(&self.sinks);
            ids.iter().filter_map(|id| sinks.get(id).cloned()).collect()
        };
        for sink in sinks {
            sink.send(event);
        }
    }

    fn overflow(&self) {
        self.to_all(&ChangeEvent::overflow());
    }

    fn to_all(&self, event: &ChangeEvent) {
        let sinks: Vec<Arc<EventSink>> = lock(&self.sinks).values().cloned().collect();
        for sink in sinks {
            sink.send(event);
        }
    }
}

fn event_of(entry: &EntrySummary, file: &EntryFile) -> ChangeEvent {
    let change = match (&file.before, &file.after) {
        (_, None) => ChangeKind::Removed,
        (None, Some(_)) => ChangeKind::Created,
        (Some(_), Some(_)) => ChangeKind::Changed,
    };
    ChangeEvent {
        change,
        path: Some(file.path.clone()),
        version: file.after.clone(),
        entry: Some(entry.id),
        by: Some(entry.kind),
        session: (!entry.is_outside()).then(|| entry.session.clone()),
        message: None,
        check: None,
    }
}
