//! Flushes before an original is removed, on the simulated machine: of a file that was moved away, of a file whose
//! flush failed (`failed`), and of the name under which a job found its file. It tests power cuts only; `crash` tests
//! kills.
//!
//! These tests are no case files: they move a file, or let a flush fail, between two chosen system calls of a job or of
//! its settling. A case file can name only the steps of a job.

mod failed;

use std::time::Duration;

use editd::testing::limits::HELD;
use editd_proto::message::{ContentRequest, EntrySide, EntrySummary, JobStatus};
use editd_tests::fault_injection::requests::{append, create, delete, file, job, replace};
use editd_tests::fault_injection::sim_scenario::ChangeRequest;
use editd_tests::fault_injection::sim_workspace::{SimWorkspace, test_caller};
use editd_tests::scenario::format::numbered_lines as text;
use editd_tests::sim::{OutsideProcess, SimMachine, SnapshotNode, SystemFeatures};

/// Power cuts that are looked at in one state; all where there are no more.
const CUTS: usize = 300;

fn old_text() -> Vec<u8> {
    text("a", 1500)
}

fn new_text() -> Vec<u8> {
    let old = String::from_utf8(old_text()).unwrap();
    old.replace("line 20 of a\n", "changed\n").into_bytes()
}

fn edit() -> ChangeRequest {
    job(vec![file("a.txt", vec![replace("line 20 of a\n", "changed\n")])])
}

fn files(outside: &OutsideProcess) {
    outside.mkdir("/w/dir").unwrap();
    outside.write("/w/a.txt", &old_text()).unwrap();
    outside.write("/w/backup.txt", &text("backup", 1300)).unwrap();
    outside.write("/w/dir/a.txt", &old_text()).unwrap();
    outside.write("/w/linked.txt", &old_text()).unwrap();
    outside.link("/w/linked.txt", "/w/dir/linked.txt").unwrap();
}

/// A machine on which everything has stood for an hour.
fn machine(features: SystemFeatures) -> SimMachine {
    let machine = SimMachine::new();
    machine.set_features(features);
    machine.outside().mkdir("/w").unwrap();
    machine.outside().mkdir("/state").unwrap();
    files(&machine.outside());
    machine.settle();
    machine.pass(Duration::from_secs(3600));
    machine
}

fn disks() -> [SystemFeatures; 2] {
    let usual = SystemFeatures::default();
    [usual, SystemFeatures { ordered_names: false, half_exchanges: true, ..usual }]
}

fn applied(workspace: &SimWorkspace, request: &ChangeRequest, key: &str) {
    let receipt = workspace.send(request, key);
    assert_eq!(receipt.status, JobStatus::Applied, "{:?}", receipt.error);
}

/// Every content below the workspace, with its path.
fn contents(machine: &SimMachine) -> Vec<(String, Vec<u8>)> {
    let snapshot = machine.snapshot("/w").unwrap();
    let file = |(path, seen): (Vec<u8>, SnapshotNode)| match seen {
        SnapshotNode::File { bytes, .. } => Some((String::from_utf8(path).unwrap(), bytes)),
        _ => None,
    };
    snapshot.0.into_iter().filter_map(file).collect()
}

fn lost(machine: &SimMachine) -> Vec<Vec<u8>> {
    let lost = contents(machine).into_iter().filter(|(path, _)| path.starts_with(".editd/lost/"));
    lost.map(|(_, bytes)| bytes).collect()
}

/// The contents in the journal of files whose successors were moved before they were flushed.
fn replaced(workspace: &SimWorkspace) -> Vec<Vec<u8>> {
    let entries = workspace.entries().unwrap();
    let kept =
        entries.iter().filter(|entry| entry.label.as_ref().is_some_and(|label| label.contains("flushed")));
    let content = |entry: &EntrySummary| {
        let path = entry.files[0].path.clone();
        let request = ContentRequest { job: entry.id, path, side: EntrySide::After, from: 0 };
        workspace.inner.content(&test_caller(), &request).unwrap().reply.bytes
    };
    kept.map(content).collect()
}

