//! *Hooks*: the changes that a command makes to the files of a job belong to the job: they are in the receipt and in
//! the journal, and the job's undo reverts them. The commands are small scripts, and one real formatter.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::FileTree;
use editd_tests::{jobs, wait};
use serde_json::{Value, json};

/// One `[[after_write]]` whose script finds the file as `$1`.
fn hook(name: &str, files: &str, script: &str) -> String {
    let command = json!(["sh", "-c", script, "sh", "{file}"]);
    format!("[[after_write]]\nname = \"{name}\"\nfiles = [\"{files}\"]\ncommand = {command}\n")
}

/// Writes the file in capitals, through another file, as formatters do.
const CAPITALS: &str = r#"tr a-z A-Z <"$1" >"$1~" && mv "$1~" "$1""#;

/// A daemon whose workspace brings these commands, trusted.
fn daemon(config: &str) -> TestDaemon {
    let daemon = TestDaemon::started();
    bring(&daemon, config);
    daemon
}

fn bring(daemon: &TestDaemon, config: &str) {
    daemon.put(".editd.toml", config);
    let told = daemon.client("s").ask_json(kind::TRUST, &json!({}));
    let told = daemon.client("s").ask_json(kind::TRUST, &json!({ "hash": told["hash"] }));
    assert_eq!(told["trusted"], true, "{told}");
}

fn edit(daemon: &TestDaemon, job: &Value) -> Value {
    let receipt = daemon.client("s").ask_json(kind::EDIT, job);
    jobs::applied(&receipt);
    receipt
}

fn undo(daemon: &TestDaemon, request: Value) {
    jobs::applied(&daemon.client("s").ask_json(kind::UNDO, &request));
}

/// The kinds of all entries, oldest first.
fn kinds(daemon: &TestDaemon) -> Vec<String> {
    let history = daemon.client("s").ask_json(kind::HISTORY, &json!({}));
    let entries = history["entries"].as_array().unwrap().iter().rev();
    entries.map(|entry| entry["kind"].as_str().unwrap().to_owned()).collect()
}

fn text(daemon: &TestDaemon, path: &str) -> String {
    String::from_utf8(daemon.get(path)).unwrap()
}

#[test]
fn changes_of_a_hook_are_reported_journaled_and_known_to_the_session() {
    let daemon = daemon(&hook("capitals", "*.txt", CAPITALS));
    daemon.put("a.txt", "before\n");
    let receipt = edit(&daemon, &jobs::with(jobs::append("a.txt", "added\n"), "key", json!("k")));
    assert_eq!(text(&daemon, "a.txt"), "BEFORE\nADDED\n");
    let told = &receipt["hooks"][0];
    assert_eq!((&told["name"], &told["warnings"]), (&json!("capitals"), &Value::Null), "{receipt}");
    let file = &told["files"][0];
    assert_eq!(
        (&file["path"], &file["after"]),
        (&json!("a.txt"), &receipt["files"][0]["after"]),
        "{receipt}"
    );
    assert_ne!(file["before"], file["after"]);
    assert!(file["diff"].as_str().unwrap().contains("\n-added\n+BEFORE\n+ADDED\n"), "{receipt}");
    // What was asked for is known to the sender.
    assert_eq!(receipt["files"][0]["diff"], Value::Null, "{receipt}");

    let history = daemon.client("s").ask_json(kind::HISTORY, &json!({ "path": "a.txt" }));
    let [entry, job] = history["entries"].as_array().unwrap().as_slice() else { panic!("{history}") };
    assert_eq!((&entry["kind"], &entry["of"]), (&json!("hook"), &json!([job["id"]])), "{history}");
    assert_eq!((&entry["id"], &entry["session"]), (&told["job"], &json!("s")), "{history}");
    assert_eq!(entry["label"], "after_write capitals");
    let shown = daemon.client("s").ask_json(kind::SHOW, &json!({ "job": entry["id"] }));
    assert!(shown["changes"][0]["diff"].as_str().unwrap().contains("+ADDED"), "{shown}");

    // The session knows what stands there, and the watcher makes no second entry of it.
    let lines = json!({ "op": "lines", "start": 2, "end": 2, "text": "again\n" });
    // The hook changed the line after the job gave it its number, so that the number needs the version of the reply.
    edit(&daemon, &json!({ "files": [{ "path": "a.txt", "base": file["after"], "edits": [lines] }] }));
    assert_eq!(text(&daemon, "a.txt"), "BEFORE\nAGAIN\n");
    assert!(!kinds(&daemon).contains(&"external".to_owned()), "{:?}", kinds(&daemon));
    // The same key is told the same, also after a kill.
    let mut daemon = daemon;
    daemon.kill_and_start();
    let again = jobs::with(jobs::append("a.txt", "added\n"), "key", json!("k"));
    let again = daemon.client("s").ask_json(kind::EDIT, &again);
    assert_eq!((&again["repeated"], &again["job"]), (&json!(true), &receipt["job"]), "{again}");
    assert_eq!((&again["hooks"][0]["job"], &again["files"][0]["after"]), (&told["job"], &file["after"]));
    assert_eq!(again["hooks"][0]["files"][0]["diff"], Value::Null, "{again}");
}

