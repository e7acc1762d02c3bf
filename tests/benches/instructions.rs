//! Instructions of the pure parts of a job, counted by callgrind: figures without noise, by which two commits are
//! compared. Each part runs twice in a process of its own, with two numbers of turns; the difference is divided.
//!
//! `cargo bench -p editd-tests --bench instructions` prints the table and writes `instructions.json` into the folder of
//! `out=FOLDER`; `against=FILE` prints the ratios to the counts of an earlier file.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a benchmark that cannot run has nothing to report"
)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use editd_engine::{ContentChange, FileState, PlanOptions, TreeCache, WorkspaceSnapshot, plan_input};
use editd_proto::codec::{self, FrameReader, Message};
use editd_proto::limits;
use editd_proto::message::{FileEdit, FileEntry, JobRequest, kind};
use editd_proto::path::FilePath;

/// Copies of the real file in the larger contents.
const COPIES: usize = 40;
/// Edits of the larger job, each in another copy.
const EDITS: usize = 20;
/// Bytes of kept trees, as in the daemon.
const TREES: usize = 32 << 20;
/// Lines of a quoted text.
const QUOTED: usize = 40;

/// A file of about 10 KB.
const RUST: &str = include_str!("contents/usual.rs.txt");
const PYTHON: &str = include_str!("contents/usual.py.txt");

