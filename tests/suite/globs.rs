//! A job over globs whose disk fails once, on the simulated machine: it changes every file that the globs match, or none.

use editd_proto::message::{FileEdit, FileEntry, JobStatus};
use editd_tests::fault_injection::requests::job;
use editd_tests::fault_injection::sim_scenario::{KEY, SimScenario};
use editd_tests::fault_injection::visible_files::VisibleFiles;
use editd_tests::sim::{EIO, FaultDuration, OutsideProcess};

fn files(outside: &OutsideProcess) {
    outside.mkdir("/w/sub").unwrap();
    outside.write("/w/a.txt", b"old\n").unwrap();
    outside.write("/w/sub/b.txt", b"old\n").unwrap();
}

fn scenario() -> SimScenario {
    let substitute = FileEdit {
        op: "substitute".to_owned(),
        pattern: Some("old".to_owned()),
        replacement: Some("new".to_owned()),
        ..FileEdit::default()
    };
    let entry = FileEntry {
        paths: vec!["**/*.txt".to_owned()],
        base: Some("any".to_owned()),
        edits: vec![substitute],
        ..FileEntry::default()
    };
    SimScenario::new("globs", files, job(vec![entry]))
}

/// Plays the job with a failing call, counted from its beginning; returns the number of calls that the job makes.
fn played(failing: Option<u64>) -> (u64, Vec<String>) {
    let scenario = scenario();
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    let (before, begun) = (VisibleFiles::of(&machine), machine.calls());
    if let Some(nth) = failing {
        machine.fail_call(begun + nth, EIO, FaultDuration::Once);
    }
    let receipt = workspace.send(&scenario.job, KEY);
    let calls = machine.calls() - begun;
    let changed = VisibleFiles::of(&machine).differences(&before, &[]);
    let told = receipt.error.as_ref().map_or("", |error| error.message.as_str());
    let is_whole = match (receipt.status, changed.len()) {
        (JobStatus::Applied, 2) | (JobStatus::Refused, 0) => true,
        // The log failed after the files were put in place.
        (JobStatus::Refused, 2) => told.contains("could not be taken back yet"),
        _ => false,
    };
    let found = if is_whole {
        Vec::new()
    } else {
        vec![format!("call {failing:?}: {:?} {told}: {changed:?}", receipt.status)]
    };
    (calls, found)
}

#[test]
fn no_file_is_left_out_if_a_call_fails() {
    let (calls, found) = played(None);
    assert!(found.is_empty() && calls > 20, "{calls} calls: {found:?}");
    let found: Vec<String> = (0..=calls).flat_map(|nth| played(Some(nth)).1).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
