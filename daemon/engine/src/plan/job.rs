//! Plans a job, entry by entry.

use std::collections::{BTreeMap, BTreeSet};

use editd_types::{ContentHash, ErrorCode, FileOutcome, FilePath, RequestError};

use super::entry::{self, PlanContext};
use super::needs::{check_edits, needs_of};
use super::net_diff::show_net_diffs;
use super::{Budget, all_failures};
use crate::clip::Clips;
use crate::job::{Job, JobEntry};
use crate::refusal::no_room;
use crate::tree::Tree;
use crate::{Plan, PlanOptions, Refusal, WorkspaceSnapshot};

/// Plans a job on a snapshot of the files and clipboards that [`needs`](crate::needs) returns. It writes nothing; the
/// same job and snapshot give the same plan.
///
/// ```
/// use editd_engine::{FileEdit, FileEntry, FileState, Job, PlanOptions, WorkspaceSnapshot, plan};
///
/// let mut edit = FileEdit { op: "replace".into(), ..FileEdit::default() };
/// (edit.old, edit.new) = (Some("x = 1".into()), Some("x = 2".into()));
/// let files = [FileEntry { path: "a.py".into(), edits: vec![edit], ..FileEntry::default() }];
/// let job = Job::parse(&files[..])?;
///
/// let mut snapshot = WorkspaceSnapshot::default();
/// snapshot.files.insert("a.py".into(), FileState::File { bytes: (*b"x = 1\n").into(), mode: 0o644 });
/// let plan = plan(&job, &snapshot, &PlanOptions::default())?;
/// assert_eq!(plan.changes[0].after, FileState::File { bytes: (*b"x = 2\n").into(), mode: 0o644 });
/// # Ok::<(), editd_engine::Refusal>(())
/// ```
///
/// # Errors
/// The first refusal, with the errors of the other failing edits in `others`. It names the path and the edit if it
/// concerns one. If the job is `partial`, only an error of the job as a whole: then [`Plan::error`] has the first
/// refusal, and the outcome of each edit has its own.
pub fn plan(job: &Job, snapshot: &WorkspaceSnapshot, options: &PlanOptions) -> Result<Plan, Refusal> {
    plan_known(job, snapshot, options, &BTreeMap::new(), &BTreeMap::new())
}

/// Plans a job as [`plan`] does, for a caller that knows the hashes of contents of the snapshot: those are not hashed
/// again. The caller may also have refused entries of a `partial` job (`left_out`, by index). These entries change
/// nothing, and no entry can read the clipboards that their edits would have stored. The snapshot need not have the
/// paths that only these entries name.
///
/// # Errors
/// The errors of [`plan`]; the refusals of `left_out` as one error if the job is not `partial` or all of its entries are
/// left out.
pub fn plan_known(
    job: &Job,
    snapshot: &WorkspaceSnapshot,
    options: &PlanOptions,
    hashes: &BTreeMap<FilePath, ContentHash>,
    left_out: &BTreeMap<usize, Refusal>,
) -> Result<Plan, Refusal> {
    if let Some(first) = left_out.values().next()
        && (!job.partial || left_out.len() >= job.entries.len())
    {
        // Several entries of a path may be left out for one reason.
        let mut told = BTreeSet::new();
        let others = left_out.values().filter(|refusal| told.insert((&refusal.path, &refusal.message)));
        let others = others.skip(1).map(|refusal| RequestError::clone(refusal));
        return Err(Box::new(RequestError::clone(first).beside(others)));
    }
    match walk(job, (snapshot, hashes), options, left_out) {
        Err(first) if !job.partial => {
            Err(all_failures::with_other_failures(first, job, snapshot, options, hashes))
        }
        planned => planned,
    }
}

/// Plans the entries in order.
pub(super) fn walk(
    job: &Job,
    (snapshot, hashes): (&WorkspaceSnapshot, &BTreeMap<FilePath, ContentHash>),
    options: &PlanOptions,
    left_out: &BTreeMap<usize, Refusal>,
) -> Result<Plan, Refusal> {
    check_edits(job)?;
    let paths = needs_of(job).paths;
    let diff = job.shown_diffs();
    let context =
        PlanContext { partial: job.partial, diff, options, budget: Budget::with_room(options.room) };
    let mut tree = Tree::new(snapshot, hashes);
    let mut clips = Clips::new(snapshot);
    let mut files = Vec::with_capacity(job.entries.len());
    let mut error = None;
    let mut unmade = UnmadeTargets::default();
    for (index, entry) in job.entries.iter().enumerate() {
        let dependent = unmade.refusal_of(&entry.path);
        let (outcome, refused) = match left_out.get(&index).or(dependent.as_ref()) {
            Some(refusal) => (entry::left_out(entry, refusal, &mut clips), Some(refusal.clone())),
            None => {
                let ran = entry::run(&context, entry, &mut tree, &mut clips);
                // This ends a `partial` job, too, since it is not an error of the edit.
                check_room(&context)?;
                ran.map_err(|refusal| at_stage(job, index, refusal))?
            }
        };
        unmade.note(entry, &outcome);
        files.push(outcome);
        error = error.or(refused);
    }
    if diff == Some(true) {
        show_net_diffs(&context, job, snapshot, &mut tree, &mut files)?;
    }
    let changes = tree.changes(&paths, &context.budget);
    check_room(&context)?;
    Ok(Plan { changes: changes?, clips: clips.writes(), files, error })
}

/// The targets of refused copies and renames of a `partial` job. A later entry of such a path was written for the file
/// that the edit would have put there, and must not change another one.
#[derive(Default)]
struct UnmadeTargets<'j>(BTreeMap<&'j FilePath, ErrorCode>);

impl<'j> UnmadeTargets<'j> {
    /// Notes the targets of an entry that was planned.
    fn note(&mut self, entry: &'j JobEntry, outcome: &FileOutcome) {
        for (edit, planned) in entry.edits().zip(&outcome.edits) {
            let Some(target) = edit.target() else { continue };
            match &planned.error {
                Some(error) => drop(self.0.insert(target, error.code)),
                None => drop(self.0.remove(target)),
            }
        }
    }

    /// Returns the refusal of an entry of a path that is such a target.
    fn refusal_of(&self, path: &FilePath) -> Option<Refusal> {
        let code = *self.0.get(path)?;
        let message = format!(
            "an earlier edit of this job that would have put a file at {path} was refused; correct that edit and send \
             both again"
        );
        Some(Box::new(RequestError::new(code, message).at(path)))
    }
}

/// Adds the number of the file entry to a refusal if several entries have its path.
fn at_stage(job: &Job, index: usize, mut refusal: Refusal) -> Refusal {
    let path = job.entries.get(index).map(|entry| &entry.path);
    if job.entries.iter().filter(|entry| Some(&entry.path) == path).count() > 1 {
        refusal.file.get_or_insert(index as u64 + 1);
    }
    refusal
}

/// Refuses a job that exceeded [`PlanOptions::room`].
fn check_room(job: &PlanContext<'_>) -> Result<(), Refusal> {
    if !job.budget.is_overrun() {
        return Ok(());
    }
    let mut error = no_room();
    error.limit = job.options.room.map(|room| room as u64);
    Err(error)
}

/// Returns true if a plan was refused only for lack of room: with more [`PlanOptions::room`] it may succeed.
pub fn lacks_room(refusal: &Refusal) -> bool {
    refusal.code == ErrorCode::Busy && refusal.limit.is_some()
}
