//! The commands `undo`, `redo`, `mark`, `log`, `show`, `wait` and `cancel`.

use editctl::machine;
use editd_proto::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::{
    HistoryRequest, JobMode, JobStatus, MarkReply, Receipt, UndoRequest, WaitRequest,
};

use super::{CommandContext, CommandOutput, content};
use crate::args;
use crate::job;
use editctl::failure::{ExitStatus, Failure};
use editctl::journal::entries::FirstEntry;
use editctl::show;
use editctl::show::letters::one_line;
use editctl::values;

/// Returns the fields `since` and `after` for the value of `--since`.
fn since(text: Option<&String>) -> Result<(Option<u64>, Option<JobId>), Failure> {
    let first =
        text.map(|text| values::since(text, machine::now_ms()).map_err(Failure::Usage)).transpose()?;
    Ok(FirstEntry::fields(first))
}

pub(super) fn undo(context: &CommandContext<'_>, words: args::UndoArgs) -> Result<CommandOutput, Failure> {
    let (path, paths) = match (words.jobs.as_slice(), words.paths.as_slice()) {
        ([], [path]) => (Some(context.name(path)), Vec::new()),
        ([], [_, _, ..]) => {
            return Err(Failure::Usage("several --path need JOB; add the number of the entry".into()));
        }
        (_, paths) => (None, paths.iter().map(|path| context.name(path)).collect()),
    };
    let (since, after) = since(words.since.as_ref())?;
    let mut request = UndoRequest {
        session: selected(&words.jobs, context.chosen_session.as_ref()),
        jobs: words.jobs.into_iter().map(JobId).collect(),
        since,
        after,
        to: words.to,
        path,
        paths,
        hunks: words.hunks.into_iter().flat_map(|hunks| hunks.0).collect(),
        mode: mode(words.dry_run),
        ..UndoRequest::default()
    };
    complete_renames(context, &mut request)?;
    job::lay_over_undo(&context.flags, &mut request);
    request.diff = request.diff.or(context.shows_diffs());
    let receipt = context.ask_job(request.key.is_some(), |it| it.undo(&request))?;
    Ok(context.receipt(receipt, &context.style.of("undone")))
}

/// Adds the other path of each rename of which the request names one path.
fn complete_renames(context: &CommandContext<'_>, request: &mut UndoRequest) -> Result<(), Failure> {
    if request.paths.is_empty() {
        return Ok(());
    }
    for job in &request.jobs {
        let reply = context.ask(true, |it| it.show(*job, None))?;
        show::renames::complete(&reply, &mut request.paths, !request.hunks.is_empty())
            .map_err(Failure::Usage)?;
    }
    Ok(())
}

/// Returns the session whose entries are undone: the value of `--session` if no entries were given. A session from the
/// environment only identifies the caller.
fn selected(jobs: &[u64], chosen: Option<&String>) -> Option<String> {
    chosen.filter(|_| jobs.is_empty()).cloned()
}

const fn mode(dry_run: bool) -> JobMode {
    if dry_run { JobMode::VerifyOnly } else { JobMode::Strict }
}

pub(super) fn redo(context: &CommandContext<'_>, words: args::RedoArgs) -> Result<CommandOutput, Failure> {
    let jobs = words.jobs.into_iter().map(JobId).collect();
    let mut request = UndoRequest {
        jobs,
        paths: words.paths.iter().map(|path| context.name(path)).collect(),
        hunks: words.hunks.into_iter().flat_map(|hunks| hunks.0).collect(),
        mode: mode(words.dry_run),
        ..UndoRequest::default()
    };
    complete_renames(context, &mut request)?;
    job::lay_over_undo(&context.flags, &mut request);
    request.diff = request.diff.or(context.shows_diffs());
    let receipt = context.ask_job(request.key.is_some(), |it| it.redo(&request))?;
    Ok(context.receipt(receipt, &context.style.of("redone")))
}

pub(super) fn mark(context: &CommandContext<'_>, name: &str) -> Result<CommandOutput, Failure> {
    let reply = context.ask(true, |it| it.mark(name))?;
    let text = |reply: &MarkReply| {
        let name = one_line(&reply.name);
        format!(
            "entry {} is the mark \u{201c}{name}\u{201d}; `undo --to` undoes what comes after it\n",
            reply.job
        )
    };
    Ok(context.answer(&reply, |reply, _| text(reply)))
}

