//! The faults of a text, and their messages. It never corrects a text.

use editd_types::FilePath;

use super::machine::TextLine;
use super::marker::trimmed;
use crate::Refusal;
use crate::locate::excerpt;
use crate::refusal::malformed;

/// The form of a block, shown to callers that got it wrong.
pub(super) const FORM: &str = "A block is:
<<<<<<< SEARCH
:start_line:(line where the text starts; may be left out)
-------
(text to find)
=======
(text to put there)
>>>>>>> REPLACE
A line of the text that starts like a marker gets a backslash in front of it.";

/// A line that is not permitted at its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BlockFault {
    /// The kind of the fault.
    pub(super) kind: FaultKind,
    /// The number of the line; at an unexpected end, the number of the last line.
    pub(super) line: u64,
    /// The line, shortened.
    pub(super) marker: Option<String>,
    /// The marker that belongs there, if a marker does.
    pub(super) expected: Option<&'static str>,
}

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FaultKind {
    /// A marker that is out of order.
    Order,
    /// A line that resembles a marker where only `<<<<<<< SEARCH` may stand.
    Slip,
    /// An indented block without SEARCH text, which would show how its lines are indented.
    Indented,
    /// A conflict marker in the content that is not escaped.
    Conflict,
    /// A `:start_line:` or `:end_line:` in the REPLACE part.
    LineMarker,
    /// A `:start_line:` without a number, or a second one of its kind.
    Number,
    /// A `-------` at the start of the SEARCH part, with no number before it.
    Dashes,
    /// A block without any text.
    Empty,
    /// A block for no file.
    NoFile,
    /// The text ends within a block.
    End,
    /// There is no block at all.
    NoBlock,
}

impl BlockFault {
    /// Creates the fault of a line.
    pub(super) fn new(kind: FaultKind, line: &TextLine<'_>, expected: &'static str) -> Self {
        let marker = Some(excerpt(trimmed(line.text), 0));
        Self { kind, line: line.number, marker, expected: Some(expected) }
    }

    /// Creates the fault of a line for which no marker is expected with certainty.
    pub(super) fn of_line(kind: FaultKind, line: &TextLine<'_>) -> Self {
        Self { expected: None, ..Self::new(kind, line, "") }
    }

    /// Creates the fault of a whole block, at its first line.
    pub(super) fn of_block(kind: FaultKind, line: u64) -> Self {
        Self { kind, line, marker: None, expected: None }
    }

    /// Creates the fault of a text that ends too early, at its last line.
    pub(super) fn at_end(kind: FaultKind, line: u64, expected: &'static str) -> Self {
        Self { kind, line, marker: None, expected: Some(expected) }
    }

    /// Returns the refusal. `place` identifies the text if there are several.
    pub(super) fn refusal(self, place: &str, path: Option<&FilePath>) -> Refusal {
        let (line, expected) = (self.line, self.expected.unwrap_or_default());
        let marker = self.marker.as_deref().unwrap_or_default();
        let at = format!("line {line}{place}");
        let mut error = malformed(match self.kind {
            FaultKind::Order => {
                format!("{at}: found `{marker}`, expected `{expected}`; put the markers in order")
            }
            FaultKind::Slip => {
                format!(
                    "{at}: found `{marker}`, expected `{expected}`; write nothing else on the marker's line"
                )
            }
            FaultKind::Indented => format!(
                "{at}: the block is indented and its SEARCH part empty, so that the new lines may be indented by mistake; write its markers and lines without that indentation"
            ),
            FaultKind::Conflict => format!(
                "{at}: found `{marker}`, expected `{expected}`; put a backslash in front of it if it is content of the file"
            ),
            FaultKind::LineMarker => format!(
                "{at}: found `{marker}` in the REPLACE part; it belongs directly after `<<<<<<< SEARCH`, or takes a backslash if it is content of the file"
            ),
            FaultKind::Number => format!(
                "{at}: `{marker}` gives no line number, or is the second of its kind; correct it, or put a backslash in front of it if it is content of the file"
            ),
            FaultKind::Dashes => format!(
                "{at}: `{marker}` is below no `:start_line:`, or is indented otherwise than the block, so that it may be content of the file; put a backslash in front of it if it is, leave it out if not"
            ),
            FaultKind::Empty => format!(
                "{at}: the SEARCH and the REPLACE part are empty; quote what is to change, or put the content of a new file into the REPLACE part"
            ),
            FaultKind::NoFile => {
                format!(
                    "{at}: no file is named; put its path on a line before the block, or beside the payload"
                )
            }
            FaultKind::End => {
                format!("{at}: the text ends, expected `{expected}`; send the block to its end")
            }
            FaultKind::NoBlock => {
                format!("{at}: the text ends and holds no block, expected `{expected}`; send one")
            }
        });
        error.line = Some(line);
        error.marker = self.marker;
        error.expected_marker = self.expected.map(str::to_owned);
        error.path = path.cloned();
        error
    }
}
