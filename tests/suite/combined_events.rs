//! Tests of the combined events on the simulated machine: they must notice each kind of damage by a broken daemon.
//! `cases::combined` runs them over all case files.

use editd_proto::message::UndoRequest;
use editd_tests::fault_injection::combined::{CombinedPlan, EventCombination, check};
use editd_tests::fault_injection::sim_scenario::{ChangeRequest, KEY, SimScenario};
use editd_tests::fault_injection::sim_workspace::SimWorkspace;
use editd_tests::sim::OsCall;

/// The test must find each kind of damage by a broken daemon, and report it with these words.
fn is_noticed(
    words: &str,
    kind: &'static [EventCombination],
    lies: &'static [OsCall],
    harm: Option<fn(&SimWorkspace, &SimScenario)>,
) {
    let plan =
        CombinedPlan { seed: 13, kinds: kind, pairs: 16, runs: 4, images: 12, lies, harm, enough: 300 };
    let two = SimScenario::thorough()
        .into_iter()
        .filter(|scenario| scenario.name.starts_with("a_job_on_two_files"));
    let found: Vec<String> = two.flat_map(|scenario| check(&scenario, &plan).found).collect();
    assert!(found.iter().any(|what| what.contains(words)), "nothing says {words:?}: {found:#?}");
}

#[test]
fn lost_content_is_noticed() {
    let empty = |workspace: &SimWorkspace, _: &SimScenario| {
        workspace.machine.outside().write("/w/untouched", b"").unwrap()
    };
    for kind in [
        &[EventCombination::WriteThenCrash],
        &[EventCombination::FaultThenCrash],
        &[EventCombination::WriteAndFault],
        &[EventCombination::WriteWhileDown],
        &[EventCombination::CrashThenFault],
    ] {
        is_noticed("untouched at first, 710 bytes, is nowhere", kind, &[], Some(empty));
    }
}

#[test]
fn lost_outside_bytes_are_noticed() {
    let empty = |workspace: &SimWorkspace, _: &SimScenario| {
        for path in ["/w/a.txt", "/w/b.txt"] {
            // There may be a folder by now, or nothing.
            let _written = workspace.machine.outside().write(path, b"");
        }
    };
    for kind in [
        &[EventCombination::WriteThenCrash],
        &[EventCombination::WriteAndFault],
        &[EventCombination::WriteWhileDown],
    ] {
        is_noticed("what others wrote to /w/", kind, &[], Some(empty));
        is_noticed("shows neither order", kind, &[], Some(empty));
    }
}

#[test]
fn half_a_job_is_noticed() {
    let half = |workspace: &SimWorkspace, scenario: &SimScenario| {
        let first = scenario.machine().outside().read("/w/a.txt").unwrap();
        let _written = workspace.machine.outside().write("/w/a.txt", &first);
    };
    for kind in [
        &[EventCombination::WriteThenCrash],
        &[EventCombination::FaultThenCrash],
        &[EventCombination::WriteAndFault],
        &[EventCombination::WriteWhileDown],
        &[EventCombination::CrashThenFault],
    ] {
        is_noticed("the job is there, but a.txt shows", kind, &[], Some(half));
    }
}

#[test]
fn a_refused_job_that_is_applied_is_noticed() {
    let again = |workspace: &SimWorkspace, scenario: &SimScenario| drop(workspace.send(&scenario.job, KEY));
    is_noticed("the refused job is there", &[EventCombination::FaultThenCrash], &[], Some(again));
}

#[test]
fn a_job_that_is_rolled_back_after_its_reply_is_noticed() {
    let undo = |workspace: &SimWorkspace, _: &SimScenario| {
        drop(workspace.send(&ChangeRequest::Undo(UndoRequest::default()), "nobody's"))
    };
    is_noticed("the job is there, but", &[EventCombination::FaultThenCrash], &[], Some(undo));
    is_noticed("the answered job is gone", &[EventCombination::WriteThenCrash], &[OsCall::SyncData], None);
}
