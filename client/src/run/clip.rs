//! The command `clip`: named clipboards.

use editd_proto::message::{ClipAction, ClipReply, ClipRequest};

use super::{CommandContext, CommandOutput};
use crate::args::ClipCommand;
use editctl::failure::Failure;
use editctl::show::{OutputStyle, letters, state};

pub(super) fn run(context: &CommandContext<'_>, words: ClipCommand) -> Result<CommandOutput, Failure> {
    let of = |action| ClipRequest { action, name: None, to: None, text: None };
    let request = match words {
        ClipCommand::List => of(ClipAction::List),
        ClipCommand::Show { name } => ClipRequest { name: Some(name), ..of(ClipAction::Show) },
        ClipCommand::Set { name, text, file } => {
            let text = match text {
                Some(text) => text,
                None => context.payload_text(file.as_deref())?,
            };
            ClipRequest { name: Some(name), text: Some(text), ..of(ClipAction::Set) }
        }
        ClipCommand::Copy { name, to } => {
            ClipRequest { name: Some(name), to: Some(to), ..of(ClipAction::Copy) }
        }
        ClipCommand::Rm { name } => ClipRequest { name: Some(name), ..of(ClipAction::Rm) },
    };
    // A second removal is refused; every other action may be repeated.
    let reply = context.ask(request.action != ClipAction::Rm, |it| it.clip(&request))?;
    Ok(match request.action {
        ClipAction::List => context.answer(&reply, state::clipboards),
        ClipAction::Show if !context.style.json => CommandOutput::text(content(reply)),
        action => context.answer(&reply, |reply, _: &OutputStyle| done(action, &request, reply)),
    })
}

/// Returns the text byte for byte.
fn content(reply: ClipReply) -> Vec<u8> {
    reply.bytes.unwrap_or_else(|| reply.text.unwrap_or_default().into_bytes())
}

fn done(action: ClipAction, request: &ClipRequest, reply: &ClipReply) -> String {
    let name = reply.name.as_ref().or(request.name.as_ref()).map(|name| letters::one_line(name));
    let word = match action {
        ClipAction::Rm => "removed",
        ClipAction::Copy => "copied",
        _ => "stored",
    };
    format!("{word} {}\n", name.unwrap_or_default())
}
