//! The step `validate`: runs the validators on the new contents, and applies the job's mode to their issues. It writes
//! nothing.
//!
//! In `strict`, an issue that the job introduces refuses the whole job, also with `partial`: nobody wants half a job to
//! be applied because the other half was wrong. A validator that may run but fails to do so refuses it, too. In
//! `interactive` both are reported; `verify_only` refuses what `strict` would refuse. The built-in check of syntax
//! refuses nothing that it cannot check; if it only got no turn in time, a strict job is refused as `busy`. Only new contents are checked: not a file that is removed, moved, copied or
//! given other permissions, nor a content that an undo restores.

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_engine::{ContentChange, FileState, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::limits::ISSUES;
use editd_proto::message::{FileOutcome, Issue, JobMode};
use editd_proto::path::FilePath;

use super::plan::{self, PlannedJob};
use crate::caller::Caller;
use crate::config::CommandKind;
use crate::disk::{FileSnapshot, Observation};
use crate::limits::{CHECK_WARNINGS, RECEIPT_ISSUES};
use crate::state::WorkspaceState;
use crate::trust::WorkspaceCommands;
use crate::validate::{self, CheckContext, CheckResults, CheckedContent};

/// Validates a planned job, and adds the issues to its report.
pub(super) fn validate(
    state: &WorkspaceState,
    caller: &Caller,
    workspace_commands: &WorkspaceCommands,
    planned: &mut PlannedJob,
) -> Result<(), Refusal> {
    let (_, moved) = plan::origins(&planned.request.job);
    let contents = contents(planned, &moved);
    if contents.is_empty() {
        return Ok(());
    }
    let paths: Vec<FilePath> = contents.iter().map(|content| content.path.clone()).collect();
    let commands: Vec<_> = workspace_commands.runnable(CommandKind::Validator).collect();
    let options = state.options(paths.iter());
    let around = CheckContext {
        session: &caller.session,
        runner: &state.runner,
        clock: &*state.clock,
        root: &state.root,
        disk: &state.disk,
        scratch_name: &|| state.next_staged_name(),
        trusted: &|| workspace_commands.still_runs(&state.workspace_commands()),
        options: &options,
        in_turn: &|bytes, parse| {
            let turn = state.parsing.turn(&caller.owner, bytes);
            let may = turn.is_ok();
            if may {
                parse();
            }
            may
        },
    };
    let checked = validate::check(&around, workspace_commands.syntax(), &commands, &contents);
    // A verified job must pass as a strict one.
    if planned.request.mode != JobMode::Interactive {
        refuse(&checked, &paths)?;
    }
    // A moved file is reported under the name that the job gave it.
    let told = |path: &FilePath, files: &[FileOutcome]| {
        let named = |path: &FilePath| files.iter().position(|file| file.path == *path);
        named(path).or_else(|| named(moved.get(path)?)).unwrap_or(0)
    };
    let at = paths.iter().map(|path| told(path, &planned.plan.files)).collect();
    Report { files: &mut planned.plan.files, at, issues: 0 }.tell(checked);
    Ok(())
}

/// Returns the contents that the job would write and that are new: neither the path nor the one that the content comes
/// from has them.
pub(super) fn contents<'p>(
    planned: &'p PlannedJob,
    moved: &BTreeMap<FilePath, FilePath>,
) -> Vec<CheckedContent<'p>> {
    let there = |path: &FilePath| match planned.observations.get(path) {
        Some(Observation::File(found)) => Some(found),
        _ => None,
    };
    let contents = planned.plan.changes.iter().filter_map(|change| {
        let FileState::File { bytes: new, .. } = &change.after else { return None };
        let before = match &change.before {
            FileState::File { bytes, .. } => Some(bytes),
            FileState::Absent => None,
        };
        let (old, splices) = match before.is_some().then_some(&change.splices) {
            Some(splices) => (before, Some(splices.as_slice())),
            None => (moved.get(&change.path).and_then(there).map(|found| &found.bytes), None),
        };
        // Between two files, there is a splice exactly if their contents differ.
        let differs = splices.map_or_else(|| old != Some(new), |splices| !splices.is_empty());
        let is_old = |found: &&FileSnapshot| old.is_some_and(|old| Arc::ptr_eq(old, &found.bytes));
        let old_hash = there(&change.path).filter(is_old).map(|found| found.meta.hash);
        let (path, old) = (&change.path, old.map(|old| &**old));
        let change = ContentChange { old, old_hash, new, new_hash: change.hash, splices };
        differs.then_some(CheckedContent { path, change })
    });
    contents.collect()
}

