//! A sample of `cargo run -p editd-tests --example edits`: realistic edits of real files in every dialect. None may
//! be applied wrongly.

use editd_tests::generator::{Corpus, RunExtent, run};

/// A few seconds.
const EDITS: usize = 2_000;

#[test]
fn no_realistic_edit_is_applied_wrongly() {
    let corpus = Corpus::find();
    if corpus.len() < 200 {
        println!("cargo's registry folder has {} files to edit: too few; skipped", corpus.len());
        return;
    }
    let request = RunExtent { edits: EDITS, seed: 1, only: String::new(), file: String::new() };
    let table = run(&corpus, &request);
    assert_eq!(table.wrongly(), 0, "{}\n{table}", table.wrong().join("\n"));
    let (none, some) = table.shares();
    assert!(none.is_some() && some.is_some(), "nothing was judged\n{table}");
    assert!(table.passes((0.995, 0.95)), "too few are applied\n{table}");
}

#[test]
fn the_same_seed_gives_the_same_table() {
    let corpus = Corpus::find();
    if corpus.is_empty() {
        println!("no files to edit; skipped");
        return;
    }
    let request = RunExtent { edits: 200, seed: 7, only: String::new(), file: String::new() };
    assert_eq!(run(&corpus, &request).to_string(), run(&corpus, &request).to_string());
}

#[test]
fn a_way_that_cannot_be_disturbed_passes_by_what_is_undisturbed() {
    let corpus = Corpus::find();
    if corpus.is_empty() {
        println!("no files to edit; skipped");
        return;
    }
    let request = RunExtent { edits: 50, seed: 3, only: "ranges".to_owned(), file: String::new() };
    let table = run(&corpus, &request);
    assert_eq!(table.shares().1, None, "{table}");
    assert!(table.passes((0.995, 0.95)), "{table}");
    assert!(!table.passes((1.1, 0.0)), "a share that is too small does not pass\n{table}");
}