#[test]
fn undo_and_redo_cover_the_job_and_its_hooks() {
    let config = hook("capitals", "*.txt", CAPITALS)
        + "[[after_write]]\nname = \"dots\"\nfiles = [\"*.txt\"]\nstdout = true\ncommand = [\"sed\", \"s/$/./\"]\n";
    let daemon = daemon(&config);
    daemon.put("a.txt", "one\n");
    daemon.put("b.md", "two\n");
    std::fs::set_permissions(daemon.workspace().join("a.txt"), PermissionsExt::from_mode(0o640)).unwrap();
    let before = FileTree::of(daemon.workspace());
    let same = |when: &str| {
        let found = before.differences(&FileTree::of(daemon.workspace()));
        assert!(found.is_empty(), "{when}: {found:?}");
    };
    let job = || {
        let mut job = jobs::append("a.txt", "three\n");
        job["files"].as_array_mut().unwrap().push(jobs::append("b.md", "four\n")["files"][0].clone());
        edit(&daemon, &job)
    };
    let receipt = job();
    assert_eq!(kinds(&daemon), ["edit", "hook", "hook"]);
    assert_eq!(
        (text(&daemon, "a.txt"), text(&daemon, "b.md")),
        ("ONE.\nTHREE.\n".into(), "two\nfour\n".into())
    );
    undo(&daemon, json!({}));
    same("the last");
    jobs::applied(&daemon.client("s").ask_json(kind::REDO, &json!({})));
    assert_eq!(text(&daemon, "a.txt"), "ONE.\nTHREE.\n");
    undo(&daemon, json!({ "jobs": [receipt["job"]] }));
    same("by number");
    let receipt = job();
    undo(&daemon, json!({ "path": "b.md" }));
    same("by a path that no hook touched");
    jobs::applied(&daemon.client("s").ask_json(kind::REDO, &json!({ "jobs": [receipt["job"]] })));
    undo(&daemon, json!({ "path": "a.txt" }));
    same("by a path");
    job();
    undo(&daemon, json!({ "session": "s" }));
    same("the session's");
    assert_eq!(text(&daemon, "a.txt"), "one\n");

    let receipt = job();
    undo(&daemon, json!({ "jobs": [receipt["hooks"][1]["job"]] }));
    assert_eq!(text(&daemon, "a.txt"), "ONE\nTHREE\n", "a hook's own number means it alone");
    undo(&daemon, json!({ "jobs": [receipt["hooks"][0]["job"]] }));
    assert_eq!(text(&daemon, "a.txt"), "one\nthree\n");
    undo(&daemon, json!({ "jobs": [receipt["job"]] }));
    same("one after the other");
}

#[test]
fn hooks_run_only_for_new_content() {
    // It keeps the permissions: other ones would be a change.
    let in_place = r#"tr a-z A-Z <"$1" >"$1~" && cat "$1~" >"$1" && rm "$1~""#;
    let daemon = daemon(&hook("capitals", "*.txt", in_place));
    daemon.put("a.txt", "a\n");
    let silent = |job: Value| {
        let receipt = daemon.client("s").ask_json(kind::EDIT, &job);
        assert_eq!(receipt["hooks"], Value::Null, "{receipt}");
        receipt
    };
    silent(jobs::one("a.txt", json!({ "op": "rename", "to": "b.txt" })));
    silent(jobs::one("b.txt", json!({ "op": "chmod", "mode": "600" })));
    silent(jobs::write("a.md", "x\n"));
    let receipt = silent(jobs::with(jobs::write("b.txt", "x\n"), "mode", json!("verify_only")));
    assert_eq!(jobs::status(&receipt), "verified");
    assert_eq!(jobs::status(&silent(jobs::write("b.txt", "a\n"))), "unchanged");
    assert_eq!(text(&daemon, "b.txt"), "a\n");
    // The command changes nothing: there is nothing to tell.
    silent(jobs::write("b.txt", "A\n"));
    undo(&daemon, json!({}));
    assert_eq!(text(&daemon, "b.txt"), "a\n");
    silent(jobs::one("b.txt", json!({ "op": "delete" })));
    assert!(!kinds(&daemon).contains(&"hook".to_owned()));
}

