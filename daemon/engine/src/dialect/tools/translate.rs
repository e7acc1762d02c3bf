//! From the arguments of a tool to native file entries. It never looks at a file.

use std::borrow::Cow;

use editd_types::{FileEdit, FileEntry, FilePath, JobMode, RequestError};
use serde_json::{Map, Value};

use super::arguments::Arguments;
use super::reply::{EditSummary, ToolReply};
use super::table::{FieldMeaning, Tool, ToolAction, ToolDialect};
use crate::Refusal;
use crate::dialect::entries::{edit, fill};
use crate::dialect::{
    Dialect, PayloadContext, PayloadJob, PayloadRequest, PayloadSample, Translation, call, json,
};
use crate::refusal::malformed;

impl Dialect for ToolDialect {
    fn name(&self) -> &'static str {
        self.name
    }

    fn sentence(&self) -> &'static str {
        self.sentence
    }

    fn recognises(&self, payload: &PayloadSample<'_>) -> bool {
        matches!(payload, PayloadSample::Json(fields) if self.owns(fields))
    }

    fn reads_calls(&self) -> bool {
        true
    }

    fn translate(&self, payload: &str, setting: &PayloadContext<'_>) -> Result<Translation, Refusal> {
        let call = call::opened(payload);
        let value = json::value(call.as_ref().map_or(payload, |call| &call.arguments))?;
        let Some(fields) = value.as_object() else {
            return Err(malformed(
                "the payload is no JSON object; send the arguments of the tool as one object",
            ));
        };
        let tool = self.tool(call.as_ref().map(|call| call.tool.as_str()), fields)?;
        let fields = with_lists(fields, tool);
        let arguments = Arguments::read(tool.fields, &fields, tool.name())?;
        let path = setting.path_or(arguments.text(FieldMeaning::Path)?)?;
        let mut edits = edits(tool, &arguments, setting)?;
        for edit in edits.iter_mut().filter(|edit| edit.op == "replace" && self.removes_lines) {
            edit.own_line = edit.new.as_deref().is_some_and(str::is_empty).then_some(true);
        }
        let verify = arguments.flag(FieldMeaning::DryRun)?;
        let steps = edits.iter().map(EditSummary::of).collect();
        let reply = Box::new(ToolReply { phrases: self.phrases, path: path.to_string(), steps });
        let request = PayloadRequest::Job(PayloadJob {
            files: stages(&path, edits),
            mode: verify.then_some(JobMode::VerifyOnly),
            diff: verify.then_some(true),
            ..PayloadJob::default()
        });
        Ok(Translation { dialect: self.name, request, reply })
    }

    fn format_refusal(&self, error: &RequestError) -> String {
        format!("Invalid call: {}", error.message)
    }
}

/// Returns the fields of a call. A list of edits that a model has written as a text is read.
fn with_lists<'f>(fields: &'f Map<String, Value>, tool: &Tool) -> Cow<'f, Map<String, Value>> {
    let mut read = Cow::Borrowed(fields);
    let lists = tool.fields.iter().filter(|field| field.meaning == FieldMeaning::Edits);
    for name in lists.flat_map(|field| field.names) {
        let list = fields.get(*name).and_then(Value::as_str).and_then(|text| json::value(text).ok());
        if let Some(list) = list.filter(Value::is_array) {
            read.to_mut().insert((*name).to_owned(), list);
        }
    }
    read
}

/// Returns one file entry for each edit, so that each edit is located in the result of the edit before it.
fn stages(path: &FilePath, edits: Vec<FileEdit>) -> Vec<FileEntry> {
    let entry = |edit| FileEntry { path: path.clone(), edits: vec![edit], ..FileEntry::default() };
    edits.into_iter().map(entry).collect()
}

