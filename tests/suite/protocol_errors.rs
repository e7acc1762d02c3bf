//! Promise 9 against a real process: whatever a client sends or leaves undone, it gets a typed error or a closed
//! connection, and the daemon and its other clients are unharmed. The refusals of the codec are tested
//! beside it.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use editd_proto::ErrorCode;
use editd_proto::codec::{self, FrameReader};
use editd_proto::limits;
use editd_proto::message::{ReadReply, kind};
use editd_tests::client::{Client, RequestFailure, body, hello, receive};
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, process, wait};
use serde_json::{Value, json};

/// Memory that a daemon may have gained once a hostile client is gone, KiB: less than one frame.
const GAIN: u64 = 12 * 1024;

/// Returns a workspace with a file, and a client that is already connected.
fn served() -> (TestDaemon, Client) {
    let daemon = TestDaemon::new();
    daemon.put("a.txt", "one\n");
    let mut daemon = daemon;
    daemon.start();
    let client = daemon.client("well-behaved");
    (daemon, client)
}

/// The client that was there before, and a new one, are served as ever.
#[track_caller]
fn unharmed(daemon: &TestDaemon, before: &mut Client) {
    for client in [before, &mut daemon.client("another")] {
        let read: ReadReply = client.ask(kind::READ, &json!({"path": "a.txt"})).unwrap();
        assert_eq!(read.text.as_deref(), Some("one\n"));
    }
}

fn stranger(daemon: &TestDaemon) -> UnixStream {
    let stream = UnixStream::connect(daemon.socket()).unwrap();
    stream.set_read_timeout(Some(wait::LONG)).unwrap();
    stream
}

/// Returns the error that an unknown client receives before the connection is closed; `None` if it is closed without
/// a reply.
fn told(stream: &mut UnixStream) -> Option<ErrorCode> {
    let mut frames = FrameReader::new(limits::FRAME);
    let code = match receive(stream, &mut frames) {
        Ok(message) => match body::<Value>(&message) {
            Err(RequestFailure::Refused(error)) => Some(error.code),
            other => unreachable!("no error: {other:?}"),
        },
        Err(_) => None,
    };
    let mut rest = Vec::new();
    // A reset is a closed door too.
    let _reset = stream.read_to_end(&mut rest);
    assert!(rest.is_empty(), "nothing follows an error that closes: {rest:?}");
    code
}

/// A message's bytes with their length in front.
fn framed(message: &[u8]) -> Vec<u8> {
    [&u32::try_from(message.len()).unwrap().to_be_bytes(), message].concat()
}

#[test]
fn invalid_bytes_are_answered_and_the_connection_closed() {
    let (daemon, mut before) = served();
    let deep = [vec![0x81, 0xa1, b'x'], vec![0x91; 2000], vec![0xc0]].concat();
    let many = [&[0x81, 0xa1, b'x', 0xdd][..], &u32::MAX.to_be_bytes()].concat();
    for (what, bytes) in [
        ("text of another protocol", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec()),
        ("zeros", vec![0; 64]),
        ("ones", vec![0xff; 64]),
        ("a list", framed(&[0x90])),
        ("nothing in a frame", framed(&[])),
        ("a frame of text", framed(b"hello")),
        ("deep nesting", framed(&deep)),
        ("a huge count", framed(&many)),
        ("a request before hello", codec::encode(1, kind::STATUS, &json!({})).unwrap()),
        ("half a hello", hello(limits::PROTOCOLS, Some("s"))[..20].to_vec()),
    ] {
        let mut stream = stranger(&daemon);
        stream.write_all(&bytes).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let code = told(&mut stream);
        assert!(code != Some(ErrorCode::Internal), "{what}: {code:?}");
        unharmed(&daemon, &mut before);
    }
}

#[test]
fn another_version_is_refused_by_name() {
    let (daemon, mut before) = served();
    let mut stream = stranger(&daemon);
    stream.write_all(&hello(&[999], Some("s"))).unwrap();
    assert_eq!(told(&mut stream), Some(ErrorCode::Unsupported));
    unharmed(&daemon, &mut before);
}

