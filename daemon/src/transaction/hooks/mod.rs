//! The step `hooks`: runs commands after a job is sealed, before its reply, while its lanes are held. Their changes to
//! the job's files become entries that belong to the job.
//!
//! *Invariants*: the job stays applied whatever a hook does; the changes of a hook are journaled even if it failed. A
//! command runs only if the bytes of `.editd.toml` that name it are trusted now. After a kill, the entries of hooks
//! that were written by then remain; other changes are found by the next observation, as changes by another program.
//!
//! *Limitations*: changes by another program to one of the files while a hook runs count as the hook's. Changes of a
//! hook to files that are not the job's count as changes by another program.

mod in_place;
mod job_files;
mod rewritten;
#[cfg(all(test, unix))]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use editd_engine::{FileState, Plan};
use editd_proto::ids::ContentHash;
use editd_proto::message::{Durability, EntryKind, FileOutcome, HookOutcome, JobStatus};
use editd_proto::path::FilePath;

use super::JobGuard;
use super::reply;
use super::seal::SealedTransaction;
use crate::config::{CommandKind, CommandSpec, FILE_NAME};
use crate::disk::place::native_path;
use crate::journal::change;
use crate::journal::seal::done_record;
use crate::limits;
use crate::record::{EndedWithoutEntry, FileRecord, Record};
use crate::state::WorkspaceState;
use crate::store::LogPosition;
use crate::transaction::JobAbort;
use crate::trust::WorkspaceCommands;
use crate::validate::process::{CommandEnd, CommandOutput, CommandRun};
use job_files::JobFile;

/// The message for a hook that made editd panic.
const MISTAKE: &str = "editd made a mistake with this hook; please report it with the daemon's log";

/// The state that the hooks of one job share.
struct HookContext<'w> {
    state: &'w WorkspaceState,
    sealed: &'w SealedTransaction,
    /// Each file of the job, until another program changes it.
    files: BTreeMap<FilePath, JobFile>,
    /// The files whose content the job made.
    fresh: Vec<FilePath>,
    /// The time at which the first hook started.
    began: Duration,
    runs: usize,
    /// The commands of the workspace, the hooks among them.
    workspace_commands: WorkspaceCommands,
}

/// Runs the hooks for a sealed job's files, and adds their outcomes to the receipt.
pub(super) fn run(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    mut sealed: SealedTransaction,
) -> Result<SealedTransaction, JobAbort> {
    if sealed.entry.kind != EntryKind::Edit {
        return Ok(sealed);
    }
    let fresh = fresh(&sealed);
    let is_config = |file: &FileRecord| file.path.as_bytes() == FILE_NAME.as_bytes();
    let workspace_commands = match sealed.entry.files.iter().any(is_config) {
        true => state.workspace_commands(),
        false => state.recent_commands(),
    };
    // `tell_left_out` has warned before, unless the file changed since, perhaps by this very job.
    if let Some(told) = workspace_commands.left_out(sealed.entry.files.iter().map(|file| &file.path))
        && state.told.is_new(&sealed.entry.session, &told)
    {
        state.told.note(&sealed.entry.session, &told);
        warn_once(&mut sealed.receipt.files, told);
    }
    let meant = |hook: &&CommandSpec| fresh.iter().any(|path| hook.files.matches(path));
    let hooks: Vec<&CommandSpec> =
        workspace_commands.runnable(CommandKind::AfterWrite).filter(meant).collect();
    if hooks.is_empty() {
        return Ok(sealed);
    }
    let files = job_files::of_job(&sealed);
    let began = state.clock.monotonic();
    let mut context = HookContext {
        state,
        sealed: &sealed,
        files,
        fresh,
        began,
        runs: 0,
        workspace_commands: workspace_commands.clone(),
    };
    let mut told = Vec::with_capacity(hooks.len());
    for hook in hooks {
        // If the daemon ends while the hook runs, the next one must be able to compare with the contents before.
        state.store.write_kept();
        // The job is applied: a panic from here on must not become the result of the job.
        let ran = catch_unwind(AssertUnwindSafe(|| match hook.stdout {
            true => rewritten::run(&mut context, hook),
            false => Ok(in_place::run(&mut context, guard, hook)),
        }));
        told.push(ran.unwrap_or_else(|_| Ok(broken(hook)))?);
    }
    guard.end();
    tell(state, &mut sealed, told);
    Ok(sealed)
}