/// Returns the native edits for the arguments of a tool, in their order.
fn edits(
    tool: &'static Tool,
    given: &Arguments<'_>,
    setting: &PayloadContext<'_>,
) -> Result<Vec<FileEdit>, Refusal> {
    if tool.does == ToolAction::ReplaceInTurn {
        let (list, items) = given.items(FieldMeaning::Edits)?;
        return json::each(list, items, |item| replace(&Arguments::read(tool.items, item, "an edit")?));
    }
    let text = |meaning| given.needed(meaning).map(|text| Some(text.to_owned()));
    let one = match tool.does {
        ToolAction::Replace | ToolAction::ReplaceInTurn => replace(given)?,
        // Models write `\n` whatever the file has.
        ToolAction::Write => {
            FileEdit { text: text(FieldMeaning::Content)?, eol: Some("file".to_owned()), ..edit("write") }
        }
        ToolAction::Move => {
            FileEdit { to: Some(setting.inside(given.needed(FieldMeaning::Target)?)?), ..edit("rename") }
        }
        ToolAction::Symbol(action) => FileEdit {
            name: text(FieldMeaning::Symbol)?,
            action: Some(action.to_owned()),
            text: text(FieldMeaning::Content)?,
            ..edit("symbol")
        },
        ToolAction::Pattern => pattern(given)?,
        ToolAction::Regex => substitute(given, given.needed(FieldMeaning::Template)?.to_owned())?,
        ToolAction::DeleteLines => lines(given, String::new())?,
        ToolAction::ReplaceLines => lines(given, closed(given.needed(FieldMeaning::Content)?))?,
        ToolAction::InsertLines => {
            let line = given.line(FieldMeaning::Line)?;
            let text = closed(given.needed(FieldMeaning::Content)?);
            FileEdit { start: Some(line), end: line.checked_sub(1), text: Some(text), ..edit("lines") }
        }
    };
    Ok(vec![one])
}

fn replace(given: &Arguments<'_>) -> Result<FileEdit, Refusal> {
    let (old, new) = (given.needed(FieldMeaning::Old)?, given.needed(FieldMeaning::New)?);
    let count = given.number(FieldMeaning::Count)?;
    if count == Some(0) {
        return Err(malformed("the expected number of occurrences is 0; give at least 1"));
    }
    if old.is_empty() {
        return Ok(fill(new));
    }
    let several = count.filter(|count| *count > 1);
    let all = given.flag(FieldMeaning::All)? || several.is_some();
    Ok(FileEdit {
        old: Some(old.to_owned()),
        new: Some(new.to_owned()),
        all: all.then_some(true),
        expect: several,
        ..edit("replace")
    })
}

/// Returns an edit of a text or a regular expression, which must occur once unless several places are permitted.
fn pattern(given: &Arguments<'_>) -> Result<FileEdit, Refusal> {
    let (needle, template) = (given.needed(FieldMeaning::Pattern)?, given.needed(FieldMeaning::Template)?);
    match given.text(FieldMeaning::PatternMode)? {
        None | Some("literal") if needle.is_empty() => {
            Err(malformed("the text to look for is empty; give the text to replace"))
        }
        None | Some("literal") => Ok(FileEdit {
            old: Some(needle.to_owned()),
            new: Some(template.to_owned()),
            all: given.flag(FieldMeaning::All)?.then_some(true),
            ..edit("replace")
        }),
        Some("regex") => substitute(given, native_template(template)),
        Some(other) => {
            let other: String = other.chars().take(40).collect();
            Err(malformed(format!("`mode` is {other:?}; it must be \"literal\" or \"regex\"")))
        }
    }
}

fn substitute(given: &Arguments<'_>, replacement: String) -> Result<FileEdit, Refusal> {
    let several = given.flag(FieldMeaning::All)?;
    Ok(FileEdit {
        pattern: Some(given.needed(FieldMeaning::Pattern)?.to_owned()),
        replacement: Some(replacement),
        regex: Some(true),
        // `.` matches line breaks; `^` and `$` match at each line.
        flags: Some(if several { "ms" } else { "ms1" }.to_owned()),
        ..edit("substitute")
    })
}

/// Returns a native template for one in which `$!1` is a group and all other text is literal.
fn native_template(template: &str) -> String {
    let mut native = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((text, group)) = rest.split_once("$!") {
        native.push_str(&text.replace('\\', "\\\\"));
        let digits = group.len() - group.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let (number, behind) = group.split_at_checked(digits).unwrap_or(("", group));
        if number.is_empty() {
            native.push_str("$!");
        } else {
            native.extend(["\\g<", number, ">"]);
        }
        rest = behind;
    }
    native + &rest.replace('\\', "\\\\")
}

fn lines(given: &Arguments<'_>, text: String) -> Result<FileEdit, Refusal> {
    let (start, end) = (given.line(FieldMeaning::FirstLine)?, given.line(FieldMeaning::LastLine)?);
    if end < start {
        return Err(malformed("the last line lies before the first; correct them"));
    }
    Ok(FileEdit { start: Some(start), end: Some(end), text: Some(text), ..edit("lines") })
}

/// Returns a text that ends in a line break.
fn closed(text: &str) -> String {
    if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}
