//! Colours, and the escaping of control characters for a terminal.

use serde::Serialize;
use serde_json::Value;

use super::OutputStyle;

/// The meaning of a colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextStyle {
    /// Names and headings.
    Strong,
    /// Added text and successes.
    Good,
    /// Removed text and failures.
    Bad,
    /// Notices.
    Notice,
    /// Positions in a diff.
    Place,
    /// The changed part of an added line.
    GoodPart,
    /// The changed part of a removed line.
    BadPart,
}

impl TextStyle {
    const ALL: [Self; 7] =
        [Self::Strong, Self::Good, Self::Bad, Self::Notice, Self::Place, Self::GoodPart, Self::BadPart];

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

impl OutputStyle {
    /// Returns a text in a colour, if colours are used.
    pub fn paint(&self, paint: TextStyle, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", paint.code())
        } else {
            text.to_owned()
        }
    }

    /// Returns the content of a file: unchanged in a pipe, escaped on a terminal.
    pub fn content(&self, text: &str) -> String {
        if self.terminal { harmless(text, true) } else { text.to_owned() }
    }
}

/// Returns output for a terminal: each control character, each character that turns the text, and each byte that is not
/// text, is escaped. Line breaks and tabs remain, and with `colours` the colours of this program.
pub fn for_terminal(output: &[u8], colours: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(output.len());
    for chunk in output.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find('\x1b') {
            let (text, from) = rest.split_at(at);
            let colour = if colours { leading_colour(from) } else { 0 };
            out.extend_from_slice(harmless(text, true).as_bytes());
            let (escape, after) = from.split_at(colour.max(1));
            let shown = if colour > 0 { escape.to_owned() } else { harmless(escape, true) };
            out.extend_from_slice(shown.as_bytes());
            rest = after;
        }
        out.extend_from_slice(harmless(rest, true).as_bytes());
        chunk.invalid().iter().for_each(|byte| out.extend_from_slice(format!("\\x{byte:02x}").as_bytes()));
    }
    out
}

/// Returns JSON for a terminal, with the same meaning: characters that a terminal obeys and that JSON permits in a string
/// (DEL, C1 control characters, and those that turn the text) are escaped as `\u` and four digits.
pub fn json_for_terminal(output: &[u8]) -> Vec<u8> {
    let mut out = String::with_capacity(output.len());
    for letter in String::from_utf8_lossy(output).chars() {
        match letter {
            '\n' | '\t' => out.push(letter),
            _ if letter.is_control() || turns(letter) => {
                // All of them are in the basic plane.
                out.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            _ => out.push(letter),
        }
    }
    out.into_bytes()
}

/// Splits a text with colours of this program into runs of one style each. Another escape stays part of its run.
///
/// # Examples
/// ```
/// use editctl::show::letters::{TextStyle, runs};
/// assert_eq!(runs("a\x1b[32mb\x1b[0m"), [(None, "a"), (Some(TextStyle::Good), "b")]);
/// ```
pub fn runs(painted: &str) -> Vec<(Option<TextStyle>, &str)> {
    let (mut out, mut style, mut begun) = (Vec::new(), None, 0);
    for (at, _) in painted.match_indices('\x1b') {
        let (text, from) =
            (painted.get(begun..at).unwrap_or_default(), painted.get(at..).unwrap_or_default());
        let length = leading_colour(from);
        if length > 0 {
            out.push((style, text));
            let code = from.get(2..length - 1);
            style = TextStyle::ALL.into_iter().find(|style| Some(style.code()) == code);
            begun = at + length;
        }
    }
    out.push((style, painted.get(begun..).unwrap_or_default()));
    out.retain(|(_, text)| !text.is_empty());
    out
}

/// Returns the length of the colour of this program at the start of a text; 0 if there is none.
fn leading_colour(text: &str) -> usize {
    let codes = TextStyle::ALL.iter().map(|style| style.code()).chain(["0"]);
    let mut lengths = codes.map(|code| format!("\x1b[{code}m")).filter(|colour| text.starts_with(colour));
    lengths.next().map_or(0, |colour| colour.len())
}

/// Escapes a name or message that must stay on one line.
pub fn one_line(text: &str) -> String {
    harmless(text, false)
}

/// Escapes a message of several lines.
pub fn lines(text: &str) -> String {
    harmless(text, true)
}

/// Escapes control characters and characters that change the order of the displayed text.
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

/// Returns true for characters that change the text direction.
fn turns(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a value of an enumeration as it is written in the protocol.
pub fn word(of: impl Serialize) -> String {
    match serde_json::to_value(of) {
        Ok(Value::String(word)) => word,
        _ => String::from("unknown"),
    }
}

/// Returns `10-12`, or `40` for a single number.
pub fn range((first, last): (u64, u64)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}
