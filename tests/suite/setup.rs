//! `editctl setup` with a home and a project of its own: the configuration files of every runtime.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A runtime, the options that choose a file, the file, and the keys that lead to the entry.
type Case = (&'static str, &'static [&'static str], &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    ("claude-code", &[], "project/.mcp.json", &["mcpServers"]),
    ("claude-code", &["--user"], "home/.claude.json", &["mcpServers"]),
    ("codex", &[], "home/.codex/config.toml", &["mcp_servers"]),
    ("codex", &["--project"], "project/.codex/config.toml", &["mcp_servers"]),
    ("cursor", &[], "project/.cursor/mcp.json", &["mcpServers"]),
    ("cursor", &["--user"], "home/.cursor/mcp.json", &["mcpServers"]),
    ("vscode", &[], "project/.vscode/mcp.json", &["servers"]),
    ("zed", &[], "home/.config/zed/settings.json", &["context_servers"]),
    ("opencode", &[], "project/opencode.json", &["mcp"]),
    ("opencode", &["--user"], "home/.config/opencode/opencode.json", &["mcp"]),
    ("gemini", &[], "project/.gemini/settings.json", &["mcpServers"]),
    ("gemini", &["--user"], "home/.gemini/settings.json", &["mcpServers"]),
    ("qwen", &[], "project/.qwen/settings.json", &["mcpServers"]),
    ("qwen", &["--user"], "home/.qwen/settings.json", &["mcpServers"]),
];

/// A home, a project and a folder of programs, which is the only one in `PATH`.
struct Machine {
    top: TempDir,
}

/// The end of a run.
#[derive(Debug)]
struct Done {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Machine {
    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        for folder in ["home", "project/.git", "bin"] {
            fs::create_dir_all(top.path().join(folder)).unwrap();
        }
        symlink(binaries::editctl(), top.path().join("bin/editctl")).unwrap();
        Self { top }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.path().canonicalize().unwrap().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn get(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.path("home")).env("PATH", self.path("bin"));
        command.current_dir(self.path("project")).stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Done {
        let mut command = self.command(binaries::editctl());
        Done::of(command.arg("setup").args(words))
    }

    /// Runs the command, which must succeed.
    fn done(&self, words: &[&str]) -> String {
        let done = self.run(words);
        assert_eq!(done.status, Some(0), "{words:?}: {done:?}");
        done.out
    }
}

impl Done {
    fn of(command: &mut Command) -> Self {
        let done = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { status: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
    }

    fn refused(&self, because: &str) {
        assert!(self.status == Some(1) && self.err.contains(because) && self.out.is_empty(), "{self:?}");
    }
}

fn words<'w>(case: &Case, more: &[&'w str]) -> Vec<&'w str> {
    [&[case.0], case.1, more].concat()
}

/// Returns the entry of a file without comments.
fn entry(text: &str, case: &Case) -> Value {
    let value: Value =
        if case.0 == "codex" { toml::from_str(text).unwrap() } else { serde_json::from_str(text).unwrap() };
    case.3.iter().fold(value, |value, key| value[key].clone())["editctl"].clone()
}

#[test]
fn each_runtime_gets_a_file_that_is_removed_again() {
    for case in CASES {
        let machine = Machine::new();
        let shown = machine.done(&words(case, &["--dry-run"]));
        assert!(shown.contains("+++ ") && !machine.path(case.2).exists(), "{case:?}: {shown}");
        let made = machine.done(&words(case, &[]));
        assert!(made.contains("created ") && made.contains("`editctl`: PATH leads"), "{case:?}: {made}");
        let text = machine.get(case.2);
        let command = match case.0 {
            "opencode" => json!({ "type": "local", "command": ["editctl", "mcp"], "enabled": true }),
            "claude-code" | "cursor" | "vscode" => {
                json!({ "type": "stdio", "command": "editctl", "args": ["mcp"] })
            }
            _ => json!({ "command": "editctl", "args": ["mcp"] }),
        };
        assert_eq!(entry(&text, case), command, "{case:?}");
        assert!(machine.done(&words(case, &[])).contains("unchanged"), "{case:?}");
        assert_eq!(machine.get(case.2), text);
        let only_shown = machine.done(&words(case, &["--remove", "--dry-run"]));
        assert!(only_shown.contains("deleted ") && machine.path(case.2).exists(), "{only_shown}");
        machine.done(&words(case, &["--remove"]));
        assert!(!machine.path(case.2).exists(), "{case:?}");
        assert!(machine.done(&words(case, &["--remove"])).contains("unchanged"), "{case:?}");
    }
}

