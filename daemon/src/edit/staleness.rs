//! The step `check_staleness`: checks that the session may replace the present contents. It gathers a verdict for each
//! file entry; the rule is in `expects`.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use editd_engine::{ContentProof, EditFacts, JobEntry, Refusal};
use editd_proto::message::OnStale;
use editd_proto::path::FilePath;

use super::expects::{Expectation, Verdict, as_seen, expectation, verdict_of};
use super::pending::PendingReceipts;
use super::rebase::{self, Base};
use super::snapshot::JobSnapshot;
use super::{numbers, others, shown, stale, unread};
use crate::caller::Caller;
use crate::config::UnreadPolicy;
use crate::disk::Observation;
use crate::journal::external;
use crate::journal::past::PastBudget;
use crate::limits::JOB_HOLDS;
use crate::record::ReadReceipt;
use crate::state::WorkspaceState;
use crate::state::path_cache::ObservationVersion;
use crate::state::refusal::store_refusal;
use crate::transaction::{JobAbort, JobGuard};

/// A job whose entries were checked against the read receipts of its session.
pub(super) struct CheckedJob {
    pub(super) snapshot: JobSnapshot,
    /// The read receipt of the session for each path.
    pub(super) seen: BTreeMap<FilePath, ReadReceipt>,
    /// The paths whose edits may only touch lines that were read.
    pub(super) where_seen: BTreeSet<FilePath>,
    /// The older contents that stale entries are planned on, if the job asks for that.
    pub(super) bases: BTreeMap<FilePath, Base>,
    /// The files whose edits quote text that only the present content has, so that they are planned on that.
    pub(super) on_present: BTreeSet<FilePath>,
    /// The entries and bytes that may still be read to find those contents.
    pub(super) patience: PastBudget,
    /// With `partial`: the refusals of the entries (by index) that are left out.
    pub(super) skipped: BTreeMap<usize, Refusal>,
    /// Bytes of the present contents.
    pub(super) held: usize,
    /// Further bytes that the job may hold.
    pub(super) room: usize,
    /// Bytes of files that all refusals together may still show.
    pub(super) diffs: Cell<usize>,
    /// The read receipts of the refusals.
    pub(super) pending: PendingReceipts,
}

/// Checks every entry of a job.
///
/// # Errors
/// [`JobAbort::NeedsMemory`] if the older contents from which it is to be merged are more than the job may hold.
pub(super) fn check_staleness(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    caller: &Caller,
    snapshot: JobSnapshot,
    pending: PendingReceipts,
) -> Result<CheckedJob, JobAbort> {
    let found = snapshot.observations.values().filter_map(Observation::found);
    let found = found.map(|found| found.bytes.len()).sum::<usize>();
    let mut checked = CheckedJob {
        held: found,
        diffs: Cell::new(shown::room_of(&snapshot.request)),
        room: guard.room().saturating_sub(found),
        seen: seen_of(state, caller, &snapshot)?,
        snapshot,
        where_seen: BTreeSet::new(),
        bases: BTreeMap::new(),
        on_present: BTreeSet::new(),
        patience: PastBudget::short(state),
        skipped: BTreeMap::new(),
        pending,
    };
    checked.skipped.append(&mut checked.snapshot.skipped);
    for (path, observation) in &checked.snapshot.observations {
        let seen = checked.seen.get(path).map(|seen| seen.hash);
        external::note(state, path, observation, ObservationVersion::Lane, seen, true);
    }
    let refused = check_entries(state, guard, caller, &mut checked)?;
    leave_out_unmergeable(state, caller, &mut checked);
    if !refused.is_empty() || (!checked.snapshot.request.job.partial && !checked.skipped.is_empty()) {
        let all: Vec<Refusal> = refused.into_iter().chain(checked.skipped.values().cloned()).collect();
        return Err(others::report(state, caller, &mut checked, all).into());
    }
    leave_out_dependents(&mut checked);
    Ok(checked)
}

