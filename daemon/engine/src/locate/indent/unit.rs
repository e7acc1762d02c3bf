//! One step of indentation, and how many of them a line has. It never looks behind the leading white space.

use crate::limits;

/// The characters that indentation is made of.
pub(crate) const BLANKS: [char; 2] = [' ', '\t'];

/// A line's leading spaces and tabs, and the rest.
pub(crate) fn split_indent(line: &str) -> (&str, &str) {
    let rest = line.trim_start_matches(BLANKS);
    line.split_at_checked(line.len() - rest.len()).unwrap_or(("", line))
}

/// Whether a line has nothing but spaces and tabs.
pub(crate) fn is_blank(line: &str) -> bool {
    line.trim_matches(BLANKS).is_empty()
}

/// One step of indentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    /// A tab.
    Tab,
    /// So many spaces, at least one.
    Spaces(usize),
}

impl Unit {
    /// The step in which all these indentations are made: a tab, or as many spaces as divide them all. `None`
    /// where they mix, or where there is none.
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

    /// The unit of a file in which one step takes so many of these characters.
    pub(crate) fn of_file(kinds: Kinds, width: usize) -> Option<Self> {
        match (kinds, width) {
            (Kinds { tabs: true, spaces: false }, 1) => Some(Self::Tab),
            (Kinds { tabs: false, spaces: true }, 2 | 3 | 4 | 8) => Some(Self::Spaces(width)),
            _ => None,
        }
    }

    /// Bytes of one step.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::Tab => 1,
            Self::Spaces(width) => width.max(1),
        }
    }

    /// What it is made of.
    pub(crate) fn letter(self) -> char {
        match self {
            Self::Tab => '\t',
            Self::Spaces(_) => ' ',
        }
    }

    /// Whether both are tabs or both are spaces.
    pub(crate) fn is_kin(self, other: Self) -> bool {
        self.letter() == other.letter()
    }

    /// How many steps an indentation has; `None` where it is not made of them.
    pub(crate) fn depth(self, indent: &str) -> Option<usize> {
        let whole = indent.len().is_multiple_of(self.width());
        (whole && indent.chars().all(|c| c == self.letter())).then(|| indent.len() / self.width())
    }

    /// An indentation of so many steps, up to `limits::INDENT` bytes.
    pub(crate) fn times(self, depth: usize) -> Option<String> {
        let bytes = depth.checked_mul(self.width()).filter(|bytes| *bytes <= limits::INDENT)?;
        Some(self.letter().to_string().repeat(bytes))
    }
}

/// Which characters some indentation is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Kinds {
    /// Tabs are among them.
    pub(crate) tabs: bool,
    /// Spaces are among them.
    pub(crate) spaces: bool,
}

impl Kinds {
    /// Of one indentation.
    pub(crate) fn of(indent: &str) -> Self {
        Self { tabs: indent.contains('\t'), spaces: indent.contains(' ') }
    }

    /// Of both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { tabs: self.tabs || other.tabs, spaces: self.spaces || other.spaces }
    }

    /// Whether both characters are among them.
    pub(crate) fn is_mix(self) -> bool {
        self.tabs && self.spaces
    }
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
