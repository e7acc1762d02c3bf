//! Merges the edits of a stale file one by one. Edits with one certain place in the current content are planned there;
//! the others are planned on the older content and merged by lines. It resolves no conflict: if both results change
//! the same line, or one of them fails, the result is `None`.
//!
//! *Limitations*: the edits of several stages are all located again, or none; a file of which some edits are merged has
//! `\n` or `\r\n` at its line ends and is UTF-8.

use std::ops::Range;

use editd_types::{EditOutcome, EditStatus, FileOutcome, JobStatus};

use super::again::{PathEdits, located, moved, planned};
use super::plan::follow;
use super::three::merged;
use crate::cut::Cut;
use crate::diff::Delta;
use crate::job::JobEntry;
use crate::op::Op;
use crate::splice::apply_hashed;
use crate::text::{Breaks, Encoding, Text};
use crate::{FileState, PlannedChange, QuotedLines, Splice};

/// A change of the current content, with the outcomes of its stages.
pub(super) struct RebasedChange {
    pub(super) change: PlannedChange,
    pub(super) outcomes: Vec<FileOutcome>,
}

/// The result for a part of the edits: splices of the current content, the outcomes of the edits in order, and
/// warnings.
struct PartialMerge {
    splices: Vec<Splice>,
    outcomes: std::vec::IntoIter<EditOutcome>,
    warnings: Vec<Vec<String>>,
}

/// Merges the edits of a change that was planned on an older content, edit by edit, into the current content. Returns
/// `None` if no edit has a certain place there, or if the other edits cannot be merged beside them.
pub(super) fn edit_by_edit(
    change: &PlannedChange,
    stages: &[FileOutcome],
    path_edits: &PathEdits<'_>,
    state: &FileState,
) -> Option<RebasedChange> {
    let (FileState::File { mode: had, .. }, FileState::File { mode, .. }, FileState::File { mode: has, .. }) =
        (&change.before, &change.after, state)
    else {
        return None;
    };
    let current = path_edits.current;
    let places = located(path_edits)?;
    places.iter().flatten().flatten().next()?;
    let mut located = in_place(path_edits, &places)?;
    let mut others = by_lines(stages, path_edits, &places)?;
    separate(&mut located, &mut others, current)?;
    let (own, splices) = (&located.splices, &others.splices);
    let mut splices: Vec<Splice> = own.iter().chain(splices).cloned().collect();
    splices.sort_by_key(|splice| splice.at);
    let (after, hash) = apply_hashed(current, &splices, path_edits.options.hash_parts)?;
    let (added, removed) = Delta::of_splices(current, &after, &splices, None).totals();
    let mode = if mode == had { *has } else { *mode };
    let outcomes = outcomes(stages, &places, located, others)?;
    let after = FileState::File { bytes: after, mode };
    let (path, before) = (change.path.clone(), state.clone());
    let change = PlannedChange {
        path,
        before,
        after,
        hash: Some(hash),
        splices,
        quoted: QuotedLines::default(),
        added,
        removed,
    };
    Some(RebasedChange { change, outcomes })
}

/// Plans the edits that have a place in the current content.
fn in_place(path_edits: &PathEdits<'_>, places: &[Vec<Option<Op>>]) -> Option<PartialMerge> {
    let plan = planned(&moved(path_edits, places), path_edits.current, path_edits, false).ok()?;
    let warnings = plan.files.iter().map(|file| file.warnings.clone()).collect();
    let outcomes: Vec<EditOutcome> = plan.files.into_iter().flat_map(|file| file.edits).collect();
    let splices = plan.changes.into_iter().next().map(|change| change.splices).unwrap_or_default();
    Some(PartialMerge { splices, outcomes: outcomes.into_iter(), warnings })
}

/// Plans the other edits on the older content, and merges the result.
fn by_lines(
    stages: &[FileOutcome],
    path_edits: &PathEdits<'_>,
    places: &[Vec<Option<Op>>],
) -> Option<PartialMerge> {
    let none = PartialMerge { splices: Vec::new(), outcomes: Vec::new().into_iter(), warnings: Vec::new() };
    let mut rest = Vec::new();
    for ((entry, places), stage) in path_edits.stages.iter().zip(places).zip(stages) {
        let edits = entry.edits.iter().zip(places).zip(&stage.edits);
        let left =
            edits.filter(|((_, place), adapted)| place.is_none() && adapted.status != EditStatus::Refused);
        let entry = JobEntry::of_ops(&entry.path, left.filter_map(|((op, _), _)| op.as_ref().ok().cloned()));
        if !entry.edits.is_empty() {
            rest.push(entry);
        }
    }
    let Some(entry) = rest.first() else { return Some(none) };
    let contents = path_edits.contents();
    let label = path_edits.options.label(&entry.path);
    let plain = |bytes| {
        Text::read(bytes, label)
            .is_ok_and(|text| text.encoding == Encoding::Utf8 && matches!(text.breaks, Breaks::Lf))
    };
    if path_edits.stages.len() > 1 || !plain(contents.base) || !plain(contents.current) {
        return None;
    }
    let plan = planned(&rest, path_edits.base, path_edits, false).ok()?;
    let splices = plan.changes.into_iter().next().map(|change| change.splices).unwrap_or_default();
    let merged = merged(contents.base, &splices, contents.current, label).ok()?;
    let mut outcomes: Vec<EditOutcome> = plan.files.into_iter().flat_map(|file| file.edits).collect();
    for edit in &mut outcomes {
        follow(edit, Some(&merged.theirs), merged.splices.is_empty());
    }
    Some(PartialMerge { splices: merged.splices, outcomes: outcomes.into_iter(), warnings: Vec::new() })
}

