//! The commands `read`, `outline`, `edit`, `replace`, `create`, `write`, `mv`, `rm`, `symbol` and
//! `dialects`.

use std::path::Path;

use editctl::Connection;
use editd_proto::ErrorCode;
use editd_proto::message::{FileEdit, FileEntry, JobRequest, OutlineRequest, ReadReply, ReadRequest};

use super::{CommandContext, CommandOutput};
use crate::args;
use crate::job;
use editctl::failure::Failure;
use editctl::show;

pub(super) fn read(context: &CommandContext<'_>, words: &args::ReadArgs) -> Result<CommandOutput, Failure> {
    let request = ReadRequest {
        path: context.name(&words.path),
        lines: words.lines,
        seen: None,
        symbol: words.symbol.clone(),
        body: words.body,
    };
    let reply = context.ask(true, |it| it.read(&request))?;
    if context.style.json {
        return Ok(CommandOutput::json(&reply));
    }
    let whole = words.lines.is_none() && words.symbol.is_none();
    let err = reply.symbol.as_ref().and_then(show::outline::declarations).unwrap_or_default();
    let out = if words.numbers { numbered(&reply, context.style.terminal)? } else { plain(reply, whole) };
    Ok(CommandOutput { err, ..CommandOutput::text(out) })
}

pub(super) fn outline(
    context: &CommandContext<'_>,
    path: &Path,
    depth: Option<u64>,
) -> Result<CommandOutput, Failure> {
    let request = OutlineRequest { path: context.name(path), depth };
    let reply = context.ask(true, |it| it.outline(&request))?;
    Ok(context.answer(&reply, show::outline::tree))
}

/// Returns the content as it is. UTF-16 is returned as UTF-8.
fn plain(reply: ReadReply, whole: bool) -> Vec<u8> {
    if let Some(bytes) = reply.bytes {
        return bytes;
    }
    let mut out = Vec::new();
    if reply.bom && whole && reply.encoding == "utf-8" {
        out.extend_from_slice("\u{feff}".as_bytes());
    }
    out.extend_from_slice(reply.text.unwrap_or_default().as_bytes());
    out
}

/// Returns the lines with `N | ` in front of each. A terminal shows no line break for a carriage return, so it gets one.
fn numbered(reply: &ReadReply, terminal: bool) -> Result<Vec<u8>, Failure> {
    let Some(text) = &reply.text else {
        let message = format!("{} is not text and has no lines; read it without --numbers", reply.path);
        return Err(Failure::refused(ErrorCode::Binary, message));
    };
    let end = if reply.line_ending == "cr" { '\r' } else { '\n' };
    let shown_end = if terminal && end == '\r' { "\n" } else { "" };
    let lines = text.split_inclusive(end).zip(reply.first_line..);
    Ok(lines.flat_map(|(line, number)| format!("{number} | {line}{shown_end}").into_bytes()).collect())
}

pub(super) fn edit(context: &CommandContext<'_>, words: args::EditArgs) -> Result<CommandOutput, Failure> {
    let path = words.path.as_deref().map(|path| context.name(path));
    let beside = job::PayloadContext { path, dialect: words.dialect };
    let job = job::read(&context.payload(words.file.as_deref())?, beside)?;
    send(context, job)
}

pub(super) fn dialects(context: &CommandContext<'_>) -> Result<CommandOutput, Failure> {
    let reply = context.ask(true, Connection::dialects)?;
    Ok(context.answer(&reply, show::state::dialects))
}

fn send(context: &CommandContext<'_>, mut job: JobRequest) -> Result<CommandOutput, Failure> {
    job::lay_over(&context.flags, &mut job);
    job.diff = job.diff.or(context.shows_diffs());
    let receipt = context.ask_job(job.key.is_some(), |it| it.edit(&job))?;
    let whole = job.budget.is_some() || job.diff == Some(true);
    Ok(context.receipt(receipt, &context.style.whole(whole)))
}

pub(super) fn replace(
    context: &CommandContext<'_>,
    words: args::ReplaceArgs,
) -> Result<CommandOutput, Failure> {
    let (old, new) = old_and_new(context, &words)?;
    let edit = FileEdit {
        op: "replace".into(),
        old: Some(old),
        new: Some(new),
        all: words.all.then_some(true),
        expect: words.expect,
        near: words.near,
        loosest: words.loosest,
        whole_lines: words.whole_lines.then_some(true),
        ..FileEdit::default()
    };
    send_edit(context, &words.path, edit)
}

