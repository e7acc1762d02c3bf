//! The checks that are due after a job, and the run of one. It decides nothing about results.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicBool;

use editd_proto::message::{Diagnostic, FileOutcome, JobStatus, Receipt};
use editd_proto::path::FilePath;

use super::Workspace;
use crate::checks::{ChangedFiles, DueCheck, FinishedRun, FoundIssue, LinesOfFile, StartedCheck};
use crate::config::CommandKind;
use crate::disk::Observation;
use crate::limits::{CHECK_BYTES_READ, CHECK_FILES_NAMED, CHECK_FILES_READ};
use crate::validate::{ReportedIssue, RunEnd, check_whole};

impl Workspace {
    /// Returns the checks for the files of a job that was applied, or undone. Those on `{files}` leave out files that were
    /// removed.
    pub fn checks_after(&self, receipt: &Receipt) -> Vec<DueCheck> {
        let changed = matches!(receipt.status, JobStatus::Applied | JobStatus::Partial);
        if receipt.repeated || !changed || receipt.job.is_none() {
            return Vec::new();
        }
        let commands = self.state.recent_commands();
        let of_hooks = receipt.hooks.iter().flat_map(|hook| &hook.files);
        let applied = |file: &&FileOutcome| file.status == JobStatus::Applied;
        let files: Vec<&FileOutcome> = receipt.files.iter().chain(of_hooks).filter(applied).collect();
        let due = commands.runnable(CommandKind::Check).filter_map(|spec| {
            let meant = |file: &&&FileOutcome| {
                spec.files.matches(&file.path) && (file.after.is_some() || !spec.names_files())
            };
            let files: Vec<FilePath> = files.iter().filter(meant).map(|file| file.path.clone()).collect();
            (!files.is_empty()).then(|| DueCheck { spec: spec.clone(), files })
        });
        due.collect()
    }

    /// Returns the names of the checks in the present `.editd.toml`, also if it is not trusted; `None` if it cannot be used.
    pub fn check_names(&self) -> Option<BTreeSet<String>> {
        let commands = self.state.workspace_commands();
        let checks = commands.all().iter().filter(|spec| spec.kind == CommandKind::Check);
        commands.problem().is_none().then(|| checks.map(|spec| spec.name.clone()).collect())
    }

    /// Runs a check. Blocks until it has ended, or `stop` has ended it.
    pub fn run_check(&self, started: &StartedCheck, stop: &AtomicBool) -> FinishedRun {
        let not_run = |why: String| FinishedRun {
            end: RunEnd::CouldNotRun(why),
            issues: Vec::new(),
            lines: HashMap::new(),
        };
        let spec = &started.spec;
        let commands = self.state.workspace_commands();
        // It may have waited for its turn for minutes.
        if !commands.runnable(CommandKind::Check).any(|present| present == spec) {
            return not_run("the file that names it changed, or is no longer trusted".to_owned());
        }
        let files = match spec.names_files().then(|| self.files_to_name(&started.changed)) {
            None => Vec::new(),
            // Nothing is left to check.
            Some(Ok(files)) if files.is_empty() => {
                return FinishedRun { end: RunEnd::Passed, ..not_run(String::new()) };
            }
            Some(Ok(files)) => files,
            Some(Err(why)) => return not_run(why),
        };
        let words = spec.words_for_all(&files);
        let report = check_whole(&self.state.runner, &self.state.root, spec, &words, stop);
        let mut lines = HashMap::new();
        if matches!(report.end, RunEnd::Passed | RunEnd::Failed) {
            let (reported, mut left) =
                (report.issues.iter().filter_map(|issue| issue.path.as_ref()), CHECK_BYTES_READ);
            let paths: BTreeSet<&FilePath> = reported.chain(&started.known).collect();
            for path in paths.into_iter().take(CHECK_FILES_READ) {
                lines.extend(self.lines_of(path, &mut left).map(|file| (path.clone(), file)));
            }
        }
        let issues = report.issues.into_iter().map(|issue| found(issue, &lines)).collect();
        let lines = lines.into_iter().map(|(path, file)| (path, known_lines(file))).collect();
        FinishedRun { end: report.end, issues, lines }
    }

    /// Returns the changed files that replace `{files}`: those that exist now, at the path at which the job wrote them.
    fn files_to_name(&self, changed: &ChangedFiles) -> Result<Vec<FilePath>, String> {
        let advice = "name a folder in `command` instead of {files}";
        let mut files = changed.list().unwrap_or_default();
        if files.is_empty() || files.len() > CHECK_FILES_NAMED {
            return Err(format!("jobs changed more than {CHECK_FILES_NAMED} files at once; {advice}"));
        }
        files.retain(|path| {
            let place = self.state.disk.resolve_link(path).ok().filter(|place| place.path() == path);
            place.is_some_and(|place| matches!(self.state.disk.observe(&place), Ok(Observation::File(_))))
        });
        Ok(files)
    }

    /// Returns the hash of each line of a file; `None` within if there is no such file, and outside if that is unknown. The
    /// file may have `left` bytes, which are reduced by its own.
    fn lines_of(&self, path: &FilePath, left: &mut usize) -> Option<Option<Vec<u64>>> {
        let place = self.state.disk.resolve_link(path).ok()?;
        match self.state.disk.observe_within(&place, *left).ok()? {
            Observation::Absent => Some(None),
            Observation::File(file) => {
                *left = left.saturating_sub(file.bytes.len());
                Some(Some(file.bytes.split(|byte| *byte == b'\n').map(hash).collect()))
            }
            _ => None,
        }
    }
}

/// The hash of a line without the spaces around it: an issue stays the same if its line is indented.
fn hash(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.trim_ascii().hash(&mut hasher);
    hasher.finish()
}

fn found(issue: ReportedIssue, lines: &HashMap<FilePath, Option<Vec<u64>>>) -> FoundIssue {
    let ReportedIssue { path, line, column, message } = issue;
    let of_file = path.as_ref().and_then(|path| lines.get(path)?.as_ref());
    let index = line.and_then(|line| usize::try_from(line.checked_sub(1)?).ok());
    let text = of_file.zip(index).and_then(|(file, index)| file.get(index).copied());
    FoundIssue { told: Diagnostic { path, line, column, message }, text }
}

fn known_lines(file: Option<Vec<u64>>) -> LinesOfFile {
    file.map(|lines| lines.into_iter().collect())
}
