//! Reads the lines of a file for a tool. Only what is returned counts as read, so that a long file is read in part.

use editd_proto::message::{ReadReply, ReadRequest};
use editd_proto::{ErrorCode, FilePath};
use serde_json::{Value, json};

use crate::context::{CallRefusal, CallTarget};
use crate::reply::ToolReply;

/// The most bytes of text in a reply; some runtimes cut longer ones.
pub(crate) const TEXT: u64 = 64 * 1024;

/// The lines that a call asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineWindow {
    /// From a line to the end; of a long file fewer.
    From(u64),
    /// The first and the last line.
    Range(u64, u64),
    /// As many lines at the end.
    Last(u64),
}

impl LineWindow {
    /// Returns the lines from a first one, at most so many.
    pub(crate) fn of(first: Option<u64>, count: Option<u64>) -> Self {
        let first = first.unwrap_or(1).max(1);
        match count {
            None => Self::From(first),
            Some(count) => Self::Range(first, first.saturating_add(count.max(1) - 1)),
        }
    }
}

/// Lines of a file.
pub(crate) struct ReadLines {
    /// The reply of the daemon about the first of them.
    pub(crate) reply: ReadReply,
    /// The text; `None` if the file is not text.
    pub(crate) text: Option<String>,
    /// The last line.
    pub(crate) last: u64,
}

/// The form in which a tool returns lines.
#[derive(Clone, Copy, Default)]
pub(crate) struct LineForm {
    /// Returns the text before a line, for its number.
    pub(crate) number: Option<fn(u64) -> String>,
    /// The argument that names the first line of the next part.
    pub(crate) next: Option<&'static str>,
    /// Set if the arguments count lines from 0.
    pub(crate) from_zero: bool,
}

/// Reads lines; without a last one, at most about `most` bytes.
pub(crate) fn fetch(
    target: &CallTarget<'_>,
    path: FilePath,
    window: LineWindow,
    most: u64,
) -> Result<ReadLines, CallRefusal> {
    let request = ReadRequest { path, lines: None, seen: None, symbol: None, body: false };
    let part = |lines| target.ask(|it| it.read(&ReadRequest { lines, ..request.clone() }));
    let from = match window {
        LineWindow::From(first) => first,
        LineWindow::Range(first, last) => return Ok(ReadLines::of(part(Some((first, last)))?, last)),
        LineWindow::Last(count) => match number_of_lines(&part)? {
            0 => return Ok(ReadLines::of(part(None)?, 0)),
            all => {
                return Ok(ReadLines::of(
                    part(Some((all.saturating_sub(count.max(1) - 1).max(1), all)))?,
                    all,
                ));
            }
        },
    };
    let head = part(Some((from, from)))?;
    if head.text.is_none() {
        return Ok(ReadLines::of(head, 0));
    }
    if head.size <= most {
        let whole = part((from > 1).then_some((from, u64::MAX)))?;
        return Ok(ReadLines::of(whole, u64::MAX));
    }
    let step = (head.lines.saturating_mul(most / 8) / head.size).max(1);
    let mut text = String::new();
    let mut last = from - 1;
    while last < head.lines && (text.len() as u64) < most {
        let more = part(Some((last + 1, last + step)))?;
        let lines = more.text.unwrap_or_default();
        if more.version != head.version || lines.is_empty() {
            break;
        }
        last = (last + step).min(head.lines);
        text.push_str(&lines);
    }
    Ok(ReadLines { reply: head, text: Some(text), last })
}

/// Returns the number of lines of a file. A line behind the last one is refused, and nothing counts as read.
fn number_of_lines(
    part: &impl Fn(Option<(u64, u64)>) -> Result<ReadReply, CallRefusal>,
) -> Result<u64, CallRefusal> {
    match part(Some((u64::MAX, u64::MAX))) {
        Ok(reply) => Ok(reply.lines),
        Err(CallRefusal(error)) if error.code == ErrorCode::OutOfRange && error.lines.is_some() => {
            Ok(error.lines.unwrap_or_default())
        }
        Err(refusal) => Err(refusal),
    }
}

/// Returns the lines of a text, each with its line break, as the daemon counts them.
pub(crate) fn split<'t>(reply: &ReadReply, text: &'t str) -> impl Iterator<Item = &'t str> {
    text.split_inclusive(if reply.line_ending == "cr" { '\r' } else { '\n' })
}

impl ReadLines {
    fn of(mut reply: ReadReply, last: u64) -> Self {
        let text = reply.text.take();
        Self { last: last.min(reply.lines), reply, text }
    }

    /// Returns true if these are all lines of the file.
    pub(crate) fn is_whole(&self) -> bool {
        self.reply.first_line <= 1 && self.last >= self.reply.lines
    }

    /// Returns the text in a form.
    pub(crate) fn text(&self, number: Option<fn(u64) -> String>) -> String {
        let text = self.text.as_deref().unwrap_or_default();
        match number {
            None => text.to_owned(),
            Some(number) => {
                let lines = split(&self.reply, text).zip(self.reply.first_line..);
                lines.map(|(line, nth)| number(nth) + line).collect()
            }
        }
    }

    /// Returns the words for a file that is not text or is empty.
    pub(crate) fn without_lines(&self) -> Option<String> {
        let ReadReply { path, size, version, lines, .. } = &self.reply;
        match &self.text {
            None => Some(format!("{path} is not text: {size} bytes, version {}", version.0)),
            Some(_) if *lines == 0 => Some("(the file is empty)".to_owned()),
            Some(_) => None,
        }
    }

    /// Returns the lines in the form of a tool. A note behind them says which ones they are, unless they are all, or have
    /// numbers and reach to the end.
    pub(crate) fn reply(&self, form: LineForm) -> ToolReply {
        if let Some(words) = self.without_lines() {
            return ToolReply::done(words, &self.facts());
        }
        let mut words = self.text(form.number);
        let is_clear = form.number.is_some() && self.last >= self.reply.lines;
        if !self.is_whole() && !is_clear {
            let (first, last, all) = (self.reply.first_line, self.last, self.reply.lines);
            let (down, zero) = if form.from_zero { (1, ", counted from 0") } else { (0, "") };
            let next = form.next.filter(|_| last < all);
            let next = next.map(|field| format!("; next: {{\"{field}\": {}}}", last + 1 - down));
            let end = if words.ends_with('\n') { "" } else { "\n" };
            let range = format!("{}-{}", first.saturating_sub(down), last.saturating_sub(down));
            words.push_str(&format!("{end}(lines {range} of {all}{zero}{})", next.unwrap_or_default()));
        }
        ToolReply::done(words, &self.facts())
    }

    /// Returns the facts about what was read; the text is in the reply once.
    pub(crate) fn facts(&self) -> Value {
        facts(&self.reply, self.last)
    }
}

/// Returns the facts about lines up to `last`.
pub(crate) fn facts(reply: &ReadReply, last: u64) -> Value {
    json!({
        "path": reply.path,
        "version": reply.version,
        "lines": [reply.first_line, last],
        "of": reply.lines,
        "encoding": reply.encoding,
        "line_ending": reply.line_ending,
    })
}
