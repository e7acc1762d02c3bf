//! *Checks*: commands on the whole workspace after a job. Each runs once for all jobs in between, delays nothing, and
//! tells of new problems only. The checks are small scripts, and one real compiler.

mod processes;

use std::process::Command;

use editd_proto::message::kind;
use editd_tests::client::Client;
use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, wait};
use serde_json::{Value, json};

/// One `[[check]]` for `src/**`, with further lines.
fn check(name: &str, script: &str, more: &str) -> String {
    let command = json!(["sh", "-c", script]);
    format!("[[check]]\nname = \"{name}\"\nfiles = [\"src/**\"]\ncommand = {command}\n{more}\n")
}

/// Reports the lines with `BAD` in all files of `src`.
const GREP: &str = "! grep -rnH BAD src | sed 's/\\(:[0-9]*\\):.*/\\1: bad word/' | grep .";

/// Waits for the file `go`, counts its runs in `runs`, and does the same.
const GATED: &str = "echo run >>runs; while [ ! -e go ]; do sleep 0.02; done; \
                     ! grep -rnH BAD src | sed 's/\\(:[0-9]*\\):.*/\\1: bad word/' | grep .";

const WAIT: &str = "wait = \"30s\"";

fn edit(client: &mut Client, job: &Value) -> Value {
    let receipt = client.ask_json(kind::EDIT, job);
    jobs::applied(&receipt);
    receipt
}

/// The new problems of the only check in a receipt or reply, each as `path:line`.
fn new(reply: &Value) -> Vec<String> {
    let told = reply["checks"].as_array().unwrap_or_else(|| panic!("no checks: {reply}"));
    assert_eq!(told.len(), 1, "{reply}");
    let problems = told[0]["new"].as_array().cloned().unwrap_or_default();
    problems.iter().map(|one| format!("{}:{}", one["path"].as_str().unwrap_or("-"), one["line"])).collect()
}

fn status(reply: &Value) -> &str {
    reply["checks"][0]["status"].as_str().unwrap_or_else(|| panic!("no check: {reply}"))
}

/// The result of a job's check, once it has ended.
fn result(client: &mut Client, receipt: &Value) -> Value {
    let request = json!({ "job": jobs::number(receipt), "timeout_ms": 60_000 });
    client.ask_json(kind::CHECKS, &request)
}

#[test]
fn only_new_problems_are_told_wherever_they_are() {
    let daemon = TestDaemon::trusted(&check("words", GREP, WAIT));
    daemon.put("src/a", "one\n");
    daemon.put("src/old", "BAD\n");
    let mut client = daemon.client("s");
    let first = edit(&mut client, &jobs::append("src/a", "BAD\n"));
    assert_eq!((status(&first), new(&first)), ("failed", vec!["src/a:2".to_owned()]), "{first}");
    assert_eq!((&first["checks"][0]["first"], &first["checks"][0]["known"]), (&json!(true), &json!(1)));
    // The old ones move, and another file changes.
    let moved = jobs::one("src/a", json!({ "op": "insert", "at": "start", "text": "zero\n" }));
    let moved = edit(&mut client, &moved);
    assert_eq!((status(&moved), new(&moved)), ("failed", vec![]), "{moved}");
    assert_eq!(moved["checks"][0]["known"], 2, "{moved}");
    let renamed = json!({ "op": "rename", "to": "src/b" });
    let renamed = edit(&mut client, &jobs::one("src/a", renamed));
    assert_eq!((status(&renamed), new(&renamed)), ("failed", vec![]), "{renamed}");
    let second = edit(&mut client, &jobs::append("src/b", "BAD too\n"));
    assert_eq!(new(&second), ["src/b:4"]);
    // An undo is a job, too.
    let undone = client.ask_json(kind::UNDO, &json!({}));
    assert_eq!((new(&undone), &undone["checks"][0]["known"]), (vec![], &json!(2)), "{undone}");
    let redone = client.ask_json(kind::REDO, &json!({}));
    assert_eq!(new(&redone), ["src/b:4"]);
    let repaired = edit(&mut client, &jobs::write("src/b", "good\n"));
    assert_eq!((status(&repaired), new(&repaired)), ("failed", vec![]));
    let repaired = edit(&mut client, &jobs::write("src/old", "good\n"));
    assert_eq!((status(&repaired), new(&repaired)), ("passed", vec![]));
    // A job that changes nothing, is refused, or is for other files runs no check.
    for job in [jobs::write("src/b", "good\n"), jobs::append("other", "BAD\n"), json!({ "files": [] })] {
        let receipt = client.ask_json(kind::EDIT, &job);
        assert_eq!(receipt["checks"], Value::Null, "{receipt}");
    }
}

