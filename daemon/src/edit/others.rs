//! Combines several refusals of one job into one error: the first, with the others in it. If one file is refused, the
//! others are checked all the same, so that the client learns of all refusals at once.

use std::collections::{BTreeMap, BTreeSet};

use editd_engine::{FileState, Job, JobEntry, Plan, PlanOptions, Refusal};
use editd_proto::error::RequestError;
use editd_proto::ids::ContentHash;
use editd_proto::limits::OTHER_ERRORS;
use editd_proto::path::FilePath;

use super::staleness::CheckedJob;
use super::{places, plan, rebase, stale, unread, why};
use crate::caller::Caller;
use crate::state::WorkspaceState;

/// Returns the first of some refusals, with the others in it.
pub(super) fn gathered(refusals: Vec<Refusal>) -> Option<Refusal> {
    let mut refusals = refusals.into_iter();
    let mut first = refusals.next()?;
    let others: Vec<RequestError> = refusals.map(|refusal| *refusal).collect();
    unread::advise_correction(&mut first, &others);
    Some(Box::new(first.beside(others)))
}

/// Returns the refusal of a job of which some files are refused, with the refusals of the other files: edits that fail,
/// and lines that the session has not seen.
pub(super) fn report(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &mut CheckedJob,
    mut refusals: Vec<Refusal>,
) -> Refusal {
    let refused: BTreeSet<FilePath> = refusals.iter().filter_map(|refusal| refusal.path.clone()).collect();
    checked.where_seen.retain(|path| !refused.contains(path));
    if refusals.len() < OTHER_ERRORS {
        let many = editd_engine::has_unlisted_failures(&checked.snapshot.request.job);
        let is_left_out = |entry: &JobEntry| {
            std::iter::once(&entry.path).chain(entry.targets()).any(|path| refused.contains(path))
                || many && !checked.where_seen.contains(&entry.path)
        };
        let entries = checked.snapshot.request.job.entries.iter().enumerate();
        let left_out: Vec<usize> =
            entries.filter(|(_, entry)| is_left_out(entry)).map(|(index, _)| index).collect();
        let some = refusals.first().cloned();
        let left_out = left_out.into_iter().filter_map(|index| Some((index, some.clone()?))).collect();
        let current = rebase::stand_on(&mut checked.snapshot.world, &checked.bases);
        let failing = failing(state, caller, checked, &left_out);
        let further = further(state, caller, checked, &current, &left_out);
        checked.snapshot.world.files.extend(current);
        refusals.extend(failing);
        refusals.extend(further);
    }
    gathered(refusals).unwrap_or_else(|| crate::state::refusal::fault("a job was refused for no reason"))
}

/// Returns the plan that a refused job would have if it were `partial`; `None` if there is none.
fn in_part(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &CheckedJob,
    left_out: &BTreeMap<usize, Refusal>,
) -> Option<(Job, Plan)> {
    let snapshot = &checked.snapshot;
    let job = Job { partial: true, diff: Some(false), ..snapshot.request.job.clone() };
    let options = PlanOptions { room: Some(checked.room), ..state.options(snapshot.world.files.keys()) };
    let _turn = state.parsing.turn(&caller.owner, plan::parsed(&job, &snapshot.world)).ok()?;
    let plan = editd_engine::plan_known(&job, &snapshot.world, &options, &BTreeMap::new(), left_out).ok()?;
    Some((job, plan))
}

/// Returns the refusals of failing edits of the other entries.
fn failing(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &CheckedJob,
    left_out: &BTreeMap<usize, Refusal>,
) -> Vec<Refusal> {
    let Some((job, plan)) = in_part(state, caller, checked, left_out) else { return Vec::new() };
    let known: BTreeMap<FilePath, ContentHash> = checked
        .snapshot
        .observations
        .iter()
        .filter_map(|(path, observation)| Some((path.clone(), observation.hash()?)))
        .collect();
    let mut unfit = BTreeSet::new();
    let failures = editd_engine::failures(&job, &plan, left_out).into_iter().take(OTHER_ERRORS);
    failures
        .filter_map(|failure| {
            let told = places::named(state, caller, &checked.snapshot, Box::new(failure));
            let told = why::explained(state, &checked.snapshot, &known, told);
            // For a file that is stale as well, one refusal shows what changed.
            let stale = told.path.clone().filter(|path| checked.bases.contains_key(path));
            match stale {
                Some(path) if !unfit.insert(path.clone()) => None,
                Some(_) => Some(plan::unfit(state, checked, caller, told)),
                None => Some(told),
            }
        })
        .collect()
}

/// Returns the refusals of a job's other files for reasons other than a failing edit: lines that the session has not
/// seen, and changes that cannot be merged into the present content.
pub(super) fn further(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &CheckedJob,
    current: &BTreeMap<FilePath, FileState>,
    left_out: &BTreeMap<usize, Refusal>,
) -> Vec<Refusal> {
    if checked.where_seen.is_empty() && current.is_empty() {
        return Vec::new();
    }
    let Some((_, mut plan)) = in_part(state, caller, checked, left_out) else { return Vec::new() };
    let mut refusals = unread::of_plan(state, &plan, checked);
    refusals.extend(conflicts(state, caller, checked, current, &mut plan));
    refusals
}

/// Returns the refusals of changes that cannot be moved onto the present contents.
pub(super) fn conflicts(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &CheckedJob,
    current: &BTreeMap<FilePath, FileState>,
    plan: &mut Plan,
) -> Vec<Refusal> {
    let conflicts = rebase::onto(state, checked, current, plan);
    conflicts.into_iter().map(|conflict| stale::conflict(state, caller, checked, conflict)).collect()
}
