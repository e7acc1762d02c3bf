//! *Inside*: no path leads out of the workspace, through the protocol and through `editctl`, also while a folder is
//! replaced by a link during jobs. It compares a folder outside before and after.

#[cfg(target_os = "linux")]
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(target_os = "linux")]
use std::thread;

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use serde_json::{Value, json};

/// Returns a workspace, and a folder beside it that no job may touch.
fn beside() -> (TestDaemon, PathBuf) {
    let daemon = TestDaemon::new();
    let outside = daemon.folder("outside");
    fs::create_dir_all(outside.join("sub")).unwrap();
    for name in ["f.txt", "sub/f.txt", "secret.txt"] {
        fs::write(outside.join(name), "outside\n").unwrap();
    }
    daemon.put("in.txt", "inside\n");
    daemon.put("d/f.txt", "inside\n");
    symlink(&outside, daemon.workspace().join("out")).unwrap();
    symlink("../outside/f.txt", daemon.workspace().join("file-out")).unwrap();
    symlink("../outside/none.txt", daemon.workspace().join("nowhere")).unwrap();
    symlink("../out/sub", daemon.workspace().join("d/deep")).unwrap();
    symlink("d", daemon.workspace().join("stays")).unwrap();
    (daemon, outside)
}

/// Names that lead out, or to what the daemon keeps for itself.
fn ways_out(outside: &Path) -> Vec<String> {
    let mut ways: Vec<String> = [
        "..",
        "../outside/f.txt",
        "d/../../outside/f.txt",
        "./../outside/f.txt",
        "d/deep/../../../outside/f.txt",
        "none/../../outside/f.txt",
        "out/f.txt",
        "out/new.txt",
        "out/new/folder.txt",
        "out/sub/../f.txt",
        "stays/deep/f.txt",
        "d/deep/f.txt",
        "d/deep/new.txt",
        "file-out",
        "nowhere",
        "/etc/hostname",
        "//etc/hostname",
        "/",
        ".editd/new.txt",
        ".editd/staging/new.txt",
        "./.editd/lock",
        "d/../.editd/new.txt",
    ]
    .map(str::to_owned)
    .to_vec();
    ways.push(outside.join("f.txt").to_str().unwrap().to_owned());
    ways
}

/// Everything that a job can do with a path that leads out, alone and beside a path that stays.
fn attempts(way: &str) -> Vec<Value> {
    let op = |edit: Value| jobs::one(way, edit);
    let inner = |edit: Value| jobs::one("in.txt", edit);
    vec![
        op(json!({"op": "write", "text": "changed\n"})),
        op(json!({"op": "insert", "at": "end", "text": "changed\n"})),
        op(json!({"op": "replace", "old": "outside", "new": "changed"})),
        op(json!({"op": "create"})),
        op(json!({"op": "delete"})),
        op(json!({"op": "chmod", "mode": "600"})),
        op(json!({"op": "rename", "to": "taken.txt"})),
        op(json!({"op": "copy", "to": "taken.txt"})),
        inner(json!({"op": "rename", "to": way, "overwrite": true})),
        inner(json!({"op": "copy", "to": way, "overwrite": true})),
        inner(json!({"op": "rename", "to": way})),
        json!({"files": [
            {"path": "in.txt", "base": "any", "edits": [{"op": "write", "text": "changed\n"}]},
            {"path": way, "base": "any", "edits": [{"op": "write", "text": "changed\n"}]},
        ]}),
    ]
}

#[test]
fn no_request_reaches_beyond_the_workspace() {
    let (mut daemon, outside) = beside();
    daemon.start();
    let (here, there) = (FileTree::of(daemon.workspace()), FileTree::of(&outside));
    let mut client = daemon.client("a");
    for way in ways_out(&outside) {
        let read = client.ask_json(kind::READ, &json!({ "path": way }));
        assert_eq!(jobs::code(&read), Some("outside"), "{way}: {read}");
        for job in attempts(&way) {
            let reply = client.ask_json(kind::EDIT, &job);
            assert_eq!(jobs::status(&reply), "refused", "{way}: {job}: {reply}");
            // What is done to a name, and not to a file, stops at the link itself.
            let is_link = reply["error"]["message"].as_str().is_some_and(|said| said.contains("is a link"));
            let code = if is_link { "unsupported" } else { "outside" };
            assert_eq!(jobs::code(&reply), Some(code), "{way}: {job}: {reply}");
        }
        let log = client.ask_json(kind::HISTORY, &json!({ "path": way }));
        assert!(log["entries"].as_array().is_none_or(Vec::is_empty), "{way}: {log}");
    }
    assert_eq!(here.differences(&FileTree::of(daemon.workspace())), [""; 0]);
    assert_eq!(there.differences(&FileTree::of(&outside)), [""; 0]);
    // What only looks as if it left does not.
    for (way, same) in [("stays/f.txt", "d/f.txt"), ("./d//f.txt", "d/f.txt"), ("d/./f.txt", "d/f.txt")] {
        let read = client.ask_json(kind::READ, &json!({ "path": way }));
        assert_eq!(read["path"], same, "{way}: {read}");
    }
}

#[test]
fn the_own_folder_of_the_daemon_is_recognized_under_other_names() {
    let daemon = TestDaemon::started();
    daemon.put("d/f.txt", "inside\n");
    let (own, moved) = (daemon.workspace().join(".editd"), daemon.workspace().join("d/moved"));
    fs::hard_link(own.join("lock"), daemon.workspace().join("second")).unwrap();
    fs::rename(&own, &moved).unwrap();
    let before = FileTree::of(&moved);
    for way in
        ["second", "d/moved/lock", "d/moved/.gitignore", "d/moved/staging/new.txt", "d/moved/new/new.txt"]
    {
        let reply =
            daemon.client("a").ask_json(kind::EDIT, &jobs::one(way, json!({"op": "write", "text": "x"})));
        jobs::refused(&reply, "outside");
    }
    assert_eq!(before.differences(&FileTree::of(&moved)), [""; 0]);
}