/// Adds to the new line numbers of each result the lines that the other one adds above them. Returns `None` if both
/// change the same line.
fn separate(located: &mut PartialMerge, others: &mut PartialMerge, current: &[u8]) -> Option<()> {
    if located.splices.is_empty() || others.splices.is_empty() {
        return Some(());
    }
    let (own, theirs) = (touched(&located.splices, current), touched(&others.splices, current));
    let meets = |lines: &TouchedLines| theirs.iter().any(|other| lines.meets(other));
    if own.iter().any(meets) {
        return None;
    }
    let starts: Vec<usize> =
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', current).map(|at| at + 1)).collect();
    for (way, other) in [(located, &theirs), (others, &own)] {
        let move_down = |mut edit: EditOutcome| {
            let start =
                edit.lines.and_then(|(first, _)| starts.get(usize::try_from(first).ok()?.checked_sub(1)?));
            let above = other.iter().filter(|lines| start.is_some_and(|start| lines.bytes.end <= *start));
            let gain: i64 = above.map(|lines| lines.gain).sum();
            let down = |line: u64| line.saturating_add_signed(gain);
            edit.now = edit.now.map(|(first, last)| (down(first), down(last)));
            edit
        };
        let moved: Vec<EditOutcome> = way.outcomes.by_ref().map(move_down).collect();
        way.outcomes = moved.into_iter();
    }
    Some(())
}

/// The lines that a splice changes, as a range of bytes of the content before, and the number of lines that it adds.
struct TouchedLines {
    bytes: Range<usize>,
    gain: i64,
}

impl TouchedLines {
    /// Returns true if both change the same line.
    fn meets(&self, other: &Self) -> bool {
        self.bytes.start < other.bytes.end && other.bytes.start < self.bytes.end
            || self.bytes.start == other.bytes.start
    }
}

fn touched(splices: &[Splice], content: &[u8]) -> Vec<TouchedLines> {
    let breaks = |bytes: &[u8]| i64::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(0);
    let lines = |splice: &Splice| {
        let at = usize::try_from(splice.at).unwrap_or(usize::MAX).min(content.len());
        let end = at.saturating_add(splice.old.len()).min(content.len());
        let start = memchr::memrchr(b'\n', content.cut(0..at)).map_or(0, |found| found + 1);
        let rest = content.cut(end..content.len());
        let end = memchr::memchr(b'\n', rest).map_or(content.len(), |found| end + found + 1);
        TouchedLines { bytes: start..end, gain: breaks(&splice.new) - breaks(&splice.old) }
    };
    splices.iter().map(lines).collect()
}

/// Returns the outcomes of the stages, with the outcome of each edit from the result that contains it.
fn outcomes(
    stages: &[FileOutcome],
    places: &[Vec<Option<Op>>],
    located: PartialMerge,
    others: PartialMerge,
) -> Option<Vec<FileOutcome>> {
    let PartialMerge { outcomes: mut in_place, warnings, .. } = located;
    let mut merged = others.outcomes;
    let all = merged.len() == 0;
    let mut warnings = warnings.into_iter();
    let mut adapted = Vec::with_capacity(stages.len());
    for (stage, places) in stages.iter().zip(places) {
        let mut outcome = stage.clone();
        for (edit, place) in outcome.edits.iter_mut().zip(places) {
            match place {
                Some(_) => *edit = in_place.next()?,
                None if edit.status == EditStatus::Refused => {}
                None => *edit = merged.next()?,
            }
        }
        if all && places.iter().any(Option::is_some) {
            outcome.warnings = warnings.next()?;
        }
        let made = outcome.edits.iter().any(|edit| edit.status == EditStatus::Applied);
        outcome.status = match outcome.status {
            JobStatus::Applied | JobStatus::Unchanged if made => JobStatus::Applied,
            JobStatus::Applied | JobStatus::Unchanged => JobStatus::Unchanged,
            other => other,
        };
        adapted.push(outcome);
    }
    Some(adapted)
}
