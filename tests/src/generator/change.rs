//! Changes that a person would make to a file: rename, change a literal, add, replace, delete, wrap or move lines.
//! The result follows from the lines alone; the wording of the edit is not decided here.

use std::ops::Range;

use fastrand::Rng;

use super::fragments;
use super::source::{SourceFile, indent};

/// A change of one place.
#[derive(Clone, Debug)]
pub(super) struct ChangeSite {
    /// The first line that gives way, counted from 0.
    pub(super) first: usize,
    /// The number of lines that are replaced; 0 inserts before `first`.
    pub(super) removed: usize,
    /// The lines that stand there then, without endings.
    pub(super) new: Vec<String>,
    /// The part of the one line that changes, where the edit may be said by that part alone.
    pub(super) phrase: Option<LinePart>,
}

/// A part of a line that gives way.
#[derive(Clone, Debug)]
pub(super) struct LinePart {
    /// Bytes of the line's text.
    pub(super) at: Range<usize>,
    /// The text that replaces it.
    pub(super) new: String,
}

impl ChangeSite {
    /// The lines that give way.
    pub(super) fn range(&self) -> Range<usize> {
        self.first..self.first + self.removed
    }
}

/// Kinds of change that insert only.
pub(super) fn insertion(source: &SourceFile, rng: &mut Rng) -> Option<ChangeSite> {
    if let Some(site) = real(source, rng).filter(|site| site.removed == 0) {
        return Some(site);
    }
    // After a last line without an ending there is no line to stand before.
    let first = rng.usize(0..source.lines.len());
    let new = fragments::made(source, &depth_at(source, first), rng);
    Some(ChangeSite { first, removed: 0, new, phrase: None })
}

/// Returns the indentation at which an author would write lines before a line: that of the line, or of the block that
/// it ends; one step deeper than the ends of an empty block.
fn depth_at(source: &SourceFile, first: usize) -> String {
    let filled = |line: &&super::source::SourceLine| !line.text.trim().is_empty();
    let above = source.lines[..first].iter().rev().find(filled).map_or("", |line| &line.text);
    let opens = above.trim_end().ends_with(['{', '(', '[']);
    let above = indent(above);
    let Some(below) = source.lines[first..].iter().find(filled) else { return above.to_owned() };
    let closes = below.text.trim_start().starts_with(['}', ')', ']']);
    let below = indent(&below.text);
    match closes {
        true if above == below && opens => above.to_owned() + &source.unit(),
        // Where tabs and spaces mix, a deeper line may have fewer characters.
        true if !below.starts_with(above) => above.to_owned(),
        _ => below.to_owned(),
    }
}

/// Returns a change that the authors made somewhere in the file, if one is known.
fn real(source: &SourceFile, rng: &mut Rng) -> Option<ChangeSite> {
    let most = source.changes.len();
    let site = (most > 0 && rng.usize(0..8) > 0).then(|| source.changes[rng.usize(0..most)].clone())?;
    let end = if source.is_open() { source.lines.len() - 1 } else { source.lines.len() };
    (site.first < end && site.range().end <= end).then_some(site)
}

/// Any change of whole lines.
pub(super) fn lines(source: &SourceFile, rng: &mut Rng) -> Option<ChangeSite> {
    let site = match rng.usize(0..8) {
        _ if !source.changes.is_empty() && rng.usize(0..8) > 0 => real(source, rng)?,
        0 => insertion(source, rng)?,
        1 => rename(source, rng)?,
        2 => replacement(source, rng)?,
        3 => deletion(source, rng)?,
        4 => wrapping(source, rng)?,
        5 => moving(source, rng)?,
        _ => ChangeSite { phrase: None, ..phrase(source, rng)? },
    };
    let same = site.new.len() == site.removed && site.new == source.texts(site.range());
    let at_open_end = source.is_open() && site.range().end == source.lines.len();
    (!same && (!at_open_end || !site.new.is_empty())).then_some(site)
}

/// A change within one line.
pub(super) fn phrase(source: &SourceFile, rng: &mut Rng) -> Option<ChangeSite> {
    let first = rng.usize(0..source.lines.len());
    let text = &source.lines[first].text;
    let at = match rng.usize(0..3) {
        0 => pick(words(text).collect(), rng)?,
        1 => pick(numbers(text).collect(), rng)?,
        _ => stretch(text, rng)?,
    };
    changed_phrase(source, first, at, rng)
}

/// A changed part of a line.
pub(super) fn changed_phrase(
    source: &SourceFile,
    first: usize,
    at: Range<usize>,
    rng: &mut Rng,
) -> Option<ChangeSite> {
    let text = &source.lines[first].text;
    let old = &text[at.clone()];
    let new = match rng.usize(0..5) {
        0 => format!("{old}_{}", rng.u8(2..99)),
        1 => format!("new_{old}"),
        2 if old.bytes().all(|b| b.is_ascii_digit()) => rng.u32(0..100_000).to_string(),
        3 => fragments::word(rng),
        _ => format!("{}({old})", fragments::word(rng)),
    };
    let line = [&text[..at.start], &new, &text[at.end..]].concat();
    (line != *text).then(|| ChangeSite {
        first,
        removed: 1,
        new: vec![line],
        phrase: Some(LinePart { at, new }),
    })
}

