//! Joins the diffs of successive edits of a file into one, from its content before the first edit to that after the last.
//! Pure: it knows only the lines that the diffs show.

use std::collections::{BTreeMap, BTreeSet};

/// The lines around a change that a diff shows.
const AROUND: u64 = 3;

/// The mark of a diff for a last line without a line break.
const NO_BREAK: char = '\\';

/// A line of the present content.
#[derive(Clone)]
enum Line {
    /// A line of the content before the first edit, by its number.
    Old(u64),
    New(String),
}

/// A part of the present content.
enum Piece {
    /// Lines of the content before the first edit, from the first to the last.
    Old(u64, u64),
    New(String),
}

/// A hunk of a diff: the number of its first line, and its lines with the sign of each.
struct DiffHunk {
    first: u64,
    lines: Vec<(char, String)>,
}

/// A change of the first content: the number of its first line, the number of removed lines, and the new lines.
struct Change {
    at: u64,
    removed: u64,
    new: Vec<String>,
}

/// Returns one diff for several, each of which begins where the one before ends; `None` if they do not fit together.
pub(crate) fn joined(diffs: &[&str]) -> Option<String> {
    let (mut pieces, mut known) = (vec![Piece::Old(1, u64::MAX)], BTreeMap::new());
    for diff in diffs {
        // From the end, so that the numbers of the others stay right.
        for hunk in hunks(diff)?.iter().rev() {
            apply(&mut pieces, &mut known, hunk)?;
        }
    }
    let from = diffs.first()?.lines().find(|line| line.starts_with("--- "))?;
    let to = diffs.last()?.lines().find(|line| line.starts_with("+++ "))?;
    Some(format!("{from}\n{to}\n{}", shown(&changes(&pieces, &known), &known)))
}

/// Reads the hunks of a diff of one file.
fn hunks(diff: &str) -> Option<Vec<DiffHunk>> {
    let mut hunks: Vec<DiffHunk> = Vec::new();
    for line in diff.split_terminator('\n') {
        match (line.strip_prefix("@@ -"), hunks.last_mut()) {
            (Some(numbers), _) => {
                let range = numbers.split_once(' ')?.0;
                let (first, count) = range.split_once(',').unwrap_or((range, "1"));
                let first: u64 = first.parse().ok()?;
                hunks.push(DiffHunk { first: first + u64::from(count == "0"), lines: Vec::new() });
            }
            (None, None) => {}
            (None, Some(hunk)) if line.starts_with(NO_BREAK) => {
                let (_, last) = hunk.lines.last_mut()?;
                last.push('\n');
                last.push_str(line);
            }
            (None, Some(hunk)) => {
                let sign = line.chars().next().filter(|sign| matches!(sign, ' ' | '-' | '+'))?;
                hunk.lines.push((sign, line.get(1..)?.to_owned()));
            }
        }
    }
    Some(hunks)
}

/// Splits the content before a line. Returns the number of pieces before it.
fn split(pieces: &mut Vec<Piece>, line: u64) -> Option<usize> {
    let mut before = line.checked_sub(1)?;
    for at in 0..pieces.len() {
        let length = match pieces.get(at)? {
            Piece::New(_) => 1,
            Piece::Old(first, last) => (last - first).saturating_add(1),
        };
        match (before, pieces.get_mut(at)?) {
            (0, _) => return Some(at),
            (_, Piece::Old(first, last)) if before < length => {
                let (middle, end) = (*first + before, *last);
                *last = middle - 1;
                pieces.insert(at + 1, Piece::Old(middle, end));
                return Some(at + 1);
            }
            _ => before -= length,
        }
    }
    (before == 0).then_some(pieces.len())
}

/// Applies a hunk to the content. Returns `None` if its lines are not those of the content.
fn apply(pieces: &mut Vec<Piece>, known: &mut BTreeMap<u64, String>, hunk: &DiffHunk) -> Option<()> {
    let old = hunk.lines.iter().filter(|(sign, _)| *sign != '+').count();
    let start = split(pieces, hunk.first)?;
    let end = split(pieces, hunk.first + old as u64)?;
    let mut present: Vec<Line> = Vec::new();
    for piece in pieces.get(start..end)? {
        match piece {
            Piece::Old(first, last) => present.extend((*first..=*last).map(Line::Old)),
            Piece::New(text) => present.push(Line::New(text.clone())),
        }
    }
    let (mut present, mut after) = (present.into_iter(), Vec::new());
    for (sign, text) in &hunk.lines {
        if *sign == '+' {
            after.push(Piece::New(text.clone()));
            continue;
        }
        let line = present.next()?;
        let is_same = match &line {
            Line::Old(number) => known.entry(*number).or_insert_with(|| text.clone()) == text,
            Line::New(own) => own == text,
        };
        match (is_same, sign, line) {
            (false, ..) => return None,
            (_, '-', _) => {}
            (_, _, Line::Old(number)) => after.push(Piece::Old(number, number)),
            (_, _, Line::New(text)) => after.push(Piece::New(text)),
        }
    }
    pieces.splice(start..end, after);
    Some(())
}

/// Returns the changes that led to the content.
fn changes(pieces: &[Piece], known: &BTreeMap<u64, String>) -> Vec<Change> {
    let (mut out, mut next, mut new) = (Vec::new(), 1, Vec::new());
    for piece in pieces {
        match piece {
            Piece::New(text) => new.push(text.clone()),
            Piece::Old(first, last) => {
                let change = Change { at: next, removed: first - next, new: std::mem::take(&mut new) };
                out.extend(trimmed(change, known));
                next = last.saturating_add(1);
            }
        }
    }
    out
}

