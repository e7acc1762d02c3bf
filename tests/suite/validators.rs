//! *Validators*: their issues with the new contents refuse a job or are returned; only issues that the job causes
//! count; a validator that fails does not stop the daemon.

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, process, wait};
use serde_json::{Value, json};

/// Says what is wrong with a line that holds `bad`, and remembers that it ran.
const GREP: &str = r#"echo "$1" >>ran.out; grep -n bad | sed "s|^\([0-9]*\):.*|$1:\1:1: a bad line|" | grep . && exit 1; exit 0"#;

fn validator(name: &str, files: &str, command: &[&str], more: &str) -> String {
    format!("[[validator]]\nname = \"{name}\"\nfiles = [\"{files}\"]\ncommand = {}\n{more}\n", json!(command))
}

fn grep() -> TestDaemon {
    TestDaemon::trusted(&validator("grep", "*.txt", &["sh", "-c", GREP, "sh", "{path}"], ""))
}

fn edit(daemon: &TestDaemon, job: &Value) -> Value {
    daemon.client("s").ask_json(kind::EDIT, job)
}

fn in_mode(job: Value, mode: &str) -> Value {
    jobs::with(job, "mode", json!(mode))
}

/// Returns the issues of a refusal or of all files: `path:line:column validator`.
fn issues(reply: &Value) -> Vec<String> {
    let files = reply["files"].as_array().into_iter().flatten();
    let lists = files.map(|file| &file["issues"]).chain([&reply["error"]["issues"]]);
    let issues = lists.flat_map(|list| list.as_array().into_iter().flatten());
    issues
        .map(|issue| {
            let word = |name: &str| issue[name].as_str().unwrap_or("-").to_owned();
            format!("{}:{}:{} {}", word("path"), issue["line"], issue["column"], word("validator"))
        })
        .collect()
}

fn warnings(reply: &Value) -> String {
    let files = reply["files"].as_array().into_iter().flatten();
    files.map(|file| file["warnings"].to_string()).collect()
}

fn message(reply: &Value) -> &str {
    reply["error"]["message"].as_str().unwrap_or("no error")
}

#[test]
fn one_broken_file_of_ten_refuses_the_strict_job_and_nothing_is_written() {
    let daemon = TestDaemon::started();
    let files: Vec<Value> = (0..10)
        .map(|nth| {
            let text = if nth == 6 { "fn a() {\n    let x = ;\n}\n" } else { "fn a() {}\n" };
            json!({ "path": format!("src/m{nth}.rs"), "edits": [{ "op": "write", "text": text }] })
        })
        .collect();
    let job = json!({ "files": files });
    let refused = edit(&daemon, &job);
    jobs::refused(&refused, "rejected");
    assert!(
        message(&refused).starts_with("src/m6.rs:2:") && message(&refused).contains("nothing was written"),
        "{refused}"
    );
    assert_eq!((&refused["error"]["path"], &refused["error"]["line"]), (&json!("src/m6.rs"), &json!(2)));
    let column = refused["error"]["issues"][0]["column"].as_u64().unwrap();
    assert_eq!(issues(&refused), [format!("src/m6.rs:2:{column} syntax")]);
    assert!(!daemon.workspace().join("src").exists());
    let verified = edit(&daemon, &in_mode(job.clone(), "verify_only"));
    assert_eq!((jobs::status(&verified), issues(&verified).len()), ("refused", 1), "{verified}");
    assert!(!daemon.workspace().join("src").exists());
    let written = edit(&daemon, &in_mode(job, "interactive"));
    jobs::applied(&written);
    assert_eq!(issues(&written), [format!("src/m6.rs:2:{column} syntax")]);
    assert_eq!(written["files"][6]["issues"].as_array().unwrap().len(), 1, "{written}");
    assert!(daemon.workspace().join("src/m9.rs").exists());
}

