//! The time of planning, as ratios to lower bounds measured in the same run: the machine is noisy, so bounds and work
//! take turns, and medians are compared. It plans in memory, touches no disk, and asserts nothing about time.
//!
//! `cargo bench -p editd-tests --bench plan` prints the table; `-- rounds=N` takes more or fewer turns (20).

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark that cannot run has nothing to report"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use editd_engine::{FileState, PlanOptions, WorkspaceSnapshot, plan_input as plan};
use editd_proto::message::{FileEdit, FileEntry, JobRequest};
use editd_proto::path::FilePath;

/// Lines of the large file.
const MANY: usize = 100_000;
/// Lines of the small one.
const FEW: usize = 5_000;
/// Lines of a quoted text.
const QUOTED: usize = 40;

fn main() {
    let rounds = std::env::args()
        .find_map(|word| word.strip_prefix("rounds=").and_then(|n| n.parse().ok()))
        .unwrap_or(20_usize);
    println!("a floor is one hash of the file and one search for the bytes in it");
    let mut rows: Vec<PlanRow> = promised().into_iter().chain(hostile()).collect();
    for _ in 0..rounds {
        for row in &mut rows {
            row.turn();
        }
    }
    rows.iter_mut().for_each(PlanRow::report);
}

/// One line of the table.
struct PlanRow {
    name: String,
    /// The expected result: `applied`, or an error code.
    outcome: &'static str,
    /// The promised ratio.
    promise: &'static str,
    world: WorkspaceSnapshot,
    job: JobRequest,
    /// The text that the lower bound searches for.
    needle: Vec<u8>,
    floor: Vec<Duration>,
    work: Vec<Duration>,
}

impl PlanRow {
    fn new(
        name: &str,
        promise: &'static str,
        outcome: &'static str,
        file: &str,
        edits: Vec<FileEdit>,
    ) -> Self {
        let path = FilePath::from("f");
        let needle = edits[0].old.clone().or_else(|| edits[0].pattern.clone()).unwrap().into_bytes();
        let state = FileState::File { bytes: Arc::from(file.as_bytes()), mode: 0o644 };
        let entry = FileEntry { path: path.clone(), edits, ..FileEntry::default() };
        Self {
            name: name.to_owned(),
            outcome,
            promise,
            world: WorkspaceSnapshot {
                files: [(path, state)].into_iter().collect(),
                ..WorkspaceSnapshot::default()
            },
            job: JobRequest { files: vec![entry], ..JobRequest::default() },
            needle,
            floor: Vec::new(),
            work: Vec::new(),
        }
    }

    fn without_diff(mut self) -> Self {
        self.job.diff = Some(false);
        self
    }

    fn turn(&mut self) {
        let FileState::File { bytes, .. } = self.world.files.values().next().unwrap() else { return };
        let start = Instant::now();
        black_box(blake3::hash(bytes));
        black_box(memchr::memmem::find_iter(bytes, &self.needle).count());
        self.floor.push(start.elapsed());
        let start = Instant::now();
        let planned = black_box(plan(&self.job, &self.world, &PlanOptions::default()));
        self.work.push(start.elapsed());
        let outcome = match planned {
            Ok(_) => "applied".to_owned(),
            Err(error) => format!("{:?}", error.code),
        };
        assert_eq!(outcome, self.outcome, "{}", self.name);
    }

