//! The protocol state of one connection: `hello` first, within its time, then requests. Pure: it gets frames and
//! times and returns the next steps; it reads no socket and no clock.

use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::codec::{CodecError, Message, negotiate};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::limits;
use editd_proto::message::{Hello, OnStale, ServerLimits, Welcome, kind};

use crate::caller::Caller;
use crate::limits::{FRAME_MS, HELLO_MS};

/// The protocol state of a connection.
#[derive(Debug)]
pub struct ProtocolSession {
    opened: Duration,
    /// The time at which the incomplete frame began.
    begun: Option<Duration>,
    greeted: bool,
}

/// An accepted session.
#[derive(Debug)]
pub struct Greeting {
    /// The number of the request; `welcome` is its reply.
    pub id: u64,
    /// The session and the client.
    pub caller: Caller,
    /// The default of its jobs for stale files.
    pub on_stale: Option<OnStale>,
    /// The reply.
    pub welcome: Box<Welcome>,
}

impl ProtocolSession {
    /// Returns the state of a new connection.
    pub fn new(now: Duration) -> Self {
        Self { opened: now, begun: None, greeted: false }
    }

    /// Returns the most bytes that a frame may have now.
    pub fn frame_limit(&self) -> usize {
        if self.greeted { limits::FRAME } else { limits::FRAME_BEFORE_HELLO }
    }

    /// Notes that more bytes must arrive. `mid_frame`: a frame is incomplete; `another`: it is not the same one as
    /// the last time.
    pub fn waits(&mut self, now: Duration, another: bool, mid_frame: bool) {
        if !mid_frame {
            self.begun = None;
        } else if another || self.begun.is_none() {
            self.begun = Some(now);
        }
    }

    /// Returns the time at which the connection is given up unless more arrives; `None`: never.
    pub fn deadline(&self) -> Option<Duration> {
        let frame = self.begun.map(|begun| begun + Duration::from_millis(FRAME_MS));
        let hello = (!self.greeted).then(|| self.opened + Duration::from_millis(HELLO_MS));
        match (frame, hello) {
            (Some(frame), Some(hello)) => Some(frame.min(hello)),
            (one, other) => one.or(other),
        }
    }

    /// Returns the error for a connection that was given up.
    pub fn late(&self) -> Refusal {
        let message = if self.greeted {
            format!(
                "the frame was not complete within {} s; connect again and send it at once",
                FRAME_MS / 1000
            )
        } else {
            format!("no `hello` within {} s; connect again and send `hello` first", HELLO_MS / 1000)
        };
        Box::new(RequestError::new(ErrorCode::Io, message))
    }

    /// Handles the first message. `fresh` returns a name for a session that has none.
    ///
    /// # Errors
    /// The session is refused; the reply is an error to the request with this number (0 if it could not be read), and
    /// the connection closes.
    pub fn greet(
        &mut self,
        message: Result<Message, CodecError>,
        workspace: &str,
        fresh: impl FnOnce() -> String,
    ) -> Result<Greeting, (u64, Refusal)> {
        let message = message.map_err(|error| (0, boxed(&error)))?;
        let id = message.id();
        if message.kind() != kind::HELLO {
            let word = "the first request must be `hello`; connect again and send it first";
            return Err((id, Box::new(RequestError::new(ErrorCode::Malformed, word))));
        }
        let hello: Hello = message.body().map_err(|error| (id, boxed(&error)))?;
        let protocol = negotiate(&hello).map_err(|error| (id, error))?;
        self.greeted = true;
        let session = hello.session.unwrap_or_else(fresh);
        let welcome = Box::new(Welcome {
            protocol,
            server: env!("CARGO_PKG_VERSION").to_owned(),
            workspace: workspace.to_owned(),
            session: session.clone(),
            limits: ServerLimits {
                frame: limits::FRAME as u64,
                file: limits::FILE as u64,
                files: limits::FILES as u64,
                edits: limits::EDITS as u64,
            },
        });
        let caller = Caller::of_session(&session, &hello.client);
        Ok(Greeting { id, caller, on_stale: hello.on_stale, welcome })
    }
}

