//! One change in the forms in which callers send edits. It sends nothing.

use editd_tests::commits::{CommitChange, CommitFile, DiffHunk, hunks};
use serde_json::{Value, json};

/// A native job, each file's edits made by `edits`.
fn native(change: &CommitChange, edits: impl Fn(&CommitFile) -> Vec<Value>) -> Value {
    let files = change.files.iter().map(|file| {
        let edits = match (&file.before, &file.after) {
            (_, None) => vec![json!({"op": "delete"})],
            (None, Some(text)) => vec![json!({"op": "write", "text": text})],
            (Some(_), Some(_)) => edits(file),
        };
        json!({"path": file.path, "edits": edits})
    });
    json!({"files": files.collect::<Vec<_>>()})
}

/// The native job by line numbers.
pub(crate) fn lines(change: &CommitChange) -> Value {
    native(change, |file| {
        let edit = |hunk: &DiffHunk| json!({"op": "lines", "start": hunk.start, "end": hunk.start + hunk.count - 1, "text": hunk.added()});
        hunks(file, false).iter().map(edit).collect()
    })
}

/// Every form of a change that modifies files only; of others those that can say them.
pub(crate) fn all(change: &CommitChange) -> Vec<(&'static str, String)> {
    let quoted = native(change, |file| {
        let edit = |hunk: &DiffHunk| json!({"op": "replace", "old": hunk.old(), "new": hunk.added(), "near": hunk.start});
        hunks(file, true).iter().map(edit).collect()
    });
    let whole = native(change, |file| vec![json!({"op": "write", "text": file.after})]);
    let mut forms = vec![
        ("native `replace`", quoted.to_string()),
        ("native `lines`", lines(change).to_string()),
        ("native `write`", whole.to_string()),
        ("`unified-diff`", change.diff.clone()),
    ];
    if change.files.iter().all(|file| file.before.is_some() && file.after.is_some()) {
        let each = |print: fn(&CommitFile) -> String| change.files.iter().map(print).collect::<String>();
        forms.push(("`search-replace`", each(search_replace)));
        forms.push(("`apply-patch`", format!("*** Begin Patch\n{}*** End Patch\n", each(apply_patch))));
        forms.push(("`claude-code`", each(claude_code)));
        forms.push(("`ranges`", each(ranges)));
    }
    forms
}

fn search_replace(file: &CommitFile) -> String {
    let block = |hunk: &DiffHunk| {
        let (old, new) = (hunk.old(), hunk.added());
        format!(
            "{}\n<<<<<<< SEARCH\n:start_line:{}\n-------\n{old}=======\n{new}>>>>>>> REPLACE\n",
            file.path, hunk.start
        )
    };
    hunks(file, true).iter().map(block).collect()
}

fn apply_patch(file: &CommitFile) -> String {
    let hunk = |hunk: &DiffHunk| format!("@@\n{}\n", hunk.lines.join("\n"));
    format!("*** Update File: {}\n{}", file.path, hunks(file, true).iter().map(hunk).collect::<String>())
}

fn claude_code(file: &CommitFile) -> String {
    let edit = |hunk: &DiffHunk| json!({"old_string": hunk.old(), "new_string": hunk.added()});
    let edits: Vec<Value> = hunks(file, true).iter().map(edit).collect();
    json!({"file_path": file.path, "edits": edits}).to_string()
}

fn ranges(file: &CommitFile) -> String {
    let hash = blake3::hash(file.before.as_deref().unwrap_or_default().as_bytes()).to_hex();
    let mut text = format!("@@ {} {}\n", file.path, hash.get(..12).unwrap_or_default());
    for hunk in hunks(file, false) {
        let new = hunk.added();
        let delete = if new.is_empty() { " delete" } else { "" };
        let range = match hunk.count {
            0 => format!("before {}", hunk.start),
            1 => hunk.start.to_string(),
            count => format!("{}-{}", hunk.start, hunk.start + count - 1),
        };
        text.push_str(&format!("@@ {range}{delete}\n{new}"));
    }
    text
}
