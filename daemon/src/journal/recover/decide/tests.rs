//! The decision table, row by row: for each state of a target, with refused jobs and with changes after the chain.

use editd_engine::Splice;

use super::*;
use crate::disk::observation::hash;
use crate::os::FileIdentity;
use crate::record::StagingFolder;

pub(in super::super) const OLD: &[u8] = b"old text\n";
pub(in super::super) const NEW: &[u8] = b"new and longer text\n";
pub(in super::super) const OTHER: &[u8] = b"what others wrote\n";

/// Returns a file with this number and content.
pub(in super::super) fn meta(ino: u64, bytes: &[u8]) -> FileMeta {
    let identity = FileIdentity { dev: 1, ino, born: 7 };
    let (hash, size) = (hash(bytes), bytes.len() as u64);
    FileMeta { hash, size, mode: 0o644, uid: 0, gid: 0, identity, modified: 5 }
}

pub(in super::super) fn record(
    how: ChangeMethod,
    before: Option<FileMeta>,
    after: Option<FileMeta>,
) -> FileRecord {
    let (old, new) = (OLD.to_vec(), NEW.to_vec());
    let splices = match (&before, &after) {
        (Some(_), Some(_)) => vec![Splice { at: 0, old, new }],
        (None, _) => vec![Splice { at: 0, old: Vec::new(), new }],
        (_, None) => vec![Splice { at: 0, old, new: Vec::new() }],
    };
    let staged_name = (StagingFolder::Root, "slot".to_owned());
    FileRecord { splices, ..FileRecord::without_content("a".into(), before, after, how, staged_name) }
}

pub(in super::super) fn swap() -> FileRecord {
    record(ChangeMethod::Swap, Some(meta(1, OLD)), Some(meta(2, NEW)))
}

/// Files that another program writes are younger.
fn shown(ino: u64, bytes: &[u8]) -> TargetState {
    let modified = if bytes == OTHER { 6 } else { 5 };
    TargetState::File { meta: FileMeta { modified, ..meta(ino, bytes) }, bytes: bytes.into() }
}

/// Returns the decision about the last record of a chain, with every content available.
fn done(chain: &[&FileRecord], refused: usize, behind: LaterChange, shown: &TargetState) -> RecoveryAction {
    let mut contents = IntactContents::default();
    [OLD, NEW].iter().for_each(|bytes| contents.add((*bytes).into()));
    decide(chain, refused, false, behind, shown, &contents)
}

fn old() -> RecoveryAction {
    RecoveryAction::Rebuild(OLD.into(), meta(1, OLD))
}

#[test]
fn a_job_is_done_again_or_taken_back_by_the_same_signs() {
    let file = swap();
    let torn = NEW.get(..4).unwrap_or_default();
    let new = RecoveryAction::Rebuild(NEW.into(), meta(2, NEW));
    let rows = [
        ("before, its own file", shown(1, OLD), new.clone(), RecoveryAction::Done),
        ("after, its own file", shown(2, NEW), RecoveryAction::Done, old()),
        ("after, another file", shown(9, NEW), RecoveryAction::Done, old()),
        ("before, another file", shown(9, OLD), RecoveryAction::Leave, RecoveryAction::Done),
        ("torn", shown(2, torn), new.clone(), old()),
        (
            "others' bytes in the file that was put",
            shown(2, OTHER),
            RecoveryAction::Leave,
            RecoveryAction::Leave,
        ),
        (
            "others' bytes in the file that was there",
            shown(1, OTHER),
            RecoveryAction::Leave,
            RecoveryAction::Leave,
        ),
        ("others' file", shown(9, OTHER), RecoveryAction::Leave, RecoveryAction::Leave),
        ("nothing, of a file that is carried whole", TargetState::Absent, new, old()),
        ("a folder", TargetState::Strange, RecoveryAction::Leave, RecoveryAction::Leave),
    ];
    for (what, shown, kept, taken_back) in rows {
        assert_eq!(done(&[&file], 0, LaterChange::Nothing, &shown), kept, "{what}, kept");
        assert_eq!(done(&[&file], 1, LaterChange::Nothing, &shown), taken_back, "{what}, taken back");
    }
}

#[test]
fn a_creation_and_a_deletion_are_taken_back() {
    let create = record(ChangeMethod::Create, None, Some(meta(2, NEW)));
    let delete = record(ChangeMethod::Delete, Some(meta(1, OLD)), None);
    let of = |file: &FileRecord, shown: TargetState| done(&[file], 1, LaterChange::Nothing, &shown);
    assert_eq!(of(&create, TargetState::Absent), RecoveryAction::Done);
    assert_eq!(of(&create, shown(2, NEW)), RecoveryAction::Remove);
    assert_eq!(of(&create, shown(9, NEW)), RecoveryAction::Remove);
    assert_eq!(of(&create, shown(2, b"")), RecoveryAction::Remove);
    assert_eq!(of(&create, shown(9, OTHER)), RecoveryAction::Leave);
    assert_eq!(of(&delete, TargetState::Absent), old());
    assert_eq!(of(&delete, shown(1, OLD)), RecoveryAction::Done);
    assert_eq!(of(&delete, shown(9, OTHER)), RecoveryAction::Leave);
}

#[test]
fn a_file_that_is_rewritten_in_place_is_taken_back_in_place() {
    let file = record(ChangeMethod::InPlace, Some(meta(1, OLD)), Some(meta(1, NEW)));
    let of = |bytes: &[u8]| done(&[&file], 1, LaterChange::Nothing, &shown(1, bytes));
    let before = RecoveryAction::RewriteInPlace(OLD.into(), meta(1, OLD));
    assert_eq!(of(NEW), before);
    assert_eq!(of(b"new text\n"), before);
    assert_eq!(of(OLD), RecoveryAction::Done);
    assert_eq!(of(OTHER), RecoveryAction::Leave);
}

