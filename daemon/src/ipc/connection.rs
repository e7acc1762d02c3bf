//! One connection, from its first byte to its last. It reads frames or lines and passes them on; other modules carry out
//! the requests.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::codec::{ClientReader, CodecError, Frame, Framing};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::message::kind;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::ClientStream;
use super::inbox::{ClientSession, ReceivedFrame};
use super::outbox::Outbox;
use super::places::OpenPlace;
use super::server::Server;
use super::session::{Greeting, ProtocolSession, boxed};
use super::threads::WorkingThread;
use crate::caller::{Caller, RequestOwner};
use crate::limits;
use crate::queue::activity::ActivityGuard;
use crate::queue::reply;

/// The reason why reading ends.
enum ConnectionEnd {
    /// The client sends nothing more, is gone, or was sent the last frame.
    Quiet,
    /// The daemon stops: requests that were read are answered, and the others are not carried out.
    Stopping,
    /// The connection is refused with this error, in reply to this request.
    Refused(u64, Refusal),
}

/// A request that was passed on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PassedRequest {
    /// Its frame is counted in the limits of all requests.
    Counted,
    /// Its frame is not counted, since it is refused.
    Uncounted,
}

/// Exists as long as a connection is open: counts it as activity, and keeps the server from ending.
pub(super) struct OpenGuard {
    pub(super) _busy: ActivityGuard,
    pub(super) _ended: mpsc::Sender<Infallible>,
}

struct ConnectionReader {
    server: Arc<Server>,
    stream: Arc<ClientStream>,
    place: OpenPlace,
    outbox: Arc<Outbox>,
    session: ProtocolSession,
    frames: ClientReader,
    /// Held while a large frame arrives, from its [`limits::LARGE`]th byte on: the size in its header takes no memory.
    large: Option<OwnedSemaphorePermit>,
    /// True if a frame was taken since the last wait.
    another: bool,
    _open: OpenGuard,
}

/// Serves a connection until it ends. `open` is dropped then.
pub(super) async fn converse(server: Arc<Server>, stream: ClientStream, place: OpenPlace, open: OpenGuard) {
    let stream = Arc::new(stream);
    let (outgoing, stop) = (Arc::clone(&server.connections.outgoing), Arc::clone(&server.stop));
    let outbox = Outbox::new(Arc::clone(&stream), server.runtime.clone(), outgoing, stop);
    let outbox = Arc::new(outbox);
    let session = ProtocolSession::new(server.clock.monotonic());
    let frames = ClientReader::new(session.frame_limit());
    let mut reader = ConnectionReader {
        server,
        stream,
        place,
        outbox,
        session,
        frames,
        large: None,
        another: false,
        _open: open,
    };
    let pipeline = Arc::new(Semaphore::new(limits::PIPELINE));
    match reader.greet().await {
        Ok(client) => reader.requests(client, pipeline, None).await,
        Err(end) => reader.part(end, &pipeline).await,
    }
}

impl ConnectionReader {
    /// Reads `hello` and answers it.
    async fn greet(&mut self) -> Result<Arc<ClientSession>, ConnectionEnd> {
        let frame = self.frame().await?;
        let server = Arc::clone(&self.server);
        let Greeting { id, caller, on_stale, welcome } = self
            .session
            .greet(self.outbox.framing().parse(frame), &server.info.workspace, || server.fresh_session())
            .map_err(|(id, error)| ConnectionEnd::Refused(id, error))?;
        if let Err(refusal) = server.workspace.root_present()
            && refusal.code == ErrorCode::Stopping
        {
            tracing::warn!("{}", refusal.message);
            server.stop.ask_once();
            return Err(ConnectionEnd::Refused(id, refusal));
        }
        if !self.place.greeted(&caller.session) {
            return Err(ConnectionEnd::Refused(id, too_many_of(&caller.session)));
        }
        self.frames.set_limit(self.session.frame_limit());
        let owner = RequestOwner::new(self.place.number(), &caller.session, self.place.process());
        let caller = Caller { owner, ..caller };
        let client = ClientSession::new(server, (caller, on_stale), Arc::clone(&self.outbox));
        self.outbox.send(self.outbox.framing().reply(id, kind::HELLO, &welcome), None);
        Ok(client)
    }