#[test]
fn a_check_delays_no_reply_and_its_result_comes_once() {
    let daemon = TestDaemon::trusted(&check("words", GATED, ""));
    daemon.put("src/a", "one\n");
    let (mut client, mut watcher) = (daemon.client("s"), daemon.client("watcher"));
    watcher.ask_json(kind::SUBSCRIBE, &json!({ "globs": ["none"] }));
    let receipt = edit(&mut client, &jobs::append("src/a", "BAD\n"));
    assert_eq!(receipt["checks"], json!([{ "check": "words", "status": "running" }]));
    let now = client.ask_json(kind::CHECKS, &json!({ "unseen": true }));
    assert_eq!((status(&now), &now["checks"][0]["jobs"]), ("running", &json!([1])), "{now}");
    assert_eq!(status(&client.ask_json(kind::CHECKS, &json!({ "job": 1, "timeout_ms": 50 }))), "running");
    daemon.put("go", "");
    let event: Value = watcher.receive().unwrap().body().unwrap();
    assert_eq!((&event["change"], &event["check"]["jobs"]), (&json!("check"), &json!([1])), "{event}");
    assert_eq!(event["check"]["new"][0]["line"], 2, "{event}");
    // It comes with the next receipt of the session, and not with those of others.
    let other = daemon.client("t").ask_json(kind::CHECKS, &json!({ "unseen": true }));
    assert_eq!(other["checks"], json!([]));
    let next = edit(&mut client, &jobs::append("other", "x\n"));
    assert_eq!((new(&next), &next["checks"][0]["jobs"]), (vec!["src/a:2".to_owned()], &json!([1])), "{next}");
    assert_eq!(client.ask_json(kind::CHECKS, &json!({ "unseen": true }))["checks"], json!([]));
    // It can be looked up for good.
    assert_eq!(new(&result(&mut client, &receipt)), ["src/a:2"]);
    assert_eq!(new(&client.ask_json(kind::CHECKS, &json!({}))), ["src/a:2"]);
    jobs::refused(&client.ask_json(kind::CHECKS, &json!({ "job": 2 })), "not_found");
    // The same for the command line.
    let shown = daemon.editctl().args(["checks", "1"]).output().unwrap();
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        text.contains("check words failed: 1 in the changed files") && text.contains("src/a:2: "),
        "{text}"
    );
    assert_eq!(shown.status.code(), Some(1), "it failed");
}

#[test]
fn a_detached_job_has_results_under_both_of_its_numbers() {
    let daemon = TestDaemon::trusted(&check("words", GREP, ""));
    daemon.put("src/a", "one\n");
    let mut client = daemon.client("s");
    edit(&mut client, &jobs::append("other", "x\n"));
    let queued =
        client.ask_json(kind::EDIT, &jobs::with(jobs::append("src/a", "BAD\n"), "detach", json!(true)));
    let done = client.ask_json(kind::WAIT, &json!({ "job": queued["job"] }));
    jobs::applied(&done);
    wait::until("the result", wait::LONG, || {
        let told = client.ask_json(kind::CHECKS, &json!({ "job": queued["job"], "timeout_ms": 60_000 }));
        (told["checks"].is_array() && status(&told) == "failed").then_some(())
    });
    assert_eq!(new(&result(&mut client, &done)), ["src/a:2"]);
}

