//! Reads a text as a list of blocks. It reads no file: a line that may name one is passed on unchanged.

use std::borrow::Cow;
use std::ops::Range;

use super::fault::{BlockFault, FaultKind};
use super::machine::{BlockRanges, BlockState, BlockStep, LinesBetween, TextLine};
use super::marker::{SEARCH, escape_at, is_fence};
use crate::cut::Cut;

/// One block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Block<'t> {
    /// The name in the last line before the block that is outside blocks and neither blank nor a fence nor a rule.
    pub(super) named: Option<&'t str>,
    /// The number of the line of its first marker.
    pub(super) line: u64,
    /// The line at which its text should start.
    pub(super) near: Option<u64>,
    /// The lines to find, each with its break; empty if the block is the whole content of a new or empty file.
    pub(super) old: String,
    /// The lines that replace them, each with its break. Not empty if `old` is empty.
    pub(super) new: String,
}

/// Returns the blocks of a text whose first line has the number `first`; `between` is the meaning of its other lines.
///
/// # Errors
/// The first fault. A text without any block is a fault.
pub(super) fn blocks(text: &str, first: u64, between: LinesBetween) -> Result<Vec<Block<'_>>, BlockFault> {
    let (mut state, mut named, mut last) = (BlockState::Outside, None, first);
    let mut found = Vec::new();
    for line in lines(text, first) {
        last = line.number;
        state = match state.step(&line, between)? {
            BlockStep::Go(BlockState::Outside) => {
                named = name(line.text).or(named);
                BlockState::Outside
            }
            BlockStep::Go(state) => state,
            BlockStep::Done(outline) => {
                found.push(block(text, &outline, named)?);
                BlockState::Outside
            }
        };
    }
    state.finish(last)?;
    if found.is_empty() {
        return Err(BlockFault::at_end(FaultKind::NoBlock, last, SEARCH));
    }
    Ok(found)
}

/// Returns the number of complete blocks in a text that may still be growing, up to the first fault.
pub fn progress(text: &str) -> usize {
    let (mut state, mut count) = (BlockState::Outside, 0);
    for line in lines(text, 1) {
        state = match state.step(&line, LinesBetween::Nothing) {
            Ok(BlockStep::Go(state)) => state,
            Ok(BlockStep::Done(_)) => {
                count += 1;
                BlockState::Outside
            }
            Err(_) => break,
        };
    }
    count
}

/// Returns the lines of a text, with their breaks.
pub(super) fn lines(text: &str, first: u64) -> impl Iterator<Item = TextLine<'_>> {
    (first..).zip(text.split_inclusive('\n')).scan(0, |start, (number, text)| {
        let line = TextLine { number, text, start: *start };
        *start += text.len();
        Some(line)
    })
}

/// Returns the block with these ranges. A block without SEARCH lines creates or fills a file, so nothing in it is
/// corrected.
fn block<'t>(text: &'t str, outline: &BlockRanges, named: Option<&'t str>) -> Result<Block<'t>, BlockFault> {
    let part = |range: &Range<usize>| unescaped(text.cut(range.clone())).into_owned();
    let head = &outline.head;
    if outline.search.is_empty() {
        if outline.replace.is_empty() {
            return Err(BlockFault::of_block(FaultKind::Empty, head.line));
        }
        if head.indent > 0 {
            return Err(BlockFault::of_block(FaultKind::Indented, head.line));
        }
        if named.is_some_and(|name| !is_surely_path(name)) {
            return Err(BlockFault::of_block(FaultKind::NoFile, head.line));
        }
    }
    Ok(Block {
        named,
        line: head.line,
        near: head.near,
        old: part(&outline.search),
        new: part(&outline.replace),
    })
}

/// Returns a part of a block as it is written to the file: without the first `\` of each escaped line.
fn unescaped(part: &str) -> Cow<'_, str> {
    // Most parts have no escape, and are not read line by line.
    if !part.contains('\\') {
        return Cow::Borrowed(part);
    }
    let mut plain = String::with_capacity(part.len());
    for line in part.split_inclusive('\n') {
        match escape_at(line) {
            Some(at) => plain.extend([line.cut(0..at), line.cut(at + 1..line.len())]),
            None => plain.push_str(line),
        }
    }
    plain.into()
}

/// Returns true if a name is surely a path, so that no line of prose creates a file or seems to name another one.
pub(super) fn is_surely_path(name: &str) -> bool {
    let is_prose = name.contains(char::is_whitespace) || name.contains("://") || name.ends_with('.');
    name.contains(['/', '.']) && !is_prose
}

/// Returns the file that a line between blocks names, without the signs of a heading, of a list, of code or of bold text, and
/// without `File:`.
fn name(line: &str) -> Option<&str> {
    if is_fence(line) {
        return None;
    }
    let mut name = line.trim();
    let heading = name.trim_start_matches('#');
    if heading.starts_with([' ', '\t']) {
        name = heading.trim_start();
    }
    // `- src/a.rs`, `1. src/a.rs`, `File: src/a.rs`.
    let numbered = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let listed = name
        .strip_prefix("- ")
        .or_else(|| numbered.strip_prefix(". ").filter(|_| numbered.len() < name.len()));
    name = listed.unwrap_or(name).trim_start();
    if let Some((_, rest)) = name.split_at_checked(5).filter(|(word, _)| word.eq_ignore_ascii_case("File:")) {
        name = rest.trim_start();
    }
    loop {
        name = name.strip_suffix(':').unwrap_or(name).trim_end();
        let inner = ["**", "`", "*"].iter().find_map(|mark| name.strip_prefix(mark)?.strip_suffix(mark));
        match inner {
            Some(inner) => name = inner.trim(),
            None => break,
        }
    }
    // A blank line, an ellipsis or a rule names nothing.
    let bare = name.trim_matches(['.', '…', '-', '_', '*', '=', '#', '`', '~', ':']);
    if bare.is_empty() { None } else { Some(name) }
}