    fn report(&mut self) {
        let (floor, work) = (median(&mut self.floor), median(&mut self.work));
        println!(
            "{:<50} {:>8.3} ms p50, {:>8.3} ms best = {:>7.2} floors ({})",
            self.name,
            work.as_secs_f64() * 1e3,
            self.work[0].as_secs_f64() * 1e3,
            work.as_secs_f64() / floor.as_secs_f64(),
            self.promise
        );
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Returns the rows with a target.
fn promised() -> Vec<PlanRow> {
    let (few, many) = (code(FEW, 1), code(MANY, 1));
    let absent = fuzzy(&code(QUOTED, 2));
    let there =
        |file: &str| fuzzy(&typos(&file.lines().skip(FEW / 2).take(QUOTED).collect::<Vec<_>>().join("\n")));
    let (in_few, in_many) = (there(&few), there(&many));
    let last = "the last line, which stands once\n";
    let marked = format!("{many}{last}");
    let renamed: String =
        (0..MANY / 10).map(|i| if i % 10 == 0 { "let old_name = 1;\n" } else { "let a = 2;\n" }).collect();
    let rename = FileEdit {
        op: "substitute".to_owned(),
        pattern: Some(r"\bold_(\w+)".to_owned()),
        replacement: Some(r"new_\1".to_owned()),
        regex: Some(true),
        ..FileEdit::default()
    };
    let row =
        |name, promise, outcome, file: &str, edit| PlanRow::new(name, promise, outcome, file, vec![edit]);
    let lost = "NotFound";
    vec![
        row("exact replace in 100,000 lines", "≤ 1.5 floors", "applied", &marked, replace(last, "x\n")),
        row("fuzzy search that fails, 40 lines in 5,000", "≤ 5 ms", lost, &few, absent.clone()),
        row("the same in 100,000 lines", "≤ 100 ms", lost, &many, absent),
        row("fuzzy search that succeeds, 40 lines in 5,000", "no target", "applied", &few, in_few),
        row("the same in 100,000 lines", "no target", "applied", &many, in_many),
        row("regex rename with 1,000 hits, with the diff", "≤ 10 ms", "applied", &renamed, rename),
    ]
}

/// Returns the hostile rows, which only must end soon.
fn hostile() -> Vec<PlanRow> {
    let alike: String =
        (0..FEW).map(|i| format!("    let value_{i:06} = compute({i:06}, {});\n", i % 7)).collect();
    let equal = "    let value = compute(1);\n".repeat(10_000);
    let equal_but_one = equal[..1120].to_owned() + "x\n";
    let line = "lorem ipsum ".repeat(10 * 1024 * 1024 / 12);
    let curly = "a “quoted” word…\n".repeat(10 * 1024 * 1024 / 24);
    let numbered: String = (0..MANY).map(|i| format!("    let value_{i:06} = compute({i:06});\n")).collect();
    let tenths = (0..10_000).map(|i| replace(&format!("value_{:06} =", i * 10), "v =")).collect();
    let row = |name, outcome, file: &str, edits| PlanRow::new(name, "bounded", outcome, file, edits);
    let lost = "NotFound";
    vec![
        row("fuzzy, 40 lines in 5,000 that are all alike", lost, &alike, vec![fuzzy(&shifted(&alike))]),
        row("fuzzy, 40 lines in 10,000 that are equal", "Ambiguous", &equal, vec![fuzzy(&equal_but_one)]),
        row("fuzzy, in one line of 10 MB", lost, &line, vec![fuzzy("lorem ipsum dolor sit amet")]),
        row("typographic, in one line of 10 MB", lost, &line, vec![replace("lorem…ipsum", "x")]),
        row("typographic, in 10 MB of curly quotes", lost, &curly, vec![replace("a \"quotedword", "x")]),
        row("10,000 replacements in 100,000 lines", "applied", &numbered, tenths).without_diff(),
    ]
}

fn replace(old: &str, new: &str) -> FileEdit {
    FileEdit {
        op: "replace".to_owned(),
        old: Some(old.to_owned()),
        new: Some(new.to_owned()),
        ..FileEdit::default()
    }
}

fn fuzzy(old: &str) -> FileEdit {
    FileEdit { threshold: Some(0.9), ..replace(old, "nothing\n") }
}

/// Every other line has one letter changed.
fn typos(text: &str) -> String {
    let typo = |(i, line): (usize, &str)| match line.rfind(|c: char| c.is_ascii_alphabetic()) {
        Some(at) if i % 2 == 0 => format!("{}_{}\n", &line[..at], &line[at + 1..]),
        _ => format!("{line}\n"),
    };
    text.lines().enumerate().map(typo).collect()
}

/// Lines that resemble those of a file, but none enough.
fn shifted(file: &str) -> String {
    file.lines()
        .take(QUOTED)
        .map(|line| line.replace("let value", "var amount").replace("compute", "work") + "\n")
        .collect()
}

/// Lines of something like code: indented, its words drawn from a few hundred.
fn code(lines: usize, seed: u64) -> String {
    let syllables =
        ["re", "ad", "line", "to", "ken", "buf", "fer", "in", "dex", "val", "ue", "ma", "tch", "er"];
    let shapes = [
        "let {} = {}({});",
        "if {}.{}() {",
        "}",
        "return {};",
        "{}.push({}, {});",
        "// {} of the {}",
        "",
        "fn {}({}: {}) -> {} {",
    ];
    let mut state = seed;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut text = String::new();
    for _ in 0..lines {
        text.push_str(&"    ".repeat(1 + next(3)));
        let mut parts = shapes[next(shapes.len())].split("{}").peekable();
        while let Some(part) = parts.next() {
            text.push_str(part);
            if parts.peek().is_some() {
                (0..2 + next(2)).for_each(|_| text.push_str(syllables[next(syllables.len())]));
            }
        }
        text.push('\n');
    }
    text
}
