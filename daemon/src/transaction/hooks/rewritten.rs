//! A hook that reads the content and writes the new one to its standard output: the change is committed like that of a
//! job, so that no reader sees an intermediate state.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use editd_engine::{FileState, QuotedLines, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{EntryKind, FileOutcome, HookOutcome, JobStatus};
use editd_proto::path::FilePath;

use super::job_files::JobFile;
use super::{HookContext, silent, warn};
use crate::config::CommandSpec;
use crate::disk::Observation;
use crate::disk::stage::StagedMode;
use crate::journal::external;
use crate::journal::recover::repair::{RepairAim, RepairOutcome, repair};
use crate::limits::JOB_BYTES;
use crate::transaction::{FileChange, JobAbort, JobGuard, Origin, Transaction};

/// Runs a hook for every file that matches it, and commits its outputs.
pub(super) fn run(context: &mut HookContext<'_>, hook: &CommandSpec) -> Result<HookOutcome, JobAbort> {
    let mut outcome = silent(hook);
    context.drop_foreign().into_iter().for_each(|told| warn(&mut outcome, told));
    let mut made = BTreeMap::new();
    let mut held = 0_usize;
    for path in context.meant(hook) {
        let Some(file) = context.files.get(&path).cloned() else { continue };
        match context.start(hook, &path, &file.bytes) {
            Err(told) => warn(&mut outcome, told),
            Ok(ran) => match ran.failure() {
                Some(told) => warn(&mut outcome, format!("{path}: {told}")),
                // A formatter never empties a file, but a command that writes its output elsewhere would.
                None if ran.stdout.is_empty() && !file.bytes.is_empty() => {
                    warn(
                        &mut outcome,
                        format!("{path}: it wrote nothing to standard output; the file stays"),
                    );
                }
                None if *ran.stdout == *file.bytes => {}
                None if held.saturating_add(ran.stdout.len()) > JOB_BYTES => {
                    let told =
                        format!("{path}: its outputs have more than {JOB_BYTES} bytes; the file stays");
                    warn(&mut outcome, told);
                }
                None => {
                    held += ran.stdout.len();
                    made.insert(path, ran.stdout);
                }
            },
        }
    }
    if !made.is_empty() {
        commit(context, hook, made, &mut outcome)?;
    }
    Ok(outcome)
}

pub(super) fn commit(
    context: &mut HookContext<'_>,
    hook: &CommandSpec,
    made: BTreeMap<FilePath, Vec<u8>>,
    outcome: &mut HookOutcome,
) -> Result<(), JobAbort> {
    let transaction = transaction(context, hook, made, outcome);
    if transaction.changes.is_empty() {
        return Ok(());
    }
    let files = transaction.files.clone();
    let guard = JobGuard::new(context.state, 0, None);
    // A panic may leave an open intent, which must be ended before the job's lanes are free.
    let commit = || crate::transaction::commit(context.state, &guard, transaction);
    match catch_unwind(AssertUnwindSafe(commit)).unwrap_or_else(|_| Err(JobAbort::NeedsRecovery(mistake()))) {
        Ok(receipt) if receipt.status == JobStatus::Applied => {
            written(context, outcome, receipt.job, receipt.files)
        }
        Ok(_) => {}
        Err(JobAbort::Stopped) => return Err(JobAbort::Stopped),
        Err(JobAbort::Refused(refusal) | JobAbort::Retry(refusal)) => {
            warn(outcome, format!("its output was not written: {}", refusal.message));
        }
        // A guard without a reservation of its own never needs more memory.
        Err(JobAbort::NeedsMemory(_)) => {
            warn(outcome, "its output was not written: it is too large".to_owned())
        }
        Err(JobAbort::NeedsRecovery(refusal)) => match end(context, &guard) {
            Some(job) => written(context, outcome, Some(job), files),
            None => warn(outcome, format!("its output was not written: {}", refusal.message)),
        },
    }
    Ok(())
}

fn mistake() -> Refusal {
    Box::new(RequestError::new(ErrorCode::Internal, super::MISTAKE))
}

/// Records that the output of a hook was written.
fn written(
    context: &mut HookContext<'_>,
    outcome: &mut HookOutcome,
    job: Option<JobId>,
    files: Vec<FileOutcome>,
) {
    outcome.job = job;
    for file in &files {
        if let Ok((_, Observation::File(found))) = context.observe(&file.path)
            && Some(found.meta.hash.version()) == file.after
        {
            context.files.insert(file.path.clone(), JobFile::of(&found));
        } else {
            context.files.remove(&file.path);
        }
    }
    outcome.files = files;
}

/// Ends a commit that failed after its intent, as recovery would. Returns its number if it was applied.
fn end(context: &mut HookContext<'_>, guard: &JobGuard<'_>) -> Option<JobId> {
    let open = context.state.store.open_entries();
    let (entry, sealed) = open.into_iter().find(|(entry, _)| Some(entry.id) == guard.entry())?;
    if sealed {
        return Some(entry.id);
    }
    match repair(context.state, &entry, RepairAim::RollBack) {
        Ok(RepairOutcome::Applied) => Some(entry.id),
        Ok(RepairOutcome::Voided) => None,
        Err(_) => {
            // No other hook may touch the files until it is rolled back.
            entry.files.iter().for_each(|file| drop(context.files.remove(&file.path)));
            guard.leave_broken(entry);
            None
        }
    }
}

fn transaction(
    context: &HookContext<'_>,
    hook: &CommandSpec,
    made: BTreeMap<FilePath, Vec<u8>>,
    outcome: &mut HookOutcome,
) -> Transaction {
    let of = &context.sealed.transaction.origin;
    let origin = Origin {
        kind: EntryKind::Hook,
        caller: of.caller.clone(),
        key: None,
        request: of.request,
        label: Some(external::hook_label(&hook.name)),
        of: vec![context.sealed.entry.id],
        parts: Vec::new(),
        durability: of.durability,
        queued: None,
    };
    let (mut changes, mut files, mut seen) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (path, bytes) in made {
        let Some(file) = context.files.get(&path) else { continue };
        let (place, found) = match context.observe(&path) {
            Ok((place, Observation::File(found))) if found.meta.hash == file.meta.hash => (place, found),
            _ => {
                warn(outcome, format!("{path}: another program changed it meanwhile; it is left as it is"));
                continue;
            }
        };
        let old = file.state();
        let after = FileState::File { bytes: bytes.into(), mode: found.meta.mode };
        files.push(context.outcome(&path, &old, &after));
        if let Ok(Some(one)) = context.state.store.seen(&of.caller.session, &path) {
            seen.insert(path.clone(), one);
        }
        let (splices, (added, removed)) = match &after {
            FileState::File { bytes, .. } => {
                let splices = super::in_place::splices(&found.bytes, bytes);
                let counts = external::lines(&found.bytes, bytes, &splices);
                (splices, counts)
            }
            FileState::Absent => Default::default(),
        };
        changes.push(FileChange {
            place,
            mode: StagedMode::Exact(found.meta.mode),
            before: Some(found),
            after,
            hash: None,
            splices,
            quoted: QuotedLines::default(),
            foreign: false,
            added,
            removed,
            from: None,
            restores: None,
        });
    }
    Transaction {
        origin,
        changes,
        clips: Vec::new(),
        files,
        error: None,
        seen,
        unmade: Vec::new(),
        diffs: false,
        rebased: false,
        dialect_reply: None,
    }
}
