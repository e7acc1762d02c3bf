//! Jobs that write, move, copy and delete the same few files one after the other, against a model that is a map.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_engine::{Options, State, World, apply, needs_of_input as needs, plan_input as plan};
use editd_proto::message::{EditPosition, EditStatus, FileEdit, FileEntry, FileMode, JobRequest, JobStatus};
use editd_proto::path::FilePath;
use proptest::prelude::*;

/// The content and the mode of each path.
type Files = BTreeMap<&'static str, (String, u32)>;

const PATHS: [&str; 4] = ["a", "b", "c", "d"];

/// The operation of an entry on its file.
#[derive(Clone, Debug)]
enum Deed {
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

fn deed() -> impl Strategy<Value = Deed> {
    let word = || prop::sample::select(vec!["x", "y", "z"]);
    prop_oneof![
        text().prop_map(Deed::Write),
        text().prop_map(Deed::Create),
        text().prop_map(Deed::Append),
        (word(), word()).prop_map(|(old, new)| Deed::Replace(old, new)),
        Just(Deed::Delete),
        (path(), any::<bool>()).prop_map(|(to, over)| Deed::Rename(to, over)),
        (path(), any::<bool>()).prop_map(|(to, over)| Deed::Copy(to, over)),
        prop::sample::select(vec![0o600, 0o644, 0o755]).prop_map(Deed::Chmod),
    ]
}

fn edit(deed: &Deed) -> FileEdit {
    let op = |op: &str| FileEdit { op: op.to_owned(), ..FileEdit::default() };
    let owned = |text: &str| Some(text.to_owned());
    match deed {
        Deed::Write(text) => FileEdit { text: owned(text), ..op("write") },
        Deed::Create(text) => FileEdit { text: owned(text), ..op("create") },
        Deed::Append(text) => FileEdit { text: owned(text), at: Some(EditPosition::End), ..op("insert") },
        Deed::Replace(old, new) => FileEdit { old: owned(old), new: owned(new), ..op("replace") },
        Deed::Delete => op("delete"),
        Deed::Rename(to, over) => FileEdit { to: Some((*to).into()), overwrite: Some(*over), ..op("rename") },
        Deed::Copy(to, over) => FileEdit { to: Some((*to).into()), overwrite: Some(*over), ..op("copy") },
        Deed::Chmod(mode) => FileEdit { mode: Some(FileMode::Octal(format!("{mode:o}"))), ..op("chmod") },
    }
}

/// Does it to the files; `None` where it cannot be done, and then nothing is.
fn done(files: &mut Files, at: &'static str, deed: &Deed) -> Option<()> {
    let there = files.get(at).cloned();
    let mode = there.as_ref().map_or(0o644, |(_, mode)| *mode);
    match deed {
        Deed::Write(text) => drop(files.insert(at, ((*text).to_owned(), mode))),
        Deed::Create(_) if there.is_some() => return None,
        Deed::Create(text) => drop(files.insert(at, ((*text).to_owned(), mode))),
        Deed::Append(text) => {
            let old = there.map(|(old, _)| old).unwrap_or_default();
            files.insert(at, (old + text, mode));
        }
        Deed::Replace(old, new) => {
            let (content, _) = there?;
            if content.matches(old).count() != 1 {
                return None;
            }
            files.insert(at, (content.replace(old, new), mode));
        }
        Deed::Delete => drop(files.remove(at)?),
        Deed::Rename(to, over) | Deed::Copy(to, over) => {
            let there = there?;
            if files.contains_key(to) && !over {
                return None;
            }
            if matches!(deed, Deed::Rename(..)) {
                files.remove(at);
            }
            files.insert(to, there);
        }
        Deed::Chmod(mode) => files.get_mut(at)?.1 = *mode,
    }
    Some(())
}

fn state(files: &Files, path: &str) -> State {
    files
        .get(path)
        .map_or(State::Absent, |(text, mode)| State::File { bytes: Arc::from(text.as_bytes()), mode: *mode })
}

fn files() -> impl Strategy<Value = Files> {
    prop::collection::vec((path(), text()), 0..4)
        .prop_map(|found| found.into_iter().map(|(path, text)| (path, (text.to_owned(), 0o640))).collect())
}

fn job(entries: &[(&'static str, Vec<Deed>)], partial: bool) -> JobRequest {
    let files = entries.iter().map(|(path, deeds)| FileEntry {
        path: (*path).into(),
        edits: deeds.iter().map(edit).collect(),
        ..FileEntry::default()
    });
    JobRequest { files: files.collect(), partial, ..JobRequest::default() }
}

fn world(files: &Files, job: &JobRequest) -> World {
    let shown = |path: FilePath| {
        let name = PATHS.iter().find(|name| path == FilePath::from(**name)).unwrap();
        (path, state(files, name))
    };
    World { files: needs(job).unwrap().paths.into_iter().map(shown).collect(), ..World::default() }
}

proptest! {
    /// Each entry sees what those before it left, and the changes are those from the first state to the last.
    #[test]
    fn entries_come_one_after_the_other(
        before in files(),
        entries in prop::collection::vec((path(), deed()), 1..7),
        partial in any::<bool>(),
    ) {
        let mut after = before.clone();
        let results: Vec<bool> =
            entries.iter().map(|(path, deed)| done(&mut after, path, deed).is_some()).collect();
        let listed: Vec<_> = entries.iter().map(|(path, deed)| (*path, vec![deed.clone()])).collect();
        let job = job(&listed, partial);
        let world = world(&before, &job);
        let planned = plan(&job, &world, &Options::default());
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
            let bytes = |state: &State| match state {
                State::Absent => Vec::new(),
                State::File { bytes, .. } => bytes.to_vec(),
            };
            prop_assert_eq!(apply(&bytes(&old), &change.splices), Some(bytes(&new)));
        }
    }
}
