//! The tools of Claude Code: `Read` with line numbers, `Edit` and `Write`.

use editctl::show::CallWords;
use serde_json::{Map, Value, json};

use super::schema::{flag, number, object, text};
use crate::arguments::Arguments;
use crate::tools::history::HISTORY;
use crate::tools::lines::{LineForm, LineWindow, NextArgument, TEXT, fetch};
use crate::tools::payload::{PathField, PathRole};
use crate::tools::undo::UNDO;
use crate::tools::{CallResult, ToolAction, ToolCall, ToolEntry, ToolSet};

/// The set.
pub(super) static SET: ToolSet = ToolSet {
    name: "claude-code",
    dialect: "claude-code",
    words: CallWords { read: "Read {\"file_path\": ", narrow: None },
    missing: Some("File does not exist: {path}"),
    tools: &[
        ToolEntry {
            name: "Read",
            description: "Read a file with line numbers, or limit lines of it from line offset.",
            schema: || {
                object(json!({ "file_path": text(), "offset": number(), "limit": number() }), &["file_path"])
            },
            looks: true,
            action: ToolAction::Run(read),
        },
        ToolEntry {
            name: "Edit",
            description: "Replace old_string, which must be exact and unique unless replace_all, with new_string.",
            schema: || {
                object(
                    json!({
                        "file_path": text(),
                        "old_string": text(),
                        "new_string": text(),
                        "replace_all": flag()
                    }),
                    &["file_path", "old_string", "new_string"],
                )
            },
            looks: false,
            action: ToolAction::Payload(&[PathField { names: &["file_path"], role: PathRole::Edited }]),
        },
        ToolEntry {
            name: "Write",
            description: "Write a whole file; creates it and its folders.",
            schema: || object(json!({ "file_path": text(), "content": text() }), &["file_path", "content"]),
            looks: false,
            action: ToolAction::Payload(&[PathField { names: &["file_path"], role: PathRole::Written }]),
        },
        UNDO,
        HISTORY,
    ],
};

fn read(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let mut given = Arguments::new("", given, &["file_path", "offset", "limit"])?;
    let path = given.required("file_path")?;
    let target = call.context.workspace_of(Some(&path));
    let window = LineWindow::of(given.number("offset")?, given.number("limit")?);
    let found = fetch(&target, target.name(&path)?, window, TEXT)?;
    let form = LineForm::numbered(|number| format!("{number:>6}\t"));
    Ok(found.reply(LineForm { next: Some(NextArgument::First("offset")), ..form }))
}
