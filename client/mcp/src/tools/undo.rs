//! The tool `undo`: takes back the session's last edit, or a given entry, or some of its files or hunks.

use editctl::show::renames;
use editd_proto::FilePath;
use editd_proto::ids::JobId;
use editd_proto::limits;
use editd_proto::message::{EntryKind, EntrySummary, HistoryRequest, HunkChoice, UndoRequest};
use serde_json::{Map, Value, json};

use super::{CallResult, ToolAction, ToolCall, ToolEntry};
use crate::arguments::{Arguments, number};
use crate::context::{CallRefusal, CallTarget, new_key};
use crate::reply::ToolReply;

/// The tool.
pub(crate) const UNDO: ToolEntry = ToolEntry {
    name: "undo",
    description: "Undo your last edit, or a job, its files or hunks. Later changes stay.",
    schema,
    looks: false,
    action: ToolAction::Run(call),
};

/// The fields of a call.
const FIELDS: [&str; 3] = ["job", "paths", "hunks"];

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
    let mut given = Arguments::new("", given, &FIELDS)?.without_blank(&FIELDS);
    let job = given.number("job")?.map(JobId);
    let paths = given.list("paths");
    let paths: Option<Vec<&str>> = paths.iter().map(Value::as_str).collect();
    let paths = paths.ok_or_else(|| given.wrong("paths", "must be texts"))?;
    let target = match paths.first() {
        Some(path) => call.context.workspace_of(Some(path)),
        None => call.context.workspace_of_job(job)?,
    };
    let mut paths = paths.into_iter().map(|path| target.name(path)).collect::<Result<Vec<_>, _>>()?;
    let hunk = |value: &Value| number(value).map(HunkChoice::One);
    let hunks: Option<Vec<_>> = given.list("hunks").iter().map(hunk).collect();
    let hunks = hunks.ok_or_else(|| given.wrong("hunks", "must be numbers"))?;
    let job = match job {
        None if !hunks.is_empty() => {
            return Err(CallRefusal::malformed("hunks need job; history lists the jobs"));
        }
        None if !paths.is_empty() => Some(last_job(&target, call.context.session(), &paths)?),
        job => job,
    };
    if let Some(job) = job.filter(|_| !paths.is_empty()) {
        let reply = target.ask(|it| it.show(job, None))?;
        renames::complete(&reply, &mut paths, !hunks.is_empty()).map_err(CallRefusal::malformed)?;
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

/// Returns the last job of the session that changed the paths and is not undone there.
///
/// # Errors
/// `malformed` if there is none, or if the paths were last changed by different jobs.
fn last_job(target: &CallTarget<'_>, session: &str, paths: &[FilePath]) -> Result<JobId, CallRefusal> {
    let mut found: Option<(JobId, &FilePath)> = None;
    for path in paths {
        let request = HistoryRequest {
            path: Some(path.clone()),
            session: Some(session.to_owned()),
            limit: Some(limits::HISTORY as u64),
            ..HistoryRequest::default()
        };
        let history = target.ask(|it| it.history(&request))?;
        let Some(entry) = history.entries.iter().find(|entry| can_be_undone(entry, path)) else {
            return Err(CallRefusal::malformed(format!(
                "you have no edit of {path} to undo; history {{\"path\": \"{path}\"}} lists all changes of it"
            )));
        };
        match found {
            Some((job, other)) if job != entry.id => {
                return Err(CallRefusal::malformed(format!(
                    "your last edit of {other} is job {job}, and of {path} job {}: undo them in two calls",
                    entry.id
                )));
            }
            _ => found = Some((entry.id, path)),
        }
    }
    found.map(|(job, _)| job).ok_or_else(|| CallRefusal::malformed("paths is empty"))
}

/// Returns true if the entry changed the path by an edit, or by the redo of one, which is not undone there.
fn can_be_undone(entry: &EntrySummary, path: &FilePath) -> bool {
    let undone = entry.files.iter().any(|file| file.path == *path && file.undone);
    matches!(entry.kind, EntryKind::Edit | EntryKind::Redo) && !entry.undone && !undone
}
