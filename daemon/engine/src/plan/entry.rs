//! Plans one file entry: finds the edits that can be applied, makes the new content and the outcome, and stores the
//! content in the tree.

use std::sync::Arc;

use editd_types::{
    EditOutcome, EditStatus, ErrorCode, FileOutcome, FilePath, JobStatus, RequestError, limits,
};

use super::combine::{contradictions, is_text};
use super::needs::{Parsed, stores};
use super::stage::{self, EditBase, EditReport, EditReports, EditedContent};
use super::verdict::Verdicts;
use super::{Budget, files};
use crate::clip::Clips;
use crate::diff::{Delta, describe_change, entry_diff, readable};
use crate::job::JobEntry;
use crate::locate::Rung;
use crate::op::{EarlierChanges, EditNote, HunkEdit, Op};
use crate::refusal::{refuse, spent, too_large};
use crate::text::{Text, has_nul};
use crate::tree::{Stage, Tree};
use crate::{FileState, PlanOptions, QuotedLines, Refusal, omission};

/// The permission bits of a file that `write`, `create` or `insert` creates.
const NEW_FILE_MODE: u32 = 0o644;

/// The data that all entries of a job share.
pub(crate) struct PlanContext<'j> {
    /// True if failing edits are left out.
    pub(crate) partial: bool,
    /// Set if the outcomes show all diffs or none; if absent, they show those of results that differ from the
    /// request.
    pub(crate) diff: Option<bool>,
    /// The encodings in which text is read, and the limits.
    pub(crate) options: &'j PlanOptions,
    /// The remaining work of the job.
    pub(crate) budget: Budget,
}

/// Plans an entry. Returns its outcome and, if the job is `partial`, the first refusal.
pub(crate) fn run(
    job: &PlanContext<'_>,
    entry: &JobEntry,
    tree: &mut Tree<'_>,
    clips: &mut Clips<'_>,
) -> Result<(FileOutcome, Option<Refusal>), Refusal> {
    let (path, ops) = (&entry.path, &entry.edits);
    let mut verdicts = Verdicts::new(path, job.partial, ops.len());
    let before = tree.node(path)?.state.clone();
    let room = if before == FileState::Absent { tree.check_room(path).err() } else { None };
    refuse_invalid(ops, path, (&before, room), &mut verdicts)?;
    let (edited, mut reports) = text_edits(job, path, &before, ops, &mut verdicts, tree, clips)?;
    // Computed here, so that both hashes are computed together if the content changes.
    let hash = match &edited {
        Some(edited) if before != FileState::Absent => Some(edited.hashes.0),
        _ => tree.node(path)?.hash(),
    };
    let creates = before == FileState::Absent && live(ops, &verdicts).any(|(_, op)| is_text(op));
    if creates {
        // An empty new file is a change, too.
        reports.iter_mut().flatten().for_each(|report| report.changed = true);
    }
    let plain = edited.as_ref().is_none_or(|edited| edited.plain);
    let gets_nul = plain && edited.as_ref().is_some_and(|edited| has_nul(&edited.bytes));
    let omission = edited
        .as_ref()
        .filter(|_| plain)
        .and_then(|edited| omission::warning(&edited.bytes, &edited.splices));
    let rewritten = edited.is_some();
    let delta = settle(job, path, &before, edited, creates, tree)?;
    let (moved, replaced) = files::run(ops, tree, path, &mut verdicts, &mut reports)?;
    let node = tree.node(moved.unwrap_or(path))?;
    let (after, new_hash) = (node.state.clone(), node.hash());
    // A stage with splices always changes the file. The states are compared only if there is none.
    let differs = rewritten || moved.is_some() || after != before;
    let changed = differs || reports.iter().flatten().any(|report| report.changed);
    let mut outcome = FileOutcome {
        to: moved.cloned(),
        before: hash.map(|hash| hash.version()),
        after: if moved.is_some() { None } else { new_hash.map(|hash| hash.version()) },
        edits: edit_outcomes(&reports, &verdicts),
        warnings: warnings(&reports, &verdicts),
        ..FileOutcome::new(path.clone(), status(&verdicts, ops.len(), changed))
    };
    outcome.warnings.extend(gets_nul.then(|| NUL.to_owned()));
    outcome.warnings.extend(omission);
    match (&delta, &after) {
        (Some(delta), _) => delta.describe(&mut outcome),
        (None, FileState::Absent) if moved.is_none() => describe_change(&mut outcome, &before, &after),
        (None, _) => {}
    }
    if job.diff.unwrap_or_else(|| loosely(&reports, &verdicts)) && differs {
        let label = job.options.label(path);
        let diff = match plain {
            true => entry_diff(path, &before, &after, moved, delta.as_ref()),
            false => entry_diff(path, &readable(&before, label), &readable(&after, label), moved, None),
        };
        show(job, &mut outcome, diff);
    }
    replaced.into_iter().for_each(|one| report_replaced(job, &mut outcome, one));
    Ok((outcome, verdicts.first().cloned()))
}

