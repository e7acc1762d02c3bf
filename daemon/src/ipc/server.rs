//! The state that all connections share. It has no logic of its own.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use editd_proto::message::{MetricsReply, StatusReply};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};

use super::ClientStream;
use super::checks::CheckProvider;
use super::places::ConnectionPlaces;
use super::subscriptions::SubscriptionProvider;
use super::threads::ThreadShares;
use crate::clock::Clock;
use crate::limits;
use crate::metrics::Metrics;
use crate::queue::{ActivityCounter, AdmissionGate, JobQueue, QueueEvents, WorkspaceRequests};
use crate::sync::lock;

/// The daemon's information in `status` and `hello`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DaemonInfo {
    /// The workspace's absolute path.
    pub workspace: String,
    /// The address at which it listens.
    pub socket: String,
    /// The folder of log and database.
    pub state: String,
}

/// The request to stop the daemon.
#[derive(Debug)]
pub struct StopSignal(watch::Sender<u32>);

impl Default for StopSignal {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl StopSignal {
    /// Requests a stop: the first time to finish and exit, the second time to hurry.
    pub fn ask(&self) {
        self.0.send_modify(|parsed| *parsed = parsed.saturating_add(1));
    }

    /// Requests a stop unless that was done already.
    pub fn ask_once(&self) {
        self.0.send_modify(|parsed| *parsed = (*parsed).max(1));
    }

    /// Returns true if a stop was requested.
    pub fn is_asked(&self) -> bool {
        *self.0.borrow() > 0
    }

    /// Returns once a stop was requested.
    pub async fn parsed(&self) {
        self.reaches(1).await;
    }

    /// Returns once a stop was requested again.
    pub async fn hurried(&self) {
        self.reaches(2).await;
    }

    async fn reaches(&self, times: u32) {
        // The sender is `self`, so it cannot be gone.
        let _ = self.0.subscribe().wait_for(|parsed| *parsed >= times).await;
    }
}

/// The server: the state that all connections share.
pub struct Server {
    /// The workspace.
    pub workspace: Arc<dyn WorkspaceRequests>,
    /// The queue of its jobs.
    pub queue: JobQueue,
    /// The counters, latencies and times of jobs.
    pub metrics: Arc<Metrics>,
    /// The limits on waiting requests.
    pub gate: Arc<AdmissionGate>,
    /// The count of connections and jobs.
    pub activity: Arc<ActivityCounter>,
    /// Receives the events of the queue.
    pub events: Arc<dyn QueueEvents>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The provider of subscriptions.
    pub subscriptions: Arc<dyn SubscriptionProvider>,
    /// The provider of the results of checks.
    pub checks: Arc<dyn CheckProvider>,
    /// The daemon's information.
    pub info: DaemonInfo,
    /// Finds other served workspaces above or below this one.
    pub nearby: FindNearby,
    /// The request to stop.
    pub stop: Arc<StopSignal>,
    /// The runtime for threads and tasks.
    pub runtime: Handle,
    /// The state of the connections.
    pub connections: ConnectionsState,
}

/// The state of a server's connections.
pub struct ConnectionsState {
    started: Duration,
    /// The part of generated session names that distinguishes this daemon from earlier ones.
    era: u64,
    names: AtomicU64,
    /// The places of open connections.
    pub(super) places: Arc<ConnectionPlaces>,
    /// The permits for refused connections whose pending bytes are still read.
    pub(super) lingering: Arc<Semaphore>,
    /// The threads that answer requests.
    pub(super) threads: Arc<ThreadShares>,
    /// The permits for large frames.
    pub(super) large: Arc<Semaphore>,
    /// The count of bytes of replies that wait.
    pub(super) outgoing: Arc<AtomicUsize>,
    /// Connections whose clients asked the daemon to stop; they stay open until the process has ended.
    kept: Mutex<Vec<Arc<ClientStream>>>,
}

/// Finds other served workspaces above or below this one.
pub type FindNearby = Box<dyn Fn() -> Vec<PathBuf> + Send + Sync>;

impl ConnectionsState {
    /// Creates the state of a server without connections.
    pub fn new(clock: &dyn Clock) -> Self {
        Self {
            started: clock.monotonic(),
            era: clock.wall_ms(),
            names: AtomicU64::new(0),
            places: Arc::default(),
            threads: Arc::default(),
            lingering: Arc::new(Semaphore::new(limits::LINGERING)),
            large: Arc::new(Semaphore::new(limits::LARGE_FRAMES)),
            outgoing: Arc::default(),
            kept: Mutex::default(),
        }
    }
}

impl Server {
    /// Keeps a connection open until the process has ended: the client waits for the end of the connection.
    pub(super) fn keep(&self, stream: &Arc<ClientStream>) {
        if !self.keeps(stream) {
            lock(&self.connections.kept).push(Arc::clone(stream));
        }
    }

    /// Returns true if a connection is kept open.
    pub(super) fn keeps(&self, stream: &Arc<ClientStream>) -> bool {
        lock(&self.connections.kept).iter().any(|kept| Arc::ptr_eq(kept, stream))
    }

    /// Takes the connections that are kept open out of the server.
    pub fn take_kept(&self) -> Vec<Arc<ClientStream>> {
        std::mem::take(&mut *lock(&self.connections.kept))
    }

    /// Returns a name for a session that has none.
    pub(super) fn fresh_session(&self) -> String {
        let number = self.connections.names.fetch_add(1, Ordering::Relaxed);
        format!("session-{:x}-{number:x}", self.connections.era)
    }

    /// Returns the reply to `metrics`.
    pub(super) fn metrics_text(&self) -> MetricsReply {
        MetricsReply { text: self.metrics.open_metrics(&self.status(), &self.workspace.other_counts()) }
    }

    /// Returns the reply to `status`, without the times of a job.
    pub(super) fn status(&self) -> StatusReply {
        let counts = self.workspace.counts();
        StatusReply {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            workspace: self.info.workspace.clone(),
            socket: self.info.socket.clone(),
            state: self.info.state.clone(),
            uptime: self.clock.monotonic().saturating_sub(self.connections.started).as_secs(),
            sessions: self.connections.places.open() as u64,
            queue: self.gate.jobs() as u64,
            entries: counts.entries,
            unsettled: counts.unsettled,
            watch: self.subscriptions.folders(),
            failed: self.workspace.failed(),
            damage: self.workspace.damage(),
            database: self.workspace.database_fault(),
            left_out: self.workspace.left_out(),
            nearby: (self.nearby)().iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            counters: self.metrics.counts(&self.workspace.other_counts()),
            refusals: self.metrics.refusals(),
            latency: self.metrics.latencies(),
            trace: None,
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
            assert!(tokio::time::timeout(soon, stop.parsed()).await.is_err());
            stop.ask_once();
            stop.ask_once();
            stop.parsed().await;
            assert!(tokio::time::timeout(soon, stop.hurried()).await.is_err(), "a request never hurries");
            stop.ask();
            stop.hurried().await;
        });
    }
}
