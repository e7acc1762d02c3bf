//! The tools of the MCP filesystem server that read and edit files. Its tools for folders, searches and media have nothing
//! to do with edits, and are left out.

use editctl::show::CallWords;
use serde_json::{Map, Value, json};

use super::schema::{flag, number, object, text};
use crate::arguments::Arguments;
use crate::context::CallRefusal;
use crate::reply::ToolReply;
use crate::tools::history::HISTORY;
use crate::tools::lines::{LineForm, LineWindow, NextArgument, ReadLines, TEXT, fetch};
use crate::tools::payload::{PathField, PathRole};
use crate::tools::undo::UNDO;
use crate::tools::{CallResult, ToolAction, ToolCall, ToolEntry, ToolSet};

/// The set.
pub(super) static SET: ToolSet = ToolSet {
    name: "mcp-filesystem",
    dialect: "mcp-filesystem",
    words: CallWords { read: "read_text_file {\"path\": ", narrow: None },
    missing: Some("ENOENT: no such file or directory: {path}"),
    tools: &[
        ToolEntry {
            name: "read_text_file",
            description: "Read a file, its first (head) or its last (tail) lines.",
            schema: || object(json!({ "path": text(), "head": number(), "tail": number() }), &["path"]),
            looks: true,
            action: ToolAction::Run(read),
        },
        ToolEntry {
            name: "read_multiple_files",
            description: "Read several files.",
            schema: || object(json!({ "paths": { "type": "array", "items": text() } }), &["paths"]),
            looks: true,
            action: ToolAction::Run(read_several),
        },
        ToolEntry {
            name: "write_file",
            description: "Write a whole file; creates it and its folders.",
            schema: || object(json!({ "path": text(), "content": text() }), &["path", "content"]),
            looks: false,
            action: ToolAction::Payload(&[PathField { names: &["path"], role: PathRole::Written }]),
        },
        ToolEntry {
            name: "edit_file",
            description: "Replace each oldText, which must be exact and unique, with newText, one after the other, all \
                          or none. Returns a diff. dryRun writes nothing.",
            schema: edit_schema,
            looks: false,
            action: ToolAction::PayloadWithDiff(&[PathField { names: &["path"], role: PathRole::Edited }]),
        },
        ToolEntry {
            name: "move_file",
            description: "Move or rename a file. The destination must not exist.",
            schema: || object(json!({ "source": text(), "destination": text() }), &["source", "destination"]),
            looks: false,
            action: ToolAction::Payload(&[
                PathField { names: &["source"], role: PathRole::Edited },
                PathField { names: &["destination"], role: PathRole::Destination },
            ]),
        },
        UNDO,
        HISTORY,
    ],
};

/// The form of the lines: without numbers, and exact, since the server whose tools these are returns files as they are. A part is
/// followed by the lines that are left to the end, of which again the first are returned if they are too many.
const FORM: LineForm =
    LineForm { number: None, next: Some(NextArgument::Last("tail")), from_zero: false, exact: true };

fn edit_schema() -> Value {
    let edit = object(json!({ "oldText": text(), "newText": text() }), &["oldText", "newText"]);
    let edits = json!({ "type": "array", "items": edit });
    object(json!({ "path": text(), "edits": edits, "dryRun": flag() }), &["path", "edits"])
}

fn read(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let mut given = Arguments::new("", given, &["path", "head", "tail"])?;
    let path = given.required("path")?;
    let window = match (given.number("head")?, given.number("tail")?) {
        (None, None) => LineWindow::From(1),
        (Some(head), None) => LineWindow::Range(1, head.max(1)),
        (None, Some(tail)) => LineWindow::Last(tail),
        (Some(_), Some(_)) => return Err(given.wrong("tail", "cannot be combined with head")),
    };
    Ok(lines(call, &path, window, TEXT)?.reply(FORM))
}

fn read_several(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let mut given = Arguments::new("", given, &["paths"])?;
    let paths = given.list("paths");
    let paths: Option<Vec<&str>> = paths.iter().map(Value::as_str).collect();
    let paths = paths.ok_or_else(|| given.wrong("paths", "must be texts"))?;
    if paths.is_empty() {
        return Err(given.wrong("paths", "is missing"));
    }
    let most = TEXT / paths.len() as u64;
    let (mut parts, mut facts) = (Vec::new(), Vec::new());
    for path in paths {
        match lines(call, path, LineWindow::From(1), most) {
            Ok(found) => {
                let reply = found.reply(LineForm { exact: true, ..LineForm::default() });
                let left = found.reply.lines.saturating_sub(found.last);
                let next = match left {
                    0 => String::new(),
                    _ => format!("next: read_text_file {}\n", json!({ "path": path, "tail": left })),
                };
                parts.push(format!("{path}:\n{}\n{next}", reply.text));
                facts.push(reply.structured);
            }
            Err(CallRefusal(error)) => {
                parts.push(format!("{path}: Error - {}", error.message));
                facts.push(json!({ "path": path, "error": error.code }));
            }
        }
    }
    Ok(ToolReply::content(parts.join("\n---\n"), &json!({ "files": facts })))
}

fn lines(call: &ToolCall<'_>, path: &str, window: LineWindow, most: u64) -> Result<ReadLines, CallRefusal> {
    let target = call.context.workspace_of(Some(path));
    fetch(&target, target.name(path)?, window, most)
}
