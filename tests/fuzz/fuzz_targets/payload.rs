//! Shared by the targets of the dialects: translates a payload, plans it on files that resemble it, words the reply.

use std::sync::Arc;

use editd_engine::{FileState, WorkspaceSnapshot, dialect, needs_of_input as needs};
use editd_proto::error::ErrorCode;
use editd_proto::message::{JobRequest, JobStatus, Receipt};

#[path = "shared.rs"]
mod shared;

/// Returns a content for the files that the payload names: its own lines without their markers, so that some
/// quotations are found.
fn content_for(payload: &str) -> Vec<u8> {
    let mut text = String::from("fn main() {\n    let a = 1;\r\n\tlet b = 2;  \n}\n\n");
    for line in payload.lines() {
        text.push_str(line.trim_start_matches(['+', '-', ' ', '<', '>', '=', ':', '@', '*']));
        text.push('\n');
    }
    text.into_bytes()
}

/// Translates a payload of the named dialect (recognised if `None`), plans it on files that resemble it, and words
/// the reply. Panics on an internal error or an unreasonably long reply.
pub fn payload(name: Option<&str>, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let path = "a.txt".into();
    let roots = [b"/w".to_vec()];
    for beside in [None, Some(&path)] {
        let setting = dialect::PayloadContext { path: beside, roots: &roots, limit: 1 << 20 };
        let translation = match dialect::translate(name, text, &setting) {
            Ok(translation) => translation,
            Err(refusal) => {
                assert_ne!(refusal.code, ErrorCode::Internal, "{refusal:?}");
                let _ = dialect::format_refusal(name, text, &refusal);
                continue;
            }
        };
        let dialect::PayloadRequest::Job(wanted) = translation.request else { continue };
        let job = JobRequest {
            files: wanted.files,
            threshold: wanted.threshold,
            partial: wanted.partial.unwrap_or(false),
            ..JobRequest::default()
        };
        let mut world = WorkspaceSnapshot::default();
        let Ok(needs) = needs(&job) else { continue };
        let content: Arc<[u8]> = Arc::from(content_for(text));
        for (i, path) in needs.paths.into_iter().enumerate() {
            let there = FileState::File { bytes: Arc::clone(&content), mode: 0o644 };
            // A file that the payload creates must be absent, so every second one is.
            world.files.insert(path, if i % 2 == 0 { there } else { FileState::Absent });
        }
        let (files, error) = match shared::planned(&job, &world) {
            Ok(plan) => (plan.files, plan.error),
            Err(refusal) => (Vec::new(), Some(refusal)),
        };
        let receipt = Receipt {
            status: if error.is_some() { JobStatus::Refused } else { JobStatus::Applied },
            files,
            error: error.map(|error| *error),
            dialect: Some(translation.dialect.to_owned()),
            ..Receipt::new(None, JobStatus::Applied)
        };
        let said = translation.reply.format(&dialect::PayloadOutcome::Receipt(&receipt));
        assert!(said.len() <= 1 << 20, "{} bytes are said", said.len());
    }
}
