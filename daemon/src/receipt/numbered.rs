//! The line numbers that a session was shown, and the present place of the lines they refer to. Pure.
//!
//! *Invariants*: each number has one meaning, that of the newest read that showed a line under it; ascending, joined.
//! A number that no read has shown gets its meaning from a reply that shows it. Changes move the lines, but never
//! change the meaning.

use editd_proto::ids::ContentHash;

use super::lines::LineShift;
use crate::record::NumberedLines;

/// The most runs that a receipt keeps; beyond that the shortest one except the last is dropped, and its numbers must
/// be read again.
pub const NUMBERED: usize = 48;

/// The lines that a number or a range of numbers refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberMeaning {
    /// The lines are unchanged, under the same numbers.
    Same,
    /// Lines were moved or changed.
    Moved {
        /// The content that the numbers refer to.
        read: ContentHash,
        /// The numbers that refer to this content: all of them, or the first adjacent ones of which lines were moved or changed.
        lines: (u64, u64),
        /// The present numbers of those lines, if all are unchanged and adjacent.
        now: Option<(u64, u64)>,
    },
    /// The session was not shown any line under some of the numbers.
    Unknown,
}

/// Adds lines that were read; they replace earlier meanings of their numbers.
pub fn read(
    known: &[NumberedLines],
    hash: ContentHash,
    (first, last): (u64, u64),
    time: u64,
) -> Vec<NumberedLines> {
    let mut out = without(known, (first, last));
    out.push(NumberedLines { hash, first, last, now: Some(first), time });
    joined(out, &[(first, last)])
}

/// Adds lines that a reply showed; only numbers without a meaning get one.
pub fn reported(
    known: &[NumberedLines],
    hash: ContentHash,
    ranges: &[(u64, u64)],
    time: u64,
) -> Vec<NumberedLines> {
    let mut out = known.to_vec();
    for &(first, last) in ranges.iter().filter(|(first, last)| *first > 0 && first <= last) {
        let mut next = first;
        for run in known.iter().filter(|run| run.last >= first && run.first <= last) {
            if next < run.first {
                out.push(NumberedLines { hash, first: next, last: run.first - 1, now: Some(next), time });
            }
            next = next.max(run.last.saturating_add(1));
        }
        if next <= last {
            out.push(NumberedLines { hash, first: next, last, now: Some(next), time });
        }
    }
    joined(out, ranges)
}

/// Returns the meanings without the present places: the place of the lines is unknown.
pub fn lost(known: &[NumberedLines]) -> Vec<NumberedLines> {
    joined(known.iter().map(|run| NumberedLines { now: None, ..*run }).collect(), &[])
}

/// Returns the meanings, with lines that have their old content and their numbers again.
pub fn returned(known: &[NumberedLines], (first, last): (u64, u64)) -> Vec<NumberedLines> {
    let mut out = without(known, (first, last));
    for run in known.iter().filter(|run| run.last >= first && run.first <= last) {
        let from = run.first.max(first);
        out.push(NumberedLines { first: from, last: run.last.min(last), now: Some(from), ..*run });
    }
    joined(out, &[(first, last)])
}

/// Updates the present places after a change of the receipt's content.
pub fn moved(known: &[NumberedLines], shifts: &[LineShift]) -> Vec<NumberedLines> {
    let mut out = Vec::with_capacity(known.len() + shifts.len().min(NUMBERED));
    for run in known {
        let Some(start) = run.now else {
            out.push(*run);
            continue;
        };
        let Some(more) = run.last.checked_sub(run.first) else { continue };
        let end = start + more;
        let mut put = |from: u64, to: u64, now: Option<u64>| {
            let first = run.first + (from - start);
            out.push(NumberedLines { first, last: first + (to - from), now, ..*run });
        };
        let (mut from, mut ahead) = (start, 0_i64);
        for shift in shifts.iter().take_while(|shift| shift.at <= end) {
            if from < shift.at {
                put(from, shift.at - 1, Some(from.saturating_add_signed(ahead)));
                from = shift.at;
            }
            let touched = shift.at + shift.removed;
            if from < touched && from <= end {
                put(from, end.min(touched - 1), None);
                from = touched;
            }
            ahead = ahead.saturating_add_unsigned(shift.added).saturating_sub_unsigned(shift.removed);
        }
        if from <= end {
            put(from, end, Some(from.saturating_add_signed(ahead)));
        }
    }
    joined(out, &[])
}

/// Returns the meaning of the lines that an edit names: `last` = `first - 1` means the place before a line. `present` is
/// the number of the last line of the present content.
pub fn meaning(known: &[NumberedLines], (first, last): (u64, u64), present: u64) -> NumberMeaning {
    let end = known.last();
    // After the last line of a file whose last line has no break.
    let appends = end.filter(|end| first == last && first == end.last + 1);
    match appends {
        None if last >= first => return of_lines(known, first, last),
        // The place after the last line that was shown has become a line, which an edit would replace.
        Some(end) if first <= present => {
            return NumberMeaning::Moved { read: end.hash, lines: (first, last), now: None };
        }
        _ => {}
    }
    let shown = |line: u64| known.iter().any(|run| run.first <= line && line <= run.last);
    // A place between two lines is known from the line after it, otherwise from the line before it.
    if shown(first) || first < 2 {
        return match of_lines(known, first, first) {
            NumberMeaning::Moved { read, now, .. } => {
                let now = now.map(|(line, _)| (line, line - 1));
                NumberMeaning::Moved { read, lines: (first, last), now }
            }
            other => other,
        };
    }
    match of_lines(known, first - 1, first - 1) {
        NumberMeaning::Moved { read, now, .. } => {
            let now = now.map(|(line, _)| (line + 1, line));
            NumberMeaning::Moved { read, lines: (first, last), now }
        }
        other => other,
    }
}

