//! How a connection gets the events that it subscribed to. It watches nothing itself.

use std::sync::Arc;

use editd_engine::Refusal;
use editd_proto::codec;
use editd_proto::message::{ChangeEvent, ChangeKind, SubscribeRequest, kind};

use super::outbox::Outbox;

/// Whoever watches.
pub trait Subscriptions: Send + Sync {
    /// Events that match go to `sink` until the subscription is dropped. Also returns the folders watched
    /// for it.
    ///
    /// # Errors
    /// A glob is malformed, or watching is not possible.
    fn subscribe(
        &self,
        request: &SubscribeRequest,
        sink: Arc<EventSink>,
    ) -> Result<(Box<dyn Subscription>, u64), Refusal>;
    /// Folders that are watched.
    fn folders(&self) -> u64;
}

/// A subscription; dropping it ends it.
pub trait Subscription: Send + Sync {}

/// Where the events of one subscription go. A subscription begins with its reply: what happened before is
/// not in it.
pub struct EventSink {
    id: u64,
    outbox: Arc<Outbox>,
}

impl EventSink {
    /// A sink for the subscription that the request `id` makes.
    pub(super) fn new(id: u64, outbox: Arc<Outbox>) -> Self {
        Self { id, outbox }
    }

    /// Sends an event, or notes that it was lost where the client does not keep up. Never waits.
    pub fn send(&self, event: &ChangeEvent) {
        self.outbox.event(self.id, event);
    }
}

/// The frame of an event.
pub(super) fn event_frame(id: u64, event: &ChangeEvent) -> Vec<u8> {
    codec::reply(id, kind::EVENT, event)
}

/// The event that stands for those that were lost.
pub(super) fn overflow() -> ChangeEvent {
    ChangeEvent {
        change: ChangeKind::Overflow,
        path: None,
        version: None,
        entry: None,
        by: None,
        session: None,
    }
}
