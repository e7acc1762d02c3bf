//! Draws and judges until there are enough payloads, on several threads: which thread does what changes nothing.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fastrand::Rng;

use super::corpus::{Corpus, Language};
use super::draw::{DrawnPayload, draw};
use super::judge::{PayloadResult, judge, shown};
use super::printers::PRINTERS;
use super::source::SourceFile;
use super::table::ResultTable;

/// Payloads that are drawn from a file before the next is read.
const DRAWS: usize = 24;

/// Files between two looks whether there are enough payloads.
const BATCH: usize = 256;

/// Threads.
const THREADS: usize = 2;

/// The extent of a run.
#[derive(Clone, Debug)]
pub struct RunExtent {
    /// Payloads to judge, at least.
    pub edits: usize,
    /// The seed of the random choices.
    pub seed: u64,
    /// A part of the names of the ways that are wanted; all where empty.
    pub only: String,
    /// A part of the paths of the files that are wanted; all where empty.
    pub file: String,
}

/// Judges payloads that are drawn from real files.
///
/// # Panics
/// Where the corpus is empty, or nothing can be drawn from it.
pub fn run(corpus: &Corpus, request: &RunExtent) -> ResultTable {
    assert!(!corpus.is_empty(), "no files to draw from");
    let mut table = ResultTable::default();
    let mut round = 0;
    while table.edits() < request.edits {
        assert!(round < 100_000, "nothing can be drawn");
        let done = Mutex::new(Vec::new());
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        if at >= BATCH {
                            return;
                        }
                        let seed =
                            request.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (round * BATCH + at) as u64;
                        let table = one_file(corpus, request, seed);
                        done.lock().expect("no thread panics while it holds this").push((at, table));
                    }
                });
            }
        });
        let mut done = done.into_inner().expect("no thread panics while it holds this");
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().for_each(|(_, one)| table.take_in(one));
        round += 1;
    }
    table
}

fn one_file(corpus: &Corpus, request: &RunExtent, seed: u64) -> ResultTable {
    let mut rng = Rng::with_seed(seed);
    let mut table = ResultTable::default();
    let drawn = corpus.draw_changed(&mut rng);
    if !drawn.path.to_string_lossy().contains(&request.file) {
        return table;
    }
    let Some(source) = SourceFile::read(&drawn, &mut rng) else { return table };
    for _ in 0..DRAWS {
        let task = match draw(&source, &request.only, &mut rng) {
            DrawnPayload::Task(task) => task,
            DrawnPayload::Elsewhere => {
                table.elsewhere += 1;
                continue;
            }
            DrawnPayload::Nothing => continue,
        };
        let ended = judge(&source, &task);
        let name = PRINTERS[task.way].0.ways().name;
        if ended == PayloadResult::Unsupported {
            table.lacking.insert(name);
            continue;
        }
        table.count(name, task.how, task.verdict, &ended);
        if matches!(ended, PayloadResult::AppliedWrongly(_) | PayloadResult::RefusedThough(_)) {
            table.keep(&ended, name, task.how, || shown(&source, &task, &ended, name, seed));
        }
    }
    if table.edits() > 0 {
        table.saw(drawn.language, drawn.path.to_owned());
    }
    table
}

/// The files that payloads were drawn from.
pub(super) type DrawnFiles = BTreeSet<(Language, PathBuf)>;