/// Returns the meaning of the place after a line, if the line behind it is unchanged: the line itself may have moved.
pub fn after_line(known: &[NumberedLines], line: u64) -> NumberMeaning {
    match of_lines(known, line, line) {
        NumberMeaning::Moved { read, now: Some((now, _)), .. } if now != line => {
            NumberMeaning::Moved { read, lines: (line + 1, line), now: Some((now + 1, now)) }
        }
        _ => NumberMeaning::Same,
    }
}

/// Returns true if a number refers to an unchanged line that still has it.
pub fn is_same(known: &[NumberedLines], line: u64) -> bool {
    of_lines(known, line, line) == NumberMeaning::Same
}

/// Returns the meanings without those of some numbers (`shown`) that refer to no text: to the empty line that now follows the
/// last line with text (`end`). A reply that shows a line under such a number gives it that meaning.
pub fn without_end(known: &[NumberedLines], shown: &[(u64, u64)], end: u64) -> Vec<NumberedLines> {
    let mut out = known.to_vec();
    for run in known {
        let Some(start) = run.now else { continue };
        let first = run.first.saturating_add(end.saturating_add(1).saturating_sub(start));
        for (from, to) in shown.iter().map(|(from, to)| (first.max(*from), run.last.min(*to))) {
            if from <= to {
                out = without(&out, (from, to));
            }
        }
    }
    out
}

/// Returns the meaning of some lines. Lines that have moved count more than numbers that are unknown: what the session
/// knows is wrong already.
fn of_lines(known: &[NumberedLines], first: u64, last: u64) -> NumberMeaning {
    let mut next = first;
    let mut unknown = false;
    // The adjacent numbers of one content that were looked at last, with their present place.
    let mut current: Option<NumberedLines> = None;
    let meant = |part: NumberedLines| {
        let (lines, now) =
            ((part.first, part.last), part.now.map(|now| (now, now + (part.last - part.first))));
        (now != Some(lines)).then_some(NumberMeaning::Moved { read: part.hash, lines, now })
    };
    for run in known.iter().filter(|run| run.last >= first && run.first <= last) {
        let (from, to) = (run.first.max(first), run.last.min(last));
        let now = run.now.map(|start| start + (from - run.first));
        let is_next = from == next;
        unknown |= !is_next;
        next = to + 1;
        let before = match current.as_mut().filter(|part| is_next && part.hash == run.hash) {
            Some(part) => {
                let expected = part.now.map(|start| start + (from - part.first));
                part.now = part.now.filter(|_| now == expected);
                part.last = to;
                continue;
            }
            None => current.replace(NumberedLines { first: from, last: to, now, ..*run }),
        };
        if let Some(moved) = before.and_then(meant) {
            return moved;
        }
    }
    match current.map(meant) {
        Some(Some(moved)) => moved,
        Some(None) if !unknown && next > last => NumberMeaning::Same,
        _ => NumberMeaning::Unknown,
    }
}

/// Returns the runs without some numbers.
fn without(known: &[NumberedLines], (first, last): (u64, u64)) -> Vec<NumberedLines> {
    let mut out = Vec::with_capacity(known.len() + 2);
    for run in known {
        if run.first < first {
            out.push(NumberedLines { last: run.last.min(first - 1), ..*run });
        }
        if run.last > last {
            let from = run.first.max(last + 1);
            let now = run.now.map(|now| now + (from - run.first));
            out.push(NumberedLines { first: from, now, ..*run });
        }
    }
    out
}

/// Sorts, joins and limits the runs: those that were shown just now (`fresh`) and the last one are kept.
fn joined(mut runs: Vec<NumberedLines>, fresh: &[(u64, u64)]) -> Vec<NumberedLines> {
    // A receipt of an earlier version may have a run without lines.
    runs.retain(|run| run.first <= run.last);
    runs.sort_unstable_by_key(|run| run.first);
    let mut out: Vec<NumberedLines> = Vec::with_capacity(runs.len());
    for run in runs {
        match out.last_mut() {
            Some(last)
                if last.hash == run.hash
                    && last.last + 1 == run.first
                    && run.now == last.now.map(|now| now + (run.first - last.first)) =>
            {
                last.last = run.last;
            }
            _ => out.push(run),
        }
    }
    while out.len() > NUMBERED {
        let inner = out.split_last().map_or(&[][..], |(_, inner)| inner);
        let old = |run: &NumberedLines| !fresh.iter().any(|new| run.first <= new.1 && new.0 <= run.last);
        let shortest = inner.iter().enumerate().filter(|(_, run)| old(run));
        let shortest = shortest.min_by_key(|(_, run)| run.last - run.first).map(|(at, _)| at);
        let Some(at) = shortest else { break };
        out.remove(at);
    }
    out
}

#[cfg(test)]
mod tests;