/// Converts a codec error to one that can be sent.
pub(super) fn boxed(error: &CodecError) -> Refusal {
    Box::new(RequestError::from(error))
}

#[cfg(test)]
#[expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use editd_proto::codec::{Frame, encode};

    const fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn parsed(bytes: &[u8]) -> Result<Message, CodecError> {
        Message::parse(Frame::from_bytes(bytes.to_vec()))
    }

    fn frame<T: serde::Serialize>(id: u64, kind: &str, body: &T) -> Result<Message, CodecError> {
        parsed(&encode(id, kind, body).unwrap().split_off(limits::FRAME_HEADER))
    }

    fn hello() -> Hello {
        Hello {
            protocol: vec![1],
            client: "test".into(),
            session: None,
            on_stale: None,
            capabilities: Vec::new(),
        }
    }

    fn refused(message: Result<Message, CodecError>) -> (u64, ErrorCode) {
        let mut session = ProtocolSession::new(at(0));
        match session.greet(message, "/w", || "fresh".into()) {
            Err((id, error)) => {
                assert_eq!(session.frame_limit(), limits::FRAME_BEFORE_HELLO);
                (id, error.code)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hello_says_what_the_jobs_of_the_session_do_about_stale_files() {
        let hello = Hello { on_stale: Some(OnStale::Rebase), ..hello() };
        match ProtocolSession::new(at(0)).greet(frame(7, kind::HELLO, &hello), "/w", || "fresh".into()) {
            Ok(Greeting { on_stale, .. }) => assert_eq!(on_stale, Some(OnStale::Rebase)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hello_names_the_session_and_raises_the_limit() {
        let mut session = ProtocolSession::new(at(0));
        assert_eq!(session.frame_limit(), limits::FRAME_BEFORE_HELLO);
        match session.greet(frame(7, kind::HELLO, &hello()), "/w", || "fresh".into()) {
            Ok(Greeting { id, caller, on_stale, welcome }) => {
                assert_eq!(on_stale, None);
                assert_eq!((id, caller.session.as_str(), caller.client.as_str()), (7, "fresh", "test"));
                assert_eq!((welcome.protocol, welcome.session.as_str()), (1, "fresh"));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(session.frame_limit(), limits::FRAME);
        assert_eq!(session.deadline(), None, "who was greeted may be silent");
    }

    #[test]
    fn anything_else_first_is_refused() {
        assert_eq!(refused(frame(3, kind::STATUS, &hello())), (3, ErrorCode::Malformed));
        assert_eq!(refused(parsed(b"GET / HTTP/1.1")), (0, ErrorCode::Malformed));
        assert_eq!(refused(parsed(b"")), (0, ErrorCode::Malformed));
        let versions = Hello { protocol: vec![99], ..hello() };
        assert_eq!(refused(frame(4, kind::HELLO, &versions)), (4, ErrorCode::Unsupported));
        let nameless = Hello { client: String::new(), ..hello() };
        assert_eq!(refused(frame(5, kind::HELLO, &nameless)), (5, ErrorCode::Malformed));
    }

    #[test]
    fn hello_and_every_frame_have_their_time() {
        let mut session = ProtocolSession::new(at(5));
        assert_eq!(session.deadline(), Some(at(5 + HELLO_MS)));
        session.waits(at(6), false, true);
        assert_eq!(session.deadline(), Some(at(5 + HELLO_MS)), "a trickle of bytes buys no time");
        let _ = session.greet(frame(1, kind::HELLO, &hello()), "/w", || "fresh".into());
        session.waits(at(7), true, true);
        assert_eq!(session.deadline(), Some(at(7 + FRAME_MS)));
        session.waits(at(100), false, true);
        assert_eq!(session.deadline(), Some(at(7 + FRAME_MS)));
        session.waits(at(200), true, true);
        assert_eq!(session.deadline(), Some(at(200 + FRAME_MS)), "the next frame's time is its own");
        session.waits(at(300), true, false);
        assert_eq!(session.deadline(), None);
    }
}
