//! Merges agree with git's: a merge without conflict has the same result here, and a conflict there is one here;
//! among equal lines there are more. The base of a merge is found without the cached contents, as long as the journal
//! has every change since.

use std::path::Path;
use std::process::Command;

use editd_engine::{apply, merge, splices_between};
use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::json;

/// Files that git is asked about.
const FILES: usize = 300;

/// The change of one line of the base.
#[derive(Clone, Copy, Debug)]
enum LineChange {
    Keep,
    Drop,
    /// Into a line of the side's own.
    Own,
    /// Into what the other side may make of it too.
    Shared,
    /// A line of its own before it.
    Before,
}

fn changes() -> impl Strategy<Value = Vec<(LineChange, LineChange)>> {
    let change = prop_oneof![
        12 => Just(LineChange::Keep),
        1 => Just(LineChange::Drop),
        1 => Just(LineChange::Own),
        1 => Just(LineChange::Shared),
        1 => Just(LineChange::Before),
    ];
    prop::collection::vec((change.clone(), change), 0..16)
}

/// The lines are all different, so that no diff may choose what moved.
fn side(changes: impl Iterator<Item = LineChange>, name: &str, ended: bool) -> String {
    let line = |(i, change)| match change {
        LineChange::Keep => format!("{i}\n"),
        LineChange::Drop => String::new(),
        LineChange::Own => format!("{name}{i}\n"),
        LineChange::Shared => format!("both{i}\n"),
        LineChange::Before => format!("{name}{i}\n{i}\n"),
    };
    let mut text: String = changes.enumerate().map(line).collect();
    if !ended {
        text.pop();
    }
    text
}

fn ours(base: &str, wanted: &str, current: &str) -> Option<String> {
    let wanted = splices_between(base.as_bytes(), wanted.as_bytes());
    let splices = merge(base.as_bytes(), &wanted, current.as_bytes(), None).ok()?;
    Some(String::from_utf8(apply(current.as_bytes(), &splices).unwrap()).unwrap())
}

/// A base, what one side wants, and what the other made.
type MergeInput = [String; 3];

/// Returns the merge of each by git; `None` for a conflict. One process merges all: starting a process duplicates
/// open files for a moment, and the daemons of tests beside this one would take that for a writer.
fn git(folder: &Path, files: &[MergeInput]) -> Vec<Option<String>> {
    let place = |at: usize, name: &str| folder.join(format!("{at:04}")).join(name);
    for (at, three) in files.iter().enumerate() {
        std::fs::create_dir(folder.join(format!("{at:04}"))).unwrap();
        for (name, text) in ["base", "wanted", "current"].iter().zip(three) {
            std::fs::write(place(at, name), text).unwrap();
        }
    }
    let each = "git merge-file -p -q $d/current $d/base $d/wanted >$d/merged; echo $? >$d/code";
    let mut shell = Command::new("sh");
    let done =
        shell.current_dir(folder).args(["-c", &format!("for d in *; do {each}; done")]).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let read = |at, name| std::fs::read_to_string(place(at, name)).unwrap();
    let merged = |at| match read(at, "code").trim().parse() {
        Ok(0) => Some(read(at, "merged")),
        Ok(1..128) => None,
        other => panic!("git ended with {other:?}: {}", String::from_utf8_lossy(&done.stderr)),
    };
    (0..files.len()).map(merged).collect()
}

#[test]
fn merges_and_conflicts_agree_with_git() {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("not asked: there is no git here");
        return;
    }
    let mut runner =
        TestRunner::new(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() });
    let files: Vec<MergeInput> = (0..FILES)
        .map(|_| {
            let (changes, ended) = (changes(), any::<bool>()).new_tree(&mut runner).unwrap().current();
            [
                side(changes.iter().map(|_| LineChange::Keep), "", ended),
                side(changes.iter().map(|(a, _)| *a), "a", ended),
                side(changes.iter().map(|(_, b)| *b), "b", ended),
            ]
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let merged = git(folder.path(), &files);
    for (three, merged) in files.iter().zip(&merged) {
        let [base, wanted, current] = three;
        assert_eq!(ours(base, wanted, current), *merged, "{three:?}");
    }
    let conflicts = merged.iter().filter(|merged| merged.is_none()).count();
    assert!(
        (FILES / 10..FILES * 9 / 10).contains(&conflicts),
        "{conflicts} conflicts: the files are no test"
    );
}

/// Lines of which many are equal.
fn few(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["a\n", "b\n", "\n"]), count)
}