fn rename(source: &SourceFile, rng: &mut Rng) -> Option<ChangeSite> {
    let first = rng.usize(0..source.lines.len());
    let text = &source.lines[first].text;
    let word = text[pick(words(text).collect(), rng)?].to_owned();
    let removed = rng.usize(1..=6).min(source.lines.len() - first);
    let other = if rng.bool() { format!("{word}_inner") } else { fragments::word(rng) };
    let new = source.texts(first..first + removed).iter().map(|line| renamed(line, &word, &other)).collect();
    Some(ChangeSite { first, removed, new, phrase: None })
}

/// A line in which a word is another.
pub(super) fn renamed(line: &str, word: &str, other: &str) -> String {
    let mut made = String::new();
    let mut from = 0;
    for at in words(line).filter(|at| &line[at.clone()] == word) {
        made.push_str(&line[from..at.start]);
        made.push_str(other);
        from = at.end;
    }
    made + &line[from..]
}

fn replacement(source: &SourceFile, rng: &mut Rng) -> Option<ChangeSite> {
    let first = rng.usize(0..source.lines.len());
    if source.lines[first].text.trim().is_empty() {
        // How deep the new lines stand would be told by nothing.
        return None;
    }
    let base = indent(&source.lines[first].text);
    // A block: no line of it stands left of its first.
    let inside =
        |line: &&super::source::SourceLine| line.text.trim().is_empty() || line.text.starts_with(base);
    let block = source.lines[first..].iter().take_while(inside).count();
    let removed = rng.usize(1..=8).min(block.max(1));
    let new = fragments::made(source, base, rng);
    Some(ChangeSite { first, removed, new, phrase: None })
}

fn deletion(source: &SourceFile, rng: &mut Rng) -> Option<ChangeSite> {
    let first = rng.usize(0..source.lines.len());
    let removed = rng.usize(1..=10).min(source.lines.len() - first);
    Some(ChangeSite { first, removed, new: Vec::new(), phrase: None })
}

/// A few lines one level deeper, with a line around them.
fn wrapping(source: &SourceFile, rng: &mut Rng) -> Option<ChangeSite> {
    let first = rng.usize(0..source.lines.len());
    let removed = rng.usize(1..=6).min(source.lines.len() - first);
    let old = source.texts(first..first + removed);
    let base = indent(&old[0]).to_owned();
    let is_deeper = |line: &String| line.trim().is_empty() || line.starts_with(&base);
    let closes = old[0].trim_start().starts_with(['}', ')', ']']);
    if old[0].trim().is_empty() || closes || !old.iter().all(is_deeper) {
        return None;
    }
    let (head, foot) = fragments::around(source.language, rng);
    let unit = source.unit();
    let deeper = |line: &String| if line.trim().is_empty() { line.clone() } else { format!("{unit}{line}") };
    let mut new = vec![format!("{base}{head}")];
    new.extend(old.iter().map(deeper));
    new.extend(foot.map(|foot| format!("{base}{foot}")));
    Some(ChangeSite { first, removed, new, phrase: None })
}

/// A line some lines up or down.
fn moving(source: &SourceFile, rng: &mut Rng) -> Option<ChangeSite> {
    let first = rng.usize(0..source.lines.len());
    let removed = rng.usize(2..=8).min(source.lines.len() - first);
    let mut new = source.texts(first..first + removed);
    if rng.bool() {
        new.rotate_left(1)
    } else {
        new.rotate_right(1)
    }
    Some(ChangeSite { first, removed, new, phrase: None })
}

/// Returns the ranges of the words of a line that could be names.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    runs(text, |c| c.is_ascii_alphanumeric() || c == '_')
        .filter(|at| at.len() >= 3 && !text.as_bytes()[at.start].is_ascii_digit())
}

fn numbers(text: &str) -> impl Iterator<Item = Range<usize>> {
    runs(text, |c| c.is_ascii_digit())
}

/// A stretch of several words, as somebody would mark it.
fn stretch(text: &str, rng: &mut Rng) -> Option<Range<usize>> {
    let known: Vec<Range<usize>> = words(text).collect();
    let from = rng.usize(0..known.len().max(1));
    let to = (from + rng.usize(0..5)).min(known.len().checked_sub(1)?);
    Some(known.get(from)?.start..known.get(to)?.end)
}

fn runs(text: &str, belongs: fn(char) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(belongs)?;
        let end = text[start..].find(|c| !belongs(c)).map_or(text.len(), |len| start + len);
        at = end;
        Some(start..end)
    })
}

fn pick<T: Clone>(all: Vec<T>, rng: &mut Rng) -> Option<T> {
    (!all.is_empty()).then(|| all[rng.usize(0..all.len())].clone())
}

/// Returns the ranges of the words and numbers of a line.
pub(super) fn numbers_and_words(text: &str) -> Vec<Range<usize>> {
    words(text).chain(numbers(text)).collect()
}
