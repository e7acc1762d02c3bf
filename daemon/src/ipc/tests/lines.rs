//! Clients that speak lines of JSON instead of frames, well-behaved and hostile ones.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;

use editd_proto::codec::Framing;
use editd_proto::message::{ChangeEvent, ChangeKind, StatusReply, kind};
use serde_json::{Value, json};

use super::kit::{Client, EmptyBody, Served, hello, job, listening, read, runtime_of, until};
use crate::ipc::StartingListener;
use crate::limits;
use crate::progress::StartProgress;

/// A connection that speaks lines.
struct LineClient {
    stream: UnixStream,
    lines: BufReader<UnixStream>,
}

impl LineClient {
    fn connect(socket: &Path) -> Self {
        let Client { stream, .. } = Client::connect(socket);
        let lines = BufReader::new(stream.try_clone().unwrap());
        Self { stream, lines }
    }

    /// Connects and says hello.
    fn greeted(served: &Served) -> Self {
        let mut client = Self::connect(&served.socket());
        let welcome = client.ask(1, kind::HELLO, &json!(hello()));
        assert_eq!((&welcome["kind"], &welcome["session"]), (&json!("hello"), &json!("s")));
        client
    }

    fn send(&mut self, id: u64, kind: &str, body: &Value) {
        self.stream.write_all(&Framing::Lines.encode(id, kind, body).unwrap()).unwrap();
    }

    /// Returns the next line; `None` at the end of the connection.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.lines.read_line(&mut line) {
            Ok(0) => None,
            Err(why) if why.kind() == std::io::ErrorKind::ConnectionReset => None,
            read => {
                read.unwrap();
                assert!(line.ends_with("}\n"), "{line:?}");
                Some(serde_json::from_str(&line).unwrap())
            }
        }
    }

    fn ask(&mut self, id: u64, kind: &str, body: &Value) -> Value {
        self.send(id, kind, body);
        let reply = self.next().unwrap();
        assert_eq!(reply["id"], id, "{reply}");
        reply
    }

    /// Returns the code of the last message, after which the connection must end.
    fn last_error(&mut self) -> (Value, Value) {
        let error = self.next().unwrap();
        assert_eq!(error["kind"], kind::ERROR, "{error}");
        assert!(self.next().is_none(), "the connection is closed after {error}");
        (error["id"].clone(), error["code"].clone())
    }
}

/// The code of an error that answers no request.
fn closes(code: &str) -> (Value, Value) {
    (json!(0), json!(code))
}

#[test]
fn a_client_of_lines_is_answered_in_lines_beside_one_of_frames() {
    let served = Served::start();
    let mut framed = served.client();
    let mut client = LineClient::greeted(&served);
    assert_eq!(client.ask(2, kind::READ, &json!(read("a")))["text"], "a");
    assert_eq!(client.ask(3, kind::EDIT, &json!(job("edit", "a")))["status"], "applied");
    assert_eq!(client.ask(4, kind::STATUS, &json!({}))["sessions"], 2);
    assert_eq!(client.ask(5, "dance", &json!({}))["code"], "unsupported");
    let wrong = client.ask(
        6,
        kind::EDIT,
        &json!({"files": [{"path": "a", "edits": [{"op": "delete", "near": "x"}]}]}),
    );
    assert_eq!(wrong["code"], "malformed");
    assert!(wrong["message"].as_str().unwrap().contains("files[0].edits[0].near"), "{wrong}");
    client.stream.write_all(b"\r\n \n{\"kind\":\"read\",\"path\":\"b\",\"id\":7}\r\n").unwrap();
    assert_eq!(client.next().unwrap()["text"], "b");
    let status: StatusReply = framed.ask(1, kind::STATUS, &EmptyBody {});
    assert_eq!(status.sessions, 2);
}