#[test]
fn a_mode_alone_is_taken_back() {
    let before = meta(1, OLD);
    let after = FileMeta { mode: 0o600, identity: meta(2, OLD).identity, ..before.clone() };
    let file =
        FileRecord { splices: Vec::new(), ..record(ChangeMethod::Swap, Some(before), Some(after.clone())) };
    let of = |ino| {
        let shown = TargetState::File {
            meta: FileMeta { identity: meta(ino, OLD).identity, ..after.clone() },
            bytes: OLD.into(),
        };
        done(&[&file], 1, LaterChange::Nothing, &shown)
    };
    assert_eq!((of(2), of(9)), (old(), old()));
}

#[test]
fn a_mode_that_a_power_cut_kept_from_before_is_set_again_in_place() {
    let before = meta(1, OLD);
    let after = FileMeta { mode: 0o600, ..meta(1, NEW) };
    let file = record(ChangeMethod::InPlace, Some(before.clone()), Some(after.clone()));
    let of = |mode, bytes: &[u8], refused| {
        let meta = FileMeta { mode, ..meta(1, bytes) };
        done(&[&file], refused, LaterChange::Nothing, &TargetState::File { meta, bytes: bytes.into() })
    };
    let done_again = RecoveryAction::RewriteInPlace(NEW.into(), after);
    let taken_back = RecoveryAction::RewriteInPlace(OLD.into(), before);
    assert_eq!(of(0o644, NEW, 0), done_again);
    assert_eq!(of(0o600, OLD, 0), done_again);
    assert_eq!(of(0o644, NEW, 1), taken_back);
    assert_eq!(of(0o600, OLD, 1), taken_back);
    assert_eq!(of(0o755, NEW, 0), RecoveryAction::Done, "another program set it");
}

#[test]
fn below_a_job_that_is_taken_back_the_others_are_done_again() {
    let mut first = swap();
    first.before = Some(meta(5, OTHER));
    first.after = Some(meta(1, OLD));
    first.splices = vec![Splice { at: 0, old: OTHER.to_vec(), new: OLD.to_vec() }];
    let second = swap();
    let of = |shown: TargetState| done(&[&first, &second], 1, LaterChange::Nothing, &shown);
    assert_eq!(of(shown(5, OTHER)), old());
    assert_eq!(of(shown(1, OLD)), RecoveryAction::Done);
    assert_eq!(of(shown(2, NEW)), old());
    assert_eq!(of(shown(9, OTHER)), RecoveryAction::Leave);
}

#[test]
fn later_changes_in_the_journal_stand() {
    let file = swap();
    let empty = LaterChange::Content(Some(hash(b"")));
    // Another program truncated it to nothing: without that entry it would be torn.
    assert_eq!(done(&[&file], 0, empty, &shown(2, b"")), RecoveryAction::Superseded);
    assert!(matches!(done(&[&file], 0, LaterChange::Nothing, &shown(2, b"")), RecoveryAction::Rebuild(..)));
    assert!(matches!(done(&[&file], 0, empty, &shown(1, OLD)), RecoveryAction::Rebuild(..)));
    assert_eq!(done(&[&file], 0, empty, &TargetState::Strange), RecoveryAction::Leave);
    assert_eq!(
        done(&[&file], 0, LaterChange::Content(None), &TargetState::Absent),
        RecoveryAction::Superseded
    );
    for shown in [shown(9, OTHER), shown(1, OLD), TargetState::Absent, TargetState::Strange] {
        assert_eq!(done(&[&file], 0, LaterChange::Settled, &shown), RecoveryAction::Superseded);
    }
    // An observation took the file of a broken job for another program's.
    let own = LaterChange::Content(Some(hash(NEW)));
    assert_eq!(done(&[&file], 1, own, &shown(2, NEW)), old());
    assert_eq!(done(&[&file], 1, own, &shown(9, NEW)), RecoveryAction::Superseded);
}

#[test]
fn others_file_goes_back_from_the_slot_of_a_job_that_is_taken_back() {
    let file = swap();
    let of = |refused: usize, shown: TargetState| {
        let mut contents = IntactContents::default();
        [OLD, NEW].iter().for_each(|bytes| contents.add((*bytes).into()));
        decide(&[&file], refused, true, LaterChange::Nothing, &shown, &contents)
    };
    let torn = NEW.get(..4).unwrap_or_default();
    for staged in [shown(2, NEW), shown(2, torn), TargetState::Absent] {
        assert_eq!(of(1, staged.clone()), RecoveryAction::Return, "{staged:?}");
        assert_ne!(of(0, staged.clone()), RecoveryAction::Return, "{staged:?}, kept");
    }
    // Bytes that another program wrote to the staged file are newer, whatever time it set, and so is a different file
    // of it.
    for theirs in [shown(2, OTHER), shown(2, b"dated back"), shown(9, OTHER), TargetState::Strange] {
        assert_eq!(of(1, theirs.clone()), RecoveryAction::Leave, "{theirs:?}");
    }
    let none = |shown| decide(&[&file], 1, true, LaterChange::Nothing, &shown, &IntactContents::default());
    assert_eq!(none(shown(2, b"torn, of bytes that nobody has")), RecoveryAction::Return);
    assert_eq!(none(shown(2, OTHER)), RecoveryAction::Leave);
    assert_eq!(of(1, shown(1, OLD)), RecoveryAction::Done);
}
