//! Iterates over the lines of the comments at the top of a file, in any language. It ends at the first line of code,
//! and does not parse the code.

use crate::cut::Cut;
use crate::limits;

/// The begin and end of block comments. A begin stands before any other begin that is its prefix.
const BLOCKS: &[(&str, &str)] = &[
    ("/*", "*/"),
    ("<!--", "-->"),
    ("<#", "#>"),
    ("(*", "*)"),
    ("{-", "-}"),
    ("{#", "#}"),
    ("--[[", "]]"),
    ("#|", "|#"),
    ("=begin", "=end"),
    ("\"\"\"", "\"\"\""),
    ("'''", "'''"),
];

/// The begins of line comments, in lower case. A `#` also begins a preprocessor line, such as the guard of a header.
const LEADERS: &[&str] =
    &["///", "//!", "//", "#", "--", ";", "%", "'", "!", "*", "rem ", "@rem ", "::", "dnl ", ".. "];

/// Lines other than comments that may stand before or between the first comments, in lower case.
const PREAMBLE: &[&str] = &["<?", "<!doctype", "package ", "\"use ", "@charset", "---", "{{", "syntax ="];

/// The comments at the top of a text.
pub(super) struct Comments<'t> {
    lines: std::iter::Take<std::str::Split<'t, [char; 2]>>,
    /// Only `<!-- … -->` is a comment.
    prose: bool,
    /// The end of the block comment that is open.
    open: Option<&'static str>,
    /// True between the fences of an example.
    fenced: bool,
}

impl<'t> Comments<'t> {
    pub(super) fn new(head: &'t str, prose: bool) -> Self {
        let lines = head.split(['\n', '\r']).take(limits::HEADER_LINES);
        Self { lines, prose, open: None, fenced: false }
    }

    /// Returns the text of a comment line, or `None` if the line is not a comment.
    fn comment(&mut self, line: &'t str) -> Option<&'t str> {
        if let Some(end) = self.open {
            let (inside, closed) = line.split_once(end).map_or((line, false), |(inside, _)| (inside, true));
            if closed {
                self.open = None;
            }
            return Some(inside);
        }
        for (begin, end) in BLOCKS.iter().filter(|(begin, _)| !self.prose || *begin == "<!--") {
            let Some(rest) = line.strip_prefix(begin) else { continue };
            return Some(match rest.split_once(end) {
                Some((inside, _)) => inside,
                None => {
                    self.open = Some(end);
                    rest
                }
            });
        }
        if self.prose {
            return None;
        }
        let lower = line.cut(0..line.len().min(8)).to_ascii_lowercase();
        let leader = LEADERS.iter().find(|leader| lower.starts_with(**leader))?;
        Some(line.cut(leader.len()..line.len()))
    }

    /// Returns the line without decoration, or an empty text if it is an example of a comment.
    fn plain(&mut self, comment: &'t str) -> &'t str {
        let inner = comment.trim();
        if inner.starts_with("```") {
            self.fenced = !self.fenced;
            return "";
        }
        let quoted = comment.starts_with([' ', '\t'])
            && ["//", "/*", "# ", "--"].iter().any(|leader| inner.starts_with(leader));
        if self.fenced || quoted {
            return "";
        }
        inner.trim_matches(|letter: char| letter.is_whitespace() || "*/#-=;%!~|".contains(letter))
    }
}

impl<'t> Iterator for Comments<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            let line = self.lines.next()?.trim();
            if line.is_empty() {
                return Some("");
            }
            if let Some(comment) = self.comment(line) {
                return Some(self.plain(comment));
            }
            let lower = line.cut(0..line.len().min(16)).to_ascii_lowercase();
            if !PREAMBLE.iter().any(|begin| lower.starts_with(begin)) {
                return None;
            }
        }
    }
}
