//! Rejects texts that would overflow the state of a grammar's scanner. The scanner does not check its bounds, so such a
//! text would crash the process or take time that no budget counts. Each count here is at least the scanner's own.

use crate::{Language, ParseError};

/// Maximum number of different indentation widths in a Python text. The scanner writes past its 1,024 bytes from about
/// 380 levels on, and each level has a width of its own. Python itself allows 100.
const WIDTHS: usize = 300;

/// Maximum length in bytes of the word that ends a Ruby heredoc. The scanner stores the length in one byte.
const WORD: usize = 200;

/// Maximum size in bytes of the state for all open Ruby heredocs: 4 bytes and the word for each. The scanner has 1,024
/// bytes.
const WORDS: usize = 800;

/// Maximum cost of HTML tags. At each token the scanner reads all open tags, which takes a few nanoseconds per tag.
const TAGS: usize = 30_000_000;

/// Approximate number of bytes of an HTML token.
const TOKEN: usize = 8;

/// Returns an error for a text that would overflow the state of its scanner.
pub(crate) fn allows(language: Language, text: &str) -> Result<(), ParseError> {
    let is_bounded = match language {
        Language::Python => widths(text) <= WIDTHS,
        Language::Ruby => heredocs_fit(text),
        Language::Html => tags_fit(text),
        _ => true,
    };
    if is_bounded { Ok(()) } else { Err(ParseError::TooDeep) }
}

/// Returns an upper bound for the number of indentation widths. A line of white space and a `\` continues in the next
/// line.
fn widths(text: &str) -> usize {
    let mut seen = std::collections::HashSet::new();
    let mut continued = 0;
    for line in text.split(['\n', '\r', '\x0C']) {
        let rest = line.trim_start_matches([' ', '\t']);
        let front = line.get(..line.len() - rest.len()).unwrap_or_default();
        seen.insert(front.bytes().map(|byte| if byte == b'\t' { 8 } else { 1 }).sum::<usize>());
        continued += usize::from(rest.starts_with('\\'));
    }
    seen.len() + continued
}

/// Returns true if the words of the open Ruby heredocs fit into the state of the scanner.
fn heredocs_fit(text: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut bytes = 0;
    for line in text.lines() {
        let ends = line.trim();
        if let Some(at) = open.iter().position(|word| *word == ends) {
            bytes -= open.remove(at).len() + 4;
        }
        let mut rest = line;
        while let Some(at) = rest.find("<<") {
            let behind = rest.get(at + 2..).unwrap_or_default();
            let word = word(behind.strip_prefix(['-', '~']).unwrap_or(behind));
            rest = behind.get(word.map_or(0, str::len)..).unwrap_or(behind);
            let Some(word) = word else { continue };
            bytes += word.len() + 4;
            if word.len() > WORD || bytes > WORDS {
                return false;
            }
            open.push(word);
        }
    }
    true
}

/// Returns the end word of a possible heredoc.
fn word(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'));
    let (from, end) = match quote {
        Some(quote) => (1, text.get(1..)?.find(quote).map_or(text.len(), |end| end + 1)),
        None => {
            (0, text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len()))
        }
    };
    let word = text.get(from..end)?;
    (quote.is_some() || !word.is_empty()).then_some(word)
}

/// Returns true if the cost of the HTML tags is within the limit. A tag that the next tag of the same name closes is
/// counted once.
fn tags_fit(text: &str) -> bool {
    let (mut depth, mut cost) = (0_usize, 0_usize);
    let mut last = "";
    for piece in text.split('<') {
        let name_end = piece.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(piece.len());
        let name = piece.get(..name_end).unwrap_or_default();
        if piece.starts_with('/') {
            depth = depth.saturating_sub(1);
            last = "";
        } else if !(name.is_empty() || is_void(name) || name == last && closes_itself(name)) {
            depth += 1;
            last = name;
        }
        cost += depth * (1 + piece.len() / TOKEN);
        if cost > TAGS {
            return false;
        }
    }
    true
}

fn is_void(name: &str) -> bool {
    let void = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
        "track", "wbr",
    ];
    void.iter().any(|tag| tag.eq_ignore_ascii_case(name))
}

fn closes_itself(name: &str) -> bool {
    ["li", "p", "td", "th", "tr", "dt", "dd", "option"].iter().any(|tag| tag.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::format_collect, reason = "texts of tests")]

    use super::*;

    fn is_refused(language: Language, text: &str) -> bool {
        allows(language, text).is_err()
    }

    #[test]
    fn levels_of_python_are_counted_by_their_widths() {
        let stairs = |levels: usize| -> String {
            (0..levels).map(|level| format!("{}if a:\n", " ".repeat(level))).collect()
        };
        assert!(!is_refused(Language::Python, &stairs(WIDTHS)));
        assert!(is_refused(Language::Python, &stairs(WIDTHS + 1)));
        assert!(is_refused(Language::Python, &" \\\n".repeat(WIDTHS)));
        assert!(!is_refused(Language::Python, &"if a:\n    b\n".repeat(10_000)));
    }

    #[test]
    fn heredocs_of_ruby_are_counted_while_they_are_open() {
        let long = "A".repeat(WORD + 1);
        assert!(is_refused(Language::Ruby, &format!("a <<~{long}\n{long}\n")));
        assert!(is_refused(Language::Ruby, &format!("a <<'{long}'\n{long}\n")));
        assert!(is_refused(Language::Ruby, &"a <<A\n".repeat(WORDS)));
        assert!(is_refused(Language::Ruby, &format!("a {}\n", "<<'' ".repeat(WORDS))));
        assert!(!is_refused(Language::Ruby, &"a <<~A, 1 << 2\n b\n A\n".repeat(10_000)));
    }

    #[test]
    fn open_tags_of_html_are_counted_at_each_token() {
        assert!(is_refused(Language::Html, &"<a>".repeat(100_000)));
        assert!(!is_refused(Language::Html, &"<p>a<br>".repeat(100_000)));
        assert!(!is_refused(Language::Html, &"<div><p>a</p></div>".repeat(100_000)));
    }
}
