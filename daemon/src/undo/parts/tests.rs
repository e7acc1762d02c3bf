//! Random undos and redos of parts of an entry against a model that has one flag for each hunk of each file.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;

use editd_proto::ids::JobId;
use editd_proto::message::{
    FileEdit, FileEntry, HistoryRequest, HunkChoice, JobMode, JobRequest, JobStatus, OnStale, ReadRequest,
    Receipt, ShowRequest, UndoRequest,
};

use crate::caller::Caller;
use crate::metrics::JobTrace;
use crate::os::unix::Unix;
use crate::workspace::tests::kit::Bench;

const HUNKS: [usize; 3] = [6, 1, 3];
const NAMES: [&str; 3] = ["a", "made", "c"];

fn text(file: usize, taken: &[bool]) -> String {
    let line = |number: usize| match number % 10 {
        5 if taken[number / 10] => format!("old {number}\n"),
        // A hunk that adds a line, and one that removes some.
        5 if number / 10 == 1 => format!("new {number}\nand more\n"),
        6 if number / 10 == 2 && !taken[2] => String::new(),
        5 => format!("new {number}\n"),
        _ => format!("line {number} of {file}\n"),
    };
    (0..taken.len() * 10).map(line).collect()
}

fn caller() -> Caller {
    Caller::of_session("s", "test")
}

/// Returns the expected content of a file; `None` if there is no file.
fn expected(file: usize, taken: &[bool]) -> Option<String> {
    match file {
        1 if taken[0] => None,
        1 => Some("made\n".to_owned()),
        _ => Some(text(file, taken)),
    }
}

struct Play {
    bench: Bench,
    job: JobId,
    model: Vec<Vec<bool>>,
    /// The undos and their hunks.
    undos: Vec<(JobId, Vec<Vec<bool>>)>,
}

impl Play {
    fn new() -> Self {
        let bench = Bench::new();
        for file in [0, 2] {
            bench.put(NAMES[file], &text(file, &vec![true; HUNKS[file]]));
        }
        let write = |file: usize| FileEntry {
            path: NAMES[file].into(),
            base: Some("any".into()),
            edits: vec![FileEdit {
                op: "write".into(),
                text: expected(file, &vec![false; HUNKS[file]]),
                ..FileEdit::default()
            }],
            ..FileEntry::default()
        };
        let mut files: Vec<FileEntry> = (0..3).map(write).collect();
        files[1].base = Some("absent".into());
        let job = JobRequest { files, ..JobRequest::default() };
        let receipt = bench.run("s", &bench.workspace.understand(job));
        assert_eq!(receipt.status, JobStatus::Applied, "{receipt:?}");
        let model = HUNKS.iter().map(|hunks| vec![false; *hunks]).collect();
        Self { bench, job: receipt.job.unwrap(), model, undos: Vec::new() }
    }

    /// Checks files and journal against the model.
    fn check(&self, what: &str) {
        let names = self.bench.list(".");
        for (file, taken) in self.model.iter().enumerate() {
            let there = names.iter().any(|name| name == NAMES[file]).then(|| self.bench.get(NAMES[file]));
            assert_eq!(there, expected(file, taken), "{what}: {:?}", self.model);
        }
        let shown = self.bench.workspace.show(&caller(), &ShowRequest { job: self.job, from: None }).unwrap();
        let all = self.model.iter().flatten().all(|taken| *taken);
        let some = self.model.iter().flatten().any(|taken| *taken);
        assert_eq!((shown.entry.undone, shown.entry.partly_undone), (all, some && !all), "{what}");
        for (change, taken) in shown.changes.iter().zip(&self.model) {
            let undone: Vec<bool> = change.hunks.iter().map(|hunk| hunk.undone).collect();
            assert_eq!((&undone, change.hunks.len()), (taken, taken.len()), "{what}");
        }
    }

