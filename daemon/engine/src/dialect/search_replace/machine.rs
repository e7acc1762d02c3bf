//! The state machine that splits a text: a state and a line give the next state, a block or a fault. It stores offsets
//! in the text, never the text.

use std::ops::Range;

use super::fault::{BlockFault, FaultKind};
use super::marker::{Marker, REPLACE, SEARCH, SEPARATOR, Width, slips};
use crate::locate::split_indent;

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextLine<'t> {
    /// Its number, 1-based.
    pub(super) number: u64,
    /// The line, with its break.
    pub(super) text: &'t str,
    /// The offset in the text at which it starts.
    pub(super) start: usize,
}

impl TextLine<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    fn indent(&self) -> usize {
        split_indent(self.text).0.len()
    }
}

/// The state of the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum BlockState {
    /// Between blocks.
    Outside,
    /// After `<<<<<<< SEARCH`, where `:start_line:`, `:end_line:` and then `-------` may still come.
    Head(BlockHead),
    /// In the SEARCH part, which starts at this offset.
    Search(BlockHead, usize),
    /// In the REPLACE part: its head, the SEARCH part, and the offset at which REPLACE starts.
    Replace(BlockHead, Range<usize>, usize),
}

/// The data of a block from the lines before its content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BlockHead {
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
pub(super) struct BlockRanges {
    /// The data from the lines before its content.
    pub(super) head: BlockHead,
    /// The SEARCH part, with its last break.
    pub(super) search: Range<usize>,
    /// The REPLACE part, with its last break.
    pub(super) replace: Range<usize>,
}

/// The meaning of the lines between blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LinesBetween {
    /// The lines name files.
    Names,
    /// The lines have no meaning: the file is known.
    Nothing,
}

/// The result of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum BlockStep {
    /// Another state, or the same.
    Go(BlockState),
    /// A complete block; the next state is [`BlockState::Outside`].
    Done(BlockRanges),
}

impl BlockState {
    /// Returns the next state.
    ///
    /// # Errors
    /// The fault of the line, if it is not permitted here.
    pub(super) fn step(self, line: &TextLine<'_>, between: LinesBetween) -> Result<BlockStep, BlockFault> {
        let marker = Marker::of(line.text);
        match self {
            Self::Outside => outside(marker, line, between).map(BlockStep::Go),
            Self::Head(head) => in_head(head, marker, line).map(BlockStep::Go),
            Self::Search(head, from) => in_search(head, from, marker, line).map(BlockStep::Go),
            Self::Replace(head, search, from) => in_replace(head, search, from, marker, line),
        }
    }

    /// Checks that the text may end here, after its last line.
    ///
    /// # Errors
    /// The marker that is missing.
    pub(super) fn finish(&self, last: u64) -> Result<(), BlockFault> {
        let missing = match self {
            Self::Outside => return Ok(()),
            Self::Head(_) | Self::Search(..) => SEPARATOR,
            Self::Replace(..) => REPLACE,
        };
        Err(BlockFault::at_end(FaultKind::End, last, missing))
    }
}

fn outside(marker: Marker<'_>, line: &TextLine<'_>, between: LinesBetween) -> Result<BlockState, BlockFault> {
    match marker {
        // A line that resembles the start or the end of a block is refused between blocks, too: it may be misspelt.
        Marker::Separator(_) | Marker::Conflict if between == LinesBetween::Nothing && !slips(line.text) => {
            Ok(BlockState::Outside)
        }
        Marker::Search(width) => {
            let head =
                BlockHead { width, indent: line.indent(), line: line.number, near: None, ended: false };
            Ok(BlockState::Head(head))
        }
        Marker::Separator(Width::Narrow) | Marker::Replace => {
            Err(BlockFault::new(FaultKind::Order, line, SEARCH))
        }
        Marker::Conflict => Err(BlockFault::new(FaultKind::Slip, line, SEARCH)),
        _ => Ok(BlockState::Outside),
    }
}

fn in_head(head: BlockHead, marker: Marker<'_>, line: &TextLine<'_>) -> Result<BlockState, BlockFault> {
    match marker {
        Marker::StartLine(given) => {
            let digits = given.bytes().all(|byte| byte.is_ascii_digit());
            let near: Option<u64> = given.parse().ok().filter(|_| digits);
            if near.is_none() || head.near.is_some() {
                return Err(BlockFault::of_line(FaultKind::Number, line));
            }
            Ok(BlockState::Head(BlockHead { near, ..head }))
        }
        Marker::EndLine if head.ended => Err(BlockFault::of_line(FaultKind::Number, line)),
        Marker::EndLine => Ok(BlockState::Head(BlockHead { ended: true, ..head })),
        Marker::Dashes(width) if width == Width::Narrow || width == head.width => {
            // Dashes also underline headings: without a line number above them, or with another indentation than the
            // block, they may be content.
            let marks = (head.near.is_some() || head.ended) && head.indent == line.indent();
            if marks {
                Ok(BlockState::Search(head, line.end()))
            } else {
                Err(BlockFault::of_line(FaultKind::Dashes, line))
            }
        }
        _ => in_search(head, line.start, marker, line),
    }
}

fn in_search(
    head: BlockHead,
    from: usize,
    marker: Marker<'_>,
    line: &TextLine<'_>,
) -> Result<BlockState, BlockFault> {
    match marker {
        Marker::Separator(width) if separates(width, &head) => {
            Ok(BlockState::Replace(head, from..line.start, line.end()))
        }
        Marker::Search(_) | Marker::Replace => Err(BlockFault::new(FaultKind::Order, line, SEPARATOR)),
        Marker::Conflict => Err(BlockFault::new(FaultKind::Conflict, line, SEPARATOR)),
        _ => Ok(BlockState::Search(head, from)),
    }
}

fn in_replace(
    head: BlockHead,
    search: Range<usize>,
    from: usize,
    marker: Marker<'_>,
    line: &TextLine<'_>,
) -> Result<BlockStep, BlockFault> {
    match marker {
        Marker::Replace => Ok(BlockStep::Done(BlockRanges { head, search, replace: from..line.start })),
        Marker::Search(_) => Err(BlockFault::new(FaultKind::Order, line, REPLACE)),
        Marker::Separator(width) if separates(width, &head) => {
            Err(BlockFault::new(FaultKind::Conflict, line, REPLACE))
        }
        Marker::Conflict => Err(BlockFault::new(FaultKind::Conflict, line, REPLACE)),
        Marker::StartLine(_) | Marker::EndLine => Err(BlockFault::new(FaultKind::LineMarker, line, REPLACE)),
        _ => Ok(BlockStep::Go(BlockState::Replace(head, search, from))),
    }
}

/// Returns true if a line of `=` separates the parts of a block. Eight `=` are content of a block that began with
/// seven `<`, since headings are underlined with any number of `=`.
fn separates(width: Width, head: &BlockHead) -> bool {
    width == Width::Narrow || width == head.width
}
