//! Tests of line numbers: a number means the line that was shown under it, wherever that line is now.

use editd_engine::{Splice, apply};
use editd_proto::ids::ContentHash;
use proptest::prelude::*;

use super::super::lines::{SplicedContent, cut_lines, last_line, line_shifts};
use super::*;

fn hash(n: u8) -> ContentHash {
    ContentHash::from_bytes([n; 32])
}

fn shift(at: u64, removed: u64, added: u64) -> LineShift {
    LineShift { at, removed, added }
}

#[test]
fn a_run_without_lines_is_dropped() {
    let run = NumberedLines { hash: hash(1), first: 3, last: 1, now: Some(3), time: 0 };
    assert_eq!(moved(&[run], &[shift(1, 1, 1)]), []);
    let many: Vec<NumberedLines> = (1..100)
        .map(|first| NumberedLines { first: 3 * first, last: 3 * first + first % 2 - 1, ..run })
        .collect();
    assert_eq!(lost(&many).len(), NUMBERED);
}

#[test]
fn lines_behind_an_insertion_are_moved_and_lines_before_it_are_not() {
    let known = moved(&read(&[], hash(1), (1, 9), 0), &[shift(4, 0, 2)]);
    assert_eq!(meaning(&known, (1, 3), 9), NumberMeaning::Same);
    assert_eq!(
        meaning(&known, (5, 6), 9),
        NumberMeaning::Moved { read: hash(1), lines: (5, 6), now: Some((7, 8)) }
    );
    assert_eq!(
        meaning(&known, (3, 4), 9),
        NumberMeaning::Moved { read: hash(1), lines: (3, 4), now: None },
        "torn apart"
    );
    assert_eq!(
        meaning(&known, (4, 3), 9),
        NumberMeaning::Moved { read: hash(1), lines: (4, 3), now: Some((6, 5)) }
    );
    assert_eq!(meaning(&known, (12, 12), 9), NumberMeaning::Unknown);
}

#[test]
fn changed_lines_have_no_present_number() {
    let known = moved(&read(&[], hash(1), (1, 9), 0), &[shift(4, 1, 1)]);
    assert_eq!(meaning(&known, (4, 4), 9), NumberMeaning::Moved { read: hash(1), lines: (4, 4), now: None });
    assert_eq!(meaning(&known, (3, 5), 9), NumberMeaning::Moved { read: hash(1), lines: (3, 5), now: None });
    assert_eq!(meaning(&known, (5, 5), 9), NumberMeaning::Same);
    assert_eq!(
        meaning(&known, (5, 4), 9),
        NumberMeaning::Same,
        "the place before a line is known by that line"
    );
}

#[test]
fn the_newest_read_gives_a_number_its_meaning_and_a_reply_only_where_no_read_did() {
    let old = moved(&read(&[], hash(1), (1, 9), 0), &[shift(1, 0, 1)]);
    let known = read(&old, hash(2), (4, 5), 1);
    assert_eq!(meaning(&known, (4, 5), 9), NumberMeaning::Same);
    assert_eq!(
        meaning(&known, (6, 6), 9),
        NumberMeaning::Moved { read: hash(1), lines: (6, 6), now: Some((7, 7)) }
    );
    let known = reported(&known, hash(2), &[(1, 2), (9, 12)], 2);
    assert_eq!(
        meaning(&known, (1, 1), 9),
        NumberMeaning::Moved { read: hash(1), lines: (1, 1), now: Some((2, 2)) }
    );
    assert_eq!(meaning(&known, (10, 12), 9), NumberMeaning::Same);
}

#[test]
fn a_place_behind_the_last_line_that_was_shown_is_known_by_that_line() {
    let known = read(&[], hash(1), (3, 5), 0);
    assert_eq!(meaning(&known, (6, 5), 9), NumberMeaning::Same);
    assert_eq!(meaning(&known, (7, 6), 9), NumberMeaning::Unknown);
    let known = moved(&known, &[shift(1, 0, 2)]);
    assert_eq!(
        meaning(&known, (6, 5), 9),
        NumberMeaning::Moved { read: hash(1), lines: (6, 5), now: Some((8, 7)) }
    );
}

