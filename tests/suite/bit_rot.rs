//! Bit rot in the stored state of simulated scenarios. `FLIPS=N` sets the number of flipped bits in each scenario on each
//! disk (12); `SEED=N` which.

use editd_tests::fault_injection::bit_rot::{RotPlan, check};
use editd_tests::fault_injection::chosen;
use editd_tests::fault_injection::sim_scenario::SimScenario;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

#[test]
fn a_flipped_bit_is_reported_or_does_no_harm() {
    let flips = usize::try_from(number("FLIPS", 12)).unwrap();
    let plan = RotPlan { seed: number("SEED", 1), flips, harm: None };
    let (mut images, mut found) = (0, Vec::new());
    for scenario in chosen(SimScenario::thorough()) {
        let report = check(&scenario, &plan);
        images += report.images;
        found.extend(report.found);
    }
    println!("{images} flipped bits");
    assert!(found.is_empty(), "{} of {images}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn unreported_harm_is_noticed() {
    let plan = RotPlan {
        seed: 1,
        flips: 20,
        harm: Some(|workspace| workspace.machine.outside().write("/w/a.txt", b"torn").unwrap()),
    };
    let scenarios = SimScenario::thorough();
    let found: Vec<String> = scenarios.iter().take(3).flat_map(|one| check(one, &plan).found).collect();
    assert!(found.iter().any(|what| what.contains("nothing is reported, but a.txt shows")), "{found:#?}");
}
