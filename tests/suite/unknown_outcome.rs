//! *Once*, while a disk fails: if the outcome of a job is unknown, its key gets the first reply again until that is
//! known, and a clipboard that may be stored is not reported as rejected. On the simulated machine.
//!
//! These tests are no case files: they let one call on the log fail, and send the same key again before the restart.

use editd_proto::ids::JobId;
use editd_proto::message::{ClipAction, ClipRequest, EntryKind, JobRequest, JobStatus, ReadRequest, Receipt};
use editd_proto::{ErrorCode, RequestError};
use editd_tests::fault_injection::requests::{create, file, job, replace};
use editd_tests::fault_injection::sim_scenario::ChangeRequest;
use editd_tests::fault_injection::sim_workspace::{SimWorkspace, test_caller};
use editd_tests::sim::{EIO, Fault, FaultDuration, HookTiming, OsCall, SimMachine};

fn machine() -> SimMachine {
    let machine = SimMachine::new();
    let outside = machine.outside();
    outside.mkdir("/w").unwrap();
    outside.mkdir("/state").unwrap();
    outside.write("/w/a.txt", b"old\n").unwrap();
    outside.write("/w/b.txt", b"old\n").unwrap();
    machine.settle();
    machine
}

fn edit() -> ChangeRequest {
    let change = |path| file(path, vec![replace("old", "new")]);
    job(vec![change("a.txt"), change("b.txt")])
}

fn fail(machine: &SimMachine, call: OsCall, lasting: FaultDuration) {
    machine.fail(Fault { at: 0, lasting, only: vec![call], errno: EIO, written: 0 });
}

fn unknown(receipt: Receipt) -> RequestError {
    assert_eq!(receipt.status, JobStatus::Refused);
    let error = receipt.error.unwrap();
    assert_eq!(error.code, ErrorCode::Io, "{error}");
    assert!(error.message.contains("the next start"), "{error}");
    error
}

/// Sends a job whose outcome is unknown, and then twice again with its key.
fn three_times(workspace: &SimWorkspace) -> RequestError {
    let first = unknown(workspace.send(&edit(), "one"));
    assert_eq!(unknown(workspace.send(&edit(), "one")), first);
    assert_eq!(unknown(workspace.send(&edit(), "one")), first);
    let other = workspace.send(&job(vec![file("new.txt", vec![create("x\n")])]), "one").error.unwrap();
    assert_eq!(other.code, ErrorCode::Malformed, "the key was used for another job: {other}");
    first
}

fn read(machine: &SimMachine, path: &str) -> String {
    String::from_utf8(machine.outside().read(path).unwrap()).unwrap()
}

/// Starts the next daemon, which knows the outcome, and makes sure that the key is one job.
fn decided(machine: SimMachine) {
    let machine = machine.kill();
    let workspace = SimWorkspace::open(&machine).unwrap();
    let receipt = workspace.send(&edit(), "one");
    assert_eq!(receipt.status, JobStatus::Applied, "{:?}", receipt.error);
    assert_eq!((read(&machine, "/w/a.txt"), read(&machine, "/w/b.txt")), ("new\n".into(), "new\n".into()));
    assert_eq!(workspace.entries().unwrap().len(), 1);
}

#[test]
fn a_key_whose_intent_could_not_be_flushed_gets_the_first_reply_again() {
    let machine = machine();
    let workspace = SimWorkspace::open(&machine).unwrap();
    fail(&machine, OsCall::SyncData, FaultDuration::Once);
    let first = three_times(&workspace);
    let id: u64 = first.message.split("show ").nth(1).unwrap().split('`').next().unwrap().parse().unwrap();
    let id = JobId(id);
    let told = workspace.inner.receipt(id).unwrap_err();
    assert_eq!(*told, first);
    assert_eq!(workspace.show(id).unwrap_err(), first.message);
    // A job that was never in the log is not called unknown.
    let later = workspace.send(&edit(), "two").error.unwrap();
    assert!(later.message.contains("accepts no more changes"), "{later}");
    assert!(!later.message.contains("the next start"), "{later}");
    decided(machine);
}

#[test]
fn a_job_after_the_log_failed_is_refused_because_of_the_log() {
    let machine = machine();
    let workspace = SimWorkspace::open(&machine).unwrap();
    // The files are young, so their folder is flushed first.
    fail(&machine, OsCall::SyncDir, FaultDuration::ForEver);
    let refused = workspace.send(&edit(), "one").error.unwrap();
    assert!(refused.message.contains("a.txt: its folder could not be flushed"), "{refused}");
    machine.remove_faults();
    fail(&machine, OsCall::SyncData, FaultDuration::Once);
    unknown(workspace.send(&edit(), "two"));
    fail(&machine, OsCall::SyncDir, FaultDuration::ForEver);
    let refused = workspace.send(&edit(), "three").error.unwrap();
    assert!(refused.message.contains("accepts no more changes"), "{refused}");
}

#[test]
fn a_key_whose_intent_could_not_be_written_gets_the_first_reply_again() {
    let machine = machine();
    let workspace = SimWorkspace::open(&machine).unwrap();
    // The new contents of both files are staged before; the third write is that of the log.
    let same = machine.clone();
    machine.at_next(OsCall::WriteAt, 2, HookTiming::Before, move |_| {
        fail(&same, OsCall::WriteAt, FaultDuration::Once);
    });
    three_times(&workspace);
    decided(machine);
}