#[test]
fn the_place_after_the_last_line_is_no_line_that_was_inserted_there() {
    let known = read(&[], hash(1), (1, 1), 0);
    assert_eq!(meaning(&known, (2, 2), 1), NumberMeaning::Same);
    assert_eq!(meaning(&known, (2, 2), 2), NumberMeaning::Moved { read: hash(1), lines: (2, 2), now: None });
}

#[test]
fn lines_that_have_moved_count_more_than_numbers_that_are_unknown() {
    let known = moved(&read(&[], hash(1), (5, 6), 0), &[shift(1, 0, 2)]);
    let fifth_and_sixth = NumberMeaning::Moved { read: hash(1), lines: (5, 6), now: Some((7, 8)) };
    assert_eq!(meaning(&known, (4, 6), 9), fifth_and_sixth);
    assert_eq!(meaning(&known, (5, 9), 9), fifth_and_sixth);
    let known = reported(&known, hash(2), &[(3, 9)], 1);
    assert_eq!(meaning(&known, (4, 9), 9), fifth_and_sixth, "the others are of another content");
    let known = returned(&known, (5, 5));
    assert_eq!(
        meaning(&known, (4, 9), 9),
        NumberMeaning::Moved { read: hash(1), lines: (5, 6), now: None },
        "line 6 is not beside line 5"
    );
    assert_eq!(meaning(&returned(&known, (6, 6)), (4, 9), 9), NumberMeaning::Same);
    assert_eq!(meaning(&returned(&known, (6, 6)), (2, 6), 9), NumberMeaning::Unknown);
}

#[test]
fn very_many_runs_are_bounded() {
    let shifts: Vec<LineShift> = (1..500).map(|n| shift(n * 3, 1, 1)).collect();
    let known = moved(&read(&[], hash(1), (1, 5000), 0), &shifts);
    assert!(known.len() <= NUMBERED);
    assert_eq!(meaning(&known, (2000, 2100), 9), NumberMeaning::Same);
}

/// Contents with few different lines, so that many are equal.
fn content() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop_oneof!["a", "b", "c", "", "longer line"], 0..12)
        .prop_flat_map(|lines| (Just(lines.join("\n")), any::<bool>()))
        .prop_map(|(text, open)| if open || text.is_empty() { text } else { format!("{text}\n") })
}

proptest! {
    /// The line is, byte for byte, at the place that `meaning` returns, whatever the changes were.
    #[test]
    fn reported_line_numbers_are_correct(
        texts in proptest::collection::vec(content(), 2..5),
        first in 1u64..12,
        count in 0u64..4,
    ) {
        let (start, later) = texts.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        let start = start.as_bytes();
        let mut known = read(&[], hash(0), (1, last_line(start)), 0);
        let mut now = start.to_vec();
        for text in later {
            let splices: Vec<Splice> = editd_engine::splices_between(&now, text.as_bytes());
            known = moved(&known, &line_shifts(&SplicedContent::new(&now, &splices)));
            now = apply(&now, &splices).unwrap_or_default();
        }
        let asked = (first, first + count);
        let place = match meaning(&known, asked, last_line(&now)) {
            NumberMeaning::Same => Some((asked, asked)),
            NumberMeaning::Moved { lines, now, .. } => now.map(|now| (lines, now)),
            NumberMeaning::Unknown => None,
        };
        if let Some((asked, place)) = place {
            let bare = |text: &[u8]| String::from_utf8_lossy(text).trim_end_matches('\n').to_owned();
            prop_assert_eq!(bare(cut_lines(&now, place)), bare(cut_lines(start, asked)));
        }
    }
}

#[test]
fn a_number_of_the_empty_line_at_the_end_gets_the_meaning_of_a_line_shown_there() {
    let eight = read(&[], hash(1), (1, 9), 0);
    // Two lines came before line 5: the file has ten lines of text, and the empty one is the eleventh.
    let grown = moved(&eight, &[LineShift { at: 5, removed: 0, added: 2 }]);
    assert!(is_same(&grown, 4) && !is_same(&grown, 5));
    let shown = reported(&without_end(&grown, &[(9, 10)], 10), hash(2), &[(9, 10)], 1);
    assert_eq!(meaning(&shown, (9, 10), 11), NumberMeaning::Same);
    let kept = without_end(&grown, &[(7, 8)], 10);
    assert_eq!(kept, grown, "these are lines with text");
}