/// After every power cut one of these paths shows these bytes, once the workspace was opened again.
fn stands_after_cuts(machine: &SimMachine, paths: &[&str], bytes: &[u8]) {
    for (nth, cut) in machine.cuts(CUTS, 3).into_iter().enumerate() {
        let workspace = SimWorkspace::open(&cut).unwrap();
        let shown: Vec<_> = contents(&cut).into_iter().filter(|(path, _)| paths.contains(&&**path)).collect();
        let told: Vec<_> = shown.iter().map(|(path, bytes)| (path, bytes.len())).collect();
        let stands = shown.iter().any(|(_, shown)| shown == bytes);
        assert!(stands, "cut {nth}: {told:?}, none as it was answered; notes: {:?}", workspace.notes);
    }
}

#[test]
fn an_edit_of_a_file_just_moved_to_its_name_is_durable() {
    let from_backup = String::from_utf8(text("backup", 1300)).unwrap();
    let changed = from_backup.replace("line 9 of backup\n", "changed\n").into_bytes();
    for features in disks() {
        let machine = machine(features);
        let workspace = SimWorkspace::open(&machine).unwrap();
        machine.outside().rename("/w/backup.txt", "/w/a.txt").unwrap();
        applied(
            &workspace,
            &job(vec![file("a.txt", vec![replace("line 9 of backup\n", "changed\n")])]),
            "one",
        );
        stands_after_cuts(&machine, &["a.txt"], &changed);
    }
}

#[test]
fn a_deletion_of_a_file_just_moved_to_its_name_is_durable() {
    for features in disks() {
        let machine = machine(features);
        let workspace = SimWorkspace::open(&machine).unwrap();
        machine.outside().rename("/w/backup.txt", "/w/a.txt").unwrap();
        applied(&workspace, &job(vec![file("a.txt", vec![delete()])]), "one");
        for cut in machine.cuts(CUTS, 3) {
            let workspace = SimWorkspace::open(&cut).unwrap();
            assert!(cut.outside().stat("/w/a.txt").is_err(), "it is back; notes: {:?}", workspace.notes);
        }
    }
}

#[test]
fn an_edit_of_a_file_moved_away_and_back_is_durable() {
    let both = [new_text(), b"more\n".to_vec()].concat();
    for features in disks() {
        let machine = machine(features);
        let workspace = SimWorkspace::open(&machine).unwrap();
        applied(&workspace, &edit(), "one");
        assert!(workspace.settle());
        machine.outside().rename("/w/a.txt", "/w/away.txt").unwrap();
        machine.outside().rename("/w/away.txt", "/w/a.txt").unwrap();
        applied(&workspace, &job(vec![file("a.txt", vec![append("more\n")])]), "two");
        stands_after_cuts(&machine, &["a.txt"], &both);
    }
}

#[test]
fn a_job_on_an_unsettled_job_flushes_only_the_log() {
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    let before = machine.trace().len();
    applied(&workspace, &job(vec![file("a.txt", vec![append("more\n")])]), "two");
    let flushes = |trace: &[std::sync::Arc<str>]| {
        let names: Vec<String> = trace.iter().map(ToString::to_string).collect();
        names.into_iter().filter(|call| call.contains("Sync")).collect::<Vec<_>>()
    };
    assert_eq!(flushes(&machine.trace()[before..]).len(), 1, "{:?}", flushes(&machine.trace()[before..]));
    assert!(workspace.settle());
    let before = machine.trace().len();
    applied(&workspace, &job(vec![file("a.txt", vec![append("and more\n")])]), "three");
    assert_eq!(flushes(&machine.trace()[before..]).len(), 1, "{:?}", flushes(&machine.trace()[before..]));
}

#[test]
fn a_file_moved_after_its_job_is_flushed_before_its_original_is_removed() {
    for features in disks() {
        let machine = machine(features);
        let workspace = SimWorkspace::open(&machine).unwrap();
        applied(&workspace, &edit(), "one");
        machine.outside().rename("/w/a.txt", "/w/moved.txt").unwrap();
        assert!(workspace.settle());
        assert!(lost(&machine).is_empty(), "nothing was in doubt");
        stands_after_cuts(&machine, &["a.txt", "moved.txt"], &new_text());
    }
}

