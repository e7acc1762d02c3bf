//! Refusals of edits in the words of a tool set, which say no more than is known.

use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

#[test]
fn serena_refuses_a_match_that_contains_another_in_words_of_its_own() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "x = 1\nx = 2 end\n");
    let mut client = McpClient::begin(&daemon, &["--as", "serena"]);
    client.call("read_file", json!({ "relative_path": "a.txt" })).done();
    for several in [true, false] {
        let content = json!({ "relative_path": "a.txt", "needle": "x =.*?end", "repl": "y", "mode": "regex",
                              "allow_multiple_occurrences": several });
        let refused = client.call("replace_content", content);
        assert!(refused.is_error && refused.text.contains("multiple overlapping"), "{}", refused.text);
        assert!(!refused.text.contains("allow_multiple_occurrences"), "{}", refused.text);
        assert!(refused.text.contains("line 2, column 1: x = 2 end"), "{}", refused.text);
    }
}

#[test]
fn a_refusal_for_the_syntax_of_the_result_names_no_edit() {
    let daemon = TestDaemon::started();
    daemon.put("y.py", "a = [1]\nb = 2\n");
    let mut client = McpClient::begin(&daemon, &["--as", "mcp-filesystem"]);
    client.call("read_text_file", json!({ "path": "y.py" })).done();
    let edit = |second: &str, new: &str| {
        let edits =
            json!([{ "oldText": "b = 2", "newText": "b = 3" }, { "oldText": second, "newText": new }]);
        json!({ "path": "y.py", "edits": edits })
    };
    let refused = client.call("edit_file", edit("[1]", "[1"));
    assert!(refused.is_error && refused.text.starts_with("y.py:1:5: "), "{}", refused.text);
    assert!(!refused.text.contains("Edit 1"), "{}", refused.text);
    let refused = client.call("edit_file", edit("[2]", "[1]"));
    assert!(refused.is_error && refused.text.starts_with("Edit 2 of 2: Could not find"), "{}", refused.text);
}
