//! Line numbers after changes that moved only some lines: an edit by a number means the line under which the session saw it,
//! or is refused. And paths with characters that messages escape.

use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

use super::edit;

const TEXT: &str = "a\nb\nc\nd\ne\nf\ng\nh\n";

/// A client that has read `a.txt`.
fn begun(text: &str) -> (TestDaemon, McpClient) {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", text);
    let mut client = McpClient::begin(&daemon, &[]);
    client.call("read", json!({ "path": "a.txt" })).done();
    (daemon, client)
}

/// Checks that an edit of one line is applied to `d`, or refused without an effect.
fn d_alone_changes(daemon: &TestDaemon, client: &mut McpClient, edits: Value) {
    let before = String::from_utf8(daemon.get("a.txt")).unwrap();
    let reply = edit(client, edits);
    let after = String::from_utf8(daemon.get("a.txt")).unwrap();
    let expected = if reply.is_error { before.clone() } else { before.replace("d\n", "D\n") };
    assert_eq!(after, expected, "{}", reply.text);
}

#[test]
fn a_merged_edit_gives_its_new_numbers_no_other_meaning() {
    let (daemon, mut client) = begun(TEXT);
    daemon.put("a.txt", format!("o1\no2\n{TEXT}"));
    edit(&mut client, json!([{ "path": "a.txt", "lines": "2", "new": "B\n" }])).done();
    assert_eq!(daemon.get("a.txt"), b"o1\no2\na\nB\nc\nd\ne\nf\ng\nh\n");
    d_alone_changes(&daemon, &mut client, json!([{ "path": "a.txt", "lines": "4", "new": "D\n" }]));
}

#[test]
fn edits_that_move_lines_back_and_forth_give_no_other_meaning() {
    let (daemon, mut client) = begun(TEXT);
    let edits = json!([
        { "path": "a.txt", "insert": "start", "new": "X\n" },
        { "path": "a.txt", "lines": "3", "new": "C\n" },
        { "path": "a.txt", "lines": "8", "delete": true },
    ]);
    edit(&mut client, edits).done();
    assert_eq!(daemon.get("a.txt"), b"X\na\nb\nC\nd\ne\nf\ng\n");
    d_alone_changes(&daemon, &mut client, json!([{ "path": "a.txt", "lines": "4", "new": "D\n" }]));
}

#[test]
fn a_line_that_was_written_in_place_is_edited_again_by_its_number() {
    let (daemon, mut client) = begun(TEXT);
    for new in ["D\n", "DD\n"] {
        edit(&mut client, json!([{ "path": "a.txt", "lines": "4", "new": new }])).done();
    }
    assert_eq!(daemon.get("a.txt"), b"a\nb\nc\nDD\ne\nf\ng\nh\n");
    // The changed lines of adjacent edits are one range.
    for new in ["1\n", "2\n"] {
        let one = |lines: &str| json!({ "path": "a.txt", "lines": lines, "new": new });
        edit(&mut client, json!([one("7"), one("6")])).done();
    }
    assert_eq!(daemon.get("a.txt"), b"a\nb\nc\nDD\ne\n2\n2\nh\n");
}

#[test]
fn a_range_of_which_a_part_was_read_again_is_refused() {
    let (daemon, mut client) = begun("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
    edit(&mut client, json!([{ "path": "a.txt", "insert": "start", "new": "x\n" }])).done();
    client.call("read", json!({ "path": "a.txt", "lines": "8-9" })).done();
    let before = daemon.get("a.txt");
    let refused = edit(&mut client, json!([{ "path": "a.txt", "lines": "9-10", "new": "y\n" }]));
    assert!(refused.is_error, "{}", refused.text);
    assert_eq!(daemon.get("a.txt"), before);
}

#[test]
fn an_insertion_after_a_line_means_that_line() {
    let lines: Vec<String> = (1..=18).map(|nth| format!("l{nth}")).collect();
    let daemon = TestDaemon::started();
    daemon.put("a.txt", lines.join("\n") + "\n");
    let mut client = McpClient::begin(&daemon, &["--as", "text-editor"]);
    let mut call = |command: Value| client.call("str_replace_based_edit_tool", command);
    call(json!({ "command": "view", "path": "a.txt" })).done();
    let insert = |line: u64, text: &str| json!({ "command": "insert", "path": "a.txt", "insert_line": line, "insert_text": text });
    call(insert(3, "X\n")).done();
    let refused = call(insert(15, "FIRST\n"));
    assert!(refused.is_error, "{}", refused.text);
    // Only `l12` was shown under this number; it is line 13 now.
    let reply = call(insert(12, "Y\n"));
    let after = String::from_utf8(daemon.get("a.txt")).unwrap();
    assert!(reply.is_error || after.contains("l12\nY\nl13"), "{}\n{after}", reply.text);
    assert!(after.contains("l11\nl12"), "{after}");
}

#[test]
fn a_path_with_a_control_character_means_its_own_file() {
    let daemon = TestDaemon::started();
    daemon.put("x\ty", "mine\n");
    daemon.put("x\\ty", "other\n");
    let mut client = McpClient::begin(&daemon, &["--as", "claude-code"]);
    client.call("Read", json!({ "file_path": "x\ty" })).done();
    let call = json!({ "file_path": "x\ty", "old_string": "mine", "new_string": "ours" });
    client.call("Edit", call).done();
    assert_eq!((daemon.get("x\ty"), daemon.get("x\\ty")), (b"ours\n".to_vec(), b"other\n".to_vec()));
    client.call("Write", json!({ "file_path": "new\tname", "content": "text" })).done();
    assert_eq!(daemon.get("new\tname"), b"text");
    let refused = client.call("Write", json!({ "file_path": "a\u{0}b", "content": "text" }));
    assert!(refused.is_error, "{}", refused.text);
}
