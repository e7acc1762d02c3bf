//! Reads the call of a tool around a payload: `{"name": "Edit", "arguments": {…}}` and the other forms in which
//! providers and hosts write it. It knows no tool.

use serde_json::{Map, Value};

use super::json;

/// A payload with the name of the tool that it is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ToolCall {
    /// The tool, without the server or namespace in front of its name.
    pub(super) tool: String,
    /// The payload: JSON, or text if the call has its arguments as text.
    pub(super) arguments: String,
}

/// The fields that name the tool.
const NAMES: [&str; 4] = ["name", "tool", "tool_name", "toolName"];

/// The fields that hold its arguments.
const ARGUMENTS: [&str; 6] = ["arguments", "input", "parameters", "args", "tool_input", "toolArgs"];

/// The fields that a call may have beside them. They do not affect the edit.
const BESIDE: [&str; 9] =
    ["type", "id", "call_id", "tool_use_id", "status", "index", "jsonrpc", "method", "_meta"];

/// The fields that hold a call of this form themselves.
const AROUND: [&str; 2] = ["function", "params"];

/// Returns the call that a payload is; `None` if the payload has no call around it.
pub(super) fn opened(payload: &str) -> Option<ToolCall> {
    if !payload.trim_start().starts_with('{') {
        return None;
    }
    // A field that is there twice is refused by the dialect that reads the payload.
    let value = json::value(payload).ok()?;
    call_in(value.as_object()?)
}

fn call_in(fields: &Map<String, Value>) -> Option<ToolCall> {
    let only =
        |key: &String, others: &[&str]| BESIDE.contains(&key.as_str()) || others.contains(&key.as_str());
    if let Some(Value::Object(inner)) = AROUND.iter().find_map(|name| fields.get(*name)) {
        return fields.keys().all(|key| only(key, &AROUND)).then(|| call_in(inner)).flatten();
    }
    if !fields.keys().all(|key| only(key, &NAMES) || only(key, &ARGUMENTS)) {
        return None;
    }
    let tool = one_of(fields, &NAMES)?.as_str()?;
    let arguments = match one_of(fields, &ARGUMENTS)? {
        Value::Object(arguments) => serde_json::to_string(arguments).ok()?,
        Value::String(text) => text.clone(),
        _ => return None,
    };
    let tool = tool.rsplit(['.', ':', '/']).next()?.rsplit("__").next()?.to_owned();
    Some(ToolCall { tool, arguments })
}

/// Returns the value of the only one of these fields that is present.
fn one_of<'v>(fields: &'v Map<String, Value>, names: &[&str]) -> Option<&'v Value> {
    let mut there = names.iter().filter_map(|name| fields.get(*name));
    match (there.next(), there.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_calls_of_every_form_are_unwrapped() {
        let forms = [
            r#"{"name": "Edit", "arguments": {"a": 1}}"#,
            r#"{"tool": "Edit", "input": {"a": 1}}"#,
            r#"{"type": "tool_use", "id": "x", "name": "mcp__files__Edit", "input": {"a": 1}}"#,
            r#"{"id": "x", "type": "function", "function": {"name": "Edit", "arguments": "{\"a\":1}"}}"#,
            r#"{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "Edit", "arguments": {"a": 1}}}"#,
        ];
        for form in forms {
            let call = ToolCall { tool: "Edit".into(), arguments: r#"{"a":1}"#.into() };
            assert_eq!(opened(form), Some(call), "{form}");
        }
    }

    #[test]
    fn payloads_without_a_call_are_kept() {
        let payloads = [
            r#"{"path": "f", "patches": []}"#,
            r#"{"input": "*** Begin Patch"}"#,
            r#"{"name": "Edit", "tool": "Write", "arguments": {}}"#,
            r#"{"name": "Edit", "arguments": 3}"#,
            r#"{"name": "Edit", "arguments": {}, "path": "f"}"#,
            r#"{"name": "Edit", "arguments": {"a": 1, "a": 2}}"#,
            "*** Begin Patch",
            "{",
        ];
        for payload in payloads {
            assert_eq!(opened(payload), None, "{payload}");
        }
    }
}