/// Checks the entries one after the other. Returns all refusals of a job that is not `partial`: a client that learns of
/// one file at a time would have to send the job once for each file.
fn check_entries(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    caller: &Caller,
    checked: &mut CheckedJob,
) -> Result<Vec<Refusal>, JobAbort> {
    let mut targets = Targets::default();
    let mut held = 0;
    let mut refused: Vec<Refusal> = Vec::new();
    for index in 0..checked.snapshot.request.job.entries.len() {
        if checked.skipped.contains_key(&index) {
            continue;
        }
        let outcome = check_entry(state, caller, checked, index, &targets);
        let Some(entry) = checked.snapshot.request.job.entries.get(index) else { break };
        match outcome {
            Ok((verdict, base)) => {
                if let Some(base) = base {
                    if !checked.bases.contains_key(&entry.path) {
                        held = rebase::held(held, &base)?;
                        guard.grow(checked.held.saturating_add(held).saturating_mul(JOB_HOLDS))?;
                    }
                    checked.bases.insert(entry.path.clone(), base);
                }
                if verdict == Verdict::WhereSeen {
                    checked.where_seen.insert(entry.path.clone());
                }
                targets.note(&checked.snapshot, entry);
            }
            Err(refusal) if checked.snapshot.request.job.partial => {
                checked.skipped.insert(index, refusal);
            }
            Err(refusal) => {
                let known = refused.iter().any(|one| one.path == refusal.path && one.code == refusal.code);
                if !known {
                    refused.push(refusal);
                }
            }
        }
    }
    Ok(refused)
}

/// Leaves out the entries that depend on an entry that was left out: those of the same path, and the later ones of a
/// path to which it would have copied or moved a file.
fn leave_out_dependents(checked: &mut CheckedJob) {
    let entries = &checked.snapshot.request.job.entries;
    let mut left_out: BTreeMap<FilePath, Refusal> = BTreeMap::new();
    for (index, refusal) in &checked.skipped {
        let path = entries.get(*index).map(|entry| entry.path.clone());
        left_out.extend(path.map(|path| (path, refusal.clone())));
    }
    let mut unmade: BTreeMap<FilePath, Refusal> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        if let Some(refusal) = left_out.get(&entry.path).or_else(|| unmade.get(&entry.path)) {
            checked.skipped.entry(index).or_insert_with(|| refusal.clone());
        }
        if let Some(refusal) = checked.skipped.get(&index) {
            let targets = entry.targets().map(|target| (target.clone(), refusal.clone()));
            unmade.extend(targets);
        }
    }
    checked.bases.retain(|path, _| !left_out.contains_key(path));
}

/// The paths that earlier entries of the job have written or moved.
#[derive(Default)]
struct Targets {
    /// The paths whose content the job may replace without a further check: its entry has named the base or quoted all lines, or
    /// the job itself has written the file.
    free: BTreeSet<FilePath>,
    /// The original paths of the other renamed files: an entry that replaces such a file must know its content at the
    /// original path.
    came: BTreeMap<FilePath, FilePath>,
}

impl Targets {
    /// Returns the path that the file at a path had before the job.
    fn origin<'p>(&'p self, path: &'p FilePath) -> &'p FilePath {
        self.came.get(path).unwrap_or(path)
    }

    /// Records the paths that a checked entry writes.
    fn note(&mut self, snapshot: &JobSnapshot, entry: &JobEntry) {
        // With `partial`, the quotation may be refused and the others go on.
        if entry.base.is_some() || (entry.quotes_all() && !snapshot.request.job.partial) {
            self.free.insert(entry.path.clone());
        }
        let origin = self.origin(&entry.path).clone();
        for edit in entry.edits() {
            let Some(to) = surely_put(snapshot, edit) else { continue };
            if edit.renames() && !self.free.contains(&entry.path) {
                self.free.remove(to);
                self.came.insert(to.clone(), origin.clone());
            } else if edit.overwrites() || !self.came.contains_key(to) {
                self.came.remove(to);
                self.free.insert(to.clone());
            }
        }
    }
}