/// Returns a change without the lines at its start and end that are the same before and after; `None` if all are.
fn trimmed(mut change: Change, known: &BTreeMap<u64, String>) -> Option<Change> {
    while change.removed > 0 && change.new.first().is_some_and(|new| known.get(&change.at) == Some(new)) {
        change.new.remove(0);
        (change.at, change.removed) = (change.at + 1, change.removed - 1);
    }
    let last = |change: &Change| known.get(&(change.at + change.removed - 1)).cloned();
    while change.removed > 0 && change.new.last().is_some_and(|new| last(&change).as_ref() == Some(new)) {
        change.new.pop();
        change.removed -= 1;
    }
    (change.removed > 0 || !change.new.is_empty()).then_some(change)
}

/// Returns the hunks of changes, with the known lines around them.
fn shown(changes: &[Change], known: &BTreeMap<u64, String>) -> String {
    let mut around = BTreeSet::new();
    for Change { at, removed, .. } in changes {
        let end = at + removed;
        around.extend((at.saturating_sub(AROUND)..*at).rev().take_while(|line| known.contains_key(line)));
        around.extend((end..end + AROUND).take_while(|line| known.contains_key(line)));
    }
    for Change { at, removed, .. } in changes {
        (*at..at + removed).for_each(|line| {
            around.remove(&line);
        });
    }
    let mut parts: Vec<(u64, Option<&Change>)> = around.into_iter().map(|line| (line, None)).collect();
    parts.extend(changes.iter().map(|change| (change.at, Some(change))));
    parts.sort_by_key(|(line, change)| (*line, change.is_none()));
    let (mut out, mut text) = (String::new(), String::new());
    // The hunk: its first line, and its numbers of lines before and after.
    let (mut first, mut old, mut new, mut moved) = (0, 0, 0, 0_i64);
    for (line, change) in parts {
        if line != first + old {
            out.push_str(&hunk(first, old, new, moved, &text));
            moved += new.cast_signed() - old.cast_signed();
            (first, old, new) = (line, 0, 0);
            text.clear();
        }
        let removed = change.map_or(0, |change| change.removed);
        let sign = if change.is_none() { ' ' } else { '-' };
        for number in line..line + removed + u64::from(change.is_none()) {
            text.push_str(&format!("{sign}{}\n", known.get(&number).map_or("", String::as_str)));
            old += 1;
            new += u64::from(change.is_none());
        }
        for added in change.map_or(&[][..], |change| &change.new) {
            text.push_str(&format!("+{added}\n"));
            new += 1;
        }
    }
    out.push_str(&hunk(first, old, new, moved, &text));
    out
}

fn hunk(first: u64, old: u64, new: u64, moved: i64, text: &str) -> String {
    let range = |first: u64, count: u64| match count {
        0 => format!("{},0", first.saturating_sub(1)),
        1 => first.to_string(),
        _ => format!("{first},{count}"),
    };
    if text.is_empty() {
        return String::new();
    }
    let after = first.saturating_add_signed(moved);
    format!("@@ -{} +{} @@\n{text}", range(first, old), range(after, new))
}

#[cfg(test)]
mod tests {
    use super::joined;

    const HEAD: &str = "--- a/x\n+++ b/x\n";

    #[track_caller]
    fn join(diffs: &[&str], expected: &str) {
        let diffs: Vec<String> = diffs.iter().map(|diff| format!("{HEAD}{diff}")).collect();
        let diffs: Vec<&str> = diffs.iter().map(String::as_str).collect();
        assert_eq!(joined(&diffs), Some(format!("{HEAD}{expected}")));
    }

    #[test]
    fn changes_of_neighbouring_lines_are_one_hunk() {
        join(
            &[
                "@@ -1,3 +1,3 @@\n-a\n+A\n b\n c\n",
                "@@ -1,3 +1,4 @@\n A\n+new\n b\n c\n",
                "@@ -3,2 +3,2 @@\n b\n-c\n+C\n",
            ],
            "@@ -1,3 +1,4 @@\n-a\n+A\n+new\n b\n-c\n+C\n",
        );
    }

    #[test]
    fn a_text_between_two_edits_is_not_shown() {
        join(&["@@ -7 +7 @@\n-a\n+tmp\n", "@@ -7 +7 @@\n-tmp\n+b\n"], "@@ -7 +7 @@\n-a\n+b\n");
        join(&["@@ -7 +7 @@\n-a\n+tmp\n", "@@ -7 +7 @@\n-tmp\n+a\n"], "");
    }

    #[test]
    fn later_hunks_have_the_numbers_of_both_contents() {
        join(
            &[
                "@@ -20 +20,2 @@\n-t\n+T\n+U\n",
                "@@ -2 +1,0 @@\n-b\n",
                "@@ -30,0 +31 @@\n+end\n\\ No newline at end of file\n",
            ],
            "@@ -2 +1,0 @@\n-b\n@@ -20 +19,2 @@\n-t\n+T\n+U\n@@ -30,0 +31 @@\n+end\n\\ No newline at end of file\n",
        );
        join(&["@@ -0,0 +1 @@\n+a\n", "@@ -1,0 +2 @@\n+b\n"], "@@ -0,0 +1,2 @@\n+a\n+b\n");
    }

    #[test]
    fn diffs_that_do_not_fit_are_not_joined() {
        let diff = |hunk: &str| format!("{HEAD}{hunk}");
        assert_eq!(joined(&[&diff("@@ -7 +7 @@\n-a\n+b\n"), &diff("@@ -7 +7 @@\n-x\n+y\n")]), None);
    }
}