#[test]
fn a_token_applies_the_verified_job_and_strict_refusals_have_none() {
    let daemon = grep();
    let good = jobs::write("a.txt", "fine\n");
    let verified = edit(&daemon, &in_mode(good.clone(), "verify_only"));
    assert_eq!(issues(&verified), Vec::<String>::new());
    jobs::applied(&edit(&daemon, &jobs::with(good, "verified", verified["verified"].clone())));
    let bad = jobs::write("a.txt", "bad\n");
    let verified = edit(&daemon, &in_mode(bad.clone(), "verify_only"));
    assert_eq!(issues(&verified), ["a.txt:1:1 grep"]);
    assert_eq!((jobs::status(&verified), &verified["verified"]), ("refused", &Value::Null), "{verified}");
    jobs::refused(&edit(&daemon, &bad), "rejected");
    jobs::applied(&edit(&daemon, &in_mode(bad, "interactive")));
}

#[test]
fn only_issues_caused_by_the_job_count() {
    let daemon = grep();
    daemon.put("a.txt", "fine\nbad\nfine\n");
    jobs::applied(&edit(
        &daemon,
        &jobs::one("a.txt", json!({ "op": "insert", "at": "start", "text": "more\n" })),
    ));
    let refused = edit(&daemon, &jobs::append("a.txt", "bad\n"));
    jobs::refused(&refused, "rejected");
    assert_eq!(issues(&refused), ["a.txt:5:1 grep"]);
    // What moves is not what is written.
    daemon.put("b.txt", "bad\n");
    std::fs::remove_file(daemon.workspace().join("ran.out")).unwrap();
    jobs::applied(&edit(&daemon, &jobs::one("b.txt", json!({ "op": "rename", "to": "c.txt" }))));
    jobs::applied(&edit(&daemon, &jobs::one("c.txt", json!({ "op": "copy", "to": "d.txt" }))));
    jobs::applied(&edit(&daemon, &jobs::one("d.txt", json!({ "op": "chmod", "mode": "755" }))));
    jobs::applied(&edit(&daemon, &jobs::one("d.txt", json!({ "op": "delete" }))));
    assert!(!daemon.workspace().join("ran.out").exists(), "nothing was there to be checked");
    let moved = json!([{ "op": "insert", "at": "end", "text": "bad\n" }, { "op": "rename", "to": "e.txt" }]);
    let refused = edit(&daemon, &json!({ "files": [{ "path": "c.txt", "base": "any", "edits": moved }] }));
    assert_eq!(issues(&refused), ["e.txt:2:1 grep"], "{refused}");
}

#[test]
fn an_undo_is_not_validated() {
    let daemon = grep();
    daemon.put("a.txt", "bad\n");
    let receipt = edit(&daemon, &jobs::write("a.txt", "fine\n"));
    jobs::applied(&receipt);
    let undone = daemon.client("s").ask_json(kind::UNDO, &json!({ "jobs": [jobs::number(&receipt)] }));
    jobs::applied(&undone);
    assert_eq!(daemon.get("a.txt"), b"bad\n");
}

