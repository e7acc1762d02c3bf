//! Faults on the simulated machine: whatever call fails, once or from then on, a job is applied or refused, a log that
//! failed acknowledges nothing more, and mended and opened again everything is whole.
//!
//! `LENS=long` and `STORY=…` as for `crash`.

use editd_tests::lens::fault::{Plan, look};
use editd_tests::lens::story::Story;
use editd_tests::lens::{chosen, long, stories};

fn all_hold(stories: Vec<Story>) {
    let mut found = Vec::new();
    let mut runs = 0;
    for story in chosen(stories) {
        let one_in = match (long(), story.name.contains("twenty")) {
            (true, _) => 1,
            (false, true) => 100,
            (false, false) => 12,
        };
        let report = look(&story, &Plan { seed: 5, one_in, enough: 12 });
        runs += report.images;
        found.extend(report.found);
    }
    println!("{runs} runs");
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

#[test]
fn no_fault_breaks_any_kind_of_job() {
    all_hold(stories::plain());
}

#[test]
fn no_fault_breaks_a_job_on_top_of_others() {
    all_hold(stories::pasts());
}

#[test]
fn no_fault_breaks_a_job_on_links_mounts_and_poor_systems() {
    all_hold(stories::places());
}
