//! Sends the call of a tool to the daemon as a payload. The dialect of the tool set defines the effect of the call and the
//! words of the reply; only the paths are replaced here, since they may belong to any root.

use editd_proto::FilePath;
use editd_proto::message::{JobRequest, OnStale, Payload};
use serde_json::{Map, Value, json};

use super::{CallResult, ToolCall};
use crate::context::{CallRefusal, CallTarget, PathBase, new_key};
use crate::reply::ToolReply;

/// A field that names a file.
pub(crate) struct PathField {
    /// The name in the schema, and others that are accepted.
    pub(crate) names: &'static [&'static str],
    /// The use of the path.
    pub(crate) role: PathRole,
}

/// The use of a path, which decides where a relative one begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PathRole {
    /// A file that is there is edited or moved.
    Edited,
    /// The whole file is written.
    Written,
    /// A file is moved to the path, which begins where that of the file does.
    Destination,
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
        match field.role {
            PathRole::Edited if !quotes_nothing(&given) => base = target.base_of(&path),
            PathRole::Edited | PathRole::Written => base = target.base_of_written(&path),
            PathRole::Destination => {}
        }
        given.insert(name.to_owned(), as_text(&target.name_in(base, &path)?)?.into());
    }
    let text = json!({ "name": call.tool.name, "arguments": given }).to_string();
    send(call, &target, text, with_diff)
}

/// Returns a path as payloads have it: exact, where a path for people has escapes.
///
/// # Errors
/// `malformed` if the folder in which the call was made has a name that is not text.
pub(crate) fn as_text(path: &FilePath) -> Result<&str, CallRefusal> {
    path.as_text()
        .ok_or_else(|| CallRefusal::malformed(format!("{path} is not valid UTF-8: use another folder")))
}

/// Returns true for an edit of an empty text, which the tools with these fields take for a new file.
fn quotes_nothing(given: &Map<String, Value>) -> bool {
    ["old_string", "oldString"].iter().any(|name| given.get(*name).is_some_and(|old| old == ""))
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
