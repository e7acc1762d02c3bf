//! Promises *atomic*, *durable*, *undo is exact* and *once* on the simulated machine: whatever ends the process, and
//! again while it recovers, every job is wholly there or not at all, and what was answered stands.
//!
//! `LENS=long cargo test --test suite crash` looks at a hundred times as much; `STORY=…` at stories whose names begin so.

use editd_tests::lens::crash::{Plan, look};
use editd_tests::lens::image::Cuts;
use editd_tests::lens::story::Story;
use editd_tests::lens::{chosen, long, stories};
use editd_tests::sim::Op;

/// The plan of the suite, and of a long run.
fn plan() -> Plan {
    let many = long();
    Plan {
        cuts: Cuts { limit: if many { 60 } else { 6 }, seed: 7 },
        images: if many { 4000 } else { 40 },
        whole_one_in: if many { 3 } else { 5 },
        again: if many { 150 } else { 3 },
        again_images: if many { 60 } else { 6 },
        lies: &[],
        enough: 10,
    }
}

fn all_hold(stories: Vec<Story>) {
    let mut images = 0;
    let mut found = Vec::new();
    for story in chosen(stories) {
        let report = look(&story, &plan());
        images += report.images;
        found.extend(report.found);
    }
    println!("{images} images");
    assert!(found.is_empty(), "{} complaints:\n{}", found.len(), found.join("\n"));
}

#[test]
fn every_kind_of_job_is_whole_or_not_at_all() {
    all_hold(stories::plain());
}

#[test]
fn a_job_on_top_of_others_is_whole_or_not_at_all_and_they_stand() {
    all_hold(stories::pasts());
}

#[test]
fn a_job_on_links_mounts_and_poor_systems_is_whole_or_not_at_all() {
    all_hold(stories::places());
}

/// The lens must notice each kind of flush that is left out: of the log, of files, of folders.
fn a_lie_is_noticed(lies: &'static [Op]) {
    let plan = Plan {
        cuts: Cuts { limit: 24, seed: 11 },
        images: 400,
        whole_one_in: 4,
        again: 0,
        again_images: 0,
        lies,
        enough: 1,
    };
    let noticed = stories::plain().iter().any(|story| !look(story, &plan).found.is_empty());
    assert!(noticed, "no story has noticed that {lies:?} did nothing");
}

#[test]
fn a_log_that_is_not_flushed_is_noticed() {
    a_lie_is_noticed(&[Op::SyncData]);
}

#[test]
fn files_that_are_not_flushed_are_noticed() {
    a_lie_is_noticed(&[Op::SyncAll]);
}

#[test]
fn folders_that_are_not_flushed_are_noticed() {
    a_lie_is_noticed(&[Op::SyncDir]);
}

#[test]
fn a_disk_that_flushes_nothing_is_noticed() {
    a_lie_is_noticed(&[Op::SyncData, Op::SyncAll, Op::SyncDir]);
}
