//! Tests of the combined events on the simulated machine: they must notice each kind of damage by a broken daemon.
//! `cases::combined` runs them over all case files.

use std::path::Path;
use std::sync::{Arc, Mutex};

use editd_proto::message::{JobStatus, UndoRequest};
use editd_tests::fault_injection::combined::{
    CombinedPlan, EventCombination, RunEvents, check, check_events,
};
use editd_tests::fault_injection::faults::InjectedFault;
use editd_tests::fault_injection::outside_writes::action::OutsideAction;
use editd_tests::fault_injection::sim_scenario::{ChangeRequest, KEY, SimScenario};
use editd_tests::fault_injection::sim_workspace::SimWorkspace;
use editd_tests::scenario::player;
use editd_tests::sim::{EIO, FaultDuration, HookTiming, OsCall};

/// The test must find each kind of damage by a broken daemon, and report it with these words.
fn is_noticed(
    words: &str,
    kind: &'static [EventCombination],
    lies: &'static [OsCall],
    harm: Option<fn(&SimWorkspace, &SimScenario)>,
) {
    let mut found = Vec::new();
    // Most damage is found by the first of them.
    for seed in 13..17 {
        let plan = CombinedPlan { seed, kinds: kind, pairs: 4, runs: 4, images: 12, lies, harm, enough: 300 };
        let two = SimScenario::thorough()
            .into_iter()
            .filter(|scenario| scenario.name.starts_with("a_job_on_two_files"));
        found.extend(two.flat_map(|scenario| check(&scenario, &plan).found));
        if found.iter().any(|what| what.contains(words)) {
            return;
        }
    }
    panic!("nothing says {words:?}: {found:#?}");
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

/// Events without an event.
const CALM: RunEvents =
    RunEvents { action: None, fault: None, while_down: None, in_recovery: None, flushed: false };

/// Returns the scenario of a case file.
fn case(name: &str) -> SimScenario {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(format!("{name}.toml"));
    SimScenario::of_case(name, player::read(&file).1).unwrap().unwrap()
}

/// Plays the scenario of a case file with these events, at each of these calls if they have an outside write. `seed` is one
/// with which the daemon failed.
fn holds(
    seed: u64,
    name: &str,
    path: &str,
    calls: std::ops::RangeInclusive<u64>,
    events: impl Fn(u64) -> RunEvents,
) {
    let scenario = case(name);
    let plan =
        CombinedPlan { seed, kinds: &[], pairs: 1, runs: 12, images: 60, lies: &[], harm: None, enough: 9 };
    for call in calls {
        let report = check_events(&scenario, path, events(call), &plan).unwrap();
        assert!(report.images > 0);
        assert!(report.found.is_empty(), "call {call}:\n{}", report.found.join("\n"));
    }
}

#[test]
fn a_folder_in_the_place_of_a_file_goes_back_where_nothing_can_be_exchanged() {
    // The calls between the check of the file and its swap.
    holds(1, "a_job_on_a_poor_system_is_whole", "a.txt", 170..=173, |call| RunEvents {
        action: Some((OutsideAction::Folder, call)),
        flushed: true,
        ..CALM
    });
}

#[test]
fn a_file_that_was_moved_away_after_a_kill_in_its_swap_stays_there() {
    let scenario = case("a_job_on_a_poor_system_is_whole");
    let machine = scenario.machine();
    let workspace = scenario.begin(&machine).unwrap();
    let killed = Arc::new(Mutex::new(None));
    let (found, same) = (Arc::clone(&killed), machine.clone());
    // The displaced file has its own name and a temporary one now.
    machine.at_next(OsCall::Link, 0, HookTiming::After, move |_| {
        *found.lock().unwrap() = Some(same.fork());
    });
    assert_eq!(workspace.send(&scenario.job, KEY).status, JobStatus::Applied);
    let machine = killed.lock().unwrap().take().unwrap();
    let outside = machine.outside();
    let old = outside.read("/w/a.txt").unwrap();
    outside.rename("/w/a.txt", "/w/a.moved").unwrap();
    let workspace = scenario.open(&machine).unwrap();
    assert!(workspace.settle());
    assert_eq!(outside.read("/w/a.moved").unwrap(), old);
    assert_eq!(outside.stat("/w/a.moved").unwrap().links, 1);
    assert!(outside.stat("/w/a.txt").is_err(), "another program moved it");
}

#[test]
fn contents_below_a_change_whose_old_content_was_unreadable_survive_a_cut() {
    // The call that reads the content before the change.
    let fault = InjectedFault { call: 478, errno: EIO, lasting: FaultDuration::Once };
    holds(1, "a_base_may_name_the_job_that_wrote_the_file", "a.txt", 451..=451, |call| RunEvents {
        action: Some((OutsideAction::Backup, call)),
        fault: Some(fault),
        ..CALM
    });
}

#[test]
fn a_renamed_content_survives_a_roll_back_after_the_old_name_was_written_to() {
    holds(144, "a_rename_keeps_extended_attributes", "b.txt", 0..=0, |_| RunEvents {
        while_down: Some(OutsideAction::Rewrite),
        ..CALM
    });
}
