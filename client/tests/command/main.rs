//! Tests of the command as a process: its requests, output and exit status, with a simulated daemon.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test fails by panicking, and works with real files and processes"
)]

mod busy;
mod edits;
mod leaving;
mod payloads;
mod peer;
#[cfg(target_os = "linux")]
mod sessions;
mod symbols;
mod terminal;
mod trust;
mod version;

use std::process::{Output, Stdio};

use editd_proto::error::{ChangeAuthor, OutsideWord};
use editd_proto::ids::{JobId, Version};
use editd_proto::message::{
    ChangeEvent, ChangeKind, FileOutcome, Hello, HistoryReply, HistoryRequest, JobMode, JobRequest,
    JobStatus, OnStale, ReadReply, ReadRequest, Receipt, SubscribeReply, SubscribeRequest, UndoRequest, kind,
};
use editd_proto::{ErrorCode, RequestError, limits};
use peer::{Says, Scene, bare, frame, reply, run};
use serde_json::{Value, json};

fn content(bytes: &[u8]) -> ReadReply {
    let text = std::str::from_utf8(bytes).ok().map(str::to_owned);
    ReadReply {
        path: "src/a".into(),
        version: Version("0123456789ab".into()),
        hash: "blake3:0".into(),
        bytes: text.is_none().then(|| bytes.to_vec()),
        text,
        lines: 2,
        first_line: 1,
        encoding: "utf-8".into(),
        line_ending: "crlf".into(),
        bom: false,
        size: bytes.len() as u64,
        symbol: None,
    }
}

fn receipt(status: JobStatus, error: Option<RequestError>) -> Receipt {
    let file = FileOutcome {
        before: Some(Version("0123456789ab".into())),
        after: Some(Version("ba9876543210".into())),
        ..FileOutcome::new("src/a".into(), status)
    };
    let (job, files) = if error.is_some() { (None, vec![]) } else { (Some(JobId(17)), vec![file]) };
    Receipt { files, error, ..Receipt::new(job, status) }
}

