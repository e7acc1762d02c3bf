//! The agent runtimes: the format of their configuration, and the place and form of a server in it.

use editctl::runtime::Runtime;
use serde_json::{Value, json};

use crate::format::Format;

/// The place and the form of the entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryShape {
    /// The keys that lead to the object of all servers.
    pub(crate) path: &'static [&'static str],
    /// Returns the entry for a program.
    entry: fn(&str) -> Value,
    /// Returns the program of an entry.
    program: fn(&Value) -> Option<&Value>,
}

impl EntryShape {
    /// Creates the shape of an entry that has its program in `command`.
    const fn of(path: &'static [&'static str], entry: fn(&str) -> Value) -> Self {
        Self { path, entry, program: |entry| entry.get("command") }
    }

    /// Returns the entry for a program.
    pub(crate) fn entry(&self, program: &str) -> Value {
        (self.entry)(program)
    }

    /// Returns true if setup writes such an entry, also on another machine: the program may be any `editctl`.
    pub(crate) fn is_own(&self, found: &Value) -> bool {
        let Some(program) = (self.program)(found).and_then(Value::as_str) else { return false };
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        name.strip_suffix(".exe").unwrap_or(name) == "editctl" && self.entry(program) == *found
    }
}

/// Returns the format of the configuration.
pub(crate) fn config_format(runtime: Runtime) -> Format {
    match runtime {
        Runtime::Codex => Format::Toml,
        _ => Format::Json,
    }
}

/// Returns the shape for a file with this content.
pub(crate) fn entry_shape(runtime: Runtime, content: &Value) -> EntryShape {
    let stdio = |program: &str| json!({ "type": "stdio", "command": program, "args": ["mcp"] });
    let plain = |program: &str| json!({ "command": program, "args": ["mcp"] });
    match runtime {
        Runtime::ClaudeCode | Runtime::Cursor => EntryShape::of(&["mcpServers"], stdio),
        Runtime::Vscode => EntryShape::of(&["servers"], stdio),
        Runtime::Gemini | Runtime::Qwen => EntryShape::of(&["mcpServers"], plain),
        Runtime::Zed => EntryShape::of(&["context_servers"], plain),
        Runtime::Codex => EntryShape::of(&["mcp_servers"], plain),
        Runtime::Opencode => opencode(content),
    }
}

/// Returns the shape of version 1, which version 2 reads, too; in a file of version 2 that shape, since a file must not
/// have both.
fn opencode(content: &Value) -> EntryShape {
    let servers = content.get("mcp").and_then(|mcp| mcp.get("servers")).and_then(Value::as_object);
    // A server of version 1 may have the name `servers`.
    let is_second = servers.is_some_and(|servers| !servers.contains_key("type"));
    EntryShape {
        path: if is_second { &["mcp", "servers"] } else { &["mcp"] },
        entry: if is_second {
            |program| json!({ "type": "local", "command": [program, "mcp"] })
        } else {
            |program| json!({ "type": "local", "command": [program, "mcp"], "enabled": true })
        },
        program: |entry| entry.get("command").and_then(|command| command.get(0)),
    }
}
