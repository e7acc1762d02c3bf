//! Rewrites a plan that was made on older contents as a change of the current contents. It plans nothing itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_types::{EditOutcome, EditStatus, ErrorCode, FileOutcome, FilePath, JobStatus};

use super::again::PathEdits;
use super::each::edit_by_edit;
use super::three::{Merged, merged};
use crate::diff::{Delta, LineChange, readable, unified_diff};
use crate::hash::hash;
use crate::job::{Job, JobEntry};
use crate::plan::Budget;
use crate::refusal::{internal, refuse};
use crate::splice::apply_hashed;
use crate::{FileState, Plan, PlanOptions, PlannedChange, Refusal, Splice};

/// The stale files of a job.
#[derive(Clone, Copy, Debug)]
pub struct StaleFiles<'s> {
    /// The job that was planned on their older contents.
    pub job: &'s Job,
    /// The clipboards of the snapshot on which the job was planned.
    pub clips: &'s BTreeMap<String, Vec<u8>>,
    /// The current contents of the files.
    pub current: &'s BTreeMap<FilePath, FileState>,
}

impl<'s> StaleFiles<'s> {
    /// Returns the entries of a path, one for each stage.
    fn stages(&self, path: &FilePath) -> Vec<&'s JobEntry> {
        self.job.entries.iter().filter(|entry| entry.path == *path).collect()
    }
}

/// Moves the changes of the stale files of a job, which was planned on older contents, to the current contents. Each
/// edit is moved to the current place of its quotation, and the other edits are merged by lines. If these two results
/// change the same line, all edits are merged by lines. Returns a refusal for each file that fails; then the plan must
/// not be used.
pub fn rebase(plan: &mut Plan, stale: StaleFiles<'_>, diffs: bool, options: &PlanOptions) -> Vec<Refusal> {
    let current = stale.current;
    let budget = Budget::new();
    let mut refusals = Vec::new();
    let mut outcomes: BTreeMap<FilePath, Vec<&mut FileOutcome>> = BTreeMap::new();
    for outcome in plan.files.iter_mut().filter(|outcome| current.contains_key(&outcome.path)) {
        outcomes.entry(outcome.path.clone()).or_default().push(outcome);
    }
    let mut merged = BTreeMap::new();
    for change in plan.changes.iter_mut().filter(|change| current.contains_key(&change.path)) {
        let Some(state) = current.get(&change.path) else { continue };
        let file_outcomes = outcomes.get_mut(&change.path);
        if file_outcomes
            .is_some_and(|file_outcomes| located_again(change, file_outcomes, state, stale, options))
        {
            continue;
        }
        match onto(change, state, options) {
            Ok(theirs) => drop(merged.insert(change.path.clone(), theirs)),
            Err(mut refusal) => {
                refusal.path = Some(change.path.clone());
                refusal.message = format!("{}: {}", change.path, refusal.message);
                refusals.push(refusal);
            }
        }
    }
    plan.changes.retain(|change| change.before != change.after);
    let changes: BTreeMap<&FilePath, &PlannedChange> =
        plan.changes.iter().map(|change| (&change.path, change)).collect();
    for (path, stages) in outcomes {
        let Some(state) = current.get(&path) else { continue };
        let change = changes.get(&path);
        let after = change.map_or(state, |change| &change.after);
        let splices = change.map_or(&[][..], |change| &change.splices);
        update_outcomes(stages, (state, after, splices), merged.get(&path), || {
            let change = change.filter(|_| diffs)?;
            let (diff, omitted) = match options.label(&path) {
                None => LineChange::new(&change.before, &change.after, &change.splices).diff(&path),
                label => {
                    let (before, after) = (readable(&change.before, label), readable(&change.after, label));
                    unified_diff(&path, &before, &after)
                }
            };
            let left_out = omitted + diff.matches("\n@@ ").count() as u64;
            Some(if budget.diff(diff.len()) { (Some(diff), omitted) } else { (None, left_out) })
        });
    }
    refusals
}

/// Moves one change with its outcomes, edit by edit. Returns false if that fails; then nothing is changed.
fn located_again(
    change: &mut PlannedChange,
    file_outcomes: &mut [&mut FileOutcome],
    state: &FileState,
    stale: StaleFiles<'_>,
    options: &PlanOptions,
) -> bool {
    let stages = stale.stages(&change.path);
    let (FileState::File { bytes: base, .. }, FileState::File { bytes: current, .. }) =
        (&change.before, state)
    else {
        return false;
    };
    let path_edits = PathEdits { stages: &stages, clips: stale.clips, options, base, current };
    let planned: Vec<FileOutcome> = file_outcomes.iter().map(|outcome| (**outcome).clone()).collect();
    let Some(moved) = edit_by_edit(change, &planned, &path_edits, state) else { return false };
    *change = moved.change;
    file_outcomes.iter_mut().zip(moved.outcomes).for_each(|(outcome, now)| **outcome = now);
    true
}