/// Changes one of several equal lines on one side: adds a block, or removes one.
fn changed(base: &[&str], at: usize, block: &[&str], adds: bool) -> String {
    let at = at.min(base.len());
    let end = if adds { at } else { (at + block.len()).min(base.len()) };
    [&base[..at], if adds { block } else { &[] }, &base[end..]].concat().concat()
}

#[test]
fn merges_among_equal_lines_agree_with_git() {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("not asked: there is no git here");
        return;
    }
    let mut runner =
        TestRunner::new(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() });
    let side = || (0_usize..12, few(1..4), any::<bool>());
    let files: Vec<MergeInput> = (0..FILES)
        .map(|_| {
            let (base, ours, theirs) = (few(0..12), side(), side()).new_tree(&mut runner).unwrap().current();
            let [wanted, current] = [ours, theirs].map(|(at, block, adds)| changed(&base, at, &block, adds));
            [base.concat(), wanted, current]
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let mut alike = 0;
    for (three, merged) in files.iter().zip(git(folder.path(), &files)) {
        let [base, wanted, current] = three;
        // A conflict where git chooses one of several places is right too: nobody said which was meant.
        let Some(made) = ours(base, wanted, current) else { continue };
        assert_eq!(Some(made), merged, "{three:?}");
        alike += 1;
    }
    assert!(alike > FILES / 10, "{alike} merged: the files are no test");
}

/// A job that changes one line into another.
fn turn(old: &str, new: &str) -> serde_json::Value {
    let edit = json!({ "op": "replace", "old": old, "new": new });
    json!({ "on_stale": "rebase", "files": [{ "path": "a.txt", "edits": [edit] }] })
}

/// Starts the daemon again without any content that it kept.
fn forget(daemon: &mut TestDaemon) {
    daemon.stop();
    let mut lost = 0;
    let mut folders = vec![daemon.folder("state")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
            if entry.file_name() == "contents" {
                std::fs::remove_dir_all(entry.path()).unwrap();
                lost += 1;
            } else {
                folders.push(entry.path());
            }
        }
    }
    assert_eq!(lost, 1, "contents are kept somewhere else now");
    daemon.start();
}

#[test]
fn without_cached_contents_the_journal_rebuilds_the_base_of_a_merge() {
    let mut daemon = TestDaemon::new();
    daemon.put("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    daemon.start();
    let read = json!({ "path": "a.txt" });
    let edit = |daemon: &TestDaemon, session: &str, job| daemon.client(session).ask_json(kind::EDIT, &job);
    for session in ["a", "b"] {
        daemon.client(session).ask_json(kind::READ, &read);
    }
    jobs::applied(&edit(&daemon, "b", turn("five", "5")));
    forget(&mut daemon);
    let own = edit(&daemon, "a", turn("one", "1"));
    jobs::applied(&own);
    assert_eq!(own["rebased"], true, "{own}");
    jobs::applied(&edit(&daemon, "b", turn("5", "V")));
    forget(&mut daemon);
    let undone = daemon.client("a").ask_json(kind::UNDO, &json!({ "on_stale": "rebase" }));
    jobs::applied(&undone);
    assert_eq!(undone["rebased"], true, "{undone}");
    assert_eq!(daemon.get("a.txt"), b"one\ntwo\nthree\nfour\nV\n");

    // The same for a change by another program: the journal has what was there before.
    daemon.client("a").ask_json(kind::READ, &read);
    forget(&mut daemon);
    daemon.put("a.txt", "one\ntwo\nthree\nfour\nF\n");
    let own = edit(&daemon, "a", turn("one", "1"));
    jobs::applied(&own);
    assert_eq!(own["rebased"], true, "{own}");
    assert_eq!(daemon.get("a.txt"), b"1\ntwo\nthree\nfour\nF\n");
}
