//! Promise *foreign bytes are never lost*, on the simulated machine: whatever another process does at whatever moment
//! of a job, its bytes stand or are in the journal, and the job was applied before it, after it, or not at all.

use editd_tests::lens::foreign::deed::Deed;
use editd_tests::lens::foreign::{Plan, look};
use editd_tests::lens::{long, stories};

#[test]
fn scan() {
    let one = std::env::var("STORY").ok().filter(|one| !one.is_empty());
    let plan =
        Plan { seed: 3, one_in: if long() { 1 } else { 4 }, kills: if long() { 4 } else { 1 }, enough: 12 };
    let mut found = Vec::new();
    for story in stories::all() {
        if one.as_deref().is_some_and(|one| !story.name.starts_with(one)) || story.name.contains("twenty") {
            continue;
        }
        let Ok(course) = story.course() else { continue };
        let start = std::time::Instant::now();
        let mut images = 0;
        let before = found.len();
        for path in course.paths.iter().take(2) {
            let report = look(&story, path, &Deed::ALL, &plan);
            images += report.images;
            found.extend(report.found);
        }
        println!(
            "{:40} {images:6} images {:5} ms {} complaints",
            story.name,
            start.elapsed().as_millis(),
            found.len() - before
        );
    }
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}
