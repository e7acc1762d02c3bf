//! Random chunks on random files, against a model that knows only lines. No file is touched.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::ops::Range;
use std::sync::Arc;

use editd_engine::{FileState, PlanOptions, Refusal, WorkspaceSnapshot, plan_input as plan};
use editd_proto::error::ErrorCode;
use editd_proto::message::{EditScope, FileEdit, FileEntry, JobRequest};
use editd_proto::path::FilePath;
use proptest::prelude::*;

/// Applies a job of these edits to a file, and returns the new content.
fn run(file: &str, edits: &[FileEdit]) -> Result<String, Refusal> {
    let path = FilePath::from("f");
    let entry = FileEntry { path: path.clone(), edits: edits.to_vec(), ..FileEntry::default() };
    let job = JobRequest { files: vec![entry], ..JobRequest::default() };
    let state = FileState::File { bytes: Arc::from(file.as_bytes()), mode: 0o644 };
    let world =
        WorkspaceSnapshot { files: [(path, state)].into_iter().collect(), ..WorkspaceSnapshot::default() };
    let plan = plan(&job, &world, &PlanOptions::default())?;
    Ok(match plan.changes.first().map(|change| &change.after) {
        Some(FileState::File { bytes, .. }) => String::from_utf8(bytes.to_vec()).unwrap(),
        _ => file.to_owned(),
    })
}

/// A list of lines as a native edit has it.
fn list(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn chunk(before: &[&str], old: &[&str], new: &[&str], after: &[&str]) -> FileEdit {
    FileEdit {
        op: "chunk".to_owned(),
        before: Some(list(before)),
        old: Some(list(old)),
        new: Some(list(new)),
        after: Some(list(after)),
        ..FileEdit::default()
    }
}

fn within(edit: FileEdit, lines: &Range<usize>) -> FileEdit {
    let lines = (lines.start as u64 + 1, lines.end as u64);
    FileEdit { within: Some(EditScope::Lines(lines)), ..edit }
}

/// A line and its break.
type Line = (String, &'static str);

/// Few different lines, in which mixed endings and an open last line are frequent.
fn file() -> impl Strategy<Value = Vec<Line>> {
    let line = prop_oneof![3 => "[ab]", 1 => Just(String::new()), 1 => Just("\u{c}a".to_owned()), 1 => Just("ab".to_owned())];
    let ending = prop_oneof![3 => Just("\n"), 1 => Just("\r\n")];
    (prop::collection::vec((line, ending), 1..12), any::<bool>()).prop_map(|(mut lines, open)| {
        let last = lines.len() - 1;
        // A line that is nothing at all is none.
        if open && !lines[last].0.is_empty() {
            lines[last].1 = "";
        }
        lines
    })
}

fn text(lines: &[Line]) -> String {
    lines.iter().map(|(line, ending)| format!("{line}{ending}")).collect()
}

/// A stretch of a file, its context before and after, and the range that holds all of it.
fn stretch() -> impl Strategy<Value = (Vec<Line>, Range<usize>, usize, usize)> {
    file().prop_flat_map(|lines| {
        let count = lines.len();
        (Just(lines), 0..=count, 0..4usize, 0..4usize, 0..4usize).prop_map(
            move |(lines, at, old, before, after)| {
                let end = (at + old).min(count);
                (lines, at..end, before.min(at), after.min(count - end))
            },
        )
    })
}

fn new_lines() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop_oneof![3 => "[abx]{1,2}", 1 => Just(String::new())], 0..4)
}

fn names(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|(line, _)| line.as_str()).collect()
}

/// Returns the places of a window of lines as a naive search finds them: with the breaks of the quotation if there is
/// such a place, otherwise with any breaks.
fn places(lines: &[Line], window: &[&str], inside: &Range<usize>) -> Vec<usize> {
    let names = names(lines);
    let found = inside
        .clone()
        .filter(|at| at + window.len() <= inside.end && names[*at..at + window.len()] == *window);
    let plain = |at: &usize| lines[*at..at + window.len() - 1].iter().all(|(_, ending)| *ending == "\n");
    let (exact, other): (Vec<usize>, Vec<usize>) = found.partition(plain);
    if exact.is_empty() { other } else { exact }
}

