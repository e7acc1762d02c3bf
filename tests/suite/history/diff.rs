//! `editctl diff`: what it prints, applied to a copy of the tree before, gives the tree after.

use std::fs;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use editd_tests::{jobs, tree};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use super::{ChangedTree, apply, done, in_json, is_there, job, replace, run, undo};

#[test]
fn the_diff_applies_to_the_tree_before_and_gives_the_tree_after() {
    let tree = ChangedTree::changed();
    let daemon = &tree.daemon;
    for path in ["latin.txt", "hollow.txt"] {
        job(daemon, "alice", jobs::one(path, json!({ "op": "delete" })));
    }
    let diff = done(daemon, &["diff", "--since", "1"]);
    let text = String::from_utf8_lossy(&diff);
    assert!(text.starts_with("# bin.dat deleted, not shown: binary\n"), "{text}");
    assert!(text.contains("diff --git \"a/<script>alert(\\\"1\\\")\\033[31m.html\" \""), "{text}");
    assert!(!text.contains("FIVE") && text.contains("\\ No newline"), "{text}");
    if is_there("git") {
        let folder = daemon.folder("home").join("git");
        tree::copy(&tree.before, &folder);
        apply("git", &["apply"], &folder, &diff);
        tree.assert_same(&folder, &["bin.dat"]);
    }
    if is_there("patch") {
        apply("patch", &["-p1", "--batch", "-i"], &tree.before, &diff);
        tree.assert_same(&tree.before, &["bin.dat"]);
    }
}

#[test]
fn a_session_has_its_own_changes() {
    let tree = ChangedTree::changed();
    let daemon = &tree.daemon;
    let shown = String::from_utf8(done(daemon, &["diff", "--session", "bob"])).unwrap();
    let expected = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,5 @@\n one\n TWO\n three\n\
                    -four\n+FOUR\n five\n\
                    diff --git a/src/lib.rs b/src/lib.rs\n--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1,4 +1,4 @@\n \
                    fn main() {\n-    one();\n+    uno();\n     2();\n }\n";
    assert_eq!(shown, expected);
    let paths = in_json(daemon, &["diff", "--session", "bob", "src"]);
    assert_eq!(paths["files"].as_array().unwrap().len(), 1, "{paths}");
    assert_eq!((&paths["entries"], &paths["files"][0]["path"]), (&json!(1), &json!("src/lib.rs")));
    // The default is the session of the command.
    let none = run(daemon, &["diff"]);
    assert!(none.out.is_empty() && none.err.contains("session reviewer has no entries here"), "{none:?}");
    // The note names the sessions that edited last, and how to choose them.
    assert!(
        none.err.contains("the last edits are by --session ") && none.err.contains("--session bob (entry "),
        "{none:?}"
    );
    assert!(!none.err.contains("--session outside"), "{none:?}");
    replace(daemon, "reviewer", "crlf.txt", "keep", "kept");
    assert!(String::from_utf8(done(daemon, &["diff"])).unwrap().contains("\n-keep\r\n+kept\r\n"));
    let since = String::from_utf8(done(daemon, &["diff", "--since", "30m", "a.txt"])).unwrap();
    assert!(since.contains("+zero\n one\n-two\n+TWO\n"), "{since}");
    assert!(run(daemon, &["diff", "--since", "2100-01-01T00:00"]).err.contains("no entries match"));
}

#[test]
fn work_that_others_undid_leaves_no_trace() {
    let tree = ChangedTree::new();
    let daemon = &tree.daemon;
    let first = replace(daemon, "alice", "a.txt", "two", "TWO");
    undo(daemon, "bob", kind::UNDO, first);
    assert!(done(daemon, &["diff", "--session", "alice"]).is_empty());
    // What another session changes before the next edit is not that edit's.
    replace(daemon, "bob", "a.txt", "four", "FOUR");
    let last = replace(daemon, "alice", "a.txt", "one", "ONE");
    let shown = String::from_utf8(done(daemon, &["diff", "--session", "alice"])).unwrap();
    assert!(shown.contains("-one\n+ONE\n") && !shown.contains("-four"), "{shown}");
    // The undo keeps the line that another session changed meanwhile.
    replace(daemon, "bob", "a.txt", "five", "FIVE");
    undo(daemon, "bob", kind::UNDO, last);
    assert!(done(daemon, &["diff", "--session", "alice"]).is_empty());
    undo(daemon, "bob", kind::REDO, last);
    let shown = String::from_utf8(done(daemon, &["diff", "--session", "alice"])).unwrap();
    assert!(shown.contains("-one\n+ONE\n"), "{shown}");
}

