//! Jobs that are rolled back, on the simulated machine: the displaced files are at their paths, in the journal or set
//! aside; no power cut restores the job in part; and no failed call leaves a part of it.
//!
//! These tests are no case files: other programs act, and calls fail, between two chosen system calls of the rollback.
//! A case file can name only the steps of a job.
//!
//! `EXHAUSTIVE=1` tests all calls.

use std::sync::{Arc, Mutex};

use editd_proto::message::{FileEdit, FileEntry, JobStatus};
use editd_tests::fault_injection::requests::{chmod, create, delete, file, job, replace};
use editd_tests::fault_injection::sim_scenario::{KEY, SimScenario};
use editd_tests::fault_injection::sim_workspace::SimWorkspace;
use editd_tests::fault_injection::visible_files::VisibleFiles;
use editd_tests::fault_injection::{crash::disks, exhaustive};
use editd_tests::sim::{
    EIO, EMFILE, Fault, FaultDuration, HookTiming, OsCall, OutsideProcess, SimMachine, SnapshotNode,
    SystemFeatures,
};

/// A text of the displaced file alone.
const ORIGINAL: &str = "nobody else has this";

/// The power cuts to test in one state.
const CUTS: usize = 120;
const FEW_CUTS: usize = 3;

type FileActionFn = fn(&OutsideProcess);

fn files(outside: &OutsideProcess) {
    outside.mkdir("/w/d").unwrap();
    outside.write("/w/d/a.txt", format!("{ORIGINAL}\nline 2 of a\n").as_bytes()).unwrap();
    outside.write("/w/b.txt", b"line 1 of b\nline 2 of b\n").unwrap();
}

fn linked(outside: &OutsideProcess) {
    files(outside);
    outside.link("/w/d/a.txt", "/w/d/second.txt").unwrap();
    outside.link("/w/b.txt", "/w/second.txt").unwrap();
}

fn write(text: &str) -> FileEdit {
    FileEdit { op: "write".to_owned(), text: Some(text.to_owned()), ..FileEdit::default() }
}

fn edit_of_b() -> FileEntry {
    file("b.txt", vec![replace("line 1 of b", "changed")])
}

/// Jobs that change the file with the original first, and then another file.
fn kinds() -> Vec<SimScenario> {
    let with =
        |name, edit| SimScenario::new(name, files, job(vec![file("d/a.txt", vec![edit]), edit_of_b()]));
    let poor = SystemFeatures { exchange: false, ..SystemFeatures::default() };
    vec![
        with("written anew", write("all new\n")),
        with("written anew without exchange", write("all new\n")).on(poor),
        with("another mode", chmod(0o600)),
        with("deleted", delete()),
        SimScenario::new(
            "two linked",
            linked,
            job(vec![file("d/a.txt", vec![write("all new\n")]), edit_of_b()]),
        ),
    ]
}

