//! Passes a connection's frames to the workers: one thread at a time takes them in their order, answers those that
//! are not jobs, and gives each job its place. A job that may run at once is run by that thread, after another one
//! took over. So a connection has at most one large reply in memory at a time. The first such thread is the one that read
//! the frame, if it may be ([`super::threads`]).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::codec::Frame;
use editd_proto::message::OnStale;
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::dispatch::{self, NextStep};
use super::outbox::Outbox;
use super::server::Server;
use super::subscriptions::Subscription;
use super::threads::WorkingThread;
use crate::caller::Caller;
use crate::limits;
use crate::queue::AdmissionPass;
use crate::sync::lock;

/// A frame that has arrived completely.
pub(super) struct ReceivedFrame {
    pub(super) frame: Frame,
    /// The moment at which it was complete.
    pub(super) arrived: Duration,
    /// Its place in the connection's pipeline.
    pub(super) place: OwnedSemaphorePermit,
    /// Its admission in the limits of all requests, or the refusal.
    pub(super) pass: Result<AdmissionPass, Refusal>,
}

/// A client session: a connection that was greeted, as its requests see it.
pub(super) struct ClientSession {
    pub(super) server: Arc<Server>,
    pub(super) caller: Caller,
    /// The default of its jobs for stale files.
    pub(super) on_stale: Option<OnStale>,
    pub(super) outbox: Arc<Outbox>,
    /// True once the client sends nothing more: waits and subscriptions end.
    pub(super) gone: watch::Sender<bool>,
    subscriptions: Mutex<Vec<Box<dyn Subscription>>>,
    inbox: Mutex<FrameInbox>,
}

#[derive(Default)]
struct FrameInbox {
    frames: VecDeque<ReceivedFrame>,
    /// True while a thread takes frames from it.
    drained: bool,
}

impl ClientSession {
    /// Creates a session that has sent nothing yet.
    pub(super) fn new(
        server: Arc<Server>,
        (caller, on_stale): (Caller, Option<OnStale>),
        outbox: Arc<Outbox>,
    ) -> Arc<Self> {
        Arc::new(Self {
            server,
            caller,
            on_stale,
            outbox,
            gone: watch::Sender::new(false),
            subscriptions: Mutex::default(),
            inbox: Mutex::default(),
        })
    }

    /// Adds a frame. Never waits. If it returns a permit, the calling thread must take the frames ([`ClientSession::drain`]).
    pub(super) fn arrive(self: &Arc<Self>, arrived: ReceivedFrame) -> Option<WorkingThread> {
        let mut inbox = lock(&self.inbox);
        inbox.frames.push_back(arrived);
        if std::mem::replace(&mut inbox.drained, true) {
            return None;
        }
        let Server { runtime, connections, .. } = &*self.server;
        let here = connections.threads.begin_here(runtime, &self.caller.owner);
        if here.is_none() {
            self.spawn();
        }
        here
    }

    /// Notes that the client sends nothing more.
    pub(super) fn leave(&self) {
        self.gone.send_replace(true);
        let ended = std::mem::take(&mut *lock(&self.subscriptions));
        if !ended.is_empty() {
            drop(ended);
            self.server.events.memory_freed();
        }
    }

    /// Keeps a subscription as long as the connection; returns false if there are too many, or the connection has
    /// ended.
    pub(super) fn keep(&self, subscription: Box<dyn Subscription>) -> bool {
        let mut kept = lock(&self.subscriptions);
        let fits = kept.len() < limits::CONNECTION_SUBSCRIPTIONS && !*self.gone.borrow();
        if fits {
            kept.push(subscription);
        }
        fits
    }

    fn spawn(self: &Arc<Self>) {
        let client = Arc::clone(self);
        let Server { runtime, connections, .. } = &*self.server;
        connections.threads.run(runtime, self.caller.owner.clone(), Box::new(move || client.drain()));
    }

    /// Takes the frames, until there are none or another thread takes them.
    pub(super) fn drain(self: Arc<Self>) {
        while let Some(arrived) = self.next() {
            // A panic is an error in editd: unwinding answers the request with `internal`, and the connection's other
            // requests continue.
            match catch_unwind(AssertUnwindSafe(|| dispatch::begin(&self, arrived))) {
                Ok(NextStep::Next) | Err(_) => {}
                Ok(NextStep::Run(runnable)) => {
                    self.hand_over();
                    runnable.run();
                    return;
                }
            }
        }
    }

    /// Returns the next frame. If the client leaves too many replies unread, its requests wait, and a task waits
    /// until the replies are taken.
    fn next(self: &Arc<Self>) -> Option<ReceivedFrame> {
        let mut inbox = lock(&self.inbox);
        if !inbox.frames.is_empty() && !self.outbox.is_writable() {
            let client = Arc::clone(self);
            self.server.runtime.spawn(async move {
                client.outbox.writable().await;
                client.spawn();
            });
            return None;
        }
        let next = inbox.frames.pop_front();
        inbox.drained = next.is_some();
        next
    }

    fn hand_over(self: &Arc<Self>) {
        let mut inbox = lock(&self.inbox);
        if inbox.frames.is_empty() {
            inbox.drained = false;
        } else {
            self.spawn();
        }
    }
}
