//! A connection to a daemon: hello, requests with ids, replies in any order, and events. Never starts a daemon and
//! never sends a request twice.
//!
//! *Invariants*: nothing is sent to a process of another user; invalid data from a daemon results in an error; memory
//! is bounded by [`OPEN`] replies and a fixed number of events.

mod error;
mod pending;
#[cfg(windows)]
mod pipe;
mod requests;
#[cfg(all(test, unix))]
mod tests;

use std::io::{ErrorKind, Read, Write};
use std::marker::PhantomData;
use std::path::Path;
use std::time::Duration;

use editd_proto::codec::{self, FrameReader, Message};
use editd_proto::message::{ChangeEvent, Hello, Welcome, kind};
use editd_proto::{RequestError, limits};
#[cfg(unix)]
use interprocess::local_socket::prelude::*;
#[cfg(unix)]
use interprocess::local_socket::{GenericFilePath, Stream};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::machine;
pub use error::CallError;
use pending::PendingCalls;
#[cfg(windows)]
use pipe::PipeStream as Stream;

/// The time limit for the reply to `hello`.
pub const HELLO_PATIENCE: Duration = Duration::from_secs(10);

/// Maximum number of open requests. The daemon reads no more than these either.
pub const OPEN: usize = 64;

/// Maximum number of bytes per read from the socket.
const CHUNK: usize = 64 * 1024;

/// A sent request. It can be exchanged for the reply once.
#[must_use = "a reply that is not collected keeps its place among the open requests"]
#[derive(Debug)]
pub struct CallTicket<R> {
    id: u64,
    reply: PhantomData<fn() -> R>,
}

/// An open connection, after `hello`.
///
/// After any error except [`CallError::Refused`], [`CallError::Unsendable`] and [`CallError::TooManyOpen`] it is
/// unusable: every later call returns [`CallError::Closed`].
///
/// # Examples
/// Several requests at once on one connection:
///
/// ```no_run
/// use editctl::{CallError, Connection};
/// use editd_proto::message::{ReadReply, ReadRequest, kind};
///
/// fn sizes(connection: &mut Connection, paths: &[&str]) -> Result<Vec<u64>, CallError> {
///     let mut tickets = Vec::new();
///     for path in paths {
///         let path = (*path).into();
///         let request = ReadRequest { path, lines: None, symbol: None, body: false, seen: None };
///         tickets.push(connection.ask::<ReadReply>(kind::READ, &request)?);
///     }
///     tickets.into_iter().map(|ticket| connection.answer(ticket).map(|reply| reply.size)).collect()
/// }
/// ```
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    frames: FrameReader,
    buffer: Box<[u8]>,
    pending: PendingCalls,
    welcome: Option<Welcome>,
    patience: Option<Duration>,
    last_id: u64,
    broken: bool,
}

impl Connection {
    /// Connects to a socket (on Windows: a pipe) and says hello.
    ///
    /// # Errors
    /// [`CallError::Io`] if nothing listens; [`CallError::Stranger`] if the listener belongs to another user;
    /// [`CallError::Refused`] if it does not support the protocol; [`CallError::TimedOut`] after [`HELLO_PATIENCE`];
    /// otherwise as for a request.
    pub fn open(socket: &Path, hello: &Hello) -> Result<Self, CallError> {
        let stream = connect(socket).map_err(CallError::Io)?;
        if !same_user(&stream, socket) {
            return Err(CallError::Stranger);
        }
        let mut connection = Self {
            stream,
            frames: FrameReader::new(limits::FRAME),
            buffer: vec![0; CHUNK].into_boxed_slice(),
            pending: PendingCalls::default(),
            welcome: None,
            patience: Some(HELLO_PATIENCE),
            last_id: 0,
            broken: false,
        };
        let welcome: Welcome = connection.call(kind::HELLO, hello)?;
        if !hello.protocol.contains(&welcome.protocol) {
            let chosen = welcome.protocol;
            return Err(CallError::Garbled(format!("it chose protocol {chosen}, which was not offered")));
        }
        connection.welcome = Some(welcome);
        connection.patience = None;
        Ok(connection)
    }

    /// Returns the daemon's reply to `hello`.
    pub fn welcome(&self) -> Option<&Welcome> {
        self.welcome.as_ref()
    }

    /// Sets the time limit for each later wait for a reply or an event. `None`, the initial value, means no limit.
    pub fn set_patience(&mut self, patience: Option<Duration>) {
        self.patience = patience;
    }

    /// Sends a request. Several may be open; get their replies with [`Connection::answer`].
    ///
    /// # Errors
    /// [`CallError::TooManyOpen`] if [`OPEN`] replies were not taken; [`CallError::Unsendable`] if the body does not
    /// fit into a frame; [`CallError::Closed`] and others if the connection is lost.
    pub fn ask<R: DeserializeOwned>(
        &mut self,
        kind: &'static str,
        body: &impl Serialize,
    ) -> Result<CallTicket<R>, CallError> {
        if self.broken {
            return Err(CallError::Closed);
        }
        if self.pending.open() >= OPEN {
            return Err(CallError::TooManyOpen);
        }
        let id = self.last_id + 1;
        let frame =
            codec::encode(id, kind, body).map_err(|error| CallError::Unsendable(Box::new(error.into())))?;
        self.last_id = id;
        self.pending.expect(id, kind);
        match (&self.stream).write_all(&frame) {
            Ok(()) => Ok(CallTicket { id, reply: PhantomData }),
            Err(error) => Err(self.why_unsent(error)),
        }
    }

