//! Read receipts as values: the content that a session has seen of a file. A receipt is updated with the changes that
//! its session makes or is shown. Pure.
//!
//! A receipt has the content that the session knows, updated by its own edits and by replies (`hash`); the lines of
//! that content that it has seen (`ranges`); and the numbers under which it was shown lines, each with the content
//! that the number refers to and the present place of the line (`numbered`). Only a read gives numbers a new meaning:
//! an edit moves the lines, and the numbers that the session read still refer to them.

pub mod lines;
pub mod numbered;
pub mod ranges;

use editd_engine::Splice;
use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use self::lines::{SplicedContent, last_line, line_shifts};
use crate::caller::Caller;
use crate::record::{NumberedLines, ReadReceipt};

/// The ranges of a receipt for a file of which no line was shown: no line has the number 0.
pub const NO_LINES: (u64, u64) = (0, 0);

/// The content of a receipt, without session and path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReceiptContent {
    /// The hash of the content; `None` if there was no file.
    pub hash: Option<ContentHash>,
    /// The lines that were shown; empty if all were.
    pub ranges: Vec<(u64, u64)>,
    /// The numbers under which lines were shown.
    pub numbered: Vec<NumberedLines>,
    /// Milliseconds since 1970.
    pub time: u64,
}

/// A change of a content that a session made or was shown.
#[derive(Clone, Copy, Debug)]
pub struct KnownChange<'c> {
    /// The content before, and the splices that change it.
    pub before: SplicedContent<'c>,
    /// The content after.
    pub after: &'c [u8],
    /// The lines before, sorted, that the session quoted or replaced whole.
    pub quoted: &'c [(u64, u64)],
    /// The lines before, sorted, of which the new text has copies.
    pub copied: &'c [(u64, u64)],
}

impl<'c> KnownChange<'c> {
    /// Creates a change of which no quoted line is known.
    pub fn new((before, after): (&'c [u8], &'c [u8]), splices: &'c [Splice]) -> Self {
        Self { before: SplicedContent::new(before, splices), after, quoted: &[], copied: &[] }
    }

    /// Returns true if its lines have no place after the change: another line break ends them.
    fn breaks_lines(&self) -> bool {
        self.before.breaks_differ(self.after)
    }

    /// Returns the lines after the change whose numbers a reply tells, directly or as the neighbours of those that it
    /// names: the touched ones and the quoted ones.
    fn told_lines(&self) -> Vec<(u64, u64)> {
        let touched = ranges::touched(&self.before);
        match self.quoted {
            [] => touched,
            quoted => ranges::union_with(ranges::moved(quoted, &[], &self.before), &touched),
        }
    }

    /// Returns the place of the lines that the session knows after the change. `seen` are those that it had seen before.
    fn known_lines(&self, seen: &[(u64, u64)]) -> Vec<(u64, u64)> {
        if self.breaks_lines() {
            return vec![NO_LINES];
        }
        let known = ranges::union_with(seen.to_vec(), self.quoted);
        only(ranges::moved(&known, self.copied, &self.before))
    }
}

/// Makes it the receipt of a session for a path.
pub fn of(caller: &Caller, path: &FilePath, shown: ReceiptContent) -> ReadReceipt {
    of_session(&caller.session, path, shown)
}

/// Makes it the receipt of a session, given by its name, for a path.
pub fn of_session(session: &str, path: &FilePath, shown: ReceiptContent) -> ReadReceipt {
    let ReceiptContent { hash, ranges, numbered, time } = shown;
    ReadReceipt { session: session.to_owned(), path: path.clone(), hash, ranges, time, numbered }
}

/// Returns true if two receipts differ at most in their times.
pub fn says_the_same(one: &ReadReceipt, other: &ReadReceipt) -> bool {
    let number = |run: &NumberedLines| (run.hash, run.first, run.last, run.now);
    one.hash == other.hash
        && one.ranges == other.ranges
        && one.numbered.iter().map(number).eq(other.numbered.iter().map(number))
}

/// Returns the ranges of a receipt that covers these lines and no others.
fn only(ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    if ranges.is_empty() { vec![NO_LINES] } else { ranges }
}

/// Returns the receipt after a change that its session made or was shown: the seen and the quoted lines at their new
/// place, and the new lines that have no text of other lines.
pub fn renewed(
    seen: &ReadReceipt,
    after: ContentHash,
    change: &KnownChange<'_>,
    time: u64,
) -> ReceiptContent {
    let ranges = match seen.ranges.as_slice() {
        [] => Vec::new(),
        some => change.known_lines(some),
    };
    if change.breaks_lines() {
        return ReceiptContent { hash: Some(after), ranges, numbered: numbered::lost(&seen.numbered), time };
    }
    let numbered = numbered::moved(&seen.numbered, &line_shifts(&change.before));
    // A receipt of version 1 does not have the numbers of its reads: an edit must not give them another meaning.
    let lost = numbered.is_empty() && seen.ranges != [NO_LINES];
    let numbered =
        if lost { numbered } else { numbered::reported(&numbered, after, &change.told_lines(), time) };
    ReceiptContent { hash: Some(after), ranges, numbered, time }
}

/// Returns the receipt for a file that its session had not seen, after the session changed it: it covers the lines
/// that the session wrote or quoted, and the whole file if it wrote the whole file. Numbers that it read
/// earlier keep their meaning.
pub fn first(
    earlier: Option<&ReadReceipt>,
    after: ContentHash,
    change: &KnownChange<'_>,
    time: u64,
) -> ReceiptContent {
    let SplicedContent { bytes: before, splices, .. } = change.before;
    let replaced: usize = splices.iter().map(|splice| splice.old.len()).sum();
    if replaced == before.len() {
        return whole(after, change.after, time);
    }
    let told = if change.breaks_lines() { Vec::new() } else { change.told_lines() };
    let numbered = numbered::reported(&lost(earlier), after, &told, time);
    ReceiptContent { hash: Some(after), ranges: change.known_lines(&[]), numbered, time }
}

