//! The command `trust`: shows the commands of the workspace and allows them to run.

use std::io::{BufRead, IsTerminal, Write};

use editd_proto::ErrorCode;
use editd_proto::message::TrustRequest;

use super::{CommandContext, CommandOutput};
use crate::args::TrustArgs;
use crate::failure::{ExitStatus, Failure};
use crate::show::state;

const UNANSWERED: &str =
    "editctl: nothing was recorded; check the commands, then run `editctl trust --yes HASH`\n";

pub(super) fn run(context: &CommandContext<'_>, words: TrustArgs) -> Result<CommandOutput, Failure> {
    let ask = |request: TrustRequest| context.ask(true, |it| it.trust(&request));
    if words.yes.is_some() || words.revoke {
        let reply = ask(TrustRequest { hash: words.yes, revoke: words.revoke })?;
        return Ok(context.answer(&reply, state::trust));
    }
    let reply = ask(TrustRequest::default())?;
    let told = context.answer(&reply, state::trust);
    if words.show || reply.trusted || reply.commands.is_empty() {
        return Ok(told);
    }
    let at_a_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if context.style.json || !at_a_terminal {
        let err = if context.style.json { String::new() } else { UNANSWERED.to_owned() };
        return Ok(CommandOutput { err, exit: ExitStatus::Refused, ..told });
    }
    if !agreed(&told.out) {
        return Err(Failure::refused(ErrorCode::Rejected, "nothing was recorded; the commands do not run"));
    }
    let reply = ask(TrustRequest { hash: reply.hash, revoke: false })?;
    Ok(context
        .answer(&reply, |_, _| String::from("recorded: the commands may run until .editd.toml changes\n")))
}

/// Shows the commands and asks for confirmation. Only `y` and `yes` confirm.
fn agreed(shown: &[u8]) -> bool {
    let mut err = std::io::stderr().lock();
    let asked = err.write_all(shown).and_then(|()| write!(err, "May these commands run? [y/N] "));
    let mut line = String::new();
    asked.is_ok()
        && std::io::stdin().lock().read_line(&mut line).is_ok()
        && matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
