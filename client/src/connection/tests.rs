//! Tests of a connection with a server thread on a real socket that replies correctly, slowly, incorrectly or
//! incompletely.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use editd_proto::codec::{self, FrameReader, Message};
use editd_proto::ids::{JobId, Version};
use editd_proto::message::{
    ChangeEvent, ChangeKind, ClipAction, ClipReply, ClipRequest, Hello, ReadReply, ReadRequest, ServerLimits,
    StopRequest, SubscribeReply, SubscribeRequest, Welcome, kind,
};
use editd_proto::{ErrorCode, FilePath, RequestError, limits};

use super::{CallError, Connection, OPEN, pending};

struct Server {
    _folder: tempfile::TempDir,
    socket: PathBuf,
    thread: JoinHandle<()>,
}

/// The server's side of a connection.
struct Peer {
    stream: UnixStream,
    frames: FrameReader,
}

impl Peer {
    fn hear(&mut self) -> Message {
        loop {
            if let Some(frame) = self.frames.next_frame().unwrap() {
                return Message::parse(frame).unwrap();
            }
            let mut bytes = [0; 4096];
            let count = self.stream.read(&mut bytes).unwrap();
            assert_ne!(count, 0, "the client left");
            self.frames.push(&bytes[..count]);
        }
    }

    fn say(&mut self, id: u64, kind: &str, body: &impl serde::Serialize) {
        self.stream.write_all(&codec::encode(id, kind, body).unwrap()).unwrap();
    }

    fn welcome(&mut self) {
        let hello = self.hear();
        assert_eq!(hello.kind(), kind::HELLO);
        self.say(hello.id(), kind::HELLO, &welcome(1));
    }
}

fn welcome(protocol: u32) -> Welcome {
    let limits = ServerLimits { frame: limits::FRAME as u64, file: 1, files: 1, edits: 1 };
    Welcome { protocol, server: "0".into(), workspace: "/w".into(), session: "s".into(), limits }
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

fn serve(talk: impl FnOnce(Peer) + Send + 'static) -> Server {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let listener = UnixListener::bind(&socket).unwrap();
    let thread = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        talk(Peer { stream, frames: FrameReader::new(limits::FRAME) });
    });
    Server { _folder: folder, socket, thread }
}

impl Server {
    fn open(&self) -> Result<Connection, CallError> {
        Connection::open(&self.socket, &hello())
    }
}

fn show(name: &str) -> ClipRequest {
    ClipRequest { action: ClipAction::Show, name: Some(name.into()), to: None, text: None }
}

fn clip(name: &str) -> ClipReply {
    ClipReply { name: Some(name.into()), ..ClipReply::default() }
}

#[test]
fn replies_find_their_requests_in_any_order() {
    let server = serve(|mut peer| {
        peer.welcome();
        let asked: Vec<Message> = (0..3).map(|_| peer.hear()).collect();
        for message in asked.iter().rev() {
            let request: ClipRequest = message.body().unwrap();
            peer.say(message.id(), kind::CLIP, &clip(&request.name.unwrap()));
        }
    });
    let mut connection = server.open().unwrap();
    let tickets: Vec<_> = ["a", "b", "c"].map(|name| connection.ask(kind::CLIP, &show(name)).unwrap()).into();
    let names: Vec<ClipReply> =
        tickets.into_iter().map(|ticket| connection.answer(ticket).unwrap()).collect();
    assert_eq!(names, [clip("a"), clip("b"), clip("c")]);
    server.thread.join().unwrap();
}

#[test]
fn a_reply_that_comes_byte_by_byte_is_whole_in_the_end() {
    let reply = ReadReply {
        path: "a".into(),
        version: Version("0".into()),
        hash: "h".into(),
        text: None,
        bytes: Some(vec![0, 255, 13, 10]),
        lines: 1,
        first_line: 1,
        encoding: "binary".into(),
        line_ending: "none".into(),
        bom: false,
        size: 4,
        symbol: None,
    };
    let sent = reply.clone();
    let server = serve(move |mut peer| {
        peer.welcome();
        let id = peer.hear().id();
        for byte in codec::encode(id, kind::READ, &sent).unwrap() {
            peer.stream.write_all(&[byte]).unwrap();
        }
    });
    let mut connection = server.open().unwrap();
    let request = ReadRequest {
        path: FilePath::new(b"caf\xe9".to_vec()),
        lines: None,
        seen: None,
        symbol: None,
        body: false,
    };
    assert_eq!(connection.read(&request).unwrap(), reply);
    server.thread.join().unwrap();
}

