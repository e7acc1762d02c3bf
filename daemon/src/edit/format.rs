//! The step `format`: runs the formatters of the workspace on the contents that a job would write, before the
//! validators and before anything is written, so that the job is one change. It writes nothing, and no formatter can
//! make a job fail: a content that cannot be formatted is written as the job gave it, with a warning.

use std::collections::BTreeSet;
use std::time::Duration;

use editd_engine::{FileState, LineChange, PlannedChange, Refusal};
use editd_proto::limits;
use editd_proto::message::{FileOutcome, FormatterChange, JobStatus};
use editd_proto::path::FilePath;

use super::plan::{PlannedJob, origins};
use super::validate::contents;
use crate::caller::Caller;
use crate::config::{CommandKind, CommandSpec};
use crate::disk::place::native_path;
use crate::journal::change;
use crate::limits::{CHECK_RUNS, CHECK_TIME, CHECK_WARNINGS, JOB_BYTES, JOB_HOLDS};
use crate::state::WorkspaceState;
use crate::transaction::{JobAbort, JobGuard};
use crate::trust::WorkspaceCommands;
use crate::validate::process::{CommandEnd, CommandRun};

/// The plan before the formatters ran.
#[derive(Default)]
pub(super) struct Unformatted {
    changes: Vec<PlannedChange>,
    files: Vec<FileOutcome>,
    /// The formatters that changed something.
    by: BTreeSet<String>,
}

impl Unformatted {
    /// Returns true if any formatter changed something.
    pub(super) fn is_formatted(&self) -> bool {
        !self.by.is_empty()
    }

    /// Restores the contents that the job gave, after the formatted ones were refused.
    pub(super) fn restore(self, planned: &mut PlannedJob, why: &Refusal) {
        planned.plan.changes = self.changes;
        planned.plan.files = self.files;
        let by: Vec<String> = self.by.into_iter().map(|name| format!("`{name}`")).collect();
        let told = format!("not formatted: the output of {} was refused ({})", by.join(", "), why.message);
        warn(planned, 0, told);
    }
}

/// Runs the formatters on a plan. Returns the plan before.
pub(super) fn format(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    (caller, workspace_commands): (&Caller, &WorkspaceCommands),
    planned: &mut PlannedJob,
) -> Result<Unformatted, JobAbort> {
    let commands: Vec<&CommandSpec> = workspace_commands.runnable(CommandKind::Format).collect();
    if commands.is_empty() {
        return Ok(Unformatted::default());
    }
    let (_, moved) = origins(&planned.request.job);
    let fresh: BTreeSet<FilePath> =
        contents(planned, &moved).into_iter().map(|content| content.path.clone()).collect();
    let mut asked = Unformatted {
        changes: planned.plan.changes.clone(),
        files: planned.plan.files.clone(),
        by: BTreeSet::new(),
    };
    let mut work = Formatting {
        state,
        session: &caller.session,
        workspace_commands,
        began: state.clock.monotonic(),
        runs: 0,
        made: 0,
    };
    let mut diffs = limits::DIFF;
    for index in 0..planned.plan.changes.len() {
        let Some(change) = planned.plan.changes.get(index).filter(|change| fresh.contains(&change.path))
        else {
            continue;
        };
        let (path, FileState::File { bytes, mode }) = (change.path.clone(), change.after.clone()) else {
            continue;
        };
        let named = |path: &FilePath| planned.plan.files.iter().rposition(|file| file.path == *path);
        let at = named(&path).or_else(|| named(moved.get(&path)?)).unwrap_or(0);
        let (mut now, mut by) = (bytes.to_vec(), Vec::new());
        for command in commands.iter().filter(|command| command.files.matches(&path)) {
            match work.run(command, &path, &now) {
                Ok(made) if made == now => {}
                Ok(made) => {
                    by.push(command.name.clone());
                    now = made;
                }
                Err(why) => warn(planned, at, format!("`{}` did not format it: {why}", command.name)),
            }
        }
        if *now != *bytes {
            guard.grow(work.made.saturating_mul(JOB_HOLDS))?;
            asked.by.extend(by.iter().cloned());
            let made = FileState::File { bytes: now.into(), mode };
            take(planned, (index, at), made, by, &mut diffs);
        }
    }
    planned.plan.changes.retain(|change| change.before != change.after);
    Ok(asked)
}

