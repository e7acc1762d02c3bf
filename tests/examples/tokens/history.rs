//! Changes of real files, as others made them: the commits of a checkout. It reads, and changes nothing.

use std::path::PathBuf;
use std::process::Command;

/// One file of a change.
#[derive(Clone, Debug)]
pub(crate) struct CommitFile {
    pub(crate) path: String,
    /// The contents before and after; `None` where there was no file, or is none.
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// The changes of one commit.
#[derive(Clone, Debug)]
pub(crate) struct CommitChange {
    pub(crate) files: Vec<CommitFile>,
    /// As a unified diff.
    pub(crate) diff: String,
}

/// Files that a change may have to be measured.
const FILES: usize = 3;

/// Up to so many changes of the checkout, newest first.
pub(crate) fn changes(wanted: usize) -> Vec<CommitChange> {
    let checkout =
        std::env::var_os("HISTORY").map_or_else(|| editd_tests::binaries::top().to_owned(), PathBuf::from);
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
