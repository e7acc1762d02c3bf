//! Renames in `editctl diff`, `show`, `log` and `report`: they are shown as git shows them, and the diff applies.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use editd_tests::{jobs, tree};
use serde_json::{Value, json};

use super::{apply, done, in_json, is_there, job, replace};

/// The names before and after, and an edit: a text and another one in its place.
type RenamedFile = (&'static str, &'static str, Option<(&'static str, &'static str)>);

/// The renames of the entry.
const RENAMES: [RenamedFile; 7] = [
    ("src/pure.txt", "p q/\u{e9} pure.txt", None),
    ("edited.rs", "src/edited.rs", Some(("three", "3"))),
    ("a \"b\".txt", "c \"d\".txt", Some(("one", "1"))),
    ("logo.bin", "img/logo.bin", None),
    ("latin.txt", "latin-1.txt", None),
    ("run.sh", "bin/run.sh", None),
    ("empty", "nothing", None),
];

fn text(lines: usize) -> String {
    let words = ["one", "two", "three", "four", "five", "six", "seven"];
    words.iter().take(lines).map(|word| format!("{word} is a line\n")).collect()
}

/// A workspace after one entry with all renames, the number of the entry, and a copy of the tree before.
fn renamed() -> (TestDaemon, u64, PathBuf) {
    let mut daemon = TestDaemon::new();
    daemon.put("src/pure.txt", text(3));
    daemon.put("edited.rs", text(7));
    daemon.put("a \"b\".txt", text(4));
    daemon.put("logo.bin", &b"\0\x01\x02"[..]);
    daemon.put("latin.txt", &b"caf\xe9\nold\n"[..]);
    daemon.put("run.sh", "#!/bin/sh\n");
    daemon.put("empty", "");
    set_executable(&daemon.workspace().join("run.sh"));
    let before = daemon.folder("home").join("before");
    tree::copy(daemon.workspace(), &before);
    daemon.start();
    let file = |(from, to, edit): RenamedFile| {
        let rename = json!({ "op": "rename", "to": to });
        let edit = edit.map(|(old, new)| json!({ "op": "replace", "old": old, "new": new }));
        let edits: Vec<Value> = edit.into_iter().chain([rename]).collect();
        json!({ "path": from, "base": "any", "edits": edits })
    };
    let files: Vec<Value> = RENAMES.into_iter().map(file).collect();
    let entry = job(&daemon, "alice", json!({ "files": files }));
    (daemon, entry, before)
}

fn set_executable(path: &Path) {
    let mut mode = fs::metadata(path).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(path, mode).unwrap();
}

