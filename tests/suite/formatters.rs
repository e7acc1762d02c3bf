//! *Formatters*: the output of a `[[format]]` command is part of the job: validators check it, it is in the same entry,
//! and undo reverts it; a formatter that fails does not lose the job. The formatters are small scripts, and one real
//! one.

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// Cuts blanks at the ends of lines, and remembers which file it was asked for.
const TRIM: &str = r#"echo "$1" >>formatted.out; sed 's/ *$//'"#;

/// Has something against blanks at the ends of lines.
const BLANKS: &str =
    r#"grep -n ' $' | sed "s|^\([0-9]*\):.*|$1:\1:1: a blank at the end|" | grep . && exit 1; exit 0"#;

fn command(table: &str, name: &str, script: &str) -> String {
    let command = json!(["sh", "-c", script, "sh", "{path}"]);
    format!(
        "[[{table}]]\nname = \"{name}\"\nfiles = [\"*.txt\", \"*.rs\", \"*.json\"]\ncommand = {command}\n"
    )
}

fn formatter(script: &str) -> String {
    command("format", "trim", script)
}

fn edit(daemon: &TestDaemon, job: &Value) -> Value {
    daemon.client("s").ask_json(kind::EDIT, job)
}

fn text(daemon: &TestDaemon, path: &str) -> String {
    String::from_utf8(daemon.get(path)).unwrap()
}

fn entries(daemon: &TestDaemon) -> Vec<Value> {
    let history = daemon.client("s").ask_json(kind::HISTORY, &json!({}));
    history["entries"].as_array().unwrap().clone()
}

#[test]
fn formatting_is_part_of_the_job_for_validators_and_undo() {
    let daemon = TestDaemon::trusted(&(formatter(TRIM) + &command("validator", "blanks", BLANKS)));
    daemon.put("a.txt", "one\ntwo\n");
    let job = json!({ "files": [
        { "path": "a.txt", "edits": [{ "op": "replace", "old": "two\n", "new": "2  \nthree \n" }] },
        { "path": "new.txt", "base": "absent", "edits": [{ "op": "write", "text": "made \n" }] },
    ] });
    let receipt = edit(&daemon, &jobs::with(job, "diff", json!(true)));
    jobs::applied(&receipt);
    assert_eq!(
        (text(&daemon, "a.txt"), text(&daemon, "new.txt")),
        ("one\n2\nthree\n".into(), "made\n".into())
    );
    let file = &receipt["files"][0];
    assert_eq!(file["formatted"]["by"], json!(["trim"]), "{receipt}");
    let diff = file["formatted"]["diff"].as_str().unwrap();
    assert!(diff.contains("-2  \n-three \n+2\n+three\n"), "{diff}");
    assert!(file["diff"].as_str().unwrap().contains("-two\n+2\n+three\n"), "{receipt}");
    assert!(file["issues"].is_null() && file["warnings"].is_null(), "{receipt}");
    assert_eq!(
        (&file["lines"], &file["added"], &file["removed"]),
        (&json!("2-3"), &json!(2), &json!(1)),
        "{receipt}"
    );

    let entries = entries(&daemon);
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!(entries[0]["files"][0]["after"], file["after"]);
    assert_eq!(
        (&entries[0]["files"][0]["added"], &entries[0]["files"][0]["removed"]),
        (&json!(2), &json!(1))
    );

    // The session knows what was written: it may go on by lines.
    let lines = json!({ "op": "lines", "start": 3, "end": 3, "text": "drei\n" });
    jobs::applied(&edit(&daemon, &json!({ "files": [{ "path": "a.txt", "edits": [lines] }] })));
    assert_eq!(text(&daemon, "a.txt"), "one\n2\ndrei\n");
    for _ in 0..2 {
        jobs::applied(&daemon.client("s").ask_json(kind::UNDO, &json!({})));
    }
    assert_eq!(text(&daemon, "a.txt"), "one\ntwo\n");
    assert!(!daemon.workspace().join("new.txt").exists());
}

#[test]
fn a_verified_job_is_formatted_and_its_token_applies_it() {
    let daemon = TestDaemon::trusted(&formatter(TRIM));
    daemon.put("a.txt", "one\n");
    let job = jobs::append("a.txt", "two  \n");
    let told = edit(&daemon, &jobs::with(job.clone(), "mode", json!("verify_only")));
    assert_eq!(told["status"], "verified", "{told}");
    assert!(told["files"][0]["formatted"]["diff"].as_str().unwrap().contains("-two  \n+two\n"), "{told}");
    assert_eq!(text(&daemon, "a.txt"), "one\n");
    let receipt = edit(&daemon, &jobs::with(job, "verified", told["verified"].clone()));
    jobs::applied(&receipt);
    assert_eq!(receipt["files"][0]["after"], told["files"][0]["after"], "{receipt}");
    assert_eq!(text(&daemon, "a.txt"), "one\ntwo\n");
}

