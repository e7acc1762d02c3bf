//! The tool `edit` with the content of a whole file, beside other edits of that file.

use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

use super::edit;

#[test]
fn lines_are_inserted_at_the_start_and_the_end_of_a_content() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &[]);
    let content = json!({ "path": "a.txt", "content": "one" });
    let insert = |place: &str, new: &str| json!({ "path": "a.txt", "insert": place, "new": new });
    for (edits, expected) in [
        (json!([content, insert("end", "two")]), "one\ntwo\n"),
        (json!([insert("end", "two\n"), content, insert("end", "three")]), "one\ntwo\nthree\n"),
        (json!([content, insert("start", "zero")]), "zero\none"),
    ] {
        edit(&mut client, edits).done();
        assert_eq!(String::from_utf8(daemon.get("a.txt")).unwrap(), expected);
    }
    let other = edit(&mut client, json!([content, { "path": "a.txt", "old": "one", "new": "" }]));
    assert!(other.is_error && other.text.contains("writes the whole file goes only with"), "{}", other.text);
}