#[test]
fn invalid_names_are_refused_with_a_code() {
    let (mut daemon, _) = beside();
    daemon.start();
    let mut client = daemon.client("a");
    let long = "x".repeat(256);
    let deep = "d/".repeat(3000);
    for way in ["", "a\0b", "in.txt/below.txt", &long, &deep] {
        for job in [jobs::write(way, "x"), jobs::one("in.txt", json!({"op": "copy", "to": way}))] {
            let reply = client.ask_json(kind::EDIT, &job);
            let code = jobs::code(&reply).unwrap_or_else(|| panic!("{way:.20?}: {reply}"));
            assert!(
                ["malformed", "io", "missing", "too_large", "exists"].contains(&code),
                "{way:.20?}: {reply}"
            );
            jobs::refused(&reply, code);
        }
    }
    assert_eq!(daemon.get("in.txt"), b"inside\n");
}

#[test]
fn the_command_line_reaches_no_further() {
    let (mut daemon, outside) = beside();
    daemon.start();
    let (here, there) = (FileTree::of(daemon.workspace()), FileTree::of(&outside));
    for way in ways_out(&outside) {
        for words in [
            vec!["read", &way],
            vec!["replace", &way, "outside", "changed"],
            vec!["--base", "any", "edit", "--path", &way, "-"],
        ] {
            let output = editctl(&daemon, &words);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
            assert!(output.stdout.is_empty() && said.contains("outside"), "{words:?}: {said}");
        }
    }
    assert_eq!(here.differences(&FileTree::of(daemon.workspace())), [""; 0]);
    assert_eq!(there.differences(&FileTree::of(&outside)), [""; 0]);
}

fn editctl(daemon: &TestDaemon, words: &[&str]) -> Output {
    let mut command = daemon.editctl();
    if words.last() == Some(&"-") {
        let job = daemon.folder("home").join("job.json");
        fs::write(&job, r#"[{"op": "write", "text": "changed\n"}]"#).unwrap();
        command.stdin(fs::File::open(job).unwrap());
    }
    command.args(words).output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_repeatedly_swapped_for_a_link_leads_no_request_out() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    let (mut daemon, outside) = beside();
    daemon.start();
    let there = FileTree::of(&outside);
    let (folder, link) = (daemon.workspace().join("d"), daemon.workspace().join("out"));
    let done = AtomicBool::new(false);
    let swap = || renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE).unwrap();
    let (mut applied, mut refused) = (0, 0);
    thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            let mut swaps = 0_u64;
            while !done.load(Ordering::Relaxed) {
                swap();
                swaps += 1;
                // Both states last a moment, now short and now long, so that jobs meet either.
                (0..swaps % 400).for_each(|_| thread::yield_now());
            }
            swaps
        });
        let workers: Vec<_> = (0..4)
            .map(|nth| {
                let daemon = &daemon;
                scope.spawn(move || hammer(daemon, nth))
            })
            .collect();
        let mut ends: BTreeMap<String, usize> = BTreeMap::new();
        for end in workers.into_iter().flat_map(|worker| worker.join().unwrap()) {
            *ends.entry(end).or_default() += 1;
        }
        done.store(true, Ordering::Relaxed);
        println!("{} swaps: {ends:?}", swapper.join().unwrap());
        applied = ends.remove("applied").unwrap_or(0);
        refused = ends.remove("outside").unwrap_or(0);
    });
    assert_eq!(there.differences(&FileTree::of(&outside)), [""; 0]);
    assert!(applied > 0 && refused > 0, "the race was never one: {applied} applied, {refused} refused");
    // All is settled, taken back, and still nothing was touched there.
    daemon.stop();
    daemon.start();
    let mut client = daemon.client("swap 0");
    client.ask_json(kind::UNDO, &json!({ "since": 0, "session": "swap 0" }));
    daemon.stop();
    assert_eq!(there.differences(&FileTree::of(&outside)), [""; 0]);
}

/// Jobs of every kind through the folder that is swapped; returns how each ended.
#[cfg(target_os = "linux")]
fn hammer(daemon: &TestDaemon, nth: usize) -> Vec<String> {
    let mut client = daemon.client(&format!("swap {nth}"));
    let mut made = "d/f.txt".to_owned();
    let job = |step: usize, made: &str| match step % 5 {
        0 => jobs::write(&format!("d/new-{nth}-{step}.txt"), "made\n"),
        1 => jobs::append("d/f.txt", "line\n"),
        2 => jobs::one("d/f.txt", json!({"op": "copy", "to": format!("d/copy-{nth}-{step}.txt")})),
        3 => jobs::one(made, json!({"op": "rename", "to": format!("d/moved-{nth}-{step}.txt")})),
        _ => jobs::write(&format!("d/made-{nth}-{step}/below/f.txt"), "made\n"),
    };
    let allowed = ["outside", "stale", "missing", "busy", "conflict", "exists", "io"];
    (0..150)
        .map(|step| {
            let job = job(step, &made);
            let reply = client.ask_json(kind::EDIT, &job);
            if jobs::status(&reply) == "applied" {
                if step % 5 == 0 {
                    made = job["files"][0]["path"].as_str().unwrap().to_owned();
                }
                return "applied".to_owned();
            }
            let code = jobs::code(&reply).unwrap_or("no code");
            assert!(allowed.contains(&code), "{job}: {reply}");
            code.to_owned()
        })
        .collect()
}
