//! The command `checks`: prints the results of the checks that ran after jobs.

use editctl::failure::{ExitStatus, Failure};
use editctl::{machine, show};
use editd_proto::ids::JobId;
use editd_proto::message::{CheckStatus, ChecksRequest};

use super::{CommandContext, CommandOutput};
use crate::args::checks::ChecksArgs;

/// The longest time that the daemon waits.
const LONGEST: u64 = 60 * 60 * 1000;

pub(super) fn run(context: &CommandContext<'_>, words: &ChecksArgs) -> Result<CommandOutput, Failure> {
    let begun = machine::tick();
    let reply = context.ask(true, |it| {
        // A repeated request gets only the remaining time.
        let waited = u64::try_from(machine::tick().saturating_duration_since(begun).as_millis());
        let left = words.timeout.unwrap_or(LONGEST).saturating_sub(waited.unwrap_or(u64::MAX));
        it.checks(&ChecksRequest { job: words.job.map(JobId), timeout_ms: Some(left), ..Default::default() })
    })?;
    let passed = reply.checks.iter().all(|check| check.status == CheckStatus::Passed);
    let answer = context.answer(&reply, |reply, style| match reply.checks.as_slice() {
        [] => "no check has run; `[[check]]` in .editd.toml defines them\n".to_owned(),
        checks => show::checks::text(checks, style),
    });
    // A script can tell by the status that a check failed, or has not ended.
    Ok(CommandOutput { exit: if passed { ExitStatus::Done } else { ExitStatus::Refused }, ..answer })
}
