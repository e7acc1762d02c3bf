//! Compares edit tools for models over changes of a real history: the tokens of their schemas, calls and replies, and the
//! resulting files. It changes nothing but temporary folders.
//!
//! `cargo run -p editd-tests --example compare` takes the commits of this checkout that change up to three text files;
//! `CHANGES` (200) says how many. It fails if `editctl mcp` does not make each of them. The other tools are compared if they are installed: `FILESYSTEM_SERVER` names
//! `dist/index.js` of the package `@modelcontextprotocol/server-filesystem`, and `TEXT_EDITOR_PYTHON` a Python that has the
//! package `openhands-aci`. `SHOW=1` prints each call that a tool refused.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a measurement that cannot run has nothing to report; a field that a JSON value lacks is null"
)]

mod situations;
mod tool;

use std::process::ExitCode;

use editd_tests::commits::{self, CommitChange};
use tiktoken_rs::CoreBPE;
use tool::{EditTool, ToolKind};

const TOOLS: [ToolKind; 5] =
    [ToolKind::Quoted, ToolKind::Lines, ToolKind::AsTextEditor, ToolKind::Filesystem, ToolKind::TextEditor];

/// The numbers of one tool.
#[derive(Default)]
struct ToolFigures {
    schema: usize,
    /// For each change: the tokens of reading its files, of the calls that make it, and of their replies.
    reads: Vec<usize>,
    calls: Vec<usize>,
    replies: Vec<usize>,
    both: Vec<usize>,
    /// The number of calls of all changes.
    number: usize,
    /// The changes whose files have the content of the commit.
    exact: usize,
    refused: usize,
    wrong: usize,
    cannot: usize,
}

fn main() -> ExitCode {
    let tokenizer = tiktoken_rs::o200k_base().expect("the vocabulary is compiled in");
    let wanted = std::env::var("CHANGES").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    // The oldest first, so that a session never edits a file that it knows from later.
    let changes: Vec<CommitChange> = commits::changes(wanted).into_iter().rev().collect();
    let mut figures = Vec::new();
    let mut situations = situations::SituationTable::default();
    for kind in TOOLS {
        let Some(mut tool) = EditTool::start(kind) else {
            eprintln!("{} is left out: its package is not named", kind.name());
            continue;
        };
        figures.push((kind, measure(&tokenizer, &mut tool, &changes)));
        if kind != ToolKind::Lines {
            situations.add(&mut tool);
        }
    }
    println!("Tokenizer: o200k_base (crate tiktoken-rs). Changes: {}.\n", changes.len());
    println!("| | schema | calls per change | read | call | reply | call and reply | p90 | all changes |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for (kind, of) in &figures {
        let calls = of.number as f64 / changes.len().max(1) as f64;
        println!(
            "| {} | {} | {calls:.1} | {} | {} | {} | {} | {} | {} |",
            kind.name(),
            of.schema,
            at(&of.reads, 0.5),
            at(&of.calls, 0.5),
            at(&of.replies, 0.5),
            at(&of.both, 0.5),
            at(&of.both, 0.9),
            of.both.iter().sum::<usize>(),
        );
    }
    println!("\n| | as in the commit | refused | another content | cannot |\n|---|---|---|---|---|");
    for (kind, of) in &figures {
        println!("| {} | {} | {} | {} | {} |", kind.name(), of.exact, of.refused, of.wrong, of.cannot);
    }
    println!();
    situations.print();
    let is_whole = |of: &ToolFigures| of.exact == changes.len() && !changes.is_empty();
    let ours = figures.iter().filter(|(kind, _)| kind.deletes());
    if ours.map(|(_, of)| of).all(is_whole) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn at(counts: &[usize], share: f64) -> usize {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    sorted.get((sorted.len() as f64 * share) as usize).or(sorted.last()).copied().unwrap_or(0)
}

fn measure(tokenizer: &CoreBPE, tool: &mut EditTool, changes: &[CommitChange]) -> ToolFigures {
    let tokens = |text: &str| tokenizer.encode_ordinary(text).len();
    let mut figures = ToolFigures { schema: tokens(&tool.schema()), ..ToolFigures::default() };
    for change in changes {
        for file in &change.files {
            match &file.before {
                Some(text) => tool.put(&file.path, text),
                None => tool.remove(&file.path),
            }
        }
        let mut read = 0;
        for file in change.files.iter().filter(|file| file.before.is_some()) {
            let call = tool.read(&file.path);
            read += tokens(&tool.shown(&call.1.to_string())) + tokens(&tool.call(&call).text);
        }
        let (mut call_tokens, mut reply_tokens, mut refused) = (0, 0, false);
        for call in tool.calls(change) {
            let shown = tool.shown(&call.1.to_string());
            let reply = tool.call(&call);
            call_tokens += tokens(&shown);
            reply_tokens += tokens(&reply.text);
            figures.number += 1;
            refused |= reply.is_refusal;
            if reply.is_refusal && std::env::var_os("SHOW").is_some() {
                eprintln!("== {}\n{shown}\n{}", tool.kind.name(), reply.text);
            }
        }
        figures.reads.push(read);
        figures.calls.push(call_tokens);
        figures.replies.push(reply_tokens);
        figures.both.push(call_tokens + reply_tokens);
        // Hunks do not say whether the last line has a line break.
        let ended = |text: Option<String>| text.map(|text| text.trim_end().to_owned());
        let is_done =
            change.files.iter().all(|file| ended(tool.get(&file.path)) == ended(file.after.clone()));
        let deletes = change.files.iter().any(|file| file.after.is_none());
        match (is_done, refused) {
            (true, _) => figures.exact += 1,
            (false, _) if deletes && !tool.kind.deletes() => figures.cannot += 1,
            (false, true) => figures.refused += 1,
            (false, false) => figures.wrong += 1,
        }
        change.files.iter().for_each(|file| tool.remove(&file.path));
    }
    figures
}
