//! The states of a file that a power cut explains, and those that stay.

use super::super::contents::IntactContents;
use super::super::decide::tests::{NEW, OLD, OTHER, meta, record};
use super::super::decide::{LaterChange, RecoveryAction, TargetState};
use super::*;

fn file(ino: u64, bytes: &[u8], modified: i64) -> TargetState {
    TargetState::File { meta: FileMeta { modified, ..meta(ino, bytes) }, bytes: bytes.into() }
}

fn decided(
    file: &FileRecord,
    is_untouched: bool,
    behind: LaterChange,
    shown: &TargetState,
) -> RecoveryAction {
    let mut contents = IntactContents::default();
    [OLD, NEW].iter().for_each(|bytes| contents.add((*bytes).into()));
    decide_doubtful(&[file], is_untouched, behind, shown, &contents)
}

#[test]
fn only_files_that_nobody_has_written_to_are_restored() {
    let swap = record(ChangeMethod::Swap, Some(meta(1, OLD)), Some(meta(2, NEW)));
    let new = || RecoveryAction::Rebuild(NEW.into(), meta(2, NEW));
    let rows = [
        ("as the job left it", file(2, NEW, 5), RecoveryAction::Done),
        ("the same bytes in another file", file(9, NEW, 9), RecoveryAction::Done),
        ("emptied by the cut", file(2, b"", 5), new()),
        ("cut off by the cut", file(2, NEW.get(..4).unwrap_or_default(), 4), new()),
        ("emptied by a program", file(2, b"", 6), RecoveryAction::Leave),
        ("an empty file of another program", file(9, b"", 4), RecoveryAction::Leave),
        ("the exchange was lost", file(1, OLD, 5), new()),
        ("the old bytes in another file, as of a lost undo", file(9, OLD, 5), RecoveryAction::Leave),
        ("bytes of another program", file(2, OTHER, 5), RecoveryAction::Leave),
        ("removed", TargetState::Absent, RecoveryAction::Leave),
        ("a folder", TargetState::Strange, RecoveryAction::Leave),
    ];
    for (what, shown, wanted) in rows {
        assert_eq!(decided(&swap, false, LaterChange::Nothing, &shown), wanted, "{what}");
        let settled = decided(&swap, false, LaterChange::Settled, &shown);
        assert_eq!(settled, RecoveryAction::Superseded, "{what}, a later job");
    }
}

#[test]
fn a_created_file_is_made_again_only_in_an_untouched_folder() {
    let create = record(ChangeMethod::Create, None, Some(meta(2, NEW)));
    let of = |untouched, shown| decided(&create, untouched, LaterChange::Nothing, &shown);
    assert_eq!(of(true, TargetState::Absent), RecoveryAction::Rebuild(NEW.into(), meta(2, NEW)));
    assert_eq!(of(false, TargetState::Absent), RecoveryAction::Leave);
}

#[test]
fn a_deletion_is_done_again_only_on_its_own_file() {
    let delete = record(ChangeMethod::Delete, Some(meta(1, OLD)), None);
    let of = |shown| decided(&delete, false, LaterChange::Nothing, &shown);
    assert_eq!(of(TargetState::Absent), RecoveryAction::Done);
    assert_eq!(of(file(1, OLD, 5)), RecoveryAction::Remove);
    assert_eq!(of(file(1, OLD, 6)), RecoveryAction::Leave);
    assert_eq!(of(file(9, OLD, 5)), RecoveryAction::Leave);
}

#[test]
fn a_file_that_is_rewritten_in_place_stays() {
    let in_place = record(ChangeMethod::InPlace, Some(meta(1, OLD)), Some(meta(1, NEW)));
    let shown = file(1, b"new text\n", 5);
    assert_eq!(decided(&in_place, false, LaterChange::Nothing, &shown), RecoveryAction::Leave);
}

#[test]
fn a_later_entry_shows_that_an_earlier_one_was_applied() {
    let first = record(ChangeMethod::Swap, Some(meta(1, OLD)), Some(meta(2, NEW)));
    let second = record(ChangeMethod::Swap, Some(meta(2, NEW)), Some(meta(3, OLD)));
    assert!(was_followed(&[&first, &second], 0) && !was_followed(&[&first, &second], 1));
    let other = record(ChangeMethod::Swap, Some(meta(9, NEW)), Some(meta(3, OLD)));
    assert!(!was_followed(&[&first, &other], 0));
}
