//! Lines that are no message: each is answered, so that no client waits without end.

use editd_tests::mcp_client::{McpClient, ToolResult};
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// Returns the call of `edit` that writes a file, with the id behind the parameters.
fn write_call(id: u64, path: &str, content: &str) -> Vec<u8> {
    let edits = format!(r#"[{{"path":"{path}","content":"{content}"}}]"#);
    let params = format!(r#"{{"name":"edit","arguments":{{"edits":{edits}}}}}"#);
    format!(r#"{{"method":"tools/call","params":{params},"jsonrpc":"2.0","id":{id}}}"#).into_bytes()
}

#[test]
fn a_line_that_cannot_be_read_is_answered() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let mut client = McpClient::begin(&daemon, &[]);
    let cases: [(&[u8], Value, i64, &str); 7] = [
        (&write_call(71, "a.txt", r"y\ud800"), json!(71), -32602, "half of a surrogate pair (\\ud800)"),
        (b"{\"id\":\"x\",\"method\":\"a\",\"params\":\"\xff\"}", json!("x"), -32700, "is not JSON"),
        (br#"{"jsonrpc":"2.0","id":72,"method":"tools/call""#, json!(72), -32700, "is not JSON"),
        (b"hello", Value::Null, -32700, "is not JSON"),
        (b"[]", Value::Null, -32600, "is a list"),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null, -32600, "no message"),
        (br#"{"jsonrpc":"2.0","id":73,"result":[}"#, Value::Null, -32700, "is not JSON"),
    ];
    for (line, id, code, words) in cases {
        let reply = client.send_line(line);
        let told = reply["error"]["message"].as_str().unwrap();
        assert!(reply["error"]["code"] == code && told.contains(words), "{reply}");
        assert_eq!(reply["id"], id, "{reply}");
    }
    assert_eq!(client.call("read", json!({ "path": "a.txt" })).done(), "one\n");
}

#[test]
fn parameters_of_another_form_are_refused_with_the_reason() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &[]);
    let line = br#"{"jsonrpc":"2.0","id":71,"method":"tools/call"}"#;
    let reply = client.send_line(line);
    assert_eq!(reply["error"], json!({ "code": -32602, "message": "tools/call: params is missing" }));
    for (params, words) in [
        (json!({ "name": "read", "arguments": "{\"path\":\"a\"}" }), "must be an object, not JSON in a text"),
        (json!({ "name": "read", "arguments": [1] }), "expected a map"),
        (json!({}), "missing field `name`"),
    ] {
        let reply = client.request("tools/call", params);
        let told = reply["error"]["message"].as_str().unwrap();
        assert!(reply["error"]["code"] == -32602 && told.contains(words), "{reply}");
    }
    assert_eq!(client.request("nonsense", json!({}))["error"]["code"], -32601);
}

#[test]
fn a_call_that_is_too_long_is_refused_with_the_limit() {
    let daemon = TestDaemon::started();
    let mut client = McpClient::begin(&daemon, &[]);
    for (mebibytes, limit) in [(17, 16 << 20), (33, 32 << 20)] {
        let reply = client.send_line(&write_call(71, "a.txt", &"x".repeat(mebibytes << 20)));
        assert_eq!(reply["id"], 71, "{reply}");
        let refused = ToolResult::of(&reply["result"]);
        assert!(refused.is_error && refused.text.starts_with("too_large"), "{}", refused.text);
        assert!(refused.text.contains("split"), "{}", refused.text);
        assert_eq!(refused.structured["error"]["limit"], limit, "{}", refused.structured);
    }
    // Half of these bytes are the escapes of line breaks.
    let reply = client.send_line(&write_call(72, "a.txt", &r"x\n".repeat(6 << 20)));
    ToolResult::of(&reply["result"]).done();
    let other = client.send_line(&vec![b'x'; 33 << 20]);
    assert!(other["error"]["message"].as_str().unwrap().contains("33554432 bytes"), "{other}");
}
