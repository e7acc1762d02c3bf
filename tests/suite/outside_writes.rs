//! Promise *foreign bytes are never lost*, on the simulated machine: two programs that write one after the other, and
//! the calls before which an outside write may be lost. `cases::outside_writes` tests all case files.
//!
//! `EXHAUSTIVE=1` tests all distances between the programs, `SCENARIO=…` only the scenarios whose names begin so.

use std::path::Path;

use editd_tests::fault_injection::outside_writes::action::OutsideAction;
use editd_tests::fault_injection::outside_writes::{OutsideWritePlan, check, exempt_calls, two_writers};
use editd_tests::fault_injection::sim_scenario::SimScenario;
use editd_tests::fault_injection::{chosen, exhaustive};
use editd_tests::scenario::player;

/// The number of calls of one scenario before which an outside write may be lost at most, so that the test does not
/// exclude too much.
const WINDOW: usize = 8;

#[test]
fn two_writers_lose_nothing_while_a_swap_is_rolled_back() {
    let gaps: Vec<u64> = if exhaustive() { (1..=16).collect() } else { vec![3] };
    let mut runs = 0;
    let mut found = Vec::new();
    let swapping = |scenario: &SimScenario| scenario.features.leases && scenario.features.exchange;
    for scenario in chosen(SimScenario::thorough()).into_iter().filter(swapping) {
        let report = two_writers::check(&scenario, &gaps);
        runs += report.images;
        found.extend(report.found);
    }
    println!("{runs} runs");
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

#[test]
fn few_calls_of_few_scenarios_are_exempt() {
    for scenario in SimScenario::thorough() {
        let baseline = scenario.baseline().unwrap();
        let exempt_calls = exempt_calls(&baseline);
        let may = scenario.name.contains("two_names") || !scenario.features.exchange;
        assert!(exempt_calls.is_empty() || may, "{}: {exempt_calls:?}", scenario.name);
        assert!(exempt_calls.len() <= WINDOW, "{}: {exempt_calls:?}", scenario.name);
    }
}

/// Runs a substitution over globs with one action of another program before each call.
fn check_globs(path: &str, action: OutsideAction) {
    let name = "a_substitution_over_globs_without_expect_must_have_read_each_file";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(format!("{name}.toml"));
    let scenario = SimScenario::of_case(name, player::read(&file).1).unwrap().unwrap();
    let plan = OutsideWritePlan { seed: 1, one_in: 1, kills: 0, enough: 10 };
    let report = check(&scenario, path, &[action], &plan);
    assert!(report.images > 50, "{} runs", report.images);
    assert!(report.found.is_empty(), "{}", report.found.join("\n"));
}

#[test]
fn a_glob_leaves_no_file_out_that_grows_meanwhile() {
    check_globs("a.txt", OutsideAction::Append);
}

#[test]
fn a_glob_leaves_no_file_out_that_is_moved_meanwhile() {
    check_globs("sub/b.txt", OutsideAction::MoveFolder);
}
