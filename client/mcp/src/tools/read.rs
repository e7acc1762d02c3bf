//! The tool `read`: the text of a file, of some of its lines or of a symbol, or its outline.

use editctl::show::{OutputStyle, outline};
use editd_proto::message::{OutlineRequest, ReadReply, ReadRequest};
use serde_json::{Map, Value, json};

use crate::arguments::Arguments;
use crate::context::{CallContext, CallRefusal, CallTarget};
use crate::reply::{ToolReply, WORDS};

/// The most bytes of text in a reply; some runtimes cut longer ones.
const TEXT: u64 = 64 * 1024;

pub(super) const DESCRIPTION: &str =
    "Read a file, some lines (numbered) or one symbol. outline lists its symbols.";

pub(super) fn schema() -> Value {
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

pub(super) fn call(context: &CallContext, given: Map<String, Value>) -> Result<ToolReply, CallRefusal> {
    let mut given = Arguments::new("", given, &["path", "lines", "symbol", "outline"])?;
    let path = given.required("path")?;
    let target = context.workspace_of(Some(&path));
    let path = target.name(&path)?;
    let (lines, symbol) = (given.lines("lines")?, given.text("symbol")?);
    if given.flag("outline")? {
        let reply = target.ask(|it| it.outline(&OutlineRequest { path: path.clone(), depth: None }))?;
        return Ok(ToolReply::done(outline::tree(&reply, &OutputStyle::for_tools(WORDS)), &reply));
    }
    if lines.is_some() && symbol.is_some() {
        return Err(given.wrong("symbol", "cannot be combined with lines"));
    }
    let request = ReadRequest { path, lines, seen: None, symbol, body: false };
    if request.symbol.is_none() && request.lines.is_none() {
        return file(&target, request);
    }
    let reply = target.ask(|it| it.read(&request))?;
    let text = reply.text.as_deref().unwrap_or_default();
    let last = match request.lines {
        Some((_, last)) => last.min(reply.lines),
        None => reply.first_line + lines_of(&reply, text).count().saturating_sub(1) as u64,
    };
    Ok(shown(&reply, text, last, request.lines.is_some()))
}

/// Reads a file. Of a long one only the first lines are read: what is not shown does not count as read.
fn file(target: &CallTarget<'_>, request: ReadRequest) -> Result<ToolReply, CallRefusal> {
    let part = |lines| target.ask(|it| it.read(&ReadRequest { lines, ..request.clone() }));
    let first = part(Some((1, 1)))?;
    if first.text.is_none() {
        let words = format!("{} is not text: {} bytes, version {}", first.path, first.size, first.version.0);
        return Ok(ToolReply::done(words, &facts(&first, first.lines)));
    }
    if first.size <= TEXT {
        let whole = part(None)?;
        return Ok(shown(&whole, whole.text.as_deref().unwrap_or_default(), whole.lines, false));
    }
    let step = (first.lines.saturating_mul(TEXT / 8) / first.size).max(1);
    let mut text = String::new();
    let mut last = 0;
    while last < first.lines && (text.len() as u64) < TEXT {
        let more = part(Some((last + 1, last + step)))?;
        let lines = more.text.unwrap_or_default();
        if more.version != first.version || lines.is_empty() {
            break;
        }
        last = (last + step).min(first.lines);
        text.push_str(&lines);
    }
    Ok(shown(&first, &text, last, true))
}

/// Returns the lines of a text, each with its line break, as the daemon counts them.
fn lines_of<'t>(reply: &ReadReply, text: &'t str) -> impl Iterator<Item = &'t str> {
    text.split_inclusive(if reply.line_ending == "cr" { '\r' } else { '\n' })
}

/// Returns the reply with the lines up to `last`.
fn shown(reply: &ReadReply, text: &str, last: u64, numbered: bool) -> ToolReply {
    let mut words = String::new();
    if numbered {
        let lines = lines_of(reply, text).zip(reply.first_line..);
        lines.for_each(|(line, number)| words.push_str(&format!("{number}\t{line}")));
    } else {
        words.push_str(text);
    }
    if reply.lines == 0 {
        words.push_str("(the file is empty)");
    } else if last < reply.lines && reply.symbol.is_none() {
        let end = if words.ends_with('\n') { "" } else { "\n" };
        words.push_str(&format!("{end}(lines {}-{last} of {})", reply.first_line, reply.lines));
    }
    ToolReply::done(words, &facts(reply, last))
}

/// Returns the facts about what was read; the text is in the reply once.
fn facts(reply: &ReadReply, last: u64) -> Value {
    json!({
        "path": reply.path,
        "version": reply.version,
        "lines": [reply.first_line, last],
        "of": reply.lines,
        "encoding": reply.encoding,
        "line_ending": reply.line_ending,
    })
}
