//! Asks the engine for the plan of a payload and compares it with what is right.

use std::sync::Arc;

use editd_engine::{
    FileState, PlanOptions, Refusal, WorkspaceSnapshot, dialect, needs_of_input as needs, plan_input as plan,
    unified_diff,
};
use editd_proto::error::ErrorCode;
use editd_proto::message::{FileEntry, JobRequest};
use editd_proto::path::FilePath;

use super::draw::{ExpectedOutcome, PayloadTask};
use super::printers::PrintedRequest;
use super::source::SourceFile;

/// Bytes that a payload may have here.
const PAYLOAD: usize = 64 * 1024 * 1024;

/// The result of a payload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PayloadResult {
    /// With what was meant.
    AppliedRightly,
    /// Refused, as is right.
    RefusedRightly,
    /// Refused, though each edit has one right place; or for a reason that is none of the file's.
    RefusedThough(String),
    /// Not at all: the engine does not have the dialect yet.
    Unsupported,
    /// With something else.
    AppliedWrongly(Vec<u8>),
}

/// Applies a payload and compares the result with the permitted ones.
pub(super) fn judge(source: &SourceFile, task: &PayloadTask) -> PayloadResult {
    let before = source.bytes();
    match carried_out(source, task, &before) {
        Ok(after) if task.verdict != ExpectedOutcome::Refused && task.expected.accepts(&after) => {
            PayloadResult::AppliedRightly
        }
        Ok(after) => PayloadResult::AppliedWrongly(after),
        Err(error) if error.code == ErrorCode::Unsupported => PayloadResult::Unsupported,
        Err(error) => {
            let honest = matches!(error.code, ErrorCode::NotFound | ErrorCode::Ambiguous);
            if honest && task.verdict != ExpectedOutcome::Applied {
                PayloadResult::RefusedRightly
            } else {
                PayloadResult::RefusedThough(format!("{:?}: {}", error.code, error.message))
            }
        }
    }
}

/// The content after a payload.
fn carried_out(source: &SourceFile, task: &PayloadTask, before: &[u8]) -> Result<Vec<u8>, Refusal> {
    let path = FilePath::from(source.path.as_str());
    let job = match &task.sent {
        PrintedRequest::Native(edits) => JobRequest {
            files: vec![FileEntry { path: path.clone(), edits: edits.clone(), ..FileEntry::default() }],
            ..JobRequest::default()
        },
        PrintedRequest::Payload { dialect, text, beside } => {
            translated(dialect, text, beside.then_some(&path), task)?
        }
    };
    let state = FileState::File { bytes: Arc::from(before), mode: 0o644 };
    let mut world = WorkspaceSnapshot::default();
    for needed in needs(&job)?.paths {
        world.files.insert(needed, FileState::Absent);
    }
    world.files.insert(path.clone(), state);
    let plan = plan(&job, &world, &PlanOptions::default())?;
    let change = plan.changes.iter().find(|change| change.path == path);
    Ok(match change.map(|change| &change.after) {
        Some(FileState::File { bytes, .. }) => bytes.to_vec(),
        Some(FileState::Absent) => Vec::new(),
        None => before.to_vec(),
    })
}

fn translated(
    name: &str,
    text: &str,
    path: Option<&FilePath>,
    task: &PayloadTask,
) -> Result<JobRequest, Refusal> {
    let setting = dialect::PayloadContext { path, roots: &[], limit: PAYLOAD };
    let translation = dialect::translate(Some(name), text, &setting)?;
    match translation.request {
        dialect::PayloadRequest::Job(wanted) => Ok(JobRequest {
            files: wanted.files,
            threshold: wanted.threshold.or(task.threshold),
            ..JobRequest::default()
        }),
        other => panic!("{text}\nis understood as {other:?}"),
    }
}

/// Everything that somebody needs to see a payload that ended badly.
pub(super) fn shown(
    source: &SourceFile,
    task: &PayloadTask,
    ended: &PayloadResult,
    name: &str,
    seed: u64,
) -> String {
    let path = FilePath::from(source.path.as_str());
    let state = |bytes: &[u8]| FileState::File { bytes: Arc::from(bytes), mode: 0o644 };
    let before = state(&source.bytes());
    let diff = |after: &[u8]| visible(&unified_diff(&path, &before, &state(after)).0);
    let payload = match &task.sent {
        PrintedRequest::Native(edits) => format!("{edits:#?}"),
        PrintedRequest::Payload { text, .. } => text.clone(),
    };
    let got = match ended {
        PayloadResult::AppliedWrongly(after) => diff(after),
        PayloadResult::RefusedThough(why) => why.clone(),
        PayloadResult::AppliedRightly | PayloadResult::RefusedRightly | PayloadResult::Unsupported => {
            String::new()
        }
    };
    format!(
        "{name}, {}: {} (seed {seed})\n--- payload\n{payload}\n--- right: {:?}\n{}\n--- got\n{got}\n",
        task.how.name(),
        source.origin,
        task.verdict,
        diff(&task.expected.shown()),
    )
}

/// A text in which white space at line ends and tabs can be seen.
fn visible(text: &str) -> String {
    let mut shown = String::new();
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches('\n').replace('\r', "␍").replace('\t', "→");
        let end = body.trim_end_matches(' ').len();
        shown.push_str(&body[..end]);
        shown.extend(std::iter::repeat_n('·', body.len() - end));
        shown.push('\n');
    }
    shown
}