    /// Passes requests on until there are no more, and ends the connection. `before` is the request that was passed on
    /// before, if there was one.
    ///
    /// A thread that is to answer a request itself leaves the rest of the connection to another task.
    fn requests(
        mut self,
        client: Arc<ClientSession>,
        pipeline: Arc<Semaphore>,
        mut before: Option<PassedRequest>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            let end = loop {
                if let Some(passed) = before.take() {
                    self.rest(passed, &pipeline).await;
                }
                let (passed, here) = match self.request(&client, &pipeline).await {
                    Ok(passed) => passed,
                    Err(end) => break end,
                };
                before = Some(passed);
                if let Some(here) = here {
                    let runtime = self.server.runtime.clone();
                    drop(runtime.spawn(self.requests(Arc::clone(&client), pipeline, before)));
                    tokio::task::block_in_place(|| client.drain());
                    drop(here);
                    return;
                }
            };
            client.leave();
            self.part(end, &pipeline).await;
        })
    }

    /// Waits until another request may be read.
    async fn rest(&self, passed: PassedRequest, pipeline: &Semaphore) {
        if passed == PassedRequest::Uncounted {
            // Nothing more is read until every request of the connection is answered.
            let all = u32::try_from(limits::PIPELINE).unwrap_or(u32::MAX);
            drop(pipeline.acquire_many(all).await);
        }
        self.outbox.writable().await;
    }

    /// Passes the next request on. If it returns a permit, the calling thread must take the connection's frames.
    async fn request(
        &mut self,
        client: &Arc<ClientSession>,
        pipeline: &Arc<Semaphore>,
    ) -> Result<(PassedRequest, Option<WorkingThread>), ConnectionEnd> {
        let frame = self.frame().await?;
        let arrived = self.server.clock.monotonic();
        if !self.place.used() {
            return Err(ConnectionEnd::Refused(0, evicted()));
        }
        let place = Arc::clone(pipeline).acquire_owned().await.map_err(|_| ConnectionEnd::Quiet)?;
        let pass = self.server.gate.request(&client.caller.owner, frame.as_bytes().len());
        let passed = if pass.is_ok() { PassedRequest::Counted } else { PassedRequest::Uncounted };
        let here = client.arrive(ReceivedFrame { frame, arrived, place, pass });
        self.large = None;
        Ok((passed, here))
    }

    /// Returns the next frame.
    async fn frame(&mut self) -> Result<Frame, ConnectionEnd> {
        loop {
            match self.frames.next_frame() {
                Err(error) => return Err(ConnectionEnd::Refused(0, boxed(&error))),
                Ok(Some(frame)) => {
                    self.another = true;
                    return Ok(frame);
                }
                Ok(None) => {}
            }
            let now = self.server.clock.monotonic();
            self.session.waits(now, std::mem::take(&mut self.another), self.frames.is_mid_frame());
            let stalled = self.large.as_ref().map(|_| now + Duration::from_millis(limits::LARGE_MS));
            let deadline = self.session.deadline().into_iter().chain(stalled).min();
            let late = async {
                match deadline {
                    Some(at) => tokio::time::sleep(at.saturating_sub(now)).await,
                    None => std::future::pending().await,
                }
            };
            let more = async {
                if self.large.is_none() && self.frames.arrived() >= limits::LARGE {
                    self.large = Arc::clone(&self.server.connections.large).acquire_owned().await.ok();
                }
                self.stream.read(&mut self.frames).await
            };
            tokio::select! {
                // Bytes that have arrived are taken before the deadline is checked: if the daemon itself was delayed,
                // the client is not late. A place that another client needs is given up although bytes arrive.
                biased;
                () = self.server.stop.parsed() => return Err(ConnectionEnd::Stopping),
                () = self.outbox.closed() => return Err(ConnectionEnd::Quiet),
                () = self.place.evicted() => return Err(ConnectionEnd::Refused(0, evicted())),
                read = more => match read {
                    Ok(0) if self.ends_in_a_line() => return Err(ConnectionEnd::Refused(0, unended_line())),
                    Ok(0) | Err(_) => return Err(ConnectionEnd::Quiet),
                    Ok(_) => self.frames.framing().into_iter().for_each(|it| self.outbox.note_framing(it)),
                },
                () = late => return Err(ConnectionEnd::Refused(0, self.session.late())),
            }
        }
    }

    /// Returns true if the end of the stream truncates a line: a script has forgotten the last line feed. (A truncated
    /// frame is the end of a client that was killed.)
    fn ends_in_a_line(&self) -> bool {
        self.frames.framing() == Some(Framing::Lines) && self.frames.is_mid_frame()
    }

    /// Finishes running requests, sends the last frame, and closes.
    async fn part(self, end: ConnectionEnd, pipeline: &Semaphore) {
        let Self { server, stream, place, outbox, mut frames, .. } = self;
        let (mut place, mut permit) = (Some(place), None);
        let all = u32::try_from(limits::PIPELINE).unwrap_or(u32::MAX);
        tokio::select! {
            _ = pipeline.acquire_many(all) => {}
            () = outbox.broken() => return,
        }
        let refused = matches!(end, ConnectionEnd::Refused(..));
        let kept = server.keeps(&stream);
        if !outbox.knows_framing() && !matches!(end, ConnectionEnd::Quiet) {
            // It has sent nothing yet, and does not take a place from others while it is waited for.
            place = None;
            permit = Arc::clone(&server.connections.lingering).try_acquire_owned().ok();
            if permit.is_some() {
                outbox.note_framing(first_framing(&stream).await);
            }
        }
        match end {
            ConnectionEnd::Refused(id, refusal) => {
                tracing::debug!(code = ?refusal.code, "connection refused");
                outbox.close(outbox.framing().encode_error(id, &refusal));
            }
            ConnectionEnd::Stopping if !kept => {
                outbox.close(outbox.framing().encode_error(0, &reply::stopping()));
            }
            ConnectionEnd::Stopping | ConnectionEnd::Quiet => {}
        }
        outbox.empty().await;
        if kept {
            return;
        }
        stream.end();
        drop(place);
        if refused {
            let permit =
                permit.or_else(|| Arc::clone(&server.connections.lingering).try_acquire_owned().ok());
            linger(permit, &stream, &mut frames).await;
        }
    }
}

