//! The tool `history`: the entries of the journal, or one entry with its diff.

use editctl::show::{OutputStyle, history};
use editd_proto::ids::JobId;
use editd_proto::message::HistoryRequest;
use serde_json::{Map, Value, json};

use crate::arguments::Arguments;
use crate::context::{CallContext, CallRefusal};
use crate::reply::{ToolReply, WORDS};

/// The number of entries in a reply.
const ENTRIES: u64 = 20;

pub(super) const DESCRIPTION: &str = "List who changed what, or show the diff of a job.";

pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "job": { "type": "integer" },
            "since": { "type": "integer", "description": "only later jobs" }
        }
    })
}

pub(super) fn call(context: &CallContext, given: Map<String, Value>) -> Result<ToolReply, CallRefusal> {
    let mut given = Arguments::new("", given, &["path", "job", "since", "before", "from"])?;
    let style = OutputStyle::for_tools(WORDS);
    let path = given.text("path")?;
    let target = context.workspace_of(path.as_deref());
    if let Some(job) = given.number("job")? {
        let from = given.number("from")?;
        let reply = target.ask(|it| it.show(JobId(job), from))?;
        let shown = from.unwrap_or_default() + reply.changes.len() as u64;
        return Ok(ToolReply::done(history::one(&reply, shown, &style), &reply));
    }
    let request = HistoryRequest {
        path: path.map(|path| target.name(&path)).transpose()?,
        before: given.number("before")?.map(JobId),
        limit: Some(ENTRIES),
        ..HistoryRequest::default()
    };
    let mut reply = target.ask(|it| it.history(&request))?;
    if let Some(since) = given.number("since")? {
        let listed = reply.entries.len();
        reply.entries.retain(|entry| entry.id.0 > since);
        reply.more &= reply.entries.len() == listed;
    }
    Ok(ToolReply::done(history::list(&reply, &style), &reply))
}
