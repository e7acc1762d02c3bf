//! The input and the output of the ladder: a quotation with its new text, the place that was found, and the reason
//! why a place cannot be taken. It finds nothing.

use std::ops::Range;

use editd_types::error::{ErrorCode, IndentReading};

use super::ladder::{Adapted, Rung};
use super::{Extent, Needle};
use crate::Refusal;
use crate::cut::Span;
use crate::refusal::{on_line, refuse};
use crate::text::{Breaks, Text, split_final_break};

/// A quotation to be found, and the ways in which it may be found.
#[derive(Clone, Debug)]
pub(crate) struct Quote<'a> {
    /// The quoted text, not empty.
    pub(crate) old: &'a str,
    /// Only whole lines; `old` is a list of lines then.
    pub(crate) whole_lines: bool,
    /// The 1-based line at which it should start.
    pub(crate) near: Option<u64>,
    /// Lines either way within which the only candidate is accepted.
    pub(crate) window: u64,
    /// The loosest rung allowed.
    pub(crate) loosest: Rung,
    /// The least similarity that the fuzzy rung accepts.
    pub(crate) threshold: f64,
    /// The new text of the edit.
    pub(crate) new_text: AdaptableText<'a>,
}

/// The new text of an edit with a quotation, as far as a rung may change it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AdaptableText<'a> {
    /// None, or one that no rung changes: from a clipboard, or indented explicitly.
    Nothing,
    /// It replaces the quotation.
    Instead(&'a str),
    /// It is inserted beside or between the quoted lines, at these points.
    Beside(&'a str, InsertionPoints<'a>),
}

/// A point of a quotation at which lines are inserted, as byte ranges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InsertionPoint {
    /// The quoted lines that are removed; empty for an insertion.
    pub(crate) removed: Span,
    /// The lines of the new text that are inserted.
    pub(crate) added: Span,
}

/// All points of a quotation at which lines are inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InsertionPoints<'a> {
    /// All lines at one point.
    One(InsertionPoint),
    /// Some lines at each of these points.
    Each(&'a [InsertionPoint]),
}

impl InsertionPoints<'_> {
    /// Returns every point, from the top.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &InsertionPoint> {
        match self {
            Self::One(point) => std::slice::from_ref(point).iter(),
            Self::Each(points) => points.iter(),
        }
    }
}

/// New lines that could be indented in several ways at the one place of a quotation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ReadingConflict {
    /// The offset of the quotation.
    pub(crate) at: usize,
    /// True if each reading would write a line left of the quoted lines.
    pub(crate) left: bool,
    /// The text that each reading would write.
    pub(crate) readings: Vec<IndentReading>,
}

impl ReadingConflict {
    /// Returns the refusal of the edit.
    pub(crate) fn refusal(self, text: &Text<'_>) -> Refusal {
        let line = text.line_of(self.at) as u64;
        let why = match self.left {
            true => "the new lines would land left of them",
            false => "the new lines can be indented in more than one way",
        };
        let message = format!(
            "the quoted lines are at line {line} with another indentation, and {why}; indent old and new text as the file does"
        );
        let mut error = on_line(line, refuse(ErrorCode::Ambiguous, message));
        error.readings = self.readings;
        error
    }
}

/// A place that was found.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Hit {
    /// The byte range; with `whole_lines`, without the last line's break.
    pub(crate) range: Range<usize>,
    /// The rung that found it.
    pub(crate) rung: Rung,
    /// Its distance in lines from `near`.
    pub(crate) moved: Option<i64>,
    /// The new text as the rung fits it to the place.
    pub(crate) adapted: Adapted,
}

/// A place that was found, but to which the new text cannot be fitted.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct UnfitPlace {
    /// The offset at which it starts.
    pub(crate) at: usize,
    /// The rung that found it.
    pub(crate) rung: Rung,
    /// The reason, and the advice.
    pub(crate) reason: &'static str,
}

impl<'a> Quote<'a> {
    /// Returns the text that the first rung looks up.
    pub(crate) fn needle(&self, breaks: Breaks) -> Needle<'a> {
        let text = if self.whole_lines { split_final_break(self.old, breaks).0 } else { self.old };
        Needle { text, extent: Extent::of(self) }
    }
}
