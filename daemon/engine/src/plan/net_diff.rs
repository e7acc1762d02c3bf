//! Shows the whole change of a file that several entries of a job edit as one diff. A reader of one diff for each entry would
//! see texts that are in the file neither before the job nor after it.

use std::collections::{BTreeMap, BTreeSet};

use editd_types::{FileOutcome, FilePath};

use super::entry::{PlanContext, show};
use crate::diff::{entry_diff, readable};
use crate::job::Job;
use crate::tree::Tree;
use crate::{FileState, Refusal, WorkspaceSnapshot};

/// Gives the last entry of each such file the diff of the whole change; the entries before it then have none. The diffs of a
/// file that the job also moves, or puts another file in place of, stay with their entries.
pub(super) fn show_net_diffs(
    context: &PlanContext<'_>,
    job: &Job,
    snapshot: &WorkspaceSnapshot,
    tree: &mut Tree<'_>,
    files: &mut [FileOutcome],
) -> Result<(), Refusal> {
    let targets: BTreeSet<&FilePath> = job.entries.iter().flat_map(|entry| entry.targets()).collect();
    let mut changes: BTreeMap<FilePath, Vec<usize>> = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        if file.diff.is_some() || file.omitted_hunks.is_some() {
            changes.entry(file.path.clone()).or_default().push(index);
        }
    }
    for (path, indexes) in changes {
        let is_moved = files.iter().any(|file| file.path == path && file.to.is_some());
        let Some(before) = snapshot.files.get(&path) else { continue };
        let Some((last, others)) = indexes.split_last().filter(|(_, others)| !others.is_empty()) else {
            continue;
        };
        if is_moved || targets.contains(&path) {
            continue;
        }
        for index in others.iter().chain([last]) {
            if let Some(file) = files.get_mut(*index) {
                (file.diff, file.omitted_hunks) = (None, None);
            }
        }
        let after = &tree.node(&path)?.state;
        if let Some(file) = files.get_mut(*last).filter(|_| before != after) {
            show(context, file, whole(context, &path, before, after));
        }
    }
    Ok(())
}

/// Returns the diff of two states of a file, and the number of hunks that it leaves out.
fn whole(context: &PlanContext<'_>, path: &FilePath, before: &FileState, after: &FileState) -> (String, u64) {
    let label = context.options.label(path);
    entry_diff(path, &readable(before, label), &readable(after, label), None, None)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::sync::Arc;

    use editd_types::{FileEdit, FileEntry, FilePath, JobInput};

    use crate::{FileState, PlanOptions, WorkspaceSnapshot, plan_input as plan};

    fn entry(op: &str, old: &str, new: &str) -> FileEntry {
        let own = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let mut edit = FileEdit { op: op.to_owned(), old: own(old), ..FileEdit::default() };
        match op {
            "rename" => edit.to = Some(FilePath::from(new)),
            _ => edit.new = Some(new.to_owned()),
        }
        FileEntry { path: FilePath::from("a"), edits: vec![edit], ..FileEntry::default() }
    }

    /// Returns the diff of each entry of a job on a file with the lines 1 to 40.
    fn diffs(entries: &[FileEntry], diff: Option<bool>, partial: bool) -> Vec<Option<String>> {
        let lines: String = (1..=40).map(|number| format!("line {number}\n")).collect();
        let mut snapshot = WorkspaceSnapshot::default();
        let state = FileState::File { bytes: Arc::from(lines.into_bytes()), mode: 0o644 };
        snapshot.files.insert(FilePath::from("a"), state);
        snapshot.files.insert(FilePath::from("b"), FileState::Absent);
        let job = JobInput { files: entries, diff, partial, ..JobInput::default() };
        let planned = plan(job, &snapshot, &PlanOptions::default()).unwrap();
        planned.files.into_iter().map(|file| file.diff).collect()
    }

    #[test]
    fn the_last_entry_of_a_file_has_the_diff_of_all() {
        let dependent = [
            entry("replace", "line 20\n", "between\n"),
            entry("replace", "line 3\n", "line three\n"),
            entry("replace", "between\n", "end\n"),
        ];
        let whole = "--- a/a\n+++ b/a\n@@ -1,6 +1,6 @@\n line 1\n line 2\n-line 3\n+line three\n line 4\n line 5\n line 6\n\
                     @@ -17,7 +17,7 @@\n line 17\n line 18\n line 19\n-line 20\n+end\n line 21\n line 22\n line 23\n";
        assert_eq!(diffs(&dependent, Some(true), false), [None, None, Some(whole.to_owned())]);
        assert_eq!(diffs(&dependent, None, false), [None, None, None]);
    }

    #[test]
    fn a_refused_entry_does_not_hide_the_diff() {
        let entries = [
            entry("replace", "line 3\n", "x\n"),
            entry("replace", "line 4\n", "y\n"),
            entry("replace", "absent", "z"),
        ];
        let shown = diffs(&entries, Some(true), true);
        assert!(shown.iter().map(Option::is_some).eq([false, true, false]), "{shown:?}");
        assert_eq!(shown.iter().flatten().map(|diff| diff.matches("\n+").count()).sum::<usize>(), 3);
    }

    #[test]
    fn changes_that_cancel_each_other_have_no_diff() {
        let entries = [entry("replace", "line 3\n", "x\n"), entry("replace", "x\n", "line 3\n")];
        assert_eq!(diffs(&entries, Some(true), false), [None, None]);
    }

    #[test]
    fn entries_of_a_file_that_is_moved_keep_their_diffs() {
        let entries = [
            entry("replace", "line 3\n", "x\n"),
            entry("replace", "line 4\n", "y\n"),
            entry("rename", "", "b"),
        ];
        assert!(diffs(&entries, Some(true), false).iter().all(Option::is_some));
    }
}