#[test]
fn other_settings_and_comments_stay_byte_for_byte() {
    for case in CASES {
        let texts = if case.0 == "codex" {
            let text = "# Codex\nmodel = \"x\"  # mine\n\n[mcp_servers.other]\ncommand = 'other'\n";
            vec![text.to_owned(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")]
        } else {
            let key = case.3[0];
            let text = format!(
                "// Settings\n{{\n\t\"a\": [1,  2], // one\n\t\"{key}\": {{\n\t\t/* other */\n\t\t\"other\": {{ \"command\": \
                 \"other\" }}, // last\n\t}},\n}}\n"
            );
            let bare = "{\"z\":1,\"a\":\"é\"}".to_owned();
            vec![text.replace('\n', "\r\n"), format!("\u{feff}{text}"), text, bare]
        };
        for text in texts {
            let machine = Machine::new();
            machine.put(case.2, &text);
            fs::set_permissions(machine.path(case.2), fs::Permissions::from_mode(0o640)).unwrap();
            machine.done(&words(case, &[]));
            let with = machine.get(case.2);
            let mut rest = with.bytes();
            assert!(text.bytes().all(|byte| rest.any(|other| other == byte)), "{case:?}: {with}");
            assert!(with.len() > text.len() && with.contains("editctl"), "{with}");
            let mode = fs::metadata(machine.path(case.2)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o640, "{case:?}");
            assert!(machine.done(&words(case, &[])).contains("unchanged"), "{case:?}");
            assert_eq!(machine.get(case.2), with);
            machine.done(&words(case, &["--remove"]));
            assert_eq!(machine.get(case.2), text, "{case:?}: from {with}");
            let folder = machine.path(case.2).parent().unwrap().to_path_buf();
            let left = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
            let staged = left.filter(|name| name.to_string_lossy().contains("editctl-setup"));
            assert_eq!(staged.count(), 0, "{case:?}");
        }
    }
}

#[test]
fn an_entry_of_somebody_else_is_replaced_only_by_force() {
    for case in CASES {
        let machine = Machine::new();
        let text = match case.0 {
            "codex" => "[mcp_servers.editctl]\ncommand = \"mine\"\n".to_owned(),
            _ => {
                format!("{{\n  \"{}\": {{\n    \"editctl\": {{\"command\": \"mine\"}}\n  }}\n}}\n", case.3[0])
            }
        };
        machine.put(case.2, &text);
        let refused = machine.run(&words(case, &[]));
        refused.refused("--force");
        assert!(refused.err.contains("mine") && refused.err.contains("\n+"), "{refused:?}");
        machine.run(&words(case, &["--remove"])).refused("--force");
        assert_eq!(machine.get(case.2), text);
        machine.done(&words(case, &["--force"]));
        assert!(!machine.get(case.2).contains("mine") && machine.get(case.2).contains("\"mcp\""), "{case:?}");
        machine.put(case.2, &text);
        machine.done(&words(case, &["--force", "--remove"]));
        assert!(!machine.get(case.2).contains("editctl"), "{case:?}");
    }
}

#[test]
fn an_invalid_file_is_refused_with_the_place() {
    for case in CASES {
        let machine = Machine::new();
        let text = if case.0 == "codex" { "a = 1\nb = \n" } else { "{\n  \"a\" 1\n}\n" };
        machine.put(case.2, text);
        for more in [&[][..], &["--force"], &["--remove"]] {
            machine.run(&words(case, more)).refused("line 2, column ");
        }
        assert_eq!(machine.get(case.2), text);
    }
    let machine = Machine::new();
    fs::write(machine.path("project/.mcp.json"), b"{\n\"a\": \"\xff\"}").unwrap();
    machine.run(&["claude-code"]).refused("not UTF-8 in line 2");
    machine.put("project/.vscode/mcp.json/x", "");
    assert_eq!(machine.run(&["vscode"]).status, Some(5));
}

#[test]
fn the_entry_of_claude_code_starts_a_server() {
    let daemon = TestDaemon::started();
    fs::create_dir(daemon.workspace().join(".git")).unwrap();
    // Not in PATH: the entry has the whole path.
    let made = Done::of(daemon.editctl().args(["setup", "claude-code"]).env("PATH", "/nonexistent"));
    assert!(made.status == Some(0) && made.out.contains("other machines"), "{made:?}");
    let entry: Value = serde_json::from_slice(&daemon.get(".mcp.json")).unwrap();
    let entry = &entry["mcpServers"]["editctl"];
    let arguments = entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let program = entry["command"].as_str().unwrap();
    assert!(Path::new(program).is_absolute(), "{entry}");
    let mut command = daemon.command(program);
    command.args(arguments).env("EDITD_BIN", binaries::editd()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ] {
        writeln!(input, "{message}").unwrap();
    }
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut reply = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    let welcome = reply();
    assert_eq!(welcome["result"]["protocolVersion"], "2025-06-18", "{welcome}");
    let listed = reply();
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["read", "edit", "undo", "history"]);
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_command_is_a_name_only_if_path_leads_to_this_program() {
    let machine = Machine::new();
    let own = binaries::editctl().canonicalize().unwrap();
    let command = |machine: &Machine| {
        let done = machine.done(&["cursor", "--force"]);
        let text = machine.get("project/.cursor/mcp.json");
        let entry: Value = serde_json::from_str(&text).unwrap();
        (entry["mcpServers"]["editctl"]["command"].as_str().unwrap().to_owned(), done)
    };
    assert_eq!(command(&machine).0, "editctl");
    fs::remove_file(machine.path("bin/editctl")).unwrap();
    machine.put("bin/editctl", "#!/bin/sh\n");
    let (word, done) = command(&machine);
    assert!(Path::new(&word) == own && done.contains("PATH leads to another one"), "{done}");
    fs::remove_file(machine.path("bin/editctl")).unwrap();
    machine.done(&["cursor", "--remove"]);
    let (word, done) = command(&machine);
    assert!(Path::new(&word) == own && done.contains("PATH does not lead to it"), "{done}");
}

#[test]
fn a_link_out_of_the_project_is_not_followed_silently() {
    let machine = Machine::new();
    machine.put("elsewhere/settings.json", "{}\n");
    symlink(machine.path("elsewhere"), machine.path("project/.gemini")).unwrap();
    machine.run(&["gemini"]).refused("is a link out of the project");
    assert_eq!(machine.get("elsewhere/settings.json"), "{}\n");
    assert!(machine.done(&["gemini", "--force"]).contains("is a link to"));
    assert!(machine.get("elsewhere/settings.json").contains("editctl"));
    // A link of the user is followed, and stays.
    machine.put("dotfiles/config.toml", "a = 1\n");
    fs::create_dir(machine.path("home/.codex")).unwrap();
    symlink(machine.path("dotfiles/config.toml"), machine.path("home/.codex/config.toml")).unwrap();
    assert!(machine.done(&["codex"]).contains("is a link to"));
    assert!(machine.get("dotfiles/config.toml").contains("[mcp_servers.editctl]"));
    assert!(fs::symlink_metadata(machine.path("home/.codex/config.toml")).unwrap().is_symlink());
    machine.done(&["codex", "--remove"]);
    assert_eq!(machine.get("dotfiles/config.toml"), "a = 1\n");
    // A file that a link leads to is not deleted, although it has only the entry.
    machine.done(&["codex"]);
    let text = machine.get("dotfiles/config.toml");
    machine.put("dotfiles/config.toml", text.trim_start_matches("a = 1\n\n"));
    machine.done(&["--remove", "codex"]);
    assert_eq!(machine.get("dotfiles/config.toml"), "");
    // A link that leads nowhere is refused.
    symlink(machine.path("nowhere.json"), machine.path("project/.mcp.json")).unwrap();
    let refused = machine.run(&["claude-code"]);
    assert!(refused.status == Some(5) && refused.err.contains("leads nowhere"), "{refused:?}");
    assert!(!machine.path("nowhere.json").exists());
}

#[test]
fn opencode_gets_the_entry_in_the_file_that_exists() {
    let machine = Machine::new();
    machine.put("project/.opencode/opencode.jsonc", "{ // mine\n}\n");
    machine.done(&["opencode"]);
    assert!(machine.get("project/.opencode/opencode.jsonc").contains("editctl"));
    machine.put("project/opencode.json", "{}");
    assert!(machine.done(&["opencode"]).contains("unchanged"));
    assert_eq!(machine.get("project/opencode.json"), "{}");
    machine.put("project/.opencode/opencode.jsonc", "{\"mcp\": {\"servers\": {}}}");
    machine.put("project/opencode.json", "{\"mcp\": {\"servers\": {\"b\": {}}}}");
    machine.done(&["opencode"]);
    let text = machine.get("project/opencode.json");
    let entry: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(entry["mcp"]["servers"]["editctl"], json!({ "type": "local", "command": ["editctl", "mcp"] }));
}

#[test]
fn wrong_options_and_folders_are_refused() {
    let machine = Machine::new();
    for (words, status, expected) in [
        (&["zed", "--project"][..], 2, "leave out --project"),
        (&["vscode", "--user"], 2, "code --add-mcp"),
        (&["emacs"], 2, "claude-code"),
        (&[], 2, "RUNTIME"),
        (&["codex", "--user", "--project"], 2, "cannot be used with"),
        (&["cursor", "--workspace", "../home"], 1, "home folder"),
    ] {
        let done = machine.run(words);
        assert!(done.status == Some(status) && done.err.contains(expected), "{words:?}: {done:?}");
    }
    let help = machine.done(&["--help"]);
    assert!(help.contains("Usage: editctl setup") && !help.contains("--program"), "{help}");
    let mut elsewhere = machine.command(binaries::editctl());
    let set =
        elsewhere.args(["--json", "--workspace"]).arg(machine.path("project")).args(["setup", "cursor"]);
    let done = Done::of(set.current_dir(machine.path("home")));
    let report: Value = serde_json::from_str(&done.out).unwrap();
    assert!(report["status"] == "created" && machine.path("project/.cursor/mcp.json").exists(), "{report}");
    let refused =
        Done::of(machine.command(binaries::editctl()).args(["setup", "zed", "--project", "--json"]));
    let error: Value = serde_json::from_str(&refused.out).unwrap();
    assert!(refused.status == Some(2) && error["error"]["message"].is_string(), "{refused:?}");
    // Without `editctl`, the program finds the one beside itself.
    let alone = Done::of(machine.command(binaries::editctl_setup()).args(["qwen"]));
    assert!(alone.status == Some(0) && machine.path("project/.qwen/settings.json").exists(), "{alone:?}");
}
