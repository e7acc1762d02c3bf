//! The commands `cat` and `show --bytes`: contents of journal entries, byte for byte.

use std::io::Write;
use std::path::Path;

use editd_proto::ids::JobId;
use editd_proto::message::{ContentReply, ContentRequest, EntrySide, ShowReply};
use editd_proto::{ErrorCode, FilePath};

use super::{CommandContext, CommandOutput};
use crate::args::CatArgs;
use editctl::failure::Failure;
use editctl::show::{self, bytes};

pub(super) fn cat(context: &CommandContext<'_>, words: &CatArgs) -> Result<CommandOutput, Failure> {
    let (path, job) = named(context, &words.content)?;
    let side = if words.before { EntrySide::Before } else { EntrySide::After };
    let content = whole(context, job, &path, side)?;
    if content.version.is_none() {
        let when = if words.before { "before" } else { "after" };
        let message = format!("there was no file {path} {when} entry {job}");
        return Err(Failure::refused(ErrorCode::Missing, message));
    }
    if context.style.json {
        return Ok(CommandOutput::json(&content));
    }
    if context.style.terminal && std::str::from_utf8(&content.bytes).is_err() {
        if !words.raw {
            let message = format!(
                "that content of {path} is not text: write it to a file (`> FILE`), show it with `editctl show {job} \
                 --bytes`, or send it to the terminal with --raw"
            );
            return Err(Failure::refused(ErrorCode::Binary, message));
        }
        // All other output to a terminal is escaped.
        let mut out = std::io::stdout().lock();
        let written = out.write_all(&content.bytes).and_then(|()| out.flush());
        written.map_err(|error| Failure::File("standard output".into(), error))?;
        return Ok(CommandOutput::text(""));
    }
    Ok(CommandOutput::text(content.bytes))
}

/// Splits `PATH@ENTRY`.
fn named(context: &CommandContext<'_>, content: &Path) -> Result<(FilePath, JobId), Failure> {
    let name = context.name(content);
    let bytes = name.as_bytes();
    let parsed = bytes.iter().rposition(|byte| *byte == b'@').and_then(|at| {
        let (path, number) = bytes.split_at(at);
        let number = std::str::from_utf8(number).ok()?.trim_start_matches('@').parse().ok()?;
        (!path.is_empty()).then(|| (FilePath::new(path), JobId(number)))
    });
    parsed.ok_or_else(|| {
        let words =
            "name the file and the entry, such as src/main.rs@17; `editctl read` prints the present content";
        Failure::Usage(words.into())
    })
}

/// Gets a content, part by part.
fn whole(
    context: &CommandContext<'_>,
    job: JobId,
    path: &FilePath,
    side: EntrySide,
) -> Result<ContentReply, Failure> {
    let request = ContentRequest { job, path: path.clone(), side, from: 0 };
    let mut content = context.ask(true, |it| it.content(&request))?;
    while (content.bytes.len() as u64) < content.size {
        let request = ContentRequest { from: content.bytes.len() as u64, ..request.clone() };
        let part = context.ask(true, |it| it.content(&request))?;
        if part.bytes.is_empty() || part.version != content.version {
            let message = format!("the journal changed while {path} was read from it; run the command again");
            return Err(Failure::refused(ErrorCode::Busy, message));
        }
        content.bytes.extend(part.bytes);
    }
    Ok(content)
}

/// Returns the changed bytes of the files of an entry, in hexadecimal digits.
pub(super) fn of_entry(
    context: &CommandContext<'_>,
    reply: &ShowReply,
    summary: String,
) -> Result<CommandOutput, Failure> {
    let mut out = summary;
    for change in &reply.changes {
        let id = reply.entry.id;
        let before = side(context, id, &change.path, EntrySide::Before)?;
        let after = side(context, id, &change.path, EntrySide::After)?;
        out.push_str(&bytes::change(&change.path, id, &before, &after, context.style));
    }
    Ok(CommandOutput::text(out))
}

/// Returns one side of a change; the inner error says why it is not known.
fn side(
    context: &CommandContext<'_>,
    job: JobId,
    path: &FilePath,
    side: EntrySide,
) -> Result<Result<Option<Vec<u8>>, String>, Failure> {
    match whole(context, job, path, side) {
        Ok(content) => Ok(Ok(content.version.map(|_| content.bytes))),
        Err(Failure::Refused(error)) if error.code == ErrorCode::NotFound => {
            Ok(Err(show::letters::one_line(&error.message)))
        }
        Err(other) => Err(other),
    }
}