/// Runs `create` and `write`, by the name of the operation.
pub(super) fn create(
    context: &CommandContext<'_>,
    op: &str,
    words: args::CreateArgs,
) -> Result<CommandOutput, Failure> {
    let text = Some(given_text(context, words.text, words.file.as_deref())?);
    send_edit(context, &words.path, FileEdit { op: op.into(), text, ..FileEdit::default() })
}

pub(super) fn rename(context: &CommandContext<'_>, words: &args::MoveArgs) -> Result<CommandOutput, Failure> {
    let edit = FileEdit {
        op: "rename".into(),
        to: Some(context.name(&words.to)),
        overwrite: words.overwrite.then_some(true),
        ..FileEdit::default()
    };
    send_edit(context, &words.path, edit)
}

pub(super) fn delete(context: &CommandContext<'_>, path: &Path) -> Result<CommandOutput, Failure> {
    send_edit(context, path, FileEdit { op: "delete".into(), ..FileEdit::default() })
}

pub(super) fn symbol(
    context: &CommandContext<'_>,
    words: args::SymbolArgs,
) -> Result<CommandOutput, Failure> {
    let actions = [
        (words.action.replace_body, "replace_body"),
        (words.action.replace, "replace"),
        (words.action.insert_before, "insert_before"),
        (words.action.insert_after, "insert_after"),
    ];
    let action = actions.iter().find(|(chosen, _)| *chosen).map_or("delete", |(_, action)| action);
    let text = match words.action.delete {
        true => None,
        false => Some(given_text(context, words.text, words.file.as_deref())?),
    };
    let (op, name, action) = ("symbol".into(), Some(words.name), Some(action.into()));
    send_edit(context, &words.path, FileEdit { op, name, action, text, ..FileEdit::default() })
}

/// Sends a job with one edit.
fn send_edit(context: &CommandContext<'_>, path: &Path, edit: FileEdit) -> Result<CommandOutput, Failure> {
    let entry = FileEntry { path: context.name(path), edits: vec![edit], ..FileEntry::default() };
    send(context, JobRequest { files: vec![entry], ..JobRequest::default() })
}

/// Returns the text of an argument, or else that of a file or of standard input.
fn given_text(
    context: &CommandContext<'_>,
    text: Option<String>,
    file: Option<&Path>,
) -> Result<String, Failure> {
    match text.filter(|text| text != "-") {
        Some(text) => Ok(text),
        None => context.payload_text(file),
    }
}

/// Returns the two texts, each from a file or from the next argument.
fn old_and_new(context: &CommandContext<'_>, words: &args::ReplaceArgs) -> Result<(String, String), Failure> {
    let mut texts = words.old.iter().chain(&words.new);
    let old = TextSource::of(words.old_file.as_deref(), &mut texts).ok_or_else(|| missing("OLD", "old"))?;
    let new = TextSource::of(words.new_file.as_deref(), &mut texts).ok_or_else(|| missing("NEW", "new"))?;
    if texts.next().is_some() {
        return Err(Failure::Usage("a text is given twice: as an argument and as a file".into()));
    }
    if old.is_stdin() && new.is_stdin() {
        return Err(Failure::Usage("only one of --old-file and --new-file can be standard input".into()));
    }
    Ok((old.text(context)?, new.text(context)?))
}

fn missing(name: &str, flag: &str) -> Failure {
    Failure::Usage(format!("replace needs {name}: the text itself, or --{flag}-file"))
}

/// The source of a text.
enum TextSource<'a> {
    Word(&'a String),
    File(&'a Path),
}

impl<'a> TextSource<'a> {
    fn of(file: Option<&'a Path>, words: &mut impl Iterator<Item = &'a String>) -> Option<Self> {
        file.map(Self::File).or_else(|| words.next().map(Self::Word))
    }

    fn is_stdin(&self) -> bool {
        matches!(self, Self::File(path) if path.as_os_str() == "-")
    }

    fn text(&self, context: &CommandContext<'_>) -> Result<String, Failure> {
        match self {
            Self::Word(word) => Ok((*word).clone()),
            Self::File(path) => context.payload_text(Some(path)),
        }
    }
}

#[cfg(test)]
mod tests;
