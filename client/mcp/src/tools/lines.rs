//! Reads the lines of a file for a tool. A long text is read in parts, so that no more counts as read than is returned,
//! unless lines are longer than those before them.

use editctl::{CallError, Connection};
use editd_proto::message::{ReadReply, ReadRequest};
use editd_proto::{ErrorCode, FilePath};
use serde_json::{Value, json};

use crate::context::{CallRefusal, CallTarget};
use crate::reply::ToolReply;

/// The most bytes of text in a reply; some runtimes cut longer ones.
pub(crate) const TEXT: u64 = 64 * 1024;

/// The number of lines that are read at once, however long they are.
const FEW: u64 = 200;

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
    /// The size of the last line in bytes if only its beginning is in the text.
    cut_line: Option<usize>,
}

/// The argument that asks for the lines behind those of a reply.
#[derive(Clone, Copy)]
pub(crate) enum NextArgument {
    /// The number of the first line.
    First(&'static str),
    /// The number of lines at the end.
    Last(&'static str),
}

/// The form in which a tool returns lines.
#[derive(Clone, Copy, Default)]
pub(crate) struct LineForm {
    /// Returns the text before a line, for its number.
    pub(crate) number: Option<fn(u64) -> String>,
    /// The argument that names the next part.
    pub(crate) next: Option<NextArgument>,
    /// Set if the arguments count lines from 0.
    pub(crate) from_zero: bool,
    /// Set if lines that end with `\r\n` keep their `\r`.
    pub(crate) exact: bool,
}

impl LineForm {
    /// Lines with a text before each one, which `number` makes of its number.
    pub(crate) const fn numbered(number: fn(u64) -> String) -> Self {
        Self { number: Some(number), next: None, from_zero: false, exact: false }
    }
}

/// Reads lines, at most `most` bytes of them.
pub(crate) fn fetch(
    target: &CallTarget<'_>,
    path: FilePath,
    window: LineWindow,
    most: u64,
) -> Result<ReadLines, CallRefusal> {
    target.ask(|connection| FileReader { connection, path: &path, most }.window(window))
}

/// Reads one file on one connection.
struct FileReader<'a> {
    connection: &'a mut Connection,
    path: &'a FilePath,
    most: u64,
}

impl FileReader<'_> {
    fn part(&mut self, lines: Option<(u64, u64)>) -> Result<ReadReply, CallError> {
        let path = self.path.clone();
        self.connection.read(&ReadRequest { path, lines, seen: None, symbol: None, body: false })
    }

    fn window(mut self, window: LineWindow) -> Result<ReadLines, CallError> {
        let (first, last) = match window {
            LineWindow::From(first) => (first, u64::MAX),
            LineWindow::Range(first, last) => (first, last),
            LineWindow::Last(count) => match self.number_of_lines()? {
                0 => (1, u64::MAX),
                all => (all.saturating_sub(count.max(1) - 1).max(1), all),
            },
        };
        let range = (first > 1 || last < u64::MAX).then_some((first, last));
        if last.saturating_sub(first) < FEW {
            return Ok(ReadLines::of(self.part(range)?, last, self.most));
        }
        let head = self.part(Some((first, first)))?;
        if head.text.is_none() || head.size <= self.most {
            return Ok(ReadLines::of(self.part(range)?, last, self.most));
        }
        let end = last.min(head.lines);
        let mut step = (head.lines.saturating_mul(self.most / 8) / head.size).max(1);
        let mut text = String::new();
        // The last line that was read, and the size of the next part if its lines are as long as the last ones.
        let (mut read, mut next) = (first - 1, 0);
        while read < end && (text.len() + next) as u64 <= self.most {
            let to = read.saturating_add(step).min(end);
            let more = self.part(Some((read + 1, to)))?;
            let lines = more.text.unwrap_or_default();
            if more.version != head.version || lines.is_empty() {
                break;
            }
            next = lines.len();
            // A few long lines may make the others look long.
            if (next as u64) < self.most / 8 {
                (step, next) = (step.saturating_mul(2), next * 2);
            }
            read = to;
            text.push_str(&lines);
        }
        Ok(ReadLines { reply: head, text: Some(text), last: read, cut_line: None }.cut(self.most))
    }

