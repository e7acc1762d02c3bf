//! The dialects of current edit tools: `claude-code`, `opencode`, `gemini`, `mcp-filesystem` and `serena`. Several edits
//! are a list where the tool has one; each is located in the result of the one before it.

use fastrand::Rng;
use serde_json::{Value, json};

use super::{EditPrinter, FormProperties, PrintTask, PrintedRequest, UnquotedEdits, list};

/// `Edit`, `MultiEdit` and `Write` of Claude Code.
pub(super) struct ClaudeCodePrinter;

/// `edit` and `write` of opencode.
pub(super) struct OpenCodePrinter;

/// `replace` and `write_file` of Gemini CLI.
pub(super) struct GeminiPrinter;

/// `edit_file` and `write_file` of the MCP filesystem server.
pub(super) struct McpFilesystemPrinter;

/// `replace_content` and `create_text_file` of Serena.
pub(super) struct SerenaContentPrinter;

/// `delete_lines`, `replace_lines` and `insert_at_line` of Serena.
pub(super) struct SerenaLinesPrinter;

fn quoting(name: &'static str, many: bool) -> FormProperties {
    FormProperties { anywhere: true, phrases: true, many, ..FormProperties::named(name) }
}

/// A payload as the arguments alone, or as a call.
fn sent(dialect: &'static str, tool: &str, arguments: Value, as_call: bool) -> Option<PrintedRequest> {
    let text = if as_call { json!({"name": tool, "arguments": arguments}) } else { arguments };
    Some(PrintedRequest::Payload { dialect, text: text.to_string(), beside: false })
}

impl EditPrinter for ClaudeCodePrinter {
    fn ways(&self) -> FormProperties {
        quoting("claude-code", true)
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        let edits = ask.edits.iter().map(|said| {
            let (old, new) = said.texts(ask.eol);
            json!({"old_string": old, "new_string": new})
        });
        let mut edits: Vec<Value> = edits.collect();
        let path = &ask.source.path;
        if edits.len() == 1 && rng.usize(0..4) > 0 {
            let mut one = edits.pop()?;
            one["file_path"] = json!(path);
            return sent("claude-code", "Edit", one, rng.bool());
        }
        sent("claude-code", "MultiEdit", json!({"file_path": path, "edits": edits}), rng.bool())
    }

    fn sweep(&self, path: &str, edit: &UnquotedEdits) -> Option<PrintedRequest> {
        let arguments = match edit {
            UnquotedEdits::Everywhere { old, new } => {
                json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": true})
            }
            UnquotedEdits::Whole(text) => json!({"file_path": path, "content": text}),
            UnquotedEdits::Start(_) | UnquotedEdits::End(_) => return None,
        };
        sent("claude-code", "", arguments, false)
    }
}

impl EditPrinter for OpenCodePrinter {
    fn ways(&self) -> FormProperties {
        quoting("opencode", false)
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        let (old, new) = ask.edits.first()?.texts(ask.eol);
        let path = if rng.bool() { "filePath" } else { "path" };
        let arguments = json!({path: ask.source.path, "oldString": old, "newString": new});
        sent("opencode", "edit", arguments, rng.bool())
    }

    fn sweep(&self, path: &str, edit: &UnquotedEdits) -> Option<PrintedRequest> {
        let arguments = match edit {
            UnquotedEdits::Everywhere { old, new } => {
                json!({"filePath": path, "oldString": old, "newString": new, "replaceAll": true})
            }
            UnquotedEdits::Whole(text) => json!({"filePath": path, "content": text}),
            UnquotedEdits::Start(_) | UnquotedEdits::End(_) => return None,
        };
        sent("opencode", "", arguments, false)
    }
}

impl EditPrinter for GeminiPrinter {
    fn ways(&self) -> FormProperties {
        quoting("gemini", false)
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        let (old, new) = ask.edits.first()?.texts(ask.eol);
        let arguments = json!({
            "file_path": ask.source.path, "instruction": "as discussed", "old_string": old, "new_string": new,
        });
        sent("gemini", "replace", arguments, rng.bool())
    }

    fn sweep(&self, path: &str, edit: &UnquotedEdits) -> Option<PrintedRequest> {
        let (tool, arguments) = match edit {
            UnquotedEdits::Everywhere { old, new } => (
                "replace",
                json!({"file_path": path, "old_string": old, "new_string": new, "allow_multiple": true}),
            ),
            UnquotedEdits::Whole(text) => ("write_file", json!({"file_path": path, "content": text})),
            UnquotedEdits::Start(_) | UnquotedEdits::End(_) => return None,
        };
        sent("gemini", tool, arguments, true)
    }
}

impl EditPrinter for McpFilesystemPrinter {
    fn ways(&self) -> FormProperties {
        quoting("mcp-filesystem", true)
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        let edits = ask.edits.iter().map(|said| {
            let (old, new) = said.texts(ask.eol);
            json!({"oldText": old, "newText": new})
        });
        let edits: Vec<Value> = edits.collect();
        sent("mcp-filesystem", "edit_file", json!({"path": ask.source.path, "edits": edits}), rng.bool())
    }

    fn sweep(&self, path: &str, edit: &UnquotedEdits) -> Option<PrintedRequest> {
        match edit {
            UnquotedEdits::Whole(text) => {
                sent("mcp-filesystem", "write_file", json!({"path": path, "content": text}), true)
            }
            UnquotedEdits::Everywhere { .. } | UnquotedEdits::Start(_) | UnquotedEdits::End(_) => None,
        }
    }
}

impl EditPrinter for SerenaContentPrinter {
    fn ways(&self) -> FormProperties {
        quoting("serena, content", false)
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        let (old, new) = ask.edits.first()?.texts(ask.eol);
        let arguments =
            json!({"relative_path": ask.source.path, "needle": old, "repl": new, "mode": "literal"});
        sent("serena", "replace_content", arguments, rng.bool())
    }

    fn sweep(&self, path: &str, edit: &UnquotedEdits) -> Option<PrintedRequest> {
        let arguments = match edit {
            UnquotedEdits::Everywhere { old, new } => json!({
                "relative_path": path, "needle": old, "repl": new, "mode": "literal",
                "allow_multiple_occurrences": true,
            }),
            UnquotedEdits::Whole(text) => json!({"relative_path": path, "content": text}),
            UnquotedEdits::Start(_) | UnquotedEdits::End(_) => return None,
        };
        sent("serena", "", arguments, false)
    }
}

impl EditPrinter for SerenaLinesPrinter {
    fn ways(&self) -> FormProperties {
        FormProperties { quotes: false, looks: false, many: false, ..FormProperties::named("serena, lines") }
    }

    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest> {
        let (said, (first, removed)) = (ask.edits.first()?, *ask.lines.first()?);
        let path = &ask.source.path;
        let last = (first + removed).checked_sub(1);
        let text = list(&said.new, ask.eol);
        let (tool, arguments) = match (removed, said.new.is_empty()) {
            (0, true) => return None,
            (0, false) => ("insert_at_line", json!({"relative_path": path, "line": first, "content": text})),
            (_, true) => {
                ("delete_lines", json!({"relative_path": path, "start_line": first, "end_line": last}))
            }
            (_, false) => (
                "replace_lines",
                json!({"relative_path": path, "start_line": first, "end_line": last, "content": text}),
            ),
        };
        sent("serena", tool, arguments, rng.bool())
    }
}
