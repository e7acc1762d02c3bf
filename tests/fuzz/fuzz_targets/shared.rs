//! What the targets of the engine share: what must hold of every plan, whatever was asked for.

use std::sync::Arc;

use editd_engine::{Options, Plan, Refusal, State, World, apply, dialect, invert, needs, plan};
use editd_proto::error::Code;
use editd_proto::message::{JobRequest, Receipt, Status};

/// What a file says that a payload names, chosen so that quotations have a chance: the payload's own lines
/// without their markers.
fn content_for(payload: &str) -> Vec<u8> {
    let mut text = String::from("fn main() {\n    let a = 1;\r\n\tlet b = 2;  \n}\n\n");
    for line in payload.lines() {
        text.push_str(line.trim_start_matches(['+', '-', ' ', '<', '>', '=', ':', '@', '*']));
        text.push('\n');
    }
    text.into_bytes()
}

/// Splices give the content after and, taken back, the content before; and nothing is listed that is no change.
pub fn check(world: &World, plan: &Plan) {
    let bytes = |state: &State| match state {
        State::Absent => Vec::new(),
        State::File { bytes, .. } => bytes.to_vec(),
    };
    for change in &plan.changes {
        assert_eq!(world.files.get(&change.path), Some(&change.before));
        assert_ne!(change.before, change.after);
        let (before, after) = (bytes(&change.before), bytes(&change.after));
        assert_eq!(apply(&before, &change.splices).as_deref(), Some(&*after));
        assert_eq!(apply(&after, &invert(&change.splices)), Some(before));
    }
}

/// Plans a job twice: both must be the same, and no fault of the engine.
pub fn planned(job: &JobRequest, world: &World) -> Result<Plan, Refusal> {
    let first = plan(job, world, &Options::default());
    match &first {
        Ok(plan) => check(world, plan),
        Err(refusal) => assert_ne!(refusal.code, Code::Internal, "{refusal:?}"),
    }
    assert_eq!(first, plan(job, world, &Options::default()));
    first
}

/// A payload of one dialect (or of an unknown one): translated, planned on files that resemble it, and said.
#[allow(dead_code, reason = "each target uses its part of this file")]
pub fn payload(name: Option<&str>, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let path = "a.txt".into();
    let roots = [b"/w".to_vec()];
    for beside in [None, Some(&path)] {
        let setting = dialect::Setting { path: beside, roots: &roots, limit: 1 << 20 };
        let translation = match dialect::translate(name, text, &setting) {
            Ok(translation) => translation,
            Err(refusal) => {
                assert_ne!(refusal.code, Code::Internal, "{refusal:?}");
                let _ = dialect::say_refusal(name, text, &refusal);
                continue;
            }
        };
        let dialect::Asked::Job(wanted) = translation.asked else { continue };
        let job = JobRequest {
            files: wanted.files,
            threshold: wanted.threshold,
            partial: wanted.partial.unwrap_or(false),
            ..JobRequest::default()
        };
        let mut world = World::default();
        let Ok(needs) = needs(&job) else { continue };
        let content: Arc<[u8]> = Arc::from(content_for(text));
        for (i, path) in needs.paths.into_iter().enumerate() {
            let there = State::File { bytes: Arc::clone(&content), mode: 0o644 };
            // What a payload would create must not be there: the odd ones are absent.
            world.files.insert(path, if i % 2 == 0 { there } else { State::Absent });
        }
        let (files, error) = match planned(&job, &world) {
            Ok(plan) => (plan.files, plan.error),
            Err(refusal) => (Vec::new(), Some(refusal)),
        };
        let receipt = Receipt {
            job: None,
            status: if error.is_some() { Status::Refused } else { Status::Applied },
            files,
            error: error.map(|error| *error),
            verified: None,
            rebased: false,
            repeated: false,
            dialect: Some(translation.dialect.to_owned()),
            text: None,
        };
        let said = translation.words.say(&dialect::Answer::Receipt(&receipt));
        assert!(said.len() <= 1 << 20, "{} bytes are said", said.len());
    }
}
