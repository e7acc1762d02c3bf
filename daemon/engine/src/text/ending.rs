//! Converts the line breaks of inserted text to those of the file. It never adds or removes a break.

use std::ops::Range;

use super::model::Breaks;
use crate::cut::Cut;

/// Returns the line breaks of a text in order, as a file with these line endings contains them.
pub(crate) fn break_list(text: &str, breaks: Breaks) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(step) = memchr::memchr2(b'\n', b'\r', bytes.cut(at..bytes.len())) {
        let start = at + step;
        let paired = bytes.get(start) == Some(&b'\r') && bytes.get(start + 1) == Some(&b'\n');
        at = start + if paired { 2 } else { 1 };
        if paired || breaks == Breaks::Cr || bytes.get(start) == Some(&b'\n') {
            found.push(start..at);
        }
    }
    found
}

/// Returns a text without its final line break, and that break.
pub(crate) fn split_final_break(text: &str, breaks: Breaks) -> (&str, &str) {
    let width = match text.as_bytes() {
        [.., b'\r', b'\n'] => 2,
        [.., b'\n'] => 1,
        [.., b'\r'] if breaks == Breaks::Cr => 1,
        _ => 0,
    };
    let cut = text.len() - width;
    (text.cut(0..cut), text.cut(cut..text.len()))
}

/// Returns the inserted text and the number of changed breaks. Its k-th break becomes the k-th of `matched`, later
/// ones become the last of `matched`, and all become `fallback` if `matched` has none. Nothing changes if the file has
/// no break.
pub(crate) fn follow(inserted: &str, matched: &str, fallback: Option<&str>, breaks: Breaks) -> (String, u64) {
    let given = if breaks == Breaks::None { Vec::new() } else { break_list(inserted, breaks) };
    if given.is_empty() {
        return (inserted.to_owned(), 0);
    }
    let models = break_list(matched, breaks);
    let mut text = String::with_capacity(inserted.len() + given.len());
    let mut from = 0;
    let mut converted = 0;
    for (k, at) in given.into_iter().enumerate() {
        text.push_str(inserted.cut(from..at.start));
        let own = inserted.cut(at.clone());
        let model = models.get(k).or(models.last()).map(|range| matched.cut(range.clone()));
        let ending = model.or(fallback).unwrap_or(own);
        converted += u64::from(ending != own);
        text.push_str(ending);
        from = at.end;
    }
    text.push_str(inserted.cut(from..inserted.len()));
    (text, converted)
}
