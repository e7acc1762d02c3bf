//! The memory that planning an edit of a 10 MB file takes: at most four times the file, the file itself included, and
//! a twentieth more for memory that does not grow with the file. It measures no time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(unsafe_code, reason = "counting what is allocated needs an allocator of our own")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use editd_engine::{FileState, Job, PlanOptions, WorkspaceSnapshot, plan};
use editd_proto::message::{EditPosition, FileEdit, FileEntry, JobRequest};
use editd_proto::path::FilePath;

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(now, Ordering::Relaxed);
}

// SAFETY: every call is passed on to the system's allocator as it came; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocator counts for the whole process.
static ALONE: Mutex<()> = Mutex::new(());

const SIZE: usize = 10 * 1024 * 1024;

/// Bytes allocated at the peak of planning, besides world and job.
fn peak(bytes: &[u8], edits: Vec<FileEdit>) -> usize {
    let path = FilePath::from("f");
    let job = JobRequest {
        files: vec![FileEntry { path: path.clone(), edits, ..FileEntry::default() }],
        ..JobRequest::default()
    };
    let state = FileState::File { bytes: Arc::from(bytes), mode: 0o644 };
    let world =
        WorkspaceSnapshot { files: [(path, state)].into_iter().collect(), ..WorkspaceSnapshot::default() };
    // The request is read before it is planned, and its texts are counted there.
    let job = Job::parse(&job).unwrap();
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let planned = plan(&job, &world, &PlanOptions::default()).unwrap();
    assert_eq!(planned.changes.len(), 1);
    PEAK.load(Ordering::Relaxed) - before
}

fn edit(op: &str) -> FileEdit {
    FileEdit { op: op.to_owned(), ..FileEdit::default() }
}

fn replace(old: &str, new: &str) -> FileEdit {
    FileEdit { old: Some(old.to_owned()), new: Some(new.to_owned()), ..edit("replace") }
}

fn wide(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().take(SIZE / 2).flat_map(u16::to_le_bytes);
    [0xff, 0xfe].into_iter().chain(units).collect()
}

#[test]
fn an_edit_costs_at_most_four_times_the_file() {
    let _alone = ALONE.lock().unwrap();
    let line = |i: usize| format!("    let value_{i:06} = compute({i:06});\n");
    let text: String = (0..SIZE / line(0).len()).map(line).collect();
    let lines = text.lines().count();
    let crlf = text.replace('\n', "\r\n");
    let dirty = text.replace('\n', "  \r\n");
    let wide = wide(&text);
    let some = |n: usize| (0..n).map(move |i| i * (lines / n));
    let cases: Vec<(&str, &[u8], Vec<FileEdit>)> = vec![
        ("one replacement", text.as_bytes(), vec![replace("value_000100 =", "v =")]),
        ("across breaks of a crlf file", crlf.as_bytes(), vec![replace(&[line(5), line(6)].concat(), "x\n")]),
        (
            "other indentation, and white space at line ends",
            dirty.as_bytes(),
            vec![replace("let value_000100 = compute(000100);\n", "x\n")],
        ),
        (
            "10,000 quotations with other indentation",
            dirty.as_bytes(),
            some(10_000).map(|i| replace(line(i).trim_start(), "x\n")).collect(),
        ),
        ("every occurrence", text.as_bytes(), vec![FileEdit { all: Some(true), ..replace("value_", "v_") }]),
        (
            "a regular expression",
            text.as_bytes(),
            vec![FileEdit {
                pattern: Some(r"value_(\d+)".to_owned()),
                replacement: Some(r"v\1".to_owned()),
                regex: Some(true),
                ..edit("substitute")
            }],
        ),
        (
            "10,000 quotations",
            text.as_bytes(),
            some(10_000).map(|i| replace(&format!("value_{i:06} ="), "v =")).collect(),
        ),
        (
            "10,000 lines",
            text.as_bytes(),
            some(10_000)
                .map(|i| FileEdit {
                    start: Some(i as u64 + 1),
                    end: Some(i as u64 + 1),
                    text: Some("x".to_owned()),
                    ..edit("lines")
                })
                .collect(),
        ),
        (
            "an appended line",
            text.as_bytes(),
            vec![FileEdit { at: Some(EditPosition::End), text: Some("x\n".to_owned()), ..edit("insert") }],
        ),
        (
            "a whole new content",
            text.as_bytes(),
            vec![FileEdit { text: Some("y".repeat(SIZE)), ..edit("write") }],
        ),
        ("a deletion", text.as_bytes(), vec![edit("delete")]),
        ("one replacement in utf-16", &wide, vec![replace("value_000100 =", "v =")]),
    ];
    check(cases);
}

#[test]
fn folding_breaks_for_a_regular_expression_costs_no_more() {
    let _alone = ALONE.lock().unwrap();
    let line = |i: usize| format!("    let value_{i:06} = compute({i:06});\r\n");
    let crlf: String = (0..SIZE / line(0).len()).map(line).collect();
    let edit = FileEdit {
        pattern: Some(r"(\d+)\);\n".to_owned()),
        replacement: Some(r"\1;\n".to_owned()),
        regex: Some(true),
        ..edit("substitute")
    };
    check(vec![("a regular expression in a crlf file", crlf.as_bytes(), vec![edit])]);
}

/// A file in which nothing can be left out cheaply: every line has another ending, white space at its end,
/// indentation and curly quotes.
#[test]
fn every_rung_costs_at_most_four_times_the_file() {
    let _alone = ALONE.lock().unwrap();
    let plain = |i: usize| format!("let \"value_{i:06}\" = compute({i:06});");
    let line = |i: usize| format!("    {}  \r\n", plain(i).replacen('"', "“", 1).replacen('"', "”", 1));
    let text: String = (0..SIZE / line(0).len()).map(line).collect();
    let bytes = text.as_bytes();
    let there = |i: usize| line(i).replace("  \r\n", "\n");
    let looser = |edit: FileEdit, rung: &str| FileEdit { loosest: Some(rung.to_owned()), ..edit };
    check(vec![
        ("eol", bytes, vec![replace(&line(100).replace('\r', ""), "x\n")]),
        ("trailing", bytes, vec![replace(&there(100), "x\n")]),
        ("indent", bytes, vec![replace(there(100).trim_start(), "x\n")]),
        ("numbered", bytes, vec![replace(&format!("7 | {}", there(100)), "x\n")]),
        ("typographic", bytes, vec![replace(&plain(100), "x")]),
        ("typographic by plain characters", bytes, vec![replace("compute（000100）", "x")]),
        (
            "edge",
            bytes,
            vec![looser(replace(&format!("no\n{}", line(100).replace('\r', "")), "no\nx\n"), "edge")],
        ),
        (
            "fuzzy",
            bytes,
            vec![FileEdit {
                threshold: Some(0.95),
                ..replace(&format!("    {}", plain(100).replace("let", "set")), "x")
            }],
        ),
    ]);
}

fn check(cases: Vec<(&str, &[u8], Vec<FileEdit>)>) {
    for (name, bytes, edits) in cases {
        let cost = peak(bytes, edits) + bytes.len();
        let times = cost as f64 / bytes.len() as f64;
        println!("{name}: {times:.2} times the file");
        assert!(times <= 4.05, "{name}: {times:.2} times the file");
    }
}