/// Refuses a strict job that has issues.
fn refuse(checked: &CheckResults, paths: &[FilePath]) -> Result<(), Refusal> {
    let way_out = "nothing was written: correct that, or send the job with the mode `interactive`";
    if let Some((_, first)) = checked.issues.first() {
        let more = match checked.issues.len() - 1 {
            0 => String::new(),
            1 => " (and 1 more issue)".to_owned(),
            more => format!(" (and {more} more issues)"),
        };
        let mut error =
            RequestError::new(ErrorCode::Rejected, format!("{first}{more}; {way_out}")).at(&first.path);
        error.line = first.line;
        error.issues = checked.issues.iter().take(ISSUES).map(|(_, issue)| issue.clone()).collect();
        return Err(Box::new(error));
    }
    if let Some(path) = checked.no_turn.and_then(|content| paths.get(content)) {
        let message = format!(
            "the syntax of {path} could not be checked in time, since other large files are being parsed; nothing was \
             written: try again in a moment"
        );
        return Err(Box::new(RequestError::new(ErrorCode::Busy, message).at(path)));
    }
    let Some((unable, path)) = checked.unable.first().and_then(|one| Some((one, paths.get(one.content)?)))
    else {
        return Ok(());
    };
    let what =
        format!("the validator `{}` could not check {path}: {}; {way_out}", unable.validator, unable.why);
    Err(Box::new(RequestError::new(ErrorCode::Rejected, what).at(path)))
}

/// Adds the issues of a check to a receipt.
struct Report<'r> {
    files: &'r mut Vec<FileOutcome>,
    /// The index in the receipt of the file of each content.
    at: Vec<usize>,
    /// The number of issues added so far.
    issues: usize,
}

impl Report<'_> {
    fn tell(mut self, checked: CheckResults) {
        let mut left_out: BTreeMap<usize, usize> = BTreeMap::new();
        for (content, issue) in checked.issues {
            if !self.told(content, issue) {
                *left_out.entry(content).or_default() += 1;
            }
        }
        let mut warnings: Vec<(usize, String)> = left_out
            .into_iter()
            .map(|(content, more)| (content, format!("{more} more issues are not listed")))
            .collect();
        warnings.extend(checked.notes);
        // One sentence for all files with the same reason.
        let mut unable: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
        for one in checked.unable {
            unable.entry((one.validator, one.why)).or_insert((one.content, 0)).1 += 1;
        }
        warnings.extend(unable.into_iter().map(|((validator, why), (content, times))| {
            let others = match times {
                1 => String::new(),
                _ => format!(" (nor {} other files)", times - 1),
            };
            (content, format!("the validator `{validator}` could not check this file{others}: {why}"))
        }));
        let more = warnings.len().saturating_sub(CHECK_WARNINGS);
        warnings.truncate(CHECK_WARNINGS);
        if let (1.., Some((content, _))) = (more, warnings.last()) {
            warnings.push((*content, format!("the validators have {more} more warnings")));
        }
        for (content, warning) in warnings {
            if let Some(file) = self.file(content) {
                file.warnings.push(warning);
            }
        }
    }

    fn file(&mut self, content: usize) -> Option<&mut FileOutcome> {
        let at = *self.at.get(content)?;
        self.files.get_mut(at)
    }

    /// Adds an issue; returns false if there was no space for it.
    fn told(&mut self, content: usize, issue: Issue) -> bool {
        let full = self.issues >= RECEIPT_ISSUES;
        let room = self.file(content).filter(|file| !full && file.issues.len() < ISSUES);
        let Some(file) = room else { return false };
        file.issues.push(issue);
        self.issues += 1;
        true
    }
}

#[cfg(all(test, unix))]
mod tests;
