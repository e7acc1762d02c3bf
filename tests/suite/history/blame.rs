//! `editctl blame`: each kind of line has the entry that wrote it.

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

use super::{ChangedTree, Done, done, in_json, job, replace, run, undo};

/// The lines of a file, each with its origin: a number of an entry, or a word.
#[track_caller]
fn blamed(daemon: &TestDaemon, path: &str) -> Vec<(String, String)> {
    let shown = in_json(daemon, &["blame", path]);
    let lines = shown["lines"].as_array().unwrap().iter().map(|line| {
        let origin = match line["entry"].as_u64() {
            Some(entry) => entry.to_string(),
            None => line["origin"].as_str().unwrap().to_owned(),
        };
        (origin, line["text"].as_str().unwrap().to_owned())
    });
    lines.collect()
}

#[track_caller]
fn assert_blamed(daemon: &TestDaemon, path: &str, expected: &[(&str, &str)]) {
    let found = blamed(daemon, path);
    let found: Vec<(&str, &str)> = found.iter().map(|(by, text)| (by.as_str(), text.as_str())).collect();
    assert_eq!(found, expected, "{path}");
}

#[test]
fn every_kind_of_line_has_its_origin() {
    const OLD: &str = "before_journal";
    let tree = ChangedTree::changed();
    let daemon = &tree.daemon;
    assert_blamed(
        daemon,
        "a.txt",
        &[("3", "zero"), (OLD, "one"), ("1", "TWO"), (OLD, "three"), ("2", "FOUR"), (OLD, "five")],
    );
    // Followed under the former name.
    assert_blamed(
        daemon,
        "src/lib.rs",
        &[(OLD, "fn main() {"), ("11", "    uno();"), ("7", "    2();"), (OLD, "}")],
    );
    assert_blamed(daemon, "new.txt", &[("6", "fresh"), ("6", "lines")]);
    assert_blamed(daemon, "crlf.txt", &[(OLD, "keep\r"), ("8", "new\r"), (OLD, "bare\rreturn\r")]);
    assert_blamed(daemon, "no end.txt", &[(OLD, "first"), ("9", "still none")]);
    assert_blamed(daemon, "empty.txt", &[]);
    assert_blamed(daemon, "latin.txt", &[(OLD, "caf\u{fffd}"), (OLD, "old")]);
    let text = String::from_utf8(done(daemon, &["blame", "a.txt", "--lines", "1-3"])).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split_whitespace().collect()).collect();
    let [zero, one, two] = rows.as_slice() else { panic!("{text}") };
    assert_eq!((&zero[..2], &zero[4..]), (&["3", "outside"][..], &["1)", "zero"][..]), "{text}");
    assert_eq!(one.join(" "), "- before the journal 2) one");
    let label = ["two", "to", "TWO", "3)", "TWO"];
    assert_eq!((&two[..2], &two[4..]), (&["1", "alice"][..], &label[..]), "{text}");
    let entry = &in_json(daemon, &["blame", "src/lib.rs", "--lines", "2"])["entries"][0];
    assert_eq!((&entry["session"], &entry["path"]), (&json!("bob"), &json!("src/lib.rs")));
}

#[test]
fn lines_that_an_undo_or_redo_brought_back_belong_to_their_writer() {
    let tree = ChangedTree::new();
    let daemon = &tree.daemon;
    let two = replace(daemon, "alice", "a.txt", "two", "TWO");
    let again = replace(daemon, "bob", "a.txt", "TWO", "2");
    let undone = undo(daemon, "bob", kind::UNDO, again);
    let origin = |line: usize| blamed(daemon, "a.txt")[line - 1].0.clone();
    assert_eq!(origin(2), two.to_string());
    undo(daemon, "bob", kind::REDO, undone);
    assert_eq!(origin(2), again.to_string());
    // An undo that keeps what others changed meanwhile.
    let five = replace(daemon, "alice", "a.txt", "five", "FIVE");
    undo(daemon, "bob", kind::UNDO, again);
    assert_eq!((origin(2), origin(5)), (two.to_string(), five.to_string()));
    // The deletion of a file, and its undo.
    let delete = job(daemon, "alice", jobs::one("a.txt", json!({ "op": "delete" })));
    undo(daemon, "alice", kind::UNDO, delete);
    assert_eq!(
        (origin(1), origin(2), origin(5)),
        ("before_journal".into(), two.to_string(), five.to_string())
    );
}

