//! Jobs that write, move, copy and delete the same few files one after the other, against a model that is a map.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use editd_engine::{
    FileState, PlanOptions, WorkspaceSnapshot, apply, needs_of_input as needs, plan_input as plan,
};
use editd_proto::message::{EditPosition, EditStatus, FileEdit, FileEntry, FileMode, JobRequest, JobStatus};
use editd_proto::path::FilePath;
use proptest::prelude::*;

/// The content and the mode of each path.
type Files = BTreeMap<&'static str, (String, u32)>;

const PATHS: [&str; 4] = ["a", "b", "c", "d"];

/// The operation of an entry on its file.
#[derive(Clone, Debug)]
enum FileAction {
    Write(&'static str),
    Create(&'static str),
    Append(&'static str),
    Replace(&'static str, &'static str),
    Delete,
    Rename(&'static str, bool),
    Copy(&'static str, bool),
    Chmod(u32),
}

fn path() -> impl Strategy<Value = &'static str> {
    prop::sample::select(PATHS.to_vec())
}

fn text() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "x\n", "x\ny\n", "y\nx\n", "z"])
}

fn action() -> impl Strategy<Value = FileAction> {
    let word = || prop::sample::select(vec!["x", "y", "z"]);
    prop_oneof![
        text().prop_map(FileAction::Write),
        text().prop_map(FileAction::Create),
        text().prop_map(FileAction::Append),
        (word(), word()).prop_map(|(old, new)| FileAction::Replace(old, new)),
        Just(FileAction::Delete),
        (path(), any::<bool>()).prop_map(|(to, over)| FileAction::Rename(to, over)),
        (path(), any::<bool>()).prop_map(|(to, over)| FileAction::Copy(to, over)),
        prop::sample::select(vec![0o600, 0o644, 0o755]).prop_map(FileAction::Chmod),
    ]
}

fn edit(action: &FileAction) -> FileEdit {
    let op = |op: &str| FileEdit { op: op.to_owned(), ..FileEdit::default() };
    let owned = |text: &str| Some(text.to_owned());
    match action {
        FileAction::Write(text) => FileEdit { text: owned(text), ..op("write") },
        FileAction::Create(text) => FileEdit { text: owned(text), ..op("create") },
        FileAction::Append(text) => {
            FileEdit { text: owned(text), at: Some(EditPosition::End), ..op("insert") }
        }
        FileAction::Replace(old, new) => FileEdit { old: owned(old), new: owned(new), ..op("replace") },
        FileAction::Delete => op("delete"),
        FileAction::Rename(to, over) => {
            FileEdit { to: Some((*to).into()), overwrite: Some(*over), ..op("rename") }
        }
        FileAction::Copy(to, over) => {
            FileEdit { to: Some((*to).into()), overwrite: Some(*over), ..op("copy") }
        }
        FileAction::Chmod(mode) => {
            FileEdit { mode: Some(FileMode::Octal(format!("{mode:o}"))), ..op("chmod") }
        }
    }
}

/// Does it to the files; `None` where it cannot be done, and then nothing is.
fn done(files: &mut Files, at: &'static str, action: &FileAction) -> Option<()> {
    let there = files.get(at).cloned();
    let mode = there.as_ref().map_or(0o644, |(_, mode)| *mode);
    match action {
        FileAction::Write(text) => drop(files.insert(at, ((*text).to_owned(), mode))),
        FileAction::Create(_) if there.is_some() => return None,
        FileAction::Create(text) => drop(files.insert(at, ((*text).to_owned(), mode))),
        FileAction::Append(text) => {
            let old = there.map(|(old, _)| old).unwrap_or_default();
            files.insert(at, (old + text, mode));
        }
        FileAction::Replace(old, new) => {
            let (content, _) = there?;
            if content.matches(old).count() != 1 {
                return None;
            }
            files.insert(at, (content.replace(old, new), mode));
        }
        FileAction::Delete => drop(files.remove(at)?),
        FileAction::Rename(to, over) | FileAction::Copy(to, over) => {
            let there = there?;
            if files.contains_key(to) && !over {
                return None;
            }
            if matches!(action, FileAction::Rename(..)) {
                files.remove(at);
            }
            files.insert(to, there);
        }
        FileAction::Chmod(mode) => files.get_mut(at)?.1 = *mode,
    }
    Some(())
}

fn state(files: &Files, path: &str) -> FileState {
    files.get(path).map_or(FileState::Absent, |(text, mode)| FileState::File {
        bytes: Arc::from(text.as_bytes()),
        mode: *mode,
    })
}

fn files() -> impl Strategy<Value = Files> {
    prop::collection::vec((path(), text()), 0..4)
        .prop_map(|found| found.into_iter().map(|(path, text)| (path, (text.to_owned(), 0o640))).collect())
}

fn job(entries: &[(&'static str, Vec<FileAction>)], partial: bool) -> JobRequest {
    let files = entries.iter().map(|(path, actions)| FileEntry {
        path: (*path).into(),
        edits: actions.iter().map(edit).collect(),
        ..FileEntry::default()
    });
    JobRequest { files: files.collect(), partial, ..JobRequest::default() }
}

fn world(files: &Files, job: &JobRequest) -> WorkspaceSnapshot {
    let shown = |path: FilePath| {
        let name = PATHS.iter().find(|name| path == FilePath::from(**name)).unwrap();
        (path, state(files, name))
    };
    WorkspaceSnapshot {
        files: needs(job).unwrap().paths.into_iter().map(shown).collect(),
        ..WorkspaceSnapshot::default()
    }
}

proptest! {
    /// Each entry sees what those before it left, and the changes are those from the first state to the last. An entry
    /// of a path where a refused one would have put a file is refused.
    #[test]
    fn entries_come_one_after_the_other(
        before in files(),
        entries in prop::collection::vec((path(), action()), 1..7),
        partial in any::<bool>(),
    ) {
        let mut after = before.clone();
        // The targets of copies and renames that were refused: what follows there is refused, too.
        let mut unmade = BTreeSet::new();
        let mut result = |(path, action): &(&'static str, FileAction)| {
            let made = !unmade.contains(path) && done(&mut after, path, action).is_some();
            if let FileAction::Rename(to, _) | FileAction::Copy(to, _) = action {
                if made { unmade.remove(to) } else { unmade.insert(*to) };
            }
            made
        };
        let results: Vec<bool> = entries.iter().map(&mut result).collect();
        let listed: Vec<_> = entries.iter().map(|(path, action)| (*path, vec![action.clone()])).collect();
        let job = job(&listed, partial);
        let world = world(&before, &job);
        let planned = plan(&job, &world, &PlanOptions::default());
        if !partial && results.contains(&false) {
            // Entries are planned in order: the result of the model after the first failure does not count.
            prop_assert!(planned.is_err(), "{planned:#?}");
            return Ok(());
        }
        let planned = planned.unwrap();
        for (outcome, result) in planned.files.iter().zip(&results) {
            let refused = outcome.edits.iter().any(|edit| edit.status == EditStatus::Refused);
            prop_assert_eq!(refused, !result, "{:?}", outcome);
            prop_assert_eq!(outcome.status == JobStatus::Refused, !result, "{:?}", outcome);
        }
        for path in PATHS {
            let change = planned.changes.iter().find(|change| change.path == FilePath::from(path));
            let (old, new) = (state(&before, path), state(&after, path));
            prop_assert_eq!(change.is_some(), old != new, "{}", path);
            let Some(change) = change else { continue };
            prop_assert_eq!(&change.before, &old);
            prop_assert_eq!(&change.after, &new);
            let bytes = |state: &FileState| match state {
                FileState::Absent => Vec::new(),
                FileState::File { bytes, .. } => bytes.to_vec(),
            };
            prop_assert_eq!(apply(&bytes(&old), &change.splices), Some(bytes(&new)));
        }
    }
}