#[test]
fn hello_and_requests_may_be_sent_at_once_and_are_answered_before_the_end() {
    let served = Served::start();
    let mut client = LineClient::connect(&served.socket());
    let mut all = Framing::Lines.encode(1, kind::HELLO, &hello()).unwrap();
    let count = limits::PIPELINE as u64 * 2;
    // More than a stranger may send in one line.
    let long = json!({"label": "x".repeat(100_000), "files": [{"path": "a", "edits": []}]});
    all.extend(Framing::Lines.encode(2, kind::EDIT, &long).unwrap());
    for id in 3..count {
        all.extend(Framing::Lines.encode(id, kind::EDIT, &job(&id.to_string(), "same")).unwrap());
    }
    client.stream.write_all(&all).unwrap();
    client.stream.shutdown(Shutdown::Write).unwrap();
    let mut ids: Vec<u64> =
        std::iter::from_fn(|| client.next()).map(|reply| reply["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..count).collect::<Vec<_>>());
    let begun: Vec<String> =
        served.fake.log().iter().filter(|line| line.starts_with("begin")).cloned().collect();
    assert_eq!(begun.len() as u64, count - 2);
}

#[test]
fn a_bad_line_is_told_off_in_a_line_and_closed() {
    let served = Served::start();
    let mut bystander = served.client();
    let deep = format!("{{\"id\": 1, \"kind\": \"status\", \"x\": {}\n", "[".repeat(100_000));
    for (line, code) in [
        (&b"{\n"[..], "malformed"),
        (b"{\"id\": 1, \"kind\": \"status\"} {}\n", "malformed"),
        (b"{\"id\": 1, \"kind\": \"\xff\xfe\"}\n", "malformed"),
        (b"{\"id\": \"1\", \"kind\": \"status\"}\n", "malformed"),
        (deep.as_bytes(), "too_large"),
    ] {
        for mut client in [LineClient::connect(&served.socket()), LineClient::greeted(&served)] {
            // The answer may come while the client still writes.
            let _ = client.stream.write_all(line);
            let (id, said) = client.last_error();
            assert_eq!(id, 0);
            assert!(
                said == code || line.len() > editd_proto::limits::FRAME_BEFORE_HELLO,
                "{said} for {code}"
            );
        }
    }
    let mut greeted = LineClient::greeted(&served);
    greeted.stream.write_all(b"\x00\x00\x00\x01\x80\n").unwrap();
    assert_eq!(greeted.last_error(), closes("malformed"), "frames do not follow lines");
    let status: StatusReply = bystander.ask(1, kind::STATUS, &EmptyBody {});
    assert!(status.sessions >= 1);
}

#[test]
fn a_line_without_end_is_refused_at_its_limit() {
    let served = Served::start();
    let mut stranger = LineClient::connect(&served.socket());
    let _ = stranger.stream.write_all(&[b'{'; editd_proto::limits::FRAME_BEFORE_HELLO + 1]);
    assert_eq!(stranger.last_error(), closes("too_large"));
    let mut client = LineClient::greeted(&served);
    let mut writer = client.stream.try_clone().unwrap();
    let sender = std::thread::spawn(move || {
        let part = [b' '; 64 * 1024];
        while writer.write_all(&part).is_ok() {}
    });
    assert_eq!(client.last_error(), closes("too_large"));
    client.stream.shutdown(Shutdown::Both).unwrap();
    sender.join().unwrap();
}

#[test]
fn a_last_line_without_a_line_feed_is_not_lost_silently() {
    let served = Served::start();
    let mut client = LineClient::greeted(&served);
    client.stream.write_all(b"{\"id\": 2, \"kind\": \"status\"}").unwrap();
    client.stream.shutdown(Shutdown::Write).unwrap();
    let error = client.next().unwrap();
    assert_eq!((&error["id"], &error["code"]), (&json!(0), &json!("malformed")));
    assert!(error["message"].as_str().unwrap().contains("line feed"), "{error}");
    assert!(client.next().is_none());
}

#[test]
fn a_slow_line_has_the_time_of_a_frame() {
    let mut served = Served::in_a_hurry();
    let mut half = LineClient::connect(&served.socket());
    half.stream.write_all(b"{\"id\":").unwrap();
    let mut client = LineClient::greeted(&served);
    client.stream.write_all(b"{\"id\":").unwrap();
    served.let_time_pass();
    assert_eq!(half.last_error(), closes("io"));
    assert_eq!(client.last_error(), closes("io"));
}

#[test]
fn large_replies_are_one_line_or_a_typed_error() {
    let served = Served::start();
    let mut client = LineClient::greeted(&served);
    let size = editd_proto::limits::FRAME - 1000;
    let reply = client.ask(2, kind::READ, &json!(read(&format!("big/{size}"))));
    assert_eq!(reply["text"].as_str().unwrap().len(), size);
    let size = editd_proto::limits::FRAME;
    let reply = client.ask(3, kind::READ, &json!(read(&format!("big/{size}"))));
    assert_eq!((&reply["kind"], &reply["code"]), (&json!("error"), &json!("too_large")));
    assert_eq!(client.ask(4, kind::READ, &json!(read("a")))["text"], "a");
}

#[test]
fn events_and_their_overflow_are_lines() {
    let served = Served::start();
    let mut client = LineClient::greeted(&served);
    assert_eq!(client.ask(9, kind::SUBSCRIBE, &json!({"globs": []}))["folders"], 3);
    let sink = served.sinks.lock().unwrap().first().unwrap().clone();
    let path = editd_proto::FilePath::new(vec![0xe9; 1000]);
    let event = ChangeEvent { path: Some(path), ..ChangeEvent::without_path(ChangeKind::Changed) };
    for _ in 0..20 * limits::OUTBOX / 1000 {
        sink.send(&event);
    }
    let first = client.next().unwrap();
    assert_eq!(
        (&first["id"], &first["kind"], &first["change"]),
        (&json!(9), &json!("event"), &json!("changed"))
    );
    assert_eq!(first["path"]["bytes"].as_array().unwrap().len(), 1000);
    let last = std::iter::from_fn(|| client.next()).find(|event| event["change"] != "changed").unwrap();
    assert_eq!((&last["id"], &last["change"]), (&json!(9), &json!("overflow")));
    drop(client);
    until("the subscription ends", || served.sinks.lock().unwrap().is_empty());
}

#[test]
fn a_client_that_is_refused_is_refused_in_its_framing() {
    let served = Served::start();
    let mut open: Vec<Client> = (0..limits::CONNECTIONS_SHARE).map(|_| served.client()).collect();
    for client in &mut open {
        let _: StatusReply = client.ask(1, kind::STATUS, &EmptyBody {});
    }
    let mut refused = LineClient::connect(&served.socket());
    refused.send(1, kind::HELLO, &json!(hello()));
    assert_eq!(refused.last_error(), closes("busy"));
    let mut framed = served.stranger();
    framed.send(1, kind::HELLO, &hello());
    assert_eq!(framed.last_error(0).code, editd_proto::ErrorCode::Busy);
    let mut silent = served.stranger();
    assert_eq!(silent.last_error(0).code, editd_proto::ErrorCode::Busy, "who sends nothing gets a frame");
}

#[test]
fn a_stop_parts_from_each_client_in_its_framing() {
    let served = Served::start();
    let mut client = LineClient::greeted(&served);
    let mut late = LineClient::connect(&served.socket());
    until("all are connected", || {
        let status: StatusReply = served.client().ask(1, kind::STATUS, &EmptyBody {});
        status.sessions == 3
    });
    served.server.stop.ask();
    // Its first byte comes after the daemon has decided to part from it.
    late.send(1, kind::HELLO, &json!(hello()));
    assert_eq!(client.last_error(), closes("stopping"));
    assert_eq!(late.last_error().1, "stopping");
    served.ended();
}

#[test]
fn a_client_of_a_long_start_learns_the_progress_in_a_line() {
    let runtime = runtime_of(1);
    let (folder, listener) = listening(&runtime);
    let path = folder.path().join("s.sock");
    let starting = StartingListener::begin(runtime.handle(), listener, StartProgress::default(), |_| {});
    let mut client = LineClient::connect(&path);
    client.send(1, kind::HELLO, &json!(hello()));
    assert_eq!(client.last_error(), closes("starting"));
    assert!(starting.end(&runtime).is_some());
}

#[test]
fn an_evicted_stranger_takes_no_place_while_its_framing_is_awaited() {
    let mut served = Served::in_a_hurry();
    let silent: Vec<Client> = (0..limits::CONNECTIONS_SHARE).map(|_| served.stranger()).collect();
    until("all are connected", || served.server.connections.places.open() == limits::CONNECTIONS_SHARE);
    // No time passes: nobody waits for the end of the wait for the first byte of the evicted one.
    let mut next = served.client();
    let _: StatusReply = next.ask(1, kind::STATUS, &EmptyBody {});
    served.let_time_pass();
    drop(silent);
}
