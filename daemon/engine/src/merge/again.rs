//! Locates the edits of an older content in a newer one: quotations by their text, line numbers by their lines. It
//! merges nothing: an edit without a certain place gets none.
//!
//! *Invariants*: a quoted text is located again only if it occurs once in each of the two contents, or in the same lines of
//! both if the edit names lines, and is found in the newer one at the same rung or a stricter one. A line number is moved only
//! if others did not change its line, and a comparison could not have placed the line elsewhere. So no line that others wrote
//! is replaced.

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_types::{EditOutcome, EditPosition, EditStatus};

use super::joined::joins_known_lines;
use super::slide::reaches;
use crate::diff::Delta;
use crate::job::{Job, JobEntry};
use crate::locate::Rung;
use crate::op::{Insert, Lines, Op};
use crate::text::{Breaks, Text};
use crate::{FileState, Plan, PlanOptions, Refusal, WorkspaceSnapshot, plan};

/// The content on which an entry is based, and the current content.
#[derive(Clone, Copy, Debug)]
pub struct BothContents<'c> {
    /// The content on which the entry is based.
    pub base: &'c [u8],
    /// The current content.
    pub current: &'c [u8],
}

/// The entries of one path, with the clipboards and options for planning them.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathEdits<'w> {
    /// The entries of the path, one for each stage.
    pub(super) stages: &'w [&'w JobEntry],
    /// The clipboards that the job may read.
    pub(super) clips: &'w BTreeMap<String, Vec<u8>>,
    /// The encodings of files, and the limit of memory.
    pub(super) options: &'w PlanOptions,
    /// The content on which the entries are based.
    pub(super) base: &'w Arc<[u8]>,
    /// The current content.
    pub(super) current: &'w Arc<[u8]>,
}

impl<'w> PathEdits<'w> {
    /// Returns both contents.
    pub(super) fn contents(&self) -> BothContents<'w> {
        BothContents { base: self.base, current: self.current }
    }
}

/// Returns the edits of a path that have one certain place in the current content, adapted to it, and `None` for each
/// other edit. The edits of several stages depend on each other: either all edits that have a place in the base get
/// one, or none of them does.
pub(super) fn located(path_edits: &PathEdits<'_>) -> Option<Vec<Vec<Option<Op>>>> {
    let contents = path_edits.contents();
    let stages: Vec<JobEntry> = path_edits.stages.iter().map(|entry| (*entry).clone()).collect();
    let first = trial(&stages, path_edits.base, path_edits)?;
    let bare: Vec<JobEntry> = stages.iter().map(without_hints).collect();
    let alone = trial(&bare, path_edits.base, path_edits)?;
    let label = path_edits.options.label(&stages.first()?.path);
    let map = LineMap::new(contents, label);
    let mut places: Vec<Vec<Option<Op>>> = Vec::with_capacity(bare.len());
    for (stage, entry) in bare.iter().enumerate() {
        let outcomes = first.get(stage)?.iter().zip(alone.get(stage)?);
        let edits = entry.edits.iter().zip(outcomes);
        let place = |(edit, (hinted, bare)): (&Result<Op, _>, (&EditOutcome, &EditOutcome))| {
            let edit = edit.as_ref().ok()?;
            match edit.named_lines() {
                _ if !found(hinted) => None,
                // The line numbers of a later stage refer to the result of the earlier one.
                Some(lines) if stage == 0 => renumbered(edit, map.as_ref()?.lines(lines)?),
                None if quotes_one(edit) => {
                    // Only a hint selected this place; the text occurs at others, too.
                    let same = hinted.lines == bare.lines;
                    // These two rungs do not only compare the text.
                    let loose = matches!(rung(bare), None | Some(Rung::Numbered | Rung::Fuzzy));
                    (same && !loose && found(bare)).then(|| edit.clone())
                }
                _ => None,
            }
        };
        places.push(edits.map(place).collect());
    }
    let whole = |places: &[Vec<Option<Op>>]| {
        let all = first.iter().flatten().zip(places.iter().flatten());
        bare.len() == 1 || all.into_iter().all(|(outcome, place)| place.is_some() || !found(outcome))
    };
    let moved = moved(path_edits, &places);
    let now = trial(&moved, path_edits.current, path_edits).filter(|_| whole(&places))?;
    let mut outcomes = now.iter().flatten();
    let known = (bare.len() == 1).then_some(contents);
    for (place, then) in places.iter_mut().flatten().zip(alone.iter().flatten()) {
        let Some(edit) = place.as_ref() else { continue };
        let now = outcomes.next()?;
        let certain = found(now)
            && (!quotes_one(edit) || rung(now) <= rung(then))
            && !made_already(edit, contents)
            && joins_known_lines(edit, (then, now), known, label);
        if !certain {
            *place = None;
        }
    }
    whole(&places).then_some(places)
}

