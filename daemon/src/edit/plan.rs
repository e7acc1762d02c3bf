//! The step `plan`: has the engine compute the changes of a job, and checks that the session has read the lines that
//! they replace.

use std::collections::{BTreeMap, BTreeSet};

use editd_engine::{ContentProof, EditFacts, FileState, Job, Plan, PlanOptions, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::ContentHash;
use editd_proto::message::EntryKind;
use editd_proto::path::FilePath;

use super::expects::Verdict;
use super::rebase;
use super::snapshot::JobSnapshot;
use super::staleness::CheckedJob;
use super::trial::TrialPlan;
use super::{EditRequest, ParsedJob, generated, others, places, stale, unread, why};
use crate::caller::Caller;
use crate::disk::stage::StagedMode;
use crate::disk::{Observation, ResolvedPath};
use crate::limits::HOLDS_MORE;
use crate::record::ReadReceipt;
use crate::state::WorkspaceState;
use crate::transaction::{FileChange, JobAbort, JobGuard, Origin, Transaction, set_id};

/// A job and its plan.
pub(super) struct PlannedJob {
    /// The job, with every path as the workspace knows it.
    pub(super) request: ParsedJob,
    pub(super) places: BTreeMap<FilePath, ResolvedPath>,
    pub(super) observations: BTreeMap<FilePath, Observation>,
    pub(super) seen: BTreeMap<FilePath, ReadReceipt>,
    pub(super) plan: Plan,
    /// Paths whose change was planned on an older content and merged into the present one.
    pub(super) rebased: BTreeSet<FilePath>,
}

/// Plans a checked job.
///
/// # Errors
/// [`JobAbort::NeedsMemory`] if the new contents are more than the job may hold.
pub(super) fn plan(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    mut checked: CheckedJob,
    given: EditRequest<'_>,
) -> Result<PlannedJob, JobAbort> {
    let room = guard.room();
    checked.room = room.saturating_sub(checked.held);
    let mut plan = plan_on_bases(state, &mut checked, given).map_err(|refusal| {
        if editd_engine::lacks_room(&refusal) {
            JobAbort::NeedsMemory(room.saturating_mul(HOLDS_MORE))
        } else {
            refusal.into()
        }
    })?;
    let theirs = rebase::tell_theirs(state, &checked, &mut plan);
    for outcome in plan.files.iter_mut().filter(|outcome| checked.on_present.contains(&outcome.path)) {
        outcome
            .warnings
            .push("the file changed since it was read; the edit quotes the present text".to_owned());
    }
    let CheckedJob { snapshot, mut seen, bases, .. } = checked;
    seen.extend(theirs);
    generated::check(state, &mut plan)?;
    if let Some(first) = plan.files.first_mut() {
        first.warnings.extend(given.request.warnings.iter().cloned());
    }
    if let Some(dialect_reply) = given.dialect_reply {
        dialect_reply.warn(&mut plan.files);
    }
    let JobSnapshot { request, places, observations, .. } = snapshot;
    Ok(PlannedJob { request, places, observations, seen, plan, rebased: bases.into_keys().collect() })
}

/// Plans stale entries on the content that their session saw, and merges the changes into the present one. With
/// `partial`, files whose changes cannot be merged or replace unread lines are skipped.
fn plan_on_bases(
    state: &WorkspaceState,
    checked: &mut CheckedJob,
    given: EditRequest<'_>,
) -> Result<Plan, Refusal> {
    let mut current = rebase::stand_on(&mut checked.snapshot.world, &checked.bases);
    let mut plan = loop {
        match plan_as_seen(state, given.caller, checked) {
            Ok(plan) => break plan,
            Err(refusal) if stand_on_present(state, checked, &mut current, &refusal) => {}
            Err(refusal) => return Err(refused(state, checked, given.caller, current, refusal)),
        }
    };
    let mut unseen = unread::of_plan(state, &plan, checked);
    if !unseen.is_empty() {
        if !checked.snapshot.request.job.partial {
            unseen.extend(others::conflicts(state, given.caller, checked, &current, &mut plan));
        }
        leave_out(checked, &mut current, unseen)?;
        plan = plan_again(state, checked, given)?;
    }
    let conflicts = rebase::onto(state, checked, &current, &mut plan);
    if conflicts.is_empty() {
        return Ok(plan);
    }
    let told = |conflict: Refusal| stale::conflict(state, given.caller, checked, conflict);
    let conflicts = conflicts.into_iter().map(told).collect();
    leave_out(checked, &mut current, conflicts)?;
    let mut plan = plan_again(state, checked, given)?;
    match rebase::onto(state, checked, &current, &mut plan).into_iter().next() {
        Some(again) => Err(again),
        None => Ok(plan),
    }
}

/// Plans a file on its present content from now on, if its edits quote text that only this content has: the session has
/// seen it in another way than by a read. Otherwise, it changes nothing and returns false.
fn stand_on_present(
    state: &WorkspaceState,
    checked: &mut CheckedJob,
    current: &mut BTreeMap<FilePath, FileState>,
    refusal: &Refusal,
) -> bool {
    let Some(path) = refusal.path.as_ref() else { return false };
    let mut entries = checked.snapshot.request.job.entries.iter().filter(|entry| entry.path == *path);
    let (Some(entry), None) = (entries.next(), entries.next()) else { return false };
    // Line numbers are those of the content that was read.
    let quotes =
        entry.base.is_none() && entry.proof() == ContentProof::Quoted && entry.named_lines().is_empty();
    let Some(present) = current.get(path).filter(|_| quotes).cloned() else { return false };
    let trial = |checked: &CheckedJob| TrialPlan::run(state, checked, path);
    if !trial(checked).is_some_and(|on_base| on_base.lacks_quotations()) {
        return false;
    }
    let base = checked.snapshot.world.files.insert(path.clone(), present);
    if !trial(checked).is_some_and(|on_present| on_present.fits()) {
        checked.snapshot.world.files.extend(base.map(|base| (path.clone(), base)));
        return false;
    }
    current.remove(path);
    checked.bases.remove(path);
    checked.on_present.insert(path.clone());
    true
}

/// Plans the rest of a job again after files were left out, since it may have depended on them.
fn plan_again(state: &WorkspaceState, checked: &CheckedJob, given: EditRequest<'_>) -> Result<Plan, Refusal> {
    let plan = plan_as_seen(state, given.caller, checked)?;
    match unread::of_plan(state, &plan, checked).into_iter().next() {
        Some(again) => Err(again),
        None => Ok(plan),
    }
}

/// With `partial`: leaves out all entries of the refused paths.
///
/// # Errors
/// All refusals as one error if the job is not `partial`; a refusal that has no path.
fn leave_out(
    checked: &mut CheckedJob,
    current: &mut BTreeMap<FilePath, FileState>,
    refusals: Vec<Refusal>,
) -> Result<(), Refusal> {
    if !checked.snapshot.request.job.partial {
        return others::gathered(refusals).map_or(Ok(()), Err);
    }
    let mut left_out = BTreeMap::new();
    for refusal in refusals {
        match refusal.path.clone() {
            Some(path) => drop(left_out.insert(path, refusal)),
            None => return Err(refusal),
        }
    }
    for (index, entry) in checked.snapshot.request.job.entries.iter().enumerate() {
        if let Some(refusal) = left_out.get(&entry.path) {
            checked.skipped.insert(index, refusal.clone());
        }
    }
    checked.bases.retain(|path, _| !left_out.contains_key(path));
    current.retain(|path, _| !left_out.contains_key(path));
    Ok(())
}

/// Returns the refusal of a job that cannot be planned, with the refusals of its other files.
fn refused(
    state: &WorkspaceState,
    checked: &mut CheckedJob,
    caller: &Caller,
    current: BTreeMap<FilePath, FileState>,
    refusal: Refusal,
) -> Refusal {
    // The error of this file does not tell its lines, so they must not count as told.
    if let Some(path) = &refusal.path {
        checked.where_seen.remove(path);
    }
    let request = &checked.snapshot.request;
    let mut further = if request.job.partial || editd_engine::has_unlisted_failures(&request.job) {
        Vec::new()
    } else {
        others::further(state, caller, checked, &current, &BTreeMap::new())
    };
    checked.snapshot.world.files.extend(current);
    let first = unfit(state, checked, caller, refusal);
    further.retain(|other| other.path != first.path);
    Box::new(first.beside(further.into_iter().map(|other| *other)))
}

/// Turns the refusal of a job that does not fit the content that its session saw into a stale one, which shows what
/// changed: the job may fit the present content when it is sent again.
pub(super) fn unfit(
    state: &WorkspaceState,
    checked: &CheckedJob,
    caller: &Caller,
    refusal: Refusal,
) -> Refusal {
    let Some(path) = refusal.path.as_ref().filter(|path| checked.bases.contains_key(path)) else {
        return refusal;
    };
    let why = Some("the job does not fit what its session has read");
    let mut stale = stale::refusal(state, caller, checked, path, Verdict::Stale, why);
    (stale.edit, stale.cause) = (refusal.edit, Some(refusal.message));
    (stale.others, stale.more) = (refusal.others, refusal.more);
    stale
}

/// Plans on the present contents, or on the older ones that stale entries were made for.
fn plan_as_seen(state: &WorkspaceState, caller: &Caller, checked: &CheckedJob) -> Result<Plan, Refusal> {
    let CheckedJob { snapshot, bases, skipped, .. } = checked;
    let (job, world) = (&snapshot.request.job, &snapshot.world);
    // Each content was hashed once, when it was read.
    let hash = |path, observation: &Observation| {
        bases.get(path).map(|base| base.hash).or_else(|| observation.hash())
    };
    let known: BTreeMap<FilePath, ContentHash> = snapshot
        .observations
        .iter()
        .filter_map(|(path, observation)| Some((path.clone(), hash(path, observation)?)))
        .collect();
    let options = PlanOptions { room: Some(checked.room), ..state.options(world.files.keys()) };
    let planned = {
        let _turn = state.parsing.turn(&caller.owner, parsed(job, world))?;
        editd_engine::plan_known(job, world, &options, &known, skipped)
    };
    let mut plan = planned.map_err(|refusal| {
        why::explained(state, snapshot, &known, places::named(state, caller, snapshot, refusal))
    })?;
    why::explain_parts(state, snapshot, &known, &mut plan);
    Ok(plan)
}

/// Returns the bytes of the largest file whose symbols the job needs.
pub(super) fn parsed(job: &Job, world: &editd_engine::WorkspaceSnapshot) -> usize {
    let entries = job.entries.iter().filter(|entry| entry.edits().any(EditFacts::needs_symbols));
    let bytes = entries.map(|entry| match world.files.get(&entry.path) {
        Some(FileState::File { bytes, .. }) => bytes.len(),
        _ => 0,
    });
    bytes.max().unwrap_or(0)
}

/// Refuses a job whose plan is not exactly the one that was verified.
pub(super) fn verified(planned: &PlannedJob) -> Result<(), Refusal> {
    match &planned.request.verified {
        Some(wanted) if *wanted != token(&planned.plan) => {
            let message = "the result of the job is no longer the verified one; verify it again";
            Err(Box::new(RequestError::new(ErrorCode::Stale, message)))
        }
        _ => Ok(()),
    }
}

/// Returns a token of a plan: a hash of every path with the hashes and modes before and after, and of the clipboards.
pub(super) fn token(plan: &Plan) -> String {
    let mut hasher = blake3::Hasher::new();
    let side = |state: &FileState| match state {
        FileState::Absent => vec![0],
        FileState::File { bytes, mode } => {
            let mut out = vec![1];
            out.extend_from_slice(blake3::hash(bytes).as_bytes());
            out.extend_from_slice(&mode.to_be_bytes());
            out
        }
    };
    for change in &plan.changes {
        hasher.update(&(change.path.as_bytes().len() as u64).to_be_bytes());
        hasher.update(change.path.as_bytes());
        hasher.update(&side(&change.before));
        hasher.update(&side(&change.after));
    }
    for clip in &plan.clips {
        hasher.update(&(clip.name.len() as u64).to_be_bytes());
        hasher.update(clip.name.as_bytes());
        hasher.update(blake3::hash(&clip.bytes).as_bytes());
    }
    let mut name = ContentHash::from_bytes(*hasher.finalize().as_bytes()).hex();
    // 128 bits: enough to tell plans apart, and half as long to repeat.
    name.truncate(32);
    name
}

/// Turns a plan into a transaction.
pub(super) fn transaction(
    state: &WorkspaceState,
    given: EditRequest<'_>,
    planned: PlannedJob,
) -> Transaction {
    let PlannedJob { request, mut places, mut observations, seen, mut plan, rebased } = planned;
    let modes = modes_given(&request.job);
    let (written, moved) = origins(&request.job);
    let diffs = request.job.diff != Some(false);
    let mut changes = Vec::with_capacity(plan.changes.len());
    for change in plan.changes {
        let Some(place) = places.remove(&change.path) else { continue };
        let before = match observations.remove(&change.path) {
            Some(Observation::File(found)) => Some(found),
            _ => None,
        };
        let (after, lost) = match modes.contains(&change.path) {
            true => (change.after, false),
            false => set_id::without_set_id(&change.before, change.after),
        };
        if lost {
            set_id::warn(&mut plan.files, &change.path);
        }
        let mode = match &after {
            FileState::File { mode, .. } if before.is_some() || !written.contains(&change.path) => {
                StagedMode::Exact(*mode)
            }
            _ => StagedMode::Masked,
        };
        changes.push(FileChange {
            from: moved.get(&change.path).cloned(),
            place,
            before,
            after,
            hash: change.hash,
            mode,
            splices: change.splices,
            quoted: change.quoted,
            foreign: false,
            added: change.added,
            removed: change.removed,
            restores: None,
        });
    }
    let origin = Origin {
        kind: EntryKind::Edit,
        caller: given.caller.clone(),
        key: request.key,
        request: given.hash,
        label: request.label,
        of: Vec::new(),
        parts: Vec::new(),
        durability: request.durability.unwrap_or(state.settings.durability),
        queued: given.queued,
    };
    Transaction {
        origin,
        changes,
        clips: plan.clips,
        files: plan.files,
        error: plan.error,
        seen,
        unmade: Vec::new(),
        dialect_reply: given.dialect_reply.cloned(),
        rebased: !rebased.is_empty(),
        diffs,
    }
}

/// Returns the paths whose mode the job itself gives, also under their new names.
fn modes_given(job: &Job) -> BTreeSet<FilePath> {
    let given = job.entries.iter().filter(|entry| entry.edits().any(EditFacts::sets_mode));
    given.flat_map(|entry| entry.targets().chain([&entry.path]).cloned()).collect()
}

/// Returns the paths whose content the job itself gives without setting a mode, and the paths whose content comes from
/// another path, with that path.
pub(super) fn origins(job: &Job) -> (BTreeSet<FilePath>, BTreeMap<FilePath, FilePath>) {
    let mut written = BTreeSet::new();
    let mut moved = BTreeMap::new();
    for entry in &job.entries {
        for edit in entry.edits() {
            if edit.writes_file() {
                written.insert(entry.path.clone());
            } else if edit.sets_mode() {
                written.remove(&entry.path);
            } else if let Some(to) = edit.target() {
                moved.insert(to.clone(), entry.path.clone());
            }
        }
    }
    (written, moved)
}