#[test]
fn a_key_whose_job_is_not_rolled_back_yet_gets_the_first_reply_again() {
    let machine = machine();
    let workspace = SimWorkspace::open(&machine).unwrap();
    let same = machine.clone();
    machine.at_next(OsCall::Exchange, 1, HookTiming::Before, move |_| {
        fail(&same, OsCall::Exchange, FaultDuration::ForEver);
    });
    let first = three_times(&workspace);
    assert!(first.message.contains("could not be rolled back yet"), "{first}");
    machine.remove_faults();
    assert!(workspace.settle());
    // Now it is known that nothing was done, so the key may be used again.
    assert_eq!((read(&machine, "/w/a.txt"), read(&machine, "/w/b.txt")), ("old\n".into(), "old\n".into()));
    let receipt = workspace.send(&edit(), "one");
    assert_eq!(receipt.status, JobStatus::Applied, "{:?}", receipt.error);
}

/// Observes both files as the watcher and a reader do.
fn observe(workspace: &SimWorkspace) {
    for path in ["a.txt", "b.txt"] {
        let _event = workspace.inner.observe(&path.into());
        let request = ReadRequest { path: path.into(), lines: None, symbol: None, body: false, seen: None };
        drop(workspace.inner.read(&test_caller(), &request).unwrap());
    }
}

#[test]
fn the_states_of_a_job_that_is_not_rolled_back_yet_are_nobodys_changes() {
    for theirs in [None, Some("a.txt"), Some("b.txt")] {
        let machine = machine();
        let workspace = SimWorkspace::open(&machine).unwrap();
        let same = machine.clone();
        machine.at_next(OsCall::Exchange, 1, HookTiming::Before, move |_| {
            fail(&same, OsCall::Exchange, FaultDuration::ForEver);
        });
        unknown(workspace.send(&edit(), "one"));
        assert_eq!(read(&machine, "/w/a.txt"), "new\n", "its first file has its content");
        observe(&workspace);
        assert_eq!(workspace.entries().unwrap(), []);
        if let Some(path) = theirs {
            machine.outside().append(&format!("/w/{path}"), b"theirs\n").unwrap();
            observe(&workspace);
        }
        machine.remove_faults();
        assert!(workspace.settle());
        // The events of a change by another program came while the job was not rolled back.
        let entries = workspace.entries().unwrap();
        let outside =
            entries.iter().filter(|entry| entry.kind == EntryKind::External && entry.label.is_none());
        let changed: Vec<String> =
            outside.flat_map(|entry| &entry.files).map(|file| file.path.to_string()).collect();
        assert_eq!(changed, Vec::from_iter(theirs), "{entries:?}");
        observe(&workspace);
        assert_eq!(workspace.entries().unwrap(), entries);
    }
}

#[test]
fn a_detached_job_that_is_not_rolled_back_yet_has_no_stored_end() {
    let ChangeRequest::Edit(request) = edit() else { panic!("an edit") };
    let detached = ChangeRequest::Edit(JobRequest { detach: true, ..request });
    for repaired in [true, false] {
        let machine = machine();
        let workspace = SimWorkspace::open(&machine).unwrap();
        let same = machine.clone();
        machine.at_next(OsCall::Exchange, 1, HookTiming::Before, move |_| {
            fail(&same, OsCall::Exchange, FaultDuration::ForEver);
        });
        let first = unknown(workspace.send(&detached, "one"));
        assert_eq!(unknown(workspace.send(&detached, "one")), first);
        machine.remove_faults();
        if repaired {
            assert!(workspace.settle());
            let receipt = workspace.send(&detached, "one");
            let error = receipt.error.unwrap();
            assert!(!error.message.contains("the next start"), "it was rolled back: {error}");
            continue;
        }
        // The next daemon finishes it or runs it again; either way, its stored end is not the refusal.
        let machine = machine.kill();
        let workspace = SimWorkspace::open(&machine).unwrap();
        let receipt = workspace.send(&detached, "one");
        let running = receipt.error.is_some_and(|error| error.code == ErrorCode::Busy);
        assert!(running || receipt.status == JobStatus::Applied);
    }
}

#[test]
fn a_detached_job_that_could_not_be_stored_durably_is_unknown() {
    let ChangeRequest::Edit(request) = edit() else { panic!("an edit") };
    let detached = ChangeRequest::Edit(JobRequest { detach: true, ..request });
    let machine = machine();
    let workspace = SimWorkspace::open(&machine).unwrap();
    fail(&machine, OsCall::SyncData, FaultDuration::Once);
    let first = unknown(workspace.send(&detached, "one"));
    assert_eq!(unknown(workspace.send(&detached, "one")), first);
}

#[test]
fn a_clipboard_that_may_be_stored_is_unknown() {
    let machine = machine();
    let workspace = SimWorkspace::open(&machine).unwrap();
    let set = |name: &str| {
        let request = ClipRequest {
            action: ClipAction::Set,
            name: Some(name.to_owned()),
            to: None,
            text: Some("text".to_owned()),
        };
        workspace.inner.clip(&test_caller(), &request).unwrap_err()
    };
    fail(&machine, OsCall::SyncData, FaultDuration::Once);
    let first = set("one");
    assert_eq!(first.code, ErrorCode::Io);
    assert!(first.message.contains("may be in the log; restart the daemon"), "{first}");
    // From now on nothing is written, which is known.
    let later = set("two");
    assert!(!later.message.contains("may be in the log"), "{later}");
    let machine = machine.kill();
    let workspace = SimWorkspace::open(&machine).unwrap();
    let clips = workspace.clips().unwrap();
    assert_eq!(clips.keys().collect::<Vec<_>>(), ["one"], "it was stored, as a kill keeps what was written");
}
