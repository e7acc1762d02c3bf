//! The call of a tool, as the payload of a hook describes it. Pure: it reads no file.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use crate::limits::{FILES, LABEL, NAME, SHOWN_LINES};
use crate::patch;
use crate::payload;
use crate::search::{self, ShownPassage};

/// The moment at which a hook runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HookMoment {
    /// Before the call.
    Before,
    /// After the call.
    After,
    /// After a call that failed.
    Failed,
}

/// The effect of a tool on files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ToolEffect {
    /// It shows lines of files.
    Shows(Vec<ShownPassage>),
    /// It changes these files.
    Changes(Vec<String>),
    /// It may change every file.
    ChangesAnything,
    /// None that matters here.
    Nothing,
}

/// The call of a tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ToolCall {
    /// The moment.
    pub(crate) moment: HookMoment,
    /// The name of the event, for the answer.
    pub(crate) event: String,
    /// The session of the agent that makes the call.
    pub(crate) session: String,
    /// The name of the call, the same before and after it.
    pub(crate) name: String,
    /// The label of its changes.
    pub(crate) label: String,
    /// The effect.
    pub(crate) effect: ToolEffect,
    /// The files that the call changes, if they are too many to be named and checked.
    pub(crate) unchecked: Option<usize>,
    /// The folder in which the call is made.
    pub(crate) folder: Option<String>,
    /// The folders of the project, the most important first.
    pub(crate) roots: Vec<String>,
}

/// The tools, by the names in the payloads of hooks, with the effect of each.
const TOOLS: &[(&[&str], ToolKind)] = &[
    (&["Read", "read", "read_file", "NotebookRead"], ToolKind::Read),
    (&["Grep", "grep", "grep_search", "search_file_content"], ToolKind::Search),
    (
        &[
            "Edit",
            "Write",
            "MultiEdit",
            "NotebookEdit",
            "StrReplace",
            "Delete",
            "edit",
            "write",
            "multiedit",
            "replace",
            "write_file",
            "create_file",
            "replace_string_in_file",
            "multi_replace_string_in_file",
            "insert_edit_into_file",
            "edit_notebook_file",
        ],
        ToolKind::Edit,
    ),
    (&["apply_patch", "patch"], ToolKind::Patch),
    (
        &[
            "Bash",
            "bash",
            "PowerShell",
            "Shell",
            "shell",
            "shell_command",
            "exec_command",
            "local_shell",
            "run_shell_command",
            "run_in_terminal",
        ],
        ToolKind::Shell,
    ),
];

/// The fields that have a path.
const PATHS: &[&str] = &["file_path", "filePath", "notebook_path", "absolute_path", "path"];

#[derive(Clone, Copy)]
enum ToolKind {
    Read,
    Search,
    Edit,
    Patch,
    Shell,
}

impl ToolCall {
    /// Reads a payload. `None` if the event is not about a call of a tool.
    ///
    /// # Errors
    /// A message for people: the payload lacks a field.
    pub(crate) fn of(payload: &Value) -> Result<Option<Self>, String> {
        let event = text(payload, &["hook_event_name", "hookEventName"]).unwrap_or_default();
        let moment = match event {
            "PreToolUse" | "preToolUse" | "BeforeTool" => HookMoment::Before,
            "PostToolUse" | "postToolUse" | "AfterTool" => HookMoment::After,
            "PostToolUseFailure" | "postToolUseFailure" => HookMoment::Failed,
            "" => return Err("the payload has no `hook_event_name`".to_owned()),
            _ => return Ok(None),
        };
        let tool = text(payload, &["tool_name"]).ok_or("the payload has no `tool_name`")?;
        let session = text(payload, &["session_id", "sessionId", "conversation_id"]);
        let session = name(session.ok_or("the payload has no `session_id`")?);
        // A subagent has read other files than the agent that started it.
        let session = match text(payload, &["agent_id"]) {
            Some(agent) => format!("{session}/{}", name(agent)),
            None => session,
        };
        let input = object(payload.get("tool_input"));
        // Cursor writes the result as a text of JSON.
        let output = payload.get("tool_output").map(|output| match object(Some(output)) {
            written @ Value::Object(_) => written,
            _ => output.clone(),
        });
        let response = payload.get("tool_response").or(output.as_ref());
        let failed =
            response.and_then(|response| response.get("error")).is_some_and(|error| !error.is_null());
        let moment = if failed && moment == HookMoment::After { HookMoment::Failed } else { moment };
        let list = payload.get("workspace_roots").and_then(Value::as_array);
        let changed = changed(tool, &input).len();
        Ok(Some(Self {
            moment,
            event: event.to_owned(),
            session,
            name: call_name(payload, tool, &input),
            label: label(tool, &input),
            effect: effect(tool, &input, response.unwrap_or(&Value::Null)),
            unchecked: Some(changed).filter(|count| *count > FILES),
            folder: text(payload, &["cwd"]).map(str::to_owned),
            roots: list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
        }))
    }
}

/// Returns the first of some fields that is a text and not empty.
fn text<'v>(object: &'v Value, fields: &[&str]) -> Option<&'v str> {
    let mut found = fields.iter().filter_map(|field| object.get(*field)?.as_str());
    found.find(|text| !text.is_empty())
}