/// Returns the receipt of a session after its job changed a file. `had` is the hash of the content before, if there was a
/// file. `is_foreign`: the change may bring back text of another session, which this one does not know.
pub fn written(
    earlier: Option<&ReadReceipt>,
    (had, after): (Option<ContentHash>, ContentHash),
    change: &KnownChange<'_>,
    is_foreign: bool,
    time: u64,
) -> ReceiptContent {
    match earlier {
        // An undo of the changes since then.
        Some(seen) if seen.hash == Some(after) => unchanged(seen, time),
        Some(seen) if seen.hash == had && had.is_some() => match is_foreign {
            true => changed_by_others(seen, after, change, (&[], false), time),
            false => renewed(seen, after, change, time),
        },
        earlier if is_foreign => glimpsed(earlier, after, &[], time),
        earlier => first(earlier, after, change, time),
    }
}

/// Returns the receipt for a content that was shown completely.
pub fn whole(hash: ContentHash, content: &[u8], time: u64) -> ReceiptContent {
    let numbered = numbered::read(&[], hash, (1, last_line(content)), time);
    ReceiptContent { hash: Some(hash), ranges: Vec::new(), numbered, time }
}

/// Returns the same receipt, for a content that the session knows already.
pub fn unchanged(seen: &ReadReceipt, time: u64) -> ReceiptContent {
    ReceiptContent { hash: seen.hash, ranges: seen.ranges.clone(), numbered: seen.numbered.clone(), time }
}

/// Returns the receipt for a path without a file.
pub const fn absent(time: u64) -> ReceiptContent {
    ReceiptContent { hash: None, ranges: Vec::new(), numbered: Vec::new(), time }
}

/// Returns the receipt of a session for a content that another writer made of the known one: it covers the lines that
/// were left unchanged, and those of `shown`, whose numbers count if no line was shown under them before. `whole`:
/// all changed lines were shown.
pub fn changed_by_others(
    seen: &ReadReceipt,
    now: ContentHash,
    change: &KnownChange<'_>,
    (shown, whole): (&[(u64, u64)], bool),
    time: u64,
) -> ReceiptContent {
    if change.breaks_lines() && !(seen.ranges.is_empty() && whole) {
        return glimpsed(Some(seen), now, shown, time);
    }
    let kept = ranges::kept(&seen.ranges, &change.before);
    let ranges = match seen.ranges.is_empty() && whole {
        true => Vec::new(),
        false => only(ranges::union_with(kept, shown)),
    };
    let numbered = numbered::moved(&seen.numbered, &line_shifts(&change.before));
    let numbered = numbered::reported(&numbered, now, shown, time);
    ReceiptContent { hash: Some(now), ranges, numbered, time }
}

/// Returns the numbers of an earlier receipt, with lines that may be anywhere by now.
fn lost(earlier: Option<&ReadReceipt>) -> Vec<NumberedLines> {
    earlier.map_or_else(Vec::new, |seen| numbered::lost(&seen.numbered))
}

/// Returns the receipt of a session that was shown only some lines of a content.
pub fn glimpsed(
    earlier: Option<&ReadReceipt>,
    hash: ContentHash,
    shown: &[(u64, u64)],
    time: u64,
) -> ReceiptContent {
    let ranges = only(ranges::union(shown.to_vec()));
    let numbered = numbered::reported(&lost(earlier), hash, shown, time);
    ReceiptContent { hash: Some(hash), ranges, numbered, time }
}

/// Returns the receipt of a session that knows a content and was shown some of its lines in a reply. A receipt that
/// becomes too long does not lose the lines of `needed`: the session's next job edits them.
pub fn widened(seen: &ReadReceipt, shown: &[(u64, u64)], needed: &[(u64, u64)], time: u64) -> ReceiptContent {
    let Some(hash) = seen.hash else { return absent(time) };
    let ranges = match seen.ranges.as_slice() {
        [] => Vec::new(),
        some => {
            let is_needed =
                |seen: &&(u64, u64)| needed.iter().any(|lines| lines.0 <= seen.1 && seen.0 <= lines.1);
            let fresh: Vec<(u64, u64)> = shown.iter().chain(some.iter().filter(is_needed)).copied().collect();
            only(ranges::union_with(some.to_vec(), &fresh))
        }
    };
    let numbered = numbered::reported(&seen.numbered, hash, shown, time);
    ReceiptContent { hash: Some(hash), ranges, numbered, time }
}

/// Returns the receipt of a read of some lines, added to an earlier one, whose lines are kept only if the content is
/// the same. `end` is the last line that is known by that: it follows the lines that were read if these are the last ones
/// with text, and its number keeps an earlier meaning.
pub fn added(
    earlier: Option<&ReadReceipt>,
    hash: ContentHash,
    (lines, end): ((u64, u64), u64),
    time: u64,
) -> ReceiptContent {
    let same = earlier.filter(|seen| seen.hash == Some(hash));
    let ranges = match same {
        Some(seen) if seen.ranges.is_empty() => Vec::new(),
        Some(seen) => ranges::union_with(seen.ranges.clone(), &[(lines.0, end)]),
        None => vec![(lines.0, end)],
    };
    let known = same.map_or_else(|| lost(earlier), |seen| seen.numbered.clone());
    let numbered = numbered::read(&known, hash, lines, time);
    let numbered = numbered::reported(&numbered, hash, &[(lines.1 + 1, end)], time);
    ReceiptContent { hash: Some(hash), ranges, numbered, time }
}