/// Moves one change by a merge of lines. Returns the changes that others made.
fn onto(change: &mut PlannedChange, state: &FileState, options: &PlanOptions) -> Result<Delta, Refusal> {
    let (
        FileState::File { bytes: base, mode: had },
        FileState::File { bytes: path_edits, mode },
        FileState::File { bytes, mode: has },
    ) = (&change.before, &change.after, state)
    else {
        return Err(refuse(
            ErrorCode::Conflict,
            "only changes of a file's text can be merged; read it and create the job again",
        ));
    };
    let Merged { splices, theirs } = if base == path_edits {
        Merged { splices: Vec::new(), theirs: Delta::default() }
    } else {
        merged(base, &change.splices, bytes, options.label(&change.path))?
    };
    let (after, hash) = apply_hashed(bytes, &splices, options.hash_parts)
        .ok_or_else(|| internal("merged splices do not fit the file; please report this job"))?;
    (change.added, change.removed) = Delta::of_splices(bytes, &after, &splices, None).totals();
    let mode = if mode == had { *has } else { *mode };
    change.splices = splices;
    change.after = FileState::File { bytes: Arc::clone(&after), mode };
    change.hash = Some(hash);
    change.before = state.clone();
    Ok(theirs)
}

/// Adapts the outcomes of the stages of one file, in order, to the current content.
fn update_outcomes(
    mut stages: Vec<&mut FileOutcome>,
    (before, after, splices): (&FileState, &FileState, &[Splice]),
    theirs: Option<&Delta>,
    diff: impl FnOnce() -> Option<(Option<String>, u64)>,
) {
    for outcome in &mut stages {
        (outcome.before, outcome.after, outcome.diff, outcome.omitted_hunks) = (None, None, None, None);
        (outcome.lines, outcome.places, outcome.added, outcome.removed) = Default::default();
        for edit in &mut outcome.edits {
            follow(edit, theirs, before == after);
        }
        if before == after && outcome.status == JobStatus::Applied {
            outcome.status = JobStatus::Unchanged;
        }
    }
    let version = |state: &FileState| match state {
        FileState::Absent => None,
        FileState::File { bytes, .. } => Some(hash(bytes).version()),
    };
    if let Some(first) = stages.first_mut() {
        first.before = version(before);
    }
    if let Some(last) = stages.last_mut() {
        last.after = version(after);
        LineChange::new(before, after, splices).describe(last);
        if let Some((diff, omitted)) = diff() {
            last.diff = diff;
            last.omitted_hunks = (omitted > 0).then_some(omitted);
        }
    }
}

/// Moves the lines of an edit's outcome by the changes of others. An edit that changes nothing now is `unchanged`.
pub(super) fn follow(edit: &mut EditOutcome, theirs: Option<&Delta>, changes_nothing: bool) {
    let planned = edit.lines;
    edit.lines = planned.map(|(first, last)| (now_at(theirs, first), now_at(theirs, last)));
    edit.now = planned.zip(edit.lines).zip(edit.now).and_then(|((from, to), now)| shifted(from, to, now));
    if changes_nothing && edit.status == EditStatus::Applied {
        edit.status = EditStatus::Unchanged;
    }
}

/// Returns the lines `now` of a planned content as lines of the merged content. The lines of the edit moved from
/// `from` to `to`. Returns `None` if others added or removed lines between the first and the last line of the edit.
fn shifted(from: (u64, u64), to: (u64, u64), now: (u64, u64)) -> Option<(u64, u64)> {
    let shift = i128::from(to.0) - i128::from(from.0);
    if shift != i128::from(to.1) - i128::from(from.1) {
        return None;
    }
    let moved = |line: u64| u64::try_from(i128::from(line) + shift).ok();
    Some((moved(now.0)?, moved(now.1)?))
}

/// Returns the current number of a line that others did not change.
fn now_at(theirs: Option<&Delta>, line: u64) -> u64 {
    let Some(theirs) = theirs else { return line };
    let before = theirs
        .changes
        .partition_point(|change| (change.line() + change.removed()) as u64 <= line.saturating_sub(1));
    let Some(last) = before.checked_sub(1).and_then(|at| theirs.changes.get(at)) else { return line };
    let old = (last.line() + last.removed()) as u64;
    let new = (last.new_line() + last.added()) as u64;
    line.saturating_sub(old).saturating_add(new)
}
