//! The refusal of a job that replaces lines that its session has not seen: with the version, as many of the lines as
//! can be shown, and the call that continues.

use std::collections::BTreeSet;

use editd_engine::{FileState, LineBreak, Plan, Refusal};
use editd_proto::error::{ErrorCode, RequestError, WouldApply};
use editd_proto::path::FilePath;

use super::shown;
use super::staleness::CheckedJob;
use super::trial::TrialPlan;
use crate::disk::{FileSnapshot, Observation};
use crate::receipt::lines::{SplicedContent, cut_lines, last_line, line_shifts, lines_after};
use crate::receipt::ranges::LineRange;
use crate::receipt::{NO_LINES, ranges};
use crate::state::WorkspaceState;

/// Returns the refusal of an entry whose session has not read the file.
pub(super) fn refusal(
    state: &WorkspaceState,
    checked: &CheckedJob,
    (path, found): (&FilePath, &FileSnapshot),
) -> Refusal {
    let known = checked.seen.get(path).filter(|seen| seen.hash == Some(found.meta.hash));
    let seen = known.map_or_else(|| vec![NO_LINES], |seen| seen.ranges.clone());
    let trial = TrialPlan::run(state, checked, path);
    let failing = trial.as_ref().map(|trial| failing(checked, trial)).unwrap_or_default();
    let mut wanted = trial.map(|trial| {
        let named = trial.plan.changes.iter().any(|change| change.path == *path);
        let lines = shown::unseen_lines(&trial.plan, (path, &found.bytes), &seen);
        if named { lines } else { vec![(1, last_line(&found.bytes))] }
    });
    let wanted = wanted.get_or_insert_with(|| vec![(1, last_line(&found.bytes))]);
    of_lines(state, checked, (path, found), (wanted, &[]), failing)
}

/// Returns the refusal of an entry with line numbers under which its session was shown nothing, and the other lines
/// that it has not seen.
pub(super) fn of_numbers(
    state: &WorkspaceState,
    checked: &CheckedJob,
    (path, found): (&FilePath, &FileSnapshot),
    mut lines: Vec<(u64, u64)>,
) -> Refusal {
    let (mut needed, mut failing) = (Vec::new(), Vec::new());
    if let (Some(trial), Some(seen)) = (TrialPlan::run(state, checked, path), checked.seen.get(path)) {
        needed = shown::unseen_lines(&trial.plan, (path, &found.bytes), &[]);
        failing = self::failing(checked, &trial);
        // Of lines that do not fit, each refusal shows a part: the next one goes on behind it.
        lines = ranges::union(lines);
        let ends = lines.first().zip(lines.last());
        let span = ends.map_or(0, |(first, last)| cut_lines(&found.bytes, (first.0, last.1)).len());
        let left = ranges::uncovered_of(&seen.ranges, &lines);
        if span > checked.diffs.get() && !seen.ranges.is_empty() && !left.is_empty() {
            lines = left;
        }
        lines.extend(match seen.ranges.as_slice() {
            [] => Vec::new(),
            some => shown::unseen_lines(&trial.plan, (path, &found.bytes), some),
        });
    }
    of_lines(state, checked, (path, found), (&ranges::union(lines), &needed), failing)
}

/// The advice of a refusal that shows all lines.
const ALL_SHOWN: &str = "the refusal shows all of that: send the job again";

/// The same if other edits fail, too.
const ALL_SHOWN_BUT: &str =
    "the refusal shows all of that: correct the edits in `others`, and send the job again";

/// Changes the advice of a refusal that stands before `others`, if one of them needs more than that the job is sent again.
pub(super) fn advise_correction(first: &mut RequestError, others: &[RequestError]) {
    let fails = |other: &RequestError| {
        other.code != ErrorCode::Unread && other.would_apply != Some(WouldApply::Clean)
    };
    if first.code == ErrorCode::Unread && others.iter().any(fails) {
        first.message = first.message.replacen(ALL_SHOWN, ALL_SHOWN_BUT, 1);
    }
}

/// Returns the errors of the edits that would fail once the session has seen all lines.
fn failing(checked: &CheckedJob, trial: &TrialPlan) -> Vec<RequestError> {
    if checked.snapshot.request.job.partial { Vec::new() } else { trial.failures.clone() }
}

