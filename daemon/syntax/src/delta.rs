//! The difference between two versions of a text, in the form that a parser needs to use the tree of the older one.
//! Parses nothing.

use std::ops::Range;

use tree_sitter::{InputEdit, Point};

/// Bytes that are compared at once.
const BLOCK: usize = 256;

/// A changed range of a text: `new` bytes replace the `old` bytes at the offset `at`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextEdit {
    /// The offset in the text before the change, in bytes.
    pub at: usize,
    /// The number of bytes before the change.
    pub old: usize,
    /// The number of bytes after the change.
    pub new: usize,
}

/// Returns the number of bytes at the start of both texts that are equal.
pub(crate) fn shared_start(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let at = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let rest = one.iter().skip(at).zip(other.iter().skip(at));
    at + rest.take_while(|(one, other)| one == other).count()
}

/// Returns the number of bytes at the end of both texts that are equal.
pub(crate) fn shared_end(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks_exact(BLOCK).zip(other.rchunks_exact(BLOCK));
    let at = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let rest = one.iter().rev().skip(at).zip(other.iter().rev().skip(at));
    at + rest.take_while(|(one, other)| one == other).count()
}

/// Returns the changes that make `new` of `old`, in the order of the text and on character boundaries: the `known` ones
/// if they do, else one from the first to the last difference.
pub(crate) fn edits(old: &str, new: &str, known: Option<&[TextEdit]>) -> Vec<TextEdit> {
    if let Some(known) = known.filter(|known| make(old, new, known).is_some()) {
        return known.iter().filter(|edit| edit.old > 0 || edit.new > 0).copied().collect();
    }
    let (before, after) = (old.as_bytes(), new.as_bytes());
    let front = old.floor_char_boundary(shared_start(before, after));
    let shared = before.len().min(after.len()) - front;
    let mut back = shared_end(before, after).min(shared);
    while !old.is_char_boundary(before.len() - back) {
        back -= 1;
    }
    let edit = TextEdit { at: front, old: before.len() - front - back, new: after.len() - front - back };
    if edit.old == 0 && edit.new == 0 { Vec::new() } else { vec![edit] }
}

/// Checks that everything between the edits is the same in both texts, and that they are at characters.
fn make(old: &str, new: &str, edits: &[TextEdit]) -> Option<()> {
    let (mut from, mut to) = (0, 0);
    for edit in edits {
        let kept = old.get(from..edit.at)?;
        let end = to + kept.len();
        (new.get(to..end)? == kept).then_some(())?;
        (from, to) = (edit.at.checked_add(edit.old)?, end.checked_add(edit.new)?);
    }
    (old.get(from..)? == new.get(to..)?).then_some(())
}

/// Returns the ranges of the new text that the edits made.
pub(crate) fn made(edits: &[TextEdit]) -> Vec<Range<usize>> {
    let (mut from, mut to) = (0, 0);
    let range = |edit: &TextEdit| {
        let start = to + edit.at.saturating_sub(from);
        (from, to) = (edit.at + edit.old, start + edit.new);
        start..to
    };
    edits.iter().map(range).collect()
}

/// Returns the edits for a tree of the old text, the last one first, so that none moves another.
pub(crate) fn tree_edits(old: &str, new: &str, edits: &[TextEdit]) -> Vec<InputEdit> {
    let mut seen = (0, Point::new(0, 0));
    let mut placed = Vec::with_capacity(edits.len());
    for (edit, made) in edits.iter().zip(made(edits)) {
        let start = behind(seen.1, old.get(seen.0..edit.at));
        let old_end = edit.at + edit.old;
        let old_end_position = behind(start, old.get(edit.at..old_end));
        seen = (old_end, old_end_position);
        placed.push(InputEdit {
            start_byte: edit.at,
            old_end_byte: old_end,
            new_end_byte: edit.at + edit.new,
            start_position: start,
            old_end_position,
            new_end_position: behind(start, new.get(made)),
        });
    }
    placed.reverse();
    placed
}

/// Returns the position behind a text that starts at a position.
fn behind(start: Point, text: Option<&str>) -> Point {
    let text = text.unwrap_or_default().as_bytes();
    match memchr::memrchr(b'\n', text) {
        None => Point::new(start.row, start.column + text.len()),
        Some(last) => {
            let breaks = memchr::memchr_iter(b'\n', text).count();
            Point::new(start.row + breaks, text.len() - last - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(at: usize, old: usize, new: usize) -> TextEdit {
        TextEdit { at, old, new }
    }

    #[test]
    fn one_edit_reaches_from_the_first_to_the_last_difference() {
        for (old, new, expected) in [
            ("abc", "abc", vec![]),
            ("abc", "aXc", vec![edit(1, 1, 1)]),
            ("aa", "aaa", vec![edit(2, 0, 1)]),
            ("aaa", "aa", vec![edit(2, 1, 0)]),
            ("", "é", vec![edit(0, 0, 2)]),
            // The first and the last byte of these characters are equal.
            ("é", "è", vec![edit(0, 2, 2)]),
            ("xéy", "x\u{4a9}y", vec![edit(1, 2, 2)]),
        ] {
            assert_eq!(edits(old, new, None), expected, "{old} -> {new}");
        }
        let long = "line\n".repeat(1000);
        let changed = format!("{}X{}", &long[..2502], &long[2502..]);
        assert_eq!(edits(&long, &changed, None), [edit(2502, 0, 1)]);
    }

    #[test]
    fn known_edits_are_used_only_if_they_make_the_text() {
        let known = [edit(0, 1, 2), edit(3, 1, 0)];
        assert_eq!(edits("abcd", "XXbc", Some(&known)), known);
        assert_eq!(edits("abcd", "XXbcd", Some(&known)), [edit(0, 1, 2)]);
        assert_eq!(edits("ab", "XXb", Some(&[edit(0, 9, 2)])), [edit(0, 1, 2)]);
        assert_eq!(edits("éa", "xa", Some(&[edit(0, 1, 1)])), [edit(0, 2, 1)], "inside of a character");
    }

    #[test]
    fn places_of_a_tree_are_counted_in_lines_and_bytes() {
        let (old, new) = ("a\nb\nc\n", "a\nX\nYé\nc\n!");
        let known = [edit(2, 1, 5), edit(6, 0, 1)];
        let placed = tree_edits(old, new, &edits(old, new, Some(&known)));
        let ends: Vec<_> = placed
            .iter()
            .map(|edit| (edit.start_position, edit.old_end_position, edit.new_end_position))
            .collect();
        let at = Point::new;
        assert_eq!(ends, [(at(3, 0), at(3, 0), at(3, 1)), (at(1, 0), at(1, 1), at(2, 3))]);
        assert_eq!(made(&known), [2..7, 10..11]);
    }
}
