//! A small blocking client on the codec of the protocol crate. It has no command line and starts nothing.

#[cfg(unix)]
#[path = "client/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "client/windows.rs"]
mod system;

use std::io::{self, Read, Write};
use std::path::Path;

use editd_proto::RequestError;
use editd_proto::codec::{self, FrameReader, Message};
use editd_proto::limits;
use editd_proto::message::{Hello, Welcome, kind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use system::Connection;

/// The reason for a missing reply.
#[derive(Debug)]
pub enum RequestFailure {
    /// The daemon refused.
    Refused(Box<RequestError>),
    /// The connection ended or failed; on Unix also where nothing came for [`crate::wait::LONG`].
    Lost(io::Error),
}

/// One connection that has said hello.
pub struct Client {
    stream: Connection,
    frames: FrameReader,
    last: u64,
    /// The daemon's reply to hello.
    pub welcome: Welcome,
}

impl Client {
    /// Connects and says hello as `session`.
    ///
    /// # Errors
    /// Nobody listens, or the daemon refused or closed the connection.
    pub fn connect(socket: &Path, session: &str) -> Result<Client, RequestFailure> {
        let stream = system::connect(socket).map_err(RequestFailure::Lost)?;
        let (mut stream, mut frames) = (stream, FrameReader::new(limits::FRAME));
        stream.write_all(&hello(limits::PROTOCOLS, Some(session))).map_err(RequestFailure::Lost)?;
        let welcome = body(&receive(&mut stream, &mut frames)?)?;
        Ok(Client { stream, frames, last: 1, welcome })
    }

    /// Sends a request and waits for its reply; events that come before it are dropped.
    ///
    /// # Errors
    /// The daemon refused, or the connection was lost.
    pub fn ask<T: DeserializeOwned>(
        &mut self,
        kind: &str,
        request: &impl Serialize,
    ) -> Result<T, RequestFailure> {
        let id = self.send(kind, request)?;
        loop {
            let message = self.receive()?;
            if message.id() == id {
                return body(&message);
            }
        }
    }

    /// The same with the reply as JSON, and an error as `{"error": …}`.
    ///
    /// # Panics
    /// Where the connection was lost.
    pub fn ask_json(&mut self, kind: &str, request: &impl Serialize) -> Value {
        match self.ask::<Value>(kind, request) {
            Ok(Value::Object(mut reply)) => {
                reply.remove("id");
                reply.remove("kind");
                Value::Object(reply)
            }
            Ok(other) => other,
            Err(RequestFailure::Refused(error)) => serde_json::json!({ "error": error }),
            Err(RequestFailure::Lost(error)) => panic!("the connection was lost: {error}"),
        }
    }

    /// Sends a request; returns its number.
    ///
    /// # Errors
    /// The connection was lost.
    pub fn send(&mut self, kind: &str, request: &impl Serialize) -> Result<u64, RequestFailure> {
        self.last += 1;
        let frame = codec::encode(self.last, kind, request)
            .map_err(|e| RequestFailure::Lost(io::Error::other(e.to_string())))?;
        self.stream.write_all(&frame).map_err(RequestFailure::Lost)?;
        Ok(self.last)
    }

    /// The next message, whatever it is.
    ///
    /// # Errors
    /// The connection was lost.
    pub fn receive(&mut self) -> Result<Message, RequestFailure> {
        receive(&mut self.stream, &mut self.frames)
    }

    /// The bare socket, for tests that break the protocol.
    pub fn stream(&mut self) -> &mut Connection {
        &mut self.stream
    }
}

/// Returns the frame of a hello, as the first message of a connection.
///
/// # Panics
/// If it does not fit a frame.
pub fn hello(protocols: &[u32], session: Option<&str>) -> Vec<u8> {
    let hello = Hello {
        protocol: protocols.to_vec(),
        client: "editd-tests".to_owned(),
        session: session.map(str::to_owned),
        on_stale: None,
        capabilities: Vec::new(),
    };
    codec::encode(1, kind::HELLO, &hello).expect("hello fits")
}

/// Reads the next message from a socket.
///
/// # Errors
/// The connection ended, or what came is no frame.
pub fn receive(stream: &mut Connection, frames: &mut FrameReader) -> Result<Message, RequestFailure> {
    let broken = |e: codec::CodecError| RequestFailure::Lost(io::Error::other(e.to_string()));
    let mut buffer = [0; 8192];
    loop {
        if let Some(frame) = frames.next_frame().map_err(broken)? {
            return Message::parse(frame).map_err(broken);
        }
        match stream.read(&mut buffer) {
            Ok(0) => return Err(RequestFailure::Lost(io::ErrorKind::UnexpectedEof.into())),
            Ok(n) => frames.push(&buffer[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(RequestFailure::Lost(e)),
        }
    }
}

/// A reply's body, or the error that stands in its place.
///
/// # Errors
/// The daemon refused, or the body is not of this type.
pub fn body<T: DeserializeOwned>(message: &Message) -> Result<T, RequestFailure> {
    let broken = |e: codec::CodecError| RequestFailure::Lost(io::Error::other(e.to_string()));
    if message.kind() == kind::ERROR {
        return Err(RequestFailure::Refused(Box::new(message.body().map_err(broken)?)));
    }
    message.body().map_err(broken)
}
