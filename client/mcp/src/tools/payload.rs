//! Sends the call of a tool to the daemon as a payload. The dialect of the tool set defines the effect of the call and the
//! words of the reply; only the paths are replaced here, since they may belong to any root.

use editd_proto::message::{JobRequest, OnStale, Payload};
use serde_json::{Map, Value, json};

use super::{CallResult, ToolCall};
use crate::context::{CallRefusal, CallTarget, PathBase, new_key};
use crate::reply::ToolReply;

/// A field that names a file.
pub(crate) struct PathField {
    /// The name in the schema, and others that are accepted.
    pub(crate) names: &'static [&'static str],
    /// Set if a file is moved to the path: a relative one then begins where that of the file does.
    pub(crate) is_destination: bool,
}

impl PathField {
    /// Returns the name under which the field is given, and the path.
    fn of(&self, given: &Map<String, Value>) -> Result<(&'static str, String), CallRefusal> {
        let there = |name: &&str| given.get(*name).is_some_and(|value| !value.is_null());
        let first = self.names.first().copied().unwrap_or_default();
        let name = self.names.iter().copied().find(there).unwrap_or(first);
        match given.get(name) {
            None | Some(Value::Null) => Err(CallRefusal::malformed(format!("{name} is missing"))),
            Some(Value::String(path)) => Ok((name, path.clone())),
            Some(_) => Err(CallRefusal::malformed(format!("{name} must be a text"))),
        }
    }
}

/// Carries out a call.
pub(crate) fn call(
    call: &ToolCall<'_>,
    paths: &[PathField],
    mut given: Map<String, Value>,
    with_diff: bool,
) -> CallResult {
    let named = paths.iter().map(|field| field.of(&given)).collect::<Result<Vec<_>, _>>()?;
    let target = call.context.workspace_of(named.first().map(|(_, path)| path.as_str()));
    let mut base = PathBase::Current;
    for (field, (name, path)) in paths.iter().zip(named) {
        if !field.is_destination {
            base = target.base_of(&path);
        }
        given.insert(name.to_owned(), target.name_in(base, &path)?.to_string().into());
    }
    let text = json!({ "name": call.tool.name, "arguments": given }).to_string();
    send(call, &target, text, with_diff)
}

/// Sends a payload with a key.
pub(crate) fn send(
    call: &ToolCall<'_>,
    target: &CallTarget<'_>,
    text: String,
    with_diff: bool,
) -> CallResult {
    let dialect = Some(call.set.dialect.to_owned());
    let mut job = JobRequest {
        key: Some(new_key()),
        on_stale: Some(OnStale::Rebase),
        diff: with_diff.then_some(true),
        payload: Some(Payload { dialect, text, path: None, base: None }),
        ..JobRequest::default()
    };
    let receipt = call.receipt(target, target.ask_edit(&mut job)?);
    Ok(ToolReply::payload(&receipt, &call.style(), with_diff))
}