/// Returns an object, also one that is written as text.
fn object(value: Option<&Value>) -> Value {
    match value {
        Some(Value::String(text)) => payload::parse(text.as_bytes()).unwrap_or(Value::Null),
        Some(other) => other.clone(),
        None => Value::Null,
    }
}

/// Returns a text that can be a part of a name: short, and without control characters.
fn name(text: &str) -> String {
    short(text, NAME)
}

/// Returns the start of a text without its control characters.
fn short(text: &str, bytes: usize) -> String {
    let mut out = String::new();
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        if out.len() + letter.len_utf8() > bytes {
            break;
        }
        out.push(letter);
    }
    out
}

/// Returns the name of a call: its number, or a hash of the call if the runtime gives it none.
fn call_name(payload: &Value, tool: &str, input: &Value) -> String {
    if let Some(id) = text(payload, &["tool_use_id"]) {
        return name(id);
    }
    let mut hasher = DefaultHasher::new();
    (tool, input.to_string()).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Returns the label: the tool, and for a command its description or its first line.
fn label(tool: &str, input: &Value) -> String {
    let command = match kind(tool) {
        Some(ToolKind::Shell) => text(input, &["description", "command"]).unwrap_or_default(),
        _ => "",
    };
    let line = command.trim().lines().next().unwrap_or_default();
    let words = if line.is_empty() { tool.to_owned() } else { format!("{tool}: {line}") };
    short(&words, LABEL)
}

fn kind(tool: &str) -> Option<ToolKind> {
    TOOLS.iter().find(|(names, _)| names.contains(&tool)).map(|(_, kind)| *kind)
}

fn effect(tool: &str, input: &Value, response: &Value) -> ToolEffect {
    match kind(tool) {
        None => ToolEffect::Nothing,
        Some(ToolKind::Shell) => ToolEffect::ChangesAnything,
        Some(ToolKind::Edit | ToolKind::Patch) => {
            let paths = changed(tool, input);
            match paths.len() {
                0 => ToolEffect::Nothing,
                count if count > FILES => ToolEffect::ChangesAnything,
                _ => ToolEffect::Changes(paths.into_iter().collect()),
            }
        }
        Some(ToolKind::Read) => ToolEffect::Shows(read(input, response).into_iter().collect()),
        Some(ToolKind::Search) => ToolEffect::Shows(search::passages(input, response)),
    }
}

/// Returns the paths of the files that a call changes, each once.
fn changed(tool: &str, input: &Value) -> BTreeSet<String> {
    match kind(tool) {
        Some(ToolKind::Edit) => paths(input).into_iter().collect(),
        Some(ToolKind::Patch) => {
            let patch = text(input, &["command", "input", "patch", "patchText"]).unwrap_or_default();
            patch::paths(patch).into_iter().collect()
        }
        _ => BTreeSet::new(),
    }
}

/// Returns the paths that an edit names, for itself or for each of its parts.
fn paths(input: &Value) -> Vec<String> {
    let parts = ["replacements", "edits"].iter().filter_map(|field| input.get(*field)?.as_array()).flatten();
    let all = std::iter::once(input).chain(parts);
    all.filter_map(|one| text(one, PATHS)).map(str::to_owned).collect()
}

/// Returns the lines that a call has shown: as its result says, else as it asked for. `None` if they are unknown.
fn read(input: &Value, response: &Value) -> Option<ShownPassage> {
    let path = text(input, PATHS)?.to_owned();
    let passage = |first: u64, count: u64| {
        let first = first.max(1);
        let lines = (first, first.saturating_add(count).saturating_sub(1));
        (count > 0).then_some(ShownPassage { path: path.clone(), lines, else_line: None })
    };
    let file = response.get("file").unwrap_or(&Value::Null);
    if let Some((first, count)) = number(file, &["startLine"]).zip(number(file, &["numLines"])) {
        // The daemon takes the first line of an empty file for the whole of it.
        let is_empty = count == 0 && number(file, &["totalLines"]) == Some(0);
        return if is_empty { passage(1, 1) } else { passage(first, count) };
    }
    // Some runtimes count a negative number from the end of the file.
    let starts = ["startLine", "start_line", "offset"];
    if starts.iter().any(|field| input.get(*field).and_then(Value::as_f64).is_some_and(|at| at < 0.0)) {
        return None;
    }
    if let Some(first) = number(input, &["startLine", "start_line"]) {
        let last = number(input, &["endLine", "end_line"]);
        return passage(first, last.map_or(SHOWN_LINES, |last| last.saturating_sub(first).saturating_add(1)));
    }
    let offset = number(input, &["offset"]).unwrap_or(0);
    let limit = number(input, &["limit"]).unwrap_or(SHOWN_LINES);
    match (offset, limit) {
        (0, _) => passage(1, limit),
        // Some count the first line as 1, some as 0: the lines that are shown either way count. If there is none, the line
        // counts that only the first have shown: it exists for both.
        (_, 1) => passage(offset, 1),
        _ => {
            let shown = passage(offset.saturating_add(1), limit.saturating_sub(1))?;
            Some(ShownPassage { else_line: Some(offset), ..shown })
        }
    }
}

/// Returns the first of some fields that is a number. One below 0 is 0.
fn number(object: &Value, fields: &[&str]) -> Option<u64> {
    fields.iter().find_map(|field| {
        let value = object.get(*field)?;
        value.as_u64().or_else(|| Some(value.as_f64()?.max(0.0) as u64))
    })
}
