//! Contents of journal entries byte for byte: rescued bytes that are not text, earlier versions of binary files, and large
//! contents that take several replies.

use std::fs::File;
use std::io::Write;
use std::process::Output;

use editd_proto::message::kind;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, process, wait};
use serde_json::{Value, json};

const BYTES: &[u8] = b"\x00\xff\x1b[31m rescued \xfe\x80";

fn cat(daemon: &TestDaemon, words: &[&str]) -> Output {
    daemon.editctl().arg("cat").args(words).output().unwrap()
}

fn entries(daemon: &TestDaemon) -> Vec<Value> {
    let reply = daemon.client("s").ask_json(kind::HISTORY, &json!({}));
    reply["entries"].as_array().unwrap().clone()
}

#[test]
fn rescued_bytes_that_are_not_text_come_back_byte_for_byte() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "old\n");
    // Another program has the file open, and writes to it after a job replaced it.
    let mut open = File::options().write(true).open(daemon.workspace().join("a.txt")).unwrap();
    let mut client = daemon.client("s");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "new\n")));
    open.write_all(BYTES).unwrap();
    drop(open);
    let rescued =
        |entry: &Value| entry["label"].as_str().is_some_and(|label| label.starts_with("written to"));
    let id = wait::until("the bytes are rescued", wait::LONG, || {
        let found = entries(&daemon).into_iter().find(rescued)?;
        Some(found["id"].as_u64().unwrap())
    });
    let done = cat(&daemon, &[&format!("a.txt@{id}")]);
    assert_eq!(done.stdout, BYTES, "{}", String::from_utf8_lossy(&done.stderr));
    let shown = daemon.editctl().args(["show", &id.to_string(), "--bytes"]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("+00000000  00 ff 1b 5b 33 31 6d 20"), "{shown}");
    let shown = daemon.editctl().args(["show", &id.to_string()]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("Binary files a/a.txt and b/a.txt differ"), "{shown}");
    assert!(
        shown.contains(&format!("`editctl show {id} --bytes`")) && !shown.contains('\u{fffd}'),
        "{shown}"
    );
    // The job itself left what it wrote, and replaced what was there.
    let job = id - 1;
    assert_eq!(cat(&daemon, &[&format!("a.txt@{job}")]).stdout, b"new\n");
    assert_eq!(cat(&daemon, &[&format!("a.txt@{job}"), "--before"]).stdout, b"old\n");
}

#[test]
fn large_binary_versions_come_in_parts() {
    let daemon = TestDaemon::started();
    let versions: Vec<Vec<u8>> = (1..4_u32)
        .map(|version| {
            (0..1_200_000_u32).flat_map(|n| (n.wrapping_mul(2_654_435_761) ^ version).to_le_bytes()).collect()
        })
        .collect();
    for version in &versions {
        daemon.put("a.bin", version);
        assert!(daemon.editctl().args(["read", "a.bin"]).output().unwrap().stdout == *version);
    }
    // Changes by others are entries as soon as they are observed.
    wait::until("the changes are journaled", wait::LONG, || (entries(&daemon).len() >= 2).then_some(()));
    let id = entries(&daemon)[0]["id"].as_u64().unwrap();
    assert!(cat(&daemon, &[&format!("a.bin@{id}")]).stdout == versions[2]);
    let before = cat(&daemon, &[&format!("a.bin@{id}"), "--before"]);
    assert!(before.stdout == versions[1], "{}", String::from_utf8_lossy(&before.stderr));
}

#[test]
fn missing_entries_and_files_are_refused_with_those_that_are_there() {
    if process::skips_under_wine("a file of the journal that is open cannot be replaced") {
        return;
    }
    let daemon = TestDaemon::started();
    let mut client = daemon.client("s");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "one\n")));
    for (words, exit, told) in [
        (&["a.txt"][..], 2, "src/main.rs@17"),
        (&["a.txt@x"], 2, "src/main.rs@17"),
        (&["a.txt@9"], 1, "no entry 9"),
        (&["b.txt@1"], 1, "it changed a.txt"),
        (&["a.txt@1", "--before"], 1, "there was no file a.txt before entry 1"),
    ] {
        let done = cat(&daemon, words);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(said.contains(told), "{words:?}: {said}");
        assert_eq!(done.status.code(), Some(exit), "{words:?}: {said}");
    }
    let far = json!({"job": 1, "path": "a.txt", "from": 5});
    assert_eq!(client.ask_json(kind::CONTENT, &far)["error"]["code"], "out_of_range");
    // A forgotten content is gone.
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "two\n")));
    let forgotten = client.ask_json(kind::FORGET, &json!({"path": "a.txt"}));
    assert_eq!(forgotten["error"], Value::Null, "{forgotten}");
    let done = cat(&daemon, &["a.txt@1"]);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("`editctl forget`") && done.stdout.is_empty(), "{said}");
}

#[test]
fn show_has_the_content_that_cat_has() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "old\n");
    let mut open = File::options().append(true).open(daemon.workspace().join("a.txt")).unwrap();
    let mut client = daemon.client("s");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "new\n")));
    // Latin-1 is not shown as it is, either.
    open.write_all(b"caf\xe9\n").unwrap();
    drop(open);
    let id = wait::until("the bytes are rescued", wait::LONG, || {
        let found = entries(&daemon).into_iter().find(|entry| entry["label"].is_string())?;
        Some(found["id"].as_u64().unwrap())
    });
    assert_eq!(cat(&daemon, &[&format!("a.txt@{id}")]).stdout, b"old\ncaf\xe9\n");
    assert_eq!(cat(&daemon, &[&format!("a.txt@{id}"), "--before"]).stdout, b"old\n");
    let shown = daemon.editctl().args(["show", &id.to_string()]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("@@ -1 +1,2 @@\n old\n+caf") && !shown.contains("known"), "{shown}");
    assert!(shown.contains(&format!("`editctl show {id} --bytes`")), "{shown}");
}
