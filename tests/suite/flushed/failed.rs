//! Files whose flush failed: the content that a job wrote is on the disk before the original is removed, whatever a
//! second flush reports.

use editd_proto::ErrorCode;
use editd_proto::message::{Durability, EntryKind, JobStatus, UndoRequest};
use editd_tests::fault_injection::desk::SimWorkspace;
use editd_tests::fault_injection::requests::{append, file, job, replace, with};
use editd_tests::fault_injection::story::Act;
use editd_tests::scenario::format::numbered_lines as text;
use editd_tests::sim::{Abilities, EACCES, EIO, Fault, Lasting, Op, SimMachine, When};

use super::{applied, contents, disks, edit, machine, new_text, old_text, stands_after_cuts};

/// Bytes of a file that a job flushes instead of carrying it, while it is young.
const LARGE: usize = 1_200_000;

fn fail_flushes(machine: &SimMachine, lasting: Lasting) {
    machine.fail(Fault { at: 0, lasting, only: vec![Op::SyncAll], errno: EIO, written: 0 });
}

#[test]
fn a_file_whose_flush_failed_is_written_anew_before_its_original_goes() {
    for abilities in disks() {
        let machine = machine(abilities);
        let desk = SimWorkspace::open(&machine).unwrap();
        applied(&desk, &edit(), "one");
        fail_flushes(&machine, Lasting::Once);
        assert!(desk.settle());
        assert_eq!(machine.outside().read("/w/a.txt").unwrap(), new_text());
        stands_after_cuts(&machine, &["a.txt"], &new_text());
    }
}

#[test]
fn while_every_flush_fails_the_original_stays_and_doctor_tells() {
    let machine = machine(Abilities::default());
    let desk = SimWorkspace::open(&machine).unwrap();
    applied(&desk, &edit(), "one");
    fail_flushes(&machine, Lasting::ForEver);
    assert!(!desk.settle());
    let told = desk.workspace.check().findings;
    let told: Vec<_> = told.iter().filter(|one| one.subject == "unsettled").collect();
    assert!(told.iter().all(|one| one.severity == "bad" && one.message.contains("a.txt")), "{told:?}");
    stands_after_cuts(&machine, &["a.txt"], &new_text());
    machine.mend();
    assert!(desk.settle());
    stands_after_cuts(&machine, &["a.txt"], &new_text());
    let told = desk.workspace.check().findings;
    assert!(told.iter().all(|one| one.severity != "bad"), "{told:?}");
}

#[test]
fn a_full_job_whose_flush_failed_is_written_anew_before_its_reply() {
    let machine = machine(Abilities::default());
    let desk = SimWorkspace::open(&machine).unwrap();
    fail_flushes(&machine, Lasting::Once);
    applied(&desk, &with(edit(), Durability::Full), "one");
    assert!(desk.settle());
    stands_after_cuts(&machine, &["a.txt"], &new_text());
}

#[test]
fn a_file_with_two_names_whose_flush_failed_is_written_again() {
    for abilities in disks() {
        let machine = machine(abilities);
        let desk = SimWorkspace::open(&machine).unwrap();
        fail_flushes(&machine, Lasting::Once);
        let receipt = desk.act(&job(vec![file("linked.txt", vec![append("more\n")])]), "one").unwrap();
        let applied = receipt.status == JobStatus::Applied;
        assert!(desk.settle());
        let more = if applied { &b"more\n"[..] } else { b"" };
        stands_after_cuts(&machine, &["linked.txt"], &[&old_text(), more].concat());
        assert_eq!(machine.outside().stat("/w/linked.txt").unwrap().links, 2);
    }
}

#[test]
fn a_moved_file_whose_flush_failed_is_in_the_journal() {
    let machine = machine(Abilities::default());
    let desk = SimWorkspace::open(&machine).unwrap();
    applied(&desk, &edit(), "one");
    machine.outside().rename("/w/a.txt", "/w/moved.txt").unwrap();
    fail_flushes(&machine, Lasting::Once);
    assert!(desk.settle());
    let newest = desk.entries().unwrap().remove(0);
    assert_eq!(newest.kind, EntryKind::External);
    let shown = format!("{:?}", desk.show(newest.id).unwrap());
    assert!(shown.contains("changed"), "{shown}");
}

