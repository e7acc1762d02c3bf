//! The tools of Gemini CLI: `read_file`, `write_file` and `replace`.

use editctl::show::CallWords;
use serde_json::{Map, Value, json};

use super::schema::{flag, number_that, object, text};
use crate::arguments::Arguments;
use crate::tools::history::HISTORY;
use crate::tools::lines::{LineForm, LineWindow, NextArgument, TEXT, fetch};
use crate::tools::payload::{PathField, PathRole};
use crate::tools::undo::UNDO;
use crate::tools::{CallResult, ToolAction, ToolCall, ToolEntry, ToolSet};

/// The set.
pub(super) static SET: ToolSet = ToolSet {
    name: "gemini",
    dialect: "gemini",
    words: CallWords { read: "read_file {\"file_path\": ", narrow: None },
    missing: Some("File not found: {path}"),
    tools: &[
        ToolEntry {
            name: "read_file",
            description: "Read a file or some of its lines.",
            schema: || {
                object(
                    json!({
                        "file_path": text(),
                        "start_line": number_that("from 1"),
                        "end_line": number_that("inclusive")
                    }),
                    &["file_path"],
                )
            },
            looks: true,
            action: ToolAction::Run(read),
        },
        ToolEntry {
            name: "replace",
            description: "Replace old_string, which must be exact and unique unless allow_multiple, with new_string.",
            schema: || {
                object(
                    json!({
                        "file_path": text(),
                        "instruction": text(),
                        "old_string": text(),
                        "new_string": text(),
                        "allow_multiple": flag()
                    }),
                    &["file_path", "old_string", "new_string"],
                )
            },
            looks: false,
            action: ToolAction::Payload(&[PathField { names: &["file_path"], role: PathRole::Edited }]),
        },
        ToolEntry {
            name: "write_file",
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
    // Earlier versions have `offset`, from 0, and `limit`.
    let mut given =
        Arguments::with_unlisted("", given, &["file_path", "start_line", "end_line"], &["offset", "limit"])?;
    let path = given.required("file_path")?;
    let (start, end) = (given.number("start_line")?, given.number("end_line")?);
    let (offset, limit) = (given.number("offset")?, given.number("limit")?);
    let first = start.or(offset.map(|offset| offset.saturating_add(1))).unwrap_or(1).max(1);
    if end.is_some_and(|end| end < first) {
        return Err(given.wrong("end_line", "lies before start_line"));
    }
    let window = end.map_or(LineWindow::of(Some(first), limit), |end| LineWindow::Range(first, end));
    let target = call.context.workspace_of(Some(&path));
    let found = fetch(&target, target.name(&path)?, window, TEXT)?;
    Ok(found.reply(LineForm { next: Some(NextArgument::First("start_line")), ..LineForm::default() }))
}
