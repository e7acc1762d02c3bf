//! The open requests, received replies and waiting events of a connection. Does no I/O.

use std::collections::{BTreeMap, VecDeque};

use editd_proto::RequestError;
use editd_proto::codec::Message;
use editd_proto::message::{ChangeEvent, kind};

use super::{CallError, body};

/// Maximum number of waiting events. Further ones are replaced by a single `overflow`.
pub(super) const EVENTS: usize = 1024;

#[derive(Debug)]
enum PendingReply {
    Awaited { kind: &'static str },
    Arrived(Message),
}

#[derive(Debug, Default)]
pub(super) struct PendingCalls {
    slots: BTreeMap<u64, PendingReply>,
    events: VecDeque<ChangeEvent>,
}

impl PendingCalls {
    /// Returns the number of requests whose reply was not taken.
    pub(super) fn open(&self) -> usize {
        self.slots.len()
    }

    /// Records a sent request.
    pub(super) fn expect(&mut self, id: u64, kind: &'static str) {
        self.slots.insert(id, PendingReply::Awaited { kind });
    }

    /// Returns the reply to a request if it has arrived.
    pub(super) fn take(&mut self, id: u64) -> Option<Message> {
        match self.slots.remove(&id) {
            Some(PendingReply::Arrived(message)) => Some(message),
            Some(awaited) => {
                self.slots.insert(id, awaited);
                None
            }
            None => None,
        }
    }

    /// Returns the oldest waiting event.
    pub(super) fn next_event(&mut self) -> Option<ChangeEvent> {
        self.events.pop_front()
    }

    /// Stores a received message as a reply or an event.
    ///
    /// Returns an error message without a request, since it is about the connection itself.
    pub(super) fn arrived(&mut self, message: Message) -> Result<(), CallError> {
        if message.kind() == kind::EVENT {
            self.keep(body(&message)?);
            return Ok(());
        }
        if message.id() == 0 && message.kind() == kind::ERROR {
            return Err(CallError::Refused(Box::new(body::<RequestError>(&message)?)));
        }
        match self.slots.get(&message.id()) {
            Some(PendingReply::Awaited { kind }) if fits(kind, message.kind()) => {
                self.slots.insert(message.id(), PendingReply::Arrived(message));
                Ok(())
            }
            Some(_) => Err(CallError::Garbled(format!(
                "a reply of the kind `{}` to request {}",
                shown(message.kind()),
                message.id()
            ))),
            None => {
                Err(CallError::Garbled(format!("a reply to request {}, which is not open", message.id())))
            }
        }
    }

    fn keep(&mut self, event: ChangeEvent) {
        if self.events.len() < EVENTS {
            self.events.push_back(event);
        } else if let Some(last) = self.events.back_mut() {
            *last = ChangeEvent::overflow();
        }
    }
}

fn fits(asked: &str, answered: &str) -> bool {
    answered == asked || answered == kind::ERROR
}

/// Escapes a word of the peer for a terminal and truncates it.
fn shown(word: &str) -> String {
    word.chars().take(40).flat_map(char::escape_default).collect()
}