#[test]
fn a_waiting_reply_is_sent_when_its_time_is_over() {
    let daemon = TestDaemon::trusted(&check("words", GATED, "wait = \"300ms\""));
    daemon.put("src/a", "one\n");
    let mut client = daemon.client("s");
    let receipt = edit(&mut client, &jobs::append("src/a", "two\n"));
    assert_eq!(status(&receipt), "running");
    // Meanwhile other jobs on the same file run.
    client.send(kind::EDIT, &jobs::append("src/a", "three\n")).unwrap();
    wait::until("the second job", wait::LONG, || daemon.get("src/a").ends_with(b"three\n").then_some(()));
    let second: Value = client.receive().unwrap().body().unwrap();
    assert_eq!(status(&second), "running");
    daemon.put("go", "");
    assert_eq!(status(&result(&mut client, &second)), "passed");
}

#[test]
fn jobs_of_two_agents_during_a_run_share_the_next_one() {
    let daemon = TestDaemon::trusted(&check("words", GATED, ""));
    daemon.put("src/a", "one\n");
    daemon.put("src/b", "one\n");
    let (mut one, mut two) = (daemon.client("one"), daemon.client("two"));
    let first = edit(&mut one, &jobs::append("src/a", "two\n"));
    wait::until("the first run", wait::LONG, || daemon.workspace().join("runs").exists().then_some(()));
    let mut last = Value::Null;
    for n in 0..10 {
        let client = if n % 2 == 0 { &mut one } else { &mut two };
        last = edit(client, &jobs::append(if n % 2 == 0 { "src/a" } else { "src/b" }, "more\n"));
    }
    let bad = edit(&mut two, &jobs::append("src/b", "BAD\n"));
    daemon.put("go", "");
    assert_eq!(status(&result(&mut one, &first)), "failed", "the file is read after the gate");
    let told = result(&mut two, &bad);
    assert_eq!(daemon.get("runs"), b"run\nrun\n", "one run for all jobs in between");
    assert_eq!(told["checks"][0]["jobs"].as_array().unwrap().len(), 11, "{told}");
    assert_eq!(result(&mut one, &last)["checks"], told["checks"]);
    // Each agent is told of both runs, since each had jobs in them or before them.
    for client in [&mut one, &mut two] {
        let unseen = client.ask_json(kind::CHECKS, &json!({ "unseen": true }));
        assert_eq!(status(&unseen), "failed", "{unseen}");
        assert_eq!(client.ask_json(kind::CHECKS, &json!({ "unseen": true }))["checks"], json!([]));
    }
}

#[test]
fn nothing_runs_before_it_is_trusted_or_after_that_was_withdrawn() {
    let mut daemon = TestDaemon::new();
    daemon.put(".editd.toml", check("words", GATED, ""));
    daemon.put("src/a", "one\n");
    daemon.start();
    let mut client = daemon.client("s");
    let receipt = edit(&mut client, &jobs::append("src/a", "two\n"));
    assert_eq!(receipt["checks"], Value::Null);
    let warning = receipt["files"][0]["warnings"][0].as_str().unwrap();
    assert!(warning.contains("words") && warning.contains("editctl trust"), "{receipt}");
    assert_eq!(client.ask_json(kind::TRUST, &json!({}))["commands"][0]["kind"], "check");
    daemon.trust();
    edit(&mut client, &jobs::append("src/a", "three\n"));
    wait::until("the run", wait::LONG, || daemon.workspace().join("runs").exists().then_some(()));
    let due = edit(&mut client, &jobs::append("src/a", "four\n"));
    client.ask_json(kind::TRUST, &json!({ "revoke": true }));
    daemon.put("go", "");
    let told = result(&mut client, &due);
    assert_eq!(status(&told), "could_not_run");
    assert!(told["checks"][0]["message"].as_str().unwrap().contains("trusted"), "{told}");
    assert_eq!(daemon.get("runs"), b"run\n");
}

