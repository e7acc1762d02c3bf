//! Files whose flush failed: the content that a job wrote is on the disk before the original is removed, whatever a
//! second flush reports.

use editd_proto::ErrorCode;
use editd_proto::message::{Durability, EntryKind, JobStatus, UndoRequest};
use editd_tests::fault_injection::requests::{append, file, job, replace, with};
use editd_tests::fault_injection::sim_scenario::ChangeRequest;
use editd_tests::fault_injection::sim_workspace::SimWorkspace;
use editd_tests::scenario::format::numbered_lines as text;
use editd_tests::sim::{EACCES, EIO, Fault, FaultDuration, HookTiming, OsCall, SimMachine, SystemFeatures};

use super::{applied, contents, disks, edit, machine, new_text, old_text, stands_after_cuts};

/// Bytes of a file that a job flushes instead of carrying it, while it is young.
const LARGE: usize = 1_200_000;

fn fail_flushes(machine: &SimMachine, lasting: FaultDuration) {
    machine.fail(Fault { at: 0, lasting, only: vec![OsCall::SyncAll], errno: EIO, written: 0 });
}

#[test]
fn a_file_whose_flush_failed_is_rewritten_before_its_original_is_removed() {
    for features in disks() {
        let machine = machine(features);
        let workspace = SimWorkspace::open(&machine).unwrap();
        applied(&workspace, &edit(), "one");
        fail_flushes(&machine, FaultDuration::Once);
        assert!(workspace.settle());
        assert_eq!(machine.outside().read("/w/a.txt").unwrap(), new_text());
        stands_after_cuts(&machine, &["a.txt"], &new_text());
    }
}

#[test]
fn while_every_flush_fails_the_original_stays_and_doctor_reports_it() {
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    fail_flushes(&machine, FaultDuration::ForEver);
    assert!(!workspace.settle());
    let told = workspace.inner.check().findings;
    let told: Vec<_> = told.iter().filter(|one| one.subject == "unsettled").collect();
    assert!(told.iter().all(|one| one.severity == "bad" && one.message.contains("a.txt")), "{told:?}");
    stands_after_cuts(&machine, &["a.txt"], &new_text());
    machine.remove_faults();
    assert!(workspace.settle());
    stands_after_cuts(&machine, &["a.txt"], &new_text());
    let told = workspace.inner.check().findings;
    assert!(told.iter().all(|one| one.severity != "bad"), "{told:?}");
}

#[test]
fn a_job_with_full_durability_is_rewritten_before_its_reply_if_a_flush_fails() {
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    fail_flushes(&machine, FaultDuration::Once);
    applied(&workspace, &with(edit(), Durability::Full), "one");
    assert!(workspace.settle());
    stands_after_cuts(&machine, &["a.txt"], &new_text());
}

#[test]
fn a_file_with_two_names_whose_flush_failed_is_written_again() {
    for features in disks() {
        let machine = machine(features);
        let workspace = SimWorkspace::open(&machine).unwrap();
        fail_flushes(&machine, FaultDuration::Once);
        let receipt = workspace.send(&job(vec![file("linked.txt", vec![append("more\n")])]), "one");
        let applied = receipt.status == JobStatus::Applied;
        assert!(workspace.settle());
        let more = if applied { &b"more\n"[..] } else { b"" };
        stands_after_cuts(&machine, &["linked.txt"], &[&old_text(), more].concat());
        assert_eq!(machine.outside().stat("/w/linked.txt").unwrap().links, 2);
    }
}

#[test]
fn a_moved_file_whose_flush_failed_is_in_the_journal() {
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    machine.outside().rename("/w/a.txt", "/w/moved.txt").unwrap();
    fail_flushes(&machine, FaultDuration::Once);
    assert!(workspace.settle());
    let newest = workspace.entries().unwrap().remove(0);
    assert_eq!(newest.kind, EntryKind::External);
    let shown = format!("{:?}", workspace.show(newest.id).unwrap());
    assert!(shown.contains("changed"), "{shown}");
}

#[test]
fn a_job_on_a_large_unflushed_file_survives_a_failed_flush() {
    let large = text("a", LARGE);
    let changed = String::from_utf8(large.clone()).unwrap().replace("line 20 of a\n", "changed\n");
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    machine.outside().write("/w/a.txt", &large).unwrap();
    fail_flushes(&machine, FaultDuration::Once);
    let receipt = workspace.send(&edit(), "one");
    if receipt.status != JobStatus::Applied {
        applied(&workspace, &edit(), "again");
    }
    for cut in machine.cuts(12, 3) {
        let workspace = SimWorkspace::open(&cut).unwrap();
        let stands = cut.outside().read("/w/a.txt").is_ok_and(|bytes| bytes == changed.as_bytes());
        assert!(stands, "the answered job is gone; notes: {:?}", workspace.notes);
    }
}

