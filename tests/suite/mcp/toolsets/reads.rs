//! The text of a read, which is that of the file with all of its white space, since a model writes it back.

use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// A text that ends in white space and empty lines.
const SPACED: &str = "a\nb  \n\n\n   \n";

/// Returns the lines of that text, each behind its number.
fn numbered(number: impl Fn(usize) -> String) -> String {
    SPACED.lines().zip(1..).map(|(line, nth)| format!("{}{line}\n", number(nth))).collect()
}

#[test]
fn a_read_of_a_whole_file_is_exact_in_each_set() {
    let daemon = TestDaemon::started();
    for (path, text) in [("a.txt", SPACED), ("open.txt", "a\nb  "), ("blank.txt", " \n\t\n")] {
        daemon.put(path, text);
        for (set, tool, field) in [
            (&[][..], "read", "path"),
            (&["--as", "codex"], "read", "path"),
            (&["--as", "gemini"], "read_file", "file_path"),
            (&["--as", "serena"], "read_file", "relative_path"),
            (&["--as", "mcp-filesystem"], "read_text_file", "path"),
        ] {
            let read = McpClient::begin(&daemon, set).call(tool, json!({ field: path }));
            assert_eq!(read.done(), text, "{set:?}");
        }
        let paths = json!({ "paths": [path, path] });
        let several =
            McpClient::begin(&daemon, &["--as", "mcp-filesystem"]).call("read_multiple_files", paths);
        assert_eq!(several.done(), format!("{path}:\n{text}\n\n---\n{path}:\n{text}\n"));
    }
}

#[test]
fn numbered_lines_keep_their_white_space() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", SPACED);
    let padded = numbered(|nth| format!("{nth:>6}\t"));
    let padded = padded.strip_suffix('\n').unwrap();
    let call = |set: &str, tool: &str, arguments: Value| {
        McpClient::begin(&daemon, &["--as", set]).call(tool, arguments).done().to_owned()
    };
    assert_eq!(call("claude-code", "Read", json!({ "file_path": "a.txt" })), padded);
    let view = json!({ "command": "view", "path": "a.txt" });
    let head = "Here's the result of running `cat -n` on a.txt:\n";
    assert_eq!(call("text-editor", "str_replace_based_edit_tool", view), format!("{head}{padded}"));
    let told = call("opencode", "read", json!({ "filePath": "a.txt" }));
    assert!(told.contains(&format!("<content>\n{}\n(End", numbered(|nth| format!("{nth}: ")))), "{told}");
    let lines = McpClient::begin(&daemon, &[]).call("read", json!({ "path": "a.txt", "lines": "4-5" }));
    assert_eq!(lines.done(), "4\t\n5\t   ");
}

#[test]
fn the_body_of_a_symbol_has_the_line_breaks_of_a_read() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &["--as", "serena"]);
    for (text, body) in [
        ("x = 1\r\ndef f():\r\n    return 1\r\n", "def f():\n    return 1\n"),
        // One line ends otherwise, so that the line breaks are part of the text.
        ("x = 1\ndef f():\r\n    return 1\r\n", "def f():\r\n    return 1\r\n"),
    ] {
        daemon.put("f.py", text);
        let find = json!({ "name_path_pattern": "f", "relative_path": "f.py", "include_body": true });
        let found: Value = serde_json::from_str(client.call("find_symbol", find).done()).unwrap();
        assert_eq!(found[0]["body"], body, "{found}");
    }
}
