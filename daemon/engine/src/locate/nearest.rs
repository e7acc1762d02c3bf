//! Finds the windows of a file that are most similar to a quoted text that was not found, for a message. It reads the
//! file once, keeps little, and never decides the place of an edit.

use std::collections::HashMap;

use editd_types::error::NearMiss;
use editd_types::limits;

use super::fuzzy::Likeness;
use super::report::excerpt;
use super::score::{CHARS, LetterCounts, alike, shown};
use crate::cut::Cut;
use crate::splice::shared_start;
use crate::text::Text;

/// The number of places in the quoted text that one line may have, and of windows that are scored in the end.
const REPEATS: usize = 4;
const FINALISTS: usize = 8;
/// The number of lines of the file that are read.
const LINES: usize = 250_000;
/// The number of pairs of letters that are compared if no line is the same: some milliseconds.
const CLOSE_LOOK: usize = 4_000_000;
/// Below this a window is no help.
const USEFUL: f64 = 0.5;

/// Returns the nearest windows, best first: at most [`limits::NEAR_MISSES`].
pub(crate) fn windows(text: &Text<'_>, old: &str) -> Vec<NearMiss> {
    let target: Vec<&str> = old.lines().collect();
    let mut starts = by_equal_lines(text, &target);
    if starts.is_empty() {
        starts = by_letters(text, &target);
    }
    let likeness = Likeness::to(&target);
    let score = |start: usize| {
        // No rung found this window, so its score stays below 1.
        shown(likeness.of(&window(text, start, target.len())).min(0.99))
    };
    let mut found: Vec<(f64, usize)> = starts.into_iter().map(|start| (score(start), start)).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<(f64, usize)> = Vec::new();
    for (score, start) in found {
        let apart = |other: &(f64, usize)| other.1.abs_diff(start) >= target.len().max(1);
        if score >= USEFUL && kept.len() < limits::NEAR_MISSES && kept.iter().all(apart) {
            kept.push((score, start));
        }
    }
    kept.into_iter()
        .map(|(score, start)| {
            let mut lines = window(text, start, target.len());
            // A caller would quote the empty line behind the last break, which the file does not have.
            if lines.len() > 1 && text.line_start(start + lines.len()) == text.len() {
                lines.pop();
            }
            show((&lines, start), &target, score)
        })
        .collect()
}

/// The lines of a file, up to the maximum that is searched.
fn first_lines<'t>(text: &'t Text<'_>) -> impl Iterator<Item = &'t [u8]> {
    lines_from(text.content.as_bytes(), text.breaks.stop()).take(LINES)
}

/// Returns the lines of a content. Behind the last break is an empty one.
fn lines_from(content: &[u8], stop: u8) -> impl Iterator<Item = &[u8]> {
    let mut from = 0;
    let ends = memchr::memchr_iter(stop, content).chain(std::iter::once(content.len()));
    ends.map(move |end| {
        let line = content.cut(from..end);
        from = end + 1;
        line.strip_suffix(b"\r").unwrap_or(line)
    })
}

/// Returns lines of a file from this one on, counted from 0, of those that are searched.
fn window<'t>(text: &'t Text<'_>, start: usize, count: usize) -> Vec<&'t str> {
    let rest = text.content.cut(text.line_start(start + 1)..text.len());
    let count = count.min(LINES.saturating_sub(start));
    lines_from(rest.as_bytes(), text.breaks.stop()).take(count).map(as_text).collect()
}

/// Returns a line as text. Its ends are those of the text or beside a break, so it is valid.
fn as_text(line: &[u8]) -> &str {
    std::str::from_utf8(line).unwrap_or("")
}

/// Returns the first and the last letter of a line. Most lines of a file differ in these from the quoted lines, and
/// then need no further comparison.
fn ends(line: &[u8]) -> usize {
    let letters = line.trim_ascii();
    match (letters.first(), letters.last()) {
        (Some(first), Some(last)) => usize::from(*first) << 8 | usize::from(*last),
        _ => 0,
    }
}