/// Returns the entries of a path with only those edits that have a place. Entries without such an edit are left out.
pub(super) fn moved(path_edits: &PathEdits<'_>, places: &[Vec<Option<Op>>]) -> Vec<JobEntry> {
    let entries = path_edits
        .stages
        .iter()
        .zip(places)
        .map(|(entry, places)| JobEntry::of_ops(&entry.path, places.iter().flatten().cloned()));
    entries.filter(|entry| !entry.edits.is_empty()).collect()
}

/// Returns the outcomes of the edits of each stage on a content.
fn trial(
    stages: &[JobEntry],
    content: &Arc<[u8]>,
    path_edits: &PathEdits<'_>,
) -> Option<Vec<Vec<EditOutcome>>> {
    let plan = planned(stages, content, path_edits, true).ok()?;
    Some(plan.files.into_iter().map(|file| file.edits).collect())
}

/// Plans stages of one path on a content.
pub(super) fn planned(
    stages: &[JobEntry],
    content: &Arc<[u8]>,
    path_edits: &PathEdits<'_>,
    partial: bool,
) -> Result<Plan, Refusal> {
    let state = FileState::File { bytes: Arc::clone(content), mode: 0o644 };
    let path = stages.first().map(|entry| entry.path.clone());
    let files = path.map(|path| (path, state)).into_iter().collect();
    let snapshot = WorkspaceSnapshot { files, clips: path_edits.clips.clone() };
    let job = Job { partial, verify_only: false, diff: Some(false), entries: stages.to_vec() };
    plan(&job, &snapshot, path_edits.options)
}

fn found(outcome: &EditOutcome) -> bool {
    outcome.status != EditStatus::Refused
}

fn rung(outcome: &EditOutcome) -> Option<Rung> {
    outcome.rung.as_deref().and_then(Rung::named)
}

/// Returns true if an edit has one place, which its quoted text determines, in the lines that it names if it names any. The
/// edits of any other kind are merged by lines, unless they name lines and [`renumbered`] knows the kind. [`made_already`] must
/// know a kind that is listed here and can insert.
fn quotes_one(op: &Op) -> bool {
    match op {
        Op::Replace(op) => !op.all,
        Op::Chunk(op) => op.within.is_none(),
        Op::Hunk(op) => op.at.is_none(),
        Op::Insert(op) => op.anchor.is_some(),
        _ => false,
    }
}

/// Returns the entry without the line numbers near which its quotations are.
fn without_hints(entry: &JobEntry) -> JobEntry {
    let mut entry = entry.clone();
    entry.edits.iter_mut().flatten().filter(|op| quotes_one(op)).for_each(Op::forget_line);
    entry
}

