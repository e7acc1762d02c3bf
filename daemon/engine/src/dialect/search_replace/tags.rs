//! The XML-like form: `<args><file><path>…</path><diff>…`. It decodes nothing, and in a block no tag is looked for,
//! so that a block may hold any text.

use std::borrow::Cow;

use super::block::blocks;
use super::forms::{CDATA, Portion, unwrapped};
use super::list::number;
use super::machine::LinesBetween;
use super::marker::{Marker, is_fence};
use crate::Refusal;
use crate::cut::Cut;
use crate::locate::excerpt;
use crate::refusal::line_error;

/// The elements, and the permitted parents of each; an empty parent is the payload itself.
const ELEMENTS: [(&str, &[&str]); 8] = [
    ("apply_diff", &[""]),
    ("args", &["", "apply_diff"]),
    ("file", &["", "apply_diff", "args"]),
    ("path", &["file", "args", "apply_diff"]),
    ("diff", &["file", "args", "apply_diff"]),
    ("content", &["diff"]),
    ("start_line", &["diff"]),
    ("startLine", &["diff"]),
];

/// Returns true if a payload has this form, by its first tag.
pub(super) fn begins(payload: &str) -> bool {
    let first = payload.lines().map(str::trim).find(|line| !line.is_empty() && !is_fence(line));
    first.is_some_and(|line| {
        ELEMENTS.iter().any(|(name, parents)| parents.contains(&"") && line.starts_with(&format!("<{name}>")))
    })
}

/// Returns the texts of a payload.
///
/// # Errors
/// `malformed`, with the faulty line.
pub(super) fn portions(payload: &str) -> Result<Vec<Portion<'_>>, Refusal> {
    let mut scan = Scan { text: payload, at: 0, line: 1, open: Vec::new() };
    let mut files = Files::default();
    while let Some(tag) = scan.tag()? {
        match tag {
            Tag::Open("path") => {
                if !files.path.is_empty() {
                    return Err(scan.wrong("a file has one `<path>`"));
                }
                let path = scan.value("</path>")?;
                if path.is_empty() {
                    return Err(scan.wrong("`<path>` is empty; name the file"));
                }
                files.path = path;
            }
            Tag::Open("content") => {
                let (text, first) = scan.body("</content>")?;
                files.text(text, first).map_err(|what| scan.wrong(what))?;
            }
            Tag::Open("diff") if !scan.holds_elements() => {
                let (text, first) = scan.body("</diff>")?;
                files.text(text, first).map_err(|what| scan.wrong(what))?;
                files.close_diff().map_err(|what| scan.wrong(what))?;
            }
            Tag::Open("start_line" | "startLine") => {
                let close =
                    if scan.open.last() == Some(&"startLine") { "</startLine>" } else { "</start_line>" };
                let value = scan.value(close)?;
                let line = number(value).map_err(|()| scan.wrong("`<start_line>` must be a number"))?;
                files.start_line = line.or(files.start_line);
            }
            Tag::Close("diff") => files.close_diff().map_err(|what| scan.wrong(what))?,
            Tag::Open("file") | Tag::Close(_) => files.close_file().map_err(|what| scan.wrong(what))?,
            Tag::Open(_) => {}
        }
    }
    if files.done.is_empty() {
        return Err(scan.wrong("the payload names no file; it needs `<file>` with `<path>` and `<diff>`"));
    }
    Ok(files.done)
}

/// The files that were read so far.
#[derive(Default)]
struct Files<'p> {
    done: Vec<Portion<'p>>,
    path: &'p str,
    /// The texts of the file that is being read.
    texts: Vec<(&'p str, u64, Option<u64>)>,
    text: Option<(&'p str, u64)>,
    start_line: Option<u64>,
}

impl<'p> Files<'p> {
    fn text(&mut self, text: &'p str, first: u64) -> Result<(), &'static str> {
        match self.text.replace((text, first)) {
            None => Ok(()),
            Some(_) => Err("a `<diff>` has one `<content>`; send another `<diff>`"),
        }
    }

    fn close_diff(&mut self) -> Result<(), &'static str> {
        let (text, first) = self.text.take().ok_or("`<diff>` is empty; it needs `<content>` with blocks")?;
        self.texts.push((text, first, self.start_line.take()));
        Ok(())
    }

    fn close_file(&mut self) -> Result<(), &'static str> {
        let path = std::mem::take(&mut self.path);
        if self.texts.is_empty() && !path.is_empty() {
            return Err("a file without a `<diff>`; send blocks for it");
        }
        self.done.extend(self.texts.drain(..).map(|(text, first, start_line)| Portion {
            path: (!path.is_empty()).then_some(Cow::Borrowed(path)),
            text: Cow::Borrowed(text),
            first,
            start_line,
            place: String::new(),
        }));
        Ok(())
    }
}

