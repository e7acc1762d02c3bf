//! The edit tools that are compared, and the calls with which each of them makes a change.

use std::path::{Path, PathBuf};
use std::process::Command;

use editd_tests::commits::{CommitChange, CommitFile, DiffHunk, hunks};
use editd_tests::mcp_client::McpClient;
use editd_tests::test_daemon::TestDaemon;
use serde_json::{Value, json};

/// The folder that takes the place of the temporary one in every text, as an agent would see it.
const FOLDER: &str = "/home/user/project";

/// A call of a tool: its name and its arguments.
pub(crate) type ToolCall = (&'static str, Value);

/// The schemas, names and habits of an edit tool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolKind {
    /// `editctl mcp`; edits quote the text that they replace.
    Quoted,
    /// `editctl mcp`; edits name lines.
    Lines,
    /// `editctl mcp --as text-editor`.
    AsTextEditor,
    /// The MCP filesystem server of the package `@modelcontextprotocol/server-filesystem`.
    Filesystem,
    /// The text editor of the package `openhands-aci`.
    TextEditor,
}

/// A running edit tool, and the folder that it edits.
pub(crate) struct EditTool {
    pub(crate) kind: ToolKind,
    client: McpClient,
    folder: PathBuf,
    /// The daemon of the folder, or the folder itself.
    _owner: Box<dyn std::any::Any>,
}

/// The text of a reply, and true if it refuses the call.
pub(crate) struct ToolReply {
    pub(crate) text: String,
    pub(crate) is_refusal: bool,
}

impl ToolKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quoted => "`editctl mcp`, quoted text",
            Self::Lines => "`editctl mcp`, lines",
            Self::AsTextEditor => "`editctl mcp --as text-editor`",
            Self::Filesystem => "MCP filesystem server",
            Self::TextEditor => "text editor",
        }
    }

    fn is_ours(self) -> bool {
        matches!(self, Self::Quoted | Self::Lines | Self::AsTextEditor)
    }

    /// True if the tool can delete a file.
    pub(crate) fn deletes(self) -> bool {
        matches!(self, Self::Quoted | Self::Lines)
    }
}

impl EditTool {
    /// Starts a tool; `None` if its package is not installed.
    pub(crate) fn start(kind: ToolKind) -> Option<Self> {
        if kind.is_ours() {
            let daemon = TestDaemon::started();
            let words: &[&str] = if kind == ToolKind::AsTextEditor { &["--as", "text-editor"] } else { &[] };
            let (client, folder) = (McpClient::begin(&daemon, words), daemon.workspace().to_owned());
            return Some(Self { kind, client, folder, _owner: Box::new(daemon) });
        }
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().canonicalize().expect("the folder is there");
        let mut command = match kind {
            ToolKind::Filesystem => {
                let mut command = Command::new("node");
                command.arg(std::env::var_os("FILESYSTEM_SERVER")?).arg(&path);
                command
            }
            _ => {
                let mut command = Command::new(std::env::var_os("TEXT_EDITOR_PYTHON")?);
                let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/compare/text_editor.py");
                command.arg(script);
                command
            }
        };
        command.stderr(std::process::Stdio::null()).current_dir(&path);
        let mut client = McpClient::run(command);
        client.initialize();
        Some(Self { kind, client, folder: path, _owner: Box::new(folder) })
    }

    /// The tools as a model gets them: names, descriptions and schemas.
    pub(crate) fn schema(&mut self) -> String {
        let listed = self.client.ask("tools/list", json!({}));
        let tools = listed["tools"].as_array().cloned().unwrap_or_default();
        let shown = |tool: &Value| json!({"name": tool["name"], "description": tool["description"], "input_schema": tool["inputSchema"]});
        tools.iter().map(|tool| shown(tool).to_string()).collect()
    }

    pub(crate) fn call(&mut self, (name, arguments): &ToolCall) -> ToolReply {
        let reply = self.client.request("tools/call", json!({"name": name, "arguments": arguments}));
        let result = &reply["result"];
        let text = result["content"][0]["text"].as_str().or(reply["error"]["message"].as_str());
        let text = self.shown(text.unwrap_or_default());
        ToolReply { text, is_refusal: result["isError"] == true || result.is_null() }
    }

    /// Returns a text of a call or reply with the folder that an agent would see.
    pub(crate) fn shown(&self, text: &str) -> String {
        text.replace(&*self.folder.to_string_lossy(), FOLDER)
    }

    /// The path of a file as the tool wants it.
    fn path(&self, file: &str) -> String {
        if self.kind.is_ours() {
            file.to_owned()
        } else {
            self.folder.join(file).to_string_lossy().into_owned()
        }
    }

    pub(crate) fn read(&self, file: &str) -> ToolCall {
        let path = self.path(file);
        match self.kind {
            ToolKind::Quoted => ("read", json!({"path": path})),
            // Numbers are shown with a range only.
            ToolKind::Lines => {
                let lines = self.get(file).map_or(1, |text| text.lines().count().max(1));
                ("read", json!({"path": path, "lines": format!("1-{lines}")}))
            }
            ToolKind::Filesystem => ("read_text_file", json!({"path": path})),
            ToolKind::AsTextEditor | ToolKind::TextEditor => editor(json!({"command": "view", "path": path})),
        }
    }