pub(super) fn log(context: &CommandContext<'_>, words: args::LogArgs) -> Result<CommandOutput, Failure> {
    let (since, after) = since(words.since.as_ref())?;
    let request = HistoryRequest {
        path: words.path.as_deref().map(|path| context.name(path)),
        session: context.chosen_session.clone(),
        since,
        after,
        before: words.before.map(JobId),
        limit: words.limit,
    };
    let reply = context.ask(true, |it| it.history(&request))?;
    if context.style.json {
        return Ok(CommandOutput::json(&show::renames::list_in_json(&reply)));
    }
    Ok(CommandOutput::text(show::history::list(&reply, context.style)))
}

pub(super) fn show(
    context: &CommandContext<'_>,
    job: u64,
    from: Option<u64>,
    bytes: bool,
) -> Result<CommandOutput, Failure> {
    if bytes && context.style.json {
        let words = "`show --bytes` prints no JSON; use `cat PATH@ENTRY --json`";
        return Err(Failure::Usage(words.into()));
    }
    let mut reply = context.ask(true, |it| it.show(JobId(job), from))?;
    let shown = from.unwrap_or(0).saturating_add(reply.changes.len() as u64);
    if bytes {
        let changes = std::mem::take(&mut reply.changes);
        let summary = show::history::one(&reply, shown, context.style);
        reply.changes = changes;
        return content::of_entry(context, &reply, summary);
    }
    if context.style.json {
        return Ok(CommandOutput::json(&show::renames::one_in_json(&reply)));
    }
    Ok(CommandOutput::text(show::history::one(&reply, shown, context.style)))
}

pub(super) fn wait(context: &CommandContext<'_>, words: &args::WaitArgs) -> Result<CommandOutput, Failure> {
    let begun = machine::tick();
    loop {
        let receipt = context.ask(true, |it| {
            // A repeated request, possibly to another daemon, gets only the remaining time.
            let waited = u64::try_from(machine::tick().saturating_duration_since(begun).as_millis());
            let left = |time: u64| time.saturating_sub(waited.unwrap_or(u64::MAX));
            it.wait(&WaitRequest { job: JobId(words.job), timeout_ms: words.timeout.map(left) })
        })?;
        if receipt.status != JobStatus::Queued {
            // A receipt with both numbers already shows them.
            let untold = receipt.queued.is_none() && !context.style.json;
            let entry = receipt.job.filter(|job| job.0 != words.job && untold);
            let mut answer = context.receipt(receipt, context.style);
            if let Some(entry) = entry {
                let both =
                    format!("job {} is entry {entry} of the journal; both numbers refer to it\n", words.job);
                answer.out.extend(both.into_bytes());
            }
            return Ok(answer);
        }
        if words.timeout.is_some() {
            // The exit status must not suggest that the job has ended.
            return Ok(CommandOutput {
                exit: ExitStatus::Refused,
                ..context.receipt(receipt, context.style)
            });
        }
    }
}

pub(super) fn cancel(context: &CommandContext<'_>, job: u64) -> Result<CommandOutput, Failure> {
    // On a second request the daemon would report its own cancellation as a refusal.
    let receipt = context.ask_once(|it| it.cancel(JobId(job)))?;
    // The receipt is that of a refused job; the cancellation has succeeded.
    if !is_cancelled(&receipt) {
        return Ok(context.receipt(receipt, context.style));
    }
    if context.style.json {
        return Ok(CommandOutput { exit: ExitStatus::Done, ..context.receipt(receipt, context.style) });
    }
    Ok(CommandOutput::text(format!("job {job} was cancelled before it began\n")))
}

/// Returns true for the receipt of a job that was cancelled. A job that has begun or ended gives another error.
fn is_cancelled(receipt: &Receipt) -> bool {
    receipt.error.as_ref().is_some_and(|error| error.code == ErrorCode::Rejected)
}

#[cfg(test)]
mod tests {
    use super::selected;

    #[test]
    fn a_written_session_selects_and_one_beside_entries_does_not() {
        let name = String::from("s");
        assert_eq!(selected(&[], Some(&name)), Some(name.clone()));
        assert_eq!(selected(&[3], Some(&name)), None);
        assert_eq!(selected(&[], None), None);
    }
}
