//! The mapping from the indentation of a quoted text to that of the file, line by line. A line that it does not cover
//! has no result, and that fails the rung.

use super::gauge::Gauge;
use super::unit::{Kinds, Unit, is_blank, split_indent};
use crate::limits;

/// A consistent mapping of indentation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct IndentMapping {
    change: IndentChange,
    /// The kinds of characters that indent the lines of the file from which it was made.
    kinds: Kinds,
}

/// The change of the indentation of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum IndentChange {
    /// Replaces the start of the indentation.
    Shift {
        /// The start of every quoted line.
        search: String,
        /// The start of the lines in the file.
        file: String,
    },
    /// Replaces steps of indentation by steps of another width.
    Scale {
        /// A step of the quoted text.
        search: Unit,
        /// A step of the file.
        file: Unit,
        /// The number of steps by which the file is deeper.
        deeper: i64,
    },
}

impl IndentMapping {
    /// Creates a mapping for lines of a file with these kinds of indentation.
    pub(crate) fn new(change: IndentChange, kinds: Kinds) -> Self {
        Self { change, kinds }
    }

    /// Returns the mapping that explains each of these pairs of a quoted line and a line of the file, which differ
    /// only in the white space at their ends. Blank lines are ignored. `None` if no other line is left, or no single
    /// mapping explains all.
    pub(crate) fn between(pairs: &[(&str, &str)]) -> Option<Self> {
        let observed: Vec<(&str, &str)> = pairs
            .iter()
            .filter(|(search, _)| !is_blank(search))
            .map(|(search, file)| (split_indent(search).0, split_indent(file).0))
            .collect();
        let mut gauge = Gauge::new(Unit::of(observed.iter().map(|(search, _)| *search)));
        for (search, file) in observed {
            if !gauge.add(search, file) {
                return None;
            }
        }
        gauge.mapping()
    }

    /// Returns a new line with the file's indentation; a blank line is returned unchanged. `None` if the mapping does
    /// not cover the line, if tabs would mix with spaces though they do not in the file, or above `limits::INDENT`.
    pub(crate) fn line(&self, new: &str) -> Option<String> {
        let (indent, rest) = split_indent(new);
        if rest.is_empty() {
            return Some(new.to_owned());
        }
        let mapped = self.indent(indent)?;
        let kinds = self.kinds.and(Kinds::of(&mapped));
        if mapped.len() > limits::INDENT || (kinds.is_mix() && !self.kinds.is_mix()) {
            return None;
        }
        Some(mapped + rest)
    }

    /// Returns true if a line with this indentation in the file may have been moved together with the others. It then
    /// begins with the indentation that they got.
    pub(super) fn may_have_moved(&self, own: &str) -> bool {
        match &self.change {
            IndentChange::Shift { search, file } => {
                own.starts_with(file.strip_suffix(search.as_str()).unwrap_or(file))
            }
            IndentChange::Scale { file, deeper, .. } => {
                let steps = usize::try_from(*deeper).unwrap_or(0);
                own.chars().all(|c| c == file.letter())
                    && file.times(steps).is_some_and(|got| own.starts_with(&got))
            }
        }
    }

    /// Returns the same mapping with narrower steps, if these lines and the lines of the file are indented by parts
    /// of its own step; otherwise `None`. A mapping that also moves all lines has no parts of a step: an apparent
    /// part may be a first line that lost its indentation.
    pub(crate) fn with_narrower_steps<'l>(&self, lines: impl Iterator<Item = &'l str>) -> Option<Self> {
        let IndentChange::Scale { search: Unit::Spaces(wide), file: Unit::Spaces(there), deeper: 0 } =
            self.change
        else {
            return None;
        };
        let indents = lines.filter(|line| !is_blank(line)).map(|line| split_indent(line).0);
        let Unit::Spaces(narrow) = Unit::of(indents.chain([" ".repeat(wide).as_str()]))? else { return None };
        let parts = wide.checked_div(narrow).filter(|parts| *parts > 1 && narrow > 1)?;
        let file = Unit::of_file(self.kinds, there.checked_div(parts)?)?;
        let change = IndentChange::Scale { search: Unit::Spaces(narrow), file, deeper: 0 };
        there.is_multiple_of(parts).then_some(Self { change, kinds: self.kinds })
    }

    fn indent(&self, indent: &str) -> Option<String> {
        match &self.change {
            IndentChange::Shift { search, file } => {
                indent.strip_prefix(search.as_str()).map(|rest| format!("{file}{rest}"))
            }
            IndentChange::Scale { search, file, deeper } => match search.depth(indent) {
                Some(depth) => {
                    let depth = i64::try_from(depth).ok()?.checked_add(*deeper)?;
                    file.times(usize::try_from(depth).ok()?)
                }
                // Only the file's unit explains this indentation: the line was written for the file.
                None if !search.is_kin(*file) && file.depth(indent).is_some() => Some(indent.to_owned()),
                None => None,
            },
        }
    }
}