/// Returns the target at which an edit is sure to put a file. With `partial` the edit may be refused and the others go
/// on: then the file at the target must have been checked, or there must be none.
fn surely_put<'j>(snapshot: &JobSnapshot, edit: EditFacts<'j>) -> Option<&'j FilePath> {
    let to = edit.target()?;
    let checked = edit.overwrites();
    let nothing = snapshot.observations.get(to).is_none_or(|observation| observation.found().is_none());
    (checked || nothing || !snapshot.request.job.partial).then_some(to)
}

/// Leaves out entries for which a base was found, but which cannot be merged.
fn leave_out_unmergeable(state: &WorkspaceState, caller: &Caller, checked: &mut CheckedJob) {
    let request = &checked.snapshot.request;
    let mut refusals: BTreeMap<FilePath, Refusal> = BTreeMap::new();
    for (path, why) in rebase::obstacles(&request.job, &checked.bases) {
        let refusal = stale::refusal(state, caller, checked, &path, Verdict::Stale, Some(why));
        refusals.insert(path, refusal);
    }
    for (index, entry) in request.job.entries.iter().enumerate().filter(|_| !refusals.is_empty()) {
        let mut paths = std::iter::once(&entry.path).chain(entry.targets());
        if let Some(refusal) = paths.find_map(|path| refusals.get(path)) {
            checked.skipped.insert(index, refusal.clone());
        }
    }
}

fn seen_of(
    state: &WorkspaceState,
    caller: &Caller,
    snapshot: &JobSnapshot,
) -> Result<BTreeMap<FilePath, ReadReceipt>, Refusal> {
    let mut seen = BTreeMap::new();
    for path in snapshot.places.keys() {
        if let Some(one) = state.store.seen(&caller.session, path).map_err(|error| store_refusal(&error))? {
            seen.insert(path.clone(), one);
        }
    }
    Ok(seen)
}

fn check_entry(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &CheckedJob,
    index: usize,
    targets: &Targets,
) -> Result<(Verdict, Option<Base>), Refusal> {
    let files = &checked.snapshot.request.job.entries;
    let Some(entry) = files.get(index) else { return Ok((Verdict::Fresh, None)) };
    let observation = |path| checked.snapshot.observations.get(path).unwrap_or(&Observation::Absent);
    let seen = |path| checked.seen.get(path).cloned();
    let mut verdict = Verdict::Fresh;
    let mut base = None;
    let origin = if entry.base.is_some() { &entry.path } else { targets.origin(&entry.path) };
    let moved = *origin != entry.path;
    if entry.base.is_some() || !targets.free.contains(&entry.path) {
        let expects = expectation(entry, seen(origin))?;
        let proof = entry.proof();
        verdict = verdict_of(&expects, observation(origin), proof, state.settings.unread);
        let mut why = None;
        if verdict == Verdict::WhereSeen && entry.only_deletes() {
            // The session knows which content it deletes; nobody reads all of a large file for that.
            verdict = Verdict::Fresh;
        }
        if moved && verdict == Verdict::WhereSeen {
            // The lines that were seen are those of the file at its original path.
            verdict = Verdict::Unread;
        }
        if !moved && verdict == Verdict::Stale && may_rebase(checked, entry, proof) {
            match find_base(state, checked, entry, &expects) {
                Ok(found) => {
                    verdict = as_seen(&expects, proof);
                    base = Some(found);
                }
                Err(obstacle) => why = Some(obstacle),
            }
        }
        if !matches!(verdict, Verdict::Fresh | Verdict::WhereSeen) {
            return Err(stale::refusal(state, caller, checked, origin, verdict, why));
        }
        if !moved && !numbers::is_later_stage(files, index, origin) && entry.base.is_none() {
            check_numbers(state, caller, checked, entry, base.as_ref())?;
        }
    }
    if let Some(seen) = checked.seen.get(origin)
        && let Some(refusal) = numbers::of_later_stage(checked, index, origin, &seen.numbered)
    {
        return Err(refusal);
    }
    check_targets(state, caller, checked, entry, targets)?;
    Ok((verdict, base))
}

