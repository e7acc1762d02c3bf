//! Tests of trimming, overlap and composition, small cases exhaustively. They know no edit kinds.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::rc::Rc;

use super::trim::differing;
use super::*;
use crate::Splice;
use crate::text::{LineBreak, Text};

const TEXT: LineBreak = LineBreak::Byte(b'\n');

fn splice(at: u64, old: &str, new: &str) -> Splice {
    Splice { at, old: old.as_bytes().to_vec(), new: new.as_bytes().to_vec() }
}

#[test]
fn trimming_cuts_no_character_and_no_break() {
    for (old, new, removed, added) in [
        ("abc", "axc", 1..2, 1..2),
        ("é", "è", 0..2, 0..2),
        ("xéy", "xèy", 1..3, 1..3),
        ("a\r\n", "a\n", 1..3, 1..2),
        ("a\r\nb", "a\r\n\r\nb", 3..3, 3..5),
        ("a\r", "a\r\n", 1..2, 1..3),
        ("aa", "aaa", 2..2, 2..3),
        ("", "", 0..0, 0..0),
    ] {
        assert_eq!(differing(TEXT, old.as_bytes(), new.as_bytes()), (removed, added), "{old:?} {new:?}");
    }
}

#[test]
fn shared_ends_are_found_beyond_a_block() {
    let long = "x".repeat(1000);
    let (a, b) = (format!("{long}1{long}"), format!("{long}22{long}"));
    assert_eq!(differing(TEXT, a.as_bytes(), b.as_bytes()), (1000..1001, 1000..1002));
}

/// Every pair of generations of splices of a short content: composed, they do what both do.
#[test]
fn composition_is_one_after_the_other() {
    let content = b"abcde";
    let news = ["", "X", "YZ"];
    let mut singles: Vec<Vec<Splice>> = vec![Vec::new()];
    for at in 0..=4usize {
        for end in at..=4 {
            for new in news {
                singles.push(vec![splice(at as u64, std::str::from_utf8(&content[at..end]).unwrap(), new)]);
                if end < 4 {
                    let mut two = singles.last().unwrap().clone();
                    two.push(splice(4, "e", new));
                    singles.push(two);
                }
            }
        }
    }
    for first in &singles {
        let middle = apply(content, first).unwrap();
        for at in 0..=middle.len() {
            for end in at..=middle.len() {
                let second =
                    vec![Splice { at: at as u64, old: middle[at..end].to_vec(), new: b"_".to_vec() }];
                let net = compose(first, &second).unwrap();
                let after = apply(&middle, &second).unwrap();
                assert_eq!(apply(content, &net), Some(after), "{first:?} then {second:?}: {net:?}");
            }
        }
    }
}

fn clash(content: &str, a: Place, b: Place) -> bool {
    let _ = content;
    let forward = !arrange(&mut [a.clone(), b.clone()]).is_empty();
    let swap = |place: Place| Place { edit: 1 - place.edit, ..place };
    assert_eq!(forward, !arrange(&mut [swap(b), swap(a)]).is_empty(), "overlap must be symmetric");
    forward
}

#[test]
fn overlaps_are_found_where_bytes_or_matches_meet() {
    let text = Text::read(b"abcdef", None).unwrap();
    let new = |text: &str| Rc::<str>::from(text);
    let replace = |edit, range, with: &str| Place::replacing(&text, edit, range, &new(with));
    let own = |edit, range, with: &str| Place::owning(&text, edit, range, &new(with));
    let insert = |edit, at| Place::inserting(edit, at, &new("+"), InsertionKind::Between);
    for (a, b, wanted) in [
        (replace(0, 0..3, "xbc"), replace(1, 1..4, "bcX"), false),
        (replace(0, 0..3, "xyz"), replace(1, 2..4, "??"), true),
        (replace(0, 0..3, "ab+c"), replace(1, 1..4, "b+cd"), true),
        (replace(0, 0..3, "abc+"), replace(1, 3..6, "+def"), false),
        (replace(0, 0..3, ""), insert(1, 3), false),
        (replace(0, 0..3, ""), insert(1, 0), false),
        (replace(0, 0..3, ""), insert(1, 1), true),
        (replace(0, 0..3, "ab+c"), insert(1, 2), true),
        (insert(0, 2), insert(1, 2), false),
        (own(0, 0..3, "abX"), replace(1, 0..1, "?"), true),
        (own(0, 0..3, "abX"), own(1, 3..6, "?"), false),
        (own(0, 0..3, "abX"), insert(1, 3), false),
        (own(0, 0..3, "abX"), insert(1, 1), true),
    ] {
        assert_eq!(clash("abcdef", a.clone(), b.clone()), wanted, "{a:?} {b:?}");
    }
}

