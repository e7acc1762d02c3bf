//! *The work of a daemon can be measured*: its counters, its latencies and the times of the steps of a job agree with what
//! it did, and other programs can read them.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, wait};
use serde_json::{Value, json};

fn status(daemon: &TestDaemon, request: &Value) -> Value {
    daemon.client("observer").ask_json(kind::STATUS, request)
}

fn editctl(daemon: &TestDaemon, words: &[&str]) -> (Option<i32>, String, String) {
    let output = daemon.editctl().args(words).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Makes a few jobs and reads, and returns the number of the last entry.
fn work(daemon: &TestDaemon) -> Value {
    let mut client = daemon.client("worker");
    for n in 0..3 {
        jobs::applied(&client.ask_json(kind::EDIT, &jobs::write(&format!("f{n}"), "one\n")));
    }
    let keyed = jobs::with(jobs::write("f3", "one\n"), "key", json!("k"));
    jobs::applied(&client.ask_json(kind::EDIT, &keyed));
    assert_eq!(client.ask_json(kind::EDIT, &keyed)["repeated"], true);
    let absent = json!({"op": "replace", "old": "absent", "new": "x"});
    let absent = json!({"files": [{"path": "f0", "edits": [absent]}]});
    jobs::refused(&client.ask_json(kind::EDIT, &absent), "not_found");
    jobs::refused(&client.ask_json(kind::READ, &json!({"path": "absent"})), "missing");
    client.ask_json(kind::READ, &json!({"path": "f0"}));
    let undone = client.ask_json(kind::UNDO, &json!({}));
    jobs::applied(&undone);
    undone["job"].clone()
}

#[test]
fn counters_and_latencies_agree_with_the_work() {
    let daemon = TestDaemon::started();
    work(&daemon);
    let told = status(&daemon, &json!({}));
    let counters = &told["counters"];
    let count = |name: &str| counters[name].as_u64().unwrap_or_else(|| panic!("no {name} in {counters}"));
    assert_eq!((count("edit_applied"), count("edit_refused"), count("edit_repeated")), (4, 1, 1));
    assert_eq!((count("undo_applied"), count("reads"), counters.get("redo_applied")), (1, 1, None));
    assert_eq!(told["refusals"], json!({"not_found": 1, "missing": 1}));
    let job = &told["latency"]["job"];
    assert_eq!((&job["count"], &told["latency"]["read"]["count"]), (&json!(7), &json!(1)));
    let order: Vec<u64> =
        ["p50_us", "p90_us", "p99_us", "max_us"].iter().map(|name| job[*name].as_u64().unwrap()).collect();
    assert!(order.is_sorted() && order[0] > 0, "{job}");
    assert!(count("log_flushes") >= 5 && count("log_syncs") >= count("log_flushes"), "{counters}");
    assert!(count("log_bytes") > 500 && count("connections") >= 2, "{counters}");

    // A change by another program, and a read of it, are noticed.
    daemon.put("f1", "another\n");
    daemon.client("worker").ask_json(kind::READ, &json!({"path": "f1"}));
    wait::until("the change is counted", wait::LONG, || {
        (status(&daemon, &json!({}))["counters"]["outside_changes"].as_u64()? > 0).then_some(())
    });
    // A detached job is counted when it is stored, and when it has ended.
    let detached = jobs::with(jobs::write("d", "x\n"), "detach", json!(true));
    let job = daemon.client("worker").ask_json(kind::EDIT, &detached)["job"].clone();
    jobs::applied(&daemon.client("worker").ask_json(kind::WAIT, &json!({"job": job})));
    wait::until("the detached job is counted", wait::LONG, || {
        let told = status(&daemon, &json!({}));
        let counters = &told["counters"];
        (counters["edit_queued"] == 1 && counters["edit_applied"] == 5).then_some(())
    });
    assert_eq!(status(&daemon, &json!({"trace": job}))["trace"]["queued"], job);
}

#[test]
fn a_trace_has_the_time_of_each_step() {
    let daemon = TestDaemon::started();
    let undo = work(&daemon);
    let told = status(&daemon, &json!({"trace": 1}))["trace"].clone();
    assert_eq!(
        (&told["job"], &told["kind"], &told["status"]),
        (&json!(1), &json!("edit"), &json!("applied"))
    );
    let steps = told["steps"].as_array().unwrap();
    let names: Vec<&str> = steps.iter().map(|one| one["step"].as_str().unwrap()).collect();
    // The flush takes more than a microsecond on any disk.
    assert!(names.contains(&"intend") && names.contains(&"decode"), "{told}");
    let sum: u64 = steps.iter().map(|one| one["us"].as_u64().unwrap()).sum();
    let total = told["total_us"].as_u64().unwrap();
    assert!(sum <= total && sum + 20 >= total, "each step is rounded down: {told}");
    assert_eq!(status(&daemon, &json!({"trace": 0}))["trace"]["job"], undo);
    let (code, text, _) = editctl(&daemon, &["status", "--trace", "1"]);
    assert!(code == Some(0) && text.starts_with("edit 1 applied ") && text.contains("\n  intend"), "{text}");
    let unknown = status(&daemon, &json!({"trace": 999}));
    jobs::refused(&unknown, "not_found");
    let (code, _, err) = editctl(&daemon, &["status", "--trace", "999"]);
    assert!(code == Some(1) && err.contains("its last 256 jobs"), "{err}");
    // A refused job has no number, and the step that refused it.
    let absent =
        json!({"files": [{"path": "f0", "edits": [{"op": "replace", "old": "absent", "new": "x"}]}]});
    daemon.client("worker").ask_json(kind::EDIT, &absent);
    let (_, text, _) = editctl(&daemon, &["status", "--trace", "last"]);
    assert!(text.starts_with("edit refused: not_found") && text.contains("\n  end "), "{text}");
}

#[test]
fn the_exposition_is_open_metrics() {
    let daemon = TestDaemon::started();
    work(&daemon);
    let (code, text, err) = editctl(&daemon, &["metrics"]);
    assert!(code == Some(0) && err.is_empty(), "{err}");
    assert!(text.ends_with("\n# EOF\n"), "{text}");
    for line in [
        "editd_jobs_total{kind=\"edit\",outcome=\"applied\"} 4",
        "editd_refusals_total{request=\"job\",code=\"not_found\"} 1",
        "editd_refusals_total{request=\"other\",code=\"missing\"} 1",
        "editd_job_duration_seconds_count 7",
        "# TYPE editd_journal_appended_bytes counter",
        "editd_failed 0",
    ] {
        assert!(text.contains(&format!("\n{line}\n")), "{line} in {text}");
    }
    let parser = "import sys\n\
                  from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\n\
                  text = sys.stdin.read()\n\
                  found = {sample.name for family in parse(text) for sample in family.samples}\n\
                  print(len(found))\n";
    let Ok(mut python) = Command::new("python3")
        .args(["-c", parser])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
    else {
        return println!("python3 is absent: the text is not read by a parser");
    };
    python.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("ModuleNotFoundError") {
        return println!("prometheus_client is absent: the text is not read by a parser");
    }
    assert!(output.status.success(), "{said}");
    let found: usize = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
    assert!(found > 20, "{found}");
}

#[test]
fn a_watch_prints_lines_and_ends_with_its_reader_or_the_daemon() {
    let mut daemon = TestDaemon::started();
    let watch = |words: &[&str]| {
        let mut command = daemon.editctl();
        command.args(["status", "--watch=100ms"]).args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut json_watch = watch(&["--json"]);
    let mut lines = BufReader::new(json_watch.stdout.take().unwrap()).lines();
    let before: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(before["counters"]["reads"], 0);
    work(&daemon);
    let seen = lines.any(|line| line.unwrap().contains("\"edit_applied\":4"));
    assert!(seen, "the watch ended");
    drop(lines);
    let ended = json_watch.wait().unwrap();
    assert_eq!(ended.code(), Some(0), "it ends when nobody reads");

    let mut plain = watch(&[]);
    let mut lines = BufReader::new(plain.stdout.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    assert!(line.contains("  applied 5  refused 1  reads 1  ") && !line.contains('\u{1b}'), "{line}");
    daemon.stop();
    let rest: Vec<String> = lines.map(|line| line.unwrap()).collect();
    let output = plain.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(5) && err.contains("the daemon stopped"), "{err} {rest:?}");
}
