//! `export` and `import`: a journal that was exported and imported in a fresh copy of the workspace lists, shows, restores
//! and undoes as before, also after a part of it was pruned or forgotten. An export is consistent while jobs run.

mod hostile;
mod interrupted;

use std::fs;
use std::path::{Path, PathBuf};

use editd_proto::message::{ContentReply, kind};
use editd_tests::client::RequestFailure;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// Runs `editctl`, and returns its output; a failure is returned as the error.
fn editctl(daemon: &TestDaemon, words: &[&str]) -> Result<Vec<u8>, String> {
    let output = daemon.editctl().args(words).output().unwrap();
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Exports the journal, with more words on the command line.
fn export(daemon: &TestDaemon, words: &[&str]) -> PathBuf {
    let file = daemon.folder("home").join("journal.jsonl");
    let words = [&["export", "--force", file.to_str().unwrap()], words].concat();
    editctl(daemon, &words).unwrap();
    file
}

/// Makes a fresh copy of a workspace, without its journal, and imports a file there. The copy is not started.
fn imported(from: &TestDaemon, file: &Path) -> Result<(TestDaemon, Value), String> {
    let copy = TestDaemon::new();
    for path in editd_tests::tree::FileTree::of(from.workspace()).nodes.keys() {
        let path = Path::new(std::ffi::OsStr::new(std::str::from_utf8(path).unwrap_or_default()));
        let place = from.workspace().join(path);
        if place.is_file() && !path.starts_with(".editd") {
            fs::create_dir_all(copy.workspace().join(path).parent().unwrap()).unwrap();
            fs::copy(place, copy.workspace().join(path)).unwrap();
        }
    }
    let report = editctl(&copy, &["--json", "import", file.to_str().unwrap()])?;
    Ok((copy, serde_json::from_slice(&report).unwrap()))
}

/// Returns the lines of an exported file.
fn lines(file: &Path) -> Vec<Value> {
    fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns everything that a daemon replies about its journal.
fn replies(daemon: &TestDaemon) -> Vec<Value> {
    let mut client = daemon.client("s");
    let history = client.ask_json(kind::HISTORY, &json!({ "limit": 1000 }));
    let mut all = vec![history.clone()];
    for entry in history["entries"].as_array().unwrap() {
        all.push(client.ask_json(kind::SHOW, &json!({ "job": entry["id"] })));
        for file in entry["files"].as_array().unwrap() {
            for side in ["before", "after"] {
                let request = json!({ "job": entry["id"], "path": file["path"], "side": side });
                all.push(match client.ask::<ContentReply>(kind::CONTENT, &request) {
                    Ok(part) => json!([part.version, part.size, blake3::hash(&part.bytes).to_hex().as_str()]),
                    Err(RequestFailure::Refused(error)) => json!(error),
                    Err(lost) => panic!("{lost:?}"),
                });
            }
        }
    }
    let clips = client.ask_json(kind::CLIP, &json!({ "action": "list" }));
    for clip in clips["clips"].as_array().unwrap() {
        all.push(client.ask_json(kind::CLIP, &json!({ "action": "show", "name": clip["name"] })));
    }
    all.push(clips);
    all
}

const KEYED: &str = "the key";

fn keyed() -> Value {
    jobs::with(jobs::append("a.txt", "five\n"), "key", json!(KEYED))
}

/// Makes entries of every kind. Returns the number of the detached job.
fn fill(daemon: &TestDaemon) -> u64 {
    let mut client = daemon.client("s");
    let mut edit = |job: Value| jobs::applied(&client.ask_json(kind::EDIT, &job));
    edit(jobs::with(jobs::write("a.txt", "one\ntwo\nthree\nfour\n"), "label", json!("the first\u{1b}[31m")));
    edit(keyed());
    // Text of several lines of the export, with characters that would lie across their ends.
    edit(jobs::write("long.txt", &"äß€𝄞\n".repeat(80_000)));
    edit(jobs::one(
        "long.txt",
        json!({ "op": "lines", "start": 70_000, "end": 70_000, "text": "changed\n" }),
    ));
    daemon.put("data.bin", (0..=255).cycle().take(700_000).collect::<Vec<u8>>());
    edit(jobs::one("data.bin", json!({ "op": "delete" })));
    edit(jobs::one(
        "a.txt",
        json!({ "op": "lines", "start": 2, "end": 2, "text": "", "to_clipboard": "cut" }),
    ));
    edit(jobs::one("a.txt", json!({ "op": "chmod", "mode": "755" })));
    edit(json!({ "files": [
        { "path": "new/b.txt", "edits": [{ "op": "create", "text": "b\n" }] },
        { "path": "new/c.txt", "edits": [{ "op": "create", "text": "" }] },
    ] }));
    edit(jobs::one("new/b.txt", json!({ "op": "rename", "to": "moved.txt" })));
    // Another program changes a file, and the next job notices.
    daemon.put("a.txt", "one\nmine\nthree\nfour\nfive\n");
    edit(jobs::append("a.txt", "six\n"));
    daemon.put("secret.env", "PASSWORD=1\n");
    edit(jobs::append("secret.env", "PASSWORD=2\n"));
    edit(jobs::append("a.txt", "seven\n"));
    let detached = jobs::with(jobs::append("d.txt", "d\n"), "detach", json!(true));
    let detached = jobs::number(&client.ask_json(kind::EDIT, &detached));
    jobs::applied(&client.ask_json(kind::WAIT, &json!({ "job": detached })));
    for (name, text) in [("own", "text"), ("/shared", "a\u{0}b")] {
        client.ask_json(kind::CLIP, &json!({ "action": "set", "name": name, "text": text }));
    }
    client.ask_json(kind::FORGET, &json!({ "path": "secret.env" }));
    let undone = client.ask_json(kind::UNDO, &json!({ "jobs": [4] }));
    jobs::applied(&undone);
    jobs::applied(&client.ask_json(kind::UNDO, &json!({ "jobs": [undone["job"]] })));
    jobs::applied(&client.ask_json(kind::UNDO, &json!({ "jobs": [4] })));
    detached
}

#[test]
fn an_imported_journal_replies_as_the_exported_one() {
    let daemon = TestDaemon::started();
    let detached = fill(&daemon);
    let file = export(&daemon, &[]);
    let before = replies(&daemon);
    let (mut copy, report) = imported(&daemon, &file).unwrap();
    let entries = before[0]["entries"].as_array().unwrap().len();
    assert_eq!((&report["entries"], &report["clipboards"]), (&json!(entries), &json!(3)), "{report}");
    let tree = editd_tests::tree::FileTree::of(copy.workspace());
    copy.start();
    let after = replies(&copy);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before, after);
    }
    assert_eq!(before.len(), after.len());
    let unchanged = editd_tests::tree::FileTree::of(copy.workspace());
    let files = |tree: &editd_tests::tree::FileTree| -> Vec<(Vec<u8>, editd_tests::tree::TreeNode)> {
        let own = tree.nodes.clone().into_iter();
        own.filter(|(path, _)| !path.starts_with(b".editd")).collect()
    };
    assert_eq!(files(&tree), files(&unchanged));
    // A key is known, and so is the number of a detached job.
    let mut client = copy.client("s");
    assert_eq!(client.ask_json(kind::EDIT, &keyed())["repeated"], true);
    jobs::applied(&client.ask_json(kind::WAIT, &json!({ "job": detached })));
    // Undo of an external change, of a deletion and of several files.
    for daemon in [&daemon, &copy] {
        let mut client = daemon.client("s");
        for entry in before[0]["entries"].as_array().unwrap().iter().filter(|entry| entry["undone"] != true) {
            client.ask_json(kind::UNDO, &json!({ "jobs": [entry["id"]], "on_stale": "rebase" }));
        }
    }
    let undone = [&daemon, &copy].map(|daemon| files(&editd_tests::tree::FileTree::of(daemon.workspace())));
    assert_eq!(undone[0], undone[1]);
    let mut kept = daemon.client("s").ask_json(kind::HISTORY, &json!({ "limit": 1000 }));
    let mut restored = copy.client("s").ask_json(kind::HISTORY, &json!({ "limit": 1000 }));
    for reply in [&mut kept, &mut restored] {
        reply["entries"].as_array_mut().unwrap().iter_mut().for_each(|entry| entry["time"] = Value::Null);
    }
    assert_eq!(kept, restored);
    // A second start, from the database this time.
    copy.stop();
    copy.start();
    // What was imported can be exported again.
    let again = export(&copy, &[]);
    imported(&copy, &again).unwrap();
}

