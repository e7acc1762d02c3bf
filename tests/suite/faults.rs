//! Faults on the simulated machine: whatever call fails, a job is applied or refused, and nothing is lost.

use editd_tests::lens::fault::{Plan, look};
use editd_tests::lens::{long, stories};

#[test]
fn scan() {
    let one = std::env::var("STORY").ok().filter(|one| !one.is_empty());
    let mut found = Vec::new();
    for story in stories::all() {
        if one.as_deref().is_some_and(|one| !story.name.starts_with(one)) {
            continue;
        }
        let plan = Plan {
            seed: 5,
            one_in: if long() {
                1
            } else if story.name.contains("twenty") {
                60
            } else {
                6
            },
            enough: 12,
        };
        let start = std::time::Instant::now();
        let report = look(&story, &plan);
        println!(
            "{:40} {:6} images {:5} ms {} complaints",
            story.name,
            report.images,
            start.elapsed().as_millis(),
            report.found.len()
        );
        found.extend(report.found);
    }
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}
