//! Changes of real files, as others made them: the commits of a checkout. It reads, and changes nothing.

use std::path::PathBuf;
use std::process::Command;

use editd_engine::{FileState, unified_diff};

/// One file of a change.
#[derive(Clone, Debug)]
pub struct CommitFile {
    /// The path.
    pub path: String,
    /// The content before the change; `None` if there is no file.
    pub before: Option<String>,
    /// The content after the change.
    pub after: Option<String>,
}

/// The changes of one commit.
#[derive(Clone, Debug)]
pub struct CommitChange {
    /// The files.
    pub files: Vec<CommitFile>,
    /// As a unified diff.
    pub diff: String,
}

/// Files that a change may have to be measured.
const FILES: usize = 3;

/// Up to so many changes of the checkout, newest first.
pub fn changes(wanted: usize) -> Vec<CommitChange> {
    let checkout =
        std::env::var_os("HISTORY").map_or_else(|| crate::binaries::top().to_owned(), PathBuf::from);
    let git = |words: &[&str]| {
        let output =
            Command::new("git").arg("-C").arg(&checkout).args(words).output().expect("git can be run");
        output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten()
    };
    let log = git(&["log", "--no-merges", "--format=%H", "-n", "5000"]).unwrap_or_default();
    log.lines().filter_map(|commit| change(&git, commit)).take(wanted).collect()
}

fn change(git: &impl Fn(&[&str]) -> Option<String>, commit: &str) -> Option<CommitChange> {
    let tree = ["diff-tree", "-r", "--no-commit-id", "--no-renames"];
    let names = git(&[&tree[..], &["--name-status", commit]].concat())?;
    let listed: Vec<(&str, &str)> = names.lines().filter_map(|line| line.split_once('\t')).collect();
    if listed.is_empty() || listed.len() > FILES {
        return None;
    }
    let mut files = Vec::new();
    for (status, path) in listed {
        let content = |at: &str| git(&["show", &format!("{at}:{path}")]).filter(|text| !text.contains('\0'));
        let (before, after) = match status {
            "M" => (Some(content(&format!("{commit}^"))?), Some(content(commit)?)),
            "A" => (None, Some(content(commit)?)),
            "D" => (Some(content(&format!("{commit}^"))?), None),
            _ => return None,
        };
        if before == after {
            return None;
        }
        files.push(CommitFile { path: path.to_owned(), before, after });
    }
    let diff = git(&[&tree[..], &["-p", commit]].concat())?;
    Some(CommitChange { files, diff })
}

/// A run of lines of a diff.
pub struct DiffHunk {
    /// The first line before the change.
    pub start: u64,
    /// The number of lines before the change.
    pub count: u64,
    /// The lines with their signs.
    pub lines: Vec<String>,
}

impl DiffHunk {
    fn text(&self, without: char) -> String {
        let kept = self.lines.iter().filter(|line| !line.starts_with(without));
        kept.map(|line| format!("{}\n", line.get(1..).unwrap_or_default())).collect()
    }

    /// Returns the lines before the change.
    pub fn old(&self) -> String {
        self.text('+')
    }

    /// Returns the lines after the change.
    pub fn added(&self) -> String {
        self.text('-')
    }
}

/// The hunks of a file's change, with three lines of context or with none.
pub fn hunks(file: &CommitFile, context: bool) -> Vec<DiffHunk> {
    let state = |text: &Option<String>| match text {
        None => FileState::Absent,
        Some(text) => FileState::File { bytes: text.as_bytes().into(), mode: 0o644 },
    };
    let (diff, _) = unified_diff(&file.path.as_str().into(), &state(&file.before), &state(&file.after));
    let mut hunks: Vec<DiffHunk> = Vec::new();
    for line in diff.lines().skip(2) {
        if let Some(head) = line.strip_prefix("@@ -") {
            let range = head.split(' ').next().unwrap_or_default();
            let (start, count) = range.split_once(',').unwrap_or((range, "1"));
            let number = |text: &str| text.parse().unwrap_or(0);
            hunks.push(DiffHunk { start: number(start), count: number(count), lines: Vec::new() });
        } else if let Some(hunk) = hunks.last_mut().filter(|_| !line.starts_with('\\')) {
            hunk.lines.push(line.to_owned());
        }
    }
    if context { hunks } else { hunks.iter().flat_map(bare).collect() }
}

/// The changed runs of a hunk, without the lines around them.
fn bare(hunk: &DiffHunk) -> Vec<DiffHunk> {
    let mut found: Vec<DiffHunk> = Vec::new();
    let (mut at, mut open) = (hunk.start.max(1), false);
    for line in &hunk.lines {
        if line.starts_with(' ') {
            (at, open) = (at + 1, false);
            continue;
        }
        if !open {
            found.push(DiffHunk { start: at, count: 0, lines: Vec::new() });
            open = true;
        }
        if let Some(last) = found.last_mut() {
            last.lines.push(line.clone());
            if line.starts_with('-') {
                last.count += 1;
                at += 1;
            }
        }
    }
    found
}