#[test]
fn a_file_whose_folder_moved_is_flushed_before_its_original_is_removed() {
    for features in disks() {
        let machine = machine(features);
        let workspace = SimWorkspace::open(&machine).unwrap();
        applied(
            &workspace,
            &job(vec![file("dir/a.txt", vec![replace("line 20 of a\n", "changed\n")])]),
            "one",
        );
        applied(&workspace, &job(vec![file("dir/sub/new.txt", vec![create("new\n")])]), "two");
        machine.outside().rename("/w/dir", "/w/other").unwrap();
        assert!(workspace.settle());
        stands_after_cuts(&machine, &["dir/a.txt", "other/a.txt"], &new_text());
        stands_after_cuts(&machine, &["dir/sub/new.txt", "other/sub/new.txt"], b"new\n");
    }
}

#[test]
fn the_moved_last_file_of_a_chain_is_flushed() {
    let both = [new_text(), b"more\n".to_vec()].concat();
    for features in disks() {
        let machine = machine(features);
        let workspace = SimWorkspace::open(&machine).unwrap();
        applied(&workspace, &edit(), "one");
        applied(&workspace, &job(vec![file("a.txt", vec![append("more\n")])]), "two");
        machine.outside().rename("/w/a.txt", "/w/moved.txt").unwrap();
        assert!(workspace.settle());
        stands_after_cuts(&machine, &["a.txt", "moved.txt"], &both);
    }
}

#[test]
fn a_file_that_was_moved_while_no_daemon_ran_keeps_its_original() {
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    let machine = machine.kill();
    machine.outside().rename("/w/a.txt", "/w/moved.txt").unwrap();
    let workspace = SimWorkspace::open(&machine).unwrap();
    assert!(workspace.settle());
    // Its successor may not be on the disk.
    assert_eq!((replaced(&workspace), lost(&machine)), (vec![old_text()], vec![]));
    for cut in machine.cuts(CUTS, 3) {
        assert_eq!(replaced(&SimWorkspace::open(&cut).unwrap()), [old_text()]);
    }
}

#[test]
fn a_file_replaced_after_its_job_leaves_no_staged_file() {
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    machine.outside().replace("/w/a.txt", b"formatted\n").unwrap();
    assert!(workspace.settle());
    assert!(lost(&machine).is_empty());
    assert!(contents(&machine).iter().all(|(path, _)| !path.starts_with(".editd/staging/")));
    stands_after_cuts(&machine, &["a.txt"], b"formatted\n");
}

#[test]
fn a_file_created_after_a_deletion_leaves_no_staged_file() {
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    let mut deleted = file("a.txt", vec![delete()]);
    deleted.base = Some("any".to_owned());
    applied(&workspace, &job(vec![deleted]), "two");
    machine.outside().write("/w/a.txt", b"again\n").unwrap();
    assert!(workspace.settle());
    assert!(lost(&machine).is_empty());
}

#[test]
fn above_the_limit_of_open_files_the_original_of_a_moved_file_is_kept() {
    let machine = machine(SystemFeatures::default());
    let outside = machine.outside();
    let names: Vec<String> = (0..=HELD).map(|nth| format!("many/f{nth}.txt")).collect();
    outside.mkdir("/w/many").unwrap();
    for name in &names {
        outside.write(&format!("/w/{name}"), b"old\n").unwrap();
    }
    machine.settle();
    machine.pass(Duration::from_secs(3600));
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &job(names.iter().map(|name| file(name, vec![append("new\n")])).collect()), "one");
    outside.rename("/w/many", "/w/moved").unwrap();
    assert!(workspace.settle());
    assert_eq!(
        (replaced(&workspace), lost(&machine)),
        (vec![b"old\n".to_vec()], vec![]),
        "all others were open"
    );
}