/// Checks the files that an entry replaces by moving or copying others over them.
fn check_targets(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &CheckedJob,
    entry: &JobEntry,
    targets: &Targets,
) -> Result<(), Refusal> {
    for edit in entry.edits().filter(|edit| edit.overwrites()) {
        let Some(to) = edit.target().map(|to| targets.origin(to)) else { continue };
        let expects = match entry.base.as_deref() {
            Some("any") => Expectation::Any,
            _ => Expectation::Receipt(checked.seen.get(to).cloned()),
        };
        let observation = checked.snapshot.observations.get(to).unwrap_or(&Observation::Absent);
        match verdict_of(&expects, observation, ContentProof::Blind, state.settings.unread) {
            // As for a deletion, the session need not have read all lines of the file that goes.
            Verdict::Fresh | Verdict::WhereSeen => {}
            other => return Err(stale::refusal(state, caller, checked, to, other, None)),
        }
    }
    Ok(())
}

/// Returns true if a stale entry is planned on the content that it expects: because the job asks for that; because it
/// names an older version together with line numbers of that version; or because its session knows what is there,
/// having made it or been shown it, and quotes what it replaces.
fn may_rebase(checked: &CheckedJob, entry: &JobEntry, proof: ContentProof) -> bool {
    if checked.snapshot.request.on_stale == Some(OnStale::Rebase) {
        return true;
    }
    let now = checked.snapshot.observations.get(&entry.path).and_then(Observation::hash);
    let knows = checked.seen.get(&entry.path).is_some_and(|seen| seen.hash.is_some() && seen.hash == now);
    let named = entry.named_lines().len();
    entry.base.is_some() && (named > 0 || (knows && proof != ContentProof::Blind))
}

fn find_base(
    state: &WorkspaceState,
    checked: &CheckedJob,
    entry: &JobEntry,
    expects: &Expectation,
) -> Result<Base, rebase::Obstacle> {
    let observation = checked.snapshot.observations.get(&entry.path).unwrap_or(&Observation::Absent);
    let known = checked.bases.get(&entry.path);
    match known.filter(|base| rebase::names(expects, base.hash, &base.bytes)) {
        Some(base) => Ok(base.clone()),
        None => {
            let seen = checked.seen.get(&entry.path);
            rebase::base(state, &entry.path, expects, seen, observation, &checked.patience)
        }
    }
}

/// Refuses line numbers that do not identify the lines that are meant.
fn check_numbers(
    state: &WorkspaceState,
    caller: &Caller,
    checked: &CheckedJob,
    entry: &JobEntry,
    base: Option<&Base>,
) -> Result<(), Refusal> {
    let Some(seen) = checked.seen.get(&entry.path) else { return Ok(()) };
    let observation = checked.snapshot.observations.get(&entry.path).unwrap_or(&Observation::Absent);
    let Some(found) = observation.found() else { return Ok(()) };
    let known: &[u8] = base.map_or(&found.bytes, |base| &base.bytes);
    let unclear = numbers::unclear(state, entry, &seen.numbered, known);
    if unclear.is_empty() {
        return Ok(());
    }
    if base.is_some() {
        let why = "the line numbers do not say which lines are meant";
        return Err(stale::refusal(state, caller, checked, &entry.path, Verdict::Stale, Some(why)));
    }
    if !unclear.moved.is_empty() {
        return Err(numbers::refusal(&entry.path, found.meta.hash, unclear.moved));
    }
    if state.settings.unread == UnreadPolicy::Allow {
        return Ok(());
    }
    let lines = numbers::unshown(unclear.unknown, &[], &found.bytes);
    if lines.is_empty() {
        return Ok(());
    }
    Err(unread::of_numbers(state, checked, (&entry.path, found), lines))
}