fn broken(hook: &CommandSpec) -> HookOutcome {
    HookOutcome { warnings: vec![MISTAKE.to_owned()], ..silent(hook) }
}

/// Adds a warning that names the commands for a planned job that may not run, validators and hooks alike, unless the
/// session had it with an earlier job that was applied.
pub fn tell_left_out(state: &WorkspaceState, commands: &WorkspaceCommands, session: &str, plan: &mut Plan) {
    if !plan.changes.is_empty() {
        let left_out = commands.left_out(plan.changes.iter().map(|change| &change.path));
        let left_out = left_out.filter(|told| state.told.is_new(session, told));
        left_out.into_iter().for_each(|told| warn_once(&mut plan.files, told));
    }
}

/// Returns the files whose content is new: not those that the job only removed, moved or gave other permissions.
fn fresh(sealed: &SealedTransaction) -> Vec<FilePath> {
    let before = |path: &FilePath| {
        let file = sealed.entry.files.iter().find(|file| file.path == *path)?;
        file.before.as_ref().map(|meta| meta.hash)
    };
    let changes = sealed.transaction.changes.iter().zip(&sealed.entry.files);
    let fresh = changes.filter(|(change, file)| {
        let from = change.from.as_ref().unwrap_or(&file.path);
        let after = file.after.as_ref().map(|meta| meta.hash);
        matches!(change.after, FileState::File { .. }) && after.is_some() && after != before(from)
    });
    fresh.map(|(_, file)| file.path.clone()).collect()
}

/// Adds a warning to a receipt's first file, unless the receipt has it already.
fn warn_once(files: &mut [FileOutcome], warning: String) {
    if files.iter().any(|file| file.warnings.contains(&warning)) {
        return;
    }
    let first = files.iter().position(|file| matches!(file.status, JobStatus::Applied | JobStatus::Verified));
    if let Some(file) = files.get_mut(first.unwrap_or(0)) {
        file.warnings.push(warning);
    }
}

