//! The refusal of a job whose file is not the one that its session has seen: with everything that is needed to try
//! again without another read, and a read receipt for the lines that it shows.
//!
//! *Invariants*: after a refusal the session has a receipt for the present content, with the lines that it knew and
//! those that the refusal shows. So an edit that quotes passes when it is sent again. The refusal of one that does not
//! quote names the missing lines, and each further refusal shows more of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_engine::{ContentProof, FileState, Job, Plan, PlanOptions, Refusal};
use editd_proto::error::{ChangeAuthor, ErrorCode, NearMiss, OutsideWord, RequestError, WouldApply};
use editd_proto::limits::OTHER_ERRORS;
use editd_proto::message::{EditStatus, EntryKind, OnStale};
use editd_proto::path::FilePath;

use super::expects::Verdict;
use super::numbers::{self, UnclearNumbers};
use super::rebase::{self, Obstacle};
use super::shown::{self, ChangeSinceRead};
use super::staleness::CheckedJob;
use crate::caller::Caller;
use crate::disk::{FileSnapshot, Observation};
use crate::journal::moved::{MovedFile, moved};
use crate::receipt::{self, ranges};
use crate::state::WorkspaceState;

/// Returns the refusal for a verdict that is not `Fresh`; `why` is the reason why the entry was not rebased.
pub(super) fn refusal(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &CheckedJob,
    path: &FilePath,
    verdict: Verdict,
    why: Option<Obstacle>,
) -> Refusal {
    let observation = checked.snapshot.observations.get(path).unwrap_or(&Observation::Absent);
    match (verdict, observation.found()) {
        (Verdict::Unread, Some(found)) => super::unread::refusal(state, checked, (path, found)),
        (Verdict::Exists, _) => {
            let message =
                format!("{path} exists, and the job expects that it does not; read it and edit its content");
            let mut error = RequestError::new(ErrorCode::Exists, message).at(path);
            error.version = observation.hash().map(|hash| hash.version());
            Box::new(error)
        }
        (_, Some(found)) => stale(state, caller, checked, (path, found), why),
        (_, None) => gone(state, caller, checked, path, why),
    }
}

/// Returns the refusal of a job whose file no longer exists.
fn gone(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &CheckedJob,
    path: &FilePath,
    why: Option<Obstacle>,
) -> Refusal {
    let trial = TrialPlan::run(state, checked, path);
    let would = trial.map(|trial| if trial.fits() { WouldApply::Clean } else { WouldApply::Conflict });
    let moved = moved(state, path);
    let what = match (&moved, would) {
        (Some(MovedFile { to, sentence, .. }), would) => {
            let again =
                if would == Some(WouldApply::Clean) { ", or send the job again to create it" } else { "" };
            format!("no longer exists: {sentence}; name {to}{again}")
        }
        (None, Some(WouldApply::Clean)) => "no longer exists; send the job again to create it".to_owned(),
        (None, _) => "no longer exists; leave it out of the job, or create it with `write`".to_owned(),
    };
    let mut error = RequestError::new(ErrorCode::Stale, format!("{path} {what}{}", obstacle(why))).at(path);
    (error.by, _) = by(state, caller, path, &Observation::Absent);
    let is_moved = moved.is_some();
    error.cause = moved.map(|moved| moved.sentence);
    error.would_apply = would.filter(|would| !is_moved || *would == WouldApply::Clean);
    if let Some(seen) = checked.seen.get(path) {
        // A moved file has its content elsewhere.
        let old = seen.hash.filter(|_| !is_moved).and_then(|hash| state.store.content(hash));
        if let Some(old) = old {
            show_diff(checked, path, (&file(old.into()), &FileState::Absent), &[], &mut error);
        }
        let absent = receipt::absent(state.clock.wall_ms());
        checked.pending.add((path, &error), None, absent, Vec::new());
    }
    Box::new(error)
}

/// Returns the base that the job names for a file.
fn named_base<'j>(checked: &'j CheckedJob, path: &FilePath) -> Option<&'j str> {
    let mut entries = checked.snapshot.request.job.entries.iter().filter(|entry| entry.path == *path);
    entries.find_map(|entry| entry.base.as_deref())
}

fn obstacle(why: Option<Obstacle>) -> String {
    why.map_or_else(String::new, |why| format!(" (it was not rebased: {why})"))
}

