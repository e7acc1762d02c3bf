//! Counts the tokens of payloads and replies over changes of a real history, with a public tokenizer. It changes nothing
//! but temporary folders.
//!
//! `cargo run -p editd-tests --example tokens` takes the commits of this checkout that change up to three text files;
//! `CHANGES` (240) says how many, and `HISTORY` names another checkout. Refused jobs are made of those files, and of large
//! ones in cargo's registry folder. `SHOW=1` prints the longest replies. It fails where fewer than 98 % of the successes have at most 60 tokens, or of the refusals at most 400.

#![expect(clippy::expect_used, reason = "a measurement that cannot run has nothing to report")]

mod payloads;
mod refusals;
mod runner;

use std::collections::BTreeMap;
use std::process::ExitCode;

use editd_tests::commits::{self, CommitChange};
use runner::{ReplyForms, TokenRunner};

/// Changes that a table must have to say something.
const CHANGES: usize = 200;

/// The most tokens of a success and of a refusal.
const TARGETS: (usize, usize) = (60, 400);

/// The share of replies that must keep to them.
const SHARE: f64 = 0.98;

/// Numbers of tokens, by what they are of.
#[derive(Default)]
struct TokenTable {
    rows: BTreeMap<(u8, String), Vec<usize>>,
    longest: BTreeMap<(u8, String), String>,
}

impl TokenTable {
    fn add(&mut self, tokenizer: &tiktoken_rs::CoreBPE, section: u8, row: &str, text: &str) {
        let count = tokenizer.encode_ordinary(text).len();
        let key = (section, row.to_owned());
        let counts = self.rows.entry(key.clone()).or_default();
        if counts.iter().all(|known| *known < count) {
            self.longest.insert(key, text.to_owned());
        }
        counts.push(count);
    }

    fn add_replies(
        &mut self,
        tokenizer: &tiktoken_rs::CoreBPE,
        section: u8,
        row: &str,
        replies: &ReplyForms,
    ) {
        self.add(tokenizer, section, &format!("{row}, text"), &replies.text);
        self.add(tokenizer, section, &format!("{row}, JSON"), &replies.json);
    }

    /// Prints a section; returns the share of its replies as text that have at most `target` tokens. As JSON, a reply for
    /// three files with long paths has more than a success should, since a program needs the whole paths.
    fn print(&self, section: u8, target: Option<usize>) -> f64 {
        let last = target.map_or(String::new(), |target| format!(" at most {target} |"));
        println!("| | count | median | p90 | maximum |{last}");
        println!("|---|---|---|---|---|{}", if target.is_some() { "---|" } else { "" });
        let (mut all, mut kept) = (0, 0);
        for ((_, name), counts) in self.rows.iter().filter(|(key, _)| key.0 == section) {
            let mut sorted = counts.clone();
            sorted.sort_unstable();
            let at =
                |share: f64| sorted.get((sorted.len() as f64 * share) as usize).or(sorted.last()).copied();
            let (median, p90, most) = (at(0.5), at(0.9), sorted.last());
            let number = |value: Option<usize>| value.unwrap_or(0);
            let (median, p90, most) = (number(median), number(p90), number(most.copied()));
            let within = target.map(|target| sorted.iter().filter(|count| **count <= target).count());
            if name.ends_with(", text") {
                all += sorted.len();
                kept += within.unwrap_or(0);
            }
            let share =
                within.map(|within| format!(" {:.1} % |", 100.0 * within as f64 / sorted.len() as f64));
            println!(
                "| {name} | {} | {median} | {p90} | {most} |{}",
                sorted.len(),
                share.unwrap_or_default()
            );
        }
        println!();
        if all == 0 { 0.0 } else { kept as f64 / all as f64 }
    }
}

fn main() -> ExitCode {
    let tokenizer = tiktoken_rs::o200k_base().expect("the vocabulary is compiled in");
    let wanted = std::env::var("CHANGES").ok().and_then(|text| text.parse().ok()).unwrap_or(240);
    let changes = commits::changes(wanted);
    let mut table = TokenTable::default();
    let mut runner = TokenRunner::new();
    for change in &changes {
        measure(&mut table, &tokenizer, &mut runner, change);
    }
    let mut refused = 0;
    for (row, replies) in refusals::all(&mut runner, &changes) {
        table.add_replies(&tokenizer, 2, &row, &replies);
        refused += 1;
    }
    println!(
        "Tokenizer: o200k_base (crate tiktoken-rs). Changes: {}. Refused jobs: {refused}.\n",
        changes.len()
    );
    println!("Payloads:\n");
    table.print(0, None);
    println!("Successes:\n");
    let successes = table.print(1, Some(TARGETS.0));
    println!("Refusals:\n");
    let refusals = table.print(2, Some(TARGETS.1));
    if std::env::var_os("SHOW").is_some() {
        table
            .longest
            .iter()
            .filter(|(key, _)| key.0 > 0)
            .for_each(|((_, name), text)| println!("== {name}\n{text}"));
    }
    println!(
        "Successes as text within {} tokens: {:.1} %; refusals as text within {}: {:.1} %.",
        TARGETS.0,
        successes * 100.0,
        TARGETS.1,
        refusals * 100.0
    );
    if changes.len() >= CHANGES && successes >= SHARE && refusals >= SHARE {
        return ExitCode::SUCCESS;
    }
    println!("Too few changes, or replies that are too long.");
    ExitCode::FAILURE
}

/// Counts one change in every form, and the replies to it.
fn measure(
    table: &mut TokenTable,
    tokenizer: &tiktoken_rs::CoreBPE,
    runner: &mut TokenRunner,
    change: &CommitChange,
) {
    for (name, payload) in payloads::all(change) {
        table.add(tokenizer, 0, name, &payload);
    }
    let files = format!("{} file{}", change.files.len(), if change.files.len() == 1 { "" } else { "s" });
    let replies = runner.success(change, &payloads::lines(change));
    table.add_replies(tokenizer, 1, &files, &replies);
}
