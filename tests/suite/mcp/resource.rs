//! The resource with the diff of the session.

use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

use super::edit;
use editd_tests::mcp_client::McpClient;

const URI: &str = "editd://session/diff";

fn diff(client: &mut McpClient) -> String {
    let read = client.ask("resources/read", json!({ "uri": URI }));
    let content = &read["contents"][0];
    assert_eq!((&content["uri"], &content["mimeType"]), (&json!(URI), &json!("text/x-diff")), "{read}");
    content["text"].as_str().unwrap().to_owned()
}

#[test]
fn the_diff_of_the_session_has_its_changes_and_no_others() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\ntwo\nthree\n");
    daemon.put("b.txt", "b\n");
    daemon.put("gone.txt", "gone\n");
    let (mut client, mut other) = (McpClient::begin(&daemon, &[]), McpClient::begin(&daemon, &[]));
    let listed = client.ask("resources/list", json!({}));
    assert_eq!(listed["resources"][0]["uri"], URI, "{listed}");
    assert_eq!(diff(&mut client), "");
    edit(&mut client, json!([{ "path": "a.txt", "old": "one", "new": "1" }])).done();
    edit(&mut client, json!([{ "path": "a.txt", "old": "two", "new": "2" }])).done();
    edit(&mut client, json!([{ "path": "new.txt", "content": "new\n" }])).done();
    client.call("read", json!({ "path": "gone.txt" })).done();
    edit(&mut client, json!([{ "path": "gone.txt", "delete": true }])).done();
    edit(&mut client, json!([{ "path": "b.txt", "old": "b", "new": "undone" }])).done();
    client.call("undo", json!({})).done();
    edit(&mut other, json!([{ "path": "b.txt", "old": "b", "new": "of the other" }])).done();
    let expected = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-one\n-two\n+1\n+2\n three\n\
                    diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n\
                    @@ -1 +0,0 @@\n-gone\n\
                    diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n\
                    @@ -0,0 +1 @@\n+new\n";
    assert_eq!(diff(&mut client), expected);
    let refused = client.request("resources/read", json!({ "uri": "editd://other" }));
    assert!(refused["error"]["message"].as_str().unwrap().contains(URI), "{refused}");
}

#[test]
fn a_long_file_is_fetched_in_parts() {
    let daemon = TestDaemon::started();
    let line = |nth: usize| format!("line {nth} of a file that does not fit into one reply\n");
    let text: String = (0..60_000).map(line).collect();
    daemon.put("long.txt", &text);
    daemon.put("longer.txt", text.repeat(2));
    let mut client = McpClient::begin(&daemon, &[]);
    edit(&mut client, json!([{ "path": "long.txt", "old": "line 59999 of", "new": "the last of" }])).done();
    let shown = diff(&mut client);
    assert!(shown.contains("\n-line 59999 of") && shown.contains("\n+the last of"), "{shown}");
    assert!(shown.len() < 1000, "{} bytes", shown.len());
    edit(&mut client, json!([{ "path": "longer.txt", "insert": "end", "new": "more\n" }])).done();
    let shown = diff(&mut client);
    let words = "# longer.txt was changed; it is not shown: too long, ";
    assert!(shown.lines().last().is_some_and(|last| last.starts_with(words)), "{shown}");
}

#[test]
fn the_diff_has_the_changes_in_every_root() {
    let (daemon, other, third) = (TestDaemon::started(), TestDaemon::started(), TestDaemon::started());
    daemon.put("a.txt", "one\n");
    other.put("a.txt", "two\n");
    let mut client = McpClient::start(&daemon, &[]);
    client.initialize_with_roots(&[daemon.workspace(), other.workspace(), third.workspace()]);
    let place = other.workspace().join("a.txt");
    edit(&mut client, json!([{ "path": place, "old": "two", "new": "2" }])).done();
    let change = |old: &str, new: &str| {
        format!("diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-{old}\n+{new}\n")
    };
    let there = format!("# in {}\n{}", other.workspace().display(), change("two", "2"));
    assert_eq!(diff(&mut client), there);
    edit(&mut client, json!([{ "path": "a.txt", "old": "one", "new": "1" }])).done();
    assert_eq!(diff(&mut client), change("one", "1") + &there);
}
