//! Each case file as tests, one for each test mode: `cases::crash::NAME` is the scenario NAME with crashes. The
//! scenarios are in `tests/cases`, and the kit plays them.
//!
//! By default each mode tests a sample of the calls at which something can happen. `EXHAUSTIVE=1` tests all of them, and
//! `SEED=…` chooses another sample. `PAIRS=…` sets the number of pairs of events of each kind that the combined mode then
//! tests in a scenario, 40 by default.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd_tests::fault_injection::combined::{CombinedPlan, EventCombination};
use editd_tests::fault_injection::crash::{CrashPlan, TestReport, disks};
use editd_tests::fault_injection::crash_image::CutSample;
use editd_tests::fault_injection::faults::FaultPlan;
use editd_tests::fault_injection::outside_writes::action::OutsideAction;
use editd_tests::fault_injection::outside_writes::{OutsideWritePlan, append_to_all};
use editd_tests::fault_injection::sim_scenario::SimScenario;
use editd_tests::fault_injection::{self, exhaustive};
use editd_tests::process;
use editd_tests::scenario::machine::ScenarioMachine;
use editd_tests::scenario::real::{RealMachine, unplayable};
use editd_tests::scenario::simulated::{SimulatedMachine, features};
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

/// Scenarios that Wine cannot play, with the reason.
const UNDER_WINE: [(&str, &str); 1] =
    [("an_undo_says_why_a_hard_link_is_not_restored", "an open file cannot be replaced by a link")];

fn on_real_files(name: &str) {
    let file = file(name);
    let (_, scenario) = player::read(&file);
    if scenario.skips(TestMode::Real).is_some() {
        return;
    }
    let refused = UNDER_WINE.iter().find(|(scenario, _)| *scenario == name);
    if refused.is_some_and(|(_, why)| process::skips_under_wine(why)) {
        return;
    }
    if let Some(why) = unplayable(&scenario) {
        println!("{name} is skipped on this system: {why}");
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
    if cfg!(windows) && name.starts_with("names_may_hold_") {
        println!("{name} is skipped on Windows, which has no such names");
        return;
    }
    let machine = SimMachine::new();
    machine.set_features(features(&scenario.without));
    player::check(&file, &(Arc::new(SimulatedMachine::new(&machine)) as Arc<dyn ScenarioMachine>));
}

/// The extent of the tests of a scenario.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SampleExtent {
    Sample,
    Thorough,
    All,
}

impl SampleExtent {
    /// Returns the value for this extent.
    fn of<T>(self, sample: T, thorough: T, all: T) -> T {
        match self {
            Self::Sample => sample,
            Self::Thorough => thorough,
            Self::All => all,
        }
    }
}

fn with_crashes(name: &str) {
    holds(name, TestMode::Crash, |scenario, extent| {
        let plan = CrashPlan {
            both_disks: extent != SampleExtent::Sample,
            cuts: CutSample { limit: extent.of(4, 6, 60), seed: seed(name) },
            images: extent.of(6, 40, 4000),
            whole_one_in: extent.of(4, 5, 3),
            again: extent.of(1, 3, 150),
            again_images: extent.of(3, 6, 60),
            lies: &[],
            enough: 10,
        };
        fault_injection::crash::check(scenario, &plan)
    });
}

fn with_faults(name: &str) {
    holds(name, TestMode::Faults, |scenario, extent| {
        let mut report = TestReport::default();
        let [ordered, disordered] = disks(scenario.features).map(|disk| scenario.clone().on(disk));
        let plan = FaultPlan {
            seed: seed(name),
            one_in: extent.of(200, 60, 1),
            cuts: extent.of(1, 3, 3),
            enough: 10,
        };
        let mut test = |scenario: &SimScenario, plan: &FaultPlan| {
            let more = fault_injection::faults::check(scenario, plan);
            report.images += more.images;
            report.found.extend(more.found);
        };
        if extent == SampleExtent::Sample {
            test(if seed(name).is_multiple_of(2) { &ordered } else { &disordered }, &plan);
        } else {
            test(&ordered, &plan);
            test(&disordered, &plan);
            // More faults, without power cuts behind them.
            test(&ordered, &FaultPlan { one_in: extent.of(0, 12, 1), cuts: 0, ..plan });
        }
        report
    });
}