#[test]
fn contents_that_are_gone_are_named() {
    let tree = ChangedTree::new();
    let daemon = &tree.daemon;
    replace(daemon, "alice", "a.txt", "two", "TWO");
    replace(daemon, "alice", "crlf.txt", "old", "new");
    done(daemon, &["forget", "a.txt"]);
    let shown = in_json(daemon, &["diff", "--session", "alice"]);
    let [first, second] = shown["files"].as_array().unwrap().as_slice() else { panic!("{shown}") };
    assert!(first["omitted"].as_str().unwrap().contains("editctl forget"), "{shown}");
    assert!(first["diff"].is_null() && second["diff"].is_string(), "{shown}");
    let text = String::from_utf8(done(daemon, &["diff", "--session", "alice"])).unwrap();
    assert!(text.starts_with("# a.txt modified, not shown: "), "{text}");
}

/// A step of a random session: it acts on one of a few paths.
#[derive(Clone, Debug)]
enum Step {
    Write(usize, String),
    Delete(usize),
    Rename(usize, usize),
    Mode(usize, bool),
    Outside(usize, String),
    Undo,
}

const PATHS: [&str; 4] = ["a", "b c", "d/é\"", "d/e\tf"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let line = prop_oneof![
        Just("x"),
        Just("y"),
        Just(""),
        Just("-z"),
        Just("\\ w"),
        Just("@@ -1 +1 @@"),
        Just("é\r")
    ];
    let lines = (prop::collection::vec(line, 0..9), any::<bool>());
    let text = lines.prop_map(|(lines, ended)| {
        let text = lines.join("\n");
        if ended && !text.is_empty() { text + "\n" } else { text }
    });
    let at = 0..PATHS.len();
    let step = prop_oneof![
        6 => (at.clone(), text.clone()).prop_map(|(at, text)| Step::Write(at, text)),
        2 => at.clone().prop_map(Step::Delete),
        1 => (at.clone(), at.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => (at.clone(), any::<bool>()).prop_map(|(at, set)| Step::Mode(at, set)),
        1 => (at, text).prop_map(|(at, text)| Step::Outside(at, text)),
        2 => Just(Step::Undo),
    ];
    prop::collection::vec(step, 1..12)
}

/// Does a step. Refused jobs, such as the deletion of a missing file, change nothing.
fn play(daemon: &TestDaemon, step: &Step) {
    let mut client = daemon.client("random");
    let edit = |at: usize, edit| jobs::one(PATHS[at], edit);
    let request = match step {
        Step::Write(at, text) if daemon.workspace().join(PATHS[*at]).exists() => {
            jobs::write(PATHS[*at], text)
        }
        Step::Write(at, text) => edit(*at, json!({ "op": "create", "text": text })),
        Step::Delete(at) => edit(*at, json!({ "op": "delete" })),
        Step::Rename(from, to) => edit(*from, json!({ "op": "rename", "to": PATHS[*to] })),
        Step::Mode(at, set) => edit(*at, json!({ "op": "chmod", "mode": if *set { "755" } else { "644" } })),
        Step::Outside(at, text) => {
            if daemon.workspace().join(PATHS[*at]).exists() {
                daemon.put(PATHS[*at], text);
            }
            // The daemon records the change before it appends a line.
            jobs::append(PATHS[*at], "end\n")
        }
        Step::Undo => {
            client.ask_json(kind::UNDO, &json!({}));
            return;
        }
    };
    client.ask_json(kind::EDIT, &request);
}

#[test]
fn the_diff_of_random_sessions_applies() {
    if !is_there("git") {
        return;
    }
    let daemon = TestDaemon::started();
    for path in PATHS {
        job(&daemon, "random", jobs::one(path, json!({ "op": "create", "text": "first\n" })));
    }
    let folder = daemon.folder("home").join("copy");
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    let played = TestRunner::new(config).run(&steps(), |steps| {
        let _ = fs::remove_dir_all(&folder);
        tree::copy(daemon.workspace(), &folder);
        let last = daemon.client("random").ask_json(kind::HISTORY, &json!({ "limit": 1 }));
        let first = last["entries"][0]["id"].as_u64().unwrap() + 1;
        steps.iter().for_each(|step| play(&daemon, step));
        let shown = run(&daemon, &["diff", "--since", &first.to_string()]);
        assert_eq!(shown.status, Some(0), "{shown:?}");
        if !shown.out.is_empty() {
            apply("git", &["apply"], &folder, &shown.out);
        }
        // git removes folders that become empty.
        let _ = fs::create_dir(folder.join("d"));
        // The journal does not have the mode of a file that was deleted and created again.
        for path in PATHS.iter().filter(|path| daemon.workspace().join(path).exists()) {
            let mode = fs::metadata(daemon.workspace().join(path)).unwrap().permissions();
            let _ = fs::set_permissions(folder.join(path), mode);
        }
        let differences = FileTree::of(&folder).differences(&FileTree::of(daemon.workspace()));
        prop_assert!(differences.is_empty(), "{differences:?}\n{}", String::from_utf8_lossy(&shown.out));
        Ok(())
    });
    played.unwrap_or_else(|error| panic!("{error}"));
}
