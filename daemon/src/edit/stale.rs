//! The refusal of a job whose file is not the one that its session has seen: with everything that is needed to try
//! again without another read, and a read receipt for the lines that it shows.
//!
//! *Invariants*: after a refusal the session has a receipt for the present content, with the lines that it knew and
//! those that the refusal shows. So an edit that quotes passes when it is sent again. The refusal of one that does not
//! quote names the missing lines, and each further refusal shows more of them.

use std::sync::Arc;

use editd_engine::{FileState, Refusal};
use editd_proto::error::{ChangeAuthor, ErrorCode, MovedLines, OutsideWord, RequestError, WouldApply};
use editd_proto::ids::Version;
use editd_proto::message::{EntryKind, OnStale};
use editd_proto::path::FilePath;

use super::expects::Verdict;
use super::numbers::{self, UnclearNumbers};
use super::rebase::{self, Obstacle};
use super::shown::{self, ChangeSinceRead};
use super::staleness::CheckedJob;
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
    let Misplaced { moved, later } = show_change(state, checked, (path, found), trial.as_ref(), &mut error);
    let misplaced = moved.first().map(|first| first.edit).or(later.as_ref().and_then(|later| later.edit));
    let failures = trial.as_ref().map(|trial| &*trial.failures).unwrap_or_default();
    let further = if misplaced.is_some() {
        (error.edit, error.cause) = (misplaced, None);
        failures
    } else {
        // The reason of the first failure is `cause`.
        failures.get(1..).unwrap_or_default()
    };
    let further = further.to_vec();
    let blind = trial.as_ref().is_some_and(|trial| trial.blind);
    error.would_apply = match trial {
        None => None,
        Some(trial) if misplaced.is_none() && trial.would_apply(state, checked, path) => {
            Some(WouldApply::Clean)
        }
        Some(_) => Some(WouldApply::Conflict),
    };
    (error.version, error.moved, error.others) = (Some(version.clone()), moved, further);
    let named = named_base(checked, path);
    if let (Some(rebase::NOT_STORED), Some(base)) = (why, named) {
        error.message = format!(
            "no content of {path} with the version {base} is stored; read the file and name the version that you get; \
             a quotation needs no `base`"
        );
        // Nobody knows what line numbers of an unknown content mean.
        error.would_apply = error.would_apply.filter(|_| !blind);
        return Box::new(error);
    }
    error.message = match later {
        _ if !error.moved.is_empty() => numbers::sentence(path, &version, &error.moved),
        Some(later) => later.message,
        None => {
            let what = match named {
                Some(base) => format!("{path} does not have the content of `base` \"{base}\""),
                None => {
                    let own = own.map_or_else(String::new, |job| format!(" by this session's own job {job}"));
                    format!("{path} changed since it was read{own}")
                }
            };
            format!("{what}; {}", advice(error.would_apply, named.map(|_| &version)))
        }
    };
    error.message.push_str(&obstacle(why));
    Box::new(error)
}

/// Returns the advice of a stale refusal. A job that names a base must name the present version (`renamed`): the same base
/// would be refused again.
fn advice(would: Option<WouldApply>, renamed: Option<&Version>) -> String {
    let with = renamed.map_or_else(String::new, |version| format!(" with `base` \"{}\"", version.0));
    match would {
        Some(WouldApply::Clean) => format!("its edits fit the present content: send them again{with}"),
        _ => format!("look at what changed, adapt the job, and send it again{with}"),
    }
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
/// session's receipt for these lines. Returns the numbers that do not identify the lines that are meant.
fn show_change(
    state: &WorkspaceState,
    checked: &CheckedJob,
    (path, found): (&FilePath, &FileSnapshot),
    trial: Option<&TrialPlan>,
    error: &mut RequestError,
) -> Misplaced {
    let Some(seen) = checked.seen.get(path) else { return Misplaced::default() };
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
    let later = stages.find_map(|at| numbers::of_later_stage(checked, at, path, &known.numbered));
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
    Misplaced { moved: unclear.moved, later }
}

/// The line numbers of a stale job that may be meant in the content that was read or in the present one.
#[derive(Default)]
struct Misplaced {
    /// The lines that have moved or changed.
    moved: Vec<MovedLines>,
    /// The refusal of a later stage whose numbers nobody can place.
    later: Option<Refusal>,
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
