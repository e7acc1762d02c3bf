//! The tool `edit`: a flat list of edits over any number of files, which are applied together or not at all.
//!
//! All edits of a path form one entry of the job: they refer to the file as it was read, in any order.

use editd_proto::FilePath;
use editd_proto::message::{
    EditPosition, EditScope, FileEdit, FileEntry, JobMode, JobRequest, JobStatus, OnStale,
};
use serde_json::{Map, Value, json};

use super::{CallResult, ToolAction, ToolCall, ToolEntry, blank, numbers};
use crate::arguments::Arguments;
use crate::checked::CheckedJob;
use crate::context::{CallRefusal, CallTarget, new_key};
use crate::reply::ToolReply;

/// The tool.
pub(crate) const EDIT: ToolEntry = ToolEntry {
    name: "edit",
    description: "Edit files, all or nothing. Each edit: old+new replaces quoted text; lines+new or symbol+new replaces \
                  those; insert puts new before/after old, lines or symbol; content writes a whole file. Line numbers \
                  are those you read.",
    schema,
    looks: false,
    action: ToolAction::Run(call),
};

/// The fields of an edit.
const FIELDS: [&str; 11] =
    ["path", "old", "new", "all", "lines", "symbol", "part", "insert", "content", "delete", "rename_to"];

fn schema() -> Value {
    let text = || json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": {
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "path": text(),
                        "old": { "type": "string", "description": "exact, unique unless all" },
                        "new": text(),
                        "all": { "type": "boolean" },
                        "lines": { "type": "string", "description": "\"10-40\"; with old: search only there" },
                        "symbol": { "type": "string", "description": "Class/method" },
                        "part": { "type": "string", "enum": ["whole", "body"], "description": "of symbol" },
                        "insert": { "type": "string", "enum": ["before", "after", "start", "end"] },
                        "content": text(),
                        "delete": { "type": "boolean", "description": "the file, lines or symbol" },
                        "rename_to": text()
                    },
                    "required": ["path"]
                }
            },
            "why": text(),
            "check_only": { "type": "boolean", "description": "write nothing; returns a token" },
            "token": { "type": "string", "description": "alone: apply exactly what was checked" }
        }
    })
}

fn call(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let known = ["edits", "why", "check_only", "token"];
    let mut given = Arguments::new("", given, &known)?.without_blank(&["why", "token"]);
    let mut job = JobRequest {
        key: Some(new_key()),
        label: given.text("why")?,
        on_stale: Some(OnStale::Rebase),
        verified: given.text("token")?,
        ..JobRequest::default()
    };
    if given.flag("check_only")? {
        job.mode = JobMode::VerifyOnly;
    }
    let edits = given.list("edits");
    let checked = job.verified.as_deref().and_then(|token| call.context.checked.with(token));
    let target = match (edits.is_empty(), &job.verified) {
        (false, _) => with_edits(call, &mut job, edits)?,
        (true, Some(_)) => match &checked {
            Some(checked) => {
                job.files.clone_from(&checked.job.files);
                job.label = job.label.or_else(|| checked.job.label.clone());
                call.context.target(checked.workspace.clone())
            }
            None => {
                let words = "is unknown to this server: send the same edits with it, or check them again";
                return Err(given.wrong("token", words));
            }
        },
        (true, None) => return Err(given.wrong("edits", "needs at least one edit")),
    };
    if checked.as_ref().is_some_and(|checked| checked.job.files != job.files) {
        return Err(given.wrong("token", "is that of other edits: send it alone, or check these edits"));
    }
    if let Some(applied) = checked.and_then(|checked| checked.applied) {
        // The reply to the first call may have been lost.
        let words = format!("these edits were applied already, as job {applied}; nothing was changed now");
        return Ok(ToolReply::done(words, &json!({ "job": applied })).in_root(target.other_root()));
    }
    let root = target.workspace().root();
    call.context.refused.numbers.check(root, &job).map_err(CallRefusal)?;
    let answer = target.ask_edit(&mut job)?;
    call.context.refused.numbers.note(root, &job, &answer);
    let receipt = call.receipt(&target, answer);
    if let Some(token) = receipt.verified.clone() {
        let (workspace, job) = (target.workspace().clone(), job.clone());
        call.context.checked.put(CheckedJob { token, workspace, job, applied: None });
    }
    if let (Some(token), Some(number), JobStatus::Applied) = (&job.verified, receipt.job, receipt.status) {
        call.context.checked.applied(token, number);
    }
    let mut reply = ToolReply::receipt(&receipt, &call.style());
    for file in receipt.files.iter().filter(|file| !receipt.rebased && numbers::stay(&job, file)) {
        reply.text.push_str(&numbers::read_result(&target, file));
    }
    Ok(reply.in_root(target.other_root()))
}