#[test]
fn a_rename_that_was_undone_and_redone_is_followed() {
    let tree = ChangedTree::new();
    let daemon = &tree.daemon;
    let two = replace(daemon, "alice", "a.txt", "two", "TWO");
    let moved = job(daemon, "alice", jobs::one("a.txt", json!({ "op": "rename", "to": "deep/b.txt" })));
    let expected = [
        ("before_journal".to_owned(), "one".to_owned()),
        (two.to_string(), "TWO".to_owned()),
        ("before_journal".to_owned(), "three".to_owned()),
        ("before_journal".to_owned(), "four".to_owned()),
        ("before_journal".to_owned(), "five".to_owned()),
    ];
    assert_eq!(blamed(daemon, "deep/b.txt"), expected);
    let undone = undo(daemon, "alice", kind::UNDO, moved);
    assert_eq!(blamed(daemon, "a.txt"), expected);
    undo(daemon, "alice", kind::REDO, undone);
    assert_eq!(blamed(daemon, "deep/b.txt"), expected);
    // The folder of the former name is gone, and a file has its name.
    let again = jobs::one("deep/b.txt", json!({ "op": "rename", "to": "c.txt" }));
    job(daemon, "alice", again);
    let _ = std::fs::remove_dir(daemon.workspace().join("deep"));
    daemon.put("deep", "a file\n");
    assert_eq!(blamed(daemon, "c.txt"), expected);
}

#[test]
fn a_move_onto_another_file_and_a_swap_are_followed() {
    let daemon = TestDaemon::started();
    let create = |path: &str, text: &str| {
        job(&daemon, "s", jobs::one(path, json!({ "op": "create", "text": text })));
    };
    let moves = |moves: &[(&str, &str)]| {
        let files = moves.iter().map(|(from, to)| {
            let edit = json!({ "op": "rename", "to": to, "overwrite": true });
            json!({ "path": from, "base": "any", "edits": edit })
        });
        job(&daemon, "s", json!({ "files": files.collect::<Vec<_>>() }));
    };
    create("a.txt", "a1\na2\n");
    create("b.txt", "b1\nb2\n");
    moves(&[("b.txt", "a.txt")]);
    assert_blamed(&daemon, "a.txt", &[("2", "b1"), ("2", "b2")]);
    create("c.txt", "c1\n");
    moves(&[("a.txt", "t.txt"), ("c.txt", "a.txt"), ("t.txt", "c.txt")]);
    assert_blamed(&daemon, "a.txt", &[("4", "c1")]);
    assert_blamed(&daemon, "c.txt", &[("2", "b1"), ("2", "b2")]);
    // The content of the former name is not needed: it is that of the new one.
    create("d.txt", "d1\n");
    moves(&[("d.txt", "e.txt")]);
    done(&daemon, &["forget", "d.txt"]);
    assert_blamed(&daemon, "e.txt", &[("6", "d1")]);
}

#[test]
fn changes_that_the_journal_does_not_have_are_marked() {
    let tree = ChangedTree::new();
    let mut daemon = tree.daemon;
    let two = replace(&daemon, "alice", "a.txt", "two", "TWO");
    // No daemon sees this, and the command does not record it.
    daemon.stop();
    daemon.put("a.txt", "one\nTWO\nthree\nIV\nfive\n");
    daemon.start();
    let found = blamed(&daemon, "a.txt");
    assert_eq!((found[1].0.as_str(), found[3].0.as_str()), (two.to_string().as_str(), "not_in_journal"));
    assert!(
        String::from_utf8(done(&daemon, &["blame", "a.txt"])).unwrap().contains("  not in the journal  ")
    );
    done(&daemon, &["forget", "a.txt"]);
    let gone: Vec<String> = blamed(&daemon, "a.txt").into_iter().map(|(by, _)| by).collect();
    assert!(gone.iter().all(|by| by == "not_kept"), "{gone:?}");
}

/// The daemon makes the contents before about a thousand later changes, no more.
const CHANGES: u64 = 1100;

