//! Promises *durable* and *foreign bytes are never lost* if other programs write just before a job or after a power
//! cut, on the simulated machine: their writes do not roll an answered job back, and their files stay.
//!
//! These tests are no case files: other programs act before a chosen system call of the job, and the power is cut after
//! each later one. A case file can name only the steps of a job.
//!
//! `EXHAUSTIVE=1` tests all calls.

use std::time::Duration;

use editd_proto::message::{FileEntry, JobStatus};
use editd_tests::fault_injection::crash::disks;
use editd_tests::fault_injection::crash_image::{CrashKind, CutSample, ImageRecorder};
use editd_tests::fault_injection::exhaustive;
use editd_tests::fault_injection::outside_writes::action::OutsideAction;
use editd_tests::fault_injection::outside_writes::is_in_journal;
use editd_tests::fault_injection::requests::{append, create, file, job, rename};
use editd_tests::fault_injection::sim_scenario::{KEY, SimScenario};
use editd_tests::fault_injection::sim_workspace::SimWorkspace;
use editd_tests::fault_injection::visible_files::VisibleFiles;
use editd_tests::sim::{
    ENOSPC, FaultDuration, HookTiming, OsCall, OutsideProcess, SimMachine, SystemFeatures,
};

fn files(outside: &OutsideProcess) {
    outside.mkdir("/w/d").unwrap();
    outside.write("/w/d/a.txt", b"line 1 of a\n").unwrap();
    outside.write("/w/b.txt", b"line 1 of b\n").unwrap();
}

/// Two files, one of them in a folder, on the disks that there are.
fn scenarios() -> Vec<SimScenario> {
    let both = || job(["b.txt", "d/a.txt"].map(|path| file(path, vec![append("more\n")])).into());
    disks(SystemFeatures::default())
        .map(|features| SimScenario::new("two files", files, both()).on(features))
        .into()
}

/// States that a power cut may leave.
fn cuts(machine: &SimMachine) -> Vec<SimMachine> {
    machine.cuts(if exhaustive() { 200 } else { 12 }, 11)
}

fn is_there(workspace: &SimWorkspace) -> bool {
    workspace.entries().unwrap().iter().any(|entry| entry.key.as_deref() == Some(KEY))
}

#[test]
fn a_folder_moved_during_a_job_does_not_roll_back_the_answered_job() {
    let mut found = Vec::new();
    let mut answered = 0;
    for scenario in scenarios() {
        let [first, last, _] = scenario.baseline().unwrap().calls;
        for call in (first + 1..=last).step_by(if exhaustive() { 1 } else { 5 }) {
            let machine = scenario.machine();
            let workspace = scenario.begin(&machine).unwrap();
            machine.at_call(call, HookTiming::Before, move |outside| {
                outside.rename("/w/d", "/w/e").unwrap();
                outside.sync().unwrap();
            });
            if workspace.send(&scenario.job, KEY).status != JobStatus::Applied {
                continue;
            }
            answered += 1;
            for (nth, cut) in cuts(&machine).iter().enumerate() {
                let workspace = SimWorkspace::open(cut).unwrap();
                if !is_there(&workspace) {
                    found.push(format!("before call {call}, cut {nth}: {:?}", workspace.notes));
                }
            }
        }
    }
    assert!(answered > 0, "no job is answered: nothing was looked at");
    assert!(found.is_empty(), "{} answered jobs are gone:\n{}", found.len(), found.join("\n"));
}

