//! Runs one command of the workspace on one content, reads its issues, and subtracts those of the old content. It
//! decides nothing about the job.

use std::path::Path;
use std::time::Duration;

use super::check::{CheckContext, CheckedContent, ValidatorReport};
use super::issues::{self, FileNames, ParsedIssue};
use super::process::{CommandEnd, CommandOutput, CommandRun};
use super::subtract::{self, LineMapping};
use crate::config::{CommandSpec, FILE, PATH};

/// The exit statuses of a shell if a program does not exist, or may not be run.
pub(super) const NOT_RUN: [i32; 2] = [127, 126];

/// Returns the issues of a content that the old one did not have.
///
/// # Errors
/// The reason why the command cannot run.
pub(super) fn introduced(
    around: &CheckContext<'_>,
    spec: &CommandSpec,
    content: &CheckedContent<'_>,
    left: &dyn Fn() -> Duration,
) -> Result<ValidatorReport, String> {
    let mut report = ValidatorReport::default();
    let not_run = |why| ValidatorReport {
        notes: vec![format!("`{}` did not run: {why}", spec.name)],
        issues: Vec::new(),
    };
    let new = match run_on(around, spec, content, content.change.new, left()) {
        // If trust is revoked while a command waits for its turn, the job is not at fault.
        Err(why) => return (around.trusted)().map_or_else(|gone| Ok(not_run(gone)), |()| Err(why)),
        Ok(new) => new,
    };
    let Some(old) = content.change.old.filter(|_| !new.is_empty()) else {
        report.issues = new;
        return Ok(report);
    };
    let before = match run_on(around, spec, content, old, left()) {
        Err(why) => {
            let why = format!("{why}, on the file as it was; it has {} issues now", new.len());
            return (around.trusted)().map_or_else(|gone| Ok(not_run(gone)), |()| Err(why));
        }
        Ok(before) => before,
    };
    if let (Some(_), Some(found)) = (before.iter().find(|old| old.bare), new.iter().find(|new| new.bare)) {
        report.notes.push(format!("`{}` fails with and without the job: {}", spec.name, found.message));
    }
    let splices;
    let splices = match content.change.splices {
        Some(splices) => splices,
        None => {
            splices = editd_engine::splices_between(old, content.change.new);
            &splices
        }
    };
    report.issues = subtract::introduced(new, &before, &LineMapping::of(old, splices));
    Ok(report)
}

fn run_on(
    around: &CheckContext<'_>,
    spec: &CommandSpec,
    content: &CheckedContent<'_>,
    bytes: &[u8],
    left: Duration,
) -> Result<Vec<ParsedIssue>, String> {
    if left.is_zero() {
        return Err("the time limit for the validators of one job was reached".to_owned());
    }
    let in_file = spec.command.iter().any(|word| word.contains(FILE));
    let scratch = in_file.then(|| around.disk.scratch(&(around.scratch_name)(), content.path, bytes));
    let scratch =
        scratch.transpose().map_err(|why| format!("no temporary file can be created in .editd: {why}"))?;
    let file = scratch.as_ref().map(|scratch| around.root.join(scratch.below()));
    let command = spec.words(content.path, file.as_deref().unwrap_or(Path::new("")));
    let run = CommandRun {
        session: around.session,
        command: &command,
        env: &spec.env,
        write: &spec.write,
        folder: around.root,
        input: if in_file { b"" } else { bytes },
        time: spec.timeout,
        within: left,
        memory: spec.memory,
        output: usize::try_from(spec.output).unwrap_or(usize::MAX),
        stop: None,
    };
    // It may have waited for its turn for minutes.
    let ran = around.runner.run_if(run, || (around.trusted)().map_err(str::to_owned));
    let by_last = in_file && !spec.command.iter().any(|word| word.contains(PATH));
    let names = FileNames { root: around.root, path: content.path, file: file.as_deref(), by_last };
    interpret(spec, &ran, names)
}

/// Interprets the result of a run. With a status of 0 there are no issues, whatever was written.
fn interpret(
    spec: &CommandSpec,
    ran: &CommandOutput,
    names: FileNames<'_>,
) -> Result<Vec<ParsedIssue>, String> {
    let status = match &ran.ended {
        CommandEnd::Exited(0) => return Ok(Vec::new()),
        CommandEnd::Exited(status) if !NOT_RUN.contains(status) => *status,
        ended => {
            let said = issues::bare(0, b"", &ran.stderr, names).message;
            let said = if ran.stderr.trim_ascii().is_empty() { String::new() } else { format!(": {said}") };
            return Err(format!("{ended}{said}"));
        }
    };
    let mut found = issues::read(&ran.stdout, spec.pattern.as_ref(), names);
    found.extend(issues::read(&ran.stderr, spec.pattern.as_ref(), names));
    if found.is_empty() {
        found.push(issues::bare(status, &ran.stdout, &ran.stderr, names));
    }
    Ok(found)
}