/// Returns the edit with current line numbers.
fn renumbered(op: &Op, (start, end): (u64, u64)) -> Option<Op> {
    match op {
        Op::Replace(op) => Some(Op::Replace(Arc::new(op.in_lines((start, end))?))),
        Op::Chunk(op) => Some(Op::Chunk(Arc::new(op.in_lines((start, end))?))),
        Op::Lines(op) => Some(Op::Lines(Arc::new(Lines { start, end, ..(**op).clone() }))),
        Op::Insert(op) if matches!(op.at, EditPosition::Line(_)) => {
            Some(Op::Insert(Arc::new(Insert { at: EditPosition::Line(start), ..(**op).clone() })))
        }
        _ => None,
    }
}

/// Returns true if others may already have made the insertion of an edit: its text occurs more often than it did in
/// the base.
fn made_already(op: &Op, contents: BothContents<'_>) -> bool {
    match op {
        Op::Insert(op) => {
            let Some(text) = op.text.quoted().map(str::trim) else { return false };
            text.is_empty() || count(contents.current, text) > count(contents.base, text)
        }
        // A replacement whose new text contains the quoted text would be made twice.
        Op::Replace(op) => {
            let Some(new) = op.new.quoted() else { return false };
            new.contains(&op.old) && count(contents.current, new) > count(contents.base, new)
        }
        _ => false,
    }
}

fn count(content: &[u8], text: &str) -> usize {
    memchr::memmem::find_iter(content, text.as_bytes()).count()
}

/// The lines of one content that are unchanged in another.
pub struct LineMap {
    /// For each change of others, the bytes of the base in which it can lie, and the numbers of added and removed
    /// lines.
    changes: Vec<(std::ops::Range<usize>, i64)>,
    /// The offset of each line of the base.
    starts: Vec<usize>,
    len: usize,
}

impl LineMap {
    /// Compares two contents. Returns `None` if one of them is no text with line feeds alone, or their encodings differ.
    /// `label` is the encoding of files whose content does not tell theirs.
    pub fn new(contents: BothContents<'_>, label: Option<&str>) -> Option<Self> {
        let (base, now) = (Text::read(contents.base, label).ok()?, Text::read(contents.current, label).ok()?);
        if base.breaks != Breaks::Lf || now.breaks != Breaks::Lf || base.encoding != now.encoding {
            return None;
        }
        let (old, new) = (base.content.as_bytes(), now.content.as_bytes());
        let theirs = Delta::between(old, new);
        let ranges = reaches(&theirs.changes, old, new);
        let gains = theirs.changes.iter().map(|one| one.added().cast_signed() - one.removed().cast_signed());
        let changes = ranges.into_iter().zip(gains.map(|gain| gain as i64)).collect();
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', old).map(|at| at + 1)).collect();
        Some(Self { changes, starts, len: old.len() })
    }

    /// Returns true if lines are unchanged and have the same numbers in the current content, and no comparison could have
    /// placed them elsewhere. If `last` is `first` - 1, this is the place before line `first`.
    pub fn keeps(&self, lines: (u64, u64)) -> bool {
        self.lines(lines) == Some(lines)
    }

    fn start(&self, line: u64) -> Option<usize> {
        let at = usize::try_from(line.checked_sub(1)?).ok()?;
        self.starts.get(at).copied()
    }

    /// Returns the current numbers of some lines. If `last` is `first` - 1, they are the place before line
    /// `first`. Returns `None` if others changed one of the lines or inserted something between two of them.
    fn lines(&self, (first, last): (u64, u64)) -> Option<(u64, u64)> {
        let start = self.start(first)?;
        let place = last < first;
        let end = if place { start } else { self.start(last.saturating_add(1)).unwrap_or(self.len) };
        let touches = |(reach, _): &(std::ops::Range<usize>, i64)| match place {
            true => reach.start <= end && start <= reach.end,
            false => reach.start < end && start < reach.end,
        };
        if self.changes.iter().any(touches) || (!place && end <= start) {
            return None;
        }
        let gain: i64 =
            self.changes.iter().take_while(|(reach, _)| reach.end <= start).map(|(_, gain)| gain).sum();
        Some((first.saturating_add_signed(gain), last.saturating_add_signed(gain)))
    }
}