#[test]
fn hostile_output_is_bounded_and_harmless() {
    let scripts = [
        ("flood", "yes src/a:1: bad", "output = \"64KiB\""),
        ("many", "seq 1 9000 | sed 's/.*/src\\/a:&: bad number &x/'; exit 1", ""),
        (
            "bytes",
            "printf 'src/a:1: \\033[31mred\\033[0m \\377\\200 \\a\\nsrc/\\033x:1: y\\n../../etc/passwd:1: z\\n'; exit 1",
            "",
        ),
        ("nothing", "exit 3", ""),
        ("missing", "no-such-program-here", ""),
        ("signal", "kill -9 $$", ""),
    ];
    let config: String =
        scripts.iter().map(|(name, script, more)| check(name, script, &format!("{WAIT}\n{more}"))).collect();
    let daemon = TestDaemon::trusted(&config);
    daemon.put("src/a", "one\n");
    let mut client = daemon.client("s");
    let receipt = edit(&mut client, &jobs::append("src/a", "two\n"));
    let of = |name: &str| {
        let all = receipt["checks"].as_array().unwrap();
        all.iter().find(|one| one["check"] == name).unwrap_or_else(|| panic!("{receipt}")).clone()
    };
    let unable = |name: &str| {
        assert_eq!(of(name)["status"], "could_not_run", "{receipt}");
        of(name)["message"].as_str().unwrap().to_owned()
    };
    assert!(unable("flood").contains("output"), "{receipt}");
    assert!(unable("missing").contains("127"), "{receipt}");
    assert!(unable("signal").contains("signal 9"), "{receipt}");
    assert_eq!(of("nothing")["new"][0]["message"], "it ended with status 3 and wrote nothing");
    let many = of("many");
    assert!(many["message"].as_str().unwrap().contains("2000"), "{many}");
    assert_eq!(many["new"].as_array().unwrap().len() as u64 + many["more"].as_u64().unwrap(), 2000);
    let told: usize = receipt["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["new"].as_array())
        .map(Vec::len)
        .sum();
    assert!(told <= 20, "{told} problems in one receipt");
    let bytes = client.ask_json(kind::CHECKS, &json!({ "job": jobs::number(&receipt) }));
    let bytes =
        bytes["checks"].as_array().unwrap().iter().find(|one| one["check"] == "bytes").unwrap().clone();
    let messages: Vec<&str> =
        bytes["new"].as_array().unwrap().iter().filter_map(|one| one["message"].as_str()).collect();
    assert!(messages.iter().all(|text| !text.contains(char::is_control)), "{bytes}");
    assert!(messages[0].starts_with("red \u{fffd}"), "{bytes}");
    assert!(
        bytes["new"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["path"].as_str().is_none_or(|path| path == "src/a"))
    );
}

#[test]
fn a_real_compiler_gets_the_changed_files_and_only_those_that_exist() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|ran| ran.status.success()) {
        println!("skipped: python3 is not installed");
        return;
    }
    let pattern = r#"File "(?P<path>.+?)", line (?P<line>\d+)\n(?:.*\n)+?(?P<message>\w+Error: .*)$"#;
    let config = format!(
        "[[check]]\nname = \"python\"\nfiles = [\"*.py\"]\npattern = '{pattern}'\n{WAIT}\n\
         command = [\"python3\", \"-m\", \"py_compile\", \"{{files}}\"]\n[syntax]\ncheck = false\n"
    );
    let daemon = TestDaemon::trusted(&config);
    for file in ["a.py", "-b.py", "c d.py"] {
        daemon.put(file, "x = 1\n");
    }
    let mut client = daemon.client("s");
    let mut files = jobs::append("-b.py", "y = 2\n");
    files["files"].as_array_mut().unwrap().push(jobs::append("c d.py", "def f(:\n")["files"][0].clone());
    files["files"]
        .as_array_mut()
        .unwrap()
        .push(jobs::one("a.py", json!({ "op": "delete" }))["files"][0].clone());
    let receipt = edit(&mut client, &files);
    assert_eq!((status(&receipt), new(&receipt)), ("failed", vec!["c d.py:2".to_owned()]), "{receipt}");
    assert!(
        receipt["checks"][0]["new"][0]["message"].as_str().unwrap().starts_with("SyntaxError"),
        "{receipt}"
    );
    let repaired = edit(&mut client, &jobs::write("c d.py", "x = 3\n"));
    assert_eq!((status(&repaired), new(&repaired)), ("passed", vec![]), "{repaired}");
    // There is nothing to name.
    let deleted = edit(&mut client, &jobs::one("c d.py", json!({ "op": "delete" })));
    assert_eq!(deleted["checks"], Value::Null, "{deleted}");
}