#[test]
fn every_party_to_an_overlap_is_named() {
    let text = Text::read(b"abcdefghij", None).unwrap();
    let place = |edit, range| Place::replacing(&text, edit, range, &Rc::from("?"));
    let mut places = [place(0, 0..8), place(1, 1..2), place(2, 4..5), place(3, 9..10)];
    let mut named: Vec<u32> = arrange(&mut places).into_iter().flat_map(|(a, b)| [a, b]).collect();
    named.sort_unstable();
    named.dedup();
    assert_eq!(named, [0, 1, 2]);
}

#[test]
fn a_place_touches_the_lines_of_its_text_or_stands_before_a_line() {
    let text = Text::read(b"a\nbc\nd\ne", None).unwrap();
    let touched = |ranges: &[(usize, usize)]| {
        let place = |range: &(usize, usize)| Place::replacing(&text, 0, range.0..range.1, &Rc::from("?"));
        touched_lines(&text, ranges.iter().map(place).collect::<Vec<_>>().iter())
    };
    assert_eq!(touched(&[(0, 1)]), [(1, 1)]);
    assert_eq!(touched(&[(0, 2)]), [(1, 1)]);
    assert_eq!(touched(&[(7, 8), (0, 3)]), [(1, 2), (4, 4)]);
    assert_eq!(touched(&[(2, 2)]), [(2, 1)], "before a line");
    assert_eq!(touched(&[(3, 3)]), [(2, 2)], "inside of a line");
    assert_eq!(touched(&[(8, 8)]), [(4, 4)], "behind a line without a break");
    assert_eq!(touched(&[(2, 2), (2, 4)]), [(2, 2)]);
    assert_eq!(touched(&[(5, 5), (2, 4)]), [(2, 2)], "the line above is known if the place is");
}

#[test]
fn lines_are_quoted_if_only_white_space_of_them_is_not_matched() {
    let quoted = |content: &str, parts: &[&str]| {
        let text = Text::read(content.as_bytes(), None).unwrap();
        let place = |part: &&str| {
            let at = content.find(part).unwrap();
            Place::replacing(&text, 0, at..at + part.len(), &Rc::from("?"))
        };
        let places: Vec<Place> = parts.iter().map(place).collect();
        whole_lines(&text, places.iter())
    };
    assert_eq!(quoted("a = b\n  c\t\nd\n", &[" = "]), []);
    assert_eq!(quoted("a = b\n  c\t\nd\n", &["a = b"]), [(1, 1)]);
    assert_eq!(quoted("a = b\n  c\t\nd\n", &["c"]), [(2, 2)]);
    assert_eq!(quoted("a = b\n  c\t\nd\n", &["b\n  c\t\n"]), [(2, 2)]);
    assert_eq!(quoted("a = b\n  c\t\nd e", &["a = b\n  c\t\nd"]), [(1, 2)]);
    assert_eq!(quoted("a = b\n  c\t\nd", &["a =", "c", "d"]), [(2, 3)]);
    assert_eq!(quoted("a\r\nb\r\nc\r\n", &["a", "b\r\n", "c"]), [(1, 3)]);
    assert_eq!(quoted("a b\rb\rc\r", &["b\rb\rc"]), [(2, 3)]);
    for (spaces, lines) in [(256, &[(1, 1)][..]), (257, &[])] {
        assert_eq!(quoted(&format!("{}a\nb", " ".repeat(spaces)), &["a"]), lines);
        assert_eq!(quoted(&format!("a{}", " ".repeat(spaces)), &["a"]), lines);
    }
}

#[test]
fn many_close_places_become_few_splices() {
    let content = "ab".repeat(crate::limits::SPLICES + 1);
    let text = Text::read(content.as_bytes(), None).unwrap();
    let new: Rc<str> = Rc::from("X");
    let mut places: Vec<Place> =
        (0..=crate::limits::SPLICES).map(|i| Place::replacing(&text, 0, 2 * i..2 * i + 1, &new)).collect();
    assert!(arrange(&mut places).is_empty());
    let splices = assemble(&text, &places).unwrap();
    assert_eq!(splices.len(), 1);
    assert_eq!(apply(content.as_bytes(), &splices).unwrap(), content.replace('a', "X").into_bytes());
}