#[test]
fn a_job_that_read_a_file_before_its_rewrite_is_recovered() {
    let both = [new_text(), b"more\n".to_vec()].concat();
    let machine = machine(SystemFeatures::default());
    let workspace = std::sync::Arc::new(SimWorkspace::open(&machine).unwrap());
    applied(&workspace, &edit(), "one");
    // While the second job stages its file, settling finds that the first one's cannot be flushed.
    let (other, same) = (std::sync::Arc::clone(&workspace), machine.clone());
    machine.at_next(OsCall::CreateFile, 0, HookTiming::Before, move |_| {
        fail_flushes(&same, FaultDuration::Once);
        other.inner.settle(true);
    });
    applied(&workspace, &job(vec![file("a.txt", vec![append("more\n")])]), "two");
    stands_after_cuts(&machine, &["a.txt"], &both);
}

#[test]
fn bytes_lost_by_a_failed_flush_are_rebuilt() {
    let machine = machine(SystemFeatures { fine_times: false, ..SystemFeatures::default() });
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    // As a file system shows it that drops what it could not write.
    machine.outside().open("/w/a.txt").unwrap().write_at(&[0; 512], 512).unwrap();
    fail_flushes(&machine, FaultDuration::Once);
    assert!(workspace.settle());
    stands_after_cuts(&machine, &["a.txt"], &new_text());
}

#[test]
fn outside_bytes_in_a_file_whose_flush_failed_stay() {
    let both = [new_text(), b"theirs\n".to_vec()].concat();
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    machine.outside().append("/w/a.txt", b"theirs\n").unwrap();
    fail_flushes(&machine, FaultDuration::Once);
    assert!(workspace.settle());
    stands_after_cuts(&machine, &["a.txt"], &both);
}

#[test]
fn the_next_daemon_knows_which_flush_failed() {
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    fail_flushes(&machine, FaultDuration::ForEver);
    assert!(!workspace.settle());
    let machine = machine.kill();
    let workspace = SimWorkspace::open(&machine).unwrap();
    assert!(workspace.settle());
    stands_after_cuts(&machine, &["a.txt"], &new_text());
    let marks = contents(&machine).into_iter().filter(|(path, _)| path.contains("unflushed"));
    assert_eq!(marks.count(), 0, "it was written anew");
}

#[test]
fn a_file_that_could_not_be_flushed_is_journaled_once() {
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    machine.outside().rename("/w/a.txt", "/w/moved.txt").unwrap();
    fail_flushes(&machine, FaultDuration::Once);
    let only = vec![OsCall::SyncDir];
    machine.fail(Fault { at: 0, lasting: FaultDuration::Once, only, errno: EIO, written: 0 });
    assert!(workspace.settle());
    let entries = workspace.entries().unwrap().into_iter();
    let rescued: Vec<_> = entries.filter(|entry| entry.kind == EntryKind::External).collect();
    assert_eq!(rescued.len(), 1);
    let undo = ChangeRequest::Undo(UndoRequest { jobs: vec![rescued[0].id], ..UndoRequest::default() });
    let error = workspace.send(&undo, "two").error.unwrap();
    assert_eq!(error.code, ErrorCode::Unsupported, "nothing came to a.txt by it: {error}");
    assert!(error.message.contains("`editctl show"), "{error}");
}

#[test]
fn a_failed_flush_of_a_folder_flushes_none_of_its_files() {
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    applied(&workspace, &job(vec![file("backup.txt", vec![append("more\n")])]), "two");
    let only = vec![OsCall::SyncDir];
    machine.fail(Fault { at: 0, lasting: FaultDuration::Once, only, errno: EIO, written: 0 });
    workspace.inner.settle(true);
    assert_eq!(workspace.inner.counts().unsettled, 2, "the folder holds both names");
    assert!(workspace.settle());
}

/// From now on no file can be opened, as where others take the right to read it away.
fn deny(machine: &SimMachine) {
    let only = vec![OsCall::OpenFile];
    machine.fail(Fault { at: 0, lasting: FaultDuration::ForEver, only, errno: EACCES, written: 0 });
}

