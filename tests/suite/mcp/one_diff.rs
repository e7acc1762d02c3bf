//! The diff of `edit_file` of the set `mcp-filesystem`: one from the old to the new file, however many edits a call has.

use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

#[test]
fn a_call_with_several_edits_returns_one_diff() {
    let daemon = TestDaemon::started();
    let text: String = (1..=60).map(|number| format!("line {number}\n")).collect();
    daemon.put("a.txt", &text);
    let mut client = McpClient::begin(&daemon, &["--as", "mcp-filesystem"]);
    let edit = |old: String, new: String| json!({ "oldText": old, "newText": new });
    let mut edits: Vec<Value> =
        (20..30).map(|number| edit(format!("line {number}\n"), format!("new {number}\n"))).collect();
    // The second of these depends on the first.
    edits.push(edit("line 50".to_owned(), "between".to_owned()));
    edits.push(edit("between".to_owned(), "end".to_owned()));
    for dry in [true, false] {
        let call = json!({ "path": "a.txt", "edits": edits, "dryRun": dry });
        let done = client.call("edit_file", call);
        let count = |word: &str| done.done().matches(word).count();
        assert_eq!((count("--- a/a.txt"), count("@@ -"), count("between")), (1, 2, 0), "{}", done.text);
        assert_eq!((count("\n-line 2"), count("\n+new 2"), count("\n+end\n")), (10, 10, 1), "{}", done.text);
        assert_eq!(daemon.get("a.txt") == text.as_bytes(), dry);
    }
}