#[test]
fn a_large_reply_and_a_large_request_pass() {
    let text = "x".repeat(9_000_000);
    let expected = text.clone();
    let server = serve(move |mut peer| {
        peer.welcome();
        let message = peer.hear();
        let request: ClipRequest = message.body().unwrap();
        peer.say(message.id(), kind::CLIP, &ClipReply { text: request.text, ..ClipReply::default() });
    });
    let mut connection = server.open().unwrap();
    let request = ClipRequest { text: Some(text), ..show("a") };
    assert_eq!(connection.clip(&request).unwrap().text, Some(expected));
    server.thread.join().unwrap();
}

#[test]
fn a_refusal_leaves_the_connection_usable() {
    let server = serve(|mut peer| {
        peer.welcome();
        let id = peer.hear().id();
        peer.say(id, kind::ERROR, &RequestError::new(ErrorCode::NoClipboard, "nothing there"));
        let id = peer.hear().id();
        peer.say(id, kind::CLIP, &clip("b"));
    });
    let mut connection = server.open().unwrap();
    match connection.clip(&show("a")) {
        Err(CallError::Refused(error)) => assert_eq!(error.code, ErrorCode::NoClipboard),
        other => panic!("{other:?}"),
    }
    assert_eq!(connection.clip(&show("b")).unwrap(), clip("b"));
    server.thread.join().unwrap();
}

#[test]
fn a_request_that_fits_no_frame_is_not_sent() {
    let server = serve(|mut peer| {
        peer.welcome();
        let id = peer.hear().id();
        peer.say(id, kind::CLIP, &clip("b"));
    });
    let mut connection = server.open().unwrap();
    let request = ClipRequest { text: Some("x".repeat(limits::FRAME)), ..show("a") };
    match connection.clip(&request) {
        Err(CallError::Unsendable(error)) => assert_eq!(error.code, ErrorCode::TooLarge),
        other => panic!("{other:?}"),
    }
    assert_eq!(connection.clip(&show("b")).unwrap(), clip("b"));
    server.thread.join().unwrap();
}

#[test]
fn another_protocol_is_said_and_an_unoffered_one_is_not_believed() {
    let refusing = serve(|mut peer| {
        let id = peer.hear().id();
        peer.say(id, kind::ERROR, &RequestError::new(ErrorCode::Unsupported, "this server speaks 7"));
    });
    match refusing.open() {
        Err(CallError::Refused(error)) => assert_eq!(error.code, ErrorCode::Unsupported),
        other => panic!("{other:?}"),
    }
    refusing.thread.join().unwrap();
    let lying = serve(|mut peer| {
        let id = peer.hear().id();
        peer.say(id, kind::HELLO, &welcome(7));
    });
    assert!(matches!(lying.open(), Err(CallError::Garbled(_))));
    lying.thread.join().unwrap();
}

#[test]
fn a_daemon_that_turns_us_away_is_quoted_even_where_it_did_not_read() {
    let server = serve(|mut peer| {
        peer.say(0, kind::ERROR, &RequestError::new(ErrorCode::Busy, "too many connections"));
    });
    match server.open() {
        Err(CallError::Refused(error)) => assert_eq!(error.code, ErrorCode::Busy),
        other => panic!("{other:?}"),
    }
    server.thread.join().unwrap();
}

#[test]
fn garbage_is_an_error_and_never_more() {
    let garbage: [&[u8]; 6] = [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        &[0xff; 64],
        &[0, 0, 0, 1, 0xc1],
        &[0, 0, 0, 2, 0x93, 0x01],
        &[0, 0, 0, 1, 0x80],
        // A reply to a request that was never sent.
        &[
            0, 0, 0, 15, 0x82, 0xa2, b'i', b'd', 99, 0xa4, b'k', b'i', b'n', b'd', 0xa4, b'r', b'e', b'a',
            b'd',
        ],
    ];
    for bytes in garbage {
        let server = serve(move |mut peer| {
            peer.welcome();
            peer.hear();
            peer.stream.write_all(bytes).unwrap();
        });
        let mut connection = server.open().unwrap();
        let first = connection.status();
        assert!(matches!(first, Err(CallError::Garbled(_) | CallError::Closed)), "{bytes:?}: {first:?}");
        assert!(matches!(connection.status(), Err(CallError::Closed)), "{bytes:?}");
        server.thread.join().unwrap();
    }
}

#[test]
fn a_reply_of_another_kind_is_garbage() {
    let server = serve(|mut peer| {
        peer.welcome();
        let id = peer.hear().id();
        peer.say(id, kind::STOP, &StopRequest {});
    });
    let mut connection = server.open().unwrap();
    assert!(matches!(connection.clip(&show("a")), Err(CallError::Garbled(_))));
    server.thread.join().unwrap();
}

