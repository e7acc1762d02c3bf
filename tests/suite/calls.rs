//! The system calls of small jobs, on the simulated machine: a limit that notices a step which looks at a file twice.

use editd_proto::message::{FileEdit, FileEntry, JobStatus};
use editd_tests::fault_injection::requests::{file, job, replace};
use editd_tests::fault_injection::sim_scenario::SimScenario;
use editd_tests::sim::OutsideProcess;

/// The number of files.
const FILES: usize = 20;

fn files(outside: &OutsideProcess) {
    outside.mkdir("/w/src").unwrap();
    for nth in 0..FILES {
        outside.write(&format!("/w/src/f{nth}.txt"), b"one\ntwo\n").unwrap();
    }
}

fn entries(count: usize, old: &str, new: &str) -> Vec<FileEntry> {
    let edits = || -> Vec<FileEdit> { vec![replace(old, new)] };
    (0..count)
        .map(|nth| FileEntry { base: Some("any".to_owned()), ..file(&format!("src/f{nth}.txt"), edits()) })
        .collect()
}

/// Returns the calls of a job that edits so many files once more.
fn calls(count: usize) -> u64 {
    let scenario = SimScenario::new("calls", files, job(entries(count, "one", "two")));
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    assert_eq!(workspace.send(&scenario.job, "first").status, JobStatus::Applied);
    let begun = machine.calls();
    let receipt = workspace.send(&job(entries(count, "two\ntwo", "one\ntwo")), "second");
    assert_eq!(receipt.status, JobStatus::Applied, "{:?}", receipt.error);
    machine.calls() - begun
}

#[test]
fn an_edit_makes_few_system_calls() {
    let (one, all) = (calls(1), calls(FILES));
    println!("one file: {one} calls, {FILES} files: {all}");
    assert!(one <= 39, "{one} calls");
    let each = (all - one).div_ceil(FILES as u64 - 1);
    assert!(each <= 20, "{each} calls for each further file");
}