/// Adds the edits of a call to a job. Returns the workspace of their paths.
fn with_edits<'c>(
    call: &ToolCall<'c>,
    job: &mut JobRequest,
    mut edits: Vec<Value>,
) -> Result<CallTarget<'c>, CallRefusal> {
    edits.iter_mut().filter_map(Value::as_object_mut).for_each(blank::leave_out);
    let first = edits.first().and_then(|edit| edit.get("path")?.as_str());
    let target = call.context.workspace_of(first);
    let is_written = |edit: &&Value| edit.get("content").is_some_and(Value::is_string);
    let written = edits.iter().filter(is_written).filter_map(|edit| edit.get("path")?.as_str());
    let written: Vec<String> = written.map(str::to_owned).collect();
    for (number, edit) in edits.into_iter().enumerate() {
        let place = format!("edits[{number}]");
        let Value::Object(fields) = edit else {
            return Err(CallRefusal::malformed(format!("{place} must be an object")));
        };
        let (path, edits) =
            one(&target, Arguments::with_unlisted(place, fields, &FIELDS, &["near"])?, &written)?;
        match job.files.iter_mut().find(|file| file.path == path) {
            Some(file) => file.edits.extend(edits),
            None => job.files.push(FileEntry { path, edits, ..FileEntry::default() }),
        }
    }
    job.files.iter_mut().for_each(|file| with_insertions(&mut file.edits));
    Ok(target)
}

/// Moves the lines that are inserted at the start and at the end of a file into the text, if another edit writes the whole
/// file.
fn with_insertions(edits: &mut Vec<FileEdit>) {
    let Some(at) = edits.iter().position(|edit| edit.op == "write") else { return };
    let (mut before, mut behind) = (String::new(), String::new());
    let line_end = |text: &str| match text {
        _ if text.is_empty() || text.ends_with('\n') => "",
        _ if text.contains("\r\n") => "\r\n",
        _ => "\n",
    };
    let add = |text: &mut String, more: &str| {
        text.push_str(line_end(text));
        text.push_str(more);
        text.push_str(line_end(more));
    };
    let mut written = edits.remove(at);
    edits.retain(|edit| {
        let to = match edit.at {
            Some(EditPosition::Start) => &mut before,
            Some(EditPosition::End) => &mut behind,
            _ => return true,
        };
        add(to, edit.text.as_deref().unwrap_or_default());
        false
    });
    if let Some(text) = &mut written.text {
        text.insert_str(0, &before);
        if !behind.is_empty() {
            add(text, &behind);
        }
    }
    edits.insert(at.min(edits.len()), written);
}

