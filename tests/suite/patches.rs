//! editd compared with `git apply` and GNU `patch`, over diffs of real files: if they reject a diff, editd rejects
//! it, or its result is a correct merge. If a tool is absent, the test prints that it is skipped.

use std::collections::BTreeMap;
use std::fs;

use editd_tests::generator::Corpus;
use editd_tests::patches::{
    DAMAGES, DiffDamage, DiffResult, DiffTools, DiffTrial, PatchText, TreeDiff, TreeTrial, changed, judge,
    missing_tools,
};
use fastrand::Rng;

/// Returns the number of diffs to try; `DIFFS` asks for more.
fn trials() -> u64 {
    std::env::var("DIFFS").ok().and_then(|n| n.parse().ok()).unwrap_or(160)
}

fn seed() -> u64 {
    std::env::var("SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(41)
}

/// Returns true if a tool is absent, and prints that.
fn skips() -> bool {
    let missing = missing_tools();
    if let Some(name) = missing {
        println!("skipped: {name} is not installed");
    }
    missing.is_some()
}

/// The lines of a real file that a diff can be of.
fn drawn(corpus: &Corpus, rng: &mut Rng) -> Vec<String> {
    loop {
        let Ok(text) = fs::read_to_string(corpus.draw(rng).0) else { continue };
        let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        if lines.len() > 3 && !text.contains(['\r', '\0']) {
            return lines;
        }
    }
}

fn trial(corpus: &Corpus, tools: &DiffTools, damage: DiffDamage, rng: &mut Rng) -> Option<DiffTrial> {
    let lines = drawn(corpus, rng);
    let (spots, others) = (rng.usize(1..5), rng.usize(0..5));
    let base = lines.concat();
    let author = changed(&lines, spots, "author", rng).concat();
    let there = match others {
        0 => base.clone(),
        // The change is there already.
        1 => author.clone(),
        spots => changed(&lines, spots, "others", rng).concat(),
    };
    let (git, context) = (rng.bool(), rng.usize(0..5));
    // Lines without context say nothing of their place but its number.
    let there = if context == 0 && others > 1 { base.clone() } else { there };
    let way = *rng.choice(["--minimal", "--patience", "--histogram"].as_slice())?;
    let whole = tools.diff(git, context, way, &base, &author);
    let diff = PatchText::read(&whole).damaged(damage, rng);
    (base != author).then_some(DiffTrial { base, author, there, diff, damage })
}

#[test]
fn no_diff_is_applied_wrongly_compared_with_other_tools() {
    if skips() {
        return;
    }
    let (corpus, tools, mut rng) = (Corpus::find(), DiffTools::new(), Rng::with_seed(seed()));
    let mut table: BTreeMap<(DiffDamage, DiffResult), u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for number in 0..trials() {
        let damage = if rng.bool() { DiffDamage::None } else { DAMAGES[rng.usize(0..DAMAGES.len())] };
        let Some(trial) = trial(&corpus, &tools, damage, &mut rng) else { continue };
        let (judged, said) = judge(&tools, &trial);
        *table.entry((damage, judged)).or_default() += 1;
        if judged == DiffResult::Wrong {
            wrong.push(format!("trial {number}, {damage:?}"));
            keep(number, &trial, &said);
        }
    }
    for ((damage, judged), count) in &table {
        println!("{damage:?} {judged:?} {count}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(table.iter().any(|((_, judged), _)| *judged == DiffResult::Merged), "something was applied");
}

/// Keeps what was judged, where `DIFFS_KEEP` names a folder.
fn keep(number: u64, trial: &DiffTrial, said: &str) {
    let Some(folder) = std::env::var_os("DIFFS_KEEP") else { return };
    let folder = std::path::Path::new(&folder).join(number.to_string());
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in
        [("base", &trial.base), ("author", &trial.author), ("there", &trial.there), ("diff", &trial.diff)]
    {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::write(folder.join("said"), said).unwrap();
}

#[test]
fn a_diff_of_two_trees_turns_one_into_the_other() {
    if skips() {
        return;
    }
    let (corpus, tools, mut rng) = (Corpus::find(), DiffTools::new(), Rng::with_seed(seed()));
    let (mut wrong, mut exact, mut refused) = (Vec::new(), 0, 0);
    for number in 0..(trials() / 8).max(4) {
        let files = rng.usize(2..5);
        let contents: Vec<String> = (0..files).map(|_| drawn(&corpus, &mut rng).concat()).collect();
        let commits = rng.usize(1..4);
        let trial = TreeTrial::draw(&contents, commits, &mut rng);
        let ways = [TreeDiff::Git, TreeDiff::GitBroken, TreeDiff::Mailbox, TreeDiff::Gnu];
        let way = ways[rng.usize(0..ways.len())];
        let diff = trial.print(&tools, way);
        match trial.differences(way, &diff) {
            Ok(differences) if differences.is_empty() => exact += 1,
            Ok(differences) => wrong.push(format!("trial {number}, {way:?}: {differences:?}")),
            // A rewritten file may lack its removal in this form, and git says the same.
            Err(_) if way == TreeDiff::GitBroken && !trial.git_applies(&tools, &diff) => refused += 1,
            Err(refusal) => wrong.push(format!("trial {number}, {way:?}: {}", refusal.message)),
        }
    }
    println!("{exact} trees exactly, {refused} refused as by git");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
