//! The staged files of jobs that were rolled back, after a kill of the daemon, on the simulated machine: what another
//! program writes to one goes into the journal, and the others are removed.

use std::sync::{Arc, Mutex};

use editd_proto::message::{FileEntry, JobStatus};
use editd_tests::fault_injection::requests::{file, job, replace};
use editd_tests::fault_injection::sim_scenario::{KEY, SimScenario};
use editd_tests::fault_injection::sim_workspace::SimWorkspace;
use editd_tests::sim::{HookTiming, OsCall, OutsideFile, OutsideProcess, SimMachine};

const TAG: &str = "written to the staged file";

fn files(outside: &OutsideProcess) {
    outside.write("/w/a.txt", b"line 1 of a\n").unwrap();
    outside.mount("/w/mnt").unwrap();
    outside.mkdir("/w/mnt/sub").unwrap();
    outside.write("/w/mnt/sub/a.txt", b"line 1 of a\n").unwrap();
    outside.write("/w/b.txt", b"line 1 of b\n").unwrap();
}

fn changed(path: &str, old: &str) -> FileEntry {
    file(path, vec![replace(old, "changed")])
}

/// Sends a job for the file at `path` and for `b.txt`, which another program changes after the first one was put in place. Returns
/// the machine, the workspace, and the descriptor with which another program had opened the first one by then.
fn rolled_back(path: &str) -> (SimMachine, SimWorkspace, OutsideFile) {
    let request = job(vec![changed(path, "line 1 of a"), changed("b.txt", "line 1 of b")]);
    let scenario = SimScenario::new("rolled back", files, request);
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    let held = Arc::new(Mutex::new(None));
    let (opened, name) = (Arc::clone(&held), format!("/w/{path}"));
    machine.at_next(OsCall::Exchange, 1, HookTiming::Before, move |outside| {
        *opened.lock().unwrap() = Some(outside.open(&name).unwrap());
        outside.write("/w/b.txt", b"theirs\n").unwrap();
    });
    let receipt = workspace.send(&scenario.job, KEY);
    assert_eq!(receipt.status, JobStatus::Refused, "{receipt:?}");
    assert_eq!(machine.outside().read(&format!("/w/{path}")).unwrap(), b"line 1 of a\n");
    let held = held.lock().unwrap().take().unwrap();
    (machine, workspace, held)
}

/// Returns the names of the files under `.editd/lost` and `.editd/staging`, and of those with a name of editd's beside a file.
fn left(machine: &SimMachine) -> Vec<String> {
    let names = |folder: &str| {
        let names = machine.snapshot(folder).unwrap().0.into_keys();
        names.map(|name| String::from_utf8(name).unwrap()).filter(|name| !name.is_empty())
    };
    let beside = names("/w/mnt/sub").filter(|name| name.contains(".editd"));
    names("/w/.editd/lost").chain(names("/w/.editd/staging")).chain(beside).collect()
}

#[test]
fn bytes_written_to_a_staged_file_of_a_void_entry_are_kept_after_a_kill() {
    for path in ["a.txt", "mnt/sub/a.txt"] {
        for before_kill in [true, false] {
            let (machine, workspace, held) = rolled_back(path);
            if before_kill {
                held.append(TAG.as_bytes()).unwrap();
            }
            let machine = machine.kill();
            drop(workspace);
            let workspace = SimWorkspace::open(&machine).unwrap();
            if !before_kill {
                held.append(TAG.as_bytes()).unwrap();
            }
            drop(held);
            assert!(workspace.settle(), "{path}");
            let entries = workspace.entries().unwrap();
            let diffs = entries.iter().flat_map(|entry| workspace.show(entry.id).unwrap().changes);
            let kept = diffs.filter(|change| change.diff.contains(TAG)).count();
            assert_eq!((kept, left(&machine)), (1, vec![]), "{path}: {:?}", workspace.notes);
        }
    }
}

#[test]
fn an_unchanged_staged_file_of_a_void_entry_is_removed_after_a_kill() {
    for path in ["a.txt", "mnt/sub/a.txt"] {
        let (machine, workspace, held) = rolled_back(path);
        let machine = machine.kill();
        drop((workspace, held));
        let workspace = SimWorkspace::open(&machine).unwrap();
        assert!(workspace.settle(), "{path}");
        let entries = workspace.entries().unwrap();
        let of_path =
            entries.iter().flat_map(|entry| &entry.files).filter(|file| file.path == path.into()).count();
        assert_eq!((of_path, left(&machine)), (0, vec![]), "{path}: {:?}", workspace.notes);
    }
}