/// The number of calls of a scenario before each of which `EXHAUSTIVE=1` tests every outside write; of a longer scenario, so
/// many are chosen at random.
const CALLS: u64 = 300;

fn with_outside_writes(name: &str) {
    holds(name, TestMode::OutsideWrites, |scenario, extent| {
        let baseline = scenario.baseline().unwrap();
        // A job of many files makes the same calls for each of them.
        let all = ((baseline.calls[2] - baseline.calls[0]) / CALLS).max(1);
        let (one_in, kills) = (extent.of(15, 16, all), extent.of(1, 1, 4));
        let plan = OutsideWritePlan { seed: seed(name), one_in, kills, enough: 10 };
        let mut report = TestReport::default();
        let mut writes = OutsideAction::ALL.to_vec();
        // Another one for each scenario.
        writes.rotate_left(usize::try_from(seed(name) % 15).unwrap_or(0));
        writes.truncate(extent.of(1, 15, 15));
        for path in baseline.paths.iter().take(extent.of(1, 2, 2)) {
            let more = fault_injection::outside_writes::check(scenario, path, &writes, &plan);
            report.images += more.images;
            report.found.extend(more.found);
        }
        if baseline.paths.len() > 1 {
            let plan = OutsideWritePlan { one_in: extent.of(30, 16, all), ..plan };
            let more = append_to_all::check(scenario, &plan);
            report.images += more.images;
            report.found.extend(more.found);
        }
        report
    });
}

fn with_combined_events(name: &str) {
    holds(name, TestMode::Combined, |scenario, extent| {
        let all = std::env::var("PAIRS").ok().and_then(|pairs| pairs.parse().ok()).unwrap_or(40);
        let (pairs, runs, images) = extent.of((1, 1, 3), (3, 2, 4), (all, 25, 16));
        let nth = usize::try_from(seed(name) % 5).unwrap_or(0);
        let kinds = extent.of(
            &EventCombination::ALL[nth..=nth],
            &EventCombination::ALL[..],
            &EventCombination::ALL[..],
        );
        let plan =
            CombinedPlan { seed: seed(name), kinds, pairs, runs, images, lies: &[], harm: None, enough: 10 };
        fault_injection::combined::check(scenario, &plan)
    });
}

/// Tests the scenario of a case file in a mode.
fn holds(name: &str, mode: TestMode, test: impl Fn(&SimScenario, SampleExtent) -> TestReport) {
    let (_, scenario) = player::read(&file(name));
    let skipped = scenario.skips(mode).is_some();
    let extent = match (exhaustive(), scenario.thorough) {
        (true, _) => SampleExtent::All,
        (false, true) => SampleExtent::Thorough,
        (false, false) => SampleExtent::Sample,
    };
    let no_job = scenario.skip.contains_key(&TestMode::Interrupted);
    let scenario = SimScenario::of_case(name, scenario).unwrap();
    assert_eq!(scenario.is_none(), no_job, "`skip.interrupted` is for scenarios without a job to interrupt");
    let Some(scenario) = scenario.filter(|_| !skipped) else { return };
    let report = test(&scenario, extent);
    println!("{} runs, {} left out as equal to one of them", report.images, report.repeated);
    assert!(report.found.is_empty(), "{} violations:\n{}", report.found.len(), report.found.join("\n"));
}

/// The number of scenarios that skip each mode at most. These numbers may only become smaller.
const SKIPPED: [(TestMode, usize); 7] = [
    (TestMode::Real, 7),
    (TestMode::Simulated, 0),
    (TestMode::Interrupted, 79),
    (TestMode::Crash, 0),
    (TestMode::Faults, 0),
    (TestMode::OutsideWrites, 3),
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