#[test]
fn a_file_made_unreadable_after_its_job_is_flushed_before_its_original_is_removed() {
    for features in disks() {
        let machine = machine(features);
        let workspace = SimWorkspace::open(&machine).unwrap();
        applied(&workspace, &edit(), "one");
        deny(&machine);
        workspace.settle();
        stands_after_cuts(&machine, &["a.txt"], &new_text());
    }
}

#[test]
fn an_unreadable_file_keeps_its_original_until_it_can_be_flushed() {
    let machine = machine(SystemFeatures::default());
    let workspace = SimWorkspace::open(&machine).unwrap();
    applied(&workspace, &edit(), "one");
    let killed = machine.kill();
    let mut denied = false;
    for skip in 0..24 {
        let machine = killed.fork();
        let same = machine.clone();
        let only = vec![OsCall::OpenFile];
        let fault = Fault { at: 0, lasting: FaultDuration::Once, only, errno: EACCES, written: 0 };
        machine.at_next(OsCall::OpenFile, skip, HookTiming::Before, move |_| same.fail(fault));
        // Where it is another file that may not be read, there may be no start.
        let Ok(workspace) = SimWorkspace::open(&machine) else { continue };
        deny(&machine);
        if workspace.settle() {
            // It was open from the start.
            continue;
        }
        denied = true;
        stands_after_cuts(&machine, &["a.txt"], &new_text());
        machine.remove_faults();
        assert!(workspace.settle());
        stands_after_cuts(&machine, &["a.txt"], &new_text());
    }
    assert!(denied, "it was open from the start, every time");
}

#[test]
fn files_that_recovery_could_not_flush_are_written_again_by_the_next_one() {
    let both = [old_text(), b"more\n".to_vec()].concat();
    let edits =
        || job(vec![file("a.txt", vec![append("more\n")]), file("linked.txt", vec![append("more\n")])]);
    for features in disks() {
        let machine = machine(features);
        let workspace = SimWorkspace::open(&machine).unwrap();
        // The power goes while the linked file is rewritten.
        let same = machine.clone();
        machine.at_next(OsCall::SetLen, 0, HookTiming::After, move |_| same.stop_after(same.effects()));
        let _receipt_that_nobody_gets = workspace.send(&edits(), "one");
        for cut in machine.cuts(12, 5) {
            for skip in 0..4 {
                let cut = cut.fork();
                let same = cut.clone();
                cut.at_next(OsCall::SyncAll, skip, HookTiming::Before, move |_| {
                    fail_flushes(&same, FaultDuration::Once)
                });
                let _opened_or_not = SimWorkspace::open(&cut).map(|workspace| workspace.settle());
                let next = cut.kill();
                let workspace = SimWorkspace::open(&next).unwrap();
                assert!(workspace.settle());
                for path in ["a.txt", "linked.txt"] {
                    let settled = next.outside().read(&format!("/w/{path}")).unwrap();
                    assert!(settled == both || settled == old_text(), "{path} is neither");
                    stands_after_cuts(&next, &[path], &settled);
                }
            }
        }
    }
}

#[test]
fn a_file_kept_by_a_rollback_is_written_again_if_its_flush_failed() {
    let mut rolled_back = 0;
    for features in disks() {
        let machine = machine(features);
        let workspace = SimWorkspace::open(&machine).unwrap();
        let edits = job(vec![
            file("a.txt", vec![replace("line 20 of a\n", "changed\n")]),
            file("backup.txt", vec![append("more\n")]),
        ]);
        let same = machine.clone();
        // Others rewrite the first file, which is in place, and replace the second one before its exchange.
        machine.at_next(OsCall::Exchange, 1, HookTiming::Before, move |outside| {
            outside.write("/w/a.txt", b"written by\ntheirs\n").unwrap();
            outside.replace("/w/backup.txt", b"theirs\n").unwrap();
            fail_flushes(&same, FaultDuration::Once);
        });
        let receipt = workspace.send(&edits, "one");
        rolled_back += usize::from(receipt.status == JobStatus::Refused);
        assert!(workspace.settle());
        let shown = machine.outside().read("/w/a.txt").unwrap();
        assert!(shown.ends_with(b"theirs\n"), "their bytes are gone");
        stands_after_cuts(&machine, &["a.txt"], &shown);
    }
    assert!(rolled_back > 0, "no job was rolled back");
}
