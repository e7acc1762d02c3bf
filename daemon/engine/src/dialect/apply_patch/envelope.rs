//! Reads an envelope as a list of sections, line by line. It reads no file, and corrects nothing that is ambiguous.

use super::unsigned::signed;
use crate::Refusal;
use crate::locate::excerpt;
use crate::refusal::line_error;

/// The part of an envelope that concerns one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Section<'p> {
    /// The number of its first line.
    pub(super) line: u64,
    /// The path of the file.
    pub(super) path: &'p str,
    /// The operation on the file.
    pub(super) action: SectionAction<'p>,
}

/// The operation of a section on its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SectionAction<'p> {
    /// Creates the file with this content.
    Add(String),
    /// Deletes the file.
    Delete,
    /// Changes the file.
    Update {
        /// The path to which the file moves.
        to: Option<&'p str>,
        /// The changes of its content.
        hunks: Vec<PatchHunk<'p>>,
    },
}

/// One change of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct PatchHunk<'p> {
    /// The number of its first line.
    pub(super) line: u64,
    /// The lines above it in the file, from its `@@` headers.
    pub(super) headers: Vec<&'p str>,
    /// The line at which it should start, if a `@@` header gives a number.
    pub(super) near: Option<u64>,
    /// Its lines, with their signs.
    pub(super) text: String,
    /// True if it ends at the end of the file.
    pub(super) last: bool,
}

pub(super) const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const LAST: &str = "*** End of File";

/// The error for text after the end of an envelope.
const AGAIN: &str = "the patch ends here, and more follows; put all sections between one `*** Begin Patch` and one \
                     `*** End Patch`, or send the patches one after the other";

/// Returns true if a text begins with an envelope.
pub(super) fn begins(payload: &str) -> bool {
    payload.lines().find(|line| !wraps(line)).is_some_and(|line| line.trim() == BEGIN)
}

/// Returns true if a line may stand before an envelope: a blank line, a fence, or the start of a heredoc. No other
/// command is skipped: one that changes the folder would change the meaning of the paths.
fn wraps(line: &str) -> bool {
    let line = line.trim();
    let call = line.strip_prefix("apply_patch").unwrap_or(line).trim_start();
    let tag = call.strip_prefix("<<").map(|tag| tag.trim_matches(['-', '\'', '"', ' ']));
    line.is_empty() || line.starts_with("```") || tag.is_some_and(is_tag)
}

/// Returns true if a text is valid as the delimiter of a heredoc.
fn is_tag(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The lines of an envelope from behind its first marker to before its last.
struct EnvelopeLines<'p> {
    lines: Vec<&'p str>,
    /// True if `\r` at the end of a line belongs to it: the envelope itself has none.
    keeps_returns: bool,
    next: usize,
    /// The number of the first of them.
    first: u64,
    /// Warnings about lines that were accepted although the format does not allow them.
    warnings: Vec<String>,
}

impl<'p> EnvelopeLines<'p> {
    /// # Errors
    /// `malformed` if a marker is missing.
    fn inside(payload: &'p str) -> Result<Self, Refusal> {
        let lines: Vec<&str> = payload.split_terminator('\n').collect();
        let begin = lines.iter().position(|line| !wraps(line)).unwrap_or(0);
        if lines.get(begin).is_none_or(|line| line.trim() != BEGIN) {
            let line = begin as u64 + 1;
            return Err(line_error(
                line,
                format!("the first line of the patch must be `{BEGIN}`; begin with it"),
            ));
        }
        let trails = |line: &&str| wraps(line) || (is_tag(line.trim()) && begin > 0);
        let end = lines.iter().rposition(|line| !trails(line)).unwrap_or(0);
        if end <= begin || lines.get(end).is_none_or(|line| line.trim() != END) {
            // Sections behind the end of a patch do not belong to it.
            if let Some(closed) = lines.iter().skip(begin).position(|line| line.trim_end() == END) {
                return Err(line_error((begin + closed) as u64 + 1, AGAIN));
            }
            let line = end as u64 + 1;
            return Err(line_error(
                line,
                format!("the last line of the patch must be `{END}`; send it to its end"),
            ));
        }
        let inside = lines.get(begin + 1..end).unwrap_or_default().to_vec();
        let keeps_returns = lines.get(begin).is_some_and(|line| !line.ends_with('\r'));
        Ok(Self { lines: inside, keeps_returns, next: 0, first: begin as u64 + 2, warnings: Vec::new() })
    }

    fn peek(&self) -> Option<&'p str> {
        self.lines.get(self.next).map(|line| line.strip_suffix('\r').unwrap_or(line))
    }

    /// Returns true if the next line has a `\r` that belongs to it.
    fn returns(&self) -> bool {
        self.keeps_returns && self.lines.get(self.next).is_some_and(|line| line.ends_with('\r'))
    }

    /// Returns the number of the next line.
    fn number(&self) -> u64 {
        self.first.saturating_add(self.next as u64)
    }

    /// Returns the next line, if `take` accepts it.
    fn take<T>(&mut self, take: impl FnOnce(&'p str) -> Option<T>) -> Option<T> {
        let taken = take(self.peek()?)?;
        self.next += 1;
        Some(taken)
    }

    fn skip_blank(&mut self) {
        while self.take(|line| line.trim().is_empty().then_some(())).is_some() {}
    }
}

