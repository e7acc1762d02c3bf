//! Cases with the payload of a dialect: its outcome, and the message of its dialect.

use std::collections::BTreeMap;

use editd_engine::{WorkspaceSnapshot, dialect};
use editd_proto::error::RequestError;
use editd_proto::message::{FileOutcome, JobRequest, JobStatus, Receipt};
use editd_proto::path::FilePath;
use serde_json::{Value, json};

use super::{Case, Outcome, name_of, outcome, world};

/// The folder in which a case's workspace would lie.
const ROOT: &[u8] = b"/workspace";

/// Runs a payload, and returns the outcome with the message of its dialect.
pub(super) fn translated(case: &Case, payload: &str) -> (WorkspaceSnapshot, Outcome) {
    let path = case.payload_path.as_deref().map(FilePath::from);
    let roots = [ROOT.to_vec()];
    let limit = case.payload_limit.unwrap_or(1024 * 1024);
    let setting = dialect::PayloadContext { path: path.as_ref(), roots: &roots, limit };
    let translation = match dialect::translate(case.dialect.as_deref(), payload, &setting) {
        Ok(translation) => translation,
        Err(error) => {
            let text = dialect::format_refusal(case.dialect.as_deref(), payload, &error);
            let world = world(case, &JobRequest::default());
            let after = world.files.iter().map(|(path, state)| (name_of(path), state.clone())).collect();
            let reply = json!({"error": error, "text": text});
            return (world, Outcome { reply, after, clips: BTreeMap::new() });
        }
    };
    let wanted = match translation.request {
        dialect::PayloadRequest::Job(wanted) => wanted,
        dialect::PayloadRequest::View { path, lines } => {
            return asked(case, json!({"view": {"path": path, "lines": lines}}));
        }
        dialect::PayloadRequest::Undo { path } => return asked(case, json!({"undo": {"path": path}})),
    };
    let job = JobRequest {
        files: wanted.files,
        mode: wanted.mode.unwrap_or_default(),
        diff: wanted.diff,
        threshold: wanted.threshold.or(case.payload_threshold),
        partial: wanted.partial.or(case.payload_partial).unwrap_or(false),
        ..JobRequest::default()
    };
    let world = world(case, &job);
    let mut outcome = outcome(case, &world, &job);
    let error: Option<RequestError> = serde_json::from_value(outcome.reply["error"].clone()).ok();
    let files: Vec<FileOutcome> = serde_json::from_value(outcome.reply["files"].clone()).unwrap_or_default();
    let changed = files.iter().any(|file| matches!(file.status, JobStatus::Applied | JobStatus::Partial));
    let status = match (&error, changed) {
        (None, true) => JobStatus::Applied,
        (None, false) => JobStatus::Unchanged,
        (Some(_), true) => JobStatus::Partial,
        (Some(_), false) => JobStatus::Refused,
    };
    let receipt = Receipt {
        queued: None,
        job: None,
        status,
        files,
        omitted_files: 0,
        hooks: Vec::new(),
        checks: Vec::new(),
        error,
        verified: None,
        rebased: false,
        repeated: false,
        dialect: Some(translation.dialect.to_owned()),
        text: None,
    };
    outcome.reply["text"] = translation.reply.format(&dialect::PayloadOutcome::Receipt(&receipt)).into();
    if !wanted.warnings.is_empty() {
        outcome.reply["warnings"] = json!(wanted.warnings);
    }
    (world, outcome)
}

fn asked(case: &Case, asked: Value) -> (WorkspaceSnapshot, Outcome) {
    let world = world(case, &JobRequest::default());
    let after = world.files.iter().map(|(path, state)| (name_of(path), state.clone())).collect();
    (world, Outcome { reply: json!({"asked": asked}), after, clips: BTreeMap::new() })
}