/// Adds the warning about a file that another one replaced, and its diff, to the outcome.
fn report_replaced(job: &PlanContext<'_>, outcome: &mut FileOutcome, replaced: files::Replaced<'_>) {
    let files::Replaced { path, before, after, warning } = replaced;
    outcome.warnings.push(warning);
    // The diff may be large.
    if job.diff == Some(true) && job.budget.stage(before.bytes().len().saturating_add(after.bytes().len())) {
        let label = job.options.label(path);
        let diff = entry_diff(path, &readable(&before, label), &readable(&after, label), None, None);
        show(job, outcome, diff);
    }
}

/// Adds a diff to an outcome, within the job's limit for diffs.
pub(super) fn show(job: &PlanContext<'_>, outcome: &mut FileOutcome, (diff, omitted): (String, u64)) {
    let mut left_out = outcome.omitted_hunks.unwrap_or(0) + omitted;
    let full = outcome.diff.as_ref().is_some_and(|shown| shown.len() + diff.len() > limits::DIFF);
    if !full && job.budget.diff(diff.len()) {
        outcome.diff.get_or_insert_default().push_str(&diff);
    } else {
        left_out += diff.matches("\n@@ ").count() as u64;
    }
    outcome.omitted_hunks = (left_out > 0).then_some(left_out);
}

/// The warning for a file that is binary after the job.
const NUL: &str = "the content has a NUL byte, so that the file is no text from now on; undo this job if this is not intended";

/// Returns the outcome of an entry that was refused as a whole, before its edits were located. The reason, which may have
/// a diff, is shown once: at the edit that it names, otherwise at the first. Errors beside it are shown at their edits.
pub(crate) fn left_out(entry: &JobEntry, refusal: &Refusal, clips: &mut Clips<'_>) -> FileOutcome {
    entry.edits.iter().filter_map(stores).for_each(|name| clips.spoil(name));
    let place = |error: &RequestError| {
        let edit = error.edit.filter(|_| error.path.as_ref() == Some(&entry.path))?;
        usize::try_from(edit).ok()?.checked_sub(1).filter(|edit| *edit < entry.edits.len())
    };
    let at = place(refusal).unwrap_or(0);
    let message = format!("the file is refused as a whole; edit {} has the reason", at + 1);
    let again = Box::new(RequestError::new(refusal.code, message).at(&entry.path));
    let mut edits: Vec<EditOutcome> = entry.edits.iter().map(|_| refused(&again)).collect();
    let mut reason = refusal.clone();
    for other in std::mem::take(&mut reason.others) {
        match place(&other).filter(|other| *other != at).and_then(|other| edits.get_mut(other)) {
            Some(outcome) => outcome.error = Some(Box::new(other)),
            None => reason.others.push(other),
        }
    }
    if let Some(outcome) = edits.get_mut(at) {
        outcome.error = Some(reason);
    }
    FileOutcome { edits, ..FileOutcome::new(entry.path.clone(), JobStatus::Refused) }
}

fn refused(refusal: &Refusal) -> EditOutcome {
    EditOutcome { error: Some(refusal.clone()), ..EditOutcome::new(EditStatus::Refused) }
}

fn live<'o>(ops: &'o Parsed, verdicts: &Verdicts<'_>) -> impl Iterator<Item = (usize, &'o Op)> {
    ops.iter()
        .enumerate()
        .filter(|(i, _)| verdicts.stands(*i))
        .filter_map(|(i, op)| op.as_ref().ok().map(|op| (i, op)))
}

