//! Tests of the crash test on the simulated machine: it must notice each kind of missing flush. Also a case that needs
//! code: a machine whose staged file another program removed. `cases::crash` runs the crash test over all case files.

use editd_tests::fault_injection::crash::{CrashPlan, look};
use editd_tests::fault_injection::image::{Album, Answer, CrashKind, Cuts, Image};
use editd_tests::fault_injection::sim_scenario::{KEY, SimScenario};
use editd_tests::fault_injection::sim_workspace::SimWorkspace;
use editd_tests::fault_injection::verdict::{Depth, judge};
use editd_tests::fault_injection::view::View;
use editd_tests::sim::{Op, Seeded, SimMachine};

/// A job on a system that cannot exchange, cut when the displaced file had its second name and the staged one has lost
/// its only name; what the machine shows then.
fn held_and_not_staged(scenario: &SimScenario) -> SimMachine {
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    let album = Album::new(Cuts { limit: 0, seed: 7 });
    album.watch(&machine);
    let _receipt = workspace.send(&scenario.job, KEY);
    let images = album.close(&machine);
    let held = images.into_iter().find(|image| image.call.contains("Link a.txt")).unwrap().machine;
    held.settle();
    let slots = View::of(&held).slots;
    let staged = slots.iter().find(|slot| slots.contains(&format!("{slot}.held"))).unwrap();
    held.outside().remove(&format!("/w/{staged}")).unwrap();
    held.settle();
    held.power_cut(&mut Seeded::new(1))
}

#[test]
fn a_held_file_gets_no_further_name_however_often_recovery_is_stopped() {
    let scenarios = SimScenario::thorough();
    let scenario =
        scenarios.iter().find(|scenario| scenario.name == "a_job_on_a_poor_system_is_whole").unwrap();
    let baseline = scenario.baseline().unwrap();
    let first = held_and_not_staged(scenario);
    let again = Album::new(Cuts { limit: 0, seed: 7 });
    let recovering = first.fork();
    again.watch(&recovering);
    assert!(SimWorkspace::open(&recovering).unwrap().settle());
    let mut found = Vec::new();
    for image in again.close(&recovering) {
        let image = Image { blow: CrashKind::Cut(0), answer: Answer::Waiting, ..image };
        found.extend(judge(scenario, &baseline, &image, Depth::Whole));
    }
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

/// The crash test must find each kind of missing flush: of the log, of files, of folders.
fn a_lie_is_noticed(lies: &'static [Op]) {
    let plan = CrashPlan {
        both_disks: true,
        cuts: Cuts { limit: 24, seed: 11 },
        images: 400,
        whole_one_in: 4,
        again: 0,
        again_images: 0,
        lies,
        enough: 1,
    };
    let noticed = SimScenario::thorough().iter().any(|scenario| !look(scenario, &plan).found.is_empty());
    assert!(noticed, "no scenario has noticed that {lies:?} did nothing");
}

#[test]
fn a_log_that_is_not_flushed_is_noticed() {
    a_lie_is_noticed(&[Op::SyncData]);
}

#[test]
fn files_that_are_not_flushed_are_noticed() {
    a_lie_is_noticed(&[Op::SyncAll]);
}

#[test]
fn folders_that_are_not_flushed_are_noticed() {
    a_lie_is_noticed(&[Op::SyncDir]);
}

#[test]
fn a_disk_that_flushes_nothing_is_noticed() {
    a_lie_is_noticed(&[Op::SyncData, Op::SyncAll, Op::SyncDir]);
}
