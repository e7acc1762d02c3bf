//! Replies about many very long paths: each fits a frame, says how much it leaves out, and the rest can be requested.
//! A large entry does not hide older ones.

use std::os::unix::fs::symlink;

use editd_proto::limits;
use editd_proto::message::kind;
use editd_tests::client::Client;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// Files of the large job: their paths together exceed a frame.
const FILES: usize = limits::FRAME / 3900 + 100;

/// A workspace in which `l` leads to a folder so deep that every path in it is nearly as long as a path may be.
fn deep() -> (TestDaemon, String) {
    let daemon = TestDaemon::new();
    let folder = [&*"d".repeat(250); 15].join("/") + "/" + &"e".repeat(150);
    symlink(&folder, daemon.workspace().join("l")).unwrap();
    let mut daemon = daemon;
    daemon.start();
    (daemon, folder)
}

fn short(nth: usize) -> String {
    format!("l/{nth:05}")
}

fn write_all(client: &mut Client, text: &str) -> Value {
    let entry = |nth| json!({"path": short(nth), "base": "any", "edits": [{"op": "write", "text": text}]});
    let files: Vec<Value> = (0..FILES).map(entry).collect();
    client.ask_json(kind::EDIT, &json!({ "files": files, "durability": "relaxed" }))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn an_entry_with_many_long_paths_is_paged_and_hides_no_older_entry() {
    let (daemon, folder) = deep();
    let mut client = daemon.client("s");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("old.txt", "old\n")));
    let receipt = write_all(&mut client, "new\n");
    jobs::applied(&receipt);
    let job = jobs::number(&receipt);
    let told = list(&receipt["files"]).len();
    assert!(told > 1000, "{told} files");
    assert_eq!(told as u64 + receipt["omitted_files"].as_u64().unwrap(), FILES as u64);
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("young.txt", "young\n")));

    // All the journal, page by page.
    let (mut before, mut ids) = (Value::Null, Vec::new());
    loop {
        let page = client.ask_json(kind::HISTORY, &json!({ "before": before }));
        let entries = list(&page["entries"]);
        assert!(!entries.is_empty(), "{}", page["error"]);
        for entry in entries {
            let files = list(&entry["files"]).len() as u64;
            if entry["id"] == job {
                assert!(files > 1000, "{files} files");
                assert_eq!(files + entry["omitted_files"].as_u64().unwrap(), FILES as u64);
            } else {
                assert_eq!((files, &entry["omitted_files"]), (1, &Value::Null));
            }
            ids.push(entry["id"].as_u64().unwrap());
        }
        before = ids.last().copied().into();
        if page["more"] == false {
            break;
        }
    }
    assert_eq!(ids, [job + 1, job, job - 1]);

    // All of its files, page by page.
    let mut paths = Vec::new();
    while paths.len() < FILES {
        let page = client.ask_json(kind::SHOW, &json!({ "job": job, "from": paths.len() }));
        let changes = list(&page["changes"]);
        assert!(!changes.is_empty(), "{}", page["error"]);
        assert_eq!(list(&page["entry"]["files"]).len(), changes.len());
        let omitted = page["entry"]["omitted_files"].as_u64().unwrap();
        assert_eq!(changes.len() as u64 + omitted, FILES as u64);
        for change in changes {
            let diff = change["diff"].as_str().unwrap();
            assert!(diff.ends_with("+new\n") || change["omitted_hunks"] == 1, "{diff}");
            paths.push(change["path"].as_str().unwrap().to_owned());
        }
    }
    paths.sort();
    let expected: Vec<String> = (0..FILES).map(|nth| format!("{folder}/{nth:05}")).collect();
    assert!(paths == expected, "every file is told once");
    jobs::refused(&client.ask_json(kind::SHOW, &json!({"job": job, "from": FILES})), "out_of_range");

    // Nor is the way back barred.
    jobs::applied(&client.ask_json(kind::UNDO, &json!({ "jobs": [job] })));
    assert_eq!(list(&client.ask_json(kind::HISTORY, &json!({"limit": 1}))["entries"]).len(), 1);
}

#[test]
fn refusals_about_many_long_paths_fit_a_frame_and_cost_little() {
    let (daemon, _) = deep();
    let mut client = daemon.client("s");
    let edits = vec![json!({"op": "replace", "old": "a", "new": "b"}); 30_000];
    let good = json!({"path": "good.txt", "edits": [{"op": "create", "text": "good\n"}]});
    let job = json!({"partial": true, "files": [{"path": short(1), "edits": edits}, good]});
    let reply = client.ask_json(kind::EDIT, &job);
    assert_eq!(
        (jobs::status(&reply), jobs::code(&reply)),
        ("partial", Some("missing")),
        "{}",
        reply["error"]
    );
    assert_eq!(list(&reply["files"]).len(), 2);
    if let Some(peak) = editd_tests::process::peak_kib(daemon.pid()) {
        assert!(peak < 512 * 1024, "{peak} KiB");
    }
}