fn actions() -> [(&'static str, FileActionFn); 5] {
    [
        ("append", |outside| outside.append("/w/d/a.txt", b"more\n").unwrap()),
        ("rewrite", |outside| outside.write("/w/d/a.txt", b"theirs\n").unwrap()),
        ("replace", |outside| outside.replace("/w/d/a.txt", b"theirs\n").unwrap()),
        ("move the file", |outside| drop(outside.rename("/w/d/a.txt", "/w/moved.txt"))),
        ("move the folder", |outside| outside.rename("/w/d", "/w/e").unwrap()),
    ]
}

/// Returns true if the original is at a path, in an entry, or among the files that were set aside.
fn is_kept(workspace: &SimWorkspace) -> bool {
    let in_file = |seen: &SnapshotNode| match seen {
        SnapshotNode::File { bytes, .. } => String::from_utf8_lossy(bytes).contains(ORIGINAL),
        _ => false,
    };
    let in_lost = || workspace.machine.snapshot("/w/.editd/lost").unwrap().0.values().any(in_file);
    let told = |id| workspace.show(id).unwrap().changes.iter().any(|change| change.diff.contains(ORIGINAL));
    VisibleFiles::of(&workspace.machine).files.values().any(in_file)
        || in_lost()
        || workspace.entries().unwrap().iter().any(|entry| told(entry.id))
}

/// Returns true if the next daemon, started on each of these machines, keeps the original.
fn all_keep(cuts: Vec<SimMachine>) -> bool {
    cuts.iter().all(|cut| {
        let workspace = SimWorkspace::open(cut).unwrap();
        workspace.settle() && is_kept(&workspace)
    })
}

/// The numbers of the calls from a job's first change of a file to its reply, in a run without events.
fn changes(scenario: &SimScenario) -> Vec<u64> {
    let baseline = scenario.baseline().unwrap();
    let [first, answered, _] = baseline.calls;
    let op = |call: u64| baseline.trace[usize::try_from(call).unwrap() - 1].split(' ').nth(1).unwrap();
    // Nothing is moved or cut before.
    let changed = |call: &u64| ["Exchange", "Link", "RenameNoreplace", "SetLen"].contains(&op(*call));
    let from = (first + 1..=answered).find(changed).unwrap();
    (from..=answered).step_by(if exhaustive() { 1 } else { 3 }).collect()
}

/// Plays every scenario with every action at every moment; `play` gives the daemon that is open then, unless nothing of the
/// kind happens there. The original is kept, also through a power cut before all is settled, or after that.
fn all_is_kept(play: impl Fn(&SimScenario, u64, FileActionFn) -> Option<SimWorkspace>) {
    let mut found = Vec::new();
    for scenario in kinds() {
        for call in changes(&scenario) {
            for (name, action) in actions() {
                let Some(workspace) = play(&scenario, call, action) else { continue };
                let cuts = workspace.machine.cuts(FEW_CUTS, call);
                if !workspace.settle() || !is_kept(&workspace) {
                    found.push(format!("{}: call {call}, {name}", scenario.name));
                }
                if !all_keep(cuts) || !all_keep(workspace.machine.cuts(FEW_CUTS, call)) {
                    found.push(format!("{}: call {call}, {name}, then a cut", scenario.name));
                }
            }
        }
    }
    assert!(found.is_empty(), "the original is gone:\n{}", found.join("\n"));
}

/// The machine after the process was killed behind a call of the job.
fn killed_behind(scenario: &SimScenario, call: u64) -> SimMachine {
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    let same = machine.clone();
    machine.at_call(call, HookTiming::After, move |_| same.stop_after(same.effects()));
    let _receipt_that_nobody_gets = workspace.send(&scenario.job, KEY);
    drop(workspace);
    machine.kill()
}

#[test]
fn a_kill_and_an_outside_action_lose_no_original() {
    all_is_kept(|scenario, call, action| {
        let machine = killed_behind(scenario, call);
        befall(&machine.outside(), action).then(|| SimWorkspace::open(&machine).unwrap())
    });
}

/// Does a action to the first file, unless that still shows the original: then it is no matter of the job.
fn befall(outside: &OutsideProcess, action: FileActionFn) -> bool {
    let shown = outside.read("/w/d/a.txt").unwrap_or_default();
    if String::from_utf8_lossy(&shown).contains(ORIGINAL) {
        return false;
    }
    if outside.stat("/w/d/a.txt").is_err() {
        outside.write("/w/d/a.txt", b"made anew\n").unwrap();
    }
    action(outside);
    true
}

#[test]
fn outside_actions_on_two_files_lose_no_original() {
    all_is_kept(|scenario, call, action| {
        let machine = scenario.machine();
        let workspace = scenario.begin(&machine).unwrap();
        let happened = Arc::new(Mutex::new(false));
        let told = Arc::clone(&happened);
        machine.at_call(call, HookTiming::After, move |outside| {
            outside.write("/w/b.txt", b"no line of these is changed\n").unwrap();
            *told.lock().unwrap() = befall(outside, action);
        });
        let receipt = workspace.send(&scenario.job, KEY);
        let happened = *happened.lock().unwrap();
        (receipt.status != JobStatus::Applied && happened).then_some(workspace)
    });
}

/// Two files, of which the second is changed by others when the job's intent is durable: it is taken back and done anew.
fn retried(features: SystemFeatures) -> SimScenario {
    let edit_of_a = file("d/a.txt", vec![replace("line 2 of a", "changed")]);
    SimScenario::new("retried", files, job(vec![edit_of_a, edit_of_b()])).on(features)
}

/// Opens what every cut of the power may leave: the answered job must stand.
fn stands_after_any_cut(machine: &SimMachine, should: &VisibleFiles) -> Vec<String> {
    let mut found = Vec::new();
    for (nth, cut) in machine.cuts(CUTS, 7).iter().enumerate() {
        let workspace = SimWorkspace::open(cut).unwrap();
        let different = VisibleFiles::of(cut).differences(should, &[]);
        let diverged = workspace.entries().unwrap().iter().any(|entry| entry.diverged);
        if diverged || !different.is_empty() {
            found.push(format!("cut {nth}: diverged: {diverged}, {different:?}; {:?}", workspace.notes));
        }
    }
    found
}

#[test]
fn a_rollback_survives_a_power_cut() {
    for features in disks(SystemFeatures::default()) {
        let scenario = retried(features);
        let machine = scenario.machine();
        let workspace = scenario.begin(&machine).unwrap();
        machine.at_next(OsCall::Exchange, 0, HookTiming::Before, |outside| {
            outside.append("/w/b.txt", b"theirs\n").unwrap();
        });
        let receipt = workspace.send(&scenario.job, KEY);
        assert_eq!(receipt.status, JobStatus::Applied, "{:?}", receipt.error);
        let found = stands_after_any_cut(&machine, &VisibleFiles::of(&machine));
        assert!(found.is_empty(), "{features:?}:\n{}", found.join("\n"));
    }
}

#[test]
fn a_rollback_after_a_failed_call_survives_a_power_cut() {
    for features in disks(SystemFeatures::default()) {
        let scenario = retried(features);
        let machine = scenario.machine();
        let workspace = scenario.begin(&machine).unwrap();
        let same = machine.clone();
        machine.at_next(OsCall::Exchange, 1, HookTiming::Before, move |_| {
            same.fail(once(OsCall::Exchange, EIO))
        });
        let refused = workspace.send(&scenario.job, "first");
        assert_eq!(refused.status, JobStatus::Refused);
        let receipt = workspace.send(&scenario.job, KEY);
        assert_eq!(receipt.status, JobStatus::Applied, "{:?}", receipt.error);
        let found = stands_after_any_cut(&machine, &VisibleFiles::of(&machine));
        assert!(found.is_empty(), "{features:?}:\n{}", found.join("\n"));
    }
}

fn once(op: OsCall, errno: i32) -> Fault {
    Fault { at: 0, lasting: FaultDuration::Once, only: vec![op], errno, written: 0 }
}

/// Scenarios whose jobs are refused: other programs write the second file, and then it cannot be edited any more.
fn refused() -> Vec<SimScenario> {
    let poor = SystemFeatures { exchange: false, no_replace: false, ..SystemFeatures::default() };
    let edit_of_a = || file("d/a.txt", vec![replace("line 2 of a", "changed")]);
    let three = || job(vec![edit_of_a(), file("new/deep/c.txt", vec![create("c\n")]), edit_of_b()]);
    let in_place = || job(vec![edit_of_a(), edit_of_b()]);
    vec![
        SimScenario::new("an edit and a creation", files, three()),
        SimScenario::new("the same on a poor system", files, three()).on(poor),
        SimScenario::new("two linked", linked, in_place()),
        SimScenario::new("a deletion", files, job(vec![file("d/a.txt", vec![delete()]), edit_of_b()])),
    ]
}

/// Plays a refused scenario in which a call fails once; returns the number of calls if `fault` is `None`.
fn refused_under(scenario: &SimScenario, fault: Option<(u64, i32)>) -> Result<u64, String> {
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    let theirs: fn(&OutsideProcess) = |outside| outside.write("/w/b.txt", b"theirs alone\n").unwrap();
    let begun = machine.calls();
    let (same, op) =
        (machine.clone(), if scenario.features.exchange { OsCall::Exchange } else { OsCall::Link });
    let op = if scenario.name.contains("linked") { OsCall::SetLen } else { op };
    let op = if scenario.name.contains("deletion") { OsCall::RenameNoreplace } else { op };
    machine.at_next(op, 0, HookTiming::After, move |outside| {
        theirs(outside);
        if let Some((after, errno)) = fault {
            same.fail_call(same.calls() + after, errno, FaultDuration::Once);
        }
    });
    let expected = {
        let machine = scenario.machine();
        theirs(&machine.outside());
        VisibleFiles::of(&machine)
    };
    let receipt = workspace.send(&scenario.job, KEY);
    let calls = machine.calls() - begun;
    let settled = workspace.settle();
    let view = VisibleFiles::of(&machine);
    let mut found = view.differences(&expected, &[]);
    // With a log that failed nothing is settled any more.
    let staged_files = view.staged_files.iter().filter(|_| workspace.inner.failed().is_none());
    found.extend(staged_files.map(|slot| format!("{slot} is left")));
    let entries = workspace.entries().unwrap();
    // What others wrote may be in the journal; what the job wrote is nobody's change.
    let invented = entries.iter().filter(|entry| entry.files.iter().any(|file| file.path != "b.txt".into()));
    found.extend(invented.map(|entry| format!("entry {} of {:?}: {:?}", entry.id, entry.label, entry.files)));
    if receipt.status != JobStatus::Refused || !settled {
        found.push(format!("{:?}, settled: {settled}", receipt.status));
    }
    if found.is_empty() { Ok(calls) } else { Err(format!("{found:?}; {:?}", receipt.error)) }
}

#[test]
fn a_failed_call_during_a_rollback_leaves_nothing_of_the_job() {
    let mut found = Vec::new();
    for scenario in refused() {
        let calls = refused_under(&scenario, None).unwrap();
        for after in 1..=calls {
            for errno in [EMFILE, EIO] {
                if let Err(error) = refused_under(&scenario, Some((after, errno))) {
                    found.push(format!("{}: call {after} fails with {errno}: {error}", scenario.name));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn two_threads_that_settle_roll_a_broken_job_back_once() {
    let scenario = retried(SystemFeatures::default());
    let machine = scenario.machine();
    let workspace = Arc::new(scenario.begin(&machine).unwrap());
    let before = VisibleFiles::of(&machine);
    let same = machine.clone();
    let fault = Fault { lasting: FaultDuration::ForEver, ..once(OsCall::Exchange, EIO) };
    machine.at_next(OsCall::Exchange, 1, HookTiming::Before, move |_| same.fail(fault));
    let refused = workspace.send(&scenario.job, KEY).error.unwrap();
    assert!(refused.message.contains("could not be rolled back yet"), "{}", refused.message);
    assert!(refused.message.contains("the next start finishes it or rolls it back"), "{}", refused.message);
    machine.remove_faults();
    let other = Arc::clone(&workspace);
    machine.at_next(OsCall::Exchange, 0, HookTiming::Before, move |_| {
        let _again = other.inner.settle(true);
    });
    let from = machine.trace().len();
    assert!(workspace.settle());
    let exchanges = machine.trace()[from..].iter().filter(|call| call.contains("Exchange")).count();
    assert_eq!((exchanges, VisibleFiles::of(&machine).differences(&before, &[])), (1, Vec::new()));
}

#[test]
fn a_rolled_back_deletion_puts_nothing_into_another_folder() {
    let scenario = kinds().into_iter().find(|scenario| scenario.name == "deleted").unwrap();
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    let same = machine.clone();
    machine.at_next(OsCall::RenameNoreplace, 0, HookTiming::After, move |outside| {
        outside.rename("/w/d", "/w/e").unwrap();
        same.fail_call(same.calls() + 1, EMFILE, FaultDuration::ForEver);
    });
    let receipt = workspace.send(&scenario.job, KEY);
    assert!(receipt.error.unwrap().message.contains("could not be rolled back yet"));
    machine.remove_faults();
    assert!(workspace.settle());
    assert!(machine.outside().stat("/w/a.txt").is_err(), "it was put back beside the folder that is gone");
    assert!(is_kept(&workspace));
}

/// On another mount a slot stands beside its file.
fn mounted(outside: &OutsideProcess) {
    files(outside);
    outside.mount("/w/mnt").unwrap();
    outside.mkdir("/w/mnt/sub").unwrap();
    outside.write("/w/mnt/sub/m.txt", b"line 1 of m\n").unwrap();
}

#[test]
fn a_moved_folder_with_staged_files_prevents_no_start() {
    let edit = file("mnt/sub/m.txt", vec![replace("line 1 of m", "changed")]);
    let scenario = SimScenario::new("on another mount", mounted, job(vec![edit, edit_of_b()]));
    let baseline = scenario.baseline().unwrap();
    for call in baseline.calls[0] + 1..=baseline.calls[1] {
        let killed = killed_behind(&scenario, call);
        let outside = killed.outside();
        outside.rename("/w/mnt/sub", "/w/mnt/moved").unwrap();
        for machine in [&killed, &killed.cuts(1, 7)[0]] {
            let workspace = SimWorkspace::open(machine).unwrap();
            assert!(workspace.settle(), "moved after call {call}: it never settles");
        }
        let killed = killed.kill();
        outside.write("/w/mnt/sub", b"a file in its place\n").unwrap();
        for machine in [&killed, &killed.cuts(1, 7)[0]] {
            let workspace = SimWorkspace::open(machine).unwrap();
            assert!(workspace.settle(), "replaced after call {call}: it never settles");
        }
    }
}

#[test]
fn a_folder_removed_while_a_file_is_created_in_it_is_made_again() {
    fn with_folder(outside: &OutsideProcess) {
        files(outside);
        outside.mkdir("/w/e").unwrap();
    }
    for op in [OsCall::CreateFile, OsCall::RenameNoreplace] {
        let scenario =
            SimScenario::new("made", with_folder, job(vec![file("e/new.txt", vec![create("n\n")])]));
        let machine = scenario.machine();
        let workspace = scenario.begin(&machine).unwrap();
        machine.at_next(op, 0, HookTiming::Before, |outside| outside.rmdir("/w/e").unwrap());
        let receipt = workspace.send(&scenario.job, KEY);
        assert_eq!(receipt.status, JobStatus::Applied, "{op:?}: {:?}", receipt.error);
        assert_eq!(machine.outside().read("/w/e/new.txt").unwrap(), b"n\n");
        for cut in machine.cuts(FEW_CUTS, 3) {
            let _recovered = SimWorkspace::open(&cut).unwrap();
            assert_eq!(cut.outside().read("/w/e/new.txt").unwrap(), b"n\n", "{op:?}");
        }
    }
}
