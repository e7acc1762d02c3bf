//! Contents that the journal does not have: a change of an unknown content is never shown as an insertion. On the
//! simulated machine.
//!
//! These tests are no case files: the store keeps no contents.

use editd::testing::StoreOptions;
use editd_proto::RequestError;
use editd_proto::ids::JobId;
use editd_proto::message::{ContentRequest, EntrySide, EntrySummary, ReadRequest, ShowReply, UndoRequest};
use editd_tests::fault_injection::sim_scenario::ChangeRequest;
use editd_tests::fault_injection::sim_workspace::{STATE, SimWorkspace, options, test_caller};
use editd_tests::sim::SimMachine;

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

fn read(workspace: &SimWorkspace, path: &str) {
    let request = ReadRequest { path: path.into(), lines: None, symbol: None, body: false, seen: None };
    drop(workspace.inner.read(&test_caller(), &request).unwrap());
}

fn content(workspace: &SimWorkspace, id: u64, side: EntrySide) -> Result<String, RequestError> {
    let request = ContentRequest { job: JobId(id), path: "a.txt".into(), side, from: 0 };
    let reply = workspace.inner.content(&request).map_err(|refusal| *refusal)?;
    Ok(String::from_utf8(reply.reply.bytes.clone()).unwrap())
}

/// Changes a file as another program whose old content the journal does not have, and shows the entry.
fn changed(change: impl FnOnce(&SimMachine)) -> (SimWorkspace, EntrySummary, ShowReply) {
    let machine = machine();
    machine.outside().write("/w/a.txt", b"old 1\nold 2\n").unwrap();
    let workspace = open(&machine);
    read(&workspace, "a.txt");
    change(&machine);
    let event = workspace.inner.observe(&"a.txt".into()).unwrap();
    let shown = workspace.show(event.entry.unwrap()).unwrap();
    let entry = workspace.entries().unwrap().remove(0);
    (workspace, entry, shown)
}

#[test]
fn a_change_of_an_unknown_content_is_no_insertion() {
    let (workspace, entry, shown) =
        changed(|machine| machine.outside().write("/w/a.txt", b"theirs\n").unwrap());
    let change = &shown.changes[0];
    assert!(change.partial && change.diff.is_empty(), "{change:?}");
    assert_eq!((entry.files[0].added, entry.files[0].removed), (0, 0));
    assert_eq!(content(&workspace, entry.id.0, EntrySide::After).unwrap(), "theirs\n");
    let before = content(&workspace, entry.id.0, EntrySide::Before).unwrap_err();
    assert!(before.message.contains("no longer kept"), "{before}");
    let undo = UndoRequest { jobs: vec![entry.id], ..UndoRequest::default() };
    let refused = workspace.send(&ChangeRequest::Undo(undo), "undo").error.unwrap();
    assert!(refused.message.contains("does not have the earlier bytes"), "{refused}");
}

#[test]
fn the_deletion_of_an_unknown_content_shows_no_lines() {
    let (_workspace, entry, shown) = changed(|machine| machine.outside().remove("/w/a.txt").unwrap());
    let change = &shown.changes[0];
    assert!(change.partial && change.diff.contains("deleted file mode"), "{change:?}");
    assert!(!change.diff.contains("@@"), "{change:?}");
    assert_eq!((entry.files[0].added, entry.files[0].removed), (0, 0));
}
