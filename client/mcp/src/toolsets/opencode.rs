//! The tools of opencode: `read` with line numbers, `edit` and `write`.

use editctl::show::CallWords;
use serde_json::{Map, Value, json};

use super::schema::{flag, number, object, text};
use crate::arguments::Arguments;
use crate::reply::ToolReply;
use crate::tools::history::HISTORY;
use crate::tools::lines::{LineForm, LineWindow, TEXT, fetch};
use crate::tools::payload::{PathField, PathRole};
use crate::tools::undo::UNDO;
use crate::tools::{CallResult, ToolAction, ToolCall, ToolEntry, ToolSet};

/// The spellings of the field that names a file.
const PATH: &[&str] = &["filePath", "path"];

/// The set.
pub(super) static SET: ToolSet = ToolSet {
    name: "opencode",
    dialect: "opencode",
    words: CallWords { read: "read {\"filePath\": ", narrow: None },
    missing: Some("File not found: {path}"),
    tools: &[
        ToolEntry {
            name: "read",
            description: "Read a file with line numbers, or limit lines of it from line offset.",
            schema: || {
                object(json!({ "filePath": text(), "offset": number(), "limit": number() }), &["filePath"])
            },
            looks: true,
            action: ToolAction::Run(read),
        },
        ToolEntry {
            name: "edit",
            description: "Replace oldString, which must be exact and unique unless replaceAll, with newString.",
            schema: || {
                object(
                    json!({
                        "filePath": text(),
                        "oldString": text(),
                        "newString": text(),
                        "replaceAll": flag()
                    }),
                    &["filePath", "oldString", "newString"],
                )
            },
            looks: false,
            action: ToolAction::Payload(&[PathField { names: PATH, role: PathRole::Edited }]),
        },
        ToolEntry {
            name: "write",
            description: "Write a whole file; creates it and its folders.",
            schema: || object(json!({ "filePath": text(), "content": text() }), &["filePath", "content"]),
            looks: false,
            action: ToolAction::Payload(&[PathField { names: PATH, role: PathRole::Written }]),
        },
        UNDO,
        HISTORY,
    ],
};

fn read(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let mut given = Arguments::with_unlisted("", given, &["filePath", "offset", "limit"], &["path"])?;
    let path = match given.text("path")? {
        Some(path) => path,
        None => given.required("filePath")?,
    };
    let target = call.context.workspace_of(Some(&path));
    let window = LineWindow::of(given.number("offset")?, given.number("limit")?);
    let found = fetch(&target, target.name(&path)?, window, TEXT)?;
    if let Some(words) = found.without_lines() {
        return Ok(ToolReply::done(words, &found.facts()));
    }
    let (first, last, all) = (found.reply.first_line, found.last, found.reply.lines);
    let text = found.text(LineForm::numbered(|number| format!("{number}: ")));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let cut = found.cut_note();
    let note = if last < all {
        format!("(Showing lines {first}-{last} of {all}{cut}. Use offset={} to continue.)", last + 1)
    } else {
        format!("(End of file - total {all} lines{cut})")
    };
    let path = &found.reply.path;
    let words = format!("<path>{path}</path>\n<type>file</type>\n<content>\n{text}{end}\n{note}\n</content>");
    Ok(ToolReply::done(words, &found.facts()))
}