/// Returns the hash of a line without its white space. Two lines with the same hash need not be equal: the hash only
/// selects places to look at, so a hash with one step for each byte is enough.
fn key(line: &[u8]) -> u64 {
    let letters = line.iter().filter(|byte| !byte.is_ascii_whitespace());
    letters
        .fold(0, |key: u64, byte| (key.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Starts of windows that have lines of the quoted text at the right distance, most such lines first.
fn by_equal_lines(text: &Text<'_>, target: &[&str]) -> Vec<usize> {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut known = vec![false; 1 << 16];
    // Most lines of a file are shorter than a line that is worth quoting, and are told apart by their length.
    let mut shortest = usize::MAX;
    for (j, line) in target.iter().enumerate() {
        let list = places.entry(key(line.as_bytes())).or_default();
        if list.len() < REPEATS && !line.trim().is_empty() {
            list.push(j);
            shortest = shortest.min(line.bytes().filter(|byte| !byte.is_ascii_whitespace()).count());
            if let Some(known) = known.get_mut(ends(line.as_bytes())) {
                *known = true;
            }
        }
    }
    let mut votes: HashMap<usize, u32> = HashMap::new();
    let is_known = |line: &[u8]| line.len() >= shortest && known.get(ends(line)) == Some(&true);
    let candidates = first_lines(text).enumerate().filter(|(_, line)| is_known(line));
    for (i, line) in candidates {
        for j in places.get(&key(line)).into_iter().flatten() {
            if let Some(start) = i.checked_sub(*j) {
                *votes.entry(start).or_default() += 1;
            }
        }
    }
    let mut ranked: Vec<(u32, usize)> = votes.into_iter().map(|(start, count)| (count, start)).collect();
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().take(FINALISTS).map(|(_, start)| start).collect()
}

/// Starts of windows whose first line is most like the first line of the quoted text that is not blank.
fn by_letters(text: &Text<'_>, target: &[&str]) -> Vec<usize> {
    let Some((j, first)) = target.iter().enumerate().find(|(_, line)| !line.trim().is_empty()) else {
        return Vec::new();
    };
    let letters = LetterCounts::of(first);
    let mut left = CLOSE_LOOK;
    let mut ranked: Vec<(f64, usize)> = Vec::new();
    for (i, line) in first_lines(text).map(as_text).enumerate() {
        let Some(start) = i.checked_sub(j) else { continue };
        left = left.saturating_sub(line.len().min(CHARS));
        if letters.likeness_of_length(line) < USEFUL || LetterCounts::of(line).likeness(&letters) < USEFUL {
            continue;
        }
        left = left.saturating_sub(line.len().min(CHARS) * first.len().min(CHARS));
        if left == 0 {
            break;
        }
        let score = alike(line, first);
        if score >= USEFUL {
            ranked.push((score, start));
        }
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().take(FINALISTS).map(|(_, start)| start).collect()
}

/// Returns lines of a window, `lines` from line `start` on: the first ones, or, if these equal the quoted lines, the ones
/// around the first that differs.
fn show((lines, start): (&[&str], usize), target: &[&str], score: f64) -> NearMiss {
    let differs = lines.iter().zip(target).take_while(|(there, target)| there == target).count();
    let above = if differs < limits::NEAR_MISS_LINES { 0 } else { differs - limits::NEAR_MISS_LINES / 2 };
    let count = target.len().saturating_sub(above).clamp(1, limits::NEAR_MISS_LINES);
    let text = lines
        .iter()
        .enumerate()
        .skip(above)
        .take(count)
        .map(|(j, line)| {
            let target = target.get(j).copied().unwrap_or("");
            let unseen = *line != target && visible(line) == visible(target);
            let line = excerpt(line, shared_start(line.as_bytes(), target.as_bytes()));
            format!("{} | {}\n", start + j + 1, if unseen { reveal(&line) } else { line })
        })
        .collect();
    let here = lines.get(differs).map(|_| (start + differs) as u64 + 1);
    let there = lines.get(differs).copied().unwrap_or("");
    let quoted = target.get(differs).map(|line| {
        let unseen = *line != there && visible(line) == visible(there);
        let line = excerpt(line, shared_start(line.as_bytes(), there.as_bytes()));
        if unseen { reveal(&line) } else { line }
    });
    NearMiss { line: start as u64 + 1, text, score, differs: here.filter(|_| quoted.is_some()), quoted }
}

/// Returns the visible characters of a line.
fn visible(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace() && !c.is_control() && !invisible(*c)).collect()
}

fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Writes out the invisible characters of a line: tabs, unusual blanks, and plain blanks at its ends as `·`.
fn reveal(line: &str) -> String {
    let plain = |c: char| c == ' ';
    let lead = line.len() - line.trim_start_matches(|c: char| c.is_whitespace()).len();
    let tail = line.trim_end_matches(|c: char| c.is_whitespace()).len();
    line.char_indices()
        .map(|(at, c)| match c {
            '\t' => "\\t".to_owned(),
            '\r' => "\\r".to_owned(),
            c if plain(c) && (at < lead || at >= tail) => "·".to_owned(),
            c if !plain(c) && (c.is_whitespace() || c.is_control() || invisible(c)) => {
                format!("\\u{{{:04x}}}", u32::from(c))
            }
            c => c.to_string(),
        })
        .collect()
}