#[test]
fn a_job_on_a_large_young_file_whose_flush_failed_stands() {
    let large = text("a", LARGE);
    let changed = String::from_utf8(large.clone()).unwrap().replace("line 20 of a\n", "changed\n");
    let machine = machine(Abilities::default());
    let desk = SimWorkspace::open(&machine).unwrap();
    machine.outside().write("/w/a.txt", &large).unwrap();
    fail_flushes(&machine, Lasting::Once);
    let receipt = desk.act(&edit(), "one").unwrap();
    if receipt.status != JobStatus::Applied {
        applied(&desk, &edit(), "again");
    }
    for cut in machine.cuts(12, 3) {
        let desk = SimWorkspace::open(&cut).unwrap();
        let stands = cut.outside().read("/w/a.txt").is_ok_and(|bytes| bytes == changed.as_bytes());
        assert!(stands, "the answered job is gone; notes: {:?}", desk.notes);
    }
}

#[test]
fn a_job_that_read_a_file_before_it_was_written_anew_is_still_recovered() {
    let both = [new_text(), b"more\n".to_vec()].concat();
    let machine = machine(Abilities::default());
    let desk = std::sync::Arc::new(SimWorkspace::open(&machine).unwrap());
    applied(&desk, &edit(), "one");
    // While the second job stages its file, settling finds that the first one's cannot be flushed.
    let (other, same) = (std::sync::Arc::clone(&desk), machine.clone());
    machine.at_next(Op::CreateFile, 0, When::Before, move |_| {
        fail_flushes(&same, Lasting::Once);
        other.workspace.settle(true);
    });
    applied(&desk, &job(vec![file("a.txt", vec![append("more\n")])]), "two");
    stands_after_cuts(&machine, &["a.txt"], &both);
}

#[test]
fn what_the_system_forgot_of_a_file_whose_flush_failed_is_rebuilt() {
    let machine = machine(Abilities { fine_times: false, ..Abilities::default() });
    let desk = SimWorkspace::open(&machine).unwrap();
    applied(&desk, &edit(), "one");
    // As a file system shows it that drops what it could not write.
    machine.outside().open("/w/a.txt").unwrap().write_at(&[0; 512], 512).unwrap();
    fail_flushes(&machine, Lasting::Once);
    assert!(desk.settle());
    stands_after_cuts(&machine, &["a.txt"], &new_text());
}

#[test]
fn what_others_wrote_to_a_file_whose_flush_failed_stays() {
    let both = [new_text(), b"theirs\n".to_vec()].concat();
    let machine = machine(Abilities::default());
    let desk = SimWorkspace::open(&machine).unwrap();
    applied(&desk, &edit(), "one");
    machine.outside().append("/w/a.txt", b"theirs\n").unwrap();
    fail_flushes(&machine, Lasting::Once);
    assert!(desk.settle());
    stands_after_cuts(&machine, &["a.txt"], &both);
}

#[test]
fn the_next_daemon_knows_whose_flush_has_failed() {
    let machine = machine(Abilities::default());
    let desk = SimWorkspace::open(&machine).unwrap();
    applied(&desk, &edit(), "one");
    fail_flushes(&machine, Lasting::ForEver);
    assert!(!desk.settle());
    let machine = machine.kill();
    let desk = SimWorkspace::open(&machine).unwrap();
    assert!(desk.settle());
    stands_after_cuts(&machine, &["a.txt"], &new_text());
    let marks = contents(&machine).into_iter().filter(|(path, _)| path.contains("unflushed"));
    assert_eq!(marks.count(), 0, "it was written anew");
}

#[test]
fn what_could_not_be_flushed_is_rescued_once() {
    let machine = machine(Abilities::default());
    let desk = SimWorkspace::open(&machine).unwrap();
    applied(&desk, &edit(), "one");
    machine.outside().rename("/w/a.txt", "/w/moved.txt").unwrap();
    fail_flushes(&machine, Lasting::Once);
    let only = vec![Op::SyncDir];
    machine.fail(Fault { at: 0, lasting: Lasting::Once, only, errno: EIO, written: 0 });
    assert!(desk.settle());
    let entries = desk.entries().unwrap().into_iter();
    let rescued: Vec<_> = entries.filter(|entry| entry.kind == EntryKind::External).collect();
    assert_eq!(rescued.len(), 1);
    let undo = Act::Undo(UndoRequest { jobs: vec![rescued[0].id], ..UndoRequest::default() });
    let error = desk.act(&undo, "two").unwrap().error.unwrap();
    assert_eq!(error.code, ErrorCode::Unsupported, "nothing came to a.txt by it: {error}");
    assert!(error.message.contains("`editctl show"), "{error}");
}

