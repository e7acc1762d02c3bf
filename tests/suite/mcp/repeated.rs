//! Calls that are repeated after a refusal for syntax, and paths that end in a slash.

use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

use super::edit;

/// Correct since Rust 1.82, but not for the grammar.
const NEWER: &str = "unsafe extern \"C\" {\n    safe fn sqrt(x: f64) -> f64;\n}\n";

#[test]
fn an_edit_that_was_refused_for_its_syntax_is_applied_when_it_is_repeated() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &[]);
    let write = |text: &str| json!([{ "path": "lib.rs", "content": text }]);
    let refused = edit(&mut client, write(NEWER));
    assert!(refused.is_error, "{}", refused.text);
    assert!(refused.text.contains("repeat this call unchanged if the syntax is right"), "{}", refused.text);
    // Another text is another edit.
    let other = edit(&mut client, write("fn f( {\n"));
    assert!(other.is_error, "{}", other.text);
    let applied = edit(&mut client, write(NEWER));
    assert!(applied.done().contains("unexpected"), "{}", applied.text);
    assert_eq!(daemon.get("lib.rs"), NEWER.as_bytes());
}

#[test]
fn the_tools_of_other_sets_accept_a_repeated_call_too() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &["--as", "claude-code"]);
    let path = daemon.workspace().join("lib.rs").display().to_string();
    let call = json!({ "file_path": path, "content": NEWER });
    let refused = client.call("Write", call.clone());
    assert!(refused.is_error && refused.text.contains("repeat this call unchanged"), "{}", refused.text);
    client.call("Write", call).done();
    assert_eq!(daemon.get("lib.rs"), NEWER.as_bytes());
}

#[test]
fn a_file_whose_name_ends_in_a_slash_is_refused() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &[]);
    let refused = edit(&mut client, json!([{ "path": "new/", "content": "x" }]));
    assert!(refused.is_error && refused.text.contains("ends in a slash"), "{}", refused.text);
    assert!(!daemon.workspace().join("new").exists());
}
