//! The state machine that takes a text apart: a state and a line give the next state, a block or a fault. It keeps
//! places in the text, never the text.

use std::ops::Range;

use super::fault::{Fault, Kind};
use super::marker::{Marker, REPLACE, SEARCH, SEPARATOR, Width, slips};
use crate::locate::split_indent;

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// Its number, 1-based.
    pub(super) number: u64,
    /// The line, with its break.
    pub(super) text: &'t str,
    /// The offset in the text at which it starts.
    pub(super) start: usize,
}

impl Line<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn indent(&self) -> usize {
        split_indent(self.text).0.len()
    }
}

/// The state of the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// Between blocks.
    Outside,
    /// After `<<<<<<< SEARCH`, where `:start_line:`, `:end_line:` and then `-------` may still come.
    Head(Head),
    /// In the SEARCH part, which starts at this offset.
    Search(Head, usize),
    /// In the REPLACE part: its head, the SEARCH part, and the offset at which REPLACE starts.
    Replace(Head, Range<usize>, usize),
}

/// The data of a block from the lines before its content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Head {
    width: Width,
    /// Bytes of the indentation of its marker.
    pub(super) indent: usize,
    /// The number of the line of its marker.
    pub(super) line: u64,
    /// The number after `:start_line:`.
    pub(super) near: Option<u64>,
    ended: bool,
}

/// A block, as ranges of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Outline {
    /// The data from the lines before its content.
    pub(super) head: Head,
    /// The SEARCH part, with its last break.
    pub(super) search: Range<usize>,
    /// The REPLACE part, with its last break.
    pub(super) replace: Range<usize>,
}

/// The meaning of the lines between blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Between {
    /// The lines name files.
    Names,
    /// The lines have no meaning: the file is known.
    Nothing,
}

/// The result of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Another state, or the same.
    Go(State),
    /// A complete block; the next state is [`State::Outside`].
    Done(Outline),
}

impl State {
    /// Returns the next state.
    ///
    /// # Errors
    /// The fault of the line, if it is not permitted here.
    pub(super) fn step(self, line: &Line<'_>, between: Between) -> Result<Step, Fault> {
        let marker = Marker::of(line.text);
        match self {
            Self::Outside => outside(marker, line, between).map(Step::Go),
            Self::Head(head) => in_head(head, marker, line).map(Step::Go),
            Self::Search(head, from) => in_search(head, from, marker, line).map(Step::Go),
            Self::Replace(head, search, from) => in_replace(head, search, from, marker, line),
        }
    }

    /// Checks that the text may end here, after its last line.
    ///
    /// # Errors
    /// The marker that is missing.
    pub(super) fn finish(&self, last: u64) -> Result<(), Fault> {
        let missing = match self {
            Self::Outside => return Ok(()),
            Self::Head(_) | Self::Search(..) => SEPARATOR,
            Self::Replace(..) => REPLACE,
        };
        Err(Fault::at_end(Kind::End, last, missing))
    }
}

fn outside(marker: Marker<'_>, line: &Line<'_>, between: Between) -> Result<State, Fault> {
    match marker {
        // What reads like the start or the end of a block is refused also there: it may be one with a slip.
        Marker::Separator(_) | Marker::Conflict if between == Between::Nothing && !slips(line.text) => {
            Ok(State::Outside)
        }
        Marker::Search(width) => {
            let head = Head { width, indent: line.indent(), line: line.number, near: None, ended: false };
            Ok(State::Head(head))
        }
        Marker::Separator(Width::Narrow) | Marker::Replace => Err(Fault::new(Kind::Order, line, SEARCH)),
        Marker::Conflict => Err(Fault::new(Kind::Slip, line, SEARCH)),
        _ => Ok(State::Outside),
    }
}

fn in_head(head: Head, marker: Marker<'_>, line: &Line<'_>) -> Result<State, Fault> {
    match marker {
        Marker::StartLine(given) => {
            let digits = given.bytes().all(|byte| byte.is_ascii_digit());
            let near: Option<u64> = given.parse().ok().filter(|_| digits);
            if near.is_none() || head.near.is_some() {
                return Err(Fault::of_line(Kind::Number, line));
            }
            Ok(State::Head(Head { near, ..head }))
        }
        Marker::EndLine if head.ended => Err(Fault::of_line(Kind::Number, line)),
        Marker::EndLine => Ok(State::Head(Head { ended: true, ..head })),
        Marker::Dashes(width) if width == Width::Narrow || width == head.width => {
            // A heading is underlined so too: without a number before it, or indented otherwise than the block, it may be
            // content.
            let marks = (head.near.is_some() || head.ended) && head.indent == line.indent();
            if marks { Ok(State::Search(head, line.end())) } else { Err(Fault::of_line(Kind::Dashes, line)) }
        }
        _ => in_search(head, line.start, marker, line),
    }
}

fn in_search(head: Head, from: usize, marker: Marker<'_>, line: &Line<'_>) -> Result<State, Fault> {
    match marker {
        Marker::Separator(width) if separates(width, &head) => {
            Ok(State::Replace(head, from..line.start, line.end()))
        }
        Marker::Search(_) | Marker::Replace => Err(Fault::new(Kind::Order, line, SEPARATOR)),
        Marker::Conflict => Err(Fault::new(Kind::Conflict, line, SEPARATOR)),
        _ => Ok(State::Search(head, from)),
    }
}

fn in_replace(
    head: Head,
    search: Range<usize>,
    from: usize,
    marker: Marker<'_>,
    line: &Line<'_>,
) -> Result<Step, Fault> {
    match marker {
        Marker::Replace => Ok(Step::Done(Outline { head, search, replace: from..line.start })),
        Marker::Search(_) => Err(Fault::new(Kind::Order, line, REPLACE)),
        Marker::Separator(width) if separates(width, &head) => Err(Fault::new(Kind::Conflict, line, REPLACE)),
        Marker::Conflict => Err(Fault::new(Kind::Conflict, line, REPLACE)),
        Marker::StartLine(_) | Marker::EndLine => Err(Fault::new(Kind::LineMarker, line, REPLACE)),
        _ => Ok(Step::Go(State::Replace(head, search, from))),
    }
}

/// Eight `=` are content of a block that began with seven `<`: headings are underlined with any number.
fn separates(width: Width, head: &Head) -> bool {
    width == Width::Narrow || width == head.width
}
