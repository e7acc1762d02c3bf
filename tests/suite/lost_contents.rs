//! Contents that the journal does not have, or has only in part: a change of an unknown content is not shown as an
//! insertion, and a content is made from the entries that are intact. On the simulated machine.
//!
//! These tests are no case files: the store keeps no contents, and bytes of the log are damaged.

use editd::testing::StoreOptions;
use editd_proto::ids::JobId;
use editd_proto::message::{
    ContentRequest, EntryDetail, EntrySide, EntrySummary, JobStatus, ReadRequest, UndoRequest,
};
use editd_proto::{ErrorCode, RequestError};
use editd_tests::fault_injection::requests::{append, create, file, job};
use editd_tests::fault_injection::sim_scenario::ChangeRequest;
use editd_tests::fault_injection::sim_workspace::{STATE, SimWorkspace, options, test_caller};
use editd_tests::sim::{SimMachine, SnapshotNode};

fn machine() -> SimMachine {
    let machine = SimMachine::new();
    let outside = machine.outside();
    outside.mkdir("/w").unwrap();
    outside.mkdir(STATE).unwrap();
    machine
}

/// Opens the workspace with a store that keeps no contents beside the log.
fn open(machine: &SimMachine) -> SimWorkspace {
    SimWorkspace::open_on(machine, StoreOptions { contents: 0, ..options() }).unwrap()
}

fn content(workspace: &SimWorkspace, id: u64, side: EntrySide) -> Result<String, Box<RequestError>> {
    let request = ContentRequest { job: JobId(id), path: "a.txt".into(), side, from: 0 };
    let reply = workspace.inner.content(&test_caller(), &request)?;
    Ok(String::from_utf8(reply.reply.bytes.clone()).unwrap())
}

/// Changes a file as another program whose old content the journal does not have, and shows the entry.
fn changed(change: impl FnOnce(&SimMachine)) -> (SimWorkspace, EntrySummary, EntryDetail) {
    let machine = machine();
    machine.outside().write("/w/a.txt", b"old 1\nold 2\n").unwrap();
    let workspace = open(&machine);
    let request = ReadRequest { path: "a.txt".into(), lines: None, symbol: None, body: false, seen: None };
    drop(workspace.inner.read(&test_caller(), &request).unwrap());
    change(&machine);
    let event = workspace.inner.observe(&"a.txt".into()).unwrap();
    let shown = workspace.show(event.entry.unwrap()).unwrap().changes.remove(0);
    let entry = workspace.entries().unwrap().remove(0);
    (workspace, entry, shown)
}

#[test]
fn a_change_of_an_unknown_content_is_no_insertion() {
    let (workspace, entry, change) =
        changed(|machine| machine.outside().write("/w/a.txt", b"theirs\nmore").unwrap());
    assert!(change.partial && change.before_unknown && change.hunks.is_empty(), "{change:?}");
    let whole = "--- a/a.txt\n+++ b/a.txt\n@@ -?,? +1,2 @@\n+theirs\n+more\n\\ No newline at end of file\n";
    assert_eq!(change.diff, whole);
    assert_eq!((entry.files[0].added, entry.files[0].removed), (0, 0));
    assert_eq!(content(&workspace, entry.id.0, EntrySide::After).unwrap(), "theirs\nmore");
    let before = content(&workspace, entry.id.0, EntrySide::Before).unwrap_err();
    assert!(before.message.contains("no longer kept"), "{before}");
    let undo = UndoRequest { jobs: vec![entry.id], ..UndoRequest::default() };
    let refused = workspace.send(&ChangeRequest::Undo(undo), "undo").error.unwrap();
    assert!(refused.message.contains("does not have the earlier bytes"), "{refused}");
}

#[test]
fn a_change_to_an_empty_file_of_an_unknown_content_is_no_deletion_of_nothing() {
    let (_workspace, entry, change) = changed(|machine| machine.outside().write("/w/a.txt", b"").unwrap());
    assert_eq!(change.diff, "--- a/a.txt\n+++ b/a.txt\n@@ -?,? +1,0 @@\n");
    assert!(change.before_unknown && (entry.files[0].added, entry.files[0].removed) == (0, 0));
}

#[test]
fn the_deletion_of_an_unknown_content_shows_no_lines() {
    let (_workspace, entry, change) = changed(|machine| machine.outside().remove("/w/a.txt").unwrap());
    assert!(change.partial && change.before_unknown, "{change:?}");
    assert!(change.diff.contains("deleted file mode") && !change.diff.contains("@@"), "{change:?}");
    assert_eq!((entry.files[0].added, entry.files[0].removed), (0, 0));
}

/// Damages the only place of the log that has a text.
fn damage(machine: &SimMachine, text: &str) {
    let mut found = Vec::new();
    for (path, node) in machine.snapshot(STATE).unwrap().0 {
        let SnapshotNode::File { bytes, .. } = node else { continue };
        let at = bytes.windows(text.len()).enumerate().filter(|(_, part)| *part == text.as_bytes());
        found.extend(at.map(|(at, _)| (path.clone(), at, bytes[at])));
    }
    let [(path, at, byte)] = found.as_slice() else { panic!("{text}: {found:?}") };
    let path = [STATE.as_bytes(), b"/", path].concat();
    machine.outside().open(&path).unwrap().write_at(&[byte ^ 1], *at as u64).unwrap();
}

/// A workspace with eight entries: one that makes a file, and seven that each append a line.
fn eight_entries(machine: &SimMachine) -> SimWorkspace {
    let workspace = open(machine);
    for nth in 1..=8 {
        let text = format!("line {nth}\n");
        let edit = if nth == 1 { create(&text) } else { append(&text) };
        let receipt = workspace.send(&job(vec![file("a.txt", vec![edit])]), &format!("key {nth}"));
        assert_eq!((receipt.status, receipt.job), (JobStatus::Applied, Some(JobId(nth))), "{receipt:?}");
    }
    assert!(workspace.settle());
    workspace
}

fn lines(last: u64) -> String {
    (1..=last).map(|nth| format!("line {nth}\n")).collect()
}

#[test]
fn a_content_before_a_damaged_entry_is_made_from_the_older_entries() {
    let machine = machine();
    let workspace = eight_entries(&machine);
    damage(&machine, "line 4\n");
    for id in [1, 2, 3, 5, 8] {
        let made = content(&workspace, id, EntrySide::After).map_err(|error| error.message);
        assert_eq!(made, Ok(lines(id)), "after {id}");
        let made = content(&workspace, id, EntrySide::Before).map_err(|error| error.message);
        assert_eq!(made, Ok(lines(id - 1)), "before {id}");
        // `show` looks in the same places.
        let change = workspace.show(JobId(id)).unwrap().changes.remove(0);
        assert!(!change.partial && change.hunks.len() == 1, "{id}: {change:?}");
        assert!(change.diff.contains(&format!("+line {id}\n")) && !change.diff.contains('?'), "{change:?}");
    }
}

#[test]
fn a_content_between_damaged_entries_is_refused_because_of_the_damage() {
    let machine = machine();
    let workspace = eight_entries(&machine);
    damage(&machine, "line 2\n");
    damage(&machine, "line 5\n");
    let refused = content(&workspace, 3, EntrySide::After).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Io);
    assert!(refused.message.contains("cannot be made without entry 5: the log is damaged at"), "{refused}");
    assert!(refused.message.contains("editctl salvage"), "{refused}");
}