/// Returns the path of an edit, and what the daemon has to do. An edit of the call writes each file of `written` as a whole.
fn one(
    workspace: &CallTarget<'_>,
    mut given: Arguments,
    written: &[String],
) -> Result<(FilePath, Vec<FileEdit>), CallRefusal> {
    let (path, content) = (given.required("path")?, given.text("content")?);
    let is_written = written.contains(&path);
    let base = if is_written { workspace.base_of_written(&path) } else { workspace.base_of(&path) };
    let path = workspace.name_in(base, &path)?;
    let target = EditTarget {
        old: given.text("old")?,
        lines: given.lines("lines")?,
        symbol: given.text("symbol")?,
        body: part(&mut given)?,
        all: given.flag("all")?,
        near: given.number("near")?,
    };
    if target.symbol.is_some() && target.lines.is_some() {
        return Err(given.wrong("lines", "cannot be combined with symbol"));
    }
    if target.body && (target.symbol.is_none() || target.old.is_some()) {
        return Err(given.wrong("part", "is the part of a symbol that new replaces"));
    }
    if target.all && target.old.is_none() {
        return Err(given.wrong("all", "needs old"));
    }
    let new = given.text("new")?;
    let (insert, delete) = (given.text("insert")?, given.flag("delete")?);
    if target.all && insert.is_some() {
        return Err(given.wrong("all", "cannot be combined with insert: quote one place"));
    }
    if target.body && (delete || insert.is_some()) {
        return Err(
            given.wrong("part", "is the part of a symbol that new replaces: leave out insert and delete")
        );
    }
    let to = given.text("rename_to")?.map(|to| workspace.name_in(base, &to)).transpose()?;
    let rename = to.map(|to| FileEdit { op: "rename".into(), to: Some(to), ..FileEdit::default() });
    let edit = match (content, insert, delete, new) {
        (Some(text), None, false, None) if target.is_file() => {
            let (op, eol) = ("write".into(), Some("file".into()));
            Some(FileEdit { op, text: Some(text), eol, ..FileEdit::default() })
        }
        (Some(_), ..) => return Err(given.wrong("content", "is the whole file: leave out the other fields")),
        (None, Some(place), false, Some(text)) => Some(target.insertion(&given, &place, text)?),
        (None, Some(_), ..) => return Err(given.wrong("new", "is missing: it is the text to insert")),
        (None, None, true, None) => Some(target.deletion()),
        (None, None, true, Some(_)) => return Err(given.wrong("new", "cannot be combined with delete")),
        (None, None, false, Some(text)) => Some(target.replacement(&given, text)?),
        (None, None, false, None) if rename.is_some() && target.is_file() => None,
        (None, None, false, None) => {
            return Err(given.wrong("new", "is missing; or give content, delete or rename_to"));
        }
    };
    Ok((path, edit.into_iter().chain(rename).collect()))
}

fn part(given: &mut Arguments) -> Result<bool, CallRefusal> {
    match given.text("part")?.as_deref() {
        None | Some("whole") => Ok(false),
        Some("body") => Ok(true),
        Some(_) => Err(given.wrong("part", "must be whole or body")),
    }
}

/// The part of a file that an edit is about.
struct EditTarget {
    old: Option<String>,
    lines: Option<(u64, u64)>,
    symbol: Option<String>,
    body: bool,
    all: bool,
    near: Option<u64>,
}

impl EditTarget {
    fn is_file(&self) -> bool {
        self.old.is_none() && self.lines.is_none() && self.symbol.is_none()
    }

    /// Returns the limits of a search for `old`.
    fn within(self) -> Option<EditScope> {
        self.symbol.map(EditScope::Symbol).or(self.lines.map(EditScope::Lines))
    }

    fn replacement(self, given: &Arguments, new: String) -> Result<FileEdit, CallRefusal> {
        let all = self.all.then_some(true);
        match (&self.old, &self.symbol, self.lines) {
            (Some(_), ..) => Ok(FileEdit {
                op: "replace".into(),
                old: self.old.clone(),
                new: Some(new),
                all,
                near: self.near,
                within: self.within(),
                ..FileEdit::default()
            }),
            (None, Some(_), _) => {
                let action = if self.body { "replace_body" } else { "replace" };
                Ok(symbol(self.symbol, action, Some(new)))
            }
            (None, None, Some((start, end))) => Ok(lines(start, end, new)),
            (None, None, None) => {
                Err(given
                    .wrong("old", "is missing: quote the text to replace, or give lines, symbol or content"))
            }
        }
    }

