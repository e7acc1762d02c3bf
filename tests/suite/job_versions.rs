//! *A job is a version*: `@17` as a base, if commands change files after jobs, and if a job has two numbers. The
//! scenarios in `tests/cases` test the rest.

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// Writes each file in capitals, after its job.
const HOOK: &str = r#"[[after_write]]
name = "capitals"
files = ["*.txt"]
command = ["sh", "-c", "tr a-z A-Z <\"$1\" >\"$1~\" && mv \"$1~\" \"$1\"", "sh", "{file}"]
"#;

#[test]
fn a_job_is_the_version_before_its_hook_and_the_hook_entry_the_one_after() {
    if cfg!(windows) {
        println!("skipped on Windows: the hook is a command of a shell");
        return;
    }
    let daemon = TestDaemon::started();
    daemon.put(".editd.toml", HOOK);
    let told = daemon.client("s").ask_json(kind::TRUST, &json!({}));
    let told = daemon.client("s").ask_json(kind::TRUST, &json!({ "hash": told["hash"] }));
    assert_eq!(told["trusted"], true, "{told}");
    daemon.put("a.txt", "one\ntwo\nthree\n");
    let job = jobs::one("a.txt", json!({"op": "replace", "old": "two", "new": "zwei"}));
    let receipt = daemon.client("s").ask_json(kind::EDIT, &job);
    let (job, hook) = (&receipt["job"], &receipt["hooks"][0]["job"]);
    let line = |base: &Value, number: u64, text: &str| {
        let edit = json!({"op": "lines", "start": number, "end": number, "text": text});
        let entry = json!({"path": "a.txt", "base": format!("@{base}"), "edits": [edit]});
        daemon.client("other").ask_json(kind::EDIT, &json!({ "files": [entry] }))
    };
    // The hook has changed the line since.
    assert_eq!(jobs::code(&line(job, 2, "2")), Some("conflict"));
    jobs::applied(&line(hook, 2, "second"));
    assert_eq!(daemon.get("a.txt"), b"ONE\nSECOND\nTHREE\n");
}

#[test]
fn a_detached_job_is_a_version_under_both_of_its_numbers() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\ntwo\n");
    let mut client = daemon.client("a");
    // The second waits for the first, which has no entry when it is queued.
    let queued =
        client.ask_json(kind::EDIT, &jobs::with(jobs::append("a.txt", "three\n"), "detach", json!(true)));
    let number = jobs::number(&queued);
    let edit = json!({"op": "lines", "start": 3, "end": 3, "text": "3"});
    let after =
        json!({"files": [{"path": "a.txt", "base": format!("@{number}"), "edits": [edit]}], "detach": true});
    let second = jobs::number(&client.ask_json(kind::EDIT, &after));
    let ended = client.ask_json(kind::WAIT, &json!({ "job": second, "timeout_ms": 60_000 }));
    jobs::applied(&ended);
    assert_eq!(daemon.get("a.txt"), b"one\ntwo\n3\n");
    for (number, text) in [(second, "drei"), (jobs::number(&ended), "III")] {
        let edit = json!({"op": "replace", "old": "3", "new": text});
        let base = format!("@{number}");
        let reply = client
            .ask_json(kind::EDIT, &json!({"files": [{"path": "a.txt", "base": base, "edits": [edit]}]}));
        assert_eq!(jobs::status(&reply), if text == "III" { "refused" } else { "applied" }, "{reply}");
    }
}
