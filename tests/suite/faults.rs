//! Faults on the simulated machine: if any call fails, once or from then on, a job is applied or refused, a log that
//! failed acknowledges nothing more, and after a restart everything is intact, also after a power cut.
//!
//! `LENS=long` and `STORY=…` as for `crash`.

use editd_tests::lens::crash::disks;
use editd_tests::lens::fault::{FaultPlan, look};
use editd_tests::lens::story::SimScenario;
use editd_tests::lens::{chosen, long, stories};

fn all_hold(stories: Vec<SimScenario>, cuts: usize) {
    let mut found = Vec::new();
    let mut runs = 0;
    for story in chosen(stories) {
        let one_in = match (long(), story.name.contains("twenty")) {
            (true, _) => 1,
            (false, true) => 100,
            (false, false) if cuts > 0 => 60,
            (false, false) => 12,
        };
        let report = look(&story, &FaultPlan { seed: 5, one_in, cuts, enough: 12 });
        runs += report.images;
        found.extend(report.found);
    }
    println!("{runs} runs");
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

#[test]
fn no_fault_breaks_any_kind_of_job() {
    all_hold(stories::plain(), 0);
}

#[test]
fn no_fault_breaks_a_job_on_top_of_others() {
    all_hold(stories::pasts(), 0);
}

#[test]
fn no_fault_breaks_a_job_on_links_mounts_and_poor_systems() {
    all_hold(stories::places(), 0);
}

/// The same on a disk that keeps no common order of names.
fn disordered(stories: Vec<SimScenario>) -> Vec<SimScenario> {
    let other = |story: SimScenario| {
        let [_, abilities] = disks(story.abilities);
        story.on(abilities)
    };
    stories.into_iter().map(other).collect()
}

#[test]
fn no_fault_and_no_power_cut_behind_it_break_any_kind_of_job() {
    all_hold(stories::plain(), 3);
    all_hold(disordered(stories::plain()), 3);
}

#[test]
fn no_fault_and_no_power_cut_behind_it_break_a_job_on_top_of_others() {
    all_hold(stories::pasts(), 3);
    all_hold(disordered(stories::pasts()), 3);
}

#[test]
fn no_fault_and_no_power_cut_behind_it_break_a_job_on_links_mounts_and_poor_systems() {
    all_hold(stories::places(), 3);
    all_hold(disordered(stories::places()), 3);
}
