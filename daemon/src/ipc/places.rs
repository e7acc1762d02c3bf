//! The places of open connections: how many there are, and which of them must give its place to another. It reads and
//! closes none.
//!
//! *Invariants*: at most `limits::CONNECTIONS` are open, and of one process or session at most `limits::CONNECTIONS_SHARE`. If
//! all places are taken, the oldest connection that has sent no request gives up its place.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use crate::limits;
use crate::sync::lock;

/// The places of all connections.
#[derive(Debug, Default)]
pub(super) struct ConnectionPlaces {
    connections: Mutex<OpenConnections>,
    released: Notify,
}

#[derive(Debug, Default)]
struct OpenConnections {
    last: u64,
    /// By number, so that the oldest is first.
    open: BTreeMap<u64, OpenConnection>,
}

#[derive(Debug)]
struct OpenConnection {
    process: Option<u32>,
    session: Option<Arc<str>>,
    /// True once it has sent a request after `hello`.
    used: bool,
    /// True once it was asked to give up its place.
    evicted: bool,
    evict: Arc<Notify>,
}

/// The place of an open connection, released when it is dropped.
#[derive(Debug)]
#[must_use]
pub(super) struct OpenPlace {
    places: Arc<ConnectionPlaces>,
    number: u64,
    process: Option<u32>,
    evict: Arc<Notify>,
}

/// The reason why a connection has no place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum NoPlace {
    /// All places are taken.
    #[error("{} clients are connected, which is the limit; try again in a moment", limits::CONNECTIONS)]
    Full,
    /// Another connection gives up its place for it, and has not done so yet.
    #[error("another connection is about to end; try again in a moment")]
    Soon,
    /// This process has its share.
    #[error("process {0} has {share} connections open, its share; close one, or try again in a moment", share = limits::CONNECTIONS_SHARE)]
    Process(u32),
}

impl OpenConnections {
    /// Asks the oldest unused one of some connections to give up its place. Returns false if there is none.
    fn evict(&mut self, among: impl Fn(&OpenConnection) -> bool) -> bool {
        let idle = |one: &&mut OpenConnection| !one.used && !one.evicted && among(one);
        let Some(oldest) = self.open.values_mut().find(idle) else { return false };
        oldest.evicted = true;
        oldest.evict.notify_one();
        true
    }

    fn of_process(&self, process: u32) -> usize {
        self.open.values().filter(|one| one.process == Some(process)).count()
    }
}

impl ConnectionPlaces {
    /// Returns the number of open connections.
    pub(super) fn open(&self) -> usize {
        lock(&self.connections).open.len()
    }

    /// Returns once a place was released since the last call.
    pub(super) async fn released(&self) {
        self.released.notified().await;
    }

    /// Takes a place for a connection of a process. `evicts`: another one may be asked to give up its place.
    pub(super) fn take(self: &Arc<Self>, process: Option<u32>, evicts: bool) -> Result<OpenPlace, NoPlace> {
        let mut places = lock(&self.connections);
        if let Some(id) = process
            && places.of_process(id) >= limits::CONNECTIONS_SHARE
        {
            let soon = !evicts || places.evict(|one| one.process == Some(id));
            return Err(if soon { NoPlace::Soon } else { NoPlace::Process(id) });
        }
        if places.open.len() >= limits::CONNECTIONS {
            let soon = !evicts || places.evict(|_| true);
            return Err(if soon { NoPlace::Soon } else { NoPlace::Full });
        }
        places.last += 1;
        let (number, evict) = (places.last, Arc::new(Notify::new()));
        let open =
            OpenConnection { process, session: None, used: false, evicted: false, evict: Arc::clone(&evict) };
        places.open.insert(number, open);
        Ok(OpenPlace { places: Arc::clone(self), number, process, evict })
    }
}

impl OpenPlace {
    /// Returns the number of the connection.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the process that connected, if it is known.
    pub(super) fn process(&self) -> Option<u32> {
        self.process
    }

    /// Notes the session; returns false if it has its share of the connections already.
    pub(super) fn greeted(&self, session: &str) -> bool {
        let mut places = lock(&self.places.connections);
        let of_session = places.open.values().filter(|one| one.session.as_deref() == Some(session)).count();
        if let Some(own) = places.open.get_mut(&self.number) {
            own.session = Some(session.into());
        }
        of_session < limits::CONNECTIONS_SHARE
    }

    /// Notes that a request was sent: from now on the connection keeps its place until it ends. Returns false if it must
    /// give up its place already.
    pub(super) fn used(&self) -> bool {
        let mut places = lock(&self.places.connections);
        let Some(own) = places.open.get_mut(&self.number) else { return false };
        own.used = true;
        !own.evicted
    }

    /// Returns once the connection must give up its place.
    pub(super) async fn evicted(&self) {
        self.evict.notified().await;
    }
}

impl Drop for OpenPlace {
    fn drop(&mut self) {
        lock(&self.places.connections).open.remove(&self.number);
        self.places.released.notify_one();
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn filled(process: impl Fn(u32) -> u32) -> (Arc<ConnectionPlaces>, Vec<OpenPlace>) {
        let places = Arc::new(ConnectionPlaces::default());
        let count = u32::try_from(limits::CONNECTIONS).unwrap();
        let open = (0..count).map(|nth| places.take(Some(process(nth)), true).unwrap()).collect();
        (places, open)
    }

    fn evicted(places: &ConnectionPlaces) -> Vec<u64> {
        let connections = lock(&places.connections);
        connections.open.iter().filter(|(_, one)| one.evicted).map(|(number, _)| *number).collect()
    }

    #[test]
    fn the_oldest_connection_without_a_request_gives_up_its_place() {
        let (places, mut open) = filled(|nth| nth % 2 + 1);
        assert!(open.iter().take(2).all(OpenPlace::used));
        assert_eq!(places.take(Some(3), true).unwrap_err(), NoPlace::Soon);
        assert_eq!(places.take(Some(3), false).unwrap_err(), NoPlace::Soon, "it has not gone yet");
        assert_eq!(evicted(&places), [3]);
        assert!(!open.remove(2).used(), "a request that comes too late is not begun");
        assert!(places.take(Some(3), false).is_ok());
    }

    #[test]
    fn connections_that_sent_a_request_keep_their_places() {
        let (places, open) = filled(|nth| nth % 2 + 1);
        assert!(open.iter().all(OpenPlace::used));
        assert_eq!(places.take(Some(3), true).unwrap_err(), NoPlace::Full);
        assert_eq!(evicted(&places), [0; 0]);
        drop(open);
        assert_eq!(places.open(), 0);
    }

    #[test]
    fn one_process_and_one_session_have_their_share() {
        let places = Arc::new(ConnectionPlaces::default());
        let take = || places.take(Some(1), true);
        let open: Vec<OpenPlace> = (0..limits::CONNECTIONS_SHARE).map(|_| take().unwrap()).collect();
        assert!(open.iter().all(|place| place.greeted("s") && place.used()));
        assert_eq!(take().unwrap_err(), NoPlace::Process(1));
        let other = places.take(Some(2), true).unwrap();
        assert!(!other.greeted("s"));
        assert!(other.greeted("other"));
        assert!(places.take(None, true).is_ok());
    }
}