#[test]
fn a_job_whose_change_the_formatter_reverts_is_unchanged() {
    let daemon = TestDaemon::trusted(&formatter(TRIM));
    daemon.put("a.txt", "one\n");
    let job = json!({ "files": [{ "path": "a.txt", "edits": [{ "op": "replace", "old": "one", "new": "one " }] }] });
    let receipt = edit(&daemon, &job);
    assert_eq!(
        (&receipt["status"], &receipt["files"][0]["status"]),
        (&json!("unchanged"), &json!("unchanged"))
    );
    assert_eq!(entries(&daemon).len(), 0);
}

#[test]
fn a_failing_formatter_leaves_the_content_of_the_job() {
    for (script, why) in [
        ("cat; exit 3", "status 3"),
        ("echo oops >&2; exit 1", "oops"),
        ("cat >/dev/null", "wrote nothing"),
        ("printf '\\n\\n'", "wrote nothing"),
        ("printf 'a\\000b'", "no text"),
        ("head -c 3000000 /dev/zero | tr '\\000' x", "output limit"),
        ("sleep 60", "time"),
        ("kill -9 $$", "signal"),
    ] {
        let config = formatter(script) + "timeout = \"1s\"\n";
        let daemon = TestDaemon::trusted(&config);
        daemon.put("a.txt", "one\n");
        let receipt = edit(&daemon, &jobs::append("a.txt", "two \n"));
        jobs::applied(&receipt);
        assert_eq!(text(&daemon, "a.txt"), "one\ntwo \n", "{script}");
        let file = &receipt["files"][0];
        assert_eq!(file["formatted"], Value::Null, "{script}: {receipt}");
        let warning = file["warnings"].to_string();
        assert!(warning.contains("`trim` did not format it") && warning.contains(why), "{script}: {warning}");
    }
}

#[test]
fn content_that_a_formatter_breaks_is_written_unformatted() {
    let daemon = TestDaemon::trusted(&formatter("sed 's/}//'"));
    daemon.put("a.json", "{\"a\": 1}\n");
    let job =
        json!({ "files": [{ "path": "a.json", "edits": [{ "op": "replace", "old": "1", "new": "2" }] }] });
    let receipt = edit(&daemon, &job);
    jobs::applied(&receipt);
    assert_eq!(text(&daemon, "a.json"), "{\"a\": 2}\n");
    let warning = receipt["files"][0]["warnings"].to_string();
    assert!(warning.contains("not formatted: the output of `trim` was refused"), "{receipt}");
    // What the job itself breaks is refused, in its own lines.
    let job =
        json!({ "files": [{ "path": "a.json", "edits": [{ "op": "replace", "old": "2}", "new": "2" }] }] });
    assert_eq!(edit(&daemon, &job)["error"]["code"], "rejected");
    assert_eq!(text(&daemon, "a.json"), "{\"a\": 2}\n");
}

#[test]
fn a_formatter_runs_only_where_it_is_trusted_and_for_contents_that_are_new() {
    let mut daemon = TestDaemon::new();
    daemon.put(".editd.toml", formatter(TRIM));
    daemon.put("a.txt", "one \n");
    daemon.start();
    let receipt = edit(&daemon, &jobs::append("a.txt", "two \n"));
    jobs::applied(&receipt);
    assert_eq!(text(&daemon, "a.txt"), "one \ntwo \n");
    assert!(receipt["files"][0]["warnings"].to_string().contains("not trusted"), "{receipt}");
    let told = daemon.client("s").ask_json(kind::TRUST, &json!({}));
    assert_eq!(
        (&told["commands"][0]["kind"], &told["commands"][0]["name"]),
        (&json!("format"), &json!("trim"))
    );
    daemon.client("s").ask_json(kind::TRUST, &json!({ "hash": told["hash"] }));
    // Others' contents come back as they were; a move is no new content.
    jobs::applied(&daemon.client("s").ask_json(kind::UNDO, &json!({})));
    jobs::applied(&edit(
        &daemon,
        &json!({ "files": [{ "path": "a.txt", "edits": [{ "op": "rename", "to": "b.txt" }] }] }),
    ));
    assert_eq!(text(&daemon, "b.txt"), "one \n");
    assert!(!daemon.workspace().join("formatted.out").exists());
    jobs::applied(&edit(&daemon, &jobs::append("b.txt", "x")));
    assert_eq!(text(&daemon, "b.txt"), "one\nx");
}

#[test]
fn rustfmt_formats_before_the_write() {
    let config = "[[format]]\nname = \"rustfmt\"\nfiles = [\"*.rs\"]\ncommand = [\"rustfmt\", \"--edition\", \"2024\", \
                  \"--emit\", \"stdout\"]\n";
    let daemon = TestDaemon::trusted(config);
    daemon.put("a.rs", "fn a() {}\n");
    let receipt = edit(&daemon, &jobs::append("a.rs", "fn b( ) { a( ) }\n"));
    jobs::applied(&receipt);
    assert_eq!(text(&daemon, "a.rs"), "fn a() {}\nfn b() {\n    a()\n}\n", "{receipt}");
    assert_eq!(entries(&daemon).len(), 1);
}
