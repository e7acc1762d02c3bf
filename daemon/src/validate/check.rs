//! Runs all checks of one job in parallel. It reads no output itself.

use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use editd_engine::{ContentChange, PlanOptions};
use editd_proto::path::FilePath;

use super::issues::ParsedIssue;
use super::process::CommandRunner;
use super::{command, syntax};
use crate::clock::Clock;
use crate::config::{BUILT_IN, CommandSpec, SyntaxCheck};
use crate::disk::Disk;
use crate::limits::{CHECK_RUNS, CHECK_TIME, RUNS};
use crate::sync::lock;

/// A content that a job would write.
#[derive(Clone, Copy, Debug)]
pub struct CheckedContent<'c> {
    /// The path.
    pub path: &'c FilePath,
    /// The change. The old content is the present one, or that of the file it was moved from.
    pub change: ContentChange<'c>,
}

/// Calls the closure, which parses a text of the given number of bytes, when it may run; returns false if it was not
/// called.
pub type ParseTurn<'a> = &'a (dyn Fn(usize, &mut dyn FnMut()) -> bool + Sync);

/// The parts of the workspace that a check needs.
#[derive(Clone, Copy)]
pub struct CheckContext<'a> {
    /// The session of the job.
    pub session: &'a str,
    /// Runs commands.
    pub runner: &'a CommandRunner,
    /// The clock.
    pub clock: &'a dyn Clock,
    /// The workspace's folder.
    pub root: &'a Path,
    /// Creates temporary files.
    pub disk: &'a Disk,
    /// Returns a unique name for a temporary file.
    pub scratch_name: &'a (dyn Fn() -> String + Sync),
    /// Returns the reason if the commands may no longer run.
    pub trusted: &'a (dyn Fn() -> Result<(), &'static str> + Sync),
    /// The encodings of the texts.
    pub options: &'a PlanOptions,
    /// Limits the texts that are parsed at once.
    pub in_turn: ParseTurn<'a>,
}

/// The report of one validator about one content.
#[derive(Debug, Default)]
pub struct ValidatorReport {
    pub(super) issues: Vec<ParsedIssue>,
    /// Notes for the user that are not issues.
    pub(super) notes: Vec<String>,
}

/// A validator that could not run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedValidator {
    /// The index of the content.
    pub content: usize,
    /// The name of the validator.
    pub validator: String,
    /// The reason.
    pub why: String,
}

/// The results of all validators.
#[derive(Debug, Default)]
pub struct CheckResults {
    /// The issues that the job introduces, with the content's index, in the order of contents and validators.
    pub issues: Vec<(usize, editd_proto::message::Issue)>,
    /// Validators that could not run.
    pub unable: Vec<FailedValidator>,
    /// Notes for the user, with the content's index.
    pub notes: Vec<(usize, String)>,
    /// The first content that the built-in check could not examine in time.
    pub no_turn: Option<usize>,
}

/// Checks every content with the built-in check and with the commands for it. Blocks until all have ended.
pub fn check(
    around: &CheckContext<'_>,
    syntax: &SyntaxCheck,
    commands: &[&CommandSpec],
    contents: &[CheckedContent<'_>],
) -> CheckResults {
    let mut checked = CheckResults::default();
    let mut parsed_bytes = 0;
    for (index, content) in contents.iter().enumerate() {
        if syntax.check && !syntax.except.matches(content.path) {
            let (report, in_turn) = syntax::introduced(content, &mut parsed_bytes, around);
            if !in_turn {
                checked.no_turn.get_or_insert(index);
            }
            checked.take(index, content, BUILT_IN, Ok(report));
        }
    }
    let pairs = contents.iter().enumerate().flat_map(|(index, content)| {
        commands.iter().filter(|spec| spec.files.matches(content.path)).map(move |spec| (index, *spec))
    });
    let pairs: Vec<(usize, &CommandSpec)> = pairs.collect();
    for ((index, spec), report) in pairs.iter().zip(side_by_side(around, &pairs, contents)) {
        if let Some(content) = contents.get(*index) {
            checked.take(*index, content, &spec.name, report);
        }
    }
    // The issues of each content together, from all validators.
    checked.issues.sort_by_key(|(index, issue)| (*index, issue.line, issue.column));
    checked
}

/// Runs every pair of content and command; the results have the same order.
fn side_by_side(
    around: &CheckContext<'_>,
    pairs: &[(usize, &CommandSpec)],
    contents: &[CheckedContent<'_>],
) -> Vec<Result<ValidatorReport, String>> {
    let began = around.clock.monotonic();
    let left = || CHECK_TIME.saturating_sub(around.clock.monotonic().saturating_sub(began));
    let answers: Vec<Mutex<Option<Result<ValidatorReport, String>>>> =
        pairs.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(((index, spec), answer)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            pairs.get(at).zip(answers.get(at)).filter(|_| at < CHECK_RUNS)
        } {
            let Some(content) = contents.get(*index) else { continue };
            let report = command::introduced(around, spec, content, &left);
            *lock(answer) = Some(report);
        }
    };
    match pairs.len().min(RUNS) {
        0 => {}
        1 => work(),
        threads => std::thread::scope(|scope| {
            for _ in 1..threads {
                // If the system refuses a thread, the others do its work.
                let _started =
                    std::thread::Builder::new().name("validate".to_owned()).spawn_scoped(scope, work);
            }
            work();
        }),
    }
    let missed = || Err(format!("a job has at most {CHECK_RUNS} runs of validators; split it into several"));
    let answers =
        answers.into_iter().map(|answer| answer.into_inner().unwrap_or_else(PoisonError::into_inner));
    answers.map(|answer| answer.unwrap_or_else(missed)).collect()
}

impl CheckResults {
    fn take(
        &mut self,
        content: usize,
        of: &CheckedContent<'_>,
        validator: &str,
        report: Result<ValidatorReport, String>,
    ) {
        match report {
            Err(why) => self.unable.push(FailedValidator { content, validator: validator.to_owned(), why }),
            Ok(report) => {
                self.notes.extend(report.notes.into_iter().map(|note| (content, note)));
                let issues = report.issues.into_iter().map(|found| {
                    let issue = editd_proto::message::Issue {
                        path: found.elsewhere.unwrap_or_else(|| of.path.clone()),
                        validator: validator.to_owned(),
                        line: found.line,
                        column: found.column,
                        message: found.message,
                    };
                    (content, issue)
                });
                self.issues.extend(issues);
            }
        }
    }
}