/// Refuses the edits that are invalid for any text of the file.
fn refuse_invalid(
    ops: &Parsed,
    path: &FilePath,
    (before, room): (&FileState, Option<Refusal>),
    verdicts: &mut Verdicts<'_>,
) -> Result<(), Refusal> {
    for (edit, op) in ops.iter().enumerate() {
        if let Err(malformed) = op {
            verdicts.refuse(edit, malformed.refusal.clone())?;
        }
    }
    for (edit, refusal) in contradictions(ops) {
        verdicts.refuse(edit, refusal)?;
    }
    let makes = |op: &Op| {
        matches!(op, Op::Write(_) | Op::Create(_))
            || op.adds_at_an_end()
            || op.hunk().is_some_and(HunkEdit::fills)
    };
    let made = ops.iter().flatten().any(makes);
    let exists = *before != FileState::Absent;
    for (edit, op) in ops.iter().enumerate() {
        let refusal = match op {
            Ok(Op::Create(create)) if exists => match create.check_existing(path, before.bytes()) {
                Some(refusal) => refusal,
                None => continue,
            },
            // The same entry may create the file, rename it and set its mode.
            Ok(Op::Chmod(_) | Op::Rename(_)) if made => continue,
            Ok(Op::Delete | Op::Rename(_) | Op::Copy(_)) if !exists => refuse(
                ErrorCode::Missing,
                format!("{path} does not exist; leave it out, or name a file that does"),
            ),
            Ok(op) if !exists && !makes(op) => refuse(
                ErrorCode::Missing,
                format!("{path} does not exist; check the path, or make the file with `write`"),
            ),
            Ok(op) if makes(op) => match &room {
                Some(refusal) => refusal.clone(),
                None => continue,
            },
            _ => continue,
        };
        verdicts.refuse(edit, refusal)?;
    }
    Ok(())
}

fn text_edits(
    job: &PlanContext<'_>,
    path: &FilePath,
    before: &FileState,
    ops: &Parsed,
    verdicts: &mut Verdicts<'_>,
    tree: &mut Tree<'_>,
    clips: &mut Clips<'_>,
) -> Result<(Option<EditedContent>, EditReports), Refusal> {
    if !live(ops, verdicts).any(|(_, op)| is_text(op)) {
        stage::spoil(ops, verdicts, clips);
        return Ok((None, vec![None; ops.len()]));
    }
    if let Some(refusal) = too_much(before, job) {
        verdicts.refuse_all(&refusal, |edit| matches!(ops.get(edit), Some(Ok(op)) if is_text(op)))?;
        stage::spoil(ops, verdicts, clips);
        return Ok((None, vec![None; ops.len()]));
    }
    let hash = tree.node(path)?.known_hash();
    let elsewhere = |old: &str| stands_elsewhere(tree, path, old, &job.budget);
    let (bytes, hash) = (before.bytes(), hash.filter(|_| *before != FileState::Absent));
    let label = job.options.label(path);
    let earlier = tree.earlier(path).map(|(before, splices)| EarlierChanges { before, splices });
    let (budget, trees, hash_parts) = (&job.budget, &*job.options.trees, job.options.hash_parts);
    let base =
        EditBase { bytes, label, hash, path, budget, trees, hash_parts, earlier, elsewhere: &elsewhere };
    stage::run(&base, ops, verdicts, clips)
}

/// Returns a refusal if the content is larger than the limit of a file, or if the budget of the job for contents is
/// used up.
fn too_much(before: &FileState, job: &PlanContext<'_>) -> Option<Refusal> {
    let size = before.bytes().len();
    if size > limits::FILE {
        let message =
            format!("the file has {size} bytes; text edits are for files of up to {}", limits::FILE);
        return Some(too_large(message, limits::FILE));
    }
    if job.budget.stage(size) {
        return None;
    }
    let limit = crate::limits::STAGE_WORK;
    Some(spent("this job edits large files too many times over; send it as several jobs", limit))
}

/// Returns the path of another file of the job that contains a text, and the line. The text may have `\n` or `\r\n`
/// line breaks.
fn stands_elsewhere(tree: &Tree<'_>, path: &FilePath, old: &str, budget: &Budget) -> Option<(String, u64)> {
    let unix = old.replace("\r\n", "\n");
    let dos = unix.replace('\n', "\r\n");
    let needles = if unix == dos { &[unix][..] } else { &[unix, dos][..] };
    for (other, bytes) in tree.others(path) {
        if !budget.look(bytes.len().saturating_mul(needles.len())) {
            return None;
        }
        let found = needles.iter().find_map(|needle| memchr::memmem::find(bytes, needle.as_bytes()));
        if let Some(at) = found {
            let above = bytes.get(..at).unwrap_or(&[]);
            return Some((other.display(), memchr::memchr_iter(b'\n', above).count() as u64 + 1));
        }
    }
    None
}