#[cfg(unix)]
#[test]
fn a_file_is_private_readable_by_other_tools_and_never_replaced_unasked() {
    use std::os::unix::fs::PermissionsExt;

    let daemon = TestDaemon::started();
    fill(&daemon);
    let file = export(&daemon, &[]);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o600);
    let lines = lines(&file);
    assert_eq!(lines[0]["format"], "editd-journal");
    assert_eq!(lines[0]["version"], 1);
    // Every entry, with the files and changes that it announces.
    let of_type = |wanted: &str| lines.iter().filter(|line| line["type"] == wanted).count() as u64;
    let sum = |kind: &str, field: &str| -> u64 {
        lines.iter().filter(|line| line["type"] == kind).filter_map(|line| line[field].as_u64()).sum()
    };
    assert_eq!(sum("entry", "files"), of_type("file"));
    assert_eq!(sum("file", "changes"), of_type("change"));
    assert!(lines.iter().any(|line| line["absent"] == "forgotten"));
    assert!(!fs::read_to_string(&file).unwrap().contains("PASSWORD"));
    // The checksum is that of the bytes before the last line, as `sha256sum` computes it.
    let whole = fs::read(&file).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    fs::write(daemon.folder("home").join("part"), &whole[..last]).unwrap();
    let sum = daemon.command("sha256sum").arg(daemon.folder("home").join("part")).output().unwrap();
    let end = lines.last().unwrap();
    assert!(sum.stdout.starts_with(end["sha256"].as_str().unwrap().as_bytes()));
    assert_eq!(end["lines"], lines.len() as u64 - 1);
    // The same on standard output, except for the time.
    let out = editctl(&daemon, &["export", "-"]).unwrap();
    assert_eq!(out.len(), whole.len());
    // Without --force, nothing is replaced, and nothing is left.
    let said = editctl(&daemon, &["export", file.to_str().unwrap()]).unwrap_err();
    assert!(said.contains("--force"), "{said}");
    assert_eq!(fs::read(&file).unwrap(), whole);
    let said = editctl(&daemon, &["export", "--since", "99", file.to_str().unwrap(), "--force"]).unwrap_err();
    assert!(said.contains("no entry 99"), "{said}");
    assert_eq!(fs::read(&file).unwrap(), whole);
    let names = fs::read_dir(file.parent().unwrap()).unwrap();
    let left =
        names.filter(|name| name.as_ref().unwrap().file_name().to_string_lossy().starts_with(".journal"));
    assert_eq!(left.count(), 0);
}