#[test]
fn an_unknown_kind_is_unsupported_and_the_connection_goes_on() {
    let (daemon, mut before) = served();
    let refused = before.ask_json("dance", &json!({"with": "me"}));
    assert_eq!(refused["error"]["code"], "unsupported");
    let refused = before.ask_json(kind::READ, &json!({"path": 7}));
    assert_eq!(refused["error"]["code"], "malformed");
    unharmed(&daemon, &mut before);
}

#[test]
fn a_length_of_four_gigabytes_costs_nothing() {
    let (daemon, mut before) = served();
    let Some(memory) = process::resident_kib(daemon.pid()) else {
        println!("skipped: this system does not tell a process's memory");
        return;
    };
    for _ in 0..50 {
        let mut stream = stranger(&daemon);
        stream.write_all(&[0xff; 4]).unwrap();
        assert_eq!(told(&mut stream), Some(ErrorCode::TooLarge));
    }
    // Whoever has said hello may send much, but not more.
    let mut known = daemon.client("greedy");
    known.stream().write_all(&u32::MAX.to_be_bytes()).unwrap();
    assert_eq!(told(known.stream()), Some(ErrorCode::TooLarge));
    let now = process::peak_kib(daemon.pid()).unwrap();
    assert!(now < memory + GAIN, "{memory} KiB before, at most {now} KiB since");
    unharmed(&daemon, &mut before);
}

#[test]
fn a_slow_or_dead_sender_delays_no_other_client() {
    let (daemon, mut before) = served();
    let open = process::descriptors(daemon.pid());
    let mut slow: Vec<UnixStream> = (0..20).map(|_| stranger(&daemon)).collect();
    for byte in hello(limits::PROTOCOLS, Some("s")) {
        slow.iter_mut().for_each(|stream| stream.write_all(&[byte]).unwrap());
        if byte % 16 == 0 {
            unharmed(&daemon, &mut before);
        }
    }
    // Each has said hello by now; half of them begin a long frame and die in it.
    for stream in slow.iter_mut().take(10) {
        stream.write_all(&1_000_000_u32.to_be_bytes()).unwrap();
        stream.write_all(&[0x81; 1000]).unwrap();
    }
    drop(slow);
    unharmed(&daemon, &mut before);
    if let Some(open) = open {
        wait::until("the daemon has closed what its clients left", wait::LONG, || {
            (process::descriptors(daemon.pid())? <= open).then_some(())
        });
    }
}

#[test]
fn stalled_large_frames_delay_no_other_large_frame() {
    let (daemon, mut before) = served();
    let stalled: Vec<_> = (0..20_usize)
        .map(|nth| {
            let mut client = daemon.client(&format!("slow {nth}"));
            let sent = if nth < 12 { 100_000 } else { editd::testing::limits::LARGE + 100_000 };
            let head = u32::try_from(2 * editd::testing::limits::LARGE).unwrap().to_be_bytes();
            client.stream().write_all(&head).unwrap();
            // Where its place is not free, what it sends is not taken either.
            client.stream().set_nonblocking(true).unwrap();
            let _ = client.stream().write(&vec![0x81; sent]);
            client
        })
        .collect();
    let text = "a line of a large file\n".repeat(70_000);
    jobs::applied(&before.ask_json(kind::EDIT, &jobs::write("large.txt", &text)));
    drop(stalled);
    unharmed(&daemon, &mut before);
}

#[test]
fn jobs_that_wait_are_counted_as_what_they_become() {
    let (daemon, mut before) = served();
    let Some(memory) = process::resident_kib(daemon.pid()) else {
        println!("skipped: this system does not tell a process's memory");
        return;
    };
    let edits = vec![json!({"op": "delete"}); limits::EDITS];
    let job = json!({"files": [{"path": "a.txt", "edits": edits}]});
    std::thread::scope(|scope| {
        for nth in 0..8 {
            let (daemon, job) = (&daemon, &job);
            scope.spawn(move || {
                let mut client = daemon.client(&format!("many {nth}"));
                for _ in 0..3 {
                    client.ask_json(kind::EDIT, job);
                }
            });
        }
    });
    let now = process::peak_kib(daemon.pid()).unwrap();
    assert!(now < memory + 512 * 1024, "{memory} KiB before, at most {now} KiB since");
    unharmed(&daemon, &mut before);
}

