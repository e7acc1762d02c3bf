//! A merge agrees with git's: what git merges without a conflict has the same result here, and what conflicts
//! there conflicts here. What a merge starts from is found without the contents that are kept for convenience, as
//! long as the journal has every change since.

use std::cell::Cell;
use std::path::Path;
use std::process::Command;

use editd_engine::{apply, merge, splices_between};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
#[cfg(unix)]
use {
    editd_proto::message::kind,
    editd_tests::{house::House, jobs},
    serde_json::json,
};

/// What becomes of one line of the base.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Keep,
    Drop,
    /// Into a line of the side's own.
    Own,
    /// Into what the other side may make of it too.
    Shared,
    /// A line of its own before it.
    Before,
}

fn deeds() -> impl Strategy<Value = Vec<(Deed, Deed)>> {
    let deed = prop_oneof![
        12 => Just(Deed::Keep),
        1 => Just(Deed::Drop),
        1 => Just(Deed::Own),
        1 => Just(Deed::Shared),
        1 => Just(Deed::Before),
    ];
    prop::collection::vec((deed.clone(), deed), 0..16)
}

/// The lines are all different, so that no diff may choose what moved.
fn side(deeds: impl Iterator<Item = Deed>, name: &str, ended: bool) -> String {
    let line = |(i, deed)| match deed {
        Deed::Keep => format!("{i}\n"),
        Deed::Drop => String::new(),
        Deed::Own => format!("{name}{i}\n"),
        Deed::Shared => format!("both{i}\n"),
        Deed::Before => format!("{name}{i}\n{i}\n"),
    };
    let mut text: String = deeds.enumerate().map(line).collect();
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

fn git(folder: &Path, base: &str, wanted: &str, current: &str) -> Option<String> {
    for (name, text) in [("base", base), ("wanted", wanted), ("current", current)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let mut git = Command::new("git");
    git.current_dir(folder).args(["merge-file", "-p", "-q", "current", "base", "wanted"]);
    let out = git.output().unwrap();
    match out.status.code() {
        Some(0) => Some(String::from_utf8(out.stdout).unwrap()),
        Some(1..128) => None,
        _ => panic!("git: {}", String::from_utf8_lossy(&out.stderr)),
    }
}

#[test]
fn what_git_merges_is_merged_alike_and_what_conflicts_there_conflicts_here() {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("not asked: there is no git here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
    let files = (deeds(), any::<bool>());
    let conflicts = Cell::new(0);
    let agreed = TestRunner::new(config).run(&files, |(deeds, ended)| {
        let base = side(deeds.iter().map(|_| Deed::Keep), "", ended);
        let wanted = side(deeds.iter().map(|(a, _)| *a), "a", ended);
        let current = side(deeds.iter().map(|(_, b)| *b), "b", ended);
        let git = git(folder.path(), &base, &wanted, &current);
        conflicts.set(conflicts.get() + usize::from(git.is_none()));
        prop_assert_eq!(ours(&base, &wanted, &current), git, "{:?} {:?} {:?}", base, wanted, current);
        Ok(())
    });
    agreed.unwrap();
    assert!((30..270).contains(&conflicts.get()), "{} conflicts: the files are no test", conflicts.get());
}

/// A job that changes one line into another.
#[cfg(unix)]
fn turn(old: &str, new: &str) -> serde_json::Value {
    let edit = json!({ "op": "replace", "old": old, "new": new });
    json!({ "on_stale": "rebase", "files": [{ "path": "a.txt", "edits": [edit] }] })
}

/// Starts the daemon again without any content that it kept.
#[cfg(unix)]
fn forget(house: &mut House) {
    house.stop();
    let mut lost = 0;
    let mut folders = vec![house.folder("state")];
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
    house.start();
}

#[cfg(unix)]
#[test]
fn without_kept_contents_the_journal_tells_what_a_merge_starts_from() {
    let mut house = House::new();
    house.put("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    house.start();
    let read = json!({ "path": "a.txt" });
    let edit = |house: &House, session: &str, job| house.client(session).ask_json(kind::EDIT, &job);
    for session in ["a", "b"] {
        house.client(session).ask_json(kind::READ, &read);
    }
    jobs::applied(&edit(&house, "b", turn("five", "5")));
    forget(&mut house);
    let own = edit(&house, "a", turn("one", "1"));
    jobs::applied(&own);
    assert_eq!(own["rebased"], true, "{own}");
    jobs::applied(&edit(&house, "b", turn("5", "V")));
    forget(&mut house);
    let undone = house.client("a").ask_json(kind::UNDO, &json!({ "on_stale": "rebase" }));
    jobs::applied(&undone);
    assert_eq!(undone["rebased"], true, "{undone}");
    assert_eq!(house.get("a.txt"), b"one\ntwo\nthree\nfour\nV\n");

    // What others did outside is in the journal only where what was there before was known.
    house.client("a").ask_json(kind::READ, &read);
    forget(&mut house);
    house.put("a.txt", "one\ntwo\nthree\nfour\nF\n");
    let refused = edit(&house, "a", turn("one", "1"));
    jobs::refused(&refused, "stale");
    assert!(refused["error"]["message"].as_str().unwrap().contains("not held any more"), "{refused}");
    assert_eq!(house.get("a.txt"), b"one\ntwo\nthree\nfour\nF\n");
}
