//! The commands `status` and `metrics`: the state of the daemon once or again and again, and the times of a job.

use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use editctl::failure::Failure;
use editctl::show::{self, metrics, state};
use editctl::{CallError, machine};
use editd_proto::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::{StatusReply, StatusRequest};
use serde::Serialize;

use super::session::SessionInJson;
use super::{CommandContext, CommandOutput};
use crate::args::StatusArgs;

/// The sequence that moves a terminal's cursor to the start of the screen and clears it.
const CLEAR: &[u8] = b"\x1b[H\x1b[2J";

/// The reply of the daemon and the session of this command.
#[derive(Serialize)]
struct StatusInJson {
    #[serde(flatten)]
    daemon: StatusReply,
    session: SessionInJson,
}

/// Shows the state of the daemon.
pub(super) fn run(context: &CommandContext<'_>, words: &StatusArgs) -> Result<CommandOutput, Failure> {
    if let Some(interval) = words.watch {
        return watch(context, Duration::from_millis(interval));
    }
    let trace = words.trace.map(JobId);
    let daemon = context.ask(true, |it| it.status_with(&StatusRequest { trace }))?;
    if let Some(trace) = &daemon.trace
        && !context.style.json
    {
        return Ok(CommandOutput::text(metrics::trace(trace, context.style)));
    }
    let reply = StatusInJson { daemon, session: context.session.in_json() };
    Ok(context.answer(&reply, |reply, style| text(context, &reply.daemon, style)))
}

fn text(context: &CommandContext<'_>, daemon: &StatusReply, style: &show::OutputStyle) -> String {
    let session = format!("{:<9}  {} ({})\n", "session", context.session.name, context.session.source());
    state::status(daemon, style) + &session
}

/// Shows the state again and again: on a terminal in place of the last one, in a pipe line by line. Ends when the reader
/// of the pipe, or the daemon, is gone.
fn watch(context: &CommandContext<'_>, interval: Duration) -> Result<CommandOutput, Failure> {
    let mut connection = context.connect(&context.start)?;
    let mut stdout = io::stdout().lock();
    let style = context.style;
    loop {
        let reply = match connection.status() {
            Ok(reply) => reply,
            Err(CallError::Closed | CallError::Io(_)) => return Err(stopped()),
            Err(CallError::Refused(error)) if error.code == ErrorCode::Stopping => return Err(stopped()),
            Err(other) => return Err(other.into()),
        };
        let (clear, out) = if style.json {
            let reply = StatusInJson { daemon: reply, session: context.session.in_json() };
            (&b""[..], CommandOutput::json(&reply).out)
        } else if style.terminal {
            (CLEAR, text(context, &reply, style).into_bytes())
        } else {
            (&b""[..], metrics::line(&reply, machine::now_ms(), style).into_bytes())
        };
        let shown = stdout.write_all(clear).and_then(|()| stdout.write_all(&style.printed(&out)));
        match shown.and_then(|()| stdout.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(CommandOutput::text("")),
            Err(error) => return Err(Failure::File("standard output".into(), error)),
        }
        machine::pause(interval);
    }
}

fn stopped() -> Failure {
    Failure::refused(ErrorCode::Io, "the daemon stopped; run `editctl status --watch` again")
}

/// Prints the counters and latencies as OpenMetrics text.
pub(super) fn exposition(context: &CommandContext<'_>) -> Result<CommandOutput, Failure> {
    let reply = context.ask(true, |it| it.metrics())?;
    Ok(context.answer(&reply, |reply, _| reply.text.clone()))
}