#[test]
fn connections_above_the_limit_are_refused_until_others_close() {
    let (daemon, mut before) = served();
    // A connection that has sent a request keeps its place.
    before.ask_json(kind::STATUS, &json!({}));
    let mut connected = Vec::new();
    let turned_away = loop {
        match daemon.try_client("crowd") {
            Ok(mut client) => {
                // One that had sent no request would give its place to the next.
                client.ask_json(kind::STATUS, &json!({}));
                connected.push(client);
            }
            Err(failure) => break failure,
        }
        assert!(connected.len() <= editd::testing::limits::CONNECTIONS, "there is no limit");
    };
    let busy = matches!(&turned_away, RequestFailure::Refused(error) if error.code == ErrorCode::Busy);
    assert!(busy, "after {}: {turned_away:?}", connected.len());
    let read: ReadReply = before.ask(kind::READ, &json!({"path": "a.txt"})).unwrap();
    assert_eq!(read.text.as_deref(), Some("one\n"));
    drop(connected);
    wait::until("there is room again", wait::LONG, || daemon.try_client("crowd").ok());
    unharmed(&daemon, &mut before);
}

#[test]
fn a_client_that_never_reads_costs_little_memory() {
    let (mut daemon, mut before) = served();
    daemon.put("large.txt", "a line of thirty-two bytes here\n".repeat(100_000));
    let Some(memory) = process::resident_kib(daemon.pid()) else {
        println!("skipped: this system does not tell a process's memory");
        return;
    };
    let mut deaf = daemon.client("deaf");
    deaf.stream().set_nonblocking(true).unwrap();
    // 3 MB a reply, asked for until the daemon takes no more requests.
    let asked =
        (0..10_000).take_while(|_| deaf.send(kind::READ, &json!({"path": "large.txt"})).is_ok()).count();
    unharmed(&daemon, &mut before);
    let now = process::resident_kib(daemon.pid()).unwrap();
    let most = (editd::testing::limits::OUTGOING as u64) / 1024 + 4 * GAIN;
    assert!(now < memory + most, "{asked} requests: {memory} KiB before, {now} KiB now");
    drop(deaf);
    unharmed(&daemon, &mut before);
    assert!(daemon.stop().success());
}

#[test]
fn a_field_of_a_wrong_type_is_refused_with_its_place() {
    let (daemon, mut client) = served();
    let said = |client: &mut Client, kind: &str, body: Value| {
        let error = client.ask_json(kind, &body)["error"].take();
        assert_eq!(error["code"], "malformed", "{error}");
        error["message"].as_str().unwrap().to_owned()
    };
    let mut edit = |edit: Value| {
        said(&mut client, kind::EDIT, json!({"files": [{"path": "a", "edits": [{"op": "delete"}, edit]}]}))
    };
    let near = edit(json!({"op": "replace", "old": "a", "new": "b", "near": "3"}));
    assert!(near.contains("files[0].edits[1].near: ") && near.ends_with("expected a whole number"), "{near}");
    let within = edit(json!({"op": "chunk", "old": "", "new": "", "within": {"lines": [1, 2, 3]}}));
    assert!(within.contains("files[0].edits[1].within.lines: it has a wrong number"), "{within}");
    let old = edit(json!({"op": "replace", "old": ["a"], "new": "b"}));
    assert!(old.contains("files[0].edits[1].old: ") && old.contains("list"), "{old}");
    assert!(edit(json!({"old": "a"})).contains("files[0].edits[1]: missing field `op`"));
    assert!(edit(json!({"op": "insert", "at": {"line": -1}})).contains("files[0].edits[1].at.line: "));
    let mode = edit(json!({"op": "chmod", "mode": true}));
    assert!(mode.contains("files[0].edits[1].mode: use octal digits"), "{mode}");
    assert!(said(&mut client, kind::EDIT, json!({"mode": "lazy"})).contains("mode: unknown variant `lazy`"));
    assert!(said(&mut client, kind::READ, json!({})).contains("kind: missing field `path`"));
    unharmed(&daemon, &mut client);
}