#[test]
fn a_folder_whose_flush_failed_counts_as_flushed_for_none_of_its_files() {
    let machine = machine(Abilities::default());
    let desk = SimWorkspace::open(&machine).unwrap();
    applied(&desk, &edit(), "one");
    applied(&desk, &job(vec![file("backup.txt", vec![append("more\n")])]), "two");
    let only = vec![Op::SyncDir];
    machine.fail(Fault { at: 0, lasting: Lasting::Once, only, errno: EIO, written: 0 });
    desk.workspace.settle(true);
    assert_eq!(desk.workspace.counts().unsettled, 2, "the folder holds both names");
    assert!(desk.settle());
}

/// From now on no file can be opened, as where others take the right to read it away.
fn deny(machine: &SimMachine) {
    let only = vec![Op::OpenFile];
    machine.fail(Fault { at: 0, lasting: Lasting::ForEver, only, errno: EACCES, written: 0 });
}

#[test]
fn a_file_that_others_made_unreadable_right_after_its_job_is_flushed_before_its_original_goes() {
    for abilities in disks() {
        let machine = machine(abilities);
        let desk = SimWorkspace::open(&machine).unwrap();
        applied(&desk, &edit(), "one");
        deny(&machine);
        desk.settle();
        stands_after_cuts(&machine, &["a.txt"], &new_text());
    }
}

#[test]
fn a_file_that_was_made_unreadable_while_no_daemon_ran_keeps_its_original_until_it_can_be_flushed() {
    let machine = machine(Abilities::default());
    let desk = SimWorkspace::open(&machine).unwrap();
    applied(&desk, &edit(), "one");
    let killed = machine.kill();
    let mut denied = false;
    for skip in 0..24 {
        let machine = killed.fork();
        let same = machine.clone();
        let only = vec![Op::OpenFile];
        let fault = Fault { at: 0, lasting: Lasting::Once, only, errno: EACCES, written: 0 };
        machine.at_next(Op::OpenFile, skip, When::Before, move |_| same.fail(fault));
        // Where it is another file that may not be read, there may be no start.
        let Ok(desk) = SimWorkspace::open(&machine) else { continue };
        deny(&machine);
        if desk.settle() {
            // It was open from the start.
            continue;
        }
        denied = true;
        stands_after_cuts(&machine, &["a.txt"], &new_text());
        machine.mend();
        assert!(desk.settle());
        stands_after_cuts(&machine, &["a.txt"], &new_text());
    }
    assert!(denied, "it was open from the start, every time");
}

#[test]
fn what_recovery_could_not_flush_is_written_again_by_the_next_one() {
    let both = [old_text(), b"more\n".to_vec()].concat();
    let edits =
        || job(vec![file("a.txt", vec![append("more\n")]), file("linked.txt", vec![append("more\n")])]);
    for abilities in disks() {
        let machine = machine(abilities);
        let desk = SimWorkspace::open(&machine).unwrap();
        // The power goes while the linked file is rewritten.
        let same = machine.clone();
        machine.at_next(Op::SetLen, 0, When::After, move |_| same.stop_after(same.effects()));
        let _receipt_that_nobody_gets = desk.act(&edits(), "one");
        for cut in machine.cuts(12, 5) {
            for skip in 0..4 {
                let cut = cut.fork();
                let same = cut.clone();
                cut.at_next(Op::SyncAll, skip, When::Before, move |_| fail_flushes(&same, Lasting::Once));
                let _opened_or_not = SimWorkspace::open(&cut).map(|desk| desk.settle());
                let next = cut.kill();
                let desk = SimWorkspace::open(&next).unwrap();
                assert!(desk.settle());
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
fn a_file_that_stays_after_a_roll_back_and_whose_flush_failed_is_written_again() {
    let mut rolled_back = 0;
    for abilities in disks() {
        let machine = machine(abilities);
        let desk = SimWorkspace::open(&machine).unwrap();
        let edits = job(vec![
            file("a.txt", vec![replace("line 20 of a\n", "changed\n")]),
            file("backup.txt", vec![append("more\n")]),
        ]);
        let same = machine.clone();
        // Others append to the first file, which is in place, and replace the second one before its exchange.
        machine.at_next(Op::Exchange, 1, When::Before, move |outside| {
            outside.append("/w/a.txt", b"theirs\n").unwrap();
            outside.replace("/w/backup.txt", b"theirs\n").unwrap();
            fail_flushes(&same, Lasting::Once);
        });
        let receipt = desk.act(&edits, "one").unwrap();
        rolled_back += usize::from(receipt.status == JobStatus::Refused);
        assert!(desk.settle());
        let shown = machine.outside().read("/w/a.txt").unwrap();
        assert!(shown.ends_with(b"theirs\n"), "their bytes are gone");
        stands_after_cuts(&machine, &["a.txt"], &shown);
    }
    assert!(rolled_back > 0, "no job was rolled back");
}
