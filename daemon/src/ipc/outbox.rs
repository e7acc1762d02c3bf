//! The frames or lines that a connection has still to be sent. Any thread that has a reply writes it at once; frames that the
//! client does not take are kept, up to a limit, and written by a task that exists only as long as there are some.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use editd_proto::codec::Framing;
use editd_proto::message::ChangeEvent;
use tokio::runtime::Handle;
use tokio::sync::{Notify, OwnedSemaphorePermit};

use super::ClientStream;
use super::server::StopSignal;
use super::subscriptions::event_frame;
use crate::limits;
use crate::sync::lock;

/// The permit of a request in its connection's pipeline, held until its reply was taken.
pub type PipelinePermit = Option<OwnedSemaphorePermit>;

/// The frames of one connection that wait to be taken.
pub struct Outbox {
    stream: Arc<ClientStream>,
    /// The framing of the client, once its first byte has arrived.
    framing: OnceLock<Framing>,
    runtime: Handle,
    /// Bytes that wait, over all connections.
    outgoing: Arc<AtomicUsize>,
    stop: Arc<StopSignal>,
    state: Mutex<OutboxState>,
    changed: Notify,
}

#[derive(Default)]
struct OutboxState {
    waiting: VecDeque<WaitingFrame>,
    bytes: usize,
    /// True while a task is writing.
    writing: bool,
    /// True once the last frame was added.
    closed: bool,
    /// True once nothing more can be sent, because the client is gone.
    broken: bool,
    /// Subscriptions whose reply was sent.
    subscribed: BTreeSet<u64>,
    /// Those of them whose events were lost.
    lost: BTreeSet<u64>,
}

impl OutboxState {
    fn is_writable(&self) -> bool {
        self.bytes <= limits::OUTBOX || self.broken
    }
}

struct WaitingFrame {
    frame: Vec<u8>,
    written: usize,
    _place: PipelinePermit,
}

