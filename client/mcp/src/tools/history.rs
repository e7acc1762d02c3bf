//! The tool `history`: the entries of the journal, or one entry with its diff.

use editctl::show::{history, renames};
use editd_proto::ids::JobId;
use editd_proto::message::HistoryRequest;
use serde_json::{Map, Value, json};

use super::{CallResult, ToolAction, ToolCall, ToolEntry};
use crate::arguments::Arguments;
use crate::reply::ToolReply;

/// The number of entries in a reply.
const ENTRIES: u64 = 20;

/// The tool.
pub(crate) const HISTORY: ToolEntry = ToolEntry {
    name: "history",
    description: "List who changed what, or show the diff of a job.",
    schema,
    looks: true,
    action: ToolAction::Run(call),
};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "job": { "type": "integer" },
            "since": { "type": "integer", "description": "only later jobs" }
        }
    })
}

fn call(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let known = ["path", "job", "since"];
    let given = Arguments::with_unlisted("", given, &known, &["before", "from"])?;
    let mut given = given.without_blank(&known);
    let style = call.style();
    let path = given.text("path")?;
    let job = given.number("job")?;
    let target = match (&path, job) {
        (None, Some(job)) => call.context.workspace_of_job(Some(JobId(job)))?,
        _ => call.context.workspace_of(path.as_deref()),
    };
    if let Some(job) = job {
        let from = given.number("from")?;
        let reply = target.ask(|it| it.show(JobId(job), from))?;
        let shown = from.unwrap_or_default() + reply.changes.len() as u64;
        let reply = ToolReply::done(history::one(&reply, shown, &style), &renames::one_in_json(&reply));
        return Ok(reply.in_root(target.other_root()));
    }
    let request = HistoryRequest {
        path: path.map(|path| target.name(&path)).transpose()?,
        after: given.number("since")?.map(JobId),
        before: given.number("before")?.map(JobId),
        limit: Some(ENTRIES),
        ..HistoryRequest::default()
    };
    let reply = target.ask(|it| it.history(&request))?;
    let words = history::list(&reply, &style);
    Ok(ToolReply::done(words, &renames::list_in_json(&reply)).in_root(target.other_root()))
}
