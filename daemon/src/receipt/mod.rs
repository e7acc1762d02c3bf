//! Who has read what: receipts as values. What a session has seen of a file moves with the changes that it has
//! made or been shown. Pure.
//!
//! A receipt holds the content that the session knows, as far as its own edits and what it was shown have moved it
//! (`hash`); the lines of that content that it has seen (`ranges`); and the numbers under which it was shown lines,
//! each with the content that the number refers to and the present place of the line (`numbered`). A read alone gives
//! numbers a new meaning: an edit moves the lines, and the numbers that the session read still refer to them.

pub mod lines;
pub mod numbered;
pub mod ranges;

use editd_engine::Splice;
use editd_proto::ids::ContentHash;
use editd_proto::path::WirePath;

use self::lines::{last_line, line_shifts};
use crate::store::record::{NumberedLines, ReadReceipt};
use crate::workspace::Who;

/// The ranges of a receipt for a file of which no line was shown: no line has the number 0.
pub const NO_LINES: (u64, u64) = (0, 0);

/// What a session has seen of one content, before it is somebody's receipt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReceiptContent {
    /// Which content; `None`: that nothing is there.
    pub hash: Option<ContentHash>,
    /// Which lines; all where empty.
    pub ranges: Vec<(u64, u64)>,
    /// The numbers under which lines were shown.
    pub numbered: Vec<NumberedLines>,
    /// When, milliseconds since 1970.
    pub time: u64,
}

/// Makes it a session's receipt for a path.
pub fn of(who: &Who, path: &WirePath, shown: ReceiptContent) -> ReadReceipt {
    of_session(&who.session, path, shown)
}

/// The same for a session by its name.
pub fn of_session(session: &str, path: &WirePath, shown: ReceiptContent) -> ReadReceipt {
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

/// The ranges of a receipt that covers these lines and no others.
fn only(ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    if ranges.is_empty() { vec![NO_LINES] } else { ranges }
}

/// The receipt after a change that its session made or was shown: lines that were seen are seen still, where
/// they stand now, and so are the new ones.
pub fn renewed(
    seen: &ReadReceipt,
    after: ContentHash,
    before: &[u8],
    splices: &[Splice],
    time: u64,
) -> ReceiptContent {
    let touched = || ranges::moved(&[NO_LINES], before, splices);
    let ranges = match seen.ranges.as_slice() {
        [] => Vec::new(),
        some => only(ranges::moved(some, before, splices)),
    };
    let numbered = numbered::moved(&seen.numbered, &line_shifts(before, splices));
    // A receipt of version 1 has lost the numbers of its reads: an edit must give them no other meaning.
    let lost = numbered.is_empty() && seen.ranges != [NO_LINES];
    let numbered = if lost { numbered } else { numbered::reported(&numbered, after, &touched(), time) };
    ReceiptContent { hash: Some(after), ranges, numbered, time }
}

/// The receipt for a file that its session had not seen, after it changed it: it knows what it wrote, and the
/// whole of a file that it wrote whole (`written` is that content). Numbers that it read earlier keep their meaning.
pub fn first(
    earlier: Option<&ReadReceipt>,
    after: ContentHash,
    (before, written): (&[u8], &[u8]),
    splices: &[Splice],
    time: u64,
) -> ReceiptContent {
    let replaced: usize = splices.iter().map(|splice| splice.old.len()).sum();
    let moved = ranges::moved(&[], before, splices);
    if replaced == before.len() {
        return whole(after, written, time);
    }
    let numbered = numbered::reported(&lost(earlier), after, &moved, time);
    ReceiptContent { hash: Some(after), ranges: only(moved), numbered, time }
}

/// The receipt for a content that was shown from its first to its last line.
pub fn whole(hash: ContentHash, content: &[u8], time: u64) -> ReceiptContent {
    let numbered = numbered::read(&[], hash, (1, last_line(content)), time);
    ReceiptContent { hash: Some(hash), ranges: Vec::new(), numbered, time }
}

/// The receipt for a path where nothing is.
pub const fn absent(time: u64) -> ReceiptContent {
    ReceiptContent { hash: None, ranges: Vec::new(), numbered: Vec::new(), time }
}

/// The receipt of a session for a content that others made of the one it knew: it has seen the lines that they left
/// alone, and those of `shown`, whose numbers count if it was shown no line under them before. `whole`: it was shown all
/// that they changed.
pub fn overtaken(
    seen: &ReadReceipt,
    now: ContentHash,
    (before, splices): (&[u8], &[Splice]),
    (shown, whole): (&[(u64, u64)], bool),
    time: u64,
) -> ReceiptContent {
    let kept = ranges::kept(&seen.ranges, before, splices);
    let ranges = match seen.ranges.is_empty() && whole {
        true => Vec::new(),
        false => only(ranges::union_with(kept, shown)),
    };
    let numbered = numbered::moved(&seen.numbered, &line_shifts(before, splices));
    let numbered = numbered::reported(&numbered, now, shown, time);
    ReceiptContent { hash: Some(now), ranges, numbered, time }
}

/// The numbers of an earlier receipt, of lines that may be anywhere by now.
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

/// The receipt of a session that knows a content and was shown some of its lines by a reply.
pub fn widened(seen: &ReadReceipt, shown: &[(u64, u64)], time: u64) -> ReceiptContent {
    let Some(hash) = seen.hash else { return absent(time) };
    let ranges = match seen.ranges.as_slice() {
        [] => Vec::new(),
        some => only(ranges::union_with(some.to_vec(), shown)),
    };
    let numbered = numbered::reported(&seen.numbered, hash, shown, time);
    ReceiptContent { hash: Some(hash), ranges, numbered, time }
}

/// The receipt of a read of some lines that adds to an earlier one; its lines are kept only if the content is the same.
pub fn added(
    earlier: Option<&ReadReceipt>,
    hash: ContentHash,
    lines: (u64, u64),
    time: u64,
) -> ReceiptContent {
    let same = earlier.filter(|seen| seen.hash == Some(hash));
    let ranges = match same {
        Some(seen) if seen.ranges.is_empty() => Vec::new(),
        Some(seen) => ranges::union_with(seen.ranges.clone(), &[lines]),
        None => vec![lines],
    };
    let known = same.map_or_else(|| lost(earlier), |seen| seen.numbered.clone());
    let numbered = numbered::read(&known, hash, lines, time);
    ReceiptContent { hash: Some(hash), ranges, numbered, time }
}