#[test]
fn an_agent_runtime_is_told_with_the_reply_or_with_the_next_one() {
    let daemon = TestDaemon::trusted(&check("words", GREP, WAIT));
    daemon.put("src/a", "one\n");
    let mut client = McpClient::begin(&daemon, &[]);
    let change = |old: &str, new: &str| json!({ "edits": [{ "path": "src/a", "old": old, "new": new }] });
    let reply = client.call("edit", change("one", "BAD"));
    assert!(reply.done().contains("src/a:1: bad word"), "{}", reply.text);
    assert_eq!(reply.structured["diagnostics"][0]["new"][0]["line"], 1, "{}", reply.structured);
    assert_eq!(reply.structured["checks"], Value::Null);

    daemon.put(".editd.toml", check("words", GATED, ""));
    daemon.trust();
    let reply = client.call("edit", change("BAD", "BAD2"));
    assert!(reply.done().contains("check words is running"), "{}", reply.text);
    let read = client.call("read", json!({ "path": "src/a" }));
    assert_eq!((read.done(), &read.notes), ("BAD2\n", &None));
    daemon.put("go", "");
    result(&mut daemon.client("other"), &reply.structured);
    let read = client.call("read", json!({ "path": "src/a" }));
    assert_eq!(read.done(), "BAD2\n");
    assert!(read.notes.unwrap().contains("src/a:1: "), "a text of its own");
    assert_eq!(read.structured["diagnostics"][0]["status"], "failed");
    assert_eq!(client.call("read", json!({ "path": "src/a" })).notes, None, "it is told once");
    let undone = client.call("undo", json!({}));
    assert!(undone.done().contains("check words is running"), "{}", undone.text);
}

#[test]
fn a_check_that_was_removed_has_no_results() {
    let daemon = TestDaemon::trusted(&(check("words", GREP, WAIT) + &check("true", "true", WAIT)));
    let mut client = daemon.client("s");
    edit(&mut client, &jobs::write("src/a", "BAD\n"));
    let names = |client: &mut Client| -> Vec<String> {
        let told = client.ask_json(kind::CHECKS, &json!({}));
        let checks = told["checks"].as_array().unwrap_or_else(|| panic!("{told}"));
        checks.iter().map(|one| one["check"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(names(&mut client), ["true", "words"]);
    daemon.put(".editd.toml", check("true", "true", WAIT));
    assert_eq!(names(&mut client), ["true"]);
    daemon.put(".editd.toml", "");
    assert_eq!(names(&mut client), [""; 0]);
}

#[test]
fn a_mistake_in_a_check_is_told_with_its_line() {
    let mut daemon = TestDaemon::new();
    daemon.start();
    for (at, line, word) in [
        (4, "command = [\"true\", \"{file}\"]", "{files}"),
        (4, "command = [\"true\", \"--in={files}\"]", "argument of its own"),
        (4, "command = [\"{files}\"]", "argument of its own"),
        (5, "command = [\"true\"]\nwait = \"31s\"", "30s"),
        (5, "command = [\"true\"]\nstdout = true", "stdout"),
        (
            6,
            "command = [\"true\"]\n[[check]]\nname = \"a\"\nfiles = [\"*\"]\ncommand = [\"a\"]",
            "named \"a\"",
        ),
    ] {
        daemon.put(".editd.toml", format!("[[check]]\nname = \"a\"\nfiles = [\"**\"]\n{line}\n"));
        let told = daemon.client("s").ask_json(kind::TRUST, &json!({}));
        let message = told["error"]["message"].as_str();
        let place = format!("at line {at}");
        let fits = |message: &str| message.contains(word) && message.contains(&place);
        assert!(message.is_some_and(fits), "{line}: {told}");
    }
}
