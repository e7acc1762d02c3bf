//! Tests of the merge: what is disjoint is merged in either order, what touches conflicts, and nothing that others
//! wrote is lost.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use editd_types::ErrorCode;
use proptest::prelude::*;

use super::merge;
use crate::{Splice, apply, splices_between};

fn merged(base: &str, wanted: &str, current: &str) -> Result<String, crate::Refusal> {
    let splices = splices_between(base.as_bytes(), wanted.as_bytes());
    let splices = merge(base.as_bytes(), &splices, current.as_bytes(), None)?;
    Ok(String::from_utf8(apply(current.as_bytes(), &splices).unwrap()).unwrap())
}

fn conflict(base: &str, wanted: &str, current: &str) -> crate::Refusal {
    let refusal = merged(base, wanted, current).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::Conflict);
    refusal
}

#[test]
fn changes_with_a_line_between_them_are_both_made() {
    assert_eq!(merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n").unwrap(), "A\nb\nC\n");
    assert_eq!(merged("a\nb\nc\n", "a\nb\nC\n", "x\ny\na\nb\nc\n").unwrap(), "x\ny\na\nb\nC\n");
    assert_eq!(merged("a\nb\nc\nd\n", "a\nb\nc\nd\ne\n", "b\nc\nd\n").unwrap(), "b\nc\nd\ne\n");
}

#[test]
fn changes_of_one_line_or_of_neighbours_conflict() {
    let refusal = conflict("a\nb\nc\nd\n", "a\nb\nC\nd\n", "new\na\nb\nsee\nd\n");
    let region = &refusal.regions[0];
    assert_eq!((region.line, &*region.base, &*region.current, &*region.wanted), (4, "c\n", "see\n", "C\n"));
    assert_eq!((refusal.line, refusal.found), (Some(4), Some(1)));
    conflict("one two\n", "ONE two\n", "one TWO\n");
    conflict("a\nb\n", "A\nb\n", "a\nB\n");
    conflict("a\n", "a\nb\n", "a\nc\n");
    conflict("a\nb\nc\n", "a\nc\n", "a\nB\nc\n");
    conflict("a\nb\nc\n", "a\nB\nc\n", "a\nc\n");
    conflict("a", "A", "a\nb");
}

#[test]
fn the_same_change_on_both_sides_needs_nothing() {
    assert_eq!(merged("a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n").unwrap(), "a\nB\nc\n");
    assert_eq!(merged("a\nb\nc\nd\n", "a\nB\nc\nD\n", "a\nB\nc\nd\n").unwrap(), "a\nB\nc\nD\n");
    assert!(merge(b"a\n", &splices_between(b"a\n", b"b\n"), b"b\n", None).unwrap().is_empty());
}

#[test]
fn a_splice_says_which_of_many_equal_lines_is_meant() {
    let base = format!("{}a\nb\n", "x\n".repeat(9));
    // The fifth line: comparing contents alone would take the last to be new.
    let splice = Splice { at: 8, old: Vec::new(), new: b"x\n".to_vec() };
    let current = format!("{base}end\n");
    let made = merge(base.as_bytes(), std::slice::from_ref(&splice), current.as_bytes(), None).unwrap();
    assert_eq!(made, [splice]);
}

#[test]
fn changes_that_could_be_told_at_one_place_are_one_change_or_a_conflict() {
    let made = |base: &str, splice: (u64, &str, &str), current: &str| {
        let splice = Splice { at: splice.0, old: splice.1.into(), new: splice.2.into() };
        merge(base.as_bytes(), &[splice], current.as_bytes(), None)
    };
    // The same block comes before or behind the equal lines beside it.
    let block = (4, "", "\nh\n}\n");
    assert_eq!(made("f\n}\n\ng\n}\n", block, "f\n}\n\nh\n}\n\ng\n}\n").unwrap(), []);
    assert_eq!(made("f\n}\n\ng\n}\nz\n", block, "f\n}\n\nh\n}\n\ng\n}\nz\ny\n").unwrap(), []);
    assert_eq!(
        made("f\n}\n\ng\n}\n", block, "f\n}\n\ni\n}\n\ng\n}\n").unwrap_err().code,
        ErrorCode::Conflict
    );
    // One of several equal lines goes, whichever it was.
    for at in [0, 2, 4] {
        assert_eq!(made("b\nb\nb\n", (at, "b\n", ""), "b\nb\n").unwrap(), []);
        assert_eq!(made("b\nb\nb\nc\nd\n", (at, "b\n", ""), "b\nb\nc\nD\n").unwrap(), []);
        assert_eq!(made("b\nb\nb\n", (at, "b\n", ""), "b\n").unwrap_err().code, ErrorCode::Conflict);
        assert_eq!(
            made("b\nb\nb\n", (at, "", "b\n"), "b\nb\nb\nb\nb\n").unwrap_err().code,
            ErrorCode::Conflict
        );
    }
    // Lone `\r` are lines as well.
    assert_eq!(made("b\rb\rb\r", (0, "b\r", ""), "b\rb\r").unwrap(), []);
    // Where a side's change lies does not matter where others' is far.
    assert_eq!(made("b\nb\nb\nc\nd\n", (0, "b\n", ""), "b\nb\nb\nc\nD\n").unwrap().len(), 1);
}

#[test]
fn changes_that_are_there_already_need_nothing_however_they_came_there() {
    let (base, now) = ("a\nb\nc\nd\n", "b\na\nd\nc\n");
    let splice = Splice { at: 0, old: base.into(), new: now.into() };
    assert_eq!(merge(base.as_bytes(), &[splice], now.as_bytes(), None).unwrap(), []);
    let splice = Splice { at: 0, old: Vec::new(), new: b"\xef\xbb\xbf".to_vec() };
    assert_eq!(merge(b"a\n", &[splice], b"\xef\xbb\xbfa\n", None).unwrap(), []);
}

#[test]
fn endings_and_a_missing_last_one_stay() {
    assert_eq!(merged("a\r\nb\r\nc", "A\r\nb\r\nc", "a\r\nb\r\nC").unwrap(), "A\r\nb\r\nC");
    assert_eq!(merged("a\rb\rc\r", "A\rb\rc\r", "a\rb\rC\r").unwrap(), "A\rb\rC\r");
    assert_eq!(merged("a\nb\r\nc\n", "a\nb\r\nC\n", "A\nb\r\nc\n").unwrap(), "A\nb\r\nC\n");
    conflict("a\nb\nc\n", "A\nb\nc\n", "a\r\nb\r\nc\r\n");
}

#[test]
fn other_encodings_are_merged_in_their_own_code_units() {
    let wide = |text: &str, mark: u8| -> Vec<u8> {
        let little = mark == 0xff;
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    };
    for mark in [0xff, 0xfe] {
        // Characters whose code units hold the byte of a line break.
        let [base, wanted, current, both] =
            ["ਊ\nb\nĊ\n", "ਊ!\nb\nĊ\n", "ਊ\nb\n𝄞\n", "ਊ!\nb\n𝄞\n"].map(|text| wide(text, mark));
        let made = merge(&base, &splices_between(&base, &wanted), &current, None).unwrap();
        assert_eq!(apply(&current, &made).unwrap(), both);
        assert!(made.iter().all(|splice| splice.at % 2 == 0 && splice.new.len() % 2 == 0), "{made:?}");
        let plain = merge(&base, &splices_between(&base, &wanted), b"a\nb\n", None).unwrap_err();
        assert_eq!(plain.code, ErrorCode::Conflict);
    }
    let made = merge(
        b"\xef\xbb\xbfa\nb\nc\n",
        &splices_between(b"\xef\xbb\xbfa\nb\nc\n", b"\xef\xbb\xbfA\nb\nc\n"),
        b"\xef\xbb\xbfa\nb\nC\n",
        None,
    );
    assert_eq!(made.unwrap(), [Splice { at: 3, old: b"a".to_vec(), new: b"A".to_vec() }]);
    let made = merge(
        b"\xe9\nb\nc\n",
        &splices_between(b"\xe9\nb\nc\n", b"\xe9\nb\n\xe8\n"),
        b"\xe0\nb\nc\n",
        Some("latin1"),
    );
    assert_eq!(made.unwrap(), [Splice { at: 4, old: b"c".to_vec(), new: b"\xe8".to_vec() }]);
    assert_eq!(merge(b"a\n", &[], b"\0", None).unwrap_err().code, ErrorCode::Binary);
}

#[test]
fn only_some_regions_are_shown_and_they_are_short() {
    let file = |line: &str| (0..40).map(|i| format!("{}\nkept {i}\n", line.repeat(2000))).collect::<String>();
    let refusal = conflict(&file("a"), &file("b"), &file("ö"));
    assert_eq!((refusal.regions.len(), refusal.found), (5, Some(40)));
    let longest = refusal.regions.iter().map(|region| region.current.len()).max().unwrap();
    assert!(longest <= crate::limits::REGION + '…'.len_utf8());
}

#[test]
fn ten_thousand_changes_and_equal_lines_are_merged() {
    let base: String = (0..20_000).map(|i| format!("{i}\n\n")).collect();
    let wanted = base.replace("3\n", "three\n");
    let current = base.replace("7\n", "seven\n");
    let both = base.replace("3\n", "three\n").replace("7\n", "seven\n");
    assert_eq!(merged(&base, &wanted, &current).unwrap(), both);
    let other: String = (0..40_000).map(|i| format!("other {i}\n")).collect();
    conflict(&base, &wanted, &other);
    let equal = "same\n".repeat(100_000);
    assert_eq!(
        merged(&equal, &format!("{equal}end\n"), &format!("start\n{equal}")).unwrap(),
        format!("start\n{equal}end\n")
    );
    // Many changes, each of which could slide over the equal lines up to the next.
    let base: String = (0..10_000).map(|i| if i % 2 == 0 { "same\nsame\n" } else { "other\n" }).collect();
    let wanted = base.replace("other\n", "other\nsame\n");
    let current = format!("start\n{base}");
    assert!(merged(&base, &wanted, &current).is_ok_and(|made| made == format!("start\n{wanted}")));
}

/// A change to one line of the base.
#[derive(Clone, Debug)]
enum LineAction {
    Keep,
    Drop,
    Change,
    Before,
}

fn action() -> impl Strategy<Value = LineAction> {
    prop_oneof![6 => Just(LineAction::Keep), 1 => Just(LineAction::Drop), 1 => Just(LineAction::Change), 1 => Just(LineAction::Before)]
}

/// Returns the base after some actions. Added lines have the name of the side.
fn done(actions: &[LineAction], side: &str) -> String {
    let line = |(i, action): (usize, &LineAction)| match action {
        LineAction::Keep => format!("{i}\n"),
        LineAction::Drop => String::new(),
        LineAction::Change => format!("{side}{i}\n"),
        LineAction::Before => format!("{side}{i}\n{i}\n"),
    };
    actions.iter().enumerate().map(line).collect()
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec("[ab]{0,2}", 0..12).prop_map(|lines| lines.join("\n"))
}

#[test]
fn changes_that_stand_among_equal_lines_are_a_conflict_and_not_made_twice() {
    let base = "a\na\na\na\na\nb\na\n\n\n";
    let wants = [
        Splice { at: 14, old: Vec::new(), new: b"b\nb\nb\n".to_vec() },
        Splice { at: 16, old: Vec::new(), new: b"a\n\n\n".to_vec() },
    ];
    let wanted = apply(base.as_bytes(), &wants).unwrap();
    let current = [b"a\na\na\na\n".as_slice(), &wanted].concat();
    let refused = merge(base.as_bytes(), &wants, &current, None).unwrap_err();
    assert_eq!(refused.code, editd_types::ErrorCode::Conflict);
}

/// A few lines of which many are equal.
fn few() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop::sample::select(vec!["a\n", "b\n", "\n"]).prop_map(str::to_owned), 0..10)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn disjoint_changes_are_merged_in_either_order(actions in prop::collection::vec((action(), any::<bool>()), 1..30)) {
        // Every third line stays, so that no two changes touch.
        let side = |own: bool| -> Vec<LineAction> {
            let mut list = Vec::new();
            for (action, ours) in &actions {
                list.push(if *ours == own { action.clone() } else { LineAction::Keep });
                list.extend([LineAction::Keep, LineAction::Keep]);
            }
            list
        };
        let base = done(&vec![LineAction::Keep; actions.len() * 3], "");
        let (ours, theirs) = (done(&side(true), "o"), done(&side(false), "t"));
        let both: String = {
            let (a, b) = (side(true), side(false));
            a.iter().zip(&b).enumerate().map(|(i, (a, b))| {
                let (action, name) = if matches!(a, LineAction::Keep) { (b, "t") } else { (a, "o") };
                match action {
                    LineAction::Keep => format!("{i}\n"),
                    LineAction::Drop => String::new(),
                    LineAction::Change => format!("{name}{i}\n"),
                    LineAction::Before => format!("{name}{i}\n{i}\n"),
                }
            }).collect()
        };
        prop_assert_eq!(&merged(&base, &ours, &theirs).unwrap(), &both);
        prop_assert_eq!(&merged(&base, &theirs, &ours).unwrap(), &both);
    }

    #[test]
    fn no_byte_that_others_wrote_is_lost(base in text(), wanted in text(), current in text()) {
        let wants = splices_between(base.as_bytes(), wanted.as_bytes());
        match merge(base.as_bytes(), &wants, current.as_bytes(), None) {
            Err(refusal) => prop_assert!(!refusal.regions.is_empty()),
            Ok(splices) => {
                // What the merge takes away is text of the base: nothing that only others have.
                let made = apply(current.as_bytes(), &splices).unwrap();
                let theirs = splices_between(base.as_bytes(), current.as_bytes());
                let (mut ahead, mut kept) = (0i64, Vec::new());
                for splice in &theirs {
                    let start = splice.at as i64 + ahead;
                    kept.push((start as u64, start as u64 + splice.new.len() as u64));
                    ahead += splice.new.len() as i64 - splice.old.len() as i64;
                }
                for splice in &splices {
                    let end = splice.at + splice.old.len() as u64;
                    let apart = kept.iter().all(|(from, to)| end <= *from || splice.at >= *to);
                    prop_assert!(apart, "{splices:?} {kept:?}");
                }
                // Their change taken back leaves what was wanted, where both are not the same.
                let back = splices_between(current.as_bytes(), base.as_bytes());
                if let Ok(back) = merge(current.as_bytes(), &back, &made, None) {
                    let left = apply(&made, &back).unwrap();
                    if base != current && wanted != current && splices.len() == wants.len() {
                        prop_assert_eq!(left, wanted.as_bytes());
                    }
                }
            }
        }
    }

    #[test]
    fn one_side_alone_is_simply_done(base in text(), wanted in text()) {
        prop_assert_eq!(&merged(&base, &wanted, &base).unwrap(), &wanted);
        prop_assert_eq!(&merged(&base, &base, &wanted).unwrap(), &wanted);
        prop_assert_eq!(&merged(&base, &wanted, &wanted).unwrap(), &wanted);
    }

    #[test]
    fn changes_that_others_made_too_are_not_made_twice(
        base in few(), blocks in prop::collection::vec((0_usize..12, few()), 1..3), at in 0_usize..16, more in few(),
    ) {
        // Ours comes as splices at exact places, theirs as the same lines and one more block somewhere.
        let put = |lines: &[String], at: usize, block: &[String]| {
            let at = at.min(lines.len());
            [&lines[..at], block, &lines[at..]].concat()
        };
        let mut places: Vec<_> = blocks.iter().map(|(at, block)| ((*at).min(base.len()), block)).collect();
        places.sort_by_key(|(at, _)| *at);
        places.dedup_by_key(|(at, _)| *at);
        let splices: Vec<Splice> = places.iter().filter(|(_, block)| !block.is_empty()).map(|(at, block)| {
            let at = base[..*at].concat().len() as u64;
            Splice { at, old: Vec::new(), new: block.concat().into() }
        }).collect();
        let wanted = places.iter().rev().fold(base.clone(), |lines, (at, block)| put(&lines, *at, block));
        let current = put(&wanted, at, &more).concat();
        let (base, wanted) = (base.concat(), wanted.concat());
        prop_assert_eq!(apply(base.as_bytes(), &splices).unwrap(), wanted.as_bytes());
        if let Ok(made) = merge(base.as_bytes(), &splices, current.as_bytes(), None) {
            prop_assert_eq!(made, []);
        }
    }
}
