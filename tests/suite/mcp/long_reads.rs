//! Reads of long texts: every reply has at most 64 KiB of the file, and says what it leaves out.

use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// The most bytes in a reply: the text, the numbers of its lines, which are at least as long here, and some words.
const MOST: usize = 2 * 64 * 1024 + 1024;

#[track_caller]
fn cut(client: &mut McpClient, arguments: Value, note: &str) {
    let reply = client.call("read", arguments.clone());
    let text = reply.done();
    assert!(text.len() <= MOST, "{arguments}: {} bytes", text.len());
    let last = text.lines().last().unwrap_or_default();
    assert!(last.contains(note), "{arguments}: {last}");
}

#[test]
fn every_window_of_a_long_file_is_cut_and_says_so() {
    let daemon = TestDaemon::started();
    let lines: String = (1..=60_000).map(|number| format!("a line with the number {number}\n")).collect();
    daemon.put("long.txt", &lines);
    daemon.put("wide.txt", "ä".repeat(3_000_000));
    // Most lines are short, but the average is long.
    daemon.put("mixed.txt", "short\n".repeat(10_000) + &"x".repeat(6_000_000) + "\n");
    let body = "    pass\n".repeat(40_000);
    daemon.put("body.py", format!("def long():\n{body}"));
    let mut client = McpClient::begin(&daemon, &[]);
    cut(&mut client, json!({ "path": "long.txt" }), " of 60000)");
    cut(&mut client, json!({ "path": "long.txt", "lines": "1-60000" }), "(lines 1-");
    cut(&mut client, json!({ "path": "long.txt", "lines": "30000-60000" }), "(lines 30000-");
    cut(&mut client, json!({ "path": "wide.txt" }), "bytes of this line)");
    cut(&mut client, json!({ "path": "wide.txt", "lines": "1-1" }), "of 6000000 bytes of this line)");
    cut(&mut client, json!({ "path": "mixed.txt" }), "(lines 1-");
    cut(&mut client, json!({ "path": "body.py", "symbol": "long" }), "(lines 1-");
    assert_eq!(
        client.call("read", json!({ "path": "long.txt", "lines": "7-7" })).done(),
        "7\ta line with the number 7\n(lines 7-7 of 60000)"
    );
}

#[test]
fn lines_that_are_left_out_do_not_count_as_read() {
    let daemon = TestDaemon::started();
    daemon.put("long.txt", "a line of text\n".repeat(60_000));
    let mut client = McpClient::begin(&daemon, &[]);
    client.call("read", json!({ "path": "long.txt", "lines": "1-60000" })).done();
    let edits = json!([{ "path": "long.txt", "lines": "50000-50000", "new": "changed" }]);
    let refused = client.call("edit", json!({ "edits": edits }));
    assert!(refused.is_error && refused.text.contains("has not seen line 50000"), "{}", refused.text);
}

#[test]
fn an_insertion_beside_a_quotation_takes_no_lines() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\ntwo\nmark\n");
    let mut client = McpClient::begin(&daemon, &[]);
    let edits = json!([{ "path": "a.txt", "old": "mark", "lines": "1-2", "insert": "after", "new": "x" }]);
    let refused = client.call("edit", json!({ "edits": edits }));
    assert!(
        refused.is_error && refused.text.contains("cannot be combined with insert and old"),
        "{}",
        refused.text
    );
    assert_eq!(daemon.get("a.txt"), b"one\ntwo\nmark\n");
}

#[test]
fn the_rest_of_a_long_file_is_read_by_the_calls_that_the_replies_name() {
    let daemon = TestDaemon::started();
    let lines: String = (1..=9000).map(|number| format!("a line with the number {number}\n")).collect();
    daemon.put("long.txt", &lines);
    let mut client = McpClient::begin(&daemon, &["--as", "mcp-filesystem"]);
    let (mut arguments, mut found) = (json!({ "path": "long.txt" }), String::new());
    loop {
        let reply = client.call("read_text_file", arguments.clone());
        let (text, note) = reply.done().rsplit_once('(').unwrap();
        found.push_str(text);
        let Some((_, next)) = note.split_once("next: ") else { break };
        let next: Value = serde_json::from_str(next.trim_end_matches(')')).unwrap();
        arguments["tail"] = next["tail"].clone();
    }
    assert!(found == lines, "{} bytes", found.len());
    let several = client.call("read_multiple_files", json!({ "paths": ["long.txt"] }));
    assert!(
        several.done().contains("next: read_text_file {\"path\":\"long.txt\",\"tail\":"),
        "{}",
        several.text
    );
}