/// Runs git in a folder; returns what it prints.
fn git(folder: &Path, words: &[&str]) -> String {
    let settings = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.quotePath=false"];
    let output = Command::new("git").args(settings).args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the lines about renames in a diff, in their order.
fn headers(diff: &str) -> Vec<String> {
    let is_header = |line: &&str| ["similarity ", "rename "].iter().any(|word| line.starts_with(word));
    diff.lines().filter(is_header).map(str::to_owned).collect()
}

/// Applies a diff to copies of a tree with git and patch, which must give the workspace.
fn assert_applies(daemon: &TestDaemon, before: &Path, diff: &[u8]) {
    for (program, words) in [("git", &["apply"][..]), ("patch", &["-p1", "--batch", "-i"])] {
        if !is_there(program) {
            continue;
        }
        let folder = daemon.folder("home").join(program);
        let _ = fs::remove_dir_all(&folder);
        tree::copy(before, &folder);
        apply(program, words, &folder, diff);
        let _ = fs::remove_dir(folder.join("src"));
        let _ = fs::create_dir(folder.join("src"));
        let differences = FileTree::of(&folder).differences(&FileTree::of(daemon.workspace()));
        assert!(differences.is_empty(), "{program}: {differences:?}\n{}", String::from_utf8_lossy(diff));
    }
}

#[test]
fn renames_are_shown_as_git_shows_them_and_apply() {
    let (daemon, entry, before) = renamed();
    let diff = done(&daemon, &["diff", "--session", "alice"]);
    assert_applies(&daemon, &before, &diff);
    let shown = done(&daemon, &["show", &entry.to_string()]);
    assert_applies(&daemon, &before, &shown);
    let (diff, shown) = (String::from_utf8(diff).unwrap(), String::from_utf8(shown).unwrap());
    assert!(!diff.contains("/dev/null") && !diff.contains("not shown"), "{diff}");
    assert!(
        diff.contains("-three is a line\n+3 is a line\n") && !diff.contains("-one is a line\n-two"),
        "{diff}"
    );
    let mut ours = [headers(&diff), headers(&shown)];
    ours.iter_mut().for_each(|lines| lines.sort());
    assert_eq!(ours[0], ours[1]);
    assert_eq!(ours[0].iter().filter(|line| line.starts_with("rename from ")).count(), RENAMES.len());
    if is_there("git") {
        git(&before, &["init", "-q"]);
        git(&before, &["add", "-A"]);
        git(&before, &["commit", "-qm", "before"]);
        for found in fs::read_dir(&before).unwrap().map(Result::unwrap) {
            let path = found.path();
            match path.is_dir() {
                true if path.ends_with(".git") => {}
                true => fs::remove_dir_all(path).unwrap(),
                false => fs::remove_file(path).unwrap(),
            }
        }
        tree::copy(daemon.workspace(), &before);
        git(&before, &["add", "-A"]);
        let mut theirs = headers(&git(&before, &["diff", "--cached", "-M", "--no-color"]));
        theirs.sort();
        assert_eq!(ours[0], theirs);
    }
}

#[test]
fn the_log_and_the_page_have_renames_as_one_file() {
    let (daemon, entry, _) = renamed();
    let log = String::from_utf8(done(&daemon, &["log"])).unwrap();
    assert!(log.contains("    run.sh \u{2192} bin/run.sh  renamed\n"), "{log}");
    let page = String::from_utf8(done(&daemon, &["report", "--since", "1", "--html", "-"])).unwrap();
    for expected in [
        "<h3>run.sh \u{2192} bin/run.sh</h3> <span class=\"count\">+0 \u{2212}0</span> <span class=\"quiet\">renamed</span>",
        "<h3>edited.rs \u{2192} src/edited.rs</h3> <span class=\"count\">+1 \u{2212}1</span>",
        "<code>empty \u{2192} nothing</code>  renamed",
        "7 files, ",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    // The fields of the protocol stay; those about renames are beside them.
    let shown = in_json(&daemon, &["show", &entry.to_string()]);
    assert_eq!(shown["changes"].as_array().unwrap().len(), 14, "{shown}");
    assert_eq!(shown["renames"].as_array().unwrap().len(), 7, "{shown}");
    let log = in_json(&daemon, &["log"]);
    let (files, renames) = (&log["entries"][0]["files"], &log["entries"][0]["renames"]);
    assert_eq!((files.as_array().unwrap().len(), renames.as_array().unwrap().len()), (14, 5), "{log}");
    assert_eq!((&renames[0]["from"], &renames[0]["similarity"]), (&json!("src/pure.txt"), &json!(100)));
    let net = in_json(&daemon, &["diff", "--since", "1"]);
    let of = |path: &str| net["files"].as_array().unwrap().iter().find(|file| file["path"] == path).unwrap();
    let (old, new) = (of("edited.rs"), of("src/edited.rs"));
    assert_eq!(
        (&old["status"], &old["removed"], &old["renamed_to"]),
        (&json!("deleted"), &json!(7), &json!("src/edited.rs"))
    );
    assert!(old["diff"].as_str().unwrap().contains("deleted file mode"), "{old}");
    assert_eq!(
        (&new["status"], &new["added"], &new["rename"]["from"]),
        (&json!("created"), &json!(7), &json!("edited.rs"))
    );
    assert_eq!((&new["rename"]["added"], &new["rename"]["removed"]), (&json!(1), &json!(1)), "{new}");
    assert!(new["rename"]["diff"].as_str().unwrap().contains("rename from edited.rs\n"), "{new}");
}

#[test]
fn a_rename_is_found_over_several_entries_and_not_among_unlike_files() {
    let daemon = TestDaemon::started();
    let create = |path: &str, text: &str| {
        job(&daemon, "setup", jobs::one(path, json!({ "op": "create", "text": text })));
    };
    create("a.txt", &text(7));
    create("gone.txt", "nothing that others have\n");
    daemon.put("b.txt", "");
    let rename = |from: &str, to: &str| jobs::one(from, json!({ "op": "rename", "to": to }));
    job(&daemon, "alice", rename("a.txt", "d/a.txt"));
    replace(&daemon, "alice", "d/a.txt", "five", "5");
    job(&daemon, "alice", rename("d/a.txt", "e/a.txt"));
    job(&daemon, "alice", jobs::one("gone.txt", json!({ "op": "delete" })));
    job(&daemon, "alice", jobs::one("made.txt", json!({ "op": "create", "text": "other words\n" })));
    let diff = String::from_utf8(done(&daemon, &["diff", "--session", "alice"])).unwrap();
    assert!(diff.contains("similarity index 85%\nrename from a.txt\nrename to e/a.txt\n"), "{diff}");
    assert!(!diff.contains("d/a.txt"), "{diff}");
    assert!(diff.contains("deleted file mode") && diff.contains("new file mode"), "{diff}");
    // The rest of an entry whose other half was undone is no rename.
    let entry = job(&daemon, "bob", rename("made.txt", "moved.txt"));
    let undone = json!({ "jobs": [entry], "paths": ["made.txt"] });
    jobs::applied(&daemon.client("bob").ask_json(kind::UNDO, &undone));
    let log = String::from_utf8(done(&daemon, &["log", "--session", "bob"])).unwrap();
    assert!(log.contains("    made.txt  +0 -1 gone  undone\n    moved.txt  +1 -0 new\n"), "{log}");
}