    /// Waits for the reply to a request. Replies to other requests are kept.
    ///
    /// # Errors
    /// [`CallError::Refused`] if the daemon replied with an error; [`CallError::TimedOut`], [`CallError::Closed`],
    /// [`CallError::Garbled`] or [`CallError::Io`] if there is no reply.
    pub fn answer<R: DeserializeOwned>(&mut self, ticket: CallTicket<R>) -> Result<R, CallError> {
        let end = self.patience.map(|patience| machine::tick() + patience);
        loop {
            if let Some(message) = self.pending.take(ticket.id) {
                return decode(&message);
            }
            self.receive(end)?;
        }
    }

    /// Sends a request and waits for its reply.
    ///
    /// # Errors
    /// Those of [`Connection::ask`] and [`Connection::answer`].
    pub fn call<R: DeserializeOwned>(
        &mut self,
        kind: &'static str,
        body: &impl Serialize,
    ) -> Result<R, CallError> {
        let ticket = self.ask(kind, body)?;
        self.answer(ticket)
    }

    /// Waits for the next event of any subscription.
    ///
    /// # Errors
    /// Those of [`Connection::answer`], without `Refused`.
    pub fn next_event(&mut self) -> Result<ChangeEvent, CallError> {
        let end = self.patience.map(|patience| machine::tick() + patience);
        loop {
            if let Some(event) = self.pending.next_event() {
                return Ok(event);
            }
            self.receive(end)?;
        }
    }

    /// Waits until the daemon closes the connection. After `stop` this happens when its process has ended.
    ///
    /// # Errors
    /// [`CallError::TimedOut`], after which it may be called again; others if the connection failed.
    pub fn until_closed(&mut self) -> Result<(), CallError> {
        let end = self.patience.map(|patience| machine::tick() + patience);
        while !self.broken {
            match self.next_message(end).and_then(|message| self.pending.arrived(message)) {
                Ok(()) => {}
                Err(CallError::TimedOut) => return Err(CallError::TimedOut),
                Err(CallError::Closed) => self.broken = true,
                Err(other) => {
                    self.broken = true;
                    return Err(other);
                }
            }
        }
        Ok(())
    }

    /// Receives a message and stores it as a reply or an event.
    fn receive(&mut self, end: Option<std::time::Instant>) -> Result<(), CallError> {
        if self.broken {
            return Err(CallError::Closed);
        }
        let taken = self.next_message(end).and_then(|message| self.pending.arrived(message));
        self.broken = taken.is_err();
        taken
    }

    fn next_message(&mut self, end: Option<std::time::Instant>) -> Result<Message, CallError> {
        let garbled = |error: codec::CodecError| CallError::Garbled(error.to_string());
        loop {
            if let Some(frame) = self.frames.next_frame().map_err(garbled)? {
                return Message::parse(frame).map_err(garbled);
            }
            let left = end.map(|end| end.saturating_duration_since(machine::tick()));
            if left.is_some_and(|left| left.is_zero()) {
                return Err(CallError::TimedOut);
            }
            // If it cannot be set, the wait ends with the connection.
            let _ = self.stream.set_recv_timeout(left);
            match (&self.stream).read(&mut self.buffer) {
                Ok(0) => return Err(CallError::Closed),
                Ok(count) => self.frames.push(self.buffer.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Err(CallError::Closed),
                Err(error) => return Err(CallError::Io(error)),
            }
        }
    }

    /// Returns the reason of a failed write. A daemon that rejects a client sends an error and closes, possibly before
    /// it has read the request.
    fn why_unsent(&mut self, error: std::io::Error) -> CallError {
        let end = Some(machine::tick() + HELLO_PATIENCE);
        while !self.broken {
            if let Err(refused @ CallError::Refused(_)) = self.receive(end) {
                return refused;
            }
        }
        match error.kind() {
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::NotConnected => CallError::Closed,
            _ => CallError::Io(error),
        }
    }
}

fn body<T: DeserializeOwned>(message: &Message) -> Result<T, CallError> {
    message.placed_body().map_err(|error| CallError::Garbled(error.to_string()))
}

fn decode<R: DeserializeOwned>(message: &Message) -> Result<R, CallError> {
    if message.kind() == kind::ERROR {
        return Err(CallError::Refused(Box::new(body::<RequestError>(message)?)));
    }
    body(message)
}

#[cfg(unix)]
fn connect(socket: &Path) -> std::io::Result<Stream> {
    Stream::connect(socket.to_fs_name::<GenericFilePath>()?)
}

#[cfg(windows)]
fn connect(pipe: &Path) -> std::io::Result<Stream> {
    Stream::connect(pipe)
}

#[cfg(unix)]
fn same_user(stream: &Stream, socket: &Path) -> bool {
    match stream.peer_creds() {
        Ok(listener) => listener.euid() == Some(rustix::process::geteuid().as_raw()),
        // The system reports no user id for a process in another namespace. The socket must then be one that only this
        // user can have created.
        Err(_) => machine::is_own_socket(socket, rustix::process::geteuid().as_raw()),
    }
}

#[cfg(windows)]
fn same_user(stream: &Stream, _: &Path) -> bool {
    stream.is_own()
}
