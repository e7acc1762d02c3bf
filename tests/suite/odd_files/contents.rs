//! Unusual contents and names with a real daemon, through the protocol and through `editctl`: each is edited and
//! restored byte by byte. Case files test the bytes that an edit changes; here nothing else may change.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::process::Output;

use editd_proto::message::{ReadReply, kind};
use editd_proto::path::FilePath;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::{FileTree, make_fifo};
use serde_json::{Value, json};

/// Name, content, what is replaced, what stands there afterwards. The replacement of `old` is `new`.
fn texts() -> Vec<(&'static str, Vec<u8>, Vec<u8>)> {
    let utf16 = |text: &str| -> Vec<u8> {
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    let large = |word: &str| -> Vec<u8> {
        let mut text: String = (0..100_000).map(|n| format!("line {n}\n")).collect();
        text.insert_str(text.len() / 2, &format!("the {word} word"));
        text.into_bytes()
    };
    vec![
        ("no final newline.txt", b"a\nold".to_vec(), b"a\nnew".to_vec()),
        ("crlf.txt", b"a\r\nold\r\nb\r\n".to_vec(), b"a\r\nnew\r\nb\r\n".to_vec()),
        ("mixed.txt", b"a\r\nold\nb\r\n\n".to_vec(), b"a\r\nnew\nb\r\n\n".to_vec()),
        ("bom.txt", b"\xef\xbb\xbfold\n".to_vec(), b"\xef\xbb\xbfnew\n".to_vec()),
        ("utf16.txt", utf16("a\r\nold \u{1f600}\r\n"), utf16("a\r\nnew \u{1f600}\r\n")),
        ("100,000 lines.txt", large("old"), large("new")),
        ("latin1/caf\u{e9}.txt", b"caf\xe9 old\n".to_vec(), b"caf\xe9 new\n".to_vec()),
        ("a name\nwith \"breaks\"\tand 'quotes'.txt", b"old\n".to_vec(), b"new\n".to_vec()),
        ("-rf", b"old\n".to_vec(), b"new\n".to_vec()),
        ("%41*?[x]{y}$HOME;.txt", b"old\n".to_vec(), b"new\n".to_vec()),
    ]
}

fn editctl(daemon: &TestDaemon, words: &[&OsStr]) -> Output {
    daemon.editctl().args(words).output().unwrap()
}

#[test]
fn every_unusual_text_is_edited_and_undone() {
    let mut daemon = TestDaemon::new();
    daemon.put(".editd.toml", "[[encodings]]\npaths = \"latin1/**\"\nencoding = \"windows-1252\"\n");
    for (name, before, _) in texts() {
        daemon.put(name, before);
    }
    let before = FileTree::of(daemon.workspace());
    daemon.start();
    let mut client = daemon.client("wire");
    for (name, _, after) in texts() {
        let edit = json!({"op": "replace", "old": "old", "new": "new"});
        jobs::applied(&client.ask_json(kind::EDIT, &jobs::one(name, edit)));
        assert_eq!(daemon.get(name), after, "{name}");
        jobs::applied(&client.ask_json(kind::UNDO, &json!({"path": name})));
    }
    assert_eq!(before.differences(&FileTree::of(daemon.workspace())), [""; 0]);
    for (name, raw, after) in texts() {
        let path = format!("./{name}");
        let read = editctl(&daemon, &["read", "--", &path].map(OsStr::new));
        assert_eq!(read.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&read.stderr));
        if !name.starts_with("utf16") && !name.starts_with("latin1") && !name.starts_with("bom") {
            assert!(read.stdout == raw, "{name}: read prints the file byte for byte");
        }
        let done = editctl(&daemon, &["replace", "--", &path, "old", "new"].map(OsStr::new));
        assert_eq!(done.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(daemon.get(name), after, "{name}");
        let back = editctl(&daemon, &["undo"].map(OsStr::new));
        assert_eq!(back.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&back.stderr));
    }
    assert_eq!(before.differences(&FileTree::of(daemon.workspace())), [""; 0]);
}