/// Stores the new content in the tree, and returns the changed lines.
fn settle(
    job: &PlanContext<'_>,
    path: &FilePath,
    before: &FileState,
    edited: Option<EditedContent>,
    creates: bool,
    tree: &mut Tree<'_>,
) -> Result<Option<Delta>, Refusal> {
    let (old, mode): (&[u8], u32) = match before {
        FileState::File { bytes, mode } => (bytes, *mode),
        FileState::Absent => (&[], NEW_FILE_MODE),
    };
    let edited = match edited {
        Some(edited) => edited,
        None if creates => {
            let empty = crate::hash::hash(&[]);
            EditedContent {
                bytes: Arc::from([]),
                splices: Vec::new(),
                quoted: QuotedLines::default(),
                hashes: (empty, empty),
                known: None,
                plain: true,
            }
        }
        None => return Ok(None),
    };
    let delta = if edited.plain {
        Delta::of_splices(old, &edited.bytes, &edited.splices, edited.known)
    } else {
        let label = job.options.label(path);
        let text =
            |bytes: &[u8]| Text::read(bytes, label).map(|text| text.content.into_owned()).unwrap_or_default();
        Delta::between(text(old).as_bytes(), text(&edited.bytes).as_bytes())
    };
    let totals = delta.totals();
    let hash = edited.hashes.1;
    let EditedContent { bytes, splices, quoted, .. } = edited;
    tree.write(path, Stage { bytes, mode, hash, splices, quoted, totals })?;
    Ok(Some(delta))
}

fn status(verdicts: &Verdicts<'_>, edits: usize, changed: bool) -> JobStatus {
    match verdicts.count() {
        0 if changed => JobStatus::Applied,
        0 => JobStatus::Unchanged,
        n if n == edits => JobStatus::Refused,
        _ => JobStatus::Partial,
    }
}

/// Returns true if an applied edit was found in a text that differs from its quotation by more than line breaks.
fn loosely(reports: &EditReports, verdicts: &Verdicts<'_>) -> bool {
    let standing = reports.iter().enumerate().filter(|(edit, _)| verdicts.stands(*edit));
    let mut rungs = standing.filter_map(|(_, report)| report.as_ref()?.found.rung);
    rungs.any(|rung| rung > Rung::Eol)
}

/// Returns warnings about the ways in which places were found.
fn warnings(reports: &EditReports, verdicts: &Verdicts<'_>) -> Vec<String> {
    let standing = || {
        let standing = reports.iter().enumerate().filter(|(edit, _)| verdicts.stands(*edit));
        standing.filter_map(|(edit, report)| Some((edit, &report.as_ref()?.found)))
    };
    let mut warnings = Vec::new();
    if standing().any(|(_, found)| found.in_broken) {
        let warning =
            "the file had syntax errors before: a symbol may end elsewhere than it seems, look at the diff";
        warnings.push(warning.to_owned());
    }
    let notes = || standing().filter_map(|(edit, found)| Some((edit + 1, found.note.as_deref()?)));
    let mut inside = notes().filter_map(|(edit, note)| match note {
        EditNote::InLine(line) => Some((edit, line)),
        EditNote::Chosen(_) | EditNote::Repeated | EditNote::PassedBlank => None,
    });
    if let Some((edit, line)) = inside.next() {
        let more = inside.count();
        let more = if more > 0 { format!(" (and {more} more edits so)") } else { String::new() };
        warnings.push(format!(
            "edit {edit} put its text inside line {line}{more}; `own_line` puts it on lines of its own"
        ));
    }
    let messages = notes().filter_map(|(edit, note)| match note {
        EditNote::InLine(_) => None,
        EditNote::Chosen(chosen) => Some(format!("edit {edit}: {chosen}")),
        EditNote::Repeated => Some(format!(
            "edit {edit}: the new text repeats the rest of the line beside the definition; it is there once"
        )),
        EditNote::PassedBlank => Some(format!(
            "edit {edit}: the blank last line of its context was passed over: the file ends there"
        )),
    });
    warnings.extend(messages.take(crate::limits::BLOCKS_DETAILED));
    warnings
}

fn edit_outcomes(reports: &EditReports, verdicts: &Verdicts<'_>) -> Vec<EditOutcome> {
    let outcome = |(edit, report): (usize, &Option<Box<EditReport>>)| {
        let found = report.as_ref().map(|report| report.found.clone()).unwrap_or_default();
        let changed = report.as_ref().is_some_and(|report| report.changed);
        match verdicts.of(edit) {
            None => found.outcome(changed),
            Some(refusal) => refused(refusal),
        }
    };
    reports.iter().enumerate().map(outcome).collect()
}