#[test]
fn an_export_since_an_entry_can_be_imported() {
    let daemon = TestDaemon::started();
    fill(&daemon);
    let file = export(&daemon, &["--since", "5"]);
    assert_eq!((&lines(&file)[0]["since"], &lines(&file)[0]["first"]), (&json!(5), &json!(5)));
    let (mut copy, report) = imported(&daemon, &file).unwrap();
    assert_eq!((&report["since"], &report["first"]), (&json!(5), &json!(5)), "{report}");
    copy.start();
    let (whole, part) = (replies(&daemon), replies(&copy));
    let (whole, part) = (whole[0]["entries"].as_array().unwrap(), part[0]["entries"].as_array().unwrap());
    assert_eq!(part.len() + 4, whole.len());
    assert_eq!(part, &whole[..part.len()]);
    let said = editctl(&copy, &["show", "3"]).unwrap_err();
    assert!(said.contains("no entry 3"), "{said}");
    // The next job gets the next number.
    let applied = copy.client("s").ask_json(kind::EDIT, &jobs::append("a.txt", "more\n"));
    assert_eq!(jobs::number(&applied), whole[0]["id"].as_u64().unwrap() + 1);
}

#[test]
fn an_empty_journal_is_exported_and_imported() {
    let daemon = TestDaemon::started();
    let file = export(&daemon, &[]);
    assert_eq!(lines(&file).len(), 2);
    let (mut copy, report) = imported(&daemon, &file).unwrap();
    assert_eq!(report["entries"], 0);
    copy.start();
    jobs::applied(&copy.client("s").ask_json(kind::EDIT, &jobs::write("a.txt", "one\n")));
}

#[test]
fn entries_that_retention_removes_are_absent() {
    let mut daemon = TestDaemon::trusted("keep_bytes = \"16MiB\"\n");
    daemon.stop();
    daemon.start();
    let (mut client, mut dice) = (daemon.client("s"), fastrand::Rng::with_seed(3));
    let mut noise = || -> String { std::iter::repeat_with(|| dice.alphanumeric()).take(700_000).collect() };
    for _ in 0..50 {
        let _applied_or_busy = client.ask_json(kind::EDIT, &jobs::write("a.txt", &noise()));
    }
    let first = editd_tests::wait::until("entries are removed", editd_tests::wait::LONG, || {
        let _applied_or_busy = client.ask_json(kind::EDIT, &jobs::write("a.txt", &noise()));
        let lines = lines(&export(&daemon, &["--since", "1"]));
        let first = lines[0]["first"].as_u64().unwrap();
        let absent = json!({ "type": "absent", "entries": [1, first - 1], "reason": "pruned" });
        (first > 1).then(|| assert_eq!(lines[1], absent)).map(|()| first)
    });
    let (_, report) = imported(&daemon, &export(&daemon, &[])).unwrap();
    assert!(report["first"].as_u64().unwrap() >= first, "{report}");
}

#[test]
fn an_export_while_jobs_run_ends_with_the_entry_that_was_the_last() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    for n in 0..400 {
        jobs::applied(
            &client.ask_json(kind::EDIT, &jobs::write("a.txt", &format!("{n} {}\n", "x".repeat(20_000)))),
        );
    }
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for name in ["b.txt", "c.txt"] {
            let (stop, daemon) = (&stop, &daemon);
            scope.spawn(move || {
                let mut client = daemon.client(name);
                for n in 0.. {
                    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write(name, &format!("{n}\n"))));
                    if stop.load(std::sync::atomic::Ordering::Relaxed) {
                        return;
                    }
                }
            });
        }
        for _ in 0..5 {
            let file = export(&daemon, &[]);
            let lines = lines(&file);
            let last = lines[0]["last"].as_u64().unwrap();
            let of_type = |wanted: &'static str| lines.iter().filter(move |line| line["type"] == wanted);
            let mut listed: Vec<u64> = of_type("entry").map(|line| line["id"].as_u64().unwrap()).collect();
            // A job that had begun and not ended is named, too.
            listed.extend(of_type("absent").map(|line| line["entries"][0].as_u64().unwrap()));
            listed.sort_unstable();
            assert_eq!(listed, (1..=last).collect::<Vec<u64>>());
            imported(&daemon, &file).unwrap();
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
