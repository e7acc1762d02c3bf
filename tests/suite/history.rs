//! `editctl diff`, `blame` and `report` with a real daemon: two sessions and other programs change a tree, and the
//! commands show it.

mod blame;
mod browser;
mod diff;
#[cfg(unix)]
mod renames;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use editd_tests::{binaries, jobs, tree};
use serde_json::{Value, json};

/// A name that a page must escape, and that a diff must quote.
const HOSTILE: &str = "<script>alert(\"1\")\u{1b}[31m.html";

/// A daemon whose workspace is changed, and a copy of the tree before.
struct ChangedTree {
    daemon: TestDaemon,
    before: PathBuf,
}

/// The end of a run.
#[derive(Debug)]
struct Done {
    status: Option<i32>,
    out: Vec<u8>,
    err: String,
}

impl Done {
    fn text(&self) -> String {
        String::from_utf8(self.out.clone()).unwrap()
    }
}

/// Runs `editctl` in a session of its own.
fn run(daemon: &TestDaemon, words: &[&str]) -> Done {
    let output = daemon.editctl().env("EDITCTL_SESSION", "reviewer").args(words).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    Done { status: output.status.code(), out: output.stdout, err }
}

/// Runs a command, which must succeed without a note.
#[track_caller]
fn done(daemon: &TestDaemon, words: &[&str]) -> Vec<u8> {
    let done = run(daemon, words);
    assert!(done.status == Some(0) && done.err.is_empty(), "{words:?}: {done:?}");
    done.out
}

#[track_caller]
fn in_json(daemon: &TestDaemon, words: &[&str]) -> Value {
    serde_json::from_slice(&done(daemon, &[words, &["--json"]].concat())).unwrap()
}

/// Runs a job of a session, which must be applied. Returns the number of its entry.
#[track_caller]
fn job(daemon: &TestDaemon, session: &str, job: Value) -> u64 {
    let reply = daemon.client(session).ask_json(kind::EDIT, &job);
    jobs::applied(&reply);
    jobs::number(&reply)
}

/// Replaces a text that occurs once.
#[track_caller]
fn replace(daemon: &TestDaemon, session: &str, path: &str, old: &str, new: &str) -> u64 {
    let edit = json!({ "op": "replace", "old": old, "new": new });
    let label = format!("{old} to {new}");
    job(daemon, session, jobs::with(jobs::one(path, edit), "label", json!(label)))
}

/// Undoes an entry as a session, or redoes it.
#[track_caller]
fn undo(daemon: &TestDaemon, session: &str, kind: &str, entry: u64) -> u64 {
    let reply = daemon.client(session).ask_json(kind, &json!({ "jobs": [entry], "on_stale": "rebase" }));
    jobs::applied(&reply);
    jobs::number(&reply)
}

/// Applies a diff in a folder with a program; fails if it does not apply.
fn apply(program: &str, words: &[&str], folder: &Path, diff: &[u8]) {
    let file = folder.with_file_name("the.diff");
    fs::write(&file, diff).unwrap();
    let output = Command::new(program).args(words).arg(&file).current_dir(folder).output().unwrap();
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{program} {words:?}: {said}\n{}", String::from_utf8_lossy(diff));
}

fn is_there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        eprintln!("{program} is absent: a test is skipped");
    }
    there
}

impl ChangedTree {
    fn new() -> Self {
        let mut daemon = TestDaemon::new();
        for (path, text) in [
            ("a.txt", &b"one\ntwo\nthree\nfour\nfive\n"[..]),
            ("crlf.txt", b"keep\r\nold\r\nbare\rreturn\r\n"),
            ("no end.txt", b"first\nno end"),
            ("bin.dat", b"\0\x01\x02"),
            ("gone.txt", b"bye\n"),
            ("main.rs", b"fn main() {\n    one();\n    two();\n}\n"),
            ("run.sh", b"#!/bin/sh\n"),
            ("latin.txt", b"caf\xe9\nold\n"),
            ("hollow.txt", b""),
            (HOSTILE, b"<h1>&amp; old</h1>\n"),
        ] {
            daemon.put(path, text);
        }
        let before = daemon.folder("home").join("before");
        tree::copy(daemon.workspace(), &before);
        daemon.start();
        Self { daemon, before }
    }

