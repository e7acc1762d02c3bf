//! Shared by the targets of the engine: the properties of every plan.

use editd_engine::{FileState, Plan, PlanOptions, Refusal, WorkspaceSnapshot, apply, invert, plan_input};
use editd_proto::error::ErrorCode;
use editd_proto::message::JobRequest;

/// Asserts that the splices of each change give the content after it, that their inverse gives the content before
/// it, and that the two differ.
pub fn check(world: &WorkspaceSnapshot, plan: &Plan) {
    let bytes = |state: &FileState| match state {
        FileState::Absent => Vec::new(),
        FileState::File { bytes, .. } => bytes.to_vec(),
    };
    for change in &plan.changes {
        assert_eq!(world.files.get(&change.path), Some(&change.before));
        assert_ne!(change.before, change.after);
        let (before, after) = (bytes(&change.before), bytes(&change.after));
        assert_eq!(apply(&before, &change.splices).as_deref(), Some(&*after));
        assert_eq!(apply(&after, &invert(&change.splices)), Some(before));
    }
}

/// Plans a job twice and asserts that the plans are equal and neither is an internal error.
pub fn planned(job: &JobRequest, world: &WorkspaceSnapshot) -> Result<Plan, Refusal> {
    let first = plan_input(job, world, &PlanOptions::default());
    match &first {
        Ok(plan) => check(world, plan),
        Err(refusal) => assert_ne!(refusal.code, ErrorCode::Internal, "{refusal:?}"),
    }
    assert_eq!(first, plan_input(job, world, &PlanOptions::default()));
    first
}
