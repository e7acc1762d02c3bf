//! A client of the Model Context Protocol over standard input and output, in the form of its messages.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::test_daemon::TestDaemon;

/// A running server.
pub struct McpClient {
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
pub struct ToolResult {
    /// The text for the model.
    pub text: String,
    /// The object for programs.
    pub structured: Value,
    /// True if the call was refused.
    pub is_error: bool,
    /// The text of a second block, which does not belong to the call.
    pub notes: Option<String>,
}

impl ToolResult {
    /// Takes a result of `editctl mcp` apart.
    ///
    /// # Panics
    /// If it has no text or no object.
    pub fn of(result: &Value) -> Self {
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"));
        let structured = result["structuredContent"].clone();
        assert!(structured.is_object(), "{result}");
        let notes = result["content"][1]["text"].as_str().map(str::to_owned);
        Self { text: text.to_owned(), structured, is_error: result["isError"] == true, notes }
    }

    /// The text of a call that succeeded.
    pub fn done(&self) -> &str {
        assert!(!self.is_error, "{}", self.text);
        &self.text
    }
}

impl McpClient {
    /// Starts `editctl mcp` in the workspace of a daemon, and initializes the connection.
    pub fn begin(daemon: &TestDaemon, words: &[&str]) -> Self {
        let mut client = Self::start(daemon, words);
        client.initialize();
        client
    }

    /// Starts `editctl mcp` in the workspace of a daemon.
    pub fn start(daemon: &TestDaemon, words: &[&str]) -> Self {
        let mut command = daemon.editctl();
        command.arg("mcp").args(words);
        Self::run(command)
    }

    /// Starts a server.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn run(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server can be started");
        let (input, output) = (
            child.stdin.take().expect("its input is a pipe"),
            child.stdout.take().expect("its output is a pipe"),
        );
        Self { child, input, output: BufReader::new(output), last: 0, early: Vec::new(), roots: Vec::new() }
    }

    /// Initializes the connection.
    ///
    /// # Panics
    /// If the server speaks another revision of the protocol.
    pub fn initialize(&mut self) {
        let client = json!({ "name": "mcp-client", "version": "1" });
        let capabilities = if self.roots.is_empty() { json!({}) } else { json!({ "roots": {} }) };
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client });
        let welcome = self.ask("initialize", hello);
        assert_eq!(welcome["protocolVersion"], "2025-06-18", "{welcome}");
        self.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    /// Initializes the connection with roots, which the server may ask for.
    pub fn initialize_with_roots(&mut self, roots: &[&Path]) {
        self.roots =
            roots.iter().map(|root| format!("file://{}", root.display()).replace(' ', "%20")).collect();
        self.initialize();
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    /// Sends a line, which may be no message, and returns the next message of the server.
    ///
    /// # Panics
    /// If the server ends.
    pub fn send_line(&mut self, line: &[u8]) -> Value {
        self.input.write_all(line).expect("the server reads");
        self.input.write_all(b"\n").expect("the server reads");
        self.input.flush().expect("the server reads");
        let mut reply = String::new();
        assert_ne!(self.output.read_line(&mut reply).expect("the server writes text"), 0, "the server ended");
        serde_json::from_str(&reply).expect("a message is JSON")
    }

    /// Sends a request and returns its id.
    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Waits for the reply to a request.
    pub fn reply(&mut self, id: u64) -> Value {
        loop {
            if let Some(at) = self.early.iter().position(|reply| reply["id"] == id) {
                return self.early.remove(at);
            }
            let mut line = String::new();
            assert_ne!(
                self.output.read_line(&mut line).expect("the server writes text"),
                0,
                "the server ended"
            );
            let message: Value = serde_json::from_str(&line).expect("a message is JSON");
            if message["method"] == "roots/list" {
                let roots: Vec<Value> = self.roots.iter().map(|uri| json!({ "uri": uri })).collect();
                let result = json!({ "roots": roots });
                self.write(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
            } else {
                self.early.push(message);
            }
        }
    }

    /// Sends a request, and returns the whole reply.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.reply(id)
    }

    /// Sends a request, and returns its result.
    ///
    /// # Panics
    /// If the request fails.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let reply = self.request(method, params);
        assert!(reply["result"].is_object(), "{reply}");
        reply["result"].clone()
    }

    /// Calls a tool of `editctl mcp`.
    pub fn call(&mut self, tool: &str, arguments: Value) -> ToolResult {
        ToolResult::of(&self.ask("tools/call", json!({ "name": tool, "arguments": arguments })))
    }

    /// Kills the server and every process of its group.
    #[cfg(unix)]
    pub fn kill_group(&mut self) {
        let group = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
            .expect("an own group can be killed");
        self.child.wait().expect("an own child can be waited for");
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
