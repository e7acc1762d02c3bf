//! Translates Python's regular expressions to those of `substitute`. Constructs with the same meaning stay; those
//! whose meaning would silently change are rewritten or refused. It checks nothing that the engine refuses anyway.
//!
//! Source: the syntax chapter of Python's `re`, against that of the crates `regex` and `fancy-regex`.

use std::fmt::Write;

use editd_types::ErrorCode;

use super::template::octal;
use crate::Refusal;
use crate::refusal::refuse;

/// Escapes of letters that both know and mean alike.
const SHARED: &str = "AbBdDsSwWafnrtvxuUpPz";

/// Translates the pattern; `verbose` if the flags of the payload contain it.
///
/// # Errors
/// `invalid_regex` for a construct that has no equivalent here.
pub(super) fn translate(pattern: &str, verbose: bool) -> Result<String, Refusal> {
    let leading = pattern.strip_prefix("(?").map_or("", |rest| rest.split(')').next().unwrap_or(""));
    let verbose = verbose || (leading.contains('x') && leading.bytes().all(|byte| byte.is_ascii_lowercase()));
    let mut reader =
        PatternTranslator { rest: pattern, out: String::with_capacity(pattern.len()), repeated: false };
    while let Some(letter) = reader.next() {
        let repeated = std::mem::take(&mut reader.repeated);
        match letter {
            '\\' => reader.escape()?,
            '[' => reader.class()?,
            '(' => reader.group()?,
            '{' => reader.brace(),
            '}' => reader.out.push_str("\\}"),
            '+' if repeated => {
                return Err(invalid(
                    "a repetition that never gives back (`++`, `*+`, `?+`, `}+`) is not known; use `(?>…)`",
                ));
            }
            '*' | '+' | '?' => {
                reader.out.push(letter);
                // A `?` behind a repetition makes it lazy, and is not a repetition itself.
                reader.repeated = !repeated;
            }
            '#' if verbose => {
                let end = reader.rest.find('\n').unwrap_or(reader.rest.len());
                reader.skip(end);
            }
            other => reader.out.push(other),
        }
    }
    Ok(reader.out)
}

fn invalid(why: &str) -> Refusal {
    refuse(ErrorCode::InvalidRegex, format!("`search` is not a regular expression here: {why}"))
}

struct PatternTranslator<'p> {
    rest: &'p str,
    out: String,
    /// True if a repetition stands directly before.
    repeated: bool,
}

impl PatternTranslator<'_> {
    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next();
        self.rest = letters.as_str();
        letter
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// Copies as many bytes.
    fn copy(&mut self, bytes: usize) {
        let (copied, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.out.push_str(copied);
        self.rest = rest;
    }

    fn hex(&mut self, letter: char) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "\\x{{{:x}}}", u32::from(letter));
    }

    /// Converts an escape outside a class, behind its backslash.
    fn escape(&mut self) -> Result<(), Refusal> {
        if let Some((letter, digits)) = octal(self.rest) {
            self.skip(digits);
            self.hex(letter);
            return Ok(());
        }
        let digits = self.rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            // Python reads two digits at most, whatever follows.
            self.out.push_str("(?:\\");
            self.copy(digits);
            self.out.push(')');
            return Ok(());
        }
        match self.next() {
            Some('Z') => self.out.push_str("\\z"),
            other => self.letter(other)?,
        }
        Ok(())
    }

    /// Returns an escape with the same meaning in a class and outside.
    fn letter(&mut self, letter: Option<char>) -> Result<(), Refusal> {
        match letter {
            None => self.out.push('\\'),
            Some(letter) if letter.is_ascii_alphanumeric() => {
                if !SHARED.contains(letter) {
                    return Err(invalid(&format!(
                        "`\\{letter}` has no meaning here; leave the backslash out"
                    )));
                }
                self.out.extend(['\\', letter]);
                // The braces of `\p{…}` and `\x{…}` are no repetition.
                if "pPxuU".contains(letter) && self.rest.starts_with('{') {
                    self.copy(self.rest.find('}').map_or(self.rest.len(), |end| end + 1));
                }
            }
            // `\<` and `\>` are word boundaries here, and plain characters in Python.
            Some(letter @ ('<' | '>')) => self.out.push(letter),
            Some(letter) if letter.is_ascii() => self.out.extend(['\\', letter]),
            Some(letter) => self.out.push(letter),
        }
        Ok(())
    }

    /// Converts a class, behind its opening bracket. In Python a class contains no other class and no operators,
    /// and white space counts.
    fn class(&mut self) -> Result<(), Refusal> {
        self.out.push('[');
        if self.rest.starts_with('^') {
            self.copy(1);
        }
        let (mut first, mut dash) = (true, false);
        while let Some(letter) = self.next() {
            let ends = letter == ']' && !first;
            let again = letter == '-' && (first || dash);
            dash = letter == '-' && !again;
            match letter {
                ']' if ends => {
                    self.out.push(']');
                    return Ok(());
                }
                '\\' if self.rest.starts_with('b') => {
                    self.skip(1);
                    self.hex('\u{8}');
                }
                '\\' => match octal(self.rest) {
                    Some((value, digits)) => {
                        self.skip(digits);
                        self.hex(value);
                    }
                    None => {
                        let letter = self.next();
                        self.letter(letter)?;
                    }
                },
                '-' if again => self.out.push_str("\\-"),
                '[' | ']' | '&' | '~' | '#' => self.out.extend(['\\', letter]),
                space if space.is_whitespace() => self.hex(space),
                other => self.out.push(other),
            }
            first = false;
        }
        Ok(())
    }

    /// Converts a group, behind its opening parenthesis.
    fn group(&mut self) -> Result<(), Refusal> {
        if self.rest.starts_with("?#") {
            let end = self.rest.find(')').ok_or_else(|| invalid("a comment `(?#` lacks its `)`"))?;
            self.skip(end + 1);
            return Ok(());
        }
        self.out.push('(');
        if let Some(condition) = self.rest.strip_prefix("?(") {
            let name = condition.split(')').next().unwrap_or("");
            let numbered = name.bytes().all(|byte| byte.is_ascii_digit());
            let (open, close) = if numbered { ("", "") } else { ("<", ">") };
            self.out.push_str(&["?(", open, name, close].concat());
            self.skip(2 + name.len());
            if self.rest.starts_with(')') {
                self.copy(1);
            }
        } else if self.rest.starts_with('?') {
            self.copy(1);
        }
        Ok(())
    }

    /// After an opening brace: a repetition, or in Python the letter itself.
    fn brace(&mut self) {
        let counts = |byte: &u8| byte.is_ascii_digit() || *byte == b',';
        let (inner, commas) = self
            .rest
            .bytes()
            .take_while(counts)
            .fold((0, 0), |(inner, commas), byte| (inner + 1, commas + usize::from(byte == b',')));
        if inner == 0 || commas > 1 || self.rest.as_bytes().get(inner) != Some(&b'}') {
            self.out.push_str("\\{");
            return;
        }
        self.out.push('{');
        if self.rest.starts_with(',') {
            self.out.push('0');
        }
        self.copy(inner + 1);
        self.repeated = true;
    }
}
