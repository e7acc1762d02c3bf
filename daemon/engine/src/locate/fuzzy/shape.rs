//! Texts as the fuzzy rung compares them, line by line: folded typographically, runs of blanks between words as one,
//! none at the end. Indentation counts as it is. It compares nothing.

use std::ops::ControlFlow;

use super::super::fold::plain;
use super::super::{Quote, fold_breaks};
use crate::text::{Breaks, split_final_break};

/// Spaces and tabs, as everywhere on the ladder, and what folds to them.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t') || (!c.is_ascii() && plain(c).is_some_and(|(plain, _)| plain == ' '))
}

/// Visits the characters of a line that count.
pub(super) fn each_char(line: &str, mut visit: impl FnMut(char) -> ControlFlow<()>) -> ControlFlow<()> {
    let line = line.trim_end_matches(is_blank);
    let (mut indented, mut gap) = (true, false);
    for c in line.chars() {
        if is_blank(c) {
            if indented {
                visit(if c == '\t' { c } else { ' ' })?;
            }
            gap = !indented;
            continue;
        }
        indented = false;
        if std::mem::take(&mut gap) {
            visit(' ')?;
        }
        if c.is_ascii() {
            visit(c)?;
        } else {
            let (plain, times) = plain(c).unwrap_or((c, 1));
            (0..times).try_for_each(|_| visit(plain))?;
        }
    }
    ControlFlow::Continue(())
}

/// Appends what counts of a line.
pub(super) fn push_line(line: &str, out: &mut String) {
    let done = each_char(line, |c| {
        out.push(c);
        ControlFlow::Continue(())
    });
    debug_assert!(done.is_continue(), "nothing stops it");
}

/// A text that is looked for.
#[derive(Clone, Debug)]
pub(super) struct FuzzyTarget {
    /// Its lines as they were quoted, joined by `\n`.
    quoted: String,
    /// The same as they count.
    pub(super) text: String,
    /// Characters of `text`.
    pub(super) chars: usize,
    /// Lines.
    pub(super) lines: usize,
}

impl FuzzyTarget {
    /// Returns the text that a quote looks for; `None` if no character of it counts.
    pub(super) fn of(quote: &Quote<'_>, breaks: Breaks) -> Option<Self> {
        let folded = fold_breaks(quote.old, breaks);
        let quoted = split_final_break(&folded, Breaks::Lf).0.to_owned();
        let mut text = String::with_capacity(quoted.len());
        let mut lines = 0;
        for line in quoted.split('\n') {
            if lines > 0 {
                text.push('\n');
            }
            push_line(line, &mut text);
            lines += 1;
        }
        let chars = text.chars().count();
        (text.len() >= lines).then_some(Self { quoted, text, chars, lines })
    }

    /// Returns each line in its quoted form and in the form that is compared.
    pub(super) fn each_line(&self) -> impl Iterator<Item = (&str, &str)> {
        self.quoted.split('\n').zip(self.text.split('\n'))
    }
}

/// Returns the lines of a range of a file, without their breaks.
pub(super) fn file_lines(stretch: &str, breaks: Breaks) -> impl Iterator<Item = &str> {
    stretch.split(char::from(breaks.stop())).map(move |line| match breaks {
        Breaks::Cr => line,
        _ => line.strip_suffix('\r').unwrap_or(line),
    })
}
