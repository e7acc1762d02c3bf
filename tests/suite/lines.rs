//! Clients that send lines of JSON instead of frames: the scripts of WIRE.md, large and odd contents, other clients
//! beside them.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use editd_proto::message::{HistoryReply, kind};
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{binaries, jobs, wait};
use serde_json::{Value, json};

/// A connection that speaks lines.
struct LineClient {
    stream: UnixStream,
    lines: BufReader<UnixStream>,
    last: u64,
}

impl LineClient {
    fn new(daemon: &TestDaemon, session: &str) -> Self {
        let stream = UnixStream::connect(daemon.socket()).unwrap();
        stream.set_read_timeout(Some(wait::LONG)).unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap());
        let mut client = Self { stream, lines, last: 0 };
        let welcome =
            client.ask(json!({"kind": "hello", "protocol": [1], "client": "t", "session": session}));
        assert_eq!(welcome["kind"], "hello", "{welcome}");
        client
    }

    fn ask(&mut self, mut message: Value) -> Value {
        self.last += 1;
        message["id"] = json!(self.last);
        writeln!(self.stream, "{message}").unwrap();
        let reply = self.next();
        assert_eq!(reply["id"], self.last, "{reply}");
        reply
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.lines.read_line(&mut line).unwrap() > 0, "the connection ended");
        serde_json::from_str(&line).unwrap()
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    let numbers = value.as_array().unwrap_or_else(|| panic!("no bytes: {value}"));
    numbers.iter().map(|number| u8::try_from(number.as_u64().unwrap()).unwrap()).collect()
}

/// A shell with `editctl` in its path that runs a script; `None` if there is no socat.
fn shell(daemon: &TestDaemon, script: &str) -> Option<Command> {
    if Command::new("socat").arg("-V").stdout(Stdio::null()).status().is_err() {
        eprintln!("skipped: socat is not installed");
        return None;
    }
    let programs = binaries::editctl().parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&path))).unwrap();
    let mut shell = daemon.command("bash");
    shell.args(["-euc", script]).env("PATH", path).env("EDITD_BIN", binaries::editd());
    Some(shell)
}

/// The block of WIRE.md that opens with this fence.
fn block(fence: &str) -> String {
    let page = std::fs::read_to_string(binaries::top().join("proto/WIRE.md")).unwrap();
    let (_, rest) = page.split_once(&format!("\n```{fence}\n")).unwrap();
    rest.split_once("\n```").unwrap().0.to_owned()
}

#[test]
fn the_script_of_the_protocol_edits_and_reads() {
    let daemon = TestDaemon::started();
    daemon.put("b.txt", "é\n");
    let Some(mut shell) = shell(&daemon, &block("sh socat")) else { return };
    let done = shell.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let said = String::from_utf8(done.stdout).unwrap();
    let mut replies: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    replies.sort_by_key(|reply| reply["id"].as_u64());
    let kinds: Vec<&str> = replies.iter().map(|reply| reply["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["hello", "edit", "read"], "{said}");
    assert_eq!((&replies[1]["status"], &replies[2]["text"]), (&json!("applied"), &json!("é\n")));
    assert_eq!(daemon.get("a.txt"), b"hi\n");
    let log = daemon.client("other").ask_json(kind::HISTORY, &json!({}));
    let entry = &log["entries"][0];
    assert_eq!(
        (&entry["session"], &entry["client"], &entry["label"]),
        (&json!("script"), &json!("script"), &json!("greet"))
    );
}

#[test]
fn the_script_of_the_protocol_follows_events() {
    let daemon = TestDaemon::started();
    let script = format!("socket={}\n{}", daemon.socket().display(), block("sh socat events"));
    let Some(mut shell) = shell(&daemon, &script) else { return };
    let mut shell = grouped(&mut shell).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(shell.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!((next()["kind"].clone(), next()["kind"].clone()), (json!("hello"), json!("subscribe")));
    jobs::applied(&daemon.client("other").ask_json(kind::EDIT, &jobs::write("a.txt", "one\n")));
    let event = next();
    assert_eq!(
        (&event["kind"], &event["path"], &event["session"]),
        (&json!("event"), &json!("a.txt"), &json!("other"))
    );
    let group = rustix::process::Pid::from_child(&shell);
    rustix::process::kill_process_group(group, rustix::process::Signal::TERM).unwrap();
    shell.wait().unwrap();
}

/// The command in a process group of its own, which can be ended as a whole.
fn grouped(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt;
    command.process_group(0)
}

#[test]
fn the_parts_of_a_binary_content_and_of_an_export_fit_lines() {
    let daemon = TestDaemon::started();
    // Each of these bytes is four letters of a line.
    let content: Vec<u8> = (0..9_000_000_u32).map(|n| 128 + (n % 127) as u8).collect();
    daemon.put("large.bin", &content);
    let mut client = LineClient::new(&daemon, "s");
    let read = client.ask(json!({"kind": "read", "path": "large.bin"}));
    assert_eq!((&read["kind"], &read["code"]), (&json!("error"), &json!("too_large")), "36 MB of numbers");
    let job =
        json!({"kind": "edit", "files": [{"path": "large.bin", "base": "any", "edits": [{"op": "delete"}]}]});
    let job = client.ask(job)["job"].clone();
    let mut got = Vec::new();
    loop {
        let part = client.ask(
            json!({"kind": "content", "job": job, "path": "large.bin", "side": "before", "from": got.len()}),
        );
        got.extend(bytes(&part["bytes"]));
        if part["size"] == got.len() {
            break;
        }
    }
    assert!(got == content, "{} bytes of {}", got.len(), content.len());

    let mut exported = Vec::new();
    let mut request = json!({"kind": "export"});
    loop {
        let piece = client.ask(request);
        exported.extend(bytes(&piece["bytes"]));
        match piece.get("cursor") {
            Some(cursor) => request = json!({"kind": "export", "cursor": cursor}),
            None => break,
        }
    }
    assert!(exported.len() > content.len(), "{} bytes", exported.len());
    for line in exported.split_inclusive(|byte| *byte == b'\n') {
        serde_json::from_slice::<Value>(line).unwrap();
    }
}

#[test]
fn an_odd_path_is_bytes_in_both_directions() {
    let daemon = TestDaemon::started();
    let mut client = LineClient::new(&daemon, "s");
    let path = json!({"bytes": [99, 97, 102, 233]});
    let job = json!({"kind": "edit", "files": [{"path": path, "edits": [{"op": "write", "text": "one\n"}]}]});
    assert_eq!(client.ask(job)["files"][0]["path"], path);
    assert_eq!(client.ask(json!({"kind": "read", "path": path}))["text"], "one\n");
    let log: HistoryReply = daemon.client("other").ask(kind::HISTORY, &json!({})).unwrap();
    assert_eq!(log.entries[0].files[0].path.as_bytes(), b"caf\xe9");
}

#[test]
fn a_session_goes_on_in_the_other_framing() {
    let mut daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    LineClient::new(&daemon, "s").ask(json!({"kind": "read", "path": "a.txt"}));
    daemon.kill_and_start();
    let receipt = daemon.client("s").ask_json(kind::EDIT, &jobs::write("a.txt", "two\n"));
    jobs::applied(&receipt);
    let undone = LineClient::new(&daemon, "s").ask(json!({"kind": "undo"}));
    assert_eq!((&undone["kind"], &undone["status"]), (&json!("undo"), &json!("applied")));
    assert_eq!(daemon.get("a.txt"), b"one\n");
}