/// Returns true if some lines of a content have no text: a deletion of a definition takes those beside it, too.
fn are_blank(content: &[u8], lines: LineRange) -> bool {
    let (kind, lines) = (LineBreak::of(content), cut_lines(content, lines));
    !lines.is_empty() && lines.chunks(kind.width()).all(|unit| kind.is_white(unit))
}

/// Returns the refusal of edits that replace lines that the session has not seen (`wanted`). `needed` are all lines that
/// the edits replace. `failing` are the errors of edits that fail for another reason.
pub(super) fn of_lines(
    state: &WorkspaceState,
    checked: &CheckedJob,
    (path, found): (&FilePath, &FileSnapshot),
    (wanted, needed): (&[LineRange], &[LineRange]),
    failing: Vec<RequestError>,
) -> Refusal {
    let version = found.meta.hash.version();
    let end = shown::last_text_line(&found.bytes);
    let wanted: Vec<(u64, u64)> =
        wanted.iter().map(|(first, last)| ((*first).min(end), (*last).min(end))).collect();
    let wanted = ranges::union(wanted);
    let (excerpts, shown) = shown::excerpts(state, checked, (path, &found.bytes), &wanted);
    let (first, last) = wanted.first().copied().unwrap_or((1, 1));
    let more = match wanted.len().saturating_sub(1) {
        0 => String::new(),
        1 => " and those at 1 more place".to_owned(),
        more => format!(" and those at {more} more places"),
    };
    let lines =
        if first >= last { format!("line {first}{more}") } else { format!("lines {first} to {last}{more}") };
    let entries = &checked.snapshot.request.job.entries;
    let deletes = entries.iter().any(|entry| entry.path == *path && entry.only_deletes());
    let does = if deletes { "deletes" } else { "edits without quoting" };
    let what = format!("this session has not seen {lines} of {path}, which the job {does}");
    let then = if shown::cover(&shown, &wanted) {
        ALL_SHOWN.to_owned()
    } else {
        let from = shown.last().map_or(first, |(_, last)| last + 1);
        match deletes && !shown.is_empty() {
            true => format!(
                "it shows as much as fits: send the job again to delete it, or read the rest first, from line {from}"
            ),
            false => format!("it shows as much as fits: read the rest, from line {from}"),
        }
    };
    let message = format!(
        "{what}; {then}, or with `base` \"{}\" (a client that reads files itself: `base` \"sha256:…\" of what it read)",
        version.0
    );
    let mut error = RequestError::new(ErrorCode::Unread, message).at(path);
    error.line = Some(first);
    error.version = Some(version);
    error.excerpts = excerpts;
    advise_correction(&mut error, &failing);
    error.others = failing;
    shown::widen(state, checked, (path, &error), (shown, needed));
    Box::new(error)
}

/// Returns the refusals of the paths where an edit replaces, without quoting them, lines that its session was not
/// shown.
pub(super) fn of_plan(state: &WorkspaceState, plan: &Plan, checked: &CheckedJob) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    let mut told = BTreeSet::new();
    for change in plan.changes.iter().filter(|change| checked.where_seen.contains(&change.path)) {
        let path = &change.path;
        let (Some(seen), FileState::File { bytes, .. }) = (checked.seen.get(path), &change.before) else {
            continue;
        };
        let mut missing = shown::unseen_unquoted(change, bytes, &seen.ranges);
        missing.retain(|lines| !are_blank(bytes, *lines));
        if missing.is_empty() || !told.insert(path) {
            continue;
        }
        let Some(found) = checked.snapshot.observations.get(path).and_then(Observation::found) else {
            let message =
                format!("{path} was removed, and the job replaces lines that this session has not seen");
            refusals.push(Box::new(RequestError::new(ErrorCode::Unread, message).at(path)));
            continue;
        };
        // It may be planned on an older content: then the session needs the present lines.
        let shifts = match found.bytes == *bytes {
            true => Vec::new(),
            false => {
                let splices = editd_engine::splices_between(bytes, &found.bytes);
                line_shifts(&SplicedContent::new(bytes, &splices))
            }
        };
        let present = |lines: Vec<(u64, u64)>| {
            ranges::union(lines.into_iter().map(|lines| lines_after(lines, &shifts)).collect())
        };
        let needed = present(shown::unseen_unquoted(change, bytes, &[]));
        refusals.push(of_lines(state, checked, (path, found), (&present(missing), &needed), Vec::new()));
    }
    refusals
}
