//! The daemon's workspace as the target of a scenario: requests have the form of the protocol, replies that of JSON.
//! It adds no thread, socket or queue.

use std::sync::Arc;

use editd::testing::{
    Admission, Caller, GeneratedPolicy, GitFolderPolicy, JobStep, JobTrace, Observer, Settings, StepDecision,
    UnreadPolicy, Workspace,
};
use editd_engine::Refusal;
use editd_proto::message::{JobRequest, OnStale};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::format;
use super::target::{ScenarioTarget, StepHook};

/// Makes an open workspace the target of a scenario.
#[must_use]
pub fn target(workspace: Arc<Workspace>, hook: Arc<dyn StepHook>) -> Box<dyn ScenarioTarget> {
    workspace.set_observer(Arc::new(StepObserver(hook)));
    Box::new(WorkspaceTarget(workspace))
}

/// Returns the daemon's settings for those of a scenario.
///
/// # Errors
/// A value is not one of the setting.
pub fn settings(told: &format::ScenarioSettings) -> Result<Settings, String> {
    let unread = match told.unread.as_deref() {
        None | Some("anchored") => UnreadPolicy::Anchored,
        Some("reject") => UnreadPolicy::Reject,
        Some("allow") => UnreadPolicy::Allow,
        Some(other) => return Err(format!("unread = {other:?} is no setting")),
    };
    let generated = match told.generated.as_deref() {
        None | Some("warn") => GeneratedPolicy::Warn,
        Some("refuse") => GeneratedPolicy::Refuse,
        Some("allow") => GeneratedPolicy::Allow,
        Some(other) => return Err(format!("generated = {other:?} is no setting")),
    };
    let git_folder = match told.git_folder.as_deref() {
        None | Some("refuse") => GitFolderPolicy::Refuse,
        Some("allow") => GitFolderPolicy::Allow,
        Some(other) => return Err(format!("git_folder = {other:?} is no setting")),
    };
    let on_stale = match told.on_stale.as_deref() {
        None | Some("reject") => OnStale::Reject,
        Some("rebase") => OnStale::Rebase,
        Some(other) => return Err(format!("on_stale = {other:?} is no setting")),
    };
    let encodings = told.encodings.clone();
    Ok(Settings { unread, on_stale, generated, git_folder, encodings, ..Settings::default() })
}

/// Reports each step to the player of the scenario.
struct StepObserver(Arc<dyn StepHook>);

impl Observer for StepObserver {
    fn after(&self, step: JobStep) -> StepDecision {
        if self.0.after(step) { StepDecision::Continue } else { StepDecision::Stop }
    }
}

struct WorkspaceTarget(Arc<Workspace>);

impl ScenarioTarget for WorkspaceTarget {
    fn ask(&mut self, session: &str, kind: &str, body: &Value) -> Value {
        let who = Caller::of_session(session, "editd-tests");
        let workspace = &self.0;
        match kind {
            "read" => decoded(body, |request| outcome(workspace.read(&who, &request).map(|told| told.reply))),
            "edit" => decoded(body, |request| edit(workspace, &who, request)),
            "undo" => decoded(body, |request| in_json(&workspace.undo(&who, &request, &JobTrace::default()))),
            "redo" => decoded(body, |request| in_json(&workspace.redo(&who, &request, &JobTrace::default()))),
            "history" => {
                decoded(body, |request| outcome(workspace.history(&who, &request).map(|told| told.reply)))
            }
            "show" => decoded(body, |request| outcome(workspace.show(&who, &request).map(|told| told.reply))),
            "clip" => decoded(body, |request| outcome(workspace.clip(&who, &request))),
            "check" => in_json(&workspace.check()),
            other => json!({"error": {"code": "unsupported", "message": other}}),
        }
    }

    fn settle(&mut self) {
        self.0.settle(true);
    }

    fn observe(&mut self, path: &str) {
        let _event = self.0.observe(&path.into());
    }

    fn flush(&mut self) {
        let _flushed = self.0.flush();
    }
}

/// As the queue does it: lanes first, then its number, then its turn. The lanes of a job that may be known by its key are
/// looked up behind its number; where that fails, the job finds out why.
fn edit(workspace: &Workspace, who: &Caller, request: JobRequest) -> Value {
    let asked = workspace.understand(request);
    let known = asked.request().key.is_some() || asked.request().detach;
    if !known && let Err(refusal) = workspace.lanes(who, &asked) {
        return in_json(&asked.refused(refusal));
    }
    match workspace.admit(who, &asked) {
        Admission::New(id) => {
            let _lanes = workspace.lanes(who, &asked);
            in_json(&workspace.edit(who, id, &asked, &|| (), &JobTrace::default()))
        }
        Admission::Ended(receipt) => in_json(&asked.with_dialect_text(*receipt)),
        Admission::Refused(refusal) => in_json(&asked.refused(refusal)),
        Admission::Pending(id) => {
            json!({"error": {"code": "busy", "message": format!("{id} is under way")}})
        }
    }
}

fn outcome<T: Serialize>(outcome: Result<T, Refusal>) -> Value {
    match outcome {
        Ok(reply) => in_json(&reply),
        Err(refusal) => json!({ "error": refusal }),
    }
}

/// A reply with what is left out of a receipt where it says nothing: a status that is `applied`, and empty lists.
fn in_json<T: Serialize>(reply: &T) -> Value {
    let mut reply = serde_json::to_value(reply).unwrap_or_else(|e| panic!("a reply is not JSON: {e}"));
    let receipt = reply.get("status").is_some();
    if let Some(reply) = reply.as_object_mut().filter(|_| receipt) {
        let files = reply.entry("files").or_insert_with(|| json!([]));
        for file in files.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            file.entry("status").or_insert_with(|| json!("applied"));
            for list in ["issues", "warnings"] {
                file.entry(list).or_insert_with(|| json!([]));
            }
            let edits = file.get_mut("edits").and_then(Value::as_array_mut);
            for edit in edits.into_iter().flatten().filter_map(Value::as_object_mut) {
                edit.entry("status").or_insert_with(|| json!("applied"));
            }
        }
    }
    reply
}

/// Decodes a body. An error is a mistake in the scenario, not one of the daemon.
fn decoded<T: DeserializeOwned>(body: &Value, ask: impl FnOnce(T) -> Value) -> Value {
    match serde_json::from_value(body.clone()) {
        Ok(request) => ask(request),
        Err(e) => json!({"error": {"code": "malformed", "message": format!("not a request: {e}")}}),
    }
}
