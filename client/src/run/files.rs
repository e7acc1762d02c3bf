//! The commands `read`, `outline`, `edit`, `replace`, `create` and `dialects`.

use std::path::Path;

use editctl::Connection;
use editd_proto::Code;
use editd_proto::message::{Edit, FileEntry, JobRequest, OutlineRequest, ReadReply, ReadRequest};

use super::{Answer, Desk};
use crate::args;
use crate::failure::Failure;
use crate::job;
use crate::show;

pub(super) fn read(desk: &Desk<'_>, words: &args::Read) -> Result<Answer, Failure> {
    let request = ReadRequest {
        path: desk.name(&words.path),
        lines: words.lines,
        seen: None,
        symbol: words.symbol.clone(),
        body: words.body,
    };
    let reply = desk.ask(true, |it| it.read(&request))?;
    if desk.look.json {
        return Ok(Answer::json(&reply));
    }
    let whole = words.lines.is_none() && words.symbol.is_none();
    let err = reply.symbol.as_ref().and_then(show::outline::declarations).unwrap_or_default();
    let out = if words.numbers { numbered(&reply)? } else { plain(reply, whole) };
    Ok(Answer { err, ..Answer::text(out) })
}

pub(super) fn outline(desk: &Desk<'_>, path: &Path, depth: Option<u64>) -> Result<Answer, Failure> {
    let request = OutlineRequest { path: desk.name(path), depth };
    let reply = desk.ask(true, |it| it.outline(&request))?;
    Ok(desk.answer(&reply, show::outline::tree))
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

/// Returns the lines with `N | ` in front of each.
fn numbered(reply: &ReadReply) -> Result<Vec<u8>, Failure> {
    let Some(text) = &reply.text else {
        let message = format!("{} is not text and has no lines; read it without --numbers", reply.path);
        return Err(Failure::refused(Code::Binary, message));
    };
    let end = if reply.line_ending == "cr" { '\r' } else { '\n' };
    let lines = text.split_inclusive(end).zip(reply.first_line..);
    Ok(lines.flat_map(|(line, number)| format!("{number} | {line}").into_bytes()).collect())
}

pub(super) fn edit(desk: &Desk<'_>, words: args::Edit) -> Result<Answer, Failure> {
    let path = words.path.as_deref().map(|path| desk.name(path));
    let beside = job::Beside { path, dialect: words.dialect };
    let mut job = job::read(&desk.payload(words.file.as_deref())?, beside)?;
    job.verified = words.verified.or(job.verified);
    send(desk, job)
}

pub(super) fn dialects(desk: &Desk<'_>) -> Result<Answer, Failure> {
    let reply = desk.ask(true, Connection::dialects)?;
    Ok(desk.answer(&reply, show::state::dialects))
}

fn send(desk: &Desk<'_>, mut job: JobRequest) -> Result<Answer, Failure> {
    job::lay_over(&desk.flags, &mut job);
    job.diff = job.diff.or(desk.shows_diffs());
    let receipt = desk.ask(job.key.is_some(), |it| it.edit(&job))?;
    let whole = job.budget.is_some() || job.diff == Some(true);
    Ok(desk.receipt(receipt, &desk.look.whole(whole)))
}

pub(super) fn replace(desk: &Desk<'_>, words: args::Replace) -> Result<Answer, Failure> {
    let path = desk.name(&words.path);
    let (old, new) = old_and_new(desk, &words)?;
    let edit = Edit {
        op: "replace".into(),
        old: Some(old),
        new: Some(new),
        all: words.all.then_some(true),
        expect: words.expect,
        near: words.near,
        loosest: words.loosest,
        whole_lines: words.whole_lines.then_some(true),
        ..Edit::default()
    };
    let entry = FileEntry { path, base: None, edits: vec![edit], ..FileEntry::default() };
    send(desk, JobRequest { files: vec![entry], ..JobRequest::default() })
}

pub(super) fn create(desk: &Desk<'_>, words: args::Create) -> Result<Answer, Failure> {
    let text = match words.text.filter(|text| text != "-") {
        Some(text) => text,
        None => desk.payload_text(words.file.as_deref())?,
    };
    let edit = Edit { op: "create".into(), text: Some(text), ..Edit::default() };
    let entry =
        FileEntry { path: desk.name(&words.path), base: None, edits: vec![edit], ..FileEntry::default() };
    send(desk, JobRequest { files: vec![entry], ..JobRequest::default() })
}

/// Returns the two texts, each from a file or from the next argument.
fn old_and_new(desk: &Desk<'_>, words: &args::Replace) -> Result<(String, String), Failure> {
    let mut texts = words.old.iter().chain(&words.new);
    let old = Source::of(words.old_file.as_deref(), &mut texts).ok_or_else(|| missing("OLD", "old"))?;
    let new = Source::of(words.new_file.as_deref(), &mut texts).ok_or_else(|| missing("NEW", "new"))?;
    if texts.next().is_some() {
        return Err(Failure::Usage("a text is given twice: as an argument and as a file".into()));
    }
    if old.is_stdin() && new.is_stdin() {
        return Err(Failure::Usage("only one of --old-file and --new-file can be standard input".into()));
    }
    Ok((old.text(desk)?, new.text(desk)?))
}

fn missing(name: &str, flag: &str) -> Failure {
    Failure::Usage(format!("replace needs {name}: the text itself, or --{flag}-file"))
}

/// The source of a text.
enum Source<'a> {
    Word(&'a String),
    File(&'a Path),
}

impl<'a> Source<'a> {
    fn of(file: Option<&'a Path>, words: &mut impl Iterator<Item = &'a String>) -> Option<Self> {
        file.map(Self::File).or_else(|| words.next().map(Self::Word))
    }

    fn is_stdin(&self) -> bool {
        matches!(self, Self::File(path) if path.as_os_str() == "-")
    }

    fn text(&self, desk: &Desk<'_>) -> Result<String, Failure> {
        match self {
            Self::Word(word) => Ok((*word).clone()),
            Self::File(path) => desk.payload_text(Some(path)),
        }
    }
}

#[cfg(test)]
mod tests;
