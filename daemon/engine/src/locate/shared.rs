//! Lines that the quoted text and the new text share at either end: below `exact` what the file has there stays.
//! It finds no place, and never looks at lines in between.

use std::ops::Range;

use super::Quote;
use crate::cut::Cut;
use crate::text::{Breaks, Text, break_list, split_final_break};

/// A line's content and its break.
pub(crate) type LineParts<'l> = (&'l str, &'l str);

/// Returns the new text of a place at `matched`. The lines that `old` and `new` share at either end have the file's
/// content; `line` makes the others from their index and content. `None` if `line` returns none. `old` and `new` are
/// the quoted texts; each line of `old` is one of the file.
///
/// At the end of a file whose last line is open, the last break of `new` is dropped if the quote ends in a break.
pub(crate) fn keep_shared(
    text: &Text<'_>,
    quote: &Quote<'_>,
    (old, new): (&str, &str),
    matched: &Range<usize>,
    line: impl FnMut(usize, &str) -> Option<String>,
) -> Option<String> {
    let lists = (lines(old, text.breaks), lines(new, text.breaks));
    keep_shared_lines(text, quote, (&lists.0, &lists.1), matched, line)
}

/// Does the same as [`keep_shared`] for lists of lines.
pub(crate) fn keep_shared_lines(
    text: &Text<'_>,
    quote: &Quote<'_>,
    (quoted, given): (&[LineParts<'_>], &[LineParts<'_>]),
    matched: &Range<usize>,
    mut line: impl FnMut(usize, &str) -> Option<String>,
) -> Option<String> {
    let there = text.content.cut(matched.clone());
    let mut file = lines(there, text.breaks);
    // The place may end in a blank line without its break, which `lines` does not return.
    if file.len() + 1 == quoted.len() {
        file.push(("", ""));
    }
    let (head, tail) = if file.len() == quoted.len() { shared(quoted, given) } else { (0, 0) };
    let behind = given.len() - tail;
    let mut made = String::new();
    for (i, (content, ending)) in given.iter().enumerate() {
        let kept = if i < head {
            file.get(i)
        } else if i >= behind {
            file.get((i + quoted.len()).checked_sub(given.len())?)
        } else {
            None
        };
        match kept {
            Some((own, _)) => made.push_str(own),
            None => made.push_str(&line(i, content)?),
        }
        made.push_str(ending);
    }
    if quote.whole_lines && given.last().is_some_and(|(_, ending)| ending.is_empty()) {
        // In a list of lines, a blank last line counts only with its line break.
        made.push('\n');
    }
    let open = split_final_break(there, text.breaks).1.is_empty();
    if !quote.whole_lines && open && !split_final_break(quote.old, text.breaks).1.is_empty() {
        made.truncate(split_final_break(&made, text.breaks).0.len());
    }
    Some(made)
}

/// Returns the number of lines that two lists share at the start, and the number that the rest shares at the end.
fn shared(a: &[LineParts<'_>], b: &[LineParts<'_>]) -> (usize, usize) {
    let same = |(x, y): &(&LineParts<'_>, &LineParts<'_>)| x.0 == y.0;
    let head = a.iter().zip(b).take_while(same).count();
    let most = a.len().min(b.len()) - head;
    let tail = a.iter().rev().zip(b.iter().rev()).take(most).take_while(same).count();
    (head, tail)
}

/// Returns the lines of a text, each with its break; the last may have none.
pub(crate) fn lines(text: &str, breaks: Breaks) -> Vec<LineParts<'_>> {
    let mut from = 0;
    let mut list: Vec<LineParts<'_>> = Vec::new();
    for at in break_list(text, breaks) {
        list.push((text.cut(from..at.start), text.cut(at.clone())));
        from = at.end;
    }
    if from < text.len() {
        list.push((text.cut(from..text.len()), ""));
    }
    list
}
