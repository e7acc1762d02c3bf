//! Line numbers after edits of the session itself: an edit by numbers that have moved is refused once, with the present
//! lines, and the next call succeeds.

use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

use super::edit;

const TEXT: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";

const EDITOR: &str = "str_replace_based_edit_tool";

/// A client that has read `a.txt` and then inserted three lines after line 2.
fn shifted() -> (TestDaemon, McpClient) {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", TEXT);
    let mut client = McpClient::begin(&daemon, &[]);
    client.call("read", json!({ "path": "a.txt" })).done();
    edit(&mut client, json!([{ "path": "a.txt", "lines": "2", "insert": "after", "new": "x\ny\nz\n" }]))
        .done();
    (daemon, client)
}

#[test]
fn numbers_that_an_own_edit_has_moved_are_refused_once_with_the_present_lines() {
    let moved = TEXT.replace("b\n", "b\nx\ny\nz\n");
    // Line 5 was `e` when it was read; it is `z` now, and `e` is line 8.
    for (meant, expected) in [("5", moved.replace('z', "new")), ("8", moved.replace('e', "new"))] {
        let (daemon, mut client) = shifted();
        let refused = edit(&mut client, json!([{ "path": "a.txt", "lines": "5", "new": "new\n" }]));
        assert!(
            refused.is_error && refused.text.contains("line 5, as read, is line 8 now"),
            "{}",
            refused.text
        );
        for word in ["5 | z", "8 | e", "send the edit with their numbers"] {
            assert!(refused.text.contains(word), "{word}: {}", refused.text);
        }
        for word in ["base", "next:"] {
            assert!(
                !refused.text.contains(word) && !refused.structured.to_string().contains(word),
                "{refused:?}"
            );
        }
        edit(&mut client, json!([{ "path": "a.txt", "lines": meant, "new": "new\n" }])).done();
        assert_eq!(daemon.get("a.txt"), expected.as_bytes(), "{meant}");
    }
}

#[test]
fn every_file_of_a_call_shows_its_present_lines() {
    let (daemon, mut client) = shifted();
    daemon.put("b.txt", TEXT);
    client.call("read", json!({ "path": "b.txt" })).done();
    edit(&mut client, json!([{ "path": "b.txt", "lines": "1-3", "delete": true }])).done();
    let both = |a: &str, b: &str| json!([{ "path": "a.txt", "lines": a, "new": "new\n" }, { "path": "b.txt", "lines": b, "insert": "after", "new": "new\n" }]);
    let refused = edit(&mut client, both("6-7", "9"));
    assert!(refused.is_error, "{}", refused.text);
    for word in [
        "lines 6 to 7, as read, are lines 9 to 10 now",
        "9 | f",
        "line 10, as read, is the place before line 7",
        "6 | i",
    ] {
        assert!(refused.text.contains(word), "{word}: {}", refused.text);
    }
    edit(&mut client, both("9-10", "6")).done();
    assert_eq!(daemon.get("a.txt"), b"a\nb\nx\ny\nz\nc\nd\ne\nnew\nh\ni\nj\n");
    assert_eq!(daemon.get("b.txt"), b"d\ne\nf\ng\nh\ni\nnew\nj\n");
}

#[test]
fn calls_that_were_sent_before_a_refusal_keep_the_meaning_of_their_numbers() {
    let (daemon, mut client) = shifted();
    let mut put = |line: &str, new: &str| {
        edit(&mut client, json!([{ "path": "a.txt", "lines": line, "new": format!("{new}\n") }]))
    };
    // All three numbers are those that were read. The first refusal shows lines with the numbers of the others.
    for (line, new, word) in
        [("5", "E", "is line 8 now"), ("6", "F", "an earlier call"), ("7", "G", "an earlier call")]
    {
        let refused = put(line, new);
        assert!(refused.is_error && refused.text.contains(word), "{refused:?}");
    }
    for (line, new) in [("9", "F"), ("8", "E"), ("10", "G")] {
        put(line, new).done();
    }
    assert_eq!(daemon.get("a.txt"), b"a\nb\nx\ny\nz\nc\nd\nE\nF\nG\nh\ni\nj\n");
}

#[test]
fn a_quotation_is_looked_for_in_the_lines_that_were_read() {
    let daemon = TestDaemon::started();
    let block = "if (x) {\n  go();\n}\n";
    daemon.put("a.js", format!("h\n{}", block.repeat(5)));
    let mut client = McpClient::begin(&daemon, &[]);
    client.call("read", json!({ "path": "a.js" })).done();
    let third = json!([{ "path": "a.js", "lines": "8-10", "old": "go();", "new": "stop();" }]);
    // Others insert as many lines as a block has.
    daemon.put("a.js", format!("1\n2\n3\nh\n{}", block.repeat(5)));
    edit(&mut client, third).done();
    let expected = format!("1\n2\n3\nh\n{0}{0}{1}{0}{0}", block, block.replace("go", "stop"));
    assert_eq!(String::from_utf8(daemon.get("a.js")).unwrap(), expected);
}

