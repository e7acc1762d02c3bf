//! The tools of Serena that read and edit files and symbols. Symbols come from the syntax tree of a file; the tools that
//! need a language server, and those for folders, searches and memories, are left out.

mod symbols;

use editctl::show::CallWords;
use editd_proto::ErrorCode;
use serde_json::{Map, Value, json};

use super::schema::{flag, number, number_that, object, text};
use crate::arguments::Arguments;
use crate::context::CallRefusal;
use crate::tools::history::HISTORY;
use crate::tools::lines::{LineForm, LineWindow, NextArgument, TEXT, fetch};
use crate::tools::payload::{PathField, PathRole};
use crate::tools::undo::UNDO;
use crate::tools::{CallResult, ToolAction, ToolCall, ToolEntry, ToolSet};

/// The file of an edit.
const FILE: ToolAction =
    ToolAction::Payload(&[PathField { names: &["relative_path"], role: PathRole::Edited }]);

/// The set.
pub(in crate::toolsets) static SET: ToolSet = ToolSet {
    name: "serena",
    dialect: "serena",
    words: CallWords { read: "read_file {\"relative_path\": ", narrow: None },
    missing: Some("File {path} does not exist in the project."),
    tools: &[
        ToolEntry {
            name: "read_file",
            description: "Read a file or some of its lines, which count from 0.",
            schema: || {
                object(
                    json!({
                        "relative_path": text(),
                        "start_line": number_that("negative: from the end"),
                        "end_line": number_that("inclusive")
                    }),
                    &["relative_path"],
                )
            },
            looks: true,
            action: ToolAction::Run(read),
        },
        ToolEntry {
            name: "create_text_file",
            description: "Write a whole file; creates it and its folders.",
            schema: || {
                object(json!({ "relative_path": text(), "content": text() }), &["relative_path", "content"])
            },
            looks: false,
            action: ToolAction::Payload(&[PathField { names: &["relative_path"], role: PathRole::Written }]),
        },
        ToolEntry {
            name: "replace_content",
            description: "Replace needle, a text or a regular expression (. matches line breaks), with repl, in which \
                          $!1 is a group. It must match once unless allow_multiple_occurrences.",
            schema: content_schema,
            looks: false,
            action: FILE,
        },
        ToolEntry {
            name: "get_symbols_overview",
            description: "List the symbols of a file by kind.",
            schema: || object(json!({ "relative_path": text(), "depth": number() }), &["relative_path"]),
            looks: true,
            action: ToolAction::Run(symbols::overview),
        },
        ToolEntry {
            name: "find_symbol",
            description: "Find symbols of a file by name, Class/method or /Class/method, with their lines (from 0) and \
                          on request their text.",
            schema: symbols::find_schema,
            looks: true,
            action: ToolAction::Run(symbols::find),
        },
        symbol_edit("replace_symbol_body", "Replace the whole definition of a symbol."),
        symbol_edit("insert_after_symbol", "Insert text after the definition of a symbol."),
        symbol_edit("insert_before_symbol", "Insert text before the definition of a symbol."),
        UNDO,
        HISTORY,
    ],
};

const fn symbol_edit(name: &'static str, description: &'static str) -> ToolEntry {
    ToolEntry { name, description, schema: symbol_schema, looks: false, action: FILE }
}

fn symbol_schema() -> Value {
    let fields = json!({ "name_path": text(), "relative_path": text(), "body": text() });
    object(fields, &["name_path", "relative_path", "body"])
}

fn content_schema() -> Value {
    let fields = json!({
        "relative_path": text(),
        "needle": text(),
        "repl": text(),
        "mode": { "type": "string", "enum": ["literal", "regex"] },
        "allow_multiple_occurrences": flag()
    });
    object(fields, &["relative_path", "needle", "repl", "mode"])
}

/// Returns the refusal of a line behind the last one with lines that count from 0.
fn from_zero(mut refusal: CallRefusal, start: i64) -> CallRefusal {
    let error = &mut refusal.0;
    if let (ErrorCode::OutOfRange, Some(lines)) = (error.code, error.lines) {
        let last = lines.saturating_sub(1);
        error.message =
            format!("line {start} is not in the file, which has the lines 0 to {last}, counted from 0");
    }
    refusal
}

fn read(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    // `max_answer_chars` is accepted, but the limit of replies is that of the server.
    let known = ["relative_path", "start_line", "end_line"];
    let mut given = Arguments::with_unlisted("", given, &known, &["max_answer_chars"])?;
    let path = given.required("relative_path")?;
    let (start, end) = (given.signed("start_line")?.unwrap_or(0), given.number("end_line")?);
    let window = match (u64::try_from(start), end) {
        (Ok(start), None) => LineWindow::From(start.saturating_add(1)),
        (Ok(start), Some(end)) if end >= start => {
            LineWindow::Range(start.saturating_add(1), end.saturating_add(1))
        }
        (Err(_), None) => LineWindow::Last(start.unsigned_abs()),
        (Ok(_), Some(_)) => return Err(given.wrong("end_line", "lies before start_line")),
        (Err(_), Some(_)) => {
            return Err(given.wrong("end_line", "cannot be combined with a negative start_line"));
        }
    };
    let target = call.context.workspace_of(Some(&path));
    let found =
        fetch(&target, target.name(&path)?, window, TEXT).map_err(|refusal| from_zero(refusal, start))?;
    Ok(found.reply(LineForm {
        next: Some(NextArgument::First("start_line")),
        from_zero: true,
        ..LineForm::default()
    }))
}