/// Returns the refusal of a job whose file was changed by others, or by other jobs of its session.
fn stale(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &CheckedJob,
    (path, found): (&FilePath, &FileSnapshot),
    why: Option<Obstacle>,
) -> Refusal {
    let mut error = RequestError::new(ErrorCode::Stale, String::new()).at(path);
    let version = found.meta.hash.version();
    let observation = checked.snapshot.observations.get(path).unwrap_or(&Observation::Absent);
    let (by, own) = by(state, caller, path, observation);
    error.by = by;
    let trial = TrialPlan::run(state, checked, path);
    error.moved = show_change(state, checked, (path, found), trial.as_ref(), &mut error);
    let partial = checked.snapshot.request.job.partial;
    let further = trial.as_ref().filter(|_| !partial).map(|trial| trial.further.clone()).unwrap_or_default();
    let blind = trial.as_ref().is_some_and(|trial| trial.blind);
    error.would_apply = match trial {
        None => None,
        Some(trial) if error.moved.is_empty() && trial.would_apply(state, checked, path) => {
            Some(WouldApply::Clean)
        }
        Some(_) => Some(WouldApply::Conflict),
    };
    let own = own.map_or_else(String::new, |job| format!(" by this session's own job {job}"));
    if why == Some(rebase::NOT_STORED)
        && let Some(base) = named_base(checked, path)
    {
        error.message = format!(
            "no content of {path} with the version {base} is stored; read the file and name the version that you get; \
             a quotation needs no `base`"
        );
        // Nobody knows what line numbers of an unknown content mean.
        error.would_apply = error.would_apply.filter(|_| !blind);
        error.version = Some(version);
        error.others = further;
        return Box::new(error);
    }
    error.message = match error.would_apply {
        _ if !error.moved.is_empty() => numbers::sentence(path, &version, &error.moved),
        Some(WouldApply::Clean) => {
            format!(
                "{path} changed since it was read{own}; its edits fit the present content: send them again"
            )
        }
        _ => format!(
            "{path} changed since it was read{own}; look at what changed, adapt the job, and send it again"
        ),
    };
    error.message.push_str(&obstacle(why));
    error.version = Some(version);
    error.others = further;
    Box::new(error)
}

/// Adds to a conflict what a stale refusal shows, so that the job can be adapted without another read. A job that
/// neither asked for a rebase nor named lines by number gets the stale refusal itself.
pub(super) fn conflict(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &CheckedJob,
    mut refusal: Refusal,
) -> Refusal {
    let Some(path) = refusal.path.clone() else { return refusal };
    let Some(observation) = checked.snapshot.observations.get(&path) else { return refusal };
    let request = &checked.snapshot.request;
    let named = request.job.entries.iter().any(|entry| entry.path == path && !entry.named_lines().is_empty());
    if request.on_stale != Some(OnStale::Rebase) && !named {
        return self::refusal(state, caller, checked, &path, Verdict::Stale, None);
    }
    refusal.version = observation.hash().map(|hash| hash.version());
    let own;
    (refusal.by, own) = by(state, caller, &path, observation);
    if let Some(job) = own {
        refusal.message =
            refusal.message.replacen("others changed", &format!("this session's own job {job} changed"), 1);
    }
    if let Some(found) = observation.found() {
        let trial = TrialPlan::run(state, checked, &path);
        show_change(state, checked, (&path, found), trial.as_ref(), &mut refusal);
        refusal.near_misses.clear();
    }
    refusal
}

/// Adds to an error what changed near the edits and the lines that edits replace without quoting them, and renews the
/// session's receipt for these lines. Returns the lines that the job names by number and that have moved or changed.
fn show_change(
    state: &WorkspaceState,
    checked: &CheckedJob,
    (path, found): (&FilePath, &FileSnapshot),
    trial: Option<&TrialPlan>,
    error: &mut RequestError,
) -> Vec<editd_proto::error::MovedLines> {
    let Some(seen) = checked.seen.get(path) else { return Vec::new() };
    let now = state.clock.wall_ms();
    let since_read = ChangeSinceRead::find(state, checked, seen, found);
    let known = since_read.renewed(seen, found, (&[], false), now);
    let entry = checked.snapshot.request.job.entries.iter().find(|entry| entry.path == *path);
    let unclear = entry.filter(|entry| entry.base.is_none()).map_or_else(UnclearNumbers::default, |entry| {
        numbers::unclear(state, entry, &known.numbered, &found.bytes)
    });
    let mut near: Vec<(u64, u64)> = trial.map(|trial| trial.lines.clone()).unwrap_or_default();
    near.extend(unclear.moved.iter().filter_map(|moved| moved.now));
    let mut shown_lines = Vec::new();
    let mut whole = false;
    if let Some(old) = &since_read.old {
        let states = (&file(old.clone()), &file(found.bytes.clone()));
        let (lines, omitted) = show_diff(checked, path, states, &near, error);
        (shown_lines, whole) = (lines, omitted == 0);
    } else if seen.hash.is_none() {
        let (lines, omitted) =
            show_diff(checked, path, (&FileState::Absent, &file(found.bytes.clone())), &near, error);
        (shown_lines, whole) = (lines, omitted == 0);
    }
    if let Some(trial) = trial {
        // With all changes, a session that had read the whole file knows all lines.
        if trial.blind && !(whole && seen.ranges.is_empty()) {
            let ranges = ranges::union(known.ranges.iter().chain(&shown_lines).copied().collect());
            let wanted = shown::unseen_lines(&trial.plan, (path, &found.bytes), &ranges);
            let (excerpts, lines) = shown::excerpts(state, checked, (path, &found.bytes), &wanted);
            error.excerpts = excerpts;
            shown_lines.extend(lines);
        }
        show_nearest(checked, trial, error, &mut shown_lines);
    }
    let shown_lines = ranges::union(shown_lines);
    let renewed = since_read.renewed(seen, found, (&shown_lines, whole), now);
    checked.pending.add((path, error), Some(found), renewed, shown_lines);
    unclear.moved
}