/// Puts the formatted content of one file into the plan and its report.
fn take(
    planned: &mut PlannedJob,
    (index, at): (usize, usize),
    made: FileState,
    by: Vec<String>,
    diffs: &mut usize,
) {
    let (shows, hides) = (planned.request.job.diff == Some(true), planned.request.job.diff == Some(false));
    let Some(change) = planned.plan.changes.get_mut(index) else { return };
    let asked = std::mem::replace(&mut change.after, made);
    let hash = crate::disk::observation::hash(change.after.bytes());
    change.hash = Some(hash);
    change.splices = change::splices(&change.before, &change.after);
    let lines = LineChange::new(&change.before, &change.after, &change.splices);
    (change.added, change.removed) = lines.totals();
    let Some(file) = planned.plan.files.get_mut(at) else { return };
    (file.lines, file.places, file.added, file.removed) = Default::default();
    lines.describe(file);
    // These are positions in a content that is not written.
    file.edits.iter_mut().for_each(|edit| edit.now = None);
    file.after = Some(hash.version());
    if change.before == change.after && file.status == JobStatus::Applied {
        file.status = JobStatus::Unchanged;
        (file.diff, file.omitted_hunks) = (None, None);
    } else if shows || file.diff.is_some() {
        let (diff, omitted) = lines.diff(&change.path);
        (file.diff, file.omitted_hunks) = (Some(diff), (omitted > 0).then_some(omitted));
    }
    let splices = change::splices(&asked, &change.after);
    let (diff, omitted) = LineChange::new(&asked, &change.after, &splices).diff(&change.path);
    let fits = !hides && diff.len() <= *diffs;
    *diffs -= if fits { diff.len() } else { 0 };
    let (diff, omitted) = if fits { (diff, omitted) } else { (String::new(), omitted.saturating_add(1)) };
    file.formatted = Some(FormatterChange { by, diff, omitted_hunks: omitted });
}

fn warn(planned: &mut PlannedJob, at: usize, warning: String) {
    let told = planned.plan.files.iter().map(|file| file.warnings.len()).sum::<usize>();
    if let Some(file) = planned.plan.files.get_mut(at).filter(|_| told < CHECK_WARNINGS) {
        file.warnings.push(warning);
    }
}

/// The state that the formatters of one job share.
struct Formatting<'w> {
    state: &'w WorkspaceState,
    session: &'w str,
    workspace_commands: &'w WorkspaceCommands,
    /// The time at which the first one started.
    began: Duration,
    runs: usize,
    /// Bytes of their outputs.
    made: usize,
}

impl Formatting<'_> {
    /// Returns the output of a formatter for a content.
    ///
    /// # Errors
    /// The reason why there is no usable output.
    fn run(&mut self, command: &CommandSpec, path: &FilePath, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let gone = self.state.clock.monotonic().saturating_sub(self.began);
        let left = CHECK_TIME.saturating_sub(gone);
        if left.is_zero() || self.runs >= CHECK_RUNS {
            let seconds = CHECK_TIME.as_secs();
            return Err(format!(
                "the formatters of one job may run {CHECK_RUNS} times and for {seconds} s in all"
            ));
        }
        self.runs += 1;
        let words = command.words(path, &self.state.root.join(native_path(path)));
        let run = CommandRun {
            session: self.session,
            command: &words,
            env: &command.env,
            write: &command.write,
            folder: &self.state.root,
            input: bytes,
            time: command.timeout,
            within: left,
            memory: command.memory,
            output: usize::try_from(command.output).unwrap_or(usize::MAX),
            stop: None,
        };
        // It may have waited for its turn for minutes, and the commands may have lost their trust meanwhile.
        let still =
            || self.workspace_commands.still_runs(&self.state.workspace_commands()).map_err(str::to_owned);
        let ran = self.state.runner.run_if(run, still);
        if let CommandEnd::NotStarted(why) = &ran.ended {
            return Err(why.clone());
        }
        if let Some(told) = ran.failure() {
            return Err(told);
        }
        let made = ran.stdout;
        self.made = self.made.saturating_add(made.len());
        usable(bytes, &made)?;
        if made.len() > limits::FILE || self.made > JOB_BYTES {
            return Err(format!("it wrote {} bytes, which is too much", made.len()));
        }
        Ok(made)
    }
}

/// Refuses an output that cannot be the content of the file.
fn usable(asked: &[u8], made: &[u8]) -> Result<(), String> {
    if made.iter().all(u8::is_ascii_whitespace) && !asked.iter().all(u8::is_ascii_whitespace) {
        return Err("it wrote nothing to standard output".to_owned());
    }
    let is_text = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0);
    if is_text(asked) && !is_text(made) {
        return Err("it wrote something that is no text".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::usable;

    #[test]
    fn empty_or_binary_formatter_output_is_refused() {
        assert!(usable(b"a\n", b"b\n").is_ok());
        assert!(usable(b"a\n", b"").is_err());
        assert!(usable(b"a\n", b" \n\n").is_err());
        assert!(usable(b" \n", b"").is_ok());
        assert!(usable(b"a\n", b"a\0").is_err());
        assert!(usable(b"a\n", b"\xff").is_err());
        assert!(usable(b"\xff\xfea\0", b"\xff\xfeb\0").is_ok());
    }
}
