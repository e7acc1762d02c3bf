//! Promise *foreign bytes are never lost*, on the simulated machine: if another process does anything at any moment
//! of a job, its bytes are in a file or in the journal, and the job was applied before it, after it, or not at all.
//!
//! `LENS=long` and `STORY=…` as for `crash`.

use editd_tests::lens::foreign::deed::Deed;
use editd_tests::lens::foreign::relay;
use editd_tests::lens::foreign::{OutsideWritePlan, look, windows};
use editd_tests::lens::story::SimScenario;
use editd_tests::lens::{chosen, long, stories};

/// The number of calls of one scenario before which an outside write may be lost at most, so that the test does not
/// exclude too much.
const WINDOW: usize = 8;

fn none_is_lost(stories: Vec<SimScenario>) {
    let plan = OutsideWritePlan {
        seed: 3,
        one_in: if long() { 1 } else { 16 },
        kills: if long() { 4 } else { 1 },
        enough: 12,
    };
    let mut found = Vec::new();
    let mut runs = 0;
    for story in chosen(stories).into_iter().filter(|story| !story.name.contains("twenty")) {
        let course = story.course().unwrap();
        for path in course.paths.iter().take(2) {
            let report = look(&story, path, &Deed::ALL, &plan);
            runs += report.images;
            found.extend(report.found);
        }
    }
    println!("{runs} runs");
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

#[test]
fn nothing_is_lost_to_any_kind_of_job() {
    none_is_lost(stories::plain());
}

#[test]
fn nothing_is_lost_to_a_job_on_top_of_others() {
    none_is_lost(stories::pasts());
}

#[test]
fn nothing_is_lost_on_links_mounts_and_poor_systems() {
    none_is_lost(stories::places());
}

#[test]
fn nothing_is_lost_between_two_programs_while_a_swap_is_taken_back() {
    let gaps: Vec<u64> = if long() { (1..=16).collect() } else { vec![3] };
    let mut runs = 0;
    let mut found = Vec::new();
    let swapping = |story: &SimScenario| story.abilities.leases && story.abilities.exchange;
    for story in chosen(stories::plain()).into_iter().filter(swapping) {
        let report = relay::look(&story, &gaps);
        runs += report.images;
        found.extend(report.found);
    }
    println!("{runs} runs");
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_windows_that_are_looked_away_from_are_few_calls_of_few_stories() {
    for story in stories::all() {
        let course = story.course().unwrap();
        let windows = windows(&course);
        let may = story.name.contains("linked") || !story.abilities.exchange;
        assert!(windows.is_empty() || may, "{}: {windows:?}", story.name);
        assert!(windows.len() <= WINDOW, "{}: {windows:?}", story.name);
    }
}