/// A pure part: its name, two numbers of turns, and a function that prepares its input and returns one turn.
type PurePart = (&'static str, [u64; 2], fn() -> Box<dyn FnMut()>);

const PARTS: &[PurePart] = &[
    ("decode a request, 1 file", [10, 110], || decode(1)),
    ("decode a request, 20 files", [10, 110], || decode(20)),
    ("plan an exact replace, 10 KB", [5, 55], || {
        planned(RUST.to_owned(), vec![replace(&line_of(RUST), "x\n")])
    }),
    ("plan an exact replace, 400 KB", [2, 12], || planned(large(), vec![replace("// copy 20\n", "// x\n")])),
    ("plan 20 edits of one file, 400 KB", [2, 12], || planned(large(), copies(0).collect())),
    ("plan a fuzzy replace, 40 lines in 10 KB", [2, 12], || {
        planned(RUST.to_owned(), vec![fuzzy(&with_typos())])
    }),
    ("refuse an absent text, 400 KB", [1, 4], || planned(large(), vec![replace("// no copy\n", "x\n")])),
    ("merge 20 edits into 20 others, 400 KB", [1, 6], merged),
    ("outline, 10 KB .rs", [2, 12], || outlined("f.rs", RUST)),
    ("outline, 10 KB .py", [2, 12], || outlined("f.py", PYTHON)),
    ("syntax errors that an edit adds, 10 KB .rs", [2, 12], || checked("f.rs", RUST)),
    ("syntax errors that an edit adds, 10 KB .py", [2, 12], || checked("f.py", PYTHON)),
    ("the same after another edit, 10 KB .rs", [2, 42], || checked_again("f.rs", RUST)),
    ("the same after another edit, 10 KB .py", [2, 42], || checked_again("f.py", PYTHON)),
];

fn main() {
    let value = |name: &str| {
        std::env::args().find_map(|word| word.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
    };
    if let (Some(part), Some(turns)) = (value("part"), value("turns")) {
        let (_, _, prepare) = PARTS[part.parse::<usize>().unwrap()];
        let mut turn = prepare();
        (0..turns.parse().unwrap()).for_each(|_: u64| turn());
        return;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("valgrind is not installed; instructions are not counted");
        return;
    }
    let before: BTreeMap<String, f64> = value("against").map_or_else(BTreeMap::new, |file| {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{file}: {e}"))
    });
    let mut counts = BTreeMap::new();
    println!("{:<48} {:>16} {:>8}", "instructions of", "one turn", "ratio");
    for (nth, (name, turns, _)) in PARTS.iter().enumerate() {
        let both = turns.map(|turns| instructions(nth, turns) as f64);
        let one = (both[1] - both[0]) / (turns[1] - turns[0]) as f64;
        let ratio = before.get(*name).map_or("-".to_owned(), |before| format!("{:.3}", one / before));
        println!("{name:<48} {one:>16.0} {ratio:>8}");
        counts.insert((*name).to_owned(), one);
    }
    let folder = value("out").map_or_else(default_out, PathBuf::from);
    std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let path = folder.join("instructions.json");
    std::fs::write(&path, serde_json::to_string_pretty(&counts).unwrap() + "\n").unwrap();
    println!("written: {}", path.display());
}

/// Returns `target/bench`, in the target folder of this build.
fn default_out() -> PathBuf {
    let program = std::env::current_exe().expect("a program knows where it is");
    program.ancestors().nth(3).map_or_else(|| PathBuf::from("target"), Path::to_owned).join("bench")
}

/// Runs a part in this program under callgrind; returns all instructions of the process.
fn instructions(part: usize, turns: u64) -> u64 {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(format!("--log-file={}", log.path().display()));
    command.arg(std::env::current_exe().unwrap());
    command.args([format!("part={part}"), format!("turns={turns}")]);
    let done = command.output().unwrap();
    let text = std::fs::read_to_string(log.path()).unwrap();
    assert!(done.status.success(), "{}\n{text}", String::from_utf8_lossy(&done.stderr));
    let number = text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    number.unwrap_or_else(|| panic!("callgrind reports no count:\n{text}"))
}

/// Copies of the file, each below a line that is in it once.
fn large() -> String {
    (0..COPIES).map(|nth| format!("// copy {nth}\n{RUST}")).collect()
}

/// Edits of every other copy, from this one on.
fn copies(from: usize) -> impl Iterator<Item = FileEdit> {
    (0..EDITS).map(move |nth| {
        let copy = nth * 2 + from;
        replace(&format!("// copy {copy}\n"), &format!("// copy {copy}, edited\n"))
    })
}

/// Returns a line that the file has once.
fn line_of(text: &str) -> String {
    let lines = text.lines().skip(text.lines().count() / 2);
    let mut single = lines.filter(|line| line.len() > 20 && text.matches(*line).count() == 1);
    format!("{}\n", single.next().expect("the file has a line that is in it once"))
}

/// Lines from the middle of the file; every other one has one letter changed.
fn with_typos() -> String {
    let lines = RUST.lines().skip(RUST.lines().count() / 2).take(QUOTED);
    let typo = |(nth, line): (usize, &str)| match line.rfind(|c: char| c.is_ascii_alphabetic()) {
        Some(at) if nth % 2 == 0 => format!("{}_{}\n", &line[..at], &line[at + 1..]),
        _ => format!("{line}\n"),
    };
    lines.enumerate().map(typo).collect()
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

fn job(files: usize, edits: &[FileEdit]) -> JobRequest {
    let entry = |nth: usize| FileEntry {
        path: FilePath::from(format!("source{nth}.rs").as_str()),
        edits: edits.to_vec(),
        ..FileEntry::default()
    };
    JobRequest { files: (0..files).map(entry).collect(), ..JobRequest::default() }
}

fn decode(files: usize) -> Box<dyn FnMut()> {
    let request = job(files, &[replace(&line_of(RUST), "x\n")]);
    let bytes = codec::encode(1, kind::EDIT, &request).unwrap();
    Box::new(move || {
        let mut frames = FrameReader::new(limits::FRAME);
        frames.push(&bytes);
        let message = Message::parse(frames.next_frame().unwrap().unwrap()).unwrap();
        black_box(message.body::<JobRequest>().unwrap());
    })
}

fn planned(file: String, edits: Vec<FileEdit>) -> Box<dyn FnMut()> {
    let job = JobRequest { diff: Some(false), ..job(1, &edits) };
    let state = FileState::File { bytes: Arc::from(file.as_bytes()), mode: 0o644 };
    let world = WorkspaceSnapshot {
        files: [(FilePath::from("source0.rs"), state)].into_iter().collect(),
        ..WorkspaceSnapshot::default()
    };
    Box::new(move || {
        // A refusal is a result, too.
        let _planned = black_box(plan_input(&job, &world, &PlanOptions::default()));
    })
}

fn merged() -> Box<dyn FnMut()> {
    let base = large();
    let edited = |from| {
        copies(from).fold(base.clone(), |text, edit| text.replace(&edit.old.unwrap(), &edit.new.unwrap()))
    };
    let (ours, theirs) = (edited(0), edited(1));
    let wanted = editd_engine::splices_between(base.as_bytes(), ours.as_bytes());
    Box::new(move || {
        let merged = editd_engine::merge(base.as_bytes(), &wanted, theirs.as_bytes(), None);
        black_box(merged.expect("the changes are in different lines"));
    })
}

fn outlined(path: &'static str, text: &'static str) -> Box<dyn FnMut()> {
    let path = FilePath::from(path);
    Box::new(move || {
        black_box(editd_engine::outline(text.as_bytes(), None, &path, &PlanOptions::default()).unwrap());
    })
}

fn checked(path: &'static str, text: &'static str) -> Box<dyn FnMut()> {
    let path = FilePath::from(path);
    let new = text.replacen("return", "return ", 1);
    Box::new(move || {
        black_box(added(&path, text, &new, &PlanOptions::default()));
    })
}

/// Checks one edit after the other, each of the text that the last one left, whose tree is kept.
fn checked_again(path: &'static str, text: &'static str) -> Box<dyn FnMut()> {
    let path = FilePath::from(path);
    let options = PlanOptions { trees: Arc::new(TreeCache::new(TREES)), ..PlanOptions::default() };
    let (mut last, mut turn) = (text.to_owned(), 0);
    Box::new(move || {
        turn += 1;
        let new = text.replacen("return", &format!("return{:turn$}", ""), 1);
        black_box(added(&path, &last, &new, &options));
        last = new;
    })
}

fn added(path: &FilePath, old: &str, new: &str, options: &PlanOptions) -> usize {
    let (old, new) = (Some(old.as_bytes()), new.as_bytes());
    let change = ContentChange { old, new, ..ContentChange::default() };
    editd_engine::introduced(path, change, options).unwrap().len()
}
