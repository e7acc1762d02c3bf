//! The workspace of a path: that of the current folder, or of a root that the client announces.

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

use super::edit;
use editd_tests::mcp_client::McpClient;

#[test]
fn a_path_belongs_to_the_root_that_contains_it() {
    let (daemon, other) = (TestDaemon::started(), TestDaemon::started());
    daemon.put("a.txt", "one\n");
    other.put("a.txt", "two\n");
    let mut client = McpClient::start(&daemon, &[]);
    client.initialize_with_roots(&[daemon.workspace(), other.workspace()]);
    let place = other.workspace().join("a.txt");
    let place = place.to_str().unwrap();
    assert_eq!(client.call("read", json!({ "path": "a.txt" })).done(), "one\n");
    assert_eq!(client.call("read", json!({ "path": place })).done(), "two\n");
    let edits =
        json!([{ "path": "a.txt", "old": "one", "new": "1" }, { "path": place, "old": "two", "new": "2" }]);
    let both = edit(&mut client, edits);
    assert!(both.is_error && both.text.contains("a job is applied to one workspace"), "{}", both.text);
    edit(&mut client, json!([{ "path": place, "old": "two", "new": "2" }])).done();
    assert_eq!((daemon.get("a.txt"), other.get("a.txt")), (b"one\n".to_vec(), b"2\n".to_vec()));
    let listed = client.call("history", json!({ "path": place })).done().to_owned();
    assert!(listed.starts_with(&format!("in {}\n1  ", other.workspace().display())), "{listed}");
    assert_eq!(client.call("history", json!({})).done(), "no entries");
    client.call("undo", json!({ "job": 1, "paths": [place] })).done();
    assert_eq!(other.get("a.txt"), b"two\n");
    let outside = client.call("read", json!({ "path": "/etc/hostname" }));
    assert!(outside.is_error && outside.text.contains("outside"), "{}", outside.text);
}

#[test]
fn an_undo_without_a_path_takes_back_the_last_edit_in_whichever_root() {
    let (daemon, other) = (TestDaemon::started(), TestDaemon::started());
    for each in [&daemon, &other] {
        each.put("a.txt", "one\n");
    }
    let mut client = McpClient::start(&daemon, &[]);
    client.initialize_with_roots(&[daemon.workspace(), other.workspace()]);
    let place = other.workspace().join("a.txt");
    let place = place.to_str().unwrap();
    edit(&mut client, json!([{ "path": "a.txt", "old": "one", "new": "1" }])).done();
    let told = edit(&mut client, json!([{ "path": place, "old": "one", "new": "2" }])).done().to_owned();
    assert!(told.starts_with(&format!("in {}\njob 1 applied", other.workspace().display())), "{told}");
    let both = client.call("undo", json!({ "job": 1 }));
    assert!(both.is_error && both.text.contains("both have a job 1: name one of its files"), "{}", both.text);
    let told = client.call("undo", json!({})).done().to_owned();
    assert!(told.starts_with(&format!("in {}\njob 2 undone", other.workspace().display())), "{told}");
    assert_eq!((daemon.get("a.txt"), other.get("a.txt")), (b"1\n".to_vec(), b"one\n".to_vec()));
    let both = client.call("undo", json!({ "job": 1 }));
    assert!(both.is_error && both.text.contains("both have a job 1"), "{}", both.text);
    // Job 2 of the other root is that undo; undoing it makes an edit again, which is then the last one.
    client.call("undo", json!({ "job": 2 })).done();
    assert_eq!(other.get("a.txt"), b"2\n");
    client.call("undo", json!({})).done();
    assert_eq!((daemon.get("a.txt"), other.get("a.txt")), (b"1\n".to_vec(), b"one\n".to_vec()));
    let told = client.call("undo", json!({})).done().to_owned();
    assert!(told.starts_with("job 2 undone"), "{told}");
    assert_eq!(daemon.get("a.txt"), b"one\n");
}

#[test]
fn a_named_socket_is_that_of_the_usual_root() {
    let (daemon, other) = (TestDaemon::started(), TestDaemon::started());
    for each in [&daemon, &other] {
        each.put("a.txt", "one\n");
    }
    let socket = daemon.socket();
    let mut client = McpClient::start(&daemon, &["--socket", socket.to_str().unwrap()]);
    client.initialize_with_roots(&[daemon.workspace(), other.workspace()]);
    let place = other.workspace().join("a.txt");
    edit(&mut client, json!([{ "path": place, "old": "one", "new": "2" }])).done();
    edit(&mut client, json!([{ "path": "a.txt", "old": "one", "new": "1" }])).done();
    assert_eq!((daemon.get("a.txt"), other.get("a.txt")), (b"1\n".to_vec(), b"2\n".to_vec()));
}

#[cfg(unix)]
#[test]
fn a_root_may_be_announced_through_a_link() {
    let (daemon, other) = (TestDaemon::started(), TestDaemon::started());
    other.put("a.txt", "two\n");
    let link = daemon.folder("link");
    std::os::unix::fs::symlink(other.workspace(), &link).unwrap();
    let mut client = McpClient::start(&daemon, &[]);
    client.initialize_with_roots(&[daemon.workspace(), &link]);
    let place = link.join("a.txt");
    assert_eq!(client.call("read", json!({ "path": place })).done(), "two\n");
    edit(&mut client, json!([{ "path": place, "old": "two", "new": "2" }])).done();
    assert_eq!(other.get("a.txt"), b"2\n");
}

