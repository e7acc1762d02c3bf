//! The problems of a check's last completed run, and the comparison with the next one.
//!
//! Two problems are the same if file, message and the text of the line are equal; numbers in messages and of lines do not
//! count, since lines move. Of the others, a problem with the same message in the same file is the same if its old line is
//! gone, since it was edited; and one with the same message and line in another file, if the old file is gone, since it was
//! renamed. A problem without a line is the same if file and message are equal.
//!
//! *Invariants*: a check that fails may not have examined everything (a compiler stops at the first crate with errors, and
//! warns only of what it could compile). So after a failed run, problems of files that it does not mention and that no job
//! changed stay known; so do the warnings of a successful run on lines that are still there. A run on some files (`{files}`)
//! says nothing about the others.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use editd_proto::message::Diagnostic;
use editd_proto::path::FilePath;

use super::{ChangedFiles, FinishedRun, FoundIssue, LinesOfFile};
use crate::limits::CHECK_KNOWN;
use crate::validate::{RunEnd, unnumbered};

/// The known problems of one check.
#[derive(Debug, Default)]
pub(super) struct KnownIssues {
    issues: Vec<KnownIssue>,
    examined: ExaminedFiles,
}

#[derive(Clone, Debug)]
struct KnownIssue {
    found: FoundIssue,
    /// The files on which its run was; `None` for the whole workspace.
    run: Option<Arc<BTreeSet<FilePath>>>,
    /// True if its run succeeded: it is a warning.
    warning: bool,
}

/// The files that completed runs have examined.
#[derive(Debug, Default)]
struct ExaminedFiles {
    whole: bool,
    files: BTreeSet<FilePath>,
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub(super) struct ComparedIssues {
    /// The new problems, in the order of the output.
    pub(super) new: Vec<FoundIssue>,
    /// The number of the others.
    pub(super) known: u64,
    /// True if there was nothing to compare with.
    pub(super) first: bool,
    /// True if the run had more problems than are compared.
    pub(super) cut: bool,
}

/// The file and the message of a problem, without the numbers in it.
pub(super) type ToldKey = (Option<FilePath>, String);

/// Returns the file and the message of a problem, without the numbers in it.
pub(super) fn told_key(one: &Diagnostic) -> ToldKey {
    (one.path.clone(), unnumbered(&one.message))
}

impl KnownIssues {
    /// Returns the files of the known problems.
    pub(super) fn paths(&self) -> impl Iterator<Item = &FilePath> {
        self.issues.iter().filter_map(|issue| issue.found.told.path.as_ref())
    }

    /// Returns the parts by which the known problems are recognised, without their lines.
    pub(super) fn keys(&self) -> impl Iterator<Item = ToldKey> {
        self.issues.iter().map(|issue| told_key(&issue.found.told))
    }

