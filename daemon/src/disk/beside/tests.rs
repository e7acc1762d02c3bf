//! Staged files on other mounts that no entry knows. The other mount is a folder that is treated as one.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::sync::Arc;

use crate::os::unix::Unix;
use crate::workspace::tests::kit::Bench;

#[test]
fn writes_of_others_to_a_slot_that_no_entry_knows_stand_somewhere() {
    let bench = Bench::new();
    bench.stage_beside("sub");
    bench.put("sub/.editd-slot-open", "theirs");
    bench.put("sub/.editd-slot-closed", "whose");
    let path = bench.workspace.root().join("sub/.editd-slot-open");
    let mut open = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    let (bench, notes) = bench.reopened(Arc::new(Unix));
    assert!(notes.iter().any(|note| note.starts_with("2 staged files")), "{notes:?}");
    open.write_all(b", and more").unwrap();
    let mut kept: Vec<String> = Vec::new();
    for folder in ["sub", ".editd/lost"] {
        kept.extend(bench.list(folder).iter().map(|name| bench.get(&format!("{folder}/{name}"))));
    }
    kept.sort();
    assert_eq!(kept, ["textmore", "theirs, and more", "whose"]);
}

#[test]
fn a_folder_is_found_although_the_note_before_it_was_cut_off() {
    let bench = Bench::new();
    // As a full disk or a power cut leaves it: a path without its end.
    bench.put(".editd/beside", "fold");
    bench.stage_beside("sub");
    bench.put("sub/.editd-slot-closed", "whose");
    let (bench, notes) = bench.reopened(Arc::new(Unix));
    assert!(notes.iter().any(|note| note.starts_with("1 staged files")), "{notes:?}");
    assert!(
        bench.list("sub").iter().all(|name| !name.starts_with(".editd-slot-")),
        "{:?}",
        bench.list("sub")
    );
}