    /// Replaces a text that is quoted.
    pub(crate) fn replace(&self, file: &str, old: &str, new: &str) -> ToolCall {
        let path = self.path(file);
        match self.kind {
            ToolKind::Quoted | ToolKind::Lines => {
                ("edit", json!({"edits": [{"path": path, "old": old, "new": new}]}))
            }
            ToolKind::Filesystem => {
                ("edit_file", json!({"path": path, "edits": [{"oldText": old, "newText": new}]}))
            }
            ToolKind::AsTextEditor | ToolKind::TextEditor => {
                editor(json!({"command": "str_replace", "path": path, "old_str": old, "new_str": new}))
            }
        }
    }

    /// Writes a whole file.
    pub(crate) fn write(&self, file: &str, text: &str) -> ToolCall {
        let path = self.path(file);
        match self.kind {
            ToolKind::Quoted | ToolKind::Lines => {
                ("edit", json!({"edits": [{"path": path, "content": text}]}))
            }
            ToolKind::Filesystem => ("write_file", json!({"path": path, "content": text})),
            ToolKind::AsTextEditor | ToolKind::TextEditor => {
                editor(json!({"command": "create", "path": path, "file_text": text}))
            }
        }
    }

    /// The calls that make a change. Files that the tool cannot delete are left out.
    pub(crate) fn calls(&self, change: &CommitChange) -> Vec<ToolCall> {
        match self.kind {
            ToolKind::Quoted => one_call(change, true),
            ToolKind::Lines => one_call(change, false),
            _ => change.files.iter().flat_map(|file| self.calls_of_file(file)).collect(),
        }
    }

    fn calls_of_file(&self, file: &CommitFile) -> Vec<ToolCall> {
        let Some(after) = &file.after else { return Vec::new() };
        if file.before.as_ref().is_none_or(String::is_empty) {
            let write = self.write(&file.path, after);
            let folder = self.folder.join(&file.path).parent().map(Path::to_owned);
            let Some(folder) = folder.filter(|folder| !folder.exists()) else { return vec![write] };
            if self.kind == ToolKind::Filesystem {
                return vec![("create_directory", json!({"path": folder.to_string_lossy()})), write];
            }
            if self.kind == ToolKind::TextEditor {
                // An agent would do this in its shell.
                std::fs::create_dir_all(folder).expect("a folder can be made");
            }
            return vec![write];
        }
        let hunks = hunks(file, true);
        if self.kind == ToolKind::Filesystem {
            let edit = |hunk: &DiffHunk| json!({"oldText": hunk.old(), "newText": hunk.added()});
            let edits: Vec<Value> = hunks.iter().map(edit).collect();
            return vec![("edit_file", json!({"path": self.path(&file.path), "edits": edits}))];
        }
        hunks.iter().map(|hunk| self.replace(&file.path, &hunk.old(), &hunk.added())).collect()
    }

    /// Puts a file into the folder as another program would.
    pub(crate) fn put(&self, file: &str, text: &str) {
        let path = self.folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a file lies in a folder"))
            .expect("a folder can be made");
        std::fs::write(path, text).expect("a file can be written");
    }

    pub(crate) fn remove(&self, file: &str) {
        drop(std::fs::remove_file(self.folder.join(file)));
    }

    pub(crate) fn get(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(file)).ok()
    }
}

fn editor(arguments: Value) -> ToolCall {
    ("str_replace_based_edit_tool", arguments)
}

/// A change as one call of `editctl mcp`.
fn one_call(change: &CommitChange, quoted: bool) -> Vec<ToolCall> {
    let edits = change.files.iter().flat_map(|file| {
        let path = &file.path;
        match (&file.before, &file.after) {
            (_, None) => vec![json!({"path": path, "delete": true})],
            (None, Some(text)) => vec![json!({"path": path, "content": text})],
            (Some(before), Some(text)) if before.is_empty() => vec![json!({"path": path, "content": text})],
            (Some(_), Some(_)) => hunks(file, quoted).iter().map(|hunk| edit(path, hunk, quoted)).collect(),
        }
    });
    vec![("edit", json!({"edits": edits.collect::<Vec<_>>()}))]
}

fn edit(path: &str, hunk: &DiffHunk, quoted: bool) -> Value {
    let new = hunk.added();
    if quoted {
        return json!({"path": path, "old": hunk.old(), "new": new});
    }
    let lines = match hunk.count {
        0 | 1 => hunk.start.to_string(),
        count => format!("{}-{}", hunk.start, hunk.start + count - 1),
    };
    match hunk.count {
        0 if hunk.start > 1 => {
            json!({"path": path, "lines": (hunk.start - 1).to_string(), "insert": "after", "new": new})
        }
        0 => json!({"path": path, "lines": lines, "insert": "before", "new": new}),
        _ if new.is_empty() => json!({"path": path, "lines": lines, "delete": true}),
        _ => json!({"path": path, "lines": lines, "new": new}),
    }
}
