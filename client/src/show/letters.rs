//! Letters on a terminal: colours, and what is shown instead of letters that a terminal would obey.

use super::Look;

/// What a colour means here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Paint {
    /// Names and headings.
    Strong,
    /// What was added, and what went well.
    Good,
    /// What was removed, and what went wrong.
    Bad,
    /// What should be noticed.
    Notice,
    /// Places in a diff.
    Place,
    /// The changed part of an added line.
    GoodPart,
    /// The changed part of a removed line.
    BadPart,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Self::Strong => "1",
            Self::Good => "32",
            Self::Bad => "31",
            Self::Notice => "33",
            Self::Place => "36",
            Self::GoodPart => "7;32",
            Self::BadPart => "7;31",
        }
    }
}

impl Look {
    /// Text in a colour, where colours are wanted.
    pub(crate) fn paint(&self, paint: Paint, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", paint.code())
        } else {
            text.to_owned()
        }
    }

    /// Content of files: as it is in a pipe, harmless on a terminal.
    pub(crate) fn content(&self, text: &str) -> String {
        if self.terminal { harmless(text, true) } else { text.to_owned() }
    }
}

/// A name or message that must stay on its line, wherever it is printed.
pub(crate) fn one_line(text: &str) -> String {
    harmless(text, false)
}

/// A message of several lines, wherever it is printed.
pub(crate) fn lines(text: &str) -> String {
    harmless(text, true)
}

/// Escapes what a terminal would obey or what would make it show another order of letters than there is.
fn harmless(text: &str, lines: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => out.push(letter),
            '\n' if lines => out.push(letter),
            '\n' | '\r' => out.extend(letter.escape_default()),
            _ if letter.is_control() || turns(letter) => out.extend(letter.escape_unicode()),
            _ => out.push(letter),
        }
    }
    out
}

/// Letters that change the direction of those around them.
fn turns(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
