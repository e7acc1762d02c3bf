//! Tests of the crash test on the simulated machine: it must notice each kind of missing flush. Also a case that needs
//! code: a machine whose staged file another program removed. `cases::crash` runs the crash test over all case files.

use editd_tests::fault_injection::crash::{CrashPlan, check};
use editd_tests::fault_injection::crash_check::{CheckDepth, check_image};
use editd_tests::fault_injection::crash_image::{
    CrashImage, CrashKind, CutSample, ImageRecorder, ReplyState,
};
use editd_tests::fault_injection::sim_scenario::{KEY, SimScenario};
use editd_tests::fault_injection::sim_workspace::SimWorkspace;
use editd_tests::fault_injection::visible_files::VisibleFiles;
use editd_tests::sim::{OsCall, SeededRandom, SimMachine};

/// A job on a system that cannot exchange, cut when the displaced file had its second name and the staged one has lost
/// its only name; what the machine shows then.
fn held_and_not_staged(scenario: &SimScenario) -> SimMachine {
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    let recorder = ImageRecorder::new(CutSample { limit: 0, seed: 7 });
    recorder.record(&machine);
    let _receipt = workspace.send(&scenario.job, KEY);
    let images = recorder.finish(&machine);
    let held = images.into_iter().find(|image| image.call.contains("Link a.txt")).unwrap().machine;
    held.settle();
    let staged_files = VisibleFiles::of(&held).staged_files;
    let staged = staged_files.iter().find(|slot| staged_files.contains(&format!("{slot}.held"))).unwrap();
    held.outside().remove(&format!("/w/{staged}")).unwrap();
    held.settle();
    held.power_cut(&mut SeededRandom::new(1))
}

#[test]
fn a_held_file_gets_no_further_name_however_often_recovery_is_stopped() {
    let scenarios = SimScenario::thorough();
    let scenario =
        scenarios.iter().find(|scenario| scenario.name == "a_job_on_a_poor_system_is_whole").unwrap();
    let baseline = scenario.baseline().unwrap();
    let first = held_and_not_staged(scenario);
    let again = ImageRecorder::new(CutSample { limit: 0, seed: 7 });
    let recovering = first.fork();
    again.record(&recovering);
    assert!(SimWorkspace::open(&recovering).unwrap().settle());
    let mut found = Vec::new();
    for image in again.finish(&recovering) {
        let image = CrashImage { crash: CrashKind::Cut(0), answer: ReplyState::Waiting, ..image };
        found.extend(check_image(scenario, &baseline, &image, CheckDepth::Full));
    }
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

/// The crash test must find each kind of missing flush: of the log, of files, of folders.
fn a_lie_is_noticed(lies: &'static [OsCall]) {
    let plan = CrashPlan {
        both_disks: true,
        cuts: CutSample { limit: 24, seed: 11 },
        images: 400,
        whole_one_in: 4,
        again: 0,
        again_images: 0,
        lies,
        enough: 1,
    };
    let noticed = SimScenario::thorough().iter().any(|scenario| !check(scenario, &plan).found.is_empty());
    assert!(noticed, "no scenario has noticed that {lies:?} did nothing");
}

#[test]
fn a_log_that_is_not_flushed_is_noticed() {
    a_lie_is_noticed(&[OsCall::SyncData]);
}

#[test]
fn files_that_are_not_flushed_are_noticed() {
    a_lie_is_noticed(&[OsCall::SyncAll]);
}

#[test]
fn folders_that_are_not_flushed_are_noticed() {
    a_lie_is_noticed(&[OsCall::SyncDir]);
}

#[test]
fn a_disk_that_flushes_nothing_is_noticed() {
    a_lie_is_noticed(&[OsCall::SyncData, OsCall::SyncAll, OsCall::SyncDir]);
}