    /// Returns the number of lines of the file. A line behind the last one is refused, and nothing counts as read.
    fn number_of_lines(&mut self) -> Result<u64, CallError> {
        match self.part(Some((u64::MAX, u64::MAX))) {
            Ok(reply) => Ok(reply.lines),
            Err(CallError::Refused(error))
                if error.code == ErrorCode::OutOfRange && error.lines.is_some() =>
            {
                Ok(error.lines.unwrap_or_default())
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns the lines of a text, each with its line break, as the daemon counts them.
pub(crate) fn split<'t>(reply: &ReadReply, text: &'t str) -> impl Iterator<Item = &'t str> {
    text.split_inclusive(if reply.line_ending == "cr" { '\r' } else { '\n' })
}

impl ReadLines {
    /// Takes the lines of a reply up to `last`, at most `most` bytes of them.
    pub(crate) fn of(mut reply: ReadReply, last: u64, most: u64) -> Self {
        let text = reply.text.take();
        Self { last: last.min(reply.lines), reply, text, cut_line: None }.cut(most)
    }

    /// Leaves out the lines above the limit, and the end of the first line if it is longer.
    fn cut(mut self, most: u64) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let Some(mut text) = self.text.take_if(|text| text.len() > most) else { return self };
        let (mut kept, mut lines) = (0, 0);
        for line in split(&self.reply, &text) {
            if kept + line.len() > most {
                break;
            }
            (kept, lines) = (kept + line.len(), lines + 1);
        }
        if lines == 0 {
            self.cut_line = split(&self.reply, &text).next().map(str::len);
            (kept, lines) = (text.floor_char_boundary(most), 1);
        }
        text.truncate(kept);
        self.last = self.reply.first_line.max(1) + lines - 1;
        self.text = Some(text);
        self
    }

    /// Returns true if these are all lines of the file.
    pub(crate) fn is_whole(&self) -> bool {
        self.reply.first_line <= 1 && self.last >= self.reply.lines && self.cut_line.is_none()
    }

    /// Returns true if not all lines up to this one are here.
    pub(crate) fn is_cut(&self, last: u64) -> bool {
        self.last < last || self.cut_line.is_some()
    }

    /// Returns a remark if the end of a line is left out.
    pub(crate) fn cut_note(&self) -> String {
        let shown = self.text.as_ref().map_or(0, String::len);
        let cut = self.cut_line.map(|size| format!("; only {shown} of {size} bytes of this line"));
        cut.unwrap_or_default()
    }

    /// Returns the text in a form. If all lines of the file end with `\r\n`, they are without `\r` unless the form is exact:
    /// the facts name the line ending, and edits write it.
    pub(crate) fn text(&self, form: LineForm) -> String {
        let text = self.text.as_deref().unwrap_or_default();
        let plain = self.reply.line_ending == "crlf" && !form.exact;
        let mut out = String::with_capacity(text.len());
        for (line, nth) in split(&self.reply, text).zip(self.reply.first_line..) {
            out.extend(form.number.map(|number| number(nth)));
            match line.strip_suffix("\r\n") {
                Some(start) if plain => out.extend([start, "\n"]),
                _ => out.push_str(line),
            }
        }
        out
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
    /// numbers and reach to the end. Without a note, lines without numbers are exact, and others lack the last line break.
    pub(crate) fn reply(&self, form: LineForm) -> ToolReply {
        if let Some(words) = self.without_lines() {
            return ToolReply::done(words, &self.facts());
        }
        let mut words = self.text(form);
        let is_clear = form.number.is_some() && self.last >= self.reply.lines && self.cut_line.is_none();
        if !self.is_whole() && !is_clear {
            let (first, last, all) = (self.reply.first_line, self.last, self.reply.lines);
            let (down, zero) = if form.from_zero { (1, ", counted from 0") } else { (0, "") };
            let next = form.next.filter(|_| last < all).map(|next| match next {
                NextArgument::First(field) => format!("; next: {{\"{field}\": {}}}", last + 1 - down),
                NextArgument::Last(field) => format!("; next: {{\"{field}\": {}}}", all - last),
            });
            let end = if words.ends_with('\n') { "" } else { "\n" };
            let range = format!("{}-{}", first.saturating_sub(down), last.saturating_sub(down));
            let (cut, next) = (self.cut_note(), next.unwrap_or_default());
            words.push_str(&format!("{end}(lines {range} of {all}{zero}{cut}{next})"));
        } else if form.number.is_some() && words.ends_with('\n') {
            words.pop();
        }
        ToolReply::content(words, &self.facts())
    }

    /// Returns the facts about what was read; the text is in the reply once.
    pub(crate) fn facts(&self) -> Value {
        let reply = &self.reply;
        json!({
            "path": reply.path,
            "version": reply.version,
            "lines": [reply.first_line, self.last],
            "of": reply.lines,
            "encoding": reply.encoding,
            "line_ending": reply.line_ending,
        })
    }
}
