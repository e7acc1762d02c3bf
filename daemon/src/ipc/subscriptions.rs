//! Passes events to the connections that subscribed to them. It watches nothing itself.

use std::sync::Arc;

use editd_engine::Refusal;
use editd_proto::codec::Framing;
use editd_proto::message::{ChangeEvent, SubscribeRequest, kind};

use super::outbox::Outbox;

/// The provider of subscriptions.
pub trait SubscriptionProvider: Send + Sync {
    /// Sends matching events to `sink` until the subscription is dropped. Also returns the number of folders watched
    /// for it.
    ///
    /// # Errors
    /// Fails if a glob is malformed, or watching is not possible.
    fn subscribe(
        &self,
        request: &SubscribeRequest,
        sink: Arc<EventSink>,
    ) -> Result<(Box<dyn Subscription>, u64), Refusal>;
    /// Returns the number of watched folders.
    fn folders(&self) -> u64;
}

/// A subscription; dropping it ends it.
pub trait Subscription: Send + Sync {}

/// Sends the events of one subscription. It begins with the reply to the subscription: earlier events are not sent.
pub struct EventSink {
    id: u64,
    outbox: Arc<Outbox>,
}

impl EventSink {
    /// Creates a sink for the subscription of the request `id`.
    pub(super) fn new(id: u64, outbox: Arc<Outbox>) -> Self {
        Self { id, outbox }
    }

    /// Sends an event, or notes that it was lost if the client does not keep up. Never waits.
    pub fn send(&self, event: &ChangeEvent) {
        self.outbox.event(self.id, event);
    }
}

/// Encodes an event as a frame or line.
pub(super) fn event_frame(framing: Framing, id: u64, event: &ChangeEvent) -> Vec<u8> {
    framing.reply(id, kind::EVENT, event)
}