#[test]
fn the_history_of_a_job_is_that_of_its_root() {
    let (daemon, other) = (TestDaemon::started(), TestDaemon::started());
    other.put("a.txt", "one\n");
    let mut client = McpClient::start(&daemon, &[]);
    client.initialize_with_roots(&[daemon.workspace(), other.workspace()]);
    let place = other.workspace().join("a.txt");
    for (old, new) in [("one", "two"), ("two", "three")] {
        edit(&mut client, json!([{ "path": place, "old": old, "new": new }])).done();
    }
    let told = client.call("history", json!({ "job": 2 })).done().to_owned();
    assert!(told.contains("+three"), "{told}");
}

#[test]
fn relative_paths_belong_to_the_root_if_the_server_was_started_elsewhere() {
    let (daemon, other) = (TestDaemon::started(), TestDaemon::started());
    other.put("a.txt", "two\n");
    let mut client = McpClient::start(&daemon, &[]);
    client.initialize_with_roots(&[other.workspace()]);
    assert_eq!(client.call("read", json!({ "path": "a.txt" })).done(), "two\n");
    let workspace = daemon.workspace().to_str().unwrap();
    let mut client = McpClient::start(&daemon, &["--workspace", workspace]);
    client.initialize_with_roots(&[other.workspace()]);
    assert!(client.call("read", json!({ "path": "a.txt" })).is_error);
}

#[test]
fn relative_paths_begin_at_the_current_folder_or_are_those_of_replies() {
    let daemon = TestDaemon::started();
    for path in ["sub/a.txt", "b.txt", "c.txt", ".git/HEAD"] {
        daemon.put(path, path);
    }
    let mut command = daemon.command(binaries::editctl_mcp());
    command.current_dir(daemon.workspace().join("sub"));
    let mut client = McpClient::run(command);
    client.initialize();
    for (given, found) in [("a.txt", "sub/a.txt"), ("sub/a.txt", "sub/a.txt"), ("b.txt", "b.txt")] {
        assert_eq!(client.call("read", json!({ "path": given })).done(), found);
    }
    // What is read and what is written under a name is one file.
    client.call("read", json!({ "path": "c.txt" })).done();
    edit(&mut client, json!([{ "path": "c.txt", "content": "new" }])).done();
    assert_eq!(daemon.get("c.txt"), b"new");
    edit(&mut client, json!([{ "path": "new.txt", "content": "new" }])).done();
    assert_eq!(daemon.get("sub/new.txt"), b"new");
    edit(&mut client, json!([{ "path": "c.txt", "rename_to": "d.txt" }])).done();
    edit(&mut client, json!([{ "path": "a.txt", "rename_to": "e.txt" }])).done();
    assert_eq!((daemon.get("d.txt"), daemon.get("sub/e.txt")), (b"new".to_vec(), b"sub/a.txt".to_vec()));
}

/// Starts a server for a set of tools in the folder `sub` of a workspace.
fn begin_in_folder(daemon: &TestDaemon, words: &[&str]) -> McpClient {
    daemon.put(".git/HEAD", "");
    daemon.put("sub/a.txt", "");
    let mut command = daemon.command(binaries::editctl_mcp());
    command.args(words).current_dir(daemon.workspace().join("sub"));
    let mut client = McpClient::run(command);
    client.initialize();
    client
}

#[test]
fn a_whole_file_is_written_in_the_current_folder_unless_the_session_knows_the_one_at_the_root() {
    for (set, tool, path, content) in [
        ("claude-code", "Write", "file_path", "content"),
        ("gemini", "write_file", "file_path", "content"),
        ("opencode", "write", "filePath", "content"),
        ("mcp-filesystem", "write_file", "path", "content"),
        ("serena", "create_text_file", "relative_path", "content"),
    ] {
        let daemon = TestDaemon::started();
        daemon.put("b.txt", "root\n");
        let mut client = begin_in_folder(&daemon, &["--as", set]);
        client.call(tool, json!({ path: "b.txt", content: "new\n" })).done();
        assert_eq!((daemon.get("b.txt"), daemon.get("sub/b.txt")), (b"root\n".to_vec(), b"new\n".to_vec()));
        // As the reply names it.
        client.call(tool, json!({ path: "sub/b.txt", content: "newer\n" })).done();
        assert_eq!(daemon.get("sub/b.txt"), b"newer\n", "{set}");
    }
    let daemon = TestDaemon::started();
    daemon.put("b.txt", "root\n");
    daemon.put("c.txt", "root\n");
    let mut client = begin_in_folder(&daemon, &[]);
    edit(&mut client, json!([{ "path": "b.txt", "content": "new\n" }])).done();
    assert_eq!((daemon.get("b.txt"), daemon.get("sub/b.txt")), (b"root\n".to_vec(), b"new\n".to_vec()));
    client.call("read", json!({ "path": "c.txt" })).done();
    edit(&mut client, json!([{ "path": "c.txt", "content": "new\n" }])).done();
    assert_eq!(daemon.get("c.txt"), b"new\n");
    assert!(!daemon.workspace().join("sub/c.txt").exists());
}

#[test]
fn an_edit_of_an_empty_text_creates_the_file_in_the_current_folder() {
    let daemon = TestDaemon::started();
    daemon.put("b.txt", "root\n");
    let mut client = begin_in_folder(&daemon, &["--as", "claude-code"]);
    client.call("Edit", json!({ "file_path": "b.txt", "old_string": "", "new_string": "new\n" })).done();
    assert_eq!((daemon.get("b.txt"), daemon.get("sub/b.txt")), (b"root\n".to_vec(), b"new\n".to_vec()));
}
