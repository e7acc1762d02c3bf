//! The tool `undo` with paths and without a job.

use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

use super::edit;

fn change(client: &mut McpClient, paths: &[&str], old: &str, new: &str) {
    let edits: Vec<Value> =
        paths.iter().map(|path| json!({ "path": path, "old": old, "new": new })).collect();
    edit(client, json!(edits)).done();
}

#[test]
fn a_rename_is_undone_as_a_whole_although_one_path_is_named() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let mut client = McpClient::begin(&daemon, &[]);
    edit(&mut client, json!([{ "path": "a.txt", "rename_to": "c.txt" }])).done();
    for path in ["c.txt", "a.txt"] {
        client.call("undo", json!({ "job": 1, "paths": [path] })).done();
        assert_eq!(daemon.get("a.txt"), b"one\n");
        assert!(!daemon.workspace().join("c.txt").exists(), "{path}");
        let redone = daemon.editctl().args(["redo", "1", "--path", path]).output().unwrap();
        assert!(redone.status.success(), "{path}: {redone:?}");
        assert_eq!(daemon.get("c.txt"), b"one\n");
        assert!(!daemon.workspace().join("a.txt").exists(), "{path}");
    }
    let hunks = client.call("undo", json!({ "job": 1, "paths": ["c.txt"], "hunks": [1] }));
    assert!(hunks.is_error && hunks.text.contains("renamed a.txt to c.txt"), "{}", hunks.text);
}

#[test]
fn paths_without_a_job_undo_the_last_edit_of_them() {
    let daemon = TestDaemon::started();
    for path in ["a.txt", "b.txt", "c.txt"] {
        daemon.put(path, "one\ntwo\nthree\nfour\n");
    }
    let (mut client, mut other) = (McpClient::begin(&daemon, &[]), McpClient::begin(&daemon, &[]));
    change(&mut client, &["a.txt", "b.txt", "c.txt"], "one", "1");
    change(&mut client, &["b.txt"], "two", "2");
    change(&mut other, &["a.txt"], "four", "of the other");

    let differ = client.call("undo", json!({ "paths": ["a.txt", "b.txt"] }));
    let expected = "your last edit of a.txt is job 1, and of b.txt job 2: undo them in two calls";
    assert!(differ.is_error && differ.text.contains(expected), "{}", differ.text);

    client.call("undo", json!({ "paths": ["b.txt"] })).done();
    assert_eq!(daemon.get("b.txt"), b"1\ntwo\nthree\nfour\n");
    // The last edit of both is the first job now. The change of another session stays.
    client.call("undo", json!({ "paths": ["a.txt", "b.txt"] })).done();
    assert_eq!(
        (daemon.get("a.txt"), daemon.get("b.txt")),
        (b"one\ntwo\nthree\nof the other\n".to_vec(), b"one\ntwo\nthree\nfour\n".to_vec())
    );
    assert_eq!(daemon.get("c.txt"), b"1\ntwo\nthree\nfour\n");

    for path in ["a.txt", "d.txt"] {
        let none = client.call("undo", json!({ "paths": [path] }));
        let expected = format!("you have no edit of {path} to undo");
        assert!(none.is_error && none.text.contains(&expected), "{}", none.text);
    }
}
