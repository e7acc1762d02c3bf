//! One step of indentation, and how many of them a line has. It never looks behind the leading white space.

use crate::limits;

/// The characters that indentation is made of.
pub(crate) const BLANKS: [char; 2] = [' ', '\t'];

/// Returns the leading spaces and tabs of a line, and the rest.
pub(crate) fn split_indent(line: &str) -> (&str, &str) {
    let rest = line.trim_start_matches(BLANKS);
    line.split_at_checked(line.len() - rest.len()).unwrap_or(("", line))
}

/// Returns true if a line has nothing but spaces and tabs.
pub(crate) fn is_blank(line: &str) -> bool {
    line.trim_matches(BLANKS).is_empty()
}

/// One step of indentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    /// A tab.
    Tab,
    /// This number of spaces, at least one.
    Spaces(usize),
}

impl Unit {
    /// Returns the step of all these indentations: a tab, or the greatest number of spaces that divides them all.
    /// `None` if tabs and spaces mix, or if there is no indentation.
    pub(crate) fn of<'l>(indents: impl Iterator<Item = &'l str>) -> Option<Self> {
        let (mut tabs, mut spaces) = (false, 0);
        for indent in indents.filter(|indent| !indent.is_empty()) {
            match Kinds::of(indent) {
                Kinds { tabs: true, spaces: false } => tabs = true,
                Kinds { tabs: false, spaces: true } => spaces = common_divisor(spaces, indent.len()),
                Kinds { .. } => return None,
            }
        }
        match (tabs, spaces) {
            (true, 0) => Some(Self::Tab),
            (false, 1..) => Some(Self::Spaces(spaces)),
            _ => None,
        }
    }

    /// Returns the unit of a file whose steps have this number of these characters.
    pub(crate) fn of_file(kinds: Kinds, width: usize) -> Option<Self> {
        match (kinds, width) {
            (Kinds { tabs: true, spaces: false }, 1) => Some(Self::Tab),
            (Kinds { tabs: false, spaces: true }, 2 | 3 | 4 | 8) => Some(Self::Spaces(width)),
            _ => None,
        }
    }

    /// Returns the number of bytes of one step.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::Tab => 1,
            Self::Spaces(width) => width.max(1),
        }
    }

    /// Returns the character of the step.
    pub(crate) fn letter(self) -> char {
        match self {
            Self::Tab => '\t',
            Self::Spaces(_) => ' ',
        }
    }

    /// Returns true if both are tabs or both are spaces.
    pub(crate) fn is_kin(self, other: Self) -> bool {
        self.letter() == other.letter()
    }

    /// Returns the number of steps of an indentation; `None` if it does not consist of such steps.
    pub(crate) fn depth(self, indent: &str) -> Option<usize> {
        let whole = indent.len().is_multiple_of(self.width());
        (whole && indent.chars().all(|c| c == self.letter())).then(|| indent.len() / self.width())
    }

    /// Returns an indentation of so many steps; `None` above `limits::INDENT` bytes.
    pub(crate) fn times(self, depth: usize) -> Option<String> {
        let bytes = depth.checked_mul(self.width()).filter(|bytes| *bytes <= limits::INDENT)?;
        Some(self.letter().to_string().repeat(bytes))
    }
}

/// The characters that some indentation consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Kinds {
    /// True if it has tabs.
    pub(crate) tabs: bool,
    /// True if it has spaces.
    pub(crate) spaces: bool,
}

impl Kinds {
    /// Returns the kinds of one indentation.
    pub(crate) fn of(indent: &str) -> Self {
        Self { tabs: indent.contains('\t'), spaces: indent.contains(' ') }
    }

    /// Returns the kinds of both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { tabs: self.tabs || other.tabs, spaces: self.spaces || other.spaces }
    }

    /// Returns true if it has both tabs and spaces.
    pub(crate) fn is_mix(self) -> bool {
        self.tabs && self.spaces
    }
}

pub(crate) fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