impl HookContext<'_> {
    /// Returns the job's files that match a hook and that no other program has changed.
    fn meant(&self, hook: &CommandSpec) -> Vec<FilePath> {
        let meant = |path: &&FilePath| hook.files.matches(path) && self.files.contains_key(path);
        self.fresh.iter().filter(meant).cloned().collect()
    }

    /// Runs a hook for one file; the error is the reason why it was not started.
    fn start(&mut self, hook: &CommandSpec, path: &FilePath, input: &[u8]) -> Result<CommandOutput, String> {
        let gone = self.state.clock.monotonic().saturating_sub(self.began);
        let left = limits::HOOKS_TIME.saturating_sub(gone);
        if left.is_zero() || self.runs >= limits::HOOK_RUNS {
            return Err(format!(
                "{path}: not run: the hooks of one job may run {} times and for {} s in all",
                limits::HOOK_RUNS,
                limits::HOOKS_TIME.as_secs()
            ));
        }
        self.runs += 1;
        let file = self.state.root.join(native_path(path));
        let words = hook.words(path, &file);
        let run = CommandRun {
            session: &self.sealed.entry.session,
            command: &words,
            env: &hook.env,
            write: &hook.write,
            folder: &self.state.root,
            input,
            time: hook.timeout,
            within: left,
            memory: hook.memory,
            output: usize::try_from(hook.output).unwrap_or(usize::MAX),
            stop: None,
        };
        // A job may run for minutes: if the trust is withdrawn meanwhile, these runs must not start.
        let ran = self.state.runner.run_if(run, || {
            self.workspace_commands.still_runs(&self.state.workspace_commands())?;
            self.still_there(path)
        });
        match ran.ended {
            CommandEnd::NotStarted(why) => Err(format!("{path}: not run: {why}")),
            _ => Ok(ran),
        }
    }

    /// Returns `Ok` if the path leads to the same place as for the job. A folder on it may have become a link since,
    /// and a command would follow that.
    fn still_there(&self, path: &FilePath) -> Result<(), String> {
        match self.state.disk.resolve_link(path) {
            Ok(place) if place.path() == path => Ok(()),
            Ok(place) => {
                Err(format!("a folder was replaced by a link; the path leads to {} now", place.path()))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns true if the reply shows diffs: a change by a command is not the change that was requested.
    fn shows_diffs(&self) -> bool {
        self.sealed.transaction.diffs
    }

    fn relaxed(&self) -> bool {
        self.sealed.transaction.origin.durability == Durability::Relaxed
    }

    /// Returns the outcome of a file that a hook changed.
    fn outcome(&self, path: &FilePath, old: &FileState, new: &FileState) -> FileOutcome {
        let (diff, omitted) =
            if self.shows_diffs() { editd_engine::unified_diff(path, old, new) } else { Default::default() };
        let mut outcome = FileOutcome {
            before: change::version(old),
            after: change::version(new),
            diff: self.shows_diffs().then_some(diff),
            omitted_hunks: (omitted > 0).then_some(omitted),
            ..FileOutcome::new(path.clone(), JobStatus::Applied)
        };
        editd_engine::describe_change(&mut outcome, old, new);
        outcome
    }
}

/// Returns the outcome of a hook without changes and warnings.
fn silent(hook: &CommandSpec) -> HookOutcome {
    HookOutcome { name: hook.name.clone(), job: None, files: Vec::new(), warnings: Vec::new() }
}

/// Adds a warning, up to the number that a receipt shows.
fn warn(outcome: &mut HookOutcome, warning: String) {
    if outcome.warnings.len() < limits::HOOK_WARNINGS {
        outcome.warnings.push(warning);
    } else if outcome.warnings.len() == limits::HOOK_WARNINGS {
        outcome.warnings.push("and more, which are not shown".to_owned());
    }
}

/// Updates the receipt, and the stored one, to the present versions and the outcomes of the hooks.
fn tell(state: &WorkspaceState, sealed: &mut SealedTransaction, told: Vec<HookOutcome>) {
    for changed in told.iter().flat_map(|hook| &hook.files) {
        for file in sealed.receipt.files.iter_mut().filter(|file| file.path == changed.path) {
            file.after.clone_from(&changed.after);
        }
    }
    sealed.receipt.hooks =
        told.into_iter().filter(|hook| !hook.files.is_empty() || !hook.warnings.is_empty()).collect();
    if sealed.receipt.hooks.is_empty() {
        return;
    }
    let entry = &sealed.entry;
    let receipt = reply::stored(&sealed.receipt, sealed.transaction.dialect_reply.as_ref());
    let own = Record::Done(EndedWithoutEntry {
        id: entry.id,
        session: entry.session.clone(),
        time: state.clock.wall_ms(),
        key: entry.key.clone().filter(|_| entry.queued.is_none()),
        request: entry.request.unwrap_or(ContentHash::from_bytes([0; 32])),
        receipt: receipt.clone(),
    });
    let records: Vec<Record> = std::iter::once(own).chain(done_record(state, entry, receipt)).collect();
    let relaxed = sealed.transaction.origin.durability == Durability::Relaxed;
    let stored = state.store.append(&records).and_then(|_| match relaxed {
        true => Ok(()),
        false => state.store.flush(LogPosition(u64::MAX)).map(|_flushed| ()),
    });
    if let (Err(error), Some(last)) = (stored, sealed.receipt.hooks.last_mut()) {
        let warning =
            format!("what the hooks did may be missing in the journal after the next start: {error}");
        last.warnings.push(warning);
    }
}
