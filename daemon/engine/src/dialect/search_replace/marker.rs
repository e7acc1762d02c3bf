//! Classifies one line of a text as a marker or as content. It does not look at the lines around it.

use crate::cut::Cut;
use crate::locate::split_indent;

/// The marker at which a block starts, as messages show it.
pub(super) const SEARCH: &str = "<<<<<<< SEARCH";
/// The marker between SEARCH and REPLACE.
pub(super) const SEPARATOR: &str = "=======";
/// The marker that ends a block.
pub(super) const REPLACE: &str = ">>>>>>> REPLACE";

/// Characters of a narrow marker.
const NARROW: usize = 7;

/// The starts of content lines that must be escaped with a `\`.
const ESCAPABLE: [&str; 7] =
    ["<<<<<<<", "=======", ">>>>>>>", "-------", "+++++++", ":start_line:", ":end_line:"];

/// The number of characters of a marker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    /// Seven.
    Narrow,
    /// Eight.
    Wide,
}

/// The kinds of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Marker<'l> {
    /// `<<<<<<< SEARCH`, or `------- SEARCH` as Cline writes it.
    Search(Width),
    /// `=======`.
    Separator(Width),
    /// `>>>>>>> REPLACE`, or `+++++++ REPLACE` as Cline writes it.
    Replace,
    /// Seven `<` or `>` and other text: a line that a merge leaves behind, or a mistyped marker.
    Conflict,
    /// `:start_line:`, with the text after it.
    StartLine(&'l str),
    /// `:end_line:`.
    EndLine,
    /// `-------`.
    Dashes(Width),
    /// Anything else.
    Content,
}

impl<'l> Marker<'l> {
    /// Classifies a line, with or without its line break. An indented marker is a marker.
    pub(super) fn of(line: &'l str) -> Self {
        let line = trimmed(split_indent(line).1);
        match line.as_bytes().first() {
            Some(b'<') => angled(line, '<', " SEARCH", '>').map_or(Self::loose(line), Self::Search),
            Some(b'>') => angled(line, '>', " REPLACE", '<').map_or(Self::loose(line), |_| Self::Replace),
            Some(b'=') => ruled(line, '=').map_or(Self::Content, Self::Separator),
            Some(b'-') => match angled(line, '-', " SEARCH", '>') {
                Some(width) => Self::Search(width),
                None => ruled(line, '-').map_or(Self::Content, Self::Dashes),
            },
            Some(b'+') => angled(line, '+', " REPLACE", '>').map_or(Self::Content, |_| Self::Replace),
            Some(b':') => match line.strip_prefix(":start_line:") {
                Some(rest) => Self::StartLine(rest.trim()),
                None if line.starts_with(":end_line:") => Self::EndLine,
                None => Self::Content,
            },
            _ => Self::Content,
        }
    }

    fn loose(line: &str) -> Self {
        let loose = line.starts_with(cut_to_seven(SEARCH)) || line.starts_with(cut_to_seven(REPLACE));
        if loose { Self::Conflict } else { Self::Content }
    }
}

/// Returns a line without the white space and the break at its end.
pub(super) fn trimmed(line: &str) -> &str {
    line.trim_end_matches([' ', '\t', '\r', '\n'])
}

/// Returns the offset of the first `\` that escapes a marker; it is not part of the content. The indentation of the
/// marker may be on either side of it.
pub(super) fn escape_at(line: &str) -> Option<usize> {
    let bare = line.trim_start_matches(['\\', ' ', '\t']);
    let lead = line.cut(0..line.len() - bare.len());
    lead.find('\\').filter(|_| ESCAPABLE.iter().any(|start| bare.starts_with(start)))
}

/// Returns true if a line of seven or more signs may be meant as the start or the end of a block.
pub(super) fn slips(line: &str) -> bool {
    line.trim_start().starts_with('<') || line.to_ascii_uppercase().contains("REPLACE")
}

/// Returns true if a line is a fence around a text.
pub(super) fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn cut_to_seven(marker: &str) -> &str {
    marker.cut(0..NARROW)
}

fn width(count: usize) -> Option<Width> {
    match count {
        NARROW => Some(Width::Narrow),
        8 => Some(Width::Wide),
        _ => None,
    }
}

/// Returns the width of a marker with a word, after which `stray` is permitted.
fn angled(line: &str, sign: char, word: &str, stray: char) -> Option<Width> {
    let rest = line.trim_start_matches(sign);
    let after = rest.strip_prefix(word)?;
    let clean = trimmed(after.strip_prefix(stray).unwrap_or(after)).is_empty();
    if clean { width(line.len() - rest.len()) } else { None }
}

/// Returns the width of a marker that consists only of its sign.
fn ruled(line: &str, sign: char) -> Option<Width> {
    if line.len() > NARROW + 1 || !line.trim_start_matches(sign).is_empty() {
        return None;
    }
    width(line.len())
}
