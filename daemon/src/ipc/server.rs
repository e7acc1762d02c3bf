//! What all connections share. It holds things together and does nothing itself.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use editd_proto::message::StatusReply;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};

use super::Stream;
use super::subscriptions::Subscriptions;
use crate::clock::Clock;
use crate::limits;
use crate::queue::{Activity, AdmissionGate, Queue, QueueEvents, Requests};

/// What `status` and `hello` tell of the daemon.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DaemonInfo {
    /// The workspace's absolute path.
    pub workspace: String,
    /// Where it listens.
    pub socket: String,
    /// The folder of log and database.
    pub state: String,
}

/// The wish that the daemon stop.
#[derive(Debug)]
pub struct StopSignal(watch::Sender<u32>);

impl Default for StopSignal {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl StopSignal {
    /// Asks: the first time to finish and leave, the second time to hurry.
    pub fn ask(&self) {
        self.0.send_modify(|asked| *asked = asked.saturating_add(1));
    }

    /// Asks to finish and leave, unless that was asked already.
    pub fn ask_once(&self) {
        self.0.send_modify(|asked| *asked = (*asked).max(1));
    }

    /// Whether it was asked.
    pub fn is_asked(&self) -> bool {
        *self.0.borrow() > 0
    }

    /// Returns once it was asked.
    pub async fn asked(&self) {
        self.reaches(1).await;
    }

    /// Returns once it was asked again.
    pub async fn hurried(&self) {
        self.reaches(2).await;
    }

    async fn reaches(&self, times: u32) {
        // The sender is `self`, so it cannot be gone.
        let _ = self.0.subscribe().wait_for(|asked| *asked >= times).await;
    }
}

/// What all connections share.
pub struct Server {
    /// The workspace.
    pub workspace: Arc<dyn Requests>,
    /// Its jobs.
    pub queue: Queue,
    /// How much may wait.
    pub gate: Arc<AdmissionGate>,
    /// Whether anything is going on.
    pub activity: Arc<Activity>,
    /// What is told of what was done.
    pub events: Arc<dyn QueueEvents>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who watches.
    pub subscriptions: Arc<dyn Subscriptions>,
    /// What it tells of itself.
    pub info: DaemonInfo,
    /// Finds other served workspaces above or below this one.
    pub nearby: FindNearby,
    /// The wish to stop.
    pub stop: Arc<StopSignal>,
    /// Threads and tasks.
    pub runtime: Handle,
    shared: ConnectionLimits,
}

struct ConnectionLimits {
    started: Duration,
    /// Part of the names of sessions that bring none: unlike any of an earlier daemon.
    era: u64,
    names: AtomicU64,
    connections: Arc<Semaphore>,
    lingering: Arc<Semaphore>,
    large: Arc<Semaphore>,
    outgoing: Arc<AtomicUsize>,
    /// Connections that end with the process: each asked for its end.
    kept: Mutex<Vec<Arc<Stream>>>,
}

/// Finds other served workspaces above or below this one.
pub type FindNearby = Box<dyn Fn() -> Vec<PathBuf> + Send + Sync>;

/// The parts of a house.
#[expect(missing_docs, reason = "each is described at the house's field of that name")]
pub struct ServerBuilder {
    pub workspace: Arc<dyn Requests>,
    pub queue: Queue,
    pub gate: Arc<AdmissionGate>,
    pub activity: Arc<Activity>,
    pub events: Arc<dyn QueueEvents>,
    pub clock: Arc<dyn Clock>,
    pub subscriptions: Arc<dyn Subscriptions>,
    pub info: DaemonInfo,
    pub nearby: FindNearby,
    pub stop: Arc<StopSignal>,
    pub runtime: Handle,
}

impl Server {
    /// Puts a house together.
    pub fn new(parts: ServerBuilder) -> Arc<Self> {
        let ServerBuilder {
            workspace,
            queue,
            gate,
            activity,
            events,
            clock,
            subscriptions,
            info,
            nearby,
            stop,
            runtime,
        } = parts;
        let shared = ConnectionLimits {
            started: clock.monotonic(),
            era: clock.wall_ms(),
            names: AtomicU64::new(0),
            connections: Arc::new(Semaphore::new(limits::CONNECTIONS)),
            lingering: Arc::new(Semaphore::new(limits::LINGERING)),
            large: Arc::new(Semaphore::new(limits::LARGE_FRAMES)),
            outgoing: Arc::default(),
            kept: Mutex::default(),
        };
        Arc::new(Self {
            workspace,
            queue,
            gate,
            activity,
            events,
            clock,
            subscriptions,
            info,
            nearby,
            stop,
            runtime,
            shared,
        })
    }

    /// Room for connections.
    pub(super) fn connections(&self) -> Arc<Semaphore> {
        Arc::clone(&self.shared.connections)
    }

    /// Room for refused connections that are listened to a moment longer.
    pub(super) fn lingering(&self) -> Arc<Semaphore> {
        Arc::clone(&self.shared.lingering)
    }

    /// Room for large frames.
    pub(super) fn large(&self) -> Arc<Semaphore> {
        Arc::clone(&self.shared.large)
    }

    /// Bytes of replies that wait.
    pub(super) fn outgoing(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.shared.outgoing)
    }

    /// Keeps a connection open until the process has ended: its client learns from that when it has.
    pub(super) fn keep(&self, stream: &Arc<Stream>) {
        if !self.keeps(stream) {
            self.kept().push(Arc::clone(stream));
        }
    }

    /// Whether a connection is kept open.
    pub(super) fn keeps(&self, stream: &Arc<Stream>) -> bool {
        self.kept().iter().any(|kept| Arc::ptr_eq(kept, stream))
    }

    /// The connections that are kept open, no longer the house's.
    pub fn take_kept(&self) -> Vec<Arc<Stream>> {
        std::mem::take(&mut *self.kept())
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Arc<Stream>>> {
        // Nothing that may panic runs under the lock.
        self.shared.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A name for a session that brings none.
    pub(super) fn fresh_session(&self) -> String {
        let number = self.shared.names.fetch_add(1, Ordering::Relaxed);
        format!("session-{:x}-{number:x}", self.shared.era)
    }

    /// What `status` answers.
    pub(super) fn status(&self) -> StatusReply {
        let counts = self.workspace.counts();
        let connections = limits::CONNECTIONS - self.shared.connections.available_permits();
        StatusReply {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            workspace: self.info.workspace.clone(),
            socket: self.info.socket.clone(),
            state: self.info.state.clone(),
            uptime: self.clock.monotonic().saturating_sub(self.shared.started).as_secs(),
            sessions: connections as u64,
            queue: self.gate.jobs() as u64,
            entries: counts.entries,
            unsettled: counts.unsettled,
            watch: self.subscriptions.folders(),
            failed: self.workspace.failed(),
            left_out: self.workspace.left_out(),
            nearby: (self.nearby)().iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_first_wish_stops_and_the_second_hurries() {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let soon = Duration::from_secs(1);
        runtime.block_on(async {
            let stop = StopSignal::default();
            assert!(tokio::time::timeout(soon, stop.asked()).await.is_err());
            stop.ask_once();
            stop.ask_once();
            stop.asked().await;
            assert!(tokio::time::timeout(soon, stop.hurried()).await.is_err(), "a request never hurries");
            stop.ask();
            stop.hurried().await;
        });
    }
}
