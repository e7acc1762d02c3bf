//! The database of the journal fails while the daemon serves, as sled does on a full disk: no edit is refused for it, and
//! the daemon says what it did. On the simulated machine with injected faults, and on a real full disk (as root).

use std::fs;

use editd::testing::{DatabaseBackend, DatabaseFaults, StoreOptions};
use editd_proto::message::{JobStatus, kind};
use editd_tests::fault_injection::requests::{create, file, job, replace};
use editd_tests::fault_injection::sim_workspace::{SimWorkspace, options};
use editd_tests::jobs;
use editd_tests::sim::SimMachine;
use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

use crate::odd_files::{MountPoint, fill, is_root};

#[test]
fn jobs_are_done_whenever_the_database_fails() {
    let mut failed = 0;
    for calls in (0..96).step_by(3) {
        let full = calls % 2 == 0;
        let machine = SimMachine::new();
        let outside = machine.outside();
        outside.mkdir("/w").unwrap();
        outside.mkdir("/state").unwrap();
        outside.write("/w/a.txt", b"0\n").unwrap();
        machine.settle();
        let faults = DatabaseFaults::default();
        let database = DatabaseBackend::Faulty(faults.clone());
        let workspace = SimWorkspace::open_on(&machine, StoreOptions { database, ..options() }).unwrap();
        faults.fail_after(calls, full);
        for nth in 0..12 {
            let (old, new) = (format!("{nth}\n"), format!("{}\n", nth + 1));
            let edit = job(vec![
                file("a.txt", vec![replace(&old, &new)]),
                file(&format!("new-{nth}.txt"), vec![create(&new)]),
            ]);
            let receipt = workspace.send(&edit, &format!("key {nth}"));
            assert_eq!(receipt.status, JobStatus::Applied, "{calls}: {:?}", receipt.error);
            assert_eq!(workspace.send(&edit, &format!("key {nth}")).job, receipt.job, "{calls}");
            if nth % 4 == 3 {
                assert!(workspace.settle());
                workspace.inner.upkeep();
            }
        }
        assert_eq!(workspace.entries().unwrap().len(), 12);
        assert_eq!(workspace.inner.failed(), None);
        if faults.failed() > 0 {
            failed += 1;
            assert_eq!(workspace.inner.database_fault().is_some(), full);
        }
        drop(workspace);
        let machine = machine.kill();
        let workspace = SimWorkspace::open(&machine).unwrap();
        assert_eq!(workspace.entries().unwrap().len(), 12);
        assert_eq!(machine.outside().read("/w/a.txt").unwrap(), b"12\n");
    }
    assert!(failed > 10, "{failed}");
}

#[test]
fn a_database_on_a_full_disk_moves_to_memory_and_edits_go_on() {
    if !is_root("a full disk") {
        return;
    }
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("a");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "first\n")));
    let state = daemon.state_folder();
    drop(client);
    daemon.stop();
    // Only the database is on the full disk: the log has room.
    let sled = state.join("sled");
    let saved = state.join("saved");
    fs::rename(&sled, &saved).unwrap();
    fs::create_dir(&sled).unwrap();
    let Some(mount) = MountPoint::new(&sled, "8m") else { return };
    for entry in fs::read_dir(&saved).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), sled.join(entry.file_name())).unwrap();
        }
    }
    fs::remove_dir_all(&saved).unwrap();
    daemon.start();
    let mut client = daemon.client("a");
    let _filler = fill(&sled);
    for nth in 0..1500 {
        let reply =
            client.ask_json(kind::EDIT, &jobs::write(&format!("{}.txt", nth % 9), &format!("{nth}\n")));
        jobs::applied(&reply);
    }
    let status = client.ask_json(kind::STATUS, &json!({}));
    let told = status["database"].as_str().unwrap_or_else(|| panic!("{status}"));
    assert!(told.contains("the disk is full") && told.contains("nothing is lost"), "{told}");
    for word in ["sled panicked", "StorageFull", "Os {", "restart"] {
        assert!(!told.contains(word), "{told}");
    }
    assert!(status["failed"].is_null(), "{status}");
    assert_eq!(status["entries"], 1501);
    let doctor = client.ask_json(kind::CHECK, &json!({}));
    let findings = doctor["findings"].as_array().unwrap();
    assert!(findings.iter().any(|one| one["subject"] == "database" && one["severity"] == "bad"), "{doctor}");
    // The next daemon serves as well, with and without room.
    drop(client);
    daemon.kill_and_start();
    let mut client = daemon.client("a");
    let status = client.ask_json(kind::STATUS, &json!({}));
    assert_eq!(status["entries"], 1501, "{status}");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "second\n")));
    jobs::applied(&client.ask_json(kind::UNDO, &json!({})));
    assert_eq!(daemon.get("a.txt"), b"first\n");
    drop(client);
    daemon.stop();
    drop(mount);
    daemon.start();
    let status = daemon.client("a").ask_json(kind::STATUS, &json!({}));
    assert!(status["database"].is_null(), "{status}");
    assert_eq!(status["entries"], 1503);
}
