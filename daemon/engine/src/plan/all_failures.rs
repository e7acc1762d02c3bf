//! The other edits of a refused job that fail too, so that its caller mends all of them at once. It changes no verdict.

use std::collections::{BTreeMap, BTreeSet};

use editd_proto::error::{Code, WireError};
use editd_proto::ids::ContentHash;
use editd_proto::message::{FileEntry, JobRequest};
use editd_proto::path::WirePath;

use super::job::walk;
use crate::{Options, Refusal, World, limits};

/// The refusal of a job that is not `partial`, with the other edits of the job that fail beside it. The job is planned
/// once more for that, as if it were `partial`, within the same limits and unless it has more than
/// [`limits::RETOLD_EDITS`] edits; what fails only since another edit fails is not told.
pub(super) fn told_beside(
    first: Refusal,
    job: &JobRequest,
    world: &World,
    options: &Options,
    hashes: &BTreeMap<WirePath, ContentHash>,
) -> Refusal {
    let edits: usize = job.files.iter().map(|entry| entry.edits.len()).sum();
    let many = edits > limits::RETOLD_EDITS;
    if edits < 2 || many || matches!(first.code, Code::Busy | Code::Limit | Code::Internal | Code::TooLarge) {
        return first;
    }
    let whole = JobRequest { partial: true, diff: Some(false), ..job.clone() };
    let Ok(plan) = walk(&whole, (world, hashes), options, &BTreeMap::new()) else { return first };
    let mut failures = Failures { first: &first, job, tainted: BTreeSet::new(), found: Vec::new() };
    for (entry, outcome) in job.files.iter().zip(&plan.files) {
        let errors = outcome.edits.iter().enumerate();
        let errors = errors.filter_map(|(edit, outcome)| Some((edit, outcome.error.as_deref()?)));
        failures.add(entry, errors);
    }
    let found = failures.found;
    Box::new(first.beside(found))
}

/// What is collected, and the paths whose later entries stand on something that failed.
struct Failures<'j> {
    first: &'j WireError,
    job: &'j JobRequest,
    tainted: BTreeSet<&'j WirePath>,
    found: Vec<WireError>,
}

impl<'j> Failures<'j> {
    /// Adds the errors of one entry's edits.
    fn add<'e>(&mut self, entry: &'j FileEntry, errors: impl Iterator<Item = (usize, &'e WireError)>) {
        let targets = || entry.edits.iter().filter_map(|edit| edit.to.as_ref());
        let follows = std::iter::once(&entry.path).chain(targets()).any(|path| self.tainted.contains(path));
        let mut last: Option<(Code, &str)> = None;
        for (edit, error) in errors {
            let number = edit as u64 + 1;
            let of_first = self.first.path.as_ref() == Some(&entry.path) && self.first.edit == Some(number);
            // The two sides of one overlap, and a whole entry that cannot be edited, are one failure.
            let pair = error.other_edit.is_some()
                && self.first.path.as_ref() == Some(&entry.path)
                && self.first.edit == error.other_edit;
            let whole = matches!(
                error.code,
                Code::Binary | Code::Encoding | Code::Exists | Code::Missing | Code::TooLarge
            );
            let again = whole && last == Some((error.code, error.message.as_str()));
            let known = whole
                && self.first.path.as_ref() == Some(&entry.path)
                && (self.first.code, self.first.message.as_str()) == (error.code, error.message.as_str());
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
            self.tainted.extend(targets());
        }
    }

    /// Whether an edit fails since the edit of this job that fills its clipboard does.
    fn reads_what_failed(&self, entry: &FileEntry, edit: usize, error: &WireError) -> bool {
        let name = entry.edits.get(edit).and_then(|edit| edit.from_clipboard.as_deref());
        let stored = |name| {
            self.job
                .files
                .iter()
                .flat_map(|entry| &entry.edits)
                .any(|edit| edit.to_clipboard.as_deref() == Some(name))
        };
        error.code == Code::NoClipboard && name.is_some_and(stored)
    }
}
