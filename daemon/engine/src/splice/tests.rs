//! Tests of trimming, overlap and composition, small cases exhaustively. They know no edit kinds.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::rc::Rc;

use super::trim::differing;
use super::*;
use crate::Splice;
use crate::text::Text;

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
        assert_eq!(differing(old.as_bytes(), new.as_bytes()), (removed, added), "{old:?} {new:?}");
    }
}

#[test]
fn shared_ends_are_found_beyond_a_block() {
    let long = "x".repeat(1000);
    let (a, b) = (format!("{long}1{long}"), format!("{long}22{long}"));
    assert_eq!(differing(a.as_bytes(), b.as_bytes()), (1000..1001, 1000..1002));
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