/// Returns the sections of a payload, and a warning for each deviation that was accepted.
///
/// # Errors
/// `malformed` with the number of the line.
pub(super) fn sections(payload: &str) -> Result<(Vec<Section<'_>>, Vec<String>), Refusal> {
    let mut lines = EnvelopeLines::inside(payload)?;
    let (mut found, mut hollow) = (Vec::new(), None);
    loop {
        lines.skip_blank();
        let number = lines.number();
        let Some(line) = lines.take(Some) else { break };
        let head = line.trim();
        let named = |marker: &str| head.strip_prefix(marker).map(str::trim);
        let (path, action) = if let Some(path) = named(ADD) {
            (path, added(&mut lines))
        } else if let Some(path) = named(DELETE) {
            (path, SectionAction::Delete)
        } else if let Some(path) = named(UPDATE) {
            (path, updated(&mut lines, path, number)?)
        } else if head == END {
            return Err(line_error(number, AGAIN));
        } else {
            return Err(line_error(
                number,
                format!(
                    "`{}` is no header; a section begins with `{ADD} path`, `{DELETE} path` or `{UPDATE} path`",
                    excerpt(head, 0)
                ),
            ));
        };
        if path.is_empty() {
            return Err(line_error(number, "the header names no file; put its path behind it"));
        }
        match action {
            SectionAction::Update { to: None, hunks } if hunks.is_empty() => {
                hollow = hollow.or(Some((number, path)))
            }
            action => found.push(Section { line: number, path, action }),
        }
    }
    match (found.is_empty(), hollow) {
        (false, _) => Ok((found, lines.warnings)),
        (true, None) => Err(line_error(lines.number(), "the patch names no file; say what to change")),
        (true, Some((number, path))) => Err(hollow_update(number, path)),
    }
}

fn added<'p>(lines: &mut EnvelopeLines<'p>) -> SectionAction<'p> {
    let mut text = String::new();
    loop {
        let ending = if lines.returns() { "\r\n" } else { "\n" };
        let Some(line) = lines.take(|line| line.strip_prefix('+')) else { break };
        text.push_str(line);
        text.push_str(ending);
    }
    SectionAction::Add(text)
}

fn updated<'p>(lines: &mut EnvelopeLines<'p>, path: &str, number: u64) -> Result<SectionAction<'p>, Refusal> {
    let to = lines.take(|line| line.trim().strip_prefix(MOVE)).map(str::trim);
    if to == Some("") {
        return Err(line_error(lines.number() - 1, "the header names no file; put its path behind it"));
    }
    let (mut hunks, mut any) = (Vec::new(), false);
    loop {
        lines.skip_blank();
        match lines.peek() {
            Some(line) if !line.starts_with("***") && !is_header(line) => {
                hunks.extend(hunk(lines, !any)?);
                any = true;
            }
            _ => break,
        }
    }
    if !any && to.is_none() {
        return Err(hollow_update(number, path));
    }
    Ok(SectionAction::Update { to, hunks })
}

fn hollow_update(number: u64, path: &str) -> Refusal {
    line_error(number, format!("the update of `{}` is empty; say what to change", excerpt(path, 0)))
}

/// Returns true if a line is the header of a section, white space around it aside.
fn is_header(line: &str) -> bool {
    let line = line.trim();
    [ADD, DELETE, UPDATE].iter().any(|marker| line.starts_with(marker))
}

/// Reads a hunk. Returns `None` if it has no lines.
fn hunk<'p>(lines: &mut EnvelopeLines<'p>, first: bool) -> Result<Option<PatchHunk<'p>>, Refusal> {
    let mut hunk = PatchHunk { line: lines.number(), ..PatchHunk::default() };
    let mut headed = false;
    while let Some(header) = lines.take(|line| line.trim_end().strip_prefix("@@")) {
        headed = true;
        match numbers(header) {
            Some(line) => hunk.near = Some(line),
            None if header.trim().is_empty() => {}
            None => hunk.headers.push(header.trim()),
        }
    }
    if !headed && !first {
        return Err(line_error(hunk.line, "the hunk before it is over; begin another with `@@`"));
    }
    let mut body = Vec::new();
    while let Some(line) =
        lines.take(|line| Some(line).filter(|line| !line.starts_with("@@") && !line.starts_with("***")))
    {
        body.push(line);
    }
    hunk.last = lines.take(|line| (line.trim_end() == LAST).then_some(())).is_some();
    // Empty lines at the end separate the hunks.
    let end = body.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    body.truncate(end);
    if body.is_empty() {
        lines.warnings.push(format!("line {}: the hunk has no lines; it was passed over", hunk.line));
        return Ok(None);
    }
    hunk.text = match signed(&body) {
        None => body.iter().flat_map(|line| [*line, "\n"]).collect(),
        Some((text, count)) => {
            lines.warnings.push(format!(
                "line {}: the hunk has lines without ` `, `-` or `+` in front ({count}); they were taken as context",
                hunk.line
            ));
            text
        }
    };
    let quotes = hunk.text.lines().any(|line| line.is_empty() || line.starts_with([' ', '-']));
    if !quotes && (!hunk.headers.is_empty() || hunk.near.is_some()) {
        let what = "the hunk gives its place but quotes no line there; add one with ` ` in front";
        return Err(line_error(hunk.line, what));
    }
    Ok(Some(hunk))
}

/// Returns the first line of the old side in a header with numbers (`-1,2 +1,2 @@`).
fn numbers(header: &str) -> Option<u64> {
    let (old, rest) = header.trim_start().strip_prefix('-')?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let number = |text: &str| text.split(',').next()?.parse().ok();
    number(new).and(number(old))
}
