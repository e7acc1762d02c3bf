//! The tool `undo`: takes back the session's last edit, or a given entry, or some of its files or hunks.

use editd_proto::ids::JobId;
use editd_proto::message::{HunkChoice, UndoRequest};
use serde_json::{Map, Value, json};

use super::{CallResult, ToolAction, ToolCall, ToolEntry};
use crate::arguments::{Arguments, number};
use crate::context::{CallRefusal, new_key};
use crate::reply::ToolReply;

/// The tool.
pub(crate) const UNDO: ToolEntry = ToolEntry {
    name: "undo",
    description: "Undo your last edit, or a job, its files or hunks. Later changes stay.",
    schema,
    looks: false,
    action: ToolAction::Run(call),
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "job": { "type": "integer" },
            "paths": { "type": "array", "items": { "type": "string" } },
            "hunks": { "type": "array", "items": { "type": "integer" }, "description": "from history of the job" }
        }
    })
}

fn call(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let mut given = Arguments::new("", given, &["job", "paths", "hunks"])?;
    let job = given.number("job")?.map(JobId);
    let paths = given.list("paths");
    let paths: Option<Vec<&str>> = paths.iter().map(Value::as_str).collect();
    let paths = paths.ok_or_else(|| given.wrong("paths", "must be texts"))?;
    let target = match paths.first() {
        Some(path) => call.context.workspace_of(Some(path)),
        None => call.context.workspace_of_job(job)?,
    };
    let paths = paths.into_iter().map(|path| target.name(path)).collect::<Result<Vec<_>, _>>()?;
    let hunk = |value: &Value| number(value).map(HunkChoice::One);
    let hunks: Option<Vec<_>> = given.list("hunks").iter().map(hunk).collect();
    let hunks = hunks.ok_or_else(|| given.wrong("hunks", "must be numbers"))?;
    if job.is_none() && !(paths.is_empty() && hunks.is_empty()) {
        return Err(CallRefusal::malformed("paths and hunks need job; history lists the jobs"));
    }
    let request = UndoRequest {
        jobs: job.into_iter().collect(),
        paths,
        hunks,
        key: Some(new_key()),
        on_stale: editd_proto::message::OnStale::Rebase,
        ..UndoRequest::default()
    };
    let receipt = call.receipt(&target, target.ask_undo(&request)?);
    Ok(ToolReply::receipt(&receipt, &call.style().of("undone")).in_root(target.other_root()))
}
