//! The text editor tool of the Anthropic API, `str_replace_based_edit_tool`, with the commands view, create, str_replace
//! and insert.

use editctl::show::CallWords;
use serde_json::{Map, Value, json};

use super::schema::{number_that, text};
use crate::arguments::{Arguments, signed};
use crate::context::CallRefusal;
use crate::reply::ToolReply;
use crate::tools::history::HISTORY;
use crate::tools::lines::{LineForm, LineWindow, TEXT, fetch};
use crate::tools::payload::{self, PathField, PathRole};
use crate::tools::undo::UNDO;
use crate::tools::{CallResult, ToolAction, ToolCall, ToolEntry, ToolSet};

/// The tool.
const NAME: &str = "str_replace_based_edit_tool";

/// The fields that a view may have; models send the others, too, and leave them empty.
const FIELDS: [&str; 8] =
    ["command", "path", "view_range", "file_text", "old_str", "new_str", "insert_line", "insert_text"];

/// The set.
pub(super) static SET: ToolSet = ToolSet {
    name: "text-editor",
    dialect: "text-editor",
    words: CallWords { read: "str_replace_based_edit_tool {\"command\": \"view\", \"path\": ", narrow: None },
    missing: Some("The path {path} does not exist. Please provide a valid path."),
    tools: &[
        ToolEntry {
            name: NAME,
            description: "View a file with line numbers (view_range: [first, last], -1 is the end), create one \
                          (file_text), replace old_str, which must be exact and unique, with new_str, or insert \
                          insert_text after insert_line.",
            schema,
            looks: false,
            action: ToolAction::Run(call),
        },
        UNDO,
        HISTORY,
    ],
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": { "type": "string", "enum": ["view", "create", "str_replace", "insert"] },
            "path": text(),
            "view_range": { "type": "array", "items": { "type": "integer" } },
            "file_text": text(),
            "old_str": text(),
            "new_str": text(),
            "insert_line": number_that("0: before the first"),
            "insert_text": text()
        },
        "required": ["command", "path"]
    })
}

fn call(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    match given.get("command").and_then(Value::as_str) {
        Some("view") => view(call, given),
        Some("create") => {
            payload::call(call, &[PathField { names: &["path"], role: PathRole::Written }], given, false)
        }
        Some("str_replace" | "insert") => {
            let path = given.get("path").and_then(Value::as_str).map(str::to_owned);
            let reply =
                payload::call(call, &[PathField { names: &["path"], role: PathRole::Edited }], given, false)?;
            Ok(match path {
                Some(path) if !reply.is_error => with_snippet_read(call, &path, reply),
                _ => reply,
            })
        }
        Some("undo_edit") => {
            let paths: Vec<&Value> = given.get("path").into_iter().collect();
            let next = json!({ "paths": paths });
            Err(CallRefusal::malformed(format!("there is no command undo_edit; next: undo {next}")))
        }
        _ => {
            let given = Arguments::new("", given, &FIELDS)?;
            Err(given.wrong("command", "must be view, create, str_replace or insert"))
        }
    }
}

/// Returns the line of a file as a view and a snippet show it.
fn numbered(number: u64) -> String {
    format!("{number:>6}\t")
}

/// Reads the lines that the snippet of a reply shows, since the model sees their new numbers: a later `insert_line` refers
/// to them. If the lines have changed since, they are shown.
fn with_snippet_read(call: &ToolCall<'_>, path: &str, mut reply: ToolReply) -> ToolReply {
    let target = call.context.workspace_of(Some(path));
    let Ok(path) = target.name(path) else { return reply };
    for (first, text) in snippets(&reply.text) {
        let last = first + (text.lines().count() as u64).saturating_sub(1);
        // Without an answer, the numbers refer to the lines that were viewed.
        let Ok(found) = fetch(&target, path.clone(), LineWindow::Range(first, last), u64::MAX) else {
            continue;
        };
        let now = found.text(LineForm::numbered(numbered));
        // A snippet shows no line breaks as they are, and no byte order mark.
        let plain = |text: &str| text.replace(['\r', '\u{feff}'], "").trim_end().to_owned();
        if plain(&now) != plain(&text) {
            reply.text.push_str(&format!("\nThese lines have changed since:\n{now}"));
        }
    }
    reply
}

/// Returns the parts of a reply with adjacent lines that have numbers, and the number of the first line of each.
fn snippets(text: &str) -> Vec<(u64, String)> {
    let mut found: Vec<(u64, String)> = Vec::new();
    let mut next = None;
    for line in text.split_inclusive('\n') {
        let number = line.split_once('\t').filter(|(before, _)| before.len() >= 6);
        let number = number.and_then(|(before, _)| before.trim_start().parse::<u64>().ok());
        match (number, found.last_mut()) {
            (Some(number), Some((_, part))) if next == Some(number) => part.push_str(line),
            (Some(number), _) => found.push((number, line.to_owned())),
            (None, _) => {}
        }
        next = number.map(|number| number + 1);
    }
    found
}

fn view(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let mut given = Arguments::new("", given, &FIELDS)?;
    let path = given.required("path")?;
    let range: Option<Vec<i64>> = given.list("view_range").iter().map(signed).collect();
    let window = match range.as_deref() {
        Some([]) => LineWindow::From(1),
        Some(&[first, last]) => match (u64::try_from(first), u64::try_from(last)) {
            (Ok(first), Err(_)) if first >= 1 && last == -1 => LineWindow::From(first),
            (Ok(first), Ok(last)) if first >= 1 && last >= first => LineWindow::Range(first, last),
            _ => return Err(given.wrong("view_range", "must be lines such as [10, 40], from 1")),
        },
        _ => return Err(given.wrong("view_range", "must be two numbers")),
    };
    let target = call.context.workspace_of(Some(&path));
    let found = fetch(&target, target.name(&path)?, window, TEXT)?;
    let mut reply = found.reply(LineForm::numbered(numbered));
    if found.without_lines().is_none() {
        let path = &found.reply.path;
        reply.text = format!("Here's the result of running `cat -n` on {path}:\n{}", reply.text);
    }
    Ok(reply)
}