    /// Sets the named hunks and returns those that changed.
    fn set(&mut self, named: &[Vec<bool>], to: bool) -> Vec<Vec<bool>> {
        let mut changed = named.to_vec();
        for (file, flags) in changed.iter_mut().enumerate() {
            for (flag, taken) in flags.iter_mut().zip(&mut self.model[file]) {
                *flag &= *taken != to;
                *taken ^= *flag;
            }
        }
        changed
    }

    fn go(&self, request: &UndoRequest, undo: bool) -> Receipt {
        let workspace = &self.bench.workspace;
        if undo {
            workspace.undo(&caller(), request, &JobTrace::default())
        } else {
            workspace.redo(&caller(), request, &JobTrace::default())
        }
    }

    /// Undoes or redoes the named hunks, first as a preview.
    fn turn(&mut self, request: &UndoRequest, named: &[Vec<bool>], undo: bool) {
        let what = format!("{request:?} undo {undo}");
        let preview = self.go(&UndoRequest { mode: JobMode::VerifyOnly, ..request.clone() }, undo);
        self.check(&format!("preview of {what}"));
        let changed = self.set(named, undo);
        let receipt = self.go(request, undo);
        if changed.iter().flatten().any(|flag| *flag) {
            assert_eq!(preview.status, JobStatus::Verified, "{what}: {preview:?}");
            assert_eq!(receipt.status, JobStatus::Applied, "{what}: {receipt:?}");
            if undo {
                self.undos.push((receipt.job.unwrap(), changed));
            }
        } else {
            assert_eq!((preview.status, receipt.status), (JobStatus::Refused, JobStatus::Refused), "{what}");
        }
        self.check(&what);
    }
}

fn next(seed: &mut u64) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed >> 33) as usize
}

fn step(play: &mut Play, seed: &mut u64) {
    let none: Vec<Vec<bool>> = HUNKS.iter().map(|hunks| vec![false; *hunks]).collect();
    let all: Vec<Vec<bool>> = HUNKS.iter().map(|hunks| vec![true; *hunks]).collect();
    let undo = next(seed).is_multiple_of(2);
    let by_job = UndoRequest { jobs: vec![play.job], ..UndoRequest::default() };
    match next(seed) % 8 {
        // All that is left of the entry.
        0 => play.turn(&by_job, &all, undo),
        // The hunks of one undo, by its number.
        1 if !play.undos.is_empty() => {
            let (job, took) = play.undos[next(seed) % play.undos.len()].clone();
            play.turn(&UndoRequest { jobs: vec![job], ..UndoRequest::default() }, &took, false);
        }
        // One file or two.
        2 | 3 => {
            let (first, second) = (next(seed) % 3, next(seed) % 3);
            let mut named = none;
            named[first] = all[first].clone();
            named[second] = all[second].clone();
            let paths = vec![NAMES[first].into(), NAMES[second].into()];
            play.turn(&UndoRequest { paths, ..by_job }, &named, undo);
        }
        // The daemon restarts.
        4 if next(seed).is_multiple_of(4) => {
            let bench = std::mem::replace(&mut play.bench, Bench::new());
            play.bench = bench.reopened(Arc::new(Unix)).0;
            play.check("after another start");
        }
        // Some hunks of one file.
        _ => {
            let file = next(seed) % 3;
            let (a, b) = (next(seed) % HUNKS[file], next(seed) % HUNKS[file]);
            let (first, last) = (a.min(b), a.max(b));
            let mut named = none;
            named[file][first..=last].fill(true);
            let hunks = match first == last {
                true => vec![HunkChoice::One(first as u64 + 1)],
                false => vec![HunkChoice::Run((first as u64 + 1, last as u64 + 1))],
            };
            play.turn(&UndoRequest { paths: vec![NAMES[file].into()], hunks, ..by_job }, &named, undo);
        }
    }
}

#[test]
fn any_undos_and_redos_of_parts_end_where_the_model_says() {
    for run in 1..=40_u64 {
        let mut seed = run.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut play = Play::new();
        for _ in 0..25 {
            step(&mut play, &mut seed);
        }
    }
}

