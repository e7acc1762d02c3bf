//! The command `trust`: shows the commands of the workspace and the settings that need trust, and allows them.

use std::io::{BufRead, IsTerminal, Write};

use editd_proto::ErrorCode;
use editd_proto::message::{TrustReply, TrustRequest};

use super::{CommandContext, CommandOutput};
use crate::args::TrustArgs;
use editctl::failure::{ExitStatus, Failure};
use editctl::show::state;

const UNANSWERED: &str =
    "editctl: nothing was recorded; check what is shown, then run `editctl trust --yes HASH`\n";

pub(super) fn run(context: &CommandContext<'_>, words: TrustArgs) -> Result<CommandOutput, Failure> {
    let ask = |request: TrustRequest| context.ask(true, |it| it.trust(&request));
    if words.yes.is_some() || words.revoke {
        let reply = ask(TrustRequest { hash: words.yes, revoke: words.revoke })?;
        return Ok(context.answer(&reply, state::trust));
    }
    let reply = ask(TrustRequest::default())?;
    let told = context.answer(&reply, state::trust);
    if words.show || reply.trusted || (reply.commands.is_empty() && reply.settings.is_empty()) {
        return Ok(told);
    }
    let at_a_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if context.style.json || !at_a_terminal {
        let err = if context.style.json { String::new() } else { UNANSWERED.to_owned() };
        return Ok(CommandOutput { err, exit: ExitStatus::Refused, ..told });
    }
    let question = match reply.settings.is_empty() {
        true => "May these commands run? [y/N] ",
        false if reply.commands.is_empty() => "May these settings apply? [y/N] ",
        false => "May these commands run, and these settings apply? [y/N] ",
    };
    if !agreed(&told.out, question) {
        return Err(Failure::refused(
            ErrorCode::Rejected,
            "nothing was recorded; nothing that is shown takes effect",
        ));
    }
    let reply = ask(TrustRequest { hash: reply.hash, revoke: false })?;
    Ok(context.answer(&reply, |reply, _| recorded(reply)))
}

fn recorded(reply: &TrustReply) -> String {
    let commands = "recorded: the commands may run until .editd.toml changes\n";
    // The daemon reads those of `[syntax]` with the commands.
    match reply.settings.iter().any(|setting| !setting.starts_with("syntax.")) {
        false if reply.settings.is_empty() => commands.to_owned(),
        false => "recorded: it applies until .editd.toml changes\n".to_owned(),
        true => "recorded: it applies until .editd.toml changes; the settings are read when the daemon starts, so run \
                 `editctl stop` now\n"
            .to_owned(),
    }
}

/// Shows the commands and settings, and asks for confirmation. Only `y` and `yes` confirm.
fn agreed(shown: &[u8], question: &str) -> bool {
    let mut err = std::io::stderr().lock();
    let asked = err.write_all(shown).and_then(|()| write!(err, "{question}"));
    let mut line = String::new();
    asked.is_ok()
        && std::io::stdin().lock().read_line(&mut line).is_ok()
        && matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