#[test]
fn lines_that_differ_too_much_to_compare_are_one_splice() {
    let lines =
        |from: usize| (from..from + crate::limits::DIFF_LINES).map(|i| format!("{i}\n")).collect::<String>();
    let (before, after) = (lines(0), lines(crate::limits::DIFF_LINES));
    let splices = splices_between(before.as_bytes(), after.as_bytes());
    assert_eq!(splices.len(), 1);
    assert_eq!(apply(before.as_bytes(), &splices), Some(after.into_bytes()));
}

/// Returns the splices between two texts in UTF-16, as their offsets in units and their texts.
fn units_between(before: &str, after: &str, big: bool) -> Vec<(u64, String, String)> {
    let units = |text: &str| -> Vec<u8> {
        let bytes = |unit| if big { u16::to_be_bytes(unit) } else { u16::to_le_bytes(unit) };
        format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
    };
    let text = |bytes: &[u8]| {
        let unit = |pair: &[u8]| {
            let pair = pair.try_into().unwrap();
            if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
        };
        String::from_utf16(&bytes.chunks(2).map(unit).collect::<Vec<_>>()).unwrap()
    };
    let (before, after) = (units(before), units(after));
    let splices = splices_between(&before, &after);
    assert_eq!(apply(&before, &splices), Some(after));
    splices.iter().map(|splice| (splice.at / 2 - 1, text(&splice.old), text(&splice.new))).collect()
}

#[test]
fn splices_of_utf_16_have_whole_characters_and_lines() {
    let splice = |at, old: &str, new: &str| (at, old.to_owned(), new.to_owned());
    for big in [false, true] {
        let between = |before: &str, after: &str| units_between(before, after, big);
        assert_eq!(between("a\nb\nc\n", "a\nb\n\nc\n"), [splice(4, "", "\n")]);
        assert_eq!(between("a\nb\nc\nd\n", "a\nB\nc\nD\n"), [splice(2, "b", "B"), splice(6, "d", "D")]);
        // The bytes of a line feed are a part of these units.
        assert_eq!(between("\u{a0a}\na\n", "\u{a0b}\nA\n"), [splice(0, "\u{a0a}\na", "\u{a0b}\nA")]);
        assert_eq!(between("\u{10a}a\n\u{a0a}", "\u{10a}A\n\u{a0a}"), [splice(1, "a", "A")]);
        assert_eq!(between("\u{1f600}\n", "\u{1f601}\n"), [splice(0, "\u{1f600}", "\u{1f601}")]);
        assert_eq!(between("a\r\nb", "a\nb"), [splice(1, "\r\n", "\n")]);
        assert_eq!(between("a\rb\rc\rd", "A\rb\rc\rD"), [splice(0, "a", "A"), splice(6, "d", "D")]);
    }
}

#[test]
fn half_a_unit_and_another_byte_order_lose_nothing() {
    let contents: [&[u8]; 6] = [
        b"\xff\xfea\0\n\0b\0",
        b"\xff\xfea\0\n\0b",
        b"\xff\xfe\n\0b\0x",
        b"\xfe\xff\0a\0\n",
        b"\xff\xfe",
        b"a\nb\n",
    ];
    for before in contents {
        for after in contents {
            let splices = splices_between(before, after);
            assert_eq!(apply(before, &splices).as_deref(), Some(after));
            assert_eq!(splices.is_empty(), before == after);
        }
    }
}

#[test]
fn lines_that_end_in_lone_carriage_returns_are_compared() {
    let splices = splices_between(b"a\rb\rc\rd", b"A\rb\rc\rD\r");
    let ranges: Vec<(u64, &[u8], &[u8])> =
        splices.iter().map(|splice| (splice.at, &splice.old[..], &splice.new[..])).collect();
    assert_eq!(ranges, [(0, &b"a"[..], &b"A"[..]), (6, b"d", b"D\r")]);
}

#[test]
fn a_content_is_hashed_while_it_is_made() {
    let before: Vec<u8> = (0..9_000_000u32).map(|at| (at % 253) as u8).collect();
    let splice = |at: usize, size: usize, new: &[u8]| Splice {
        at: at as u64,
        old: before[at..at + size].to_vec(),
        new: new.to_vec(),
    };
    let splices =
        [splice(3, 0, b"first"), splice(1_048_576, 2_000_000, b""), splice(8_999_999, 1, &[7; 3_000_000])];
    let (after, hash) = apply_hashed(&before, &splices, crate::hash::hash_parts).unwrap();
    assert_eq!(*after, *apply(&before, &splices).unwrap());
    assert_eq!(hash, crate::hash::hash(&after));
}