#[test]
fn editctl_accepts_names_that_are_no_text() {
    let mut daemon = TestDaemon::new();
    let names: [&[u8]; 3] = [b"\xff\xfe.txt", b"caf\xe9", b"x/\x80\n\x1b[31m.txt"];
    fs::create_dir(daemon.workspace().join("x")).unwrap();
    for name in names {
        fs::write(daemon.workspace().join(OsStr::from_bytes(name)), "old\n").unwrap();
    }
    let before = FileTree::of(daemon.workspace());
    daemon.start();
    for name in names {
        let (place, path) = (daemon.workspace().join(OsStr::from_bytes(name)), OsStr::from_bytes(name));
        let read = editctl(&daemon, &[OsStr::new("read"), path]);
        assert_eq!(read.stdout, b"old\n", "{}", String::from_utf8_lossy(&read.stderr));
        let done = editctl(&daemon, &[OsStr::new("replace"), path, OsStr::new("old"), OsStr::new("new")]);
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        assert!(!done.stdout.contains(&0x1b), "a name is no command for a terminal: {done:?}");
        assert_eq!(fs::read(&place).unwrap(), b"new\n");
        let log = editctl(&daemon, &[OsStr::new("log"), OsStr::new("--path"), path]);
        assert!(log.status.success() && !log.stdout.is_empty() && !log.stdout.contains(&0x1b), "{log:?}");
        let json = editctl(&daemon, &[OsStr::new("--json"), OsStr::new("log"), OsStr::new("--path"), path]);
        let json: Value = serde_json::from_slice(&json.stdout).unwrap();
        let shown: FilePath = serde_json::from_value(json["entries"][0]["files"][0]["path"].clone()).unwrap();
        assert_eq!(shown.as_bytes(), name);
        let back = editctl(&daemon, &[OsStr::new("undo"), OsStr::new("--path"), path]);
        assert_eq!(back.status.code(), Some(0), "{}", String::from_utf8_lossy(&back.stderr));
    }
    assert_eq!(before.differences(&FileTree::of(daemon.workspace())), [""; 0]);
}

#[test]
fn content_that_is_no_text_is_refused_and_unchanged() {
    let mut daemon = TestDaemon::new();
    daemon.put("nul.bin", b"old\0\n");
    daemon.put("latin1.txt", b"caf\xe9 old\n");
    daemon.put("empty.txt", "");
    fs::create_dir(daemon.workspace().join("folder")).unwrap();
    let fifo = make_fifo(&daemon.workspace().join("fifo"));
    let large = File::create(daemon.workspace().join("large.txt")).unwrap();
    large.set_len(64 * 1024 * 1024 + 1).unwrap();
    let before = FileTree::of(daemon.workspace());
    daemon.start();
    let mut client = daemon.client("a");
    let mut expected = vec![
        ("nul.bin", vec!["binary"]),
        ("latin1.txt", vec!["encoding"]),
        ("empty.txt", vec!["not_found"]),
        ("large.txt", vec!["too_large"]),
        ("folder", vec!["unsupported", "io", "malformed"]),
        ("none.txt", vec!["missing"]),
    ];
    if fifo.is_ok() {
        expected.push(("fifo", vec!["unsupported", "io"]));
    }
    for (name, codes) in expected {
        let job = jobs::one(name, json!({"op": "replace", "old": "old", "new": "new"}));
        let reply = client.ask_json(kind::EDIT, &job);
        let code = jobs::code(&reply).unwrap_or_else(|| panic!("{name}: {reply}"));
        assert!(codes.contains(&code), "{name}: {reply}");
        jobs::refused(&reply, code);
        let path = OsStr::new(name);
        let done = editctl(&daemon, &[OsStr::new("replace"), path, OsStr::new("old"), OsStr::new("new")]);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(matches!(done.status.code(), Some(1 | 5)) && said.contains(code), "{name}: {said}");
    }
    // A read of them is bytes where they can be shown, and a word where not.
    let bytes: ReadReply = client.ask(kind::READ, &json!({"path": "nul.bin"})).unwrap();
    assert_eq!((bytes.encoding.as_str(), bytes.bytes.as_deref()), ("binary", Some(b"old\0\n".as_slice())));
    jobs::refused(&client.ask_json(kind::READ, &json!({"path": "large.txt"})), "too_large");
    assert_eq!(before.differences(&FileTree::of(daemon.workspace())), [""; 0]);
    // A job may not make what is too large, either.
    daemon.put("near.txt", "x".repeat(60 * 1024 * 1024));
    let more = "y".repeat(5 * 1024 * 1024);
    jobs::refused(&client.ask_json(kind::EDIT, &jobs::append("near.txt", &more)), "too_large");
    assert_eq!(daemon.get("near.txt").len(), 60 * 1024 * 1024);
}
