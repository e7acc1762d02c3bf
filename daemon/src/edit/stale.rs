//! The refusal of a job whose file is not the one that its session has seen: with everything that is needed to try
//! again without another read, and a read receipt for the lines that it shows.
//!
//! *Invariants*: after a refusal the session has a receipt for the present content, with the lines that it knew and
//! those that the refusal shows. So an edit that quotes passes when it is sent again. The refusal of one that does not
//! quote names the missing lines, and each further refusal shows more of them.

use std::sync::Arc;

use editd_engine::{FileState, Refusal};
use editd_proto::error::{ChangeAuthor, ErrorCode, OutsideWord, RequestError, WouldApply};
use editd_proto::message::{EntryKind, OnStale};
use editd_proto::path::FilePath;

use super::expects::Verdict;
use super::numbers::{self, UnclearNumbers};
use super::rebase::{self, Obstacle};
use super::shown::{self, ChangeSinceRead};
use super::staleness::{CheckedJob, later_stage_moved};
use super::trial::{TrialPlan, lines_of};
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
    let failures = trial.as_ref().map(|trial| &*trial.failures).unwrap_or_default();
    let further = match error.moved.first() {
        Some(first) => {
            (error.edit, error.cause) = (Some(first.edit), None);
            failures
        }
        // The reason of the first failure is `cause`.
        None => failures.get(1..).unwrap_or_default(),
    };
    let further = further.to_vec();
    let blind = trial.as_ref().is_some_and(|trial| trial.blind);
    error.would_apply = match trial {
        None => None,
        Some(trial)
            if error.moved.is_empty()
                && error.message.is_empty()
                && trial.would_apply(state, checked, path) =>
        {
            Some(WouldApply::Clean)
        }
        Some(_) => Some(WouldApply::Conflict),
    };
    let named = named_base(checked, path);
    if let (Some(rebase::NOT_STORED), Some(base)) = (why, named) {
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
    if !error.moved.is_empty() {
        error.message = numbers::sentence(path, &version, &error.moved);
    } else if error.message.is_empty() {
        let own = own.map_or_else(String::new, |job| format!(" by this session's own job {job}"));
        let what = match named {
            Some(base) => format!("{path} does not have the content of `base` \"{base}\""),
            None => format!("{path} changed since it was read{own}"),
        };
        // The same `base` would be refused again.
        let with = named.map_or_else(String::new, |_| format!(" with `base` \"{}\"", version.0));
        let then = match error.would_apply {
            Some(WouldApply::Clean) => format!("its edits fit the present content: send them again{with}"),
            _ => format!("look at what changed, adapt the job, and send it again{with}"),
        };
        error.message = format!("{what}; {then}");
    }
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
/// session's receipt for these lines. Returns the lines that the job names by number and that have moved or changed. Sets
/// the message if nobody knows which lines a later stage means.
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
    let entries = &checked.snapshot.request.job.entries;
    let entry = entries.iter().find(|entry| entry.path == *path);
    let unclear = entry.filter(|entry| entry.base.is_none()).map_or_else(UnclearNumbers::default, |entry| {
        numbers::unclear(state, entry, &known.numbered, &found.bytes)
    });
    let mut stages =
        (0..entries.len()).filter(|at| entries.get(*at).is_some_and(|entry| entry.path == *path));
    if let Some(later) = stages.find_map(|at| later_stage_moved(checked, at, path, &known.numbered)) {
        (error.message, error.edit) = (later.message, later.edit);
    }
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
            let mut wanted = shown::unseen_lines(&trial.plan, (path, &found.bytes), &ranges);
            wanted.extend(numbers::unshown(unclear.unknown, &shown_lines, &found.bytes));
            let wanted = ranges::union(wanted);
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
    let mut shown = diff.shown;
    if let (Some(last), FileState::File { bytes, .. }) = (shown.last_mut(), after) {
        *last = shown::with_last_line(*last, bytes, shown::last_text_line(bytes));
    }
    (shown, diff.omitted)
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
