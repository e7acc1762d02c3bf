//! The facts of an operation that later steps ask for: the lines that it names, its quotation, the size of its text.
//! It finds no place.

use std::borrow::Cow;
use std::sync::Arc;

use editd_types::{EditPosition, EditScope};

use super::Op;

/// Lines that an edit names by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedLines {
    /// The 1-based number of the edit within its entry.
    pub edit: u64,
    /// First and last number; `last` = `first` - 1 is the place before line `first`.
    pub lines: (u64, u64),
    /// True for a place that the edit may name by the line in front of it.
    pub is_after: bool,
}

/// A quoted text, with the new text if that takes the place of the quotation.
pub type Quotation<'e> = (Cow<'e, str>, Option<Cow<'e, str>>);

impl Op {
    /// Returns the lines that it names by number. Every kind is listed: the numbers of a kind that is forgotten here would
    /// mean other lines once the file has changed.
    pub(crate) fn named_lines(&self) -> Option<(u64, u64)> {
        let scope = |scope: &EditScope| match scope {
            EditScope::Lines(lines) => Some(*lines),
            EditScope::Position(start) => {
                let line = start.line.saturating_add(1);
                Some((line, line))
            }
            EditScope::Symbol(_) => None,
        };
        match self {
            Self::Lines(op) => Some((op.start, op.end)),
            Self::Insert(op) => match &op.at {
                EditPosition::Line(line) => Some((*line, line.saturating_sub(1))),
                _ => None,
            },
            Self::Replace(op) => op.within.as_ref().and_then(scope),
            Self::Chunk(op) => op.within.as_ref().and_then(scope),
            Self::Substitute(op) => op.within.as_ref().and_then(scope),
            Self::Symbol(op) => scope(&op.symbol),
            Self::Hunk(op) => match op.at {
                Some(EditPosition::Line(line)) => Some((line, line.saturating_sub(1))),
                _ => None,
            },
            Self::Write(_) => None,
            Self::Create(_) | Self::Delete | Self::Rename(_) | Self::Copy(_) | Self::Chmod(_) => None,
        }
    }

    /// Returns true if it inserts lines after one that it may name by its number.
    pub(crate) fn is_after_line(&self) -> bool {
        matches!(self, Self::Lines(op) if op.end < op.start)
    }

    /// Returns its quotation; `None` if it quotes nothing that can be looked up as it stands.
    pub(crate) fn quotation(&self) -> Option<Quotation<'_>> {
        match self {
            Self::Replace(op) => Some(((&*op.old).into(), op.new.quoted().map(Cow::Borrowed))),
            Self::Chunk(op) => Some(((&*op.window.old).into(), Some((&*op.new).into()))),
            Self::Insert(op) => match &op.at {
                EditPosition::Before(anchor) | EditPosition::After(anchor) => {
                    Some((anchor.as_str().into(), None))
                }
                _ => None,
            },
            Self::Substitute(op) if !op.is_regex() => Some(((&*op.pattern).into(), None)),
            Self::Hunk(op) => {
                let (old, new) = op.sides();
                Some((old.into(), Some(new.into())))
            }
            _ => None,
        }
    }

    /// Returns the text that it quotes in the lines that it names: one place there.
    pub(crate) fn quoted_in_lines(&self) -> Option<&str> {
        self.named_lines()?;
        match self {
            Self::Replace(op) if !op.all => Some(&op.old),
            Self::Chunk(op) => Some(&op.window.old),
            _ => None,
        }
    }

    /// Returns the text of which it replaces every occurrence in the file.
    pub(crate) fn replaces_all(&self) -> Option<&str> {
        match self {
            Self::Replace(op) if op.all && op.within.is_none() => Some(&op.old),
            _ => None,
        }
    }

    /// Forgets the line near which its quotation stands.
    pub(crate) fn forget_line(&mut self) {
        match self {
            Self::Replace(op) => Arc::make_mut(op).matching.forget_line(),
            Self::Hunk(op) => Arc::make_mut(op).how.forget_line(),
            Self::Insert(op) => {
                if let Some(anchor) = &mut Arc::make_mut(op).anchor {
                    anchor.forget_line();
                }
            }
            _ => {}
        }
    }

    /// Returns true if the file must be parsed to find its place.
    pub(crate) fn needs_symbols(&self) -> bool {
        let by_symbol = |within: &Option<EditScope>| {
            within.as_ref().is_some_and(|within| !matches!(within, EditScope::Lines(_)))
        };
        match self {
            Self::Symbol(_) => true,
            Self::Replace(op) => by_symbol(&op.within),
            Self::Chunk(op) => by_symbol(&op.within),
            Self::Substitute(op) => by_symbol(&op.within),
            _ => false,
        }
    }

    /// Returns the bytes of the new text that it brings.
    pub(crate) fn text_bytes(&self) -> usize {
        let new = match self {
            Self::Replace(op) => Some(&op.new),
            Self::Insert(op) => Some(&op.text),
            Self::Write(op) => Some(&op.text),
            Self::Lines(op) => Some(&op.text),
            Self::Create(op) => Some(&op.text),
            Self::Symbol(op) => Some(&op.text),
            _ => None,
        };
        match self {
            Self::Chunk(op) => op.new.len(),
            Self::Hunk(op) => op.text_bytes(),
            Self::Substitute(op) => op.replacement.len(),
            _ => new.map_or(0, |text| text.given().len()),
        }
    }
}
