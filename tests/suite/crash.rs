//! Promises *atomic* and *durable* on the simulated machine: whatever ends the process, every job is wholly there or
//! not at all, and what was answered stands.

use editd_tests::lens::crash::{Plan, Report, look};
use editd_tests::lens::image::Cuts;
use editd_tests::lens::{long, stories};

/// The plan of the suite, and of a long run (`LENS=long`).
fn plan(seed: u64) -> Plan {
    let many = long();
    Plan {
        cuts: Cuts { limit: if many { 60 } else { 6 }, seed },
        images: if many { 4000 } else { 60 },
        whole_one_in: if many { 3 } else { 5 },
        again: if many { 150 } else { 3 },
        again_images: if many { 60 } else { 8 },
        lies: &[],
        enough: 10,
    }
}

fn all_hold(reports: impl IntoIterator<Item = Report>) {
    let mut images = 0;
    let mut found = Vec::new();
    for report in reports {
        images += report.images;
        found.extend(report.found);
    }
    println!("{images} images");
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

#[test]
fn every_story_has_a_course() {
    let failed: Vec<String> = stories::all()
        .iter()
        .filter_map(|story| story.course().err().map(|error| format!("{}: {error}", story.name)))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn scan() {
    let one = std::env::var("STORY").ok().filter(|one| !one.is_empty());
    let mut reports = Vec::new();
    for story in stories::all() {
        if one.as_deref().is_some_and(|one| !story.name.starts_with(one)) {
            continue;
        }
        let start = std::time::Instant::now();
        let report = look(&story, &plan(7));
        println!(
            "{:40} {:6} images {:5} ms {} complaints",
            story.name,
            report.images,
            start.elapsed().as_millis(),
            report.found.len()
        );
        reports.push(report);
    }
    all_hold(reports);
}
