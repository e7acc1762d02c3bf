//! The evidence of files, staged files and times, row by row.

use editd_engine::Splice;

use super::super::decide::tests::{NEW, OLD, OTHER, meta, record, swap};
use super::*;

#[test]
fn target_and_slot_tell_whether_a_file_was_put() {
    let id = |ino: u64| Some(meta(ino, b"").identity);
    let create = record(ChangeMethod::Create, None, Some(meta(2, NEW)));
    let delete = record(ChangeMethod::Delete, Some(meta(1, OLD)), None);
    let in_place = record(ChangeMethod::InPlace, Some(meta(1, OLD)), Some(meta(1, NEW)));
    let rows = [
        (&swap(), id(1), id(2), Some(false)),
        (&swap(), id(9), id(2), Some(false)),
        (&swap(), None, id(2), Some(false)),
        (&swap(), id(1), None, Some(false)),
        (&swap(), id(2), id(1), Some(true)),
        (&swap(), id(9), id(1), Some(true)),
        (&swap(), None, id(1), Some(true)),
        (&swap(), id(9), None, Some(false)),
        (&create, id(9), id(2), Some(false)),
        (&create, id(2), None, Some(true)),
        (&create, id(9), None, Some(true)),
        (&delete, id(1), None, Some(false)),
        (&delete, id(9), None, Some(false)),
        (&delete, id(9), id(1), Some(true)),
        (&in_place, id(1), None, None),
    ];
    for (file, target, staged_name, put) in rows {
        assert_eq!(was_put(file, target, staged_name), put, "{:?} {target:?} {staged_name:?}", file.how);
    }
}

#[test]
fn additions_by_others_show_whether_a_file_was_rewritten() {
    let file = record(ChangeMethod::InPlace, Some(meta(1, OLD)), Some(meta(1, NEW)));
    assert_eq!(was_rewritten(&file, &[OLD, OTHER].concat()), Some(false));
    assert_eq!(was_rewritten(&file, &[NEW, OTHER].concat()), Some(true));
    assert_eq!(was_rewritten(&file, OTHER), None);
    let grown = [OLD, NEW].concat();
    let splice = Splice { at: OLD.len() as u64, old: Vec::new(), new: NEW.to_vec() };
    let file = FileRecord {
        splices: vec![splice],
        ..record(ChangeMethod::InPlace, Some(meta(1, OLD)), Some(meta(1, &grown)))
    };
    assert_eq!(was_rewritten(&file, &[OLD, OTHER].concat()), Some(false));
    assert_eq!(was_rewritten(&file, &[&grown[..], OTHER].concat()), Some(true));
    assert_eq!(was_rewritten(&file, b"short"), None);
}

#[test]
fn a_slot_tells_what_its_job_displaced() {
    let file = swap();
    let mut contents = IntactContents::default();
    [OLD, NEW].iter().for_each(|bytes| contents.add((*bytes).into()));
    let staged_name = |ino: u64, bytes: &[u8], modified: i64| FileMeta { modified, ..meta(ino, bytes) };
    let torn = OLD.get(..3).unwrap_or_default();
    let rows = [
        ("what was checked", staged_name(1, OLD, 5), OLD, false, false),
        ("an equal file", staged_name(9, OLD, 7), OLD, false, true),
        ("what was checked, torn", staged_name(1, torn, 6), torn, false, false),
        ("what it held before", staged_name(1, OTHER, 5), OTHER, false, false),
        ("what was checked, changed", staged_name(1, OTHER, 6), OTHER, true, false),
        ("another file", staged_name(9, OTHER, 6), OTHER, true, true),
        ("another mode", FileMeta { mode: 0o600, ..staged_name(1, OLD, 5) }, OLD, true, false),
        ("what was staged", staged_name(2, NEW, 5), NEW, false, false),
        ("what was staged, and others wrote to", staged_name(2, OTHER, 6), OTHER, false, false),
    ];
    for (what, staged_name, bytes, theirs, another) in rows {
        assert_eq!(is_theirs(&file, &staged_name, bytes, &contents), theirs, "{what}");
        assert_eq!(is_another(&file, staged_name.identity), another, "{what}: another file");
    }
    let create = record(ChangeMethod::Create, None, Some(meta(2, NEW)));
    assert!(!is_theirs(&create, &staged_name(9, OTHER, 6), OTHER, &contents), "it displaces nothing");
}

#[test]
fn changes_after_the_cut_are_told_by_one_clock_alone() {
    let rows = [
        ("before the start", 2000, 1999, 9000, false),
        ("behind the start", 2000, 2000, 9000, true),
        ("the clock was set back before the start", 900, 950, 9000, false),
        ("the clock was set back behind the change", 2000, 3000, 2999, false),
    ];
    for (what, began, changed, now, later) in rows {
        assert_eq!(is_later(began, 1000, changed, now), later, "{what}");
    }
}