#[test]
fn a_hook_that_fails_is_a_warning_and_what_it_wrote_is_journaled() {
    let config = hook("half", "*.txt", r#"echo half >"$1"; echo why >&2; exit 3"#)
        + "[[after_write]]\nname = \"none\"\nfiles = [\"*.txt\"]\ncommand = [\"/no/such/program\", \"{path}\"]\n"
        + "[[after_write]]\nname = \"mute\"\nfiles = [\"*.txt\"]\nstdout = true\ncommand = [\"true\"]\n"
        + "[[after_write]]\nname = \"long\"\nfiles = [\"*.txt\"]\ntimeout = \"200ms\"\n"
        + "command = [\"sh\", \"-c\", \"echo slow >$0; sleep 60\", \"{file}\"]\n";
    let daemon = daemon(&config);
    daemon.put("a.txt", "a\n");
    let receipt = edit(&daemon, &jobs::append("a.txt", "b\n"));
    let hooks = receipt["hooks"].as_array().unwrap();
    let said: Vec<String> = hooks.iter().map(|hook| hook["warnings"].to_string()).collect();
    assert_eq!(hooks.len(), 4, "{receipt}");
    assert!(said[0].contains("a.txt: ") && said[0].contains('3') && said[0].contains("why"), "{receipt}");
    assert!(said[1].contains("not run") && said[1].contains("no/such/program"), "{receipt}");
    assert!(said[2].contains("nothing to standard output"), "{receipt}");
    assert!(said[3].contains("timed out"), "{receipt}");
    assert_eq!(text(&daemon, "a.txt"), "slow\n");
    assert_eq!(kinds(&daemon), ["edit", "hook", "hook"]);
    assert_eq!((&hooks[1]["job"], &hooks[2]["job"]), (&Value::Null, &Value::Null));
    undo(&daemon, json!({}));
    assert_eq!(text(&daemon, "a.txt"), "a\n");
}

#[test]
fn a_hook_that_removes_the_file_is_undone_with_the_job() {
    let daemon = daemon(&hook("rm", "*.txt", r#"rm "$1""#));
    daemon.put("a.txt", "a\n");
    let receipt = edit(&daemon, &jobs::append("a.txt", "b\n"));
    assert_eq!(receipt["files"][0]["after"], Value::Null, "{receipt}");
    assert!(!daemon.workspace().join("a.txt").exists());
    undo(&daemon, json!({}));
    assert_eq!(text(&daemon, "a.txt"), "a\n");
}

#[test]
fn names_that_could_be_flags_or_words_of_a_shell_are_files() {
    let config = "[[after_write]]\nname = \"path\"\nfiles = [\"**\"]\ncommand = [\"sed\", \"-i\", \"s/a/b/\", \"{path}\"]\n";
    let daemon = daemon(config);
    for path in ["-n.txt", "$(touch x)", "a b;c\n", "{file}"] {
        edit(&daemon, &jobs::write(path, "a\n"));
        assert_eq!(text(&daemon, path), "b\n", "{path}");
    }
    assert!(!daemon.workspace().join("x").exists());
}

#[test]
fn a_detached_job_reports_its_hooks_to_waiters_also_after_a_kill() {
    let mut daemon = daemon(&hook("capitals", "*.txt", CAPITALS));
    daemon.put("a.txt", "a\n");
    let queued = daemon
        .client("s")
        .ask_json(kind::EDIT, &jobs::with(jobs::append("a.txt", "b\n"), "detach", json!(true)));
    let id = jobs::number(&queued);
    for _ in 0..2 {
        let receipt = daemon.client("s").ask_json(kind::WAIT, &json!({ "job": id }));
        assert_eq!(receipt["hooks"][0]["name"], "capitals", "{receipt}");
        assert_eq!(receipt["files"][0]["after"], receipt["hooks"][0]["files"][0]["after"], "{receipt}");
        daemon.kill_and_start();
    }
    undo(&daemon, json!({ "jobs": [id] }));
    assert_eq!(text(&daemon, "a.txt"), "a\n");
}

#[test]
fn after_a_kill_in_a_hook_the_job_stands_and_the_change_is_journaled() {
    let mut daemon = TestDaemon::started();
    let mark = daemon.workspace().join("mark");
    let script = format!("echo HOOK >>\"$1\"; touch '{}'; sleep 60", mark.display());
    bring(&daemon, &(hook("capitals", "*.txt", CAPITALS) + &hook("stuck", "*.txt", &script)));
    daemon.put("a.txt", "a\n");
    let mut client = daemon.client("s");
    client.send(kind::EDIT, &jobs::append("a.txt", "b\n")).unwrap();
    wait::until("the hook has written", wait::LONG, || mark.exists().then_some(()));
    daemon.kill();
    // As if the daemon would otherwise have been too late to see it.
    assert_eq!(text(&daemon, "a.txt"), "A\nB\nHOOK\n");
    daemon.start();
    let read = daemon.client("s").ask_json(kind::READ, &json!({ "path": "a.txt" }));
    assert_eq!(read["text"], "A\nB\nHOOK\n");
    assert_eq!(kinds(&daemon), ["edit", "hook", "external"]);
    let history = daemon.client("s").ask_json(kind::HISTORY, &json!({}));
    let ids: Vec<&Value> = history["entries"].as_array().unwrap().iter().map(|entry| &entry["id"]).collect();
    assert!(
        history["entries"].as_array().unwrap().iter().all(|entry| entry["diverged"] != true),
        "{history}"
    );
    undo(&daemon, json!({ "jobs": [ids[0], ids[2]] }));
    assert_eq!(text(&daemon, "a.txt"), "a\n");
}

#[test]
fn reads_and_events_during_a_hook_record_no_outside_change() {
    let daemon = TestDaemon::started();
    let (mark, go) = (daemon.workspace().join("mark"), daemon.workspace().join("go"));
    let wait = format!("until [ -e '{}' ]; do sleep 0.02; done", go.display());
    let script = format!("echo half >\"$1\"; touch '{}'; {wait}; echo whole >\"$1\"", mark.display());
    bring(&daemon, &hook("slow", "*.txt", &script).replace("command", "timeout = \"60s\"\ncommand"));
    daemon.put("a.txt", "a\n");
    let mut watcher = daemon.client("watcher");
    watcher.ask_json(kind::SUBSCRIBE, &json!({ "globs": ["*.txt"] }));
    let mut client = daemon.client("s");
    client.send(kind::EDIT, &jobs::append("a.txt", "b\n")).unwrap();
    wait::until("the hook is at work", wait::LONG, || mark.exists().then_some(()));
    let mut reader = daemon.client("reader");
    let read = reader.ask_json(kind::READ, &json!({ "path": "a.txt" }));
    assert_eq!(read["text"], "half\n", "others are not held up");
    std::fs::write(&go, "").unwrap();
    let receipt: Value = client.receive().unwrap().body().unwrap();
    jobs::applied(&receipt);
    let by_hook = loop {
        let event: Value = watcher.receive().unwrap().body().unwrap();
        if event["by"] == "hook" {
            break event;
        }
        assert_ne!(event["by"], "external", "{event}");
    };
    assert_eq!((&by_hook["entry"], &by_hook["path"]), (&receipt["hooks"][0]["job"], &json!("a.txt")));
    assert_eq!(kinds(&daemon), ["edit", "hook"]);
    let stale = json!({ "op": "replace", "old": "half", "new": "x" });
    let stale = reader.ask_json(kind::EDIT, &json!({ "files": [{ "path": "a.txt", "edits": [stale] }] }));
    jobs::refused(&stale, "stale");
    assert_eq!(stale["error"]["by"], receipt["hooks"][0]["job"], "{stale}");
    undo(&daemon, json!({}));
    assert_eq!(text(&daemon, "a.txt"), "a\n");
}

#[test]
fn a_hook_result_that_is_no_file_is_left_and_reported() {
    let scripts =
        ["rm \"$1\"; ln -s /etc/passwd \"$1\"", "rm \"$1\"; mkdir \"$1\"", "rm \"$1\"; mkfifo \"$1\""];
    for script in scripts {
        let daemon = daemon(&hook("odd", "*.txt", script));
        let receipt = edit(&daemon, &jobs::write("a.txt", "a\n"));
        let hooks = receipt["hooks"].as_array().unwrap();
        assert!(hooks[0]["job"].is_null() && hooks[0]["warnings"][0].is_string(), "{receipt}");
        edit(&daemon, &jobs::write("b.md", "the daemon lives\n"));
    }
}

#[test]
fn a_job_that_its_hook_reverts_is_undone_once() {
    let daemon = daemon(&hook("strip", "*.txt", "sed -i 's/[ ]*$//' \"$1\""));
    daemon.put("a.txt", "one\n");
    let first = edit(&daemon, &jobs::append("a.txt", "two\n"));
    let spaces = edit(&daemon, &jobs::append("a.txt", "  "));
    assert!(spaces["hooks"][0]["job"].is_number(), "{spaces}");
    let undone = |daemon: &TestDaemon| -> Vec<Value> {
        let history = daemon.client("s").ask_json(kind::HISTORY, &json!({}));
        let entries = history["entries"].as_array().unwrap().iter();
        entries.filter(|entry| entry["undone"] == true).map(|entry| entry["id"].clone()).collect()
    };
    let both = [spaces["hooks"][0]["job"].clone(), spaces["job"].clone()];
    let mut daemon = daemon;
    undo(&daemon, json!({}));
    assert_eq!(undone(&daemon), both);
    daemon.kill_and_start();
    assert_eq!(undone(&daemon), both);
    jobs::applied(&daemon.client("s").ask_json(kind::REDO, &json!({})));
    assert_eq!(undone(&daemon), Vec::<Value>::new());
    undo(&daemon, json!({}));
    undo(&daemon, json!({}));
    assert_eq!((undone(&daemon).contains(&first["job"]), text(&daemon, "a.txt")), (true, "one\n".into()));
    let all = daemon.client("s").ask_json(kind::UNDO, &json!({ "session": "s" }));
    assert_eq!((jobs::status(&all), &all["job"]), ("unchanged", &Value::Null), "{all}");
    let nothing = daemon.client("s").ask_json(kind::UNDO, &json!({}));
    jobs::refused(&nothing, "not_found");
    let shown = daemon.client("s").ask_json(kind::CHECK, &json!({})).to_string();
    assert!(!shown.contains("\"bad\""), "{shown}");
}

#[test]
fn permissions_set_by_a_hook_are_undone_with_the_job() {
    let daemon = daemon(&hook("executable", "*.sh", "chmod 755 \"$1\""));
    daemon.put("a.sh", "true\n");
    let mode = || std::fs::metadata(daemon.workspace().join("a.sh")).unwrap().permissions().mode() & 0o777;
    let before = mode();
    let receipt = edit(&daemon, &jobs::append("a.sh", "false\n"));
    assert!(receipt["hooks"][0]["job"].is_number() && mode() == 0o755, "{receipt}");
    assert_eq!(kinds(&daemon), ["edit", "hook"]);
    undo(&daemon, json!({}));
    assert_eq!((mode(), text(&daemon, "a.sh")), (before, "true\n".into()));
}

#[test]
fn many_files_of_one_job_are_one_entry_of_a_hook() {
    let daemon = daemon(&hook("capitals", "*.txt", CAPITALS));
    let file = |n: usize| jobs::write(&format!("f{n}.txt"), &format!("text {n}\n"))["files"][0].clone();
    let job = json!({ "files": (0..20).map(file).collect::<Vec<_>>(), "durability": "full" });
    let receipt = edit(&daemon, &job);
    assert_eq!(receipt["hooks"][0]["files"].as_array().unwrap().len(), 20, "{receipt}");
    assert_eq!(
        (kinds(&daemon), text(&daemon, "f19.txt")),
        (vec!["edit".into(), "hook".into()], "TEXT 19\n".into())
    );
    undo(&daemon, json!({}));
    assert!(!daemon.workspace().join("f0.txt").exists());
}

#[test]
fn rustfmt_formats_what_a_job_writes_and_undo_is_byte_identical() {
    let works = Command::new("rustfmt").arg("--version").output().is_ok_and(|output| output.status.success());
    if !works {
        eprintln!("skipped: rustfmt is not installed");
        return;
    }
    for (form, words) in [
        ("", r#"["rustfmt", "--edition", "2024", "{file}"]"#),
        ("stdout = true\n", r#"["rustfmt", "--edition", "2024"]"#),
    ] {
        let daemon = daemon(&format!(
            "[[after_write]]\nname = \"rustfmt\"\nfiles = [\"*.rs\"]\ntimeout = \"60s\"\n{form}command = {words}\n"
        ));
        daemon.put("src/lib.rs", "fn a() {}\n");
        daemon.put("src/other.rs", "fn   untouched( ) {}\n");
        let before = FileTree::of(daemon.workspace());
        let receipt = edit(&daemon, &jobs::append("src/lib.rs", "fn   b( x:u8 )->u8{x}\n"));
        assert_eq!(text(&daemon, "src/lib.rs"), "fn a() {}\nfn b(x: u8) -> u8 {\n    x\n}\n", "{receipt}");
        assert_eq!(kinds(&daemon), ["edit", "hook"]);
        undo(&daemon, json!({}));
        let found = before.differences(&FileTree::of(daemon.workspace()));
        assert!(found.is_empty(), "{found:?}");
    }
}