    fn deletion(self) -> FileEdit {
        match (&self.old, &self.symbol, self.lines) {
            (Some(_), ..) => FileEdit {
                op: "replace".into(),
                old: self.old.clone(),
                new: Some(String::new()),
                all: self.all.then_some(true),
                near: self.near,
                within: self.within(),
                ..FileEdit::default()
            },
            (None, Some(_), _) => symbol(self.symbol, "delete", None),
            (None, None, Some((start, end))) => lines(start, end, String::new()),
            (None, None, None) => FileEdit { op: "delete".into(), ..FileEdit::default() },
        }
    }

    fn insertion(self, given: &Arguments, place: &str, text: String) -> Result<FileEdit, CallRefusal> {
        let after = match place {
            "before" | "start" => false,
            "after" | "end" => true,
            _ => return Err(given.wrong("insert", "must be before, after, start or end")),
        };
        if !self.is_file() && matches!(place, "start" | "end") {
            return Err(given.wrong(
                "insert",
                "must be before or after with old, lines or symbol; start and end are of the file",
            ));
        }
        if self.is_file() {
            let at = match place {
                "start" => EditPosition::Start,
                "end" => EditPosition::End,
                _ => return Err(given.wrong("old", "is missing: insert needs old, lines or symbol")),
            };
            let (op, at, text) = ("insert".into(), Some(at), Some(text));
            return Ok(FileEdit { op, at, text, whole_lines: Some(true), ..FileEdit::default() });
        }
        match (self.old, self.symbol, self.lines) {
            (Some(_), Some(_), _) => Err(given.wrong("symbol", "cannot be combined with insert and old")),
            (Some(_), None, Some(_)) => Err(given.wrong(
                "lines",
                "cannot be combined with insert and old: quote more lines in old, or leave old out",
            )),
            (Some(anchor), None, None) => {
                let at = if after { EditPosition::After(anchor) } else { EditPosition::Before(anchor) };
                let (op, at, text) = ("insert".into(), Some(at), Some(text));
                Ok(FileEdit { op, at, text, near: self.near, own_line: Some(true), ..FileEdit::default() })
            }
            (None, name @ Some(_), _) => {
                Ok(symbol(name, if after { "insert_after" } else { "insert_before" }, Some(text)))
            }
            (None, None, range) => {
                let (first, last) = range.unwrap_or_default();
                if after {
                    return Ok(lines(last.saturating_add(1), last, text));
                }
                // The engine puts this behind an insertion after the line above.
                let (op, at, text) = ("insert".into(), Some(EditPosition::Line(first)), Some(text));
                Ok(FileEdit { op, at, text, ..FileEdit::default() })
            }
        }
    }
}

fn lines(start: u64, end: u64, text: String) -> FileEdit {
    FileEdit {
        op: "lines".into(),
        start: Some(start),
        end: Some(end),
        text: Some(text),
        ..FileEdit::default()
    }
}

fn symbol(name: Option<String>, action: &str, text: Option<String>) -> FileEdit {
    FileEdit { op: "symbol".into(), name, action: Some(action.into()), text, ..FileEdit::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_after_a_line_and_before_the_next_one_differ() {
        let given = Arguments::new("", Map::new(), &[]).ok();
        let at = |numbers, place| {
            let (old, symbol, lines) = (None, None, Some(numbers));
            let target = EditTarget { old, lines, symbol, body: false, all: false, near: None };
            target.insertion(given.as_ref()?, place, "x".to_owned()).ok()
        };
        assert_eq!(at((1, 2), "after"), Some(lines(3, 2, "x".to_owned())));
        let before = at((3, 4), "before").and_then(|edit| edit.at);
        assert_eq!(before, Some(EditPosition::Line(3)));
    }
}