#[test]
fn a_part_that_is_not_there_is_refused_and_changes_nothing() {
    let play = Play::new();
    let refused = |request: UndoRequest| {
        let receipt = play.go(&request, true);
        play.check("a refused undo");
        receipt.error.unwrap().message
    };
    let by_job = || UndoRequest { jobs: vec![play.job], ..UndoRequest::default() };
    let hunks = |number| vec![HunkChoice::One(number)];
    let one = refused(UndoRequest { paths: vec!["nowhere".into()], ..by_job() });
    assert!(one.contains("did not change nowhere"), "{one}");
    let one = refused(UndoRequest { paths: vec!["a".into()], hunks: hunks(7), ..by_job() });
    assert!(one.contains("has the hunks 1 to 6 in a, not 7"), "{one}");
    let one = refused(UndoRequest { hunks: hunks(1), ..by_job() });
    assert!(one.contains("name one path"), "{one}");
    let one = refused(UndoRequest { hunks: hunks(1), ..UndoRequest::default() });
    assert!(one.contains("name the entry"), "{one}");
    let undone = play.go(&by_job(), true).job.unwrap();
    let redone = play.go(&UndoRequest::default(), false).job.unwrap();
    for job in [undone, redone] {
        let one = refused(UndoRequest { jobs: vec![job], paths: vec!["a".into()], ..UndoRequest::default() });
        assert!(one.contains("no parts of its own"), "{one}");
    }
}

fn whole(path: &str) -> ReadRequest {
    ReadRequest { path: path.into(), lines: None, symbol: None, body: false, seen: None }
}

/// Returns a text of short lines, so that some are equal.
fn lines(seed: &mut u64) -> String {
    (0..next(seed) % 40).map(|_| format!("{}\n", next(seed) % 12)).collect()
}

/// Returns the text with some lines changed, in the middle or whole.
fn touched(text: &str, seed: &mut u64) -> String {
    let change = |line: &str| match next(seed) % 6 {
        0 => format!("{line} x\n"),
        1 => String::new(),
        2 => format!("{line}\n{}\n", next(seed) % 12),
        _ => format!("{line}\n"),
    };
    text.lines().map(change).collect()
}

#[test]
fn the_counts_of_every_entry_are_those_of_its_diff() {
    let mut checked = 0;
    for run in 1..=60_u64 {
        let mut seed = run.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bench = Bench::new();
        bench.put("a", &lines(&mut seed));
        for _ in 0..12 {
            let now = bench.get("a");
            let read = bench.workspace.read(&caller(), &whole("a"));
            drop(read.unwrap());
            if next(&mut seed).is_multiple_of(3) {
                bench.put("a", &touched(&now, &mut seed));
            }
            let request = UndoRequest { on_stale: OnStale::Rebase, ..UndoRequest::default() };
            match next(&mut seed) % 4 {
                0 => drop(bench.workspace.undo(&caller(), &request, &JobTrace::default())),
                1 => drop(bench.workspace.redo(&caller(), &request, &JobTrace::default())),
                _ => {
                    let text = Some(touched(&now, &mut seed));
                    let edits = vec![FileEdit { op: "write".into(), text, ..FileEdit::default() }];
                    let files = vec![FileEntry { path: "a".into(), edits, ..FileEntry::default() }];
                    let job = JobRequest { files, on_stale: Some(OnStale::Rebase), ..JobRequest::default() };
                    bench.run("s", &bench.workspace.understand(job));
                }
            }
        }
        let history = bench.workspace.history(&caller(), &HistoryRequest::default()).unwrap();
        checked += history.entries.len();
        for entry in &history.entries {
            let shown = bench.workspace.show(&caller(), &ShowRequest { job: entry.id, from: None }).unwrap();
            for (file, change) in shown.entry.files.iter().zip(&shown.changes) {
                let lines = change.diff.lines().skip(2);
                let count = |sign: char| lines.clone().filter(|line| line.starts_with(sign)).count() as u64;
                assert_eq!((file.added, file.removed), (count('+'), count('-')), "{}", change.diff);
            }
        }
    }
    assert!(checked > 200, "only {checked} entries were made");
}
