//! The commands `export` and `import`: the journal as a file of JSON lines.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

use editctl::daemon::{ReachError, program};
use editctl::machine::new_file::NewFile;
use editd_proto::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::ExportRequest;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{CommandContext, CommandOutput};
use crate::args::{ExportArgs, ImportArgs};
use editctl::failure::Failure;

/// The summary of an export.
#[derive(Serialize)]
struct Exported<'a> {
    file: &'a Path,
    lines: u64,
    bytes: u64,
}

/// Writes the journal to a file, or to standard output.
pub(super) fn export(context: &CommandContext<'_>, words: &ExportArgs) -> Result<CommandOutput, Failure> {
    let Some(path) = words.file.as_deref().filter(|path| path.as_os_str() != "-") else {
        if io::stdout().is_terminal() {
            let message = "the journal is not printed to a terminal; name a file, such as `editctl export journal.jsonl`";
            return Err(Failure::Usage(message.into()));
        }
        return match write(context, words.since, &mut io::stdout().lock(), "standard output") {
            // As for other output: the reader has seen enough.
            Err(Failure::File(_, error)) if error.kind() == ErrorKind::BrokenPipe => {
                Ok(CommandOutput::text(""))
            }
            written => written.map(|_| CommandOutput::text("")),
        };
    };
    let name = path.display().to_string();
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::AlreadyExists => {
            let message = format!("{name} exists; choose another name, or replace it with --force");
            Failure::refused(ErrorCode::Exists, message)
        }
        _ => Failure::File(name.clone(), error),
    };
    let mut file = NewFile::create(path, words.force).map_err(failed)?;
    let (lines, bytes) = write(context, words.since, &mut file, &name)?;
    file.finish(words.force).map_err(failed)?;
    let exported = Exported { file: path, lines, bytes };
    Ok(context
        .answer(&exported, |_, _| format!("exported the journal to {name}: {lines} lines, {bytes} bytes\n")))
}

/// Writes the pieces of the journal, and the line with their checksum. Returns the lines and bytes.
fn write(
    context: &CommandContext<'_>,
    since: Option<u64>,
    into: &mut dyn Write,
    name: &str,
) -> Result<(u64, u64), Failure> {
    let (mut sum, mut lines, mut bytes) = (Sha256::new(), 0, 0);
    let mut put = |part: &[u8]| into.write_all(part).map_err(|error| Failure::File(name.to_owned(), error));
    let mut request = ExportRequest { since: since.map(JobId), cursor: None };
    loop {
        let piece = context.ask(true, |it| it.export(&request))?;
        sum.update(&piece.bytes);
        lines += piece.bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        bytes += piece.bytes.len() as u64;
        put(&piece.bytes)?;
        if piece.cursor.is_none() {
            break;
        }
        request.cursor = piece.cursor;
    }
    let sum: String = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let end = format!("{{\"type\":\"end\",\"lines\":{lines},\"bytes\":{bytes},\"sha256\":\"{sum}\"}}\n");
    put(end.as_bytes())?;
    into.flush().map_err(|error| Failure::File(name.to_owned(), error))?;
    Ok((lines + 1, bytes + end.len() as u64))
}

/// Runs `editd --import`, which takes the lock of the workspace.
pub(super) fn import(context: &CommandContext<'_>, words: &ImportArgs) -> Result<CommandOutput, Failure> {
    let editd = program();
    let file = context.current.join(&words.file);
    let state = words.state.as_deref();
    let imported = editctl::daemon::import(&editd, &context.workspace, &file, state, context.style.json)
        .map_err(|source| ReachError::CannotStart { program: editd, source })?;
    imported.map(CommandOutput::text).map_err(|message| Failure::refused(ErrorCode::Io, message))
}
