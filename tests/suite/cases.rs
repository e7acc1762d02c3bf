//! Each case file as tests, one for each test mode: `cases::crash::NAME` is the scenario NAME with crashes. The
//! scenarios are in `tests/cases`, and the kit plays them.
//!
//! By default each mode tests a sample of the calls at which something can happen. `LENS=long` tests all of them, and
//! `SEED=…` chooses another sample.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd_tests::lens::crash::{CrashPlan, Report, disks};
use editd_tests::lens::fault::FaultPlan;
use editd_tests::lens::foreign::OutsideWritePlan;
use editd_tests::lens::foreign::deed::Deed;
use editd_tests::lens::image::Cuts;
use editd_tests::lens::mixed::{Kind, MixedPlan};
use editd_tests::lens::story::SimScenario;
use editd_tests::lens::{self, long};
use editd_tests::scenario::machine::ScenarioMachine;
use editd_tests::scenario::real::RealMachine;
use editd_tests::scenario::simulated::{SimulatedMachine, abilities};
use editd_tests::scenario::{TestMode, player, variants};
use editd_tests::sim::SimMachine;

/// Makes a module with a test of each case file.
macro_rules! mode {
    ($mode:ident, $play:ident) => {
        mod $mode {
            macro_rules! scenario {
                ($name:ident) => {
                    #[test]
                    fn $name() {
                        super::$play(stringify!($name));
                    }
                };
            }

            include!(concat!(env!("OUT_DIR"), "/cases.rs"));
        }
    };
}

mode!(real, on_real_files);
mode!(simulated, on_simulated_machine);
mode!(crash, with_crashes);
mode!(faults, with_faults);
mode!(outside_writes, with_outside_writes);
mode!(combined, with_combined_events);

fn on_real_files(name: &str) {
    let file = file(name);
    let (_, scenario) = player::read(&file);
    if scenario.skips(TestMode::Real).is_some() {
        return;
    }
    let fresh = || Arc::new(RealMachine::with_daemon()) as Arc<dyn ScenarioMachine>;
    if std::env::var_os("BLESS").is_some_and(|word| word == "1") {
        player::bless(&file, &fresh());
    }
    player::check(&file, &fresh());
    let found = [
        variants::dies_at_every_step(&scenario, &fresh),
        variants::is_undone(&scenario, &fresh),
        variants::is_sent_twice(&scenario, &fresh),
    ]
    .concat();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn on_simulated_machine(name: &str) {
    let file = file(name);
    let (_, scenario) = player::read(&file);
    if scenario.skips(TestMode::Simulated).is_some() {
        return;
    }
    let machine = SimMachine::new();
    machine.set_abilities(abilities(&scenario.without));
    player::check(&file, &(Arc::new(SimulatedMachine::new(&machine)) as Arc<dyn ScenarioMachine>));
}

fn with_crashes(name: &str) {
    let plan = CrashPlan {
        both_disks: long(),
        cuts: Cuts { limit: if long() { 60 } else { 4 }, seed: seed(name) },
        images: if long() { 4000 } else { 6 },
        whole_one_in: if long() { 3 } else { 4 },
        again: if long() { 150 } else { 1 },
        again_images: if long() { 60 } else { 3 },
        lies: &[],
        enough: 10,
    };
    holds(name, TestMode::Crash, |scenario| lens::crash::look(scenario, &plan));
}

fn with_faults(name: &str) {
    let one_in = if long() { 1 } else { 200 };
    holds(name, TestMode::Faults, |scenario| {
        let plan = FaultPlan { seed: seed(name), one_in, cuts: 1, enough: 10 };
        let mut report = Report::default();
        let disks = disks(scenario.abilities);
        // By default one of the two disks, in turn.
        let nth = usize::try_from(seed(name) % 2).unwrap_or(0);
        for abilities in if long() { &disks[..] } else { &disks[nth..=nth] } {
            let more = lens::fault::look(&scenario.clone().on(*abilities), &plan);
            report.images += more.images;
            report.found.extend(more.found);
        }
        report
    });
}

fn with_outside_writes(name: &str) {
    let one_in = if long() { 1 } else { 15 };
    let kills = if long() { 4 } else { 1 };
    holds(name, TestMode::OutsideWrites, |scenario| {
        let plan = OutsideWritePlan { seed: seed(name), one_in, kills, enough: 10 };
        let mut report = Report::default();
        let paths = scenario.course().unwrap().paths;
        let mut writes = Deed::ALL.to_vec();
        if !long() {
            // Another one for each scenario.
            writes.rotate_left(usize::try_from(seed(name) % 15).unwrap_or(0));
            writes.truncate(1);
        }
        for path in paths.iter().take(if long() { 2 } else { 1 }) {
            let more = lens::foreign::look(scenario, path, &writes, &plan);
            report.images += more.images;
            report.found.extend(more.found);
        }
        report
    });
}

fn with_combined_events(name: &str) {
    let (pairs, runs, images) = if long() { (40, 25, 16) } else { (1, 1, 3) };
    let nth = usize::try_from(seed(name) % 4).unwrap_or(0);
    let kinds = if long() { &Kind::ALL[..] } else { &Kind::ALL[nth..=nth] };
    let plan = MixedPlan { seed: seed(name), kinds, pairs, runs, images, lies: &[], harm: None, enough: 10 };
    holds(name, TestMode::Combined, |scenario| lens::mixed::look(scenario, &plan));
}

/// Tests the scenario of a case file in a mode.
fn holds(name: &str, mode: TestMode, test: impl Fn(&SimScenario) -> Report) {
    let (_, scenario) = player::read(&file(name));
    let skipped = scenario.skips(mode).is_some();
    let no_job = scenario.skip.contains_key(&TestMode::Interrupted);
    let scenario = SimScenario::of_case(name, scenario).unwrap();
    assert_eq!(scenario.is_none(), no_job, "`skip.interrupted` is for scenarios without a job to interrupt");
    let Some(scenario) = scenario.filter(|_| !skipped) else { return };
    let report = test(&scenario);
    println!("{} runs", report.images);
    assert!(report.found.is_empty(), "{} violations:\n{}", report.found.len(), report.found.join("\n"));
}

/// The number of scenarios that skip each mode at most. These numbers may only become smaller.
const SKIPPED: [(TestMode, usize); 7] = [
    (TestMode::Real, 0),
    (TestMode::Simulated, 0),
    (TestMode::Interrupted, 78),
    (TestMode::Crash, 1),
    (TestMode::Faults, 1),
    (TestMode::OutsideWrites, 4),
    (TestMode::Combined, 1),
];

#[test]
fn no_more_scenarios_than_before_skip_a_mode() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let skips: Vec<TestMode> = files.flat_map(|file| player::read(&file).1.skip.into_keys()).collect();
    for (mode, most) in SKIPPED {
        let skipped = skips.iter().filter(|skipped| **skipped == mode).count();
        assert!(
            skipped <= most,
            "{skipped} scenarios skip {mode:?}, and {most} did: make the new one run in it"
        );
        assert!(skipped == most, "only {skipped} scenarios skip {mode:?}: write that number here");
    }
}

/// Returns the seed of a scenario's sample.
fn seed(name: &str) -> u64 {
    let seed: u64 = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    name.bytes().fold(seed, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(format!("{name}.toml"))
}
