//! Jobs that are refused, made from real files: each kind on many, small and large. It judges no reply.

use std::path::{Path, PathBuf};

use editd_tests::sources::registries;
use serde_json::{Value, json};

use super::runner::{ReplyForms, TokenRunner};
use editd_tests::commits::CommitChange;
use editd_tests::commits::hunks;

/// Files of each kind of refusal.
const EACH: usize = 30;

/// Large files, and how large in bytes.
const LARGE: usize = 8;
const LARGE_BYTES: std::ops::Range<u64> = 120_000..180_000;

/// A file, and a place in it: the number of a line and the line.
struct LinePlace {
    path: String,
    text: String,
    at: usize,
    line: String,
}

/// Every refused job's kind, and what was replied.
pub(crate) fn all(runner: &mut TokenRunner, changes: &[CommitChange]) -> Vec<(String, ReplyForms)> {
    let places = places(changes);
    let mut found = Vec::new();
    for place in &places {
        for (kind, replies) in of_place(runner, place) {
            // A kind that does not fit this file may have been applied.
            if replies.json.contains("\"refused\"") {
                found.push((kind.to_owned(), replies));
            }
        }
    }
    found
}

/// Lines of code in files of the history, and in the largest ones of cargo's registry folder.
fn places(changes: &[CommitChange]) -> Vec<LinePlace> {
    let modified = changes.iter().flat_map(|change| &change.files).filter(|file| file.after.is_some());
    let mut places: Vec<LinePlace> = modified
        .filter_map(|file| {
            let text = file.before.clone()?;
            let first = hunks(file, false).into_iter().find(|hunk| hunk.count > 0)?;
            place(&file.path, text, first.start as usize)
        })
        .take(EACH)
        .collect();
    let mut large = Vec::new();
    registries().iter().for_each(|folder| collect(folder, 0, &mut large));
    large.sort();
    places.extend(large.iter().step_by((large.len() / LARGE).max(1)).take(LARGE).filter_map(|path| {
        let text = std::fs::read_to_string(path).ok()?;
        let at = text.lines().count() / 2;
        place(&format!("src/{}", path.file_name()?.to_str()?), text, at)
    }));
    places
}

/// Adds the large sources in a folder and below it.
fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.metadata() {
            Ok(data) if data.is_dir() && depth < 6 => collect(&path, depth + 1, found),
            Ok(data)
                if LARGE_BYTES.contains(&data.len()) && path.extension().is_some_and(|end| end == "rs") =>
            {
                found.push(path);
            }
            _ => {}
        }
    }
}

/// A place at or below a line, where a line says enough.
fn place(path: &str, text: String, at: usize) -> Option<LinePlace> {
    let mut lines = text.lines().enumerate().skip(at.saturating_sub(1));
    let (at, line) = lines.find(|(_, line)| line.trim().len() > 12)?;
    let line = line.to_owned();
    Some(LinePlace { path: path.to_owned(), at: at + 1, line, text })
}

fn of_place(runner: &mut TokenRunner, place: &LinePlace) -> Vec<(&'static str, ReplyForms)> {
    let path = place.path.as_str();
    let job = |edits: Value| json!({"files": [{"path": path, "edits": edits}]});
    let replace = |old: &str| json!({"op": "replace", "old": old, "new": "changed"});
    let fresh = |runner: &TokenRunner, session: &str| {
        runner.put(path, &place.text);
        runner.editctl(session, &["read", path], "");
    };
    let unread = |runner: &TokenRunner, _: &str| runner.put(path, &place.text);
    let then = |text: String| {
        move |runner: &TokenRunner, session: &str| {
            runner.put(path, &place.text);
            runner.editctl(session, &["read", path], "");
            runner.put(path, &text);
        }
    };
    let one = job(json!([replace(&place.line)]));
    let by_line = job(json!([{"op": "lines", "start": place.at, "end": place.at, "text": "changed\n"}]));
    let miss: String = place
        .line
        .chars()
        .rev()
        .collect::<String>()
        .replacen(char::is_alphanumeric, "#", 2)
        .chars()
        .rev()
        .collect();
    let around: Vec<&str> = place.text.lines().skip(place.at.saturating_sub(4)).take(7).collect();
    let wide = around.join("\n").replacen(place.line.as_str(), &miss, 1);
    let often = most_frequent(&place.text);
    let overlap = json!([
        {"op": "lines", "start": place.at, "end": place.at + 2, "text": "a\n"},
        {"op": "lines", "start": place.at + 1, "end": place.at + 3, "text": "b\n"}]);
    let many: Vec<Value> = (0..8).map(|at| replace(&format!("{miss} {at}"))).collect();
    let broken: String = place.text.replace("{\n", "{ ((\n");
    let theirs = place.text.replacen(place.line.as_str(), &format!("{} // theirs", place.line), 1);
    vec![
        ("stale after a reformat of the file", runner.replies(&one, &[], then(reformatted(&place.text)))),
        ("stale after a reformat, by line", runner.replies(&by_line, &[], then(reformatted(&place.text)))),
        ("stale after a change of the same line", runner.replies(&one, &[], then(theirs.clone()))),
        ("conflict", runner.replies(&by_line, &["--on-stale", "rebase"], then(theirs))),
        ("unread", runner.replies(&by_line, &[], unread)),
        ("not found, one line", runner.replies(&job(json!([replace(&miss)])), &[], fresh)),
        ("not found, seven lines", runner.replies(&job(json!([replace(&wide)])), &[], fresh)),
        ("ambiguous", runner.replies(&job(json!([replace(&often)])), &[], fresh)),
        ("overlap", runner.replies(&job(overlap), &[], fresh)),
        ("eight edits that fail", runner.replies(&job(json!(many)), &[], fresh)),
        (
            "rejected by the check of syntax",
            runner.replies(&job(json!([{"op": "write", "text": broken}])), &[], fresh),
        ),
    ]
}

/// A text with another indentation, as a formatter leaves it.
fn reformatted(text: &str) -> String {
    let line = |line: &str| {
        let rest = line.trim_start();
        let depth = (line.len() - rest.len()) / 4;
        format!("{}{rest}\n", "\t".repeat(depth.max(usize::from(rest.len() < line.len()))))
    };
    text.lines().map(line).collect()
}

/// The line that stands most often, of those that say something.
fn most_frequent(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().map(str::trim).filter(|line| line.len() > 8).collect();
    lines.sort_unstable();
    let runs = lines.chunk_by(|a, b| a == b);
    runs.max_by_key(|run| run.len()).and_then(|run| run.first()).copied().unwrap_or_default().to_owned()
}