    /// Compares a completed run with the one before, and replaces that. `on` are the files on which it ran, if that was not
    /// the whole workspace.
    pub(super) fn replace(
        &mut self,
        on: Option<BTreeSet<FilePath>>,
        changed: &ChangedFiles,
        run: &FinishedRun,
    ) -> ComparedIssues {
        let issues = run.issues.get(..CHECK_KNOWN.min(run.issues.len())).unwrap_or_default();
        let examined = |files: &BTreeSet<FilePath>| files.is_subset(&self.examined.files);
        let first = !self.examined.whole && !on.as_ref().is_some_and(examined);
        let mut new = subtract(issues, &self.issues, &run.lines);
        if first {
            // The others may be older than every job.
            new.retain(|found| found.told.path.as_ref().is_none_or(|path| changed.has(path)));
        }
        let known = (issues.len() - new.len()) as u64;
        let on = on.map(Arc::new);
        let mentioned: HashSet<&FilePath> = issues.iter().filter_map(|one| one.told.path.as_ref()).collect();
        let present: HashSet<_> = issues.iter().map(key).collect();
        let failed = run.end == RunEnd::Failed;
        let stays = |issue: &KnownIssue| {
            let Some(path) = &issue.found.told.path else { return false };
            if mentioned.contains(path) || (failed && changed.has(path)) {
                let lines = run.lines.get(path).and_then(Option::as_ref);
                let stands = issue.found.text.zip(lines).is_some_and(|(text, lines)| lines.contains(&text));
                return failed && issue.warning && stands && !present.contains(&key(&issue.found));
            }
            let gone = run.lines.get(path).is_some_and(Option::is_none);
            let unexamined = match (&on, &issue.run) {
                (None, _) => false,
                (Some(on), None) => !on.contains(path),
                (Some(on), Some(run)) => !on.contains(path) && !run.is_subset(on),
            };
            !gone && (unexamined || failed)
        };
        self.issues.retain(stays);
        self.issues.truncate(CHECK_KNOWN.saturating_sub(issues.len()));
        let warning = !failed;
        let known_issue = |found: &FoundIssue| KnownIssue { found: found.clone(), run: on.clone(), warning };
        self.issues.extend(issues.iter().map(known_issue));
        match on {
            None => self.examined.whole = true,
            Some(on) => self.examined.add(&on),
        }
        ComparedIssues { new, known, first, cut: run.issues.len() > issues.len() }
    }
}

impl ExaminedFiles {
    fn add(&mut self, files: &BTreeSet<FilePath>) {
        if self.files.len() + files.len() > crate::limits::CHECK_FILES {
            // The files that are forgotten are examined for the first time again.
            self.files.clear();
        }
        self.files.extend(files.iter().cloned());
    }
}

/// Returns the problems that are not among the old ones.
fn subtract(
    issues: &[FoundIssue],
    old: &[KnownIssue],
    lines: &HashMap<FilePath, LinesOfFile>,
) -> Vec<FoundIssue> {
    let mut new: Vec<&FoundIssue> = issues.iter().collect();
    let mut old: Vec<&FoundIssue> = old.iter().map(|issue| &issue.found).collect();
    pair(&mut new, &mut old, |_| true, key);
    let edited = |one: &FoundIssue| {
        let lines = one.told.path.as_ref().and_then(|path| lines.get(path));
        match (one.text, lines) {
            (Some(text), Some(Some(lines))) => !lines.contains(&text),
            (_, Some(None)) => false,
            // The lines of one of the two are unknown.
            _ => true,
        }
    };
    pair(&mut new, &mut old, edited, |one| (one.told.path.as_ref(), one.told.message.as_str()));
    let is_gone = |one: &FoundIssue| {
        one.told.path.as_ref().is_some_and(|path| lines.get(path).is_some_and(Option::is_none))
    };
    pair(&mut new, &mut old, is_gone, |one| (one.told.message.as_str(), one.text));
    new.into_iter().cloned().collect()
}

/// Returns the parts in which two problems are the same.
fn key(one: &FoundIssue) -> (Option<&FilePath>, String, Option<u64>) {
    (one.told.path.as_ref(), unnumbered(&one.told.message), one.text)
}

/// Removes pairs of a new and an old problem with the same key, if the old one is `fit`.
fn pair<'f, K: Eq + Hash>(
    new: &mut Vec<&'f FoundIssue>,
    old: &mut Vec<&'f FoundIssue>,
    fit: impl Fn(&FoundIssue) -> bool,
    key: impl Fn(&'f FoundIssue) -> K,
) {
    let mut counts: HashMap<K, usize> = HashMap::new();
    for one in old.iter().filter(|one| fit(one)) {
        *counts.entry(key(one)).or_default() += 1;
    }
    let mut paired: HashMap<K, usize> = HashMap::new();
    new.retain(|one| match counts.get_mut(&key(one)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            *paired.entry(key(one)).or_default() += 1;
            false
        }
        _ => true,
    });
    old.retain(|one| match paired.get_mut(&key(one)) {
        Some(count) if *count > 0 && fit(one) => {
            *count -= 1;
            false
        }
        _ => true,
    });
}