#[test]
fn a_line_is_followed_through_more_changes_than_the_daemon_makes_contents_for() {
    let tree = ChangedTree::new();
    let daemon = &tree.daemon;
    let one = replace(daemon, "alice", "a.txt", "one", "ONE");
    let mut client = daemon.client("alice");
    for nth in 0..CHANGES {
        let edit = json!({ "op": "lines", "start": 3, "end": 3, "text": format!("{nth}\n") });
        let relaxed = jobs::with(jobs::one("a.txt", edit), "durability", json!("relaxed"));
        jobs::applied(&client.ask_json(kind::EDIT, &relaxed));
    }
    let found: Vec<String> = blamed(daemon, "a.txt").into_iter().map(|(by, _)| by).collect();
    let old = "before_journal".to_owned();
    let last = (one + CHANGES).to_string();
    assert_eq!(found, [one.to_string(), old.clone(), last, old.clone(), old]);
}

#[test]
fn blame_refuses_folders_binary_files_and_missing_lines() {
    let tree = ChangedTree::new();
    tree.daemon.put("d/f.txt", "one\n");
    for (words, expected) in [
        (&["blame", "bin.dat"][..], "bin.dat is binary"),
        (&["blame", "d"], "d is a folder: name one of its files"),
        (&["blame", "none"], "there is no file none"),
        (&["blame", "a.txt", "--lines", "6-7"], "a.txt has 5 lines"),
        (&["blame", "a.txt", "--lines", "3-2"], "the last line lies before the first"),
    ] {
        let done: Done = run(&tree.daemon, words);
        assert!(done.status == Some(1) && done.err.contains(expected), "{words:?}: {done:?}");
    }
    let cut: Value = in_json(&tree.daemon, &["blame", "a.txt", "--lines", "5:"]);
    assert_eq!(cut["lines"].as_array().unwrap().len(), 1, "{cut}");
}

#[test]
fn lines_that_an_undo_to_a_mark_brought_back_belong_to_their_writer() {
    let daemon = TestDaemon::started();
    daemon.put("f.txt", "one\ntwo\n");
    daemon.client("s").ask_json(kind::READ, &json!({ "path": "f.txt" }));
    let delete = job(&daemon, "s", jobs::one("f.txt", json!({ "op": "delete" })));
    undo(&daemon, "s", kind::UNDO, delete);
    let two = replace(&daemon, "s", "f.txt", "two", "TWO");
    daemon.client("s").ask_json(kind::MARK, &json!({ "name": "m" }));
    undo(&daemon, "s", kind::UNDO, two);
    undo(&daemon, "s", kind::REDO, delete);
    let back = daemon.client("s").ask_json(kind::UNDO, &json!({ "to": "m" }));
    jobs::applied(&back);
    assert_blamed(&daemon, "f.txt", &[("before_journal", "one"), (&two.to_string(), "TWO")]);
}

#[test]
fn lines_in_place_of_a_binary_file_belong_to_their_writer() {
    let daemon = TestDaemon::started();
    daemon.put("b.bin", "x\0y\n");
    // The session of `done`.
    done(&daemon, &["read", "b.bin"]);
    let create = job(&daemon, "reviewer", jobs::one("t.txt", json!({ "op": "create", "text": "a\nb\n" })));
    let rename = json!({ "op": "rename", "to": "b.bin", "overwrite": true });
    job(&daemon, "reviewer", jobs::one("t.txt", rename));
    let create = create.to_string();
    assert_blamed(&daemon, "b.bin", &[(&create, "a"), (&create, "b")]);
}

#[cfg(unix)]
#[test]
fn a_path_through_a_link_means_the_file_there() {
    let daemon = TestDaemon::started();
    daemon.put("src/m.txt", "a\nb\n");
    for (target, link) in [("src", "lnk"), ("m.txt", "src/ml.txt")] {
        std::os::unix::fs::symlink(target, daemon.workspace().join(link)).unwrap();
    }
    let b = replace(&daemon, "s", "src/m.txt", "b", "B").to_string();
    for path in ["src/m.txt", "lnk/m.txt", "src/ml.txt"] {
        assert_blamed(&daemon, path, &[("before_journal", "a"), (&b, "B")]);
        let diff = String::from_utf8(done(&daemon, &["diff", path, "--session", "s"])).unwrap();
        assert!(diff.contains("-b\n+B\n"), "{path}: {diff}");
    }
}