#[test]
fn outside_changes_after_a_power_cut_roll_back_no_answered_job() {
    let mut found = Vec::new();
    let mut lost = 0;
    for scenario in scenarios() {
        let baseline = scenario.baseline().unwrap();
        let machine = scenario.machine();
        let workspace = scenario.begin(&machine).unwrap();
        assert_eq!(workspace.send(&scenario.job, KEY).status, JobStatus::Applied);
        for (nth, cut) in cuts(&machine).iter().enumerate() {
            lost += usize::from(cut.outside().read("/w/b.txt").unwrap() == b"line 1 of b\n");
            for (path, action) in
                baseline.paths.iter().flat_map(|path| OutsideAction::ALL.map(|action| (path, action)))
            {
                let at_once = cut.fork();
                if action.run(&at_once.outside(), None, path, "theirs").is_err() {
                    continue;
                }
                // Hours go by before they come.
                let later = cut.fork();
                later.pass(Duration::from_secs(3600));
                action.run(&later.outside(), None, path, "theirs").unwrap();
                for (when, machine) in [("at once", &at_once), ("later", &later)] {
                    let workspace = SimWorkspace::open(machine).unwrap();
                    if !is_there(&workspace) {
                        found.push(format!("cut {nth}, {action:?} on {path} {when}: {:?}", workspace.notes));
                    }
                }
            }
        }
    }
    assert!(lost > 0, "no cut takes what the job did: nothing was looked at");
    assert!(found.is_empty(), "{} answered jobs are gone:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_file_replaced_just_before_a_swap_remains_after_a_power_cut() {
    const THEIRS: &[u8] = b"theirs, and nobody else's\n";
    let mut found = Vec::new();
    let mut images = 0;
    for scenario in scenarios() {
        let machine = scenario.machine();
        let workspace = scenario.begin(&machine).unwrap();
        let recorder = ImageRecorder::new(CutSample { limit: if exhaustive() { 60 } else { 6 }, seed: 3 });
        let (recording, same) = (recorder.clone(), machine.clone());
        machine.at_next(OsCall::Exchange, 1, HookTiming::Before, move |outside| {
            outside.replace("/w/d/a.txt", THEIRS).unwrap();
            outside.sync().unwrap();
            recording.record_from_this_call(&same);
        });
        let _receipt = workspace.send(&scenario.job, KEY);
        drop(workspace);
        for image in recorder.finish(&machine).iter().filter(|image| image.crash != CrashKind::Kill) {
            images += 1;
            let workspace = SimWorkspace::open(&image.machine).unwrap();
            let shown = image.machine.outside().read("/w/d/a.txt").unwrap_or_default();
            // Tried again, the job adds to theirs.
            if !shown.starts_with(THEIRS) {
                let shown = String::from_utf8_lossy(&shown);
                found.push(format!("{image:?}: {shown:?}; {:?}", workspace.notes));
            }
        }
    }
    assert!(images > 0, "nothing was looked at");
    assert!(found.is_empty(), "{} times theirs is not there:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_killed_job_with_a_linked_file_leaves_no_created_file() {
    let (mut found, mut voided) = (Vec::new(), 0);
    for features in disks(SystemFeatures::default()) {
        let request =
            job(vec![file("new/c.txt", vec![create("c\n")]), file("b.txt", vec![append("more\n")])]);
        let scenario = SimScenario::new("a new file and a linked one", files, request).on(features);
        let [first, last, _] = scenario.baseline().unwrap().calls;
        let link = |outside: &OutsideProcess| outside.link("/w/b.txt", "/w/second.txt").unwrap();
        let step = if exhaustive() { 1 } else { 5 };
        for linked in (first + 1..=last).step_by(step) {
            for killed in (linked..=last + 40).step_by(step - step / 2) {
                let machine = scenario.machine();
                let workspace = scenario.begin(&machine).unwrap();
                machine.at_call(linked, HookTiming::Before, link);
                let same = machine.clone();
                machine.at_call(killed, HookTiming::After, move |_| same.stop_after(same.effects()));
                let _receipt = workspace.send(&scenario.job, KEY);
                drop(workspace);
                let machine = machine.kill();
                let workspace = SimWorkspace::open(&machine).unwrap();
                let created = VisibleFiles::of(&machine).files.keys().any(|path| path.ends_with("c.txt"));
                voided += u32::from(!is_there(&workspace));
                if created != is_there(&workspace) {
                    found.push(format!("linked at {linked}, killed at {killed}: {:?}", workspace.notes));
                }
            }
        }
    }
    assert!(voided > 0, "no job was taken back");
    assert!(found.is_empty(), "{} times:\n{}", found.len(), found.join("\n"));
}

/// Another program writes to the moved file by its other name. The file has the old name or the new one afterwards,
/// never both, and what was written.
#[test]
fn a_killed_move_of_a_linked_file_leaves_one_of_its_two_names() {
    const MORE: &[u8] = b"written by the other name\n";
    let (mut found, mut voided) = (Vec::new(), 0);
    for features in disks(SystemFeatures::default()) {
        let request = job(vec![file("d/a.txt", vec![rename("new/c.txt")])]);
        let linked = |outside: &OutsideProcess| {
            files(outside);
            outside.link("/w/d/a.txt", "/w/other.txt").unwrap();
        };
        let scenario = SimScenario::new("a move of a linked file", linked, request).on(features);
        let [first, last, _] = scenario.baseline().unwrap().calls;
        let step = if exhaustive() { 1 } else { 3 };
        for written in (first + 1..=last).step_by(step) {
            for killed in written..=last + 40 {
                let machine = scenario.machine();
                let workspace = scenario.begin(&machine).unwrap();
                machine.at_call(written, HookTiming::Before, |outside: &OutsideProcess| {
                    outside.append("/w/other.txt", MORE).unwrap();
                });
                let same = machine.clone();
                machine.at_call(killed, HookTiming::After, move |_| same.stop_after(same.effects()));
                let _receipt = workspace.send(&scenario.job, KEY);
                drop(workspace);
                let machine = machine.kill();
                let workspace = SimWorkspace::open(&machine).unwrap();
                let visible = VisibleFiles::of(&machine).files;
                let has = |name: &str| visible.keys().any(|path| path.ends_with(name));
                voided += u32::from(!is_there(&workspace));
                let is_written = machine.outside().read("/w/other.txt").unwrap().ends_with(MORE);
                if has("c.txt") != is_there(&workspace) || has("a.txt") == has("c.txt") || !is_written {
                    found.push(format!("written at {written}, killed at {killed}: {:?}", workspace.notes));
                }
            }
        }
    }
    assert!(voided > 0, "no job was rolled back");
    assert!(found.is_empty(), "{} times:\n{}", found.len(), found.join("\n"));
}

fn files_to_roll_back(outside: &OutsideProcess) {
    outside.write("/w/b.txt", b"line 1 of b\n").unwrap();
    outside.write("/w/c.txt", b"line 1 of c\n").unwrap();
}

/// Plays a job that is rolled back since others replace its second file, `c.txt`, just as it is put in place, by the
/// second of these calls; the first file, at `path`, was put in place and then replaced by others, too. The daemon is
/// killed at every step from there on. The file of others must remain, below what the job adds when it is tried again.
fn check_killed_rollback(
    path: &'static str,
    first: &FileEntry,
    features: SystemFeatures,
    (op, skip): (OsCall, u64),
) {
    const THEIRS: &[u8] = b"theirs, and nobody else's\n";
    let mut found = Vec::new();
    let mut images = 0;
    for features in disks(features) {
        let request = job(vec![first.clone(), file("c.txt", vec![append("more\n")])]);
        let scenario = SimScenario::new("a roll back", files_to_roll_back, request).on(features);
        let machine = scenario.machine();
        let workspace = scenario.begin(&machine).unwrap();
        let recorder = ImageRecorder::new(CutSample { limit: 0, seed: 5 });
        let (recording, same) = (recorder.clone(), machine.clone());
        machine.at_next(op, skip, HookTiming::Before, move |outside| {
            outside.replace(&format!("/w/{path}"), THEIRS).unwrap();
            outside.replace("/w/c.txt", b"line 1 of c\nand theirs\n").unwrap();
            recording.record_from_this_call(&same);
        });
        let shown = |machine: &SimMachine| machine.outside().read(&format!("/w/{path}")).unwrap_or_default();
        let _receipt = workspace.send(&scenario.job, KEY);
        if !shown(&machine).starts_with(THEIRS) {
            found.push(format!("without a kill: {:?}", String::from_utf8_lossy(&shown(&machine))));
        }
        drop(workspace);
        for image in recorder.finish(&machine) {
            images += 1;
            let workspace = SimWorkspace::open(&image.machine).unwrap();
            workspace.settle();
            let shown = shown(&image.machine);
            if !shown.starts_with(THEIRS) {
                found.push(format!(
                    "{image:?}: {:?}; {:?}",
                    String::from_utf8_lossy(&shown),
                    workspace.notes
                ));
            }
        }
    }
    assert!(images > 0, "nothing was looked at");
    assert!(found.is_empty(), "{} times theirs is not there:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_killed_rollback_leaves_an_outside_file_at_a_created_name() {
    let made = file("a.txt", vec![create("ours\n")]);
    check_killed_rollback("a.txt", &made, SystemFeatures::default(), (OsCall::Exchange, 0));
}

#[test]
fn a_killed_rollback_leaves_an_outside_file_at_an_exchanged_name() {
    let changed = file("b.txt", vec![append("ours\n")]);
    check_killed_rollback("b.txt", &changed, SystemFeatures::default(), (OsCall::Exchange, 1));
}

#[test]
fn a_killed_rollback_leaves_an_outside_file_without_exchange() {
    let changed = file("b.txt", vec![append("ours\n")]);
    let features = SystemFeatures { exchange: false, ..SystemFeatures::default() };
    check_killed_rollback("b.txt", &changed, features, (OsCall::Link, 1));
}

#[test]
fn a_job_on_a_file_replaced_during_its_read_is_rolled_back_after_a_power_cut() {
    let mut found = Vec::new();
    let mut rolled_back = 0;
    for features in disks(SystemFeatures::default()) {
        let mut entry = file("b.txt", vec![append("more\n")]);
        entry.base = Some("any".to_owned());
        let scenario = SimScenario::new("one file", files, job(vec![entry])).on(features);
        let baseline = scenario.baseline().unwrap();
        // The file is read before it is staged.
        let calls = baseline.trace.iter().filter_map(|line| line.split_once(' '));
        let mut staging =
            calls.filter(|(_, op)| op.starts_with("CreateFile")).flat_map(|(call, _)| call.parse());
        let staged = staging.find(|call| *call > baseline.calls[0]).unwrap();
        for call in baseline.calls[0] + 1..staged {
            let machine = scenario.machine();
            let workspace = scenario.begin(&machine).unwrap();
            let recorder = ImageRecorder::new(CutSample { limit: 3, seed: call });
            let (images, same) = (recorder.clone(), machine.clone());
            machine.at_call(call, HookTiming::Before, move |outside| {
                outside.replace("/w/b.txt", b"theirs\n").unwrap();
                outside.sync().unwrap();
                images.record_from_this_call(&same);
            });
            let _receipt = workspace.send(&scenario.job, KEY);
            for image in recorder.finish(&machine) {
                let workspace = scenario.open(&image.machine).unwrap();
                let shown = image.machine.outside().read("/w/b.txt").unwrap();
                rolled_back += usize::from(!is_there(&workspace));
                if is_there(&workspace) && !shown.ends_with(b"more\n") {
                    found.push(format!("before call {call}, {image:?}: {:?}", workspace.notes));
                }
            }
        }
    }
    assert!(rolled_back > 0, "no job is rolled back: nothing was examined");
    assert!(found.is_empty(), "{} jobs are there without their change:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_program_that_appends_to_all_files_leaves_each_job_once_in_all_of_them_or_in_none() {
    const PATHS: [&str; 2] = ["/w/b.txt", "/w/d/a.txt"];
    let mut found = Vec::new();
    let mut tried_again = 0;
    for scenario in scenarios() {
        let [first, last, _] = scenario.baseline().unwrap().calls;
        for call in first + 1..=last {
            let machine = scenario.machine();
            let workspace = scenario.begin(&machine).unwrap();
            machine.at_call(call, HookTiming::Before, |outside| {
                PATHS.iter().for_each(|path| outside.append(path, b"theirs\n").unwrap());
            });
            let status = workspace.send(&scenario.job, KEY).status;
            // A job that is rolled back is tried again.
            tried_again += usize::from(machine.calls() > last + (last - first) / 2);
            for path in PATHS {
                let text = String::from_utf8(machine.outside().read(path).unwrap()).unwrap();
                let counts = ["more\n", "theirs\n"].map(|line| text.matches(line).count());
                if counts != [usize::from(status == JobStatus::Applied), 1] {
                    found.push(format!("before call {call}: {status:?}, {path} is {text:?}"));
                }
            }
        }
    }
    assert!(tried_again > 0, "no job is rolled back: nothing was looked at");
    assert!(found.is_empty(), "{} runs:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_rollback_leaves_nothing_of_the_job_if_appended_bytes_cannot_follow_the_old_content() {
    /// Has a job rolled back while another program appends to its first file; `failing`: a call that fails.
    fn play(scenario: &SimScenario, failing: Option<u64>) -> (SimMachine, String) {
        let machine = scenario.machine();
        let workspace = scenario.begin(&machine).unwrap();
        machine.at_next(OsCall::Exchange, 1, HookTiming::Before, |outside| {
            outside.append("/w/b.txt", b"theirs\n").unwrap();
            outside.append("/w/d/a.txt", b"theirs\n").unwrap();
        });
        if let Some(call) = failing {
            machine.fail_call(call, ENOSPC, FaultDuration::Once);
        }
        let status = workspace.send(&scenario.job, KEY).status;
        workspace.settle();
        let mut found = String::new();
        for path in ["/w/b.txt", "/w/d/a.txt"] {
            let text = String::from_utf8(machine.outside().read(path).unwrap()).unwrap();
            if text.matches("more\n").count() != usize::from(status == JobStatus::Applied) {
                found.push_str(&format!("{status:?}, {path} is {text:?}; "));
            }
            if !text.contains("theirs\n") && !is_in_journal(&workspace, "theirs").unwrap() {
                found.push_str(&format!("what was appended to {path} is lost; "));
            }
        }
        (machine, found)
    }

    for scenario in scenarios() {
        let (machine, found) = play(&scenario, None);
        assert_eq!(found, "");
        let trace = machine.trace();
        let ops: Vec<&str> = trace.iter().map(|line| line.split_once(' ').unwrap().1).collect();
        let opened =
            ops.windows(2).position(|ops| ops[0] == "OpenFile b.txt" && ops[1].starts_with("WriteAt"));
        let opened = opened.unwrap() as u64 + 1;
        for failing in [opened, opened + 1, opened + 2] {
            assert_eq!(play(&scenario, Some(failing)).1, "", "call {failing} failed");
        }
    }
}