/// Adds the lines most similar to quotations that the file no longer has.
fn show_nearest(
    checked: &CheckedJob,
    trial: &TrialPlan,
    error: &mut RequestError,
    shown: &mut Vec<(u64, u64)>,
) {
    for miss in &trial.nearest {
        let Some(left) = checked.diffs.get().checked_sub(miss.text.len()) else { break };
        checked.diffs.set(left);
        shown.push(lines_of(miss));
        error.near_misses.push(miss.clone());
    }
    error.edit = error.edit.or(trial.failed);
    error.cause = error.cause.take().or_else(|| trial.cause.clone());
}

/// Returns the lines of the file that a near miss shows, without the lines of the quotation that it shows beside them.
fn lines_of(miss: &NearMiss) -> (u64, u64) {
    let lines = miss.text.lines().filter(|line| !line.trim_start().starts_with("quoted")).count() as u64;
    (miss.line, (miss.line + lines).saturating_sub(1))
}

/// Adds a diff with the hunks nearest to some lines, as far as the refusals of the job may show more. Returns the
/// lines that it shows and the number of hunks that it leaves out.
fn show_diff(
    checked: &CheckedJob,
    path: &FilePath,
    (before, after): (&FileState, &FileState),
    near: &[(u64, u64)],
    error: &mut RequestError,
) -> (Vec<(u64, u64)>, u64) {
    let left = checked.diffs.get();
    let diff = editd_engine::nearby_diff(path, before, after, near, (left, None));
    checked.diffs.set(left.saturating_sub(diff.text.len()));
    error.omitted_hunks = (diff.omitted > 0).then_some(diff.omitted);
    error.diff = (!diff.text.is_empty()).then_some(diff.text);
    (diff.shown, diff.omitted)
}

fn file(bytes: Arc<[u8]>) -> FileState {
    FileState::File { bytes, mode: 0o644 }
}

/// Returns the author of the last change of a file, and the job if it was the session's own. A change that the session
/// only announced is not: another program may have made it.
pub(super) fn by(
    state: &WorkspaceState,
    caller: &Caller,
    path: &FilePath,
    observation: &Observation,
) -> (Option<ChangeAuthor>, Option<editd_proto::ids::JobId>) {
    let outside = (Some(ChangeAuthor::Outside(OutsideWord::Outside)), None);
    let Ok(Some((id, left))) = state.store.last_of(path) else { return outside };
    if left != observation.hash() {
        return outside;
    }
    match state.store.summary(id) {
        Ok(Some(entry)) if !entry.is_outside() => {
            let own = entry.session == caller.session && entry.kind != EntryKind::External;
            (Some(ChangeAuthor::Entry(id)), own.then_some(id))
        }
        _ => outside,
    }
}

/// Returns an error with the edit and the reason, without the excerpts of the file that the refusal shows anyway.
fn in_short(error: &RequestError) -> RequestError {
    RequestError {
        path: error.path.clone(),
        edit: error.edit,
        file: error.file,
        line: error.line,
        ..RequestError::new(error.code, error.message.clone())
    }
}

/// The job's edits of one file, planned on the present content.
pub(super) struct TrialPlan {
    /// The plan of the edits that fit.
    pub(super) plan: Plan,
    /// The lines of the present content near the edits.
    lines: Vec<(u64, u64)>,
    /// The number of the first edit that does not fit, and the reason in `cause`.
    failed: Option<u64>,
    cause: Option<String>,
    /// The errors of the other edits that do not fit.
    further: Vec<RequestError>,
    /// The lines most similar to quotations that the file does not have.
    nearest: Vec<NearMiss>,
    /// True if an edit replaces text that it does not quote.
    blind: bool,
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
                let (failed, cause) = (Some(refusal.edit.unwrap_or(1)), Some(refusal.message));
                let plan = Plan { changes: Vec::new(), clips: Vec::new(), files: Vec::new(), error: None };
                let (lines, nearest) = (Vec::new(), Vec::new());
                return Some(Self { plan, lines, failed, cause, further: Vec::new(), nearest, blind, alone });
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
        let others = editd_engine::failures(&alone, &plan, &BTreeMap::new()).into_iter();
        let further = others.skip(1).take(OTHER_ERRORS).map(|other| in_short(&other)).collect();
        Some(Self { plan, lines, failed, cause, further, nearest, blind, alone })
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
    fn would_apply(&self, state: &WorkspaceState, checked: &CheckedJob, path: &FilePath) -> bool {
        let mut alone = self.alone.clone();
        alone.partial = false;
        let numbers_alone =
            alone.entries.iter().all(|entry| entry.named_lines().len() == entry.edits().len());
        let merges =
            if self.blind && !numbers_alone { rebase::trial(state, checked, &alone, path) } else { None };
        match merges {
            Some(would) => would == WouldApply::Clean,
            None => self.fits(),
        }
    }
}