fn stale() -> RequestError {
    let mut error = RequestError::new(ErrorCode::Stale, "src/a changed since it was read");
    error.path = Some("src/a".into());
    error.version = Some(Version("ba9876543210".into()));
    error.by = Some(ChangeAuthor::Outside(OutsideWord::Outside));
    error
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn object(output: &Output) -> Value {
    assert_eq!(out(output).lines().count(), 1, "one object on one line: {}", out(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn read_prints_the_bytes_and_nothing_else() {
    for bytes in [&b"a\r\nb"[..], b"", b"\x00\xff\n"] {
        let scene = Scene::new(move |_, message| reply(message, &content(bytes)));
        let output = scene.run(&["read", "a", "--lines", "3:"], b"");
        assert_eq!((status(&output), output.stdout.as_slice(), err(&output)), (0, bytes, ""));
        let hello: Hello = scene.asked(kind::HELLO).body().unwrap();
        assert_eq!(hello.client.as_str(), "editctl");
        let request: ReadRequest = scene.asked(kind::READ).body().unwrap();
        assert_eq!(request.path, "src/a".into());
        assert_eq!(request.lines, Some((3, u64::MAX)));
    }
}

#[test]
fn in_json_a_reply_has_its_fields_without_id_and_kind() {
    let scene = Scene::new(|_, message| reply(message, &content(b"a\r\n")));
    let output = scene.run(&["--json", "read", "a"], b"");
    let expected = json!({
        "path": "src/a", "version": "0123456789ab", "hash": "blake3:0", "text": "a\r\n", "lines": 2,
        "first_line": 1, "encoding": "utf-8", "line_ending": "crlf", "bom": false, "size": 3
    });
    assert_eq!((status(&output), object(&output)), (0, expected));
}

#[test]
fn a_session_is_a_flag_or_the_environment() {
    let scene = Scene::new(|_, message| reply(message, &content(b"")));
    let mut command = scene.editctl(&["read", "a"]);
    run(
        {
            command.env("EDITCTL_SESSION", "env");
            command
        },
        b"",
    );
    let mut command = scene.editctl(&["read", "a", "--session", "flag"]);
    run(
        {
            command.env("EDITCTL_SESSION", "env");
            command
        },
        b"",
    );
    for expected in ["env", "flag"] {
        let hello: Hello = scene.asked(kind::HELLO).body().unwrap();
        assert_eq!(hello.session.as_deref(), Some(expected));
    }
}

#[test]
fn the_environment_says_what_a_session_does_about_stale_files() {
    let scene = Scene::new(|_, message| reply(message, &content(b"")));
    let run_with = |value: &str| {
        let mut command = scene.editctl(&["read", "a"]);
        command.env("EDITCTL_ON_STALE", value);
        run(command, b"")
    };
    for (value, expected) in
        [("rebase", Some(OnStale::Rebase)), ("reject", Some(OnStale::Reject)), ("", None)]
    {
        assert_eq!(status(&run_with(value)), 0);
        let hello: Hello = scene.asked(kind::HELLO).body().unwrap();
        assert_eq!(hello.on_stale, expected, "{value:?}");
    }
    let wrong = run_with("rebsae");
    assert_eq!(status(&wrong), 2);
    assert!(err(&wrong).contains("EDITCTL_ON_STALE is \"rebsae\"; use reject or rebase"), "{}", err(&wrong));
}

#[test]
fn a_job_comes_from_standard_input_or_a_file_with_the_flags_laid_over() {
    let scene = Scene::new(|_, message| reply(message, &receipt(JobStatus::Verified, None)));
    let job = br#"{"files": [{"path": "top", "edits": [{"op": "write", "text": "\u0000"}]}]}"#;
    let file = scene.root().join("job.json");
    std::fs::write(&file, job).unwrap();
    let words = ["edit", "--mode", "verify_only", "--base", "any", "--label", "why"];
    for source in [None, Some("-"), file.to_str()] {
        let words: Vec<&str> = words.iter().copied().chain(source).collect();
        let output = scene.run(&words, if source == file.to_str() { b"" } else { job });
        assert_eq!(status(&output), 0, "{}", err(&output));
        let request: JobRequest = scene.asked(kind::EDIT).body().unwrap();
        assert_eq!((request.mode, request.label.as_deref()), (JobMode::VerifyOnly, Some("why")));
        assert_eq!(request.files[0].path, "top".into());
        assert_eq!(request.files[0].base.as_deref(), Some("any"));
        assert_eq!(request.files[0].edits[0].text.as_deref(), Some("\0"));
    }
}

#[test]
fn replace_takes_its_texts_literally_or_from_files() {
    let scene = Scene::new(|_, message| reply(message, &receipt(JobStatus::Applied, None)));
    let output = scene.run(&["replace", "../top", "$1\\n", "-", "--all", "--expect", "2"], b"");
    assert_eq!((status(&output), out(&output)), (0, "job 17 applied, version @17\nsrc/a\n"));
    let request: JobRequest = scene.asked(kind::EDIT).body().unwrap();
    let edit = &request.files[0].edits[0];
    assert_eq!(request.files[0].path, "top".into());
    assert_eq!((edit.old.as_deref(), edit.new.as_deref()), (Some("$1\\n"), Some("-")));
    assert_eq!((edit.all, edit.expect), (Some(true), Some(2)));

    std::fs::write(scene.root().join("src/old"), "from\r\na file").unwrap();
    scene.run(&["replace", "a", "--old-file", "old", "--new-file", "-"], b"from\nstdin");
    let request: JobRequest = scene.asked(kind::EDIT).body().unwrap();
    let edit = &request.files[0].edits[0];
    assert_eq!((edit.old.as_deref(), edit.new.as_deref()), (Some("from\r\na file"), Some("from\nstdin")));

    scene.run(&["replace", "a", "--new-file", "old", "word"], b"");
    let request: JobRequest = scene.asked(kind::EDIT).body().unwrap();
    let edit = &request.files[0].edits[0];
    assert_eq!((edit.old.as_deref(), edit.new.as_deref()), (Some("word"), Some("from\r\na file")));
}

#[test]
fn a_stale_job_is_three_and_its_refusal_travels_whole() {
    let scene = Scene::new(|_, message| reply(message, &receipt(JobStatus::Refused, Some(stale()))));
    let words = ["replace", "a", "x", "y"];
    let output = scene.run(&words, b"");
    assert_eq!((status(&output), out(&output)), (3, ""));
    assert!(err(&output).starts_with("editctl: stale: src/a changed"), "{}", err(&output));
    assert!(err(&output).contains("version now: ba9876543210"), "{}", err(&output));
    let output = scene.run(&[&words[..], &["--json"]].concat(), b"");
    let found = object(&output);
    assert_eq!(
        (status(&output), &found["status"], &found["error"]["code"]),
        (3, &json!("refused"), &json!("stale"))
    );
    assert_eq!((&found["error"]["by"], err(&output)), (&json!("outside"), ""));
}

#[test]
fn a_refused_request_is_an_error_object() {
    for (code, number) in
        [(ErrorCode::Missing, 1), (ErrorCode::Outside, 1), (ErrorCode::Unread, 3), (ErrorCode::Internal, 5)]
    {
        let scene = Scene::new(move |_, message| {
            Says::Frames(frame(message.id(), kind::ERROR, &RequestError::new(code, "so it is")))
        });
        let output = scene.run(&["--json", "read", "a"], b"");
        assert_eq!((status(&output), err(&output)), (number, ""));
        assert_eq!(object(&output)["error"]["message"], json!("so it is"));
        let output = scene.run(&["read", "a"], b"");
        assert_eq!((status(&output), out(&output)), (number, ""));
        assert!(err(&output).contains("so it is"));
    }
}

#[test]
fn no_daemon_is_four() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("none");
    let words = |rest: &[&'static str]| {
        [rest, &["--socket", socket.to_str().unwrap(), "--json"]]
            .concat()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let editctl = |rest: &[&'static str], program: &str| {
        let words = words(rest);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = bare(folder.path(), &words);
        command.env("EDITD_BIN", program).env("XDG_STATE_HOME", folder.path());
        run(command, b"")
    };
    for output in [
        editctl(&["status", "--no-spawn"], "/bin/false"),
        editctl(&["stop"], "/bin/false"),
        editctl(&["status"], "/bin/false"),
        editctl(&["status"], "/nonexistent/editd"),
    ] {
        assert_eq!(status(&output), 4, "{}", err(&output));
        assert_eq!(object(&output)["error"]["code"], json!("io"));
    }
}

#[test]
fn words_without_sense_are_two_and_reach_nobody() {
    let scene = Scene::new(|_, _| Says::Leaves);
    for words in [
        &["reed"][..],
        &["read"],
        &["read", "a", "--key", "k"],
        &["undo", "--mode", "partial"],
        &["undo", "--since", "soon"],
        &["replace", "a", "x"],
        &["replace", "a", "x", "y", "--old-file", "z"],
        &["edit", "--path", "a"],
        &["read", "a", "--workspace", "/nonexistent"],
    ] {
        let output = scene.run(words, b"{");
        assert_eq!((status(&output), out(&output)), (2, ""), "{words:?}");
        assert!(!err(&output).is_empty());
    }
    assert!(scene.heard.try_recv().is_err());
    let output = scene.run(&["edit", "--json"], b"{");
    assert_eq!((status(&output), &object(&output)["error"]["code"]), (2, &json!("malformed")));
    let output = scene.run(&["log", "--mode", "strict", "--json"], b"");
    let said = "--mode does not apply to `log`; leave it out (`editctl log --help`)";
    assert_eq!(object(&output)["error"]["message"].as_str().unwrap().lines().next(), Some(said));
    let output = scene.run(&["log", "--mode", "strict"], b"");
    assert!(err(&output).contains("Usage: editctl log"), "{}", err(&output));
}

#[test]
fn an_answer_that_breaks_off_is_five() {
    let scene = Scene::new(|_, message| {
        let mut frame = frame(message.id(), kind::EDIT, &receipt(JobStatus::Applied, None));
        frame.pop();
        Says::Last(frame)
    });
    assert_eq!(status(&scene.run(&["replace", "a", "x", "y"], b"")), 5);
    let scene = Scene::new(|_, _| Says::Last(b"HTTP/1.1 200 OK".to_vec()));
    assert_eq!(status(&scene.run(&["read", "a"], b"")), 5);
}

#[test]
fn a_written_session_selects_what_is_undone_and_listed() {
    let scene = Scene::new(|_, message| match message.kind() {
        kind::HISTORY => reply(message, &HistoryReply { entries: vec![], more: false }),
        _ => reply(message, &receipt(JobStatus::Applied, None)),
    });
    for (words, jobs, session) in [
        (&["undo"][..], vec![], None),
        (&["undo", "--session", "s"], vec![], Some("s")),
        (&["undo", "--session", "s", "7", "8"], vec![JobId(7), JobId(8)], None),
    ] {
        let mut command = scene.editctl(words);
        command.env("EDITCTL_SESSION", "env");
        assert_eq!(status(&run(command, b"")), 0);
        let request: UndoRequest = scene.asked(kind::UNDO).body().unwrap();
        assert_eq!((request.jobs, request.session.as_deref()), (jobs, session));
    }
    for (since, time, after) in
        [("1000", None, Some(JobId(999))), ("1763632800000", Some(1_763_632_800_000), None)]
    {
        scene.run(&["undo", "--path", "a", "--since", since], b"");
        let request: UndoRequest = scene.asked(kind::UNDO).body().unwrap();
        assert_eq!((request.path, request.since, request.after), (Some("src/a".into()), time, after));
    }
    let output = scene.run(&["log", "--session", "s", "--limit", "3", "--json"], b"");
    assert_eq!(object(&output), json!({"entries": [], "more": false}));
    let request: HistoryRequest = scene.asked(kind::HISTORY).body().unwrap();
    assert_eq!((request.session.as_deref(), request.limit), (Some("s"), Some(3)));
}

#[test]
fn a_reader_that_leaves_early_is_no_failure_and_a_full_disk_is() {
    let text = vec![b'x'; 4_000_000];
    let scene = Scene::new(move |_, message| reply(message, &content(&text)));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = scene.editctl(&["read", "a"]);
    command.stdout(writer).stderr(Stdio::piped());
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!((status(&output), err(&output)), (0, ""));
    if let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") {
        let mut command = scene.editctl(&["read", "a"]);
        command.stdout(full).stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(status(&output), 5);
        assert!(err(&output).contains("standard output"));
    }
}

#[test]
fn watch_prints_an_object_a_line_until_the_daemon_leaves() {
    let scene = Scene::new(|_, message| {
        let event = |change, path: Option<&str>| {
            let path = path.map(Into::into);
            ChangeEvent { path, ..ChangeEvent::without_path(change) }
        };
        let mut frames = frame(message.id(), kind::SUBSCRIBE, &SubscribeReply { folders: 1 });
        frames.extend(frame(message.id(), kind::EVENT, &event(ChangeKind::Created, Some("a"))));
        frames.extend(frame(message.id(), kind::EVENT, &event(ChangeKind::Overflow, None)));
        Says::Last(frames)
    });
    let output = scene.run(&["watch", "src/*", "--json"], b"");
    let lines: Vec<Value> = out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[..2], [json!({"change": "created", "path": "a"}), json!({"change": "overflow"})]);
    assert_eq!((status(&output), &lines[2]["error"]["code"]), (5, &json!("io")));
    let request: SubscribeRequest = scene.asked(kind::SUBSCRIBE).body().unwrap();
    assert_eq!(request.globs, ["src/*"]);
}

#[test]
fn a_payload_that_fits_no_frame_is_refused_before_it_is_kept() {
    let scene = Scene::new(|_, _| Says::Leaves);
    let endless = std::fs::File::open("/dev/zero").unwrap();
    let mut command = scene.editctl(&["edit", "--json"]);
    command.stdin(endless).stdout(Stdio::piped());
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    let found = object(&output);
    assert_eq!((status(&output), &found["error"]["code"]), (1, &json!("too_large")));
    assert_eq!(found["error"]["limit"], json!(limits::FRAME));
}
