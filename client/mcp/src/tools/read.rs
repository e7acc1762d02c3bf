//! The tool `read`: the text of a file, of some of its lines or of a symbol, or its outline.

use editctl::show::outline;
use editd_proto::message::{OutlineRequest, ReadRequest};
use serde_json::{Map, Value, json};

use super::lines::{self, LineForm, LineWindow, ReadLines, TEXT};
use super::{CallResult, ToolAction, ToolCall, ToolEntry};
use crate::arguments::Arguments;
use crate::reply::ToolReply;

/// The tool.
pub(crate) const READ: ToolEntry = ToolEntry {
    name: "read",
    description: "Read a file, some lines (numbered) or one symbol. outline lists its symbols.",
    schema,
    looks: true,
    action: ToolAction::Run(call),
};

/// The form of the lines: with numbers, unless they are the whole file.
pub(super) const NUMBERED: LineForm = LineForm::numbered(|number| format!("{number}\t"));

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "lines": { "type": "string", "description": "\"10-40\"" },
            "symbol": { "type": "string", "description": "Class/method" },
            "outline": { "type": "boolean" }
        },
        "required": ["path"]
    })
}

fn call(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let mut given = Arguments::new("", given, &["path", "lines", "symbol", "outline"])?
        .without_blank(&["lines", "symbol"]);
    let path = given.required("path")?;
    let target = call.context.workspace_of(Some(&path));
    let path = target.name(&path)?;
    call.context.refused.numbers.forget(target.workspace().root(), &path);
    let (range, symbol) = (given.lines("lines")?, given.text("symbol")?);
    if given.flag("outline")? {
        let reply = target.ask(|it| it.outline(&OutlineRequest { path: path.clone(), depth: None }))?;
        return Ok(ToolReply::done(outline::tree(&reply, &call.style()), &reply));
    }
    if range.is_some() && symbol.is_some() {
        return Err(given.wrong("symbol", "cannot be combined with lines"));
    }
    if symbol.is_some() {
        let request = ReadRequest { path, lines: None, seen: None, symbol, body: false };
        let reply = target.ask(|it| it.read(&request))?;
        let text = reply.text.as_deref().unwrap_or_default();
        let last = reply.first_line + lines::split(&reply, text).count().saturating_sub(1) as u64;
        let found = ReadLines::of(reply, last, TEXT);
        if found.is_cut(last) {
            return Ok(found.reply(LineForm::default()));
        }
        return Ok(ToolReply::content(found.text(LineForm::default()), &found.facts()));
    }
    let window = range.map_or(LineWindow::From(1), |(first, last)| LineWindow::Range(first, last));
    let found = lines::fetch(&target, path, window, TEXT)?;
    let plain = range.is_none() && found.is_whole();
    Ok(found.reply(if plain { LineForm::default() } else { NUMBERED }))
}