/// Returns true if all lines before and after the range `old` are still in the text, byte for byte.
fn untouched(before: &[Line], old: &Range<usize>, after: &str) -> bool {
    let head = text(&before[..old.start]);
    let tail = text(&before[old.end..]);
    // An open last line that gets a line after it receives a break, and no other change.
    after.starts_with(&head) && after.len() >= head.len() + tail.len() && after.ends_with(&tail)
}

proptest! {
    /// A chunk that is cut out of a file applies there and nowhere else, or names every place.
    #[test]
    fn a_chunk_of_the_file_applies_there_or_is_ambiguous(
        (lines, old, before, after) in stretch(),
        new in new_lines(),
    ) {
        let names = names(&lines);
        let all = old.start - before..old.end + after;
        prop_assume!(!all.is_empty());
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        let edit = chunk(&names[all.start..old.start], &names[old.clone()], &new, &names[old.end..all.end]);
        let found = places(&lines, &names[all.clone()], &(0..lines.len()));
        match run(&text(&lines), &[edit]) {
            Ok(made) => {
                prop_assert_eq!(found.len(), 1);
                // A place with exactly the quoted breaks is preferred to one with other breaks.
                let start = found[0] + before;
                let old = start..start + old.len();
                prop_assert!(untouched(&lines, &old, &made), "{:?} -> {:?}", text(&lines), made);
                let made: Vec<&str> = made.split_terminator('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
                let wanted: Vec<&str> = [&names[..old.start], &new, &names[old.end..]].concat();
                // Blank lines at the end of a file without a final break are no lines.
                let solid = |lines: &[&str]| lines.iter().rposition(|line| !line.is_empty()).map_or(0, |at| at + 1);
                prop_assert_eq!(&made[..solid(&made)], &wanted[..solid(&wanted)]);
            }
            Err(error) => {
                prop_assert_eq!(error.code, ErrorCode::Ambiguous);
                prop_assert_eq!(error.found, Some(found.len() as u64));
                prop_assert!(found.len() > 1);
                prop_assert_eq!(error.check.as_deref(), Some("position"));
            }
        }
    }

    /// Any chunk, in any range: it applies exactly where the model finds its only window.
    #[test]
    fn a_chunk_never_applies_at_another_place(
        lines in file(),
        window in (prop::collection::vec("[ab]", 0..2), prop::collection::vec("[ab]", 1..3), prop::collection::vec("[ab]", 0..2)),
        range in (0..12usize, 1..12usize),
    ) {
        let first = range.0.min(lines.len() - 1);
        let inside = first..(first + range.1).min(lines.len());
        let [before, old, after] = [&window.0, &window.1, &window.2].map(|part| part.iter().map(String::as_str).collect::<Vec<_>>());
        let all = [before.clone(), old.clone(), after.clone()].concat();
        let found = places(&lines, &all, &inside);
        let edit = within(chunk(&before, &old, &["NEW"], &after), &inside);
        match run(&text(&lines), &[edit]) {
            Ok(made) => {
                prop_assert_eq!(found.len(), 1);
                let start = found[0] + before.len();
                prop_assert!(untouched(&lines, &(start..start + old.len()), &made));
                prop_assert_eq!(made.matches("NEW").count(), 1);
            }
            Err(error) if found.len() > 1 => prop_assert_eq!(error.code, ErrorCode::Ambiguous),
            Err(error) => {
                prop_assert!(found.is_empty(), "{:?}", error);
                let whole = places(&lines, &all, &(0..lines.len()));
                // A place outside is reported as such. A place that begins inside and then leaves the range may be
                // reported, too.
                prop_assert!(whole.is_empty() || error.code == ErrorCode::OutOfRange);
                prop_assert!(matches!(error.code, ErrorCode::NotFound | ErrorCode::OutOfRange));
                prop_assert!(error.check.is_some() && error.fallen.len() <= 5);
            }
        }
    }

    /// A chunk quoted with less indentation and with white space at line ends changes only its own lines. Its new
    /// lines, which start as deep as the old ones are quoted, get the depth of those in the file. If the old lines do
    /// not show the depth of the new ones, the chunk is refused with the results of both readings.
    #[test]
    fn a_chunk_that_is_quoted_loosely_is_mapped_whole(
        depths in prop::collection::vec(0..4usize, 1..8),
        common in 1..3usize,
        cut in (0..8usize, 1..4usize, 0..3usize, 0..3usize),
        blanks in prop::collection::vec("[ ]{0,2}", 8),
        new in prop::collection::vec((0..3usize, "[x-z]{1,2}"), 0..4),
    ) {
        let indent = |steps: usize| "    ".repeat(steps);
        let lines: Vec<String> = depths.iter().enumerate().map(|(at, deep)| format!("{}w{at}", indent(common + deep))).collect();
        let quoted: Vec<String> = depths.iter().enumerate().map(|(at, deep)| format!("{}w{at}{}", indent(*deep), blanks[at])).collect();
        let (lines, quoted) = (lines.iter().map(String::as_str).collect::<Vec<_>>(), quoted.iter().map(String::as_str).collect::<Vec<_>>());
        let start = cut.0 % lines.len();
        let end = (start + cut.1).min(lines.len());
        let (from, to) = (start.saturating_sub(cut.2), (end + cut.3).min(lines.len()));
        let deep = |at: usize, more: usize| indent(depths[start] + if at == 0 { 0 } else { more });
        let given: Vec<String> = new.iter().enumerate().map(|(at, (more, word))| format!("{}{word}", deep(at, *more))).collect();
        let wanted: Vec<String> = given.iter().map(|line| format!("{}{line}", indent(common))).collect();
        let (given, wanted) = (given.iter().map(String::as_str).collect::<Vec<_>>(), wanted.iter().map(String::as_str).collect::<Vec<_>>());
        let edit = chunk(&quoted[from..start], &quoted[start..end], &given, &quoted[end..to]);
        match run(&list(&lines), &[edit]) {
            Ok(made) => prop_assert_eq!(made, list(&[&lines[..start], &wanted, &lines[end..]].concat())),
            // One line without its indentation may be quoted from its middle: then new lines that have the file's
            // indentation read both ways. Old lines that go left of their first line show no block.
            Err(error) => {
                prop_assert_eq!(error.code, ErrorCode::Ambiguous);
                prop_assert!(error.readings.len() > 1, "{:?}", error);
                let torn = to - from == 1 && depths[from] == 0;
                prop_assert!(torn || depths[start..end].iter().any(|depth| *depth < depths[start]), "{:?}", error);
            }
        }
    }

    /// The order of chunks does not matter, except for insertions at one place.
    #[test]
    fn the_order_of_chunks_is_irrelevant(
        words in prop::collection::vec("[a-z]{1,3}", 3..10),
        picks in prop::collection::vec((0..10usize, 0..3usize, prop::collection::vec("[A-Z]{1,2}", 0..3)), 1..5),
        turn in 0..5usize,
    ) {
        // Each line is unique by its number.
        let lines: Vec<String> = words.iter().enumerate().map(|(at, word)| format!("{word} {at}")).collect();
        let names: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut edits: Vec<FileEdit> = Vec::new();
        for (at, count, new) in &picks {
            let at = at % lines.len();
            let end = (at + count + 1).min(lines.len());
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            edits.push(chunk(&names[at.saturating_sub(1)..at], &names[at..end], &new, &[]));
        }
        let file = list(&names);
        let forward = run(&file, &edits);
        let shift = turn % edits.len();
        edits.rotate_left(shift);
        edits.reverse();
        let backward = run(&file, &edits);
        match (forward, backward) {
            (Ok(a), Ok(b)) => prop_assert_eq!(a, b),
            (Err(a), Err(b)) => prop_assert_eq!((a.code, b.code), (ErrorCode::Overlap, ErrorCode::Overlap)),
            (a, b) => prop_assert!(false, "{a:?} {b:?}"),
        }
    }
}

#[test]
fn ten_thousand_chunks_in_one_file() {
    let lines: Vec<String> = (0..20_000).map(|at| format!("line {at}")).collect();
    let names: Vec<&str> = lines.iter().map(String::as_str).collect();
    let edits: Vec<FileEdit> = (0..10_000usize)
        .map(|at| {
            chunk(
                &names[(2 * at).saturating_sub(1)..2 * at],
                &names[2 * at..=2 * at],
                &["x"],
                &names[2 * at + 1..2 * at + 2],
            )
        })
        .collect();
    let made = run(&list(&names), &edits).unwrap();
    assert_eq!(made.matches("x\n").count(), 10_000);
    // One chunk for each line, in a separate range: the file is not read once for each.
    let narrow: Vec<FileEdit> = edits
        .into_iter()
        .enumerate()
        .map(|(at, edit)| within(edit, &((2 * at).saturating_sub(1)..2 * at + 2)))
        .collect();
    assert_eq!(run(&list(&names), &narrow).unwrap(), made);
}

#[test]
fn ten_thousand_equal_lines() {
    let file = "same\n".repeat(10_000);
    let edits: Vec<FileEdit> =
        (0..1_000).map(|at| within(chunk(&[], &["same"], &["x"], &[]), &(at..at + 1))).collect();
    assert_eq!(run(&file, &edits).unwrap(), "x\n".repeat(1_000) + &"same\n".repeat(9_000));
    let half = vec!["same"; 5_000];
    let error = run(&file, &[chunk(&["same"], &half, &["x"], &["same"])]).unwrap_err();
    assert_eq!((error.code, error.found), (ErrorCode::Ambiguous, Some(4_999)));
    let error =
        run(&file, &[chunk(&["same"], &[half.as_slice(), &["other"]].concat(), &["x"], &[])]).unwrap_err();
    assert_eq!(
        (error.code, error.check.as_deref(), error.fallen.len()),
        (ErrorCode::NotFound, Some("content"), 5)
    );
}

#[test]
fn one_line_of_ten_megabytes() {
    let long = "a".repeat(10 * 1024 * 1024);
    let file = format!("{long}\nb\n{long}\nc\n");
    let made = run(&file, &[chunk(&["b"], &[&long], &["x"], &["c"])]).unwrap();
    assert_eq!(made, format!("{long}\nb\nx\nc\n"));
    let error = run(&file, &[chunk(&["b"], &[&long[1..]], &["x"], &[])]).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
    assert!(serde_json::to_string(&error).unwrap().len() < 16 * 1024);
}

#[test]
fn chunks_beyond_the_budget_are_not_said_to_be_missing() {
    let file = "same\n".repeat(2_000);
    let edits = (0..3_000).map(|at| chunk(&["same"], &[&format!("other {at}")], &["x"], &[])).collect();
    let path = FilePath::from("f");
    let entry = FileEntry { path: path.clone(), edits, ..FileEntry::default() };
    let job = JobRequest { files: vec![entry], partial: true, ..JobRequest::default() };
    let state = FileState::File { bytes: Arc::from(file.as_bytes()), mode: 0o644 };
    let world =
        WorkspaceSnapshot { files: [(path, state)].into_iter().collect(), ..WorkspaceSnapshot::default() };
    let plan = plan(&job, &world, &PlanOptions::default()).unwrap();
    let errors: Vec<_> = plan.files[0].edits.iter().filter_map(|edit| edit.error.as_ref()).collect();
    assert_eq!(errors.len(), 3_000);
    assert_eq!((errors[0].check.as_deref(), errors[0].fallen.len()), (Some("content"), 5));
    // The budget for explanations is spent long before the last.
    assert!(errors[2_999].fallen.is_empty() && errors[2_999].message.starts_with("the chunk does not occur"));
}
