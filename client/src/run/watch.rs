//! The command `watch`: prints changes as they happen. It ends when the daemon stops or its output is closed.

use std::io::{self, ErrorKind, Write};

use editctl::CallError;
use editd_proto::ErrorCode;
use editd_proto::message::SubscribeRequest;

use super::{CommandContext, CommandOutput};
use editctl::failure::Failure;
use editctl::show::state;

pub(super) fn run(context: &CommandContext<'_>, globs: Vec<String>) -> Result<CommandOutput, Failure> {
    let mut connection = context.connect(&context.start)?;
    connection.subscribe(&SubscribeRequest { globs })?;
    let mut stdout = io::stdout().lock();
    loop {
        let event = match connection.next_event() {
            Ok(event) => event,
            Err(CallError::Refused(error)) if error.code != ErrorCode::Stopping => {
                return Err(Failure::Refused(error));
            }
            Err(CallError::Closed | CallError::Refused(_)) => {
                return Err(Failure::refused(ErrorCode::Io, "the daemon stopped; run `editctl watch` again"));
            }
            Err(other) => return Err(other.into()),
        };
        let line = context.answer(&event, state::change).out;
        match stdout.write_all(&context.style.printed(&line)).and_then(|()| stdout.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(CommandOutput::text("")),
            Err(error) => return Err(Failure::File("standard output".into(), error)),
        }
    }
}