#[test]
fn a_validator_may_read_a_file_that_is_named_as_the_real_one() {
    let script = r#"case "$1" in */a\ b.txt) ;; *) echo "$1:9: named $1";; esac; grep -n bad "$1" | sed "s|^\([0-9]*\):.*|$1:\1: bad in $1|"; exit 1"#;
    let daemon = TestDaemon::trusted(&validator("file", "*.txt", &["sh", "-c", script, "sh", "{file}"], ""));
    let reply = edit(&daemon, &in_mode(jobs::write("sub/a b.txt", "x\nbad\n"), "interactive"));
    assert_eq!(issues(&reply), ["sub/a b.txt:2:null file"], "{reply}");
    assert_eq!(reply["files"][0]["issues"][0]["message"], "bad in sub/a b.txt");
    let left = std::fs::read_dir(daemon.workspace().join(".editd/check")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn a_status_without_output_is_an_issue_and_a_status_of_0_is_none() {
    let silent = validator("silent", "*.txt", &["sh", "-c", "cat >/dev/null; exit 3"], "");
    let content = validator("content", "*.txt", &["sh", "-c", "echo a.txt:1: said"], "");
    let daemon = TestDaemon::trusted(&format!("{silent}{content}"));
    let refused = edit(&daemon, &jobs::write("a.txt", "x\n"));
    assert_eq!(issues(&refused), ["a.txt:null:null silent"]);
    assert!(message(&refused).contains("status 3"), "{refused}");
    // It fails on every content: that is not the job's doing, and is said.
    daemon.put("a.txt", "y\n");
    let written = edit(&daemon, &jobs::write("a.txt", "x\n"));
    jobs::applied(&written);
    assert!(warnings(&written).contains("fails with and without the job"), "{written}");
}

#[test]
fn a_validator_that_cannot_run_refuses_strict_jobs_and_is_reported_to_others() {
    for (command, more, word) in [
        (&["no-such-program"][..], "", "no-such-program"),
        (&["sh", "-c", "no-such-program-within"], "", "no-such-program-within"),
        (&["sleep", "1000"], "timeout = \"300ms\"", "timed out"),
        (&["sh", "-c", "kill -SEGV $$"], "", "signal 11"),
        (&["yes"], "output = \"10KB\"", "output limit"),
        (&["sh", "-c", "s=x; while :; do s=$s$s; done"], "memory = \"64MiB\"", "memory"),
    ] {
        let daemon = TestDaemon::trusted(&validator("broken", "*.txt", command, more));
        let refused = edit(&daemon, &jobs::write("a.txt", "x\n"));
        jobs::refused(&refused, "rejected");
        assert!(
            message(&refused).contains(word) && message(&refused).contains("`broken`"),
            "{command:?}: {refused}"
        );
        let written = edit(&daemon, &in_mode(jobs::write("a.txt", "x\n"), "interactive"));
        jobs::applied(&written);
        assert!(warnings(&written).contains(word), "{command:?}: {written}");
        jobs::applied(&edit(&daemon, &jobs::write("a.md", "x\n")));
    }
}

#[test]
fn garbage_is_shown_within_bounds() {
    let script = "head -c 3000000 /dev/zero | tr '\\0' x; printf '\\377\\376\\n'; printf 'a.txt:1: \\033[31m\\377\\n'; exit 1";
    let daemon =
        TestDaemon::trusted(&validator("garbage", "*.txt", &["sh", "-c", script], "output = \"10MB\""));
    let refused = edit(&daemon, &jobs::write("a.txt", "x\n"));
    assert_eq!(issues(&refused), ["a.txt:1:null garbage"], "{}", message(&refused));
    assert!(refused.to_string().len() < 10_000);
    let many = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo a.txt:$i: bad; done; exit 1";
    let daemon = self::TestDaemon::trusted(&validator("many", "*.txt", &["sh", "-c", many], ""));
    let reply = edit(&daemon, &in_mode(jobs::write("a.txt", "x\n"), "interactive"));
    assert_eq!(issues(&reply).len(), editd_proto::limits::ISSUES);
    assert!(warnings(&reply).contains("2950 more"), "{}", warnings(&reply));
}

#[test]
fn others_are_served_while_a_validator_hangs_and_a_killed_daemon_leaves_nothing() {
    let script = "(setsid sleep 1000 &); trap '' TERM; sleep 1000 & sleep 1000";
    let mut daemon =
        TestDaemon::trusted(&validator("hang", "*.txt", &["sh", "-c", script], "timeout = \"600s\""));
    let mut waiting = daemon.client("waiting");
    waiting.send(kind::EDIT, &jobs::write("a.txt", "x\n")).unwrap();
    let running = || {
        let all = process::in_folder(daemon.workspace());
        all.into_iter().filter(|pid| *pid != daemon.pid()).collect::<Vec<_>>()
    };
    wait::until("the validator runs", wait::LONG, || (running().len() >= 4).then_some(()));
    jobs::applied(&edit(&daemon, &jobs::write("other.md", "x\n")));
    daemon.kill();
    let workspace = daemon.workspace().to_owned();
    wait::until("everything has ended", wait::LONG, || {
        process::in_folder(&workspace).is_empty().then_some(())
    });
    assert!(!workspace.join("a.txt").exists());
    daemon.start();
}

#[test]
fn syntax_that_a_grammar_may_not_know_is_a_warning_in_every_mode() {
    let daemon = TestDaemon::started();
    let job = jobs::write("a.c", "int x UNUSED = 1;\nint f(va_list a) { return va_arg(a, int *) != 0; }\n");
    for mode in ["verify_only", "interactive", "strict"] {
        let told = edit(&daemon, &in_mode(job.clone(), mode));
        assert_eq!((&told["error"], issues(&told).len()), (&Value::Null, 0), "{told}");
        assert!(warnings(&told).contains("syntax may be wrong at 2:"), "{told}");
        let _ = std::fs::remove_file(daemon.workspace().join("a.c"));
    }
    jobs::applied(&edit(&daemon, &jobs::write("b.c", "int f(void) { return 1; }\n")));
    jobs::refused(&edit(&daemon, &jobs::write("b.c", "int f(void) { return (1; }\n")), "rejected");
}

#[test]
fn the_built_in_check_can_be_told_to_leave_files_alone() {
    let daemon = TestDaemon::trusted(
        "[syntax]\nexcept = [\"fixtures/**\"]\n[[validator]]\nname = \"v\"\nfiles = [\"x\"]\ncommand = [\"true\"]\n",
    );
    jobs::applied(&edit(&daemon, &jobs::write("fixtures/a.json", "{\n")));
    jobs::refused(&edit(&daemon, &jobs::write("a.json", "{\n")), "rejected");
}

/// Returns true if a tool is installed; prints that the test is skipped otherwise.
fn has(tool: &str) -> bool {
    let there = std::process::Command::new(tool)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("SKIPPED: `{tool}` is not installed");
    }
    there
}

fn written(daemon: &TestDaemon, path: &str, text: &str) -> Value {
    edit(daemon, &in_mode(jobs::write(path, text), "interactive"))
}

#[test]
fn ruff_finds_an_issue_caused_by_an_edit() {
    if !has("ruff") {
        return;
    }
    let command =
        ["ruff", "check", "--no-cache", "--output-format", "concise", "--stdin-filename", "{path}", "-"];
    let daemon = TestDaemon::trusted(&validator("ruff", "*.py", &command, ""));
    daemon.put("pkg/a.py", "import os\n\n\ndef f():\n    return 1\n");
    let more = jobs::one("pkg/a.py", json!({ "op": "replace", "old": "return 1", "new": "return missing" }));
    let refused = edit(&daemon, &more);
    assert_eq!(issues(&refused), ["pkg/a.py:5:12 ruff"], "{refused}");
    assert!(message(&refused).contains("F821"), "{refused}");
    jobs::applied(&edit(&daemon, &jobs::append("pkg/a.py", "\n\ndef g():\n    return f()\n")));
}

#[test]
fn a_type_checker_finds_an_issue_caused_by_an_edit() {
    if !has("mypy") {
        return;
    }
    // Where it was installed for this user, its modules are found from the home folder, which is another one here.
    let base = std::process::Command::new("python3").args(["-m", "site", "--user-base"]).output();
    let base =
        base.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let base = format!("PYTHONUSERBASE={base}");
    let mypy = ["mypy", "--no-error-summary", "--cache-dir=/dev/null", "--show-column-numbers", "{file}"];
    let command = [&["env", &base][..], &mypy].concat();
    let daemon = TestDaemon::trusted(&validator("mypy", "*.py", &command, "timeout = \"60s\""));
    jobs::applied(&edit(&daemon, &jobs::write("a.py", "def f(x: int) -> int:\n    return x\n")));
    let reply = written(&daemon, "a.py", "def f(x: int) -> int:\n    return \"x\"\n");
    assert_eq!(issues(&reply), ["a.py:2:12 mypy"], "{reply}");
}

#[test]
fn rustfmt_reports_a_file_with_another_format() {
    // Itself, not the one that looks for a toolchain in the home folder, which is another one here.
    let sysroot = std::process::Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot =
        sysroot.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let rustfmt = format!("{sysroot}/bin/rustfmt");
    if !has(&rustfmt) {
        return;
    }
    let daemon = TestDaemon::trusted(&validator(
        "rustfmt",
        "*.rs",
        &[&rustfmt, "--check", "--edition", "2024", "{file}"],
        "",
    ));
    jobs::applied(&edit(&daemon, &jobs::write("a.rs", "fn a() {}\n")));
    let refused = edit(&daemon, &jobs::write("a.rs", "fn a( ) { }\n"));
    assert_eq!(issues(&refused), ["a.rs:null:null rustfmt"], "{refused}");
    assert!(message(&refused).contains("fn a() {}"), "{refused}");
}