impl Outbox {
    /// Creates an empty outbox. `outgoing` is shared by all connections.
    pub fn new(
        stream: Arc<ClientStream>,
        runtime: Handle,
        outgoing: Arc<AtomicUsize>,
        stop: Arc<StopSignal>,
    ) -> Self {
        Self {
            stream,
            framing: OnceLock::new(),
            runtime,
            outgoing,
            stop,
            state: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Notes the framing of the client; only the first one counts.
    pub fn note_framing(&self, framing: Framing) {
        self.framing.get_or_init(|| framing);
    }

    /// Returns true if the framing of the client is known.
    pub fn knows_framing(&self) -> bool {
        self.framing.get().is_some()
    }

    /// Returns the framing of the client; frames as long as it is not known.
    pub fn framing(&self) -> Framing {
        self.framing.get().copied().unwrap_or_default()
    }

    /// Sends a frame, now or as soon as the client takes it. Never waits.
    pub fn send(self: &Arc<Self>, frame: Vec<u8>, place: PipelinePermit) {
        let mut state = lock(&self.state);
        self.put(&mut state, frame, place);
    }

    /// Sends a last frame. The connection then counts as closed for its reader.
    pub fn close(self: &Arc<Self>, last: Vec<u8>) {
        let mut state = lock(&self.state);
        if !state.closed {
            self.put(&mut state, last, None);
            state.closed = true;
            self.changed.notify_waiters();
        }
    }

    /// Sends the reply to a subscription; its events may follow from now on.
    pub(super) fn subscribed(self: &Arc<Self>, subscription: u64, reply: Vec<u8>, place: PipelinePermit) {
        let mut state = lock(&self.state);
        self.put(&mut state, reply, place);
        state.subscribed.insert(subscription);
    }

    /// Sends an event. If too much waits already, the subscription gets one `overflow` later instead.
    pub(super) fn event(self: &Arc<Self>, subscription: u64, event: &ChangeEvent) {
        let mut state = lock(&self.state);
        if !state.subscribed.contains(&subscription) {
            return;
        }
        if state.bytes > limits::OUTBOX || state.lost.contains(&subscription) {
            state.lost.insert(subscription);
        } else {
            self.put(&mut state, event_frame(self.framing(), subscription, event), None);
        }
    }

    /// Returns the stream that it writes to.
    pub(super) fn stream(&self) -> &Arc<ClientStream> {
        &self.stream
    }

    /// Returns true if so much waits, over all connections, that a large reply should be refused.
    pub fn is_flooded(&self) -> bool {
        self.outgoing.load(Ordering::Acquire) > limits::OUTGOING
    }

    /// Returns the maximum size of the frame of a job's reply, in bytes. Such a reply is never refused, but shortened
    /// if too much waits already.
    pub fn room(&self) -> usize {
        let waiting = self.outgoing.load(Ordering::Acquire);
        limits::OUTGOING.saturating_sub(waiting).max(limits::BRIEF)
    }

    /// Returns true if another request may be answered, or the connection is broken.
    pub fn is_writable(&self) -> bool {
        lock(&self.state).is_writable()
    }

    /// Returns true if the client is known to take no more replies.
    pub fn is_broken(&self) -> bool {
        lock(&self.state).broken
    }

    /// Returns true if the last frame was added.
    pub fn is_closed(&self) -> bool {
        lock(&self.state).closed
    }

    /// Returns once another request may be read; at once if the connection is broken.
    pub async fn writable(&self) {
        self.until(OutboxState::is_writable).await;
    }

    /// Returns once nothing waits; at once if the connection is broken.
    pub async fn empty(&self) {
        self.until(|state| !state.writing || state.broken).await;
    }

    /// Returns once the last frame was added, or the connection is known to be broken.
    pub async fn closed(&self) {
        self.until(|state| state.closed || state.broken).await;
    }

    /// Returns once the connection is known to be broken.
    pub async fn broken(&self) {
        self.until(|state| state.broken).await;
    }

    async fn until(&self, reached: impl Fn(&OutboxState) -> bool) {
        loop {
            // Registered before checking, so that a change in between is not missed.
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if reached(&lock(&self.state)) {
                return;
            }
            changed.await;
        }
    }

    fn put(self: &Arc<Self>, state: &mut OutboxState, frame: Vec<u8>, place: PipelinePermit) {
        if state.broken || state.closed {
            return;
        }
        let mut written = 0;
        if !state.writing {
            match self.stream.try_write(&frame) {
                Ok(all) if all == frame.len() => return,
                Ok(some) => written = some,
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return self.give_up(state),
            }
        }
        state.bytes += frame.len();
        self.outgoing.fetch_add(frame.len(), Ordering::AcqRel);
        state.waiting.push_back(WaitingFrame { frame, written, _place: place });
        if !state.writing {
            state.writing = true;
            self.runtime.spawn(Arc::clone(self).write_on());
        }
    }

    /// Writes the waiting frames until there are none.
    async fn write_on(self: Arc<Self>) {
        while let Some(mut waiting) = self.next() {
            let written = tokio::select! {
                written = write_out(&self.stream, &mut waiting) => written.is_ok(),
                () = self.too_late() => false,
            };
            let mut state = lock(&self.state);
            state.bytes -= waiting.frame.len();
            self.outgoing.fetch_sub(waiting.frame.len(), Ordering::AcqRel);
            if !written {
                self.give_up(&mut state);
            }
            drop(state);
            self.changed.notify_waiters();
        }
        self.changed.notify_waiters();
    }

    /// Returns when a frame should have been taken: earlier if the daemon is stopping.
    async fn too_late(&self) {
        let parting = async {
            self.stop.parsed().await;
            tokio::time::sleep(Duration::from_millis(limits::PARTING_MS)).await;
        };
        tokio::select! {
            () = parting => {}
            () = tokio::time::sleep(Duration::from_millis(limits::FRAME_MS)) => {}
        }
    }

    fn next(&self) -> Option<WaitingFrame> {
        let mut state = lock(&self.state);
        if let Some(next) = state.waiting.pop_front() {
            return Some(next);
        }
        // The client has caught up and gets the notice that events were lost.
        if let Some(subscription) = state.lost.pop_first() {
            let frame = event_frame(self.framing(), subscription, &ChangeEvent::overflow());
            state.bytes += frame.len();
            self.outgoing.fetch_add(frame.len(), Ordering::AcqRel);
            return Some(WaitingFrame { frame, written: 0, _place: None });
        }
        state.writing = false;
        None
    }

    /// The client is gone or does not read: nothing more is sent.
    fn give_up(&self, state: &mut OutboxState) {
        state.broken = true;
        let dropped: usize = state.waiting.drain(..).map(|waiting| waiting.frame.len()).sum();
        state.bytes -= dropped;
        self.outgoing.fetch_sub(dropped, Ordering::AcqRel);
        state.lost.clear();
        self.changed.notify_waiters();
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        // If the runtime ended under a writing task, its bytes are no longer counted.
        let left = lock(&self.state).bytes;
        self.outgoing.fetch_sub(left, Ordering::AcqRel);
    }
}

async fn write_out(stream: &ClientStream, waiting: &mut WaitingFrame) -> io::Result<()> {
    while let Some(rest) = waiting.frame.get(waiting.written..).filter(|rest| !rest.is_empty()) {
        match stream.write(rest).await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            some => waiting.written += some,
        }
    }
    Ok(())
}