#[test]
fn a_quotation_in_lines_that_an_own_edit_has_moved_is_refused_unless_it_is_unique() {
    let daemon = TestDaemon::started();
    let text: String = (1..=20).map(|number| format!("* item {number}\n")).collect();
    daemon.put("a.md", &text);
    let mut client = McpClient::begin(&daemon, &[]);
    client.call("read", json!({ "path": "a.md" })).done();
    edit(&mut client, json!([{ "path": "a.md", "insert": "start", "new": "x\ny\n" }])).done();
    let within = |old: &str, lines: &str| json!([{ "path": "a.md", "lines": lines, "old": old, "new": "+" }]);
    let refused = edit(&mut client, within("*", "5"));
    assert!(refused.is_error && refused.text.contains("line 5, as read, is line 7 now"), "{}", refused.text);
    edit(&mut client, within("*", "7")).done();
    edit(&mut client, within("* item 6", "1-10")).done();
    let expected = format!("x\ny\n{}", text.replace("* item 5\n", "+ item 5\n").replace("* item 6\n", "+\n"));
    assert_eq!(String::from_utf8(daemon.get("a.md")).unwrap(), expected);
}

#[test]
fn lines_that_were_replaced_by_as_many_are_replaced_again() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", TEXT);
    let mut client = McpClient::begin(&daemon, &[]);
    client.call("read", json!({ "path": "a.txt" })).done();
    for new in ["1\n2\n", "3\n4\n"] {
        edit(&mut client, json!([{ "path": "a.txt", "lines": "4-5", "new": new }])).done();
    }
    edit(&mut client, json!([{ "path": "a.txt", "lines": "5", "new": "5\n" }])).done();
    assert_eq!(daemon.get("a.txt"), TEXT.replace("d\ne\n", "3\n5\n").as_bytes());
}

#[test]
fn the_numbers_of_a_snippet_can_be_used() {
    let daemon = TestDaemon::started();
    let text: String = (1..=40).map(|number| format!("line {number}\n")).collect();
    daemon.put("a.txt", &text);
    let mut client = McpClient::begin(&daemon, &["--as", "text-editor"]);
    client.call(EDITOR, json!({ "command": "view", "path": "a.txt" })).done();
    let mut insert = |line: u64, new: &str| {
        client.call(
            EDITOR,
            json!({ "command": "insert", "path": "a.txt", "insert_line": line, "insert_text": new }),
        )
    };
    assert!(insert(2, "x\ny\nz\n").done().contains("\n     5\tz\n"));
    insert(5, "of the snippet\n").done();
    let refused = insert(30, "of the view\n");
    assert!(
        refused.is_error && refused.text.contains("line 31, as read, is the place before line 35"),
        "{}",
        refused.text
    );
    assert!(refused.text.contains("34 | line 30\n") && !refused.text.contains("next:"), "{}", refused.text);
    insert(34, "of the view\n").done();
    let expected = text
        .replace("line 3\n", "x\ny\nz\nof the snippet\nline 3\n")
        .replace("line 31\n", "of the view\nline 31\n");
    assert_eq!(String::from_utf8(daemon.get("a.txt")).unwrap(), expected);
}

#[test]
fn the_lines_of_a_file_that_was_edited_and_moved_at_once_are_known() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", TEXT);
    let mut client = McpClient::begin(&daemon, &[]);
    client.call("read", json!({ "path": "a.txt" })).done();
    edit(&mut client, json!([{ "path": "a.txt", "old": "c\n", "new": "C\n", "rename_to": "b.txt" }])).done();
    edit(&mut client, json!([{ "path": "b.txt", "lines": "9", "new": "I" }])).done();
    assert_eq!(daemon.get("b.txt"), TEXT.replace('c', "C").replace('i', "I").as_bytes());
}

#[test]
fn the_start_of_a_file_needs_no_read() {
    let daemon = TestDaemon::started();
    let text: String = (1..=40).map(|number| format!("line {number}\n")).collect();
    let mut client = McpClient::begin(&daemon, &["--as", "text-editor"]);
    let insert = |path: &str, line: u64, new: &str| json!({ "command": "insert", "path": path, "insert_line": line, "insert_text": new });
    for (path, view) in [("unread.txt", false), ("part.txt", true)] {
        daemon.put(path, &text);
        if view {
            let part = json!({ "command": "view", "path": path, "view_range": [20, 30] });
            client.call(EDITOR, part).done();
        }
        let first = client.call(EDITOR, insert(path, 0, "first"));
        assert!(first.done().contains("     1\tfirst\n     2\tline 1\n"), "{}", first.text);
        client.call(EDITOR, insert(path, 0, "again\n")).done();
        assert_eq!(String::from_utf8(daemon.get(path)).unwrap(), format!("again\nfirst\n{text}"));
    }
    let other = client.call(EDITOR, insert("unread.txt", 30, "x"));
    assert!(other.is_error && other.text.contains("has not seen"), "{}", other.text);
    let missing = client.call(EDITOR, insert("missing.txt", 0, "x"));
    assert!(missing.is_error && missing.text.contains("does not exist"), "{}", missing.text);
    assert!(!daemon.workspace().join("missing.txt").exists());
}
