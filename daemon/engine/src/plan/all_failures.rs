//! Finds the other failing edits of a refused job, so that its caller can correct all of them at once. It changes no
//! verdict.

use std::collections::{BTreeMap, BTreeSet};

use editd_types::{ContentHash, ErrorCode, FilePath, RequestError};

use super::job::walk;
use super::needs::stores;
use crate::job::{Job, JobEntry};
use crate::op::Op;
use crate::{Plan, PlanOptions, Refusal, WorkspaceSnapshot, limits};

/// Adds the other failing edits of a job that is not `partial` to its refusal. To find them, the job is planned again
/// as if it were `partial`, within the same limits. A job of more than [`limits::REPLANNED_EDITS`] edits is not
/// planned again, and the refusal says so. Edits that fail only because another edit fails are not listed.
pub(super) fn with_other_failures(
    mut first: Refusal,
    job: &Job,
    snapshot: &WorkspaceSnapshot,
    options: &PlanOptions,
    hashes: &BTreeMap<FilePath, ContentHash>,
) -> Refusal {
    let edits = job.edit_count();
    if edits < 2
        || matches!(
            first.code,
            ErrorCode::Busy | ErrorCode::Limit | ErrorCode::Internal | ErrorCode::TooLarge
        )
    {
        return first;
    }
    if edits > limits::REPLANNED_EDITS {
        let most = limits::REPLANNED_EDITS;
        let untold = format!("; the job has more than {most} edits, so others that fail were not looked for");
        first.message.push_str(&untold);
        return first;
    }
    let whole = Job { partial: true, diff: Some(false), ..job.clone() };
    let Ok(plan) = walk(&whole, (snapshot, hashes), options, &BTreeMap::new()) else { return first };
    let found = found_in(job, &plan, &BTreeMap::new(), Some(&first));
    Box::new(first.beside(found))
}

/// Returns the errors of the edits that fail by themselves in the `partial` plan of a job, without those of the
/// entries in `left_out` (by index). Edits that fail only because another edit fails, or because an entry was left
/// out, are not listed.
pub fn failures(job: &Job, plan: &Plan, left_out: &BTreeMap<usize, Refusal>) -> Vec<RequestError> {
    found_in(job, plan, left_out, None)
}

/// Returns true if a job has so many edits that its refusal does not list further failures.
pub fn has_unlisted_failures(job: &Job) -> bool {
    job.edit_count() > limits::REPLANNED_EDITS
}

fn found_in(
    job: &Job,
    plan: &Plan,
    left_out: &BTreeMap<usize, Refusal>,
    first: Option<&RequestError>,
) -> Vec<RequestError> {
    let mut failures = Failures { first, job, tainted: BTreeSet::new(), found: Vec::new() };
    for (index, (entry, outcome)) in job.entries.iter().zip(&plan.files).enumerate() {
        if left_out.contains_key(&index) {
            failures.taint(entry);
            continue;
        }
        let errors = outcome.edits.iter().enumerate();
        let errors = errors.filter_map(|(edit, outcome)| Some((edit, outcome.error.as_deref()?)));
        failures.add(entry, errors);
    }
    failures.found
}

/// The failures that were found, and the paths whose later entries depend on a failure.
struct Failures<'j> {
    /// The failure that the refusal already names.
    first: Option<&'j RequestError>,
    job: &'j Job,
    tainted: BTreeSet<&'j FilePath>,
    found: Vec<RequestError>,
}

impl<'j> Failures<'j> {
    /// Marks the entry's path and the paths it writes to as dependent on a failure.
    fn taint(&mut self, entry: &'j JobEntry) {
        self.tainted.insert(&entry.path);
        self.tainted.extend(entry.targets());
    }

    /// Adds the errors of the edits of an entry.
    fn add<'e>(&mut self, entry: &'j JobEntry, errors: impl Iterator<Item = (usize, &'e RequestError)>) {
        let follows =
            std::iter::once(&entry.path).chain(entry.targets()).any(|path| self.tainted.contains(path));
        let first = self.first.filter(|first| first.path.as_ref() == Some(&entry.path));
        let mut last: Option<(ErrorCode, &str)> = None;
        for (edit, error) in errors {
            let number = edit as u64 + 1;
            let of_first = first.is_some_and(|first| first.edit == Some(number));
            // An overlap of two edits is one failure, and so is an entry that cannot be edited at all.
            let is_other_side = |one: &RequestError| one.edit == error.other_edit;
            let same_path = self.found.iter().filter(|one| one.path.as_ref() == Some(&entry.path));
            let pair = error.other_edit.is_some() && same_path.chain(first).any(is_other_side);
            let whole = matches!(
                error.code,
                ErrorCode::Binary
                    | ErrorCode::Encoding
                    | ErrorCode::Exists
                    | ErrorCode::Missing
                    | ErrorCode::TooLarge
            );
            let again = whole && last == Some((error.code, error.message.as_str()));
            let known = whole
                && first.is_some_and(|first| (first.code, &first.message) == (error.code, &error.message));
            if !(follows || of_first || pair || again || known || self.reads_what_failed(entry, edit, error))
            {
                let mut error = error.clone();
                error.path = Some(entry.path.clone());
                error.edit = Some(number);
                self.found.push(error);
            }
            last = Some((error.code, error.message.as_str()));
            self.tainted.insert(&entry.path);
        }
        if self.tainted.contains(&entry.path) {
            self.taint(entry);
        }
    }

    /// Returns true if an edit fails because the edit of this job that stores its clipboard fails.
    fn reads_what_failed(&self, entry: &JobEntry, edit: usize, error: &RequestError) -> bool {
        let name = entry.edits.get(edit).and_then(|edit| edit.as_ref().ok().and_then(Op::reads));
        let stored = |name| {
            self.job.entries.iter().flat_map(|entry| &entry.edits).any(|edit| stores(edit) == Some(name))
        };
        error.code == ErrorCode::NoClipboard && name.is_some_and(stored)
    }
}