enum Tag {
    Open(&'static str),
    Close(&'static str),
}

/// A place in the payload.
struct Scan<'p> {
    text: &'p str,
    at: usize,
    line: u64,
    /// The elements around the place.
    open: Vec<&'static str>,
}

impl<'p> Scan<'p> {
    /// Reads the next tag; `None` at the end. Only blanks are permitted between tags, and fences around the whole.
    fn tag(&mut self) -> Result<Option<Tag>, Refusal> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.go(blank);
            let line = self.rest().lines().next().unwrap_or_default();
            if !(self.open.is_empty() && is_fence(line)) {
                break;
            }
            self.go(line.len());
        }
        let rest = self.rest();
        if rest.is_empty() {
            return match self.open.last() {
                None => Ok(None),
                Some(name) => Err(self.wrong(&format!("the payload ends, expected `</{name}>`"))),
            };
        }
        let end = memchr::memchr(b'>', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        let given = rest.cut(0..end);
        let name = given.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or_default();
        let parent = self.open.last().copied().unwrap_or_default();
        let tag = if name.strip_prefix('/') == Some(parent) {
            Tag::Close(parent)
        } else {
            let known = ELEMENTS.iter().find(|(known, parents)| *known == name && parents.contains(&parent));
            let Some((name, _)) = known else { return Err(self.unexpected(given)) };
            Tag::Open(name)
        };
        match &tag {
            Tag::Open(name) => self.open.push(*name),
            Tag::Close(_) => drop(self.open.pop()),
        }
        self.go(end);
        Ok(Some(tag))
    }

    fn unexpected(&self, given: &str) -> Refusal {
        let shown = excerpt(given.lines().next().unwrap_or_default(), 0);
        let place = self.open.last().map_or_else(|| "here".to_owned(), |name| format!("in `<{name}>`"));
        self.wrong(&format!("`{shown}` does not belong {place}"))
    }

    /// Returns true if the next text is the tag of an element.
    fn holds_elements(&self) -> bool {
        let rest = self.rest().trim_start();
        ELEMENTS
            .iter()
            .any(|(name, _)| rest.strip_prefix('<').is_some_and(|rest| rest.starts_with(&format!("{name}>"))))
            || rest.starts_with("</")
    }

    /// Reads a short value, up to its closing tag.
    fn value(&mut self, close: &str) -> Result<&'p str, Refusal> {
        let Some(end) = self.rest().find(close) else {
            return Err(self.wrong(&format!("expected `{close}`")));
        };
        let value = self.rest().cut(0..end);
        self.go(end + close.len());
        self.open.pop();
        Ok(unwrapped(value, 1).0.trim())
    }

    /// Reads a text with blocks, up to the first closing tag outside a block. Returns also the number of its first
    /// line.
    fn body(&mut self, close: &str) -> Result<(&'p str, u64), Refusal> {
        let (rest, first) = (self.rest(), self.line);
        let (mut at, mut in_block) = (0, false);
        for line in rest.split_inclusive('\n') {
            if !in_block {
                let bare = line.trim_start().strip_prefix(CDATA).unwrap_or(line);
                in_block = matches!(Marker::of(bare), Marker::Search(_));
            } else {
                in_block = !ends_block(line);
            }
            if let (false, Some(end)) = (in_block, line.find(close)) {
                self.go(at + end + close.len());
                self.open.pop();
                return Ok(unwrapped(rest.cut(0..at + end), first));
            }
            at += line.len();
        }
        // An incomplete block explains more than the missing closing tag.
        let (text, first) = unwrapped(rest, first);
        Err(match blocks(text, first, LinesBetween::Nothing) {
            Err(fault) if in_block => fault.refusal("", None),
            _ => self.wrong(&format!("expected `{close}`")),
        })
    }

    fn rest(&self) -> &'p str {
        self.text.cut(self.at..self.text.len())
    }

    fn go(&mut self, bytes: usize) {
        let passed = self.text.cut(self.at..self.at + bytes);
        self.line += memchr::memchr_iter(b'\n', passed.as_bytes()).count() as u64;
        self.at += bytes;
    }

    fn wrong(&self, what: &str) -> Refusal {
        line_error(self.line, what)
    }
}

/// Returns true if a line ends a block. The end of its element may follow the marker.
fn ends_block(line: &str) -> bool {
    let tail = line.find("]]>").into_iter().chain(line.find("</")).min().unwrap_or(line.len());
    Marker::of(line.cut(0..tail)) == Marker::Replace
}
