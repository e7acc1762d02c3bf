//! A job over globs whose disk fails once, on the simulated machine: it changes every file that the globs match, or none.
//! If a file or folder may not be read, it changes the other files, and the receipt names what it leaves out.

use editd_proto::message::{FileEdit, FileEntry, JobStatus};
use editd_tests::fault_injection::requests::job;
use editd_tests::fault_injection::sim_scenario::{KEY, SimScenario};
use editd_tests::fault_injection::visible_files::VisibleFiles;
use editd_tests::sim::{EACCES, EIO, FaultDuration, OutsideProcess};

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

/// Plays the job with a failing call, counted from its beginning; returns the number of calls that the job makes, and
/// complaints.
fn played(failing: Option<(u64, i32)>) -> (u64, Vec<String>) {
    let scenario = scenario();
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    let (before, begun) = (VisibleFiles::of(&machine), machine.calls());
    if let Some((nth, errno)) = failing {
        machine.fail_call(begun + nth, errno, FaultDuration::Once);
    }
    let receipt = workspace.send(&scenario.job, KEY);
    let calls = machine.calls() - begun;
    let changed = VisibleFiles::of(&machine).differences(&before, &[]);
    let told = receipt.error.as_ref().map_or("", |error| error.message.as_str());
    let left_out = if changed.iter().any(|one| one.starts_with("a.txt")) { "sub" } else { "a.txt" };
    let warned = receipt.files.iter().flat_map(|file| &file.warnings).any(|warning| {
        warning
            .strip_prefix("files[0].paths leaves out files and folders that editd may not read: ")
            .is_some_and(|told| told == left_out || told == format!("{left_out}/b.txt"))
    });
    let is_whole = match (receipt.status, changed.len()) {
        (JobStatus::Applied, 1) => warned && failing.is_some_and(|(_, errno)| errno == EACCES),
        (JobStatus::Applied, 2) | (JobStatus::Refused, 0) => true,
        // The log failed after the files were put in place.
        (JobStatus::Refused, 2) => told.contains("could not be rolled back yet"),
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
    let failed = (0..=calls).flat_map(|nth| [EIO, EACCES].map(|errno| (nth, errno)));
    let found: Vec<String> = failed.flat_map(|failing| played(Some(failing)).1).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
