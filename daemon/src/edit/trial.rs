//! The plan of the edits of one file on its present content, made to learn which of them fit.

use std::collections::BTreeMap;

use editd_engine::{ContentProof, Job, Plan, PlanOptions};
use editd_proto::error::{ErrorCode, NearMiss, RequestError, WouldApply};
use editd_proto::limits::OTHER_ERRORS;
use editd_proto::message::EditStatus;
use editd_proto::path::FilePath;

use super::rebase;
use super::staleness::CheckedJob;
use crate::state::WorkspaceState;

/// The job's edits of one file, planned on the present content.
pub(super) struct TrialPlan {
    /// The plan of the edits that fit.
    pub(super) plan: Plan,
    /// The lines of the present content near the edits.
    pub(super) lines: Vec<(u64, u64)>,
    /// The number of the first edit that does not fit, and the reason in `cause`.
    pub(super) failed: Option<u64>,
    pub(super) cause: Option<String>,
    /// The errors of the edits that do not fit.
    pub(super) failures: Vec<RequestError>,
    /// The lines most similar to quotations that the file does not have.
    pub(super) nearest: Vec<NearMiss>,
    /// True if an edit replaces text that it does not quote.
    pub(super) blind: bool,
    /// The job with these edits only.
    alone: Job,
}

impl TrialPlan {
    /// Plans the edits of a file on the present content; `None` if that takes more than the job may hold.
    pub(super) fn run(state: &WorkspaceState, checked: &CheckedJob, path: &FilePath) -> Option<Self> {
        let mut alone = checked.snapshot.request.job.clone();
        alone.partial = true;
        alone.diff = Some(false);
        if alone.entries.iter().any(|entry| entry.path == *path) {
            alone.entries.retain(|entry| entry.path == *path);
        }
        let blind = alone.entries.iter().any(|entry| entry.proof() == ContentProof::Blind);
        let world = &checked.snapshot.world;
        let options = PlanOptions { room: Some(checked.room), ..state.options(world.files.keys()) };
        let plan = match editd_engine::plan(&alone, world, &options) {
            Ok(plan) => plan,
            Err(refusal) if editd_engine::lacks_room(&refusal) => return None,
            Err(refusal) => {
                let failures = vec![in_short(&refusal)];
                let (failed, cause) = (Some(refusal.edit.unwrap_or(1)), Some(refusal.message));
                let plan = Plan { changes: Vec::new(), clips: Vec::new(), files: Vec::new(), error: None };
                let (lines, nearest) = (Vec::new(), Vec::new());
                return Some(Self { plan, lines, failed, cause, failures, nearest, blind, alone });
            }
        };
        let outcomes = plan.files.iter().flat_map(|file| file.edits.iter().zip(1..));
        let (mut lines, mut nearest, mut failed, mut cause) = (Vec::new(), Vec::new(), None, None);
        for (outcome, number) in outcomes {
            lines.extend(outcome.lines);
            if outcome.status != EditStatus::Refused {
                continue;
            }
            failed = failed.or(Some(number));
            let Some(error) = &outcome.error else { continue };
            cause = cause.or_else(|| Some(error.message.clone()));
            lines.extend(error.candidates.iter().map(|one| (one.line, one.line)));
            if let Some(miss) = error.near_misses.first() {
                lines.push(lines_of(miss));
                nearest.push(miss.clone());
            }
        }
        nearest.truncate(editd_proto::limits::NEAR_MISSES);
        let failures = editd_engine::failures(&alone, &plan, &BTreeMap::new()).into_iter();
        let failures = failures.take(OTHER_ERRORS + 1).map(|failure| in_short(&failure)).collect();
        Some(Self { plan, lines, failed, cause, failures, nearest, blind, alone })
    }

    /// Returns true if every edit fits the present content.
    pub(super) fn fits(&self) -> bool {
        self.failed.is_none()
    }

    /// Returns true if edits do not fit, all of them because the content does not have the text that they quote.
    pub(super) fn lacks_quotations(&self) -> bool {
        let edits = self.plan.files.iter().flat_map(|file| &file.edits);
        let mut refused = edits.filter(|edit| edit.status == EditStatus::Refused).peekable();
        let lacks = |code| code == ErrorCode::NotFound;
        refused.peek().is_some()
            && refused.all(|edit| edit.error.as_ref().is_some_and(|error| lacks(error.code)))
    }

    /// Returns true if the job, sent again unchanged, does what its session means. If it replaces text that it does not
    /// quote (not only lines by their numbers), its changes must also merge without a conflict.
    pub(super) fn would_apply(&self, state: &WorkspaceState, checked: &CheckedJob, path: &FilePath) -> bool {
        let mut alone = self.alone.clone();
        alone.partial = false;
        let numbers_alone =
            alone.entries.iter().all(|entry| entry.named_lines().len() == entry.edits().len());
        let merges =
            if self.blind && !numbers_alone { rebase::trial(state, checked, &alone, path) } else { None };
        self.fits() && merges.is_none_or(|would| would == WouldApply::Clean)
    }
}

/// Returns an error with the edit and the reason, without the excerpts of the file that the refusal shows anyway.
fn in_short(error: &RequestError) -> RequestError {
    RequestError {
        path: error.path.clone(),
        edit: error.edit,
        file: error.file,
        line: error.line,
        other_edit: error.other_edit,
        ..RequestError::new(error.code, error.message.clone())
    }
}

/// Returns the lines of the file that a near miss shows, without the lines of the quotation that it shows beside them.
pub(super) fn lines_of(miss: &NearMiss) -> (u64, u64) {
    let lines = miss.text.lines().filter(|line| !line.trim_start().starts_with("quoted")).count() as u64;
    (miss.line, (miss.line + lines).saturating_sub(1))
}