#[test]
fn closing_in_the_middle_of_a_reply_is_closed() {
    for cut in [0, 2, 4, 9] {
        let server = serve(move |mut peer| {
            peer.welcome();
            let id = peer.hear().id();
            let frame = codec::encode(id, kind::CLIP, &clip("a")).unwrap();
            peer.stream.write_all(&frame[..cut]).unwrap();
        });
        let mut connection = server.open().unwrap();
        assert!(matches!(connection.clip(&show("a")), Err(CallError::Closed)), "cut at {cut}");
        server.thread.join().unwrap();
    }
}

#[test]
fn patience_ends_while_a_slow_daemon_dribbles() {
    let (done, wait) = std::sync::mpsc::channel::<()>();
    let server = serve(move |mut peer| {
        peer.welcome();
        let id = peer.hear().id();
        let frame = codec::encode(id, kind::CLIP, &clip("a")).unwrap();
        peer.stream.write_all(&frame[..frame.len() - 1]).unwrap();
        // Keeps the connection open until the client has given up.
        let _ = wait.recv();
    });
    let mut connection = server.open().unwrap();
    connection.set_patience(Some(Duration::from_millis(30)));
    assert!(matches!(connection.clip(&show("a")), Err(CallError::TimedOut)));
    drop(done);
    server.thread.join().unwrap();
}

fn event(change: ChangeKind, number: u64) -> ChangeEvent {
    ChangeEvent { entry: Some(JobId(number)), ..ChangeEvent::without_path(change) }
}

#[test]
fn events_wait_while_a_reply_is_awaited_and_come_in_order() {
    let server = serve(|mut peer| {
        peer.welcome();
        let id = peer.hear().id();
        peer.say(id, kind::SUBSCRIBE, &SubscribeReply { folders: 1 });
        let asked = peer.hear().id();
        peer.say(id, kind::EVENT, &event(ChangeKind::Changed, 1));
        peer.say(id, kind::EVENT, &event(ChangeKind::Removed, 2));
        peer.say(asked, kind::CLIP, &clip("a"));
        peer.say(id, kind::EVENT, &event(ChangeKind::Created, 3));
    });
    let mut connection = server.open().unwrap();
    assert_eq!(connection.subscribe(&SubscribeRequest::default()).unwrap().folders, 1);
    assert_eq!(connection.clip(&show("a")).unwrap(), clip("a"));
    for (change, number) in [(ChangeKind::Changed, 1), (ChangeKind::Removed, 2), (ChangeKind::Created, 3)] {
        assert_eq!(connection.next_event().unwrap(), event(change, number));
    }
    assert!(matches!(connection.next_event(), Err(CallError::Closed)));
    server.thread.join().unwrap();
}

#[test]
fn events_that_nobody_takes_end_in_one_overflow() {
    let server = serve(|mut peer| {
        peer.welcome();
        let asked = peer.hear().id();
        for number in 0..pending::EVENTS as u64 * 2 {
            peer.say(9, kind::EVENT, &event(ChangeKind::Changed, number));
        }
        peer.say(asked, kind::CLIP, &clip("a"));
    });
    let mut connection = server.open().unwrap();
    connection.clip(&show("a")).unwrap();
    for number in 0..pending::EVENTS as u64 - 1 {
        assert_eq!(connection.next_event().unwrap(), event(ChangeKind::Changed, number));
    }
    assert_eq!(connection.next_event().unwrap().change, ChangeKind::Overflow);
    assert!(matches!(connection.next_event(), Err(CallError::Closed)));
    server.thread.join().unwrap();
}

#[test]
fn open_requests_have_a_limit() {
    let server = serve(|mut peer| {
        peer.welcome();
        for _ in 0..=OPEN {
            let id = peer.hear().id();
            peer.say(id, kind::CLIP, &clip("a"));
        }
    });
    let mut connection = server.open().unwrap();
    let mut tickets = Vec::new();
    for _ in 0..OPEN {
        tickets.push(connection.ask::<ClipReply>(kind::CLIP, &show("a")).unwrap());
    }
    let beyond = connection.ask::<ClipReply>(kind::CLIP, &show("a"));
    assert!(matches!(beyond, Err(CallError::TooManyOpen)));
    connection.answer(tickets.pop().unwrap()).unwrap();
    connection.clip(&show("a")).unwrap();
    server.thread.join().unwrap();
}

#[test]
fn nobody_there_is_an_error_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Connection::open(&folder.path().join("s"), &hello());
    assert!(matches!(missing, Err(CallError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound));
    drop(UnixListener::bind(folder.path().join("dead")).unwrap());
    let dead = Connection::open(&folder.path().join("dead"), &hello());
    assert!(
        matches!(dead, Err(CallError::Io(error)) if error.kind() == std::io::ErrorKind::ConnectionRefused)
    );
}
