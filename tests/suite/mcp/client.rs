//! A client of the Model Context Protocol over standard input and output, in the form of its messages.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// A running server.
pub(super) struct McpClient {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
    /// Replies that came before they were asked for.
    early: Vec<Value>,
    /// The URIs of the roots that the client announces.
    roots: Vec<String>,
}

/// The result of a call.
#[derive(Debug)]
pub(super) struct ToolResult {
    pub(super) text: String,
    pub(super) structured: Value,
    pub(super) is_error: bool,
}

impl ToolResult {
    pub(super) fn of(result: &Value) -> Self {
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"));
        let structured = result["structuredContent"].clone();
        assert!(structured.is_object(), "{result}");
        Self { text: text.to_owned(), structured, is_error: result["isError"] == true }
    }

    /// The text of a call that succeeded.
    pub(super) fn done(&self) -> &str {
        assert!(!self.is_error, "{}", self.text);
        &self.text
    }
}

impl McpClient {
    /// Starts `editctl mcp` in the workspace of a daemon, and initializes the connection.
    pub(super) fn begin(daemon: &TestDaemon, words: &[&str]) -> Self {
        let mut client = Self::start(daemon, words);
        client.initialize();
        client
    }

    pub(super) fn start(daemon: &TestDaemon, words: &[&str]) -> Self {
        let mut command = daemon.editctl();
        command.arg("mcp").args(words);
        Self::run(command)
    }

    pub(super) fn run(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output), last: 0, early: Vec::new(), roots: Vec::new() }
    }

    pub(super) fn initialize(&mut self) {
        let client = json!({ "name": "mcp-client", "version": "1" });
        let capabilities = if self.roots.is_empty() { json!({}) } else { json!({ "roots": {} }) };
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client });
        let welcome = self.ask("initialize", hello);
        assert_eq!(welcome["protocolVersion"], "2025-06-18", "{welcome}");
        self.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    /// Initializes the connection with roots, which the server may ask for.
    pub(super) fn initialize_with_roots(&mut self, roots: &[&Path]) {
        self.roots =
            roots.iter().map(|root| format!("file://{}", root.display()).replace(' ', "%20")).collect();
        self.initialize();
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    /// Sends a request and returns its id.
    pub(super) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Waits for the reply to a request.
    pub(super) fn reply(&mut self, id: u64) -> Value {
        loop {
            if let Some(at) = self.early.iter().position(|reply| reply["id"] == id) {
                return self.early.remove(at);
            }
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] == "roots/list" {
                let roots: Vec<Value> = self.roots.iter().map(|uri| json!({ "uri": uri })).collect();
                let result = json!({ "roots": roots });
                self.write(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
            } else {
                self.early.push(message);
            }
        }
    }

    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.reply(id)
    }

    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        let reply = self.request(method, params);
        assert!(reply["result"].is_object(), "{reply}");
        reply["result"].clone()
    }

    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> ToolResult {
        ToolResult::of(&self.ask("tools/call", json!({ "name": tool, "arguments": arguments })))
    }

    /// Kills the server and every process of its group.
    #[cfg(unix)]
    pub(super) fn kill_group(&mut self) {
        let group = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