    /// The same after two sessions and another program have changed it.
    fn changed() -> Self {
        let tree = Self::new();
        let daemon = &tree.daemon;
        assert_eq!(replace(daemon, "alice", "a.txt", "two", "TWO"), 1);
        assert_eq!(replace(daemon, "bob", "a.txt", "four", "FOUR"), 2);
        daemon.put("a.txt", "zero\none\nTWO\nthree\nFOUR\nfive\n");
        assert_eq!(replace(daemon, "alice", "a.txt", "five", "FIVE"), 4);
        undo(daemon, "alice", kind::UNDO, 4);
        let file = |path: &str, edits: Value| json!({ "path": path, "base": "any", "edits": edits });
        let entries = json!([
            file("new.txt", json!([{ "op": "create", "text": "fresh\nlines" }])),
            file("empty.txt", json!([{ "op": "create", "text": "" }])),
            file("gone.txt", json!([{ "op": "delete" }])),
            file("bin.dat", json!([{ "op": "delete" }])),
            file("run.sh", json!([{ "op": "chmod", "mode": "755" }])),
        ]);
        job(daemon, "alice", json!({ "files": entries, "label": "<img src=x onerror=alert(1)>" }));
        let rename = json!([
            { "op": "replace", "old": "two();", "new": "2();" },
            { "op": "rename", "to": "src/lib.rs" },
        ]);
        job(daemon, "alice", json!({ "files": [file("main.rs", rename)], "label": "move main" }));
        for (path, old, new) in
            [("crlf.txt", "old", "new"), ("no end.txt", "no end", "still none"), (HOSTILE, "old", "new")]
        {
            replace(daemon, "alice", path, old, new);
        }
        replace(daemon, "bob", "src/lib.rs", "one();", "uno();");
        tree
    }

    /// Asserts that the copy, without files that a diff cannot have, is like the workspace.
    #[track_caller]
    fn assert_same(&self, copy: &Path, removed: &[&str]) {
        removed.iter().for_each(|path| fs::remove_file(copy.join(path)).unwrap());
        let differences = FileTree::of(copy).differences(&FileTree::of(self.daemon.workspace()));
        assert!(differences.is_empty(), "{differences:?}");
    }
}

#[test]
fn the_commands_have_their_help_and_their_refusals() {
    let daemon = TestDaemon::started();
    for name in ["diff", "blame", "report"] {
        let help = String::from_utf8(done(&daemon, &[name, "--help"])).unwrap();
        assert!(help.contains(&format!("Usage: editctl {name}")), "{help}");
    }
    for (words, status, expected) in [
        (&["blame"][..], 2, "<PATH>"),
        (&["report"], 2, "--html"),
        (&["diff", "--since", "yesterday"], 2, "an age (2h)"),
        (&["blame", "none.txt"], 1, "there is no file none.txt"),
        (&["blame", "../x"], 1, "x"),
        (&["--no-spawn", "--workspace", "/", "diff"], 4, "no daemon serves"),
    ] {
        let done = run(&daemon, words);
        assert!(done.status == Some(status) && done.err.contains(expected), "{words:?}: {done:?}");
    }
    let refused = run(&daemon, &["blame", "none.txt", "--json"]);
    let error: Value = serde_json::from_slice(&refused.out).unwrap();
    assert_eq!((error["error"]["code"].as_str(), refused.status), (Some("missing"), Some(1)));
    // Without `editctl`, the program does the same.
    let output = daemon.command(binaries::editctl_history()).args(["diff", "--since", "1"]).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no entries match"), "{output:?}");
}