/// Returns the error for a connection whose place another one needs.
fn evicted() -> Refusal {
    let message = "this connection had sent no request, and another client needed its place; connect again and send a \
                   request at once";
    Box::new(RequestError::new(ErrorCode::Busy, message))
}

/// Returns the error for a session that has its share of the connections.
fn too_many_of(session: &str) -> Refusal {
    let most = limits::CONNECTIONS_SHARE;
    let message = format!(
        "session {session:?} has {most} connections open, the limit for one session; close one, or try again in a moment"
    );
    Box::new(RequestError::new(ErrorCode::Busy, message))
}

/// Returns the error for a line that the end of the connection truncates.
fn unended_line() -> Refusal {
    boxed(&CodecError::body("the connection ends inside a line; end each message with a line feed"))
}

/// Returns the framing of a client that has sent nothing yet, by its first byte. Waits for it for a short time only.
async fn first_framing(stream: &ClientStream) -> Framing {
    let mut first = ClientReader::new(0);
    let time = Duration::from_millis(limits::FRAMING_MS);
    // Who sends nothing gets a frame.
    let _ = tokio::time::timeout(time, stream.read(&mut first)).await;
    first.framing().unwrap_or_default()
}

/// Refuses a connection with an error, in the framing of the client if it sends something within a short time. With a
/// permit, the connection is read until the client has taken the error; without one, the error is a frame.
pub(super) async fn turn_away(
    stream: ClientStream,
    refusal: Refusal,
    lingering: Option<OwnedSemaphorePermit>,
) {
    let framing = match lingering {
        Some(_) => first_framing(&stream).await,
        None => Framing::default(),
    };
    let frame = framing.encode_error(0, &refusal);
    let time = Duration::from_millis(limits::LINGER_MS);
    // A fresh connection takes a short frame whole; if this one does not, nothing is lost.
    let _ = tokio::time::timeout(time, stream.write(&frame)).await;
    stream.end();
    linger(lingering, &stream, &mut ClientReader::new(0)).await;
}

/// Reads and drops the bytes that the client was just sending: if the connection were closed at once, the client's
/// write would fail before it has read the error. Does nothing without a permit.
async fn linger(permit: Option<OwnedSemaphorePermit>, stream: &ClientStream, frames: &mut ClientReader) {
    let Some(_permit) = permit else { return };
    let taking = async {
        for _ in 0..limits::LARGE / 1024 {
            *frames = ClientReader::new(0);
            if !matches!(stream.read(frames).await, Ok(1..)) {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(Duration::from_millis(limits::LINGER_MS), taking).await;
}
