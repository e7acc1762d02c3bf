//! The net change of each path: its content before the first of some entries, compared with that after the last one.
//!
//! *Limitations*: changes that others made to the same file between two entries of a session are included. The journal
//! has the mode of a file only if an entry changed it, so that the mode of a new file is taken from the present one.

use std::collections::{BTreeMap, BTreeSet};

use editd_proto::FilePath;
use editd_proto::ids::{JobId, Version};
use editd_proto::message::{ContentRequest, EntryFile, EntryKind, EntrySide, EntrySummary};

use super::content::{FileContent, content};
use super::entries::{EntryList, is_rescue};
use crate::retry::Caller;
use crate::{CallError, Workspace, machine};

/// The bit that makes a file executable for its owner.
const EXECUTABLE: u32 = 0o100;

/// The first and the last entry that changed a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathSpan {
    /// The path.
    pub path: FilePath,
    pub(super) first: (JobId, Option<Version>),
    pub(super) last: (JobId, Option<Version>),
    /// Set if not all work of these entries is undone.
    applied: bool,
    /// The modes before the first and after the last change of the mode.
    modes: Option<(u32, u32)>,
}

impl PathSpan {
    fn new(job: JobId, file: &EntryFile) -> Self {
        let (first, last) = ((job, file.before.clone()), (job, file.before.clone()));
        Self { path: file.path.clone(), first, last, applied: false, modes: None }
    }

    fn changes_mode(&self) -> bool {
        self.modes.is_some_and(|(old, new)| (old ^ new) & EXECUTABLE != 0)
    }

    fn is_change(&self) -> bool {
        self.applied && (self.first.1 != self.last.1 || self.changes_mode())
    }
}

/// A net change of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetChange {
    /// The path.
    pub path: FilePath,
    /// The content before.
    pub before: FileContent,
    /// The content after.
    pub after: FileContent,
    /// Set if the file could be executed before; the same as after, if the mode did not change.
    pub executable_before: bool,
    /// Set if the file can be executed after.
    pub executable_after: bool,
}

/// Returns the paths that entries changed, from the first to the last path. Work that was undone leaves no trace.
///
/// `modes` returns the modes before and after an entry, for each path whose mode it changed.
///
/// # Errors
/// Those of `modes`.
pub fn spans<E>(
    list: &EntryList,
    mut modes: impl FnMut(&EntrySummary) -> Result<BTreeMap<FilePath, (u32, u32)>, E>,
) -> Result<Vec<PathSpan>, E> {
    let chosen: BTreeSet<JobId> = list.entries.iter().map(|entry| entry.id).collect();
    let mut spans: BTreeMap<FilePath, PathSpan> = BTreeMap::new();
    for entry in list.entries.iter().filter(|entry| !is_rescue(entry)) {
        let modes = modes(entry)?;
        let undoes_chosen = entry.kind == EntryKind::Undo && entry.of.iter().all(|of| chosen.contains(of));
        for file in &entry.files {
            let span = spans.entry(file.path.clone()).or_insert_with(|| PathSpan::new(entry.id, file));
            if span.first.1 == span.last.1 {
                // The entries before this one had no effect, so that those of others between them do not count.
                span.first = (entry.id, file.before.clone());
            }
            span.last = (entry.id, file.after.clone());
            // Only what others did may be left of the work of a session.
            span.applied |= !list.of_session || (!entry.undone && !file.undone && !undoes_chosen);
            if let Some((old, new)) = modes.get(&file.path) {
                span.modes = Some((span.modes.map_or(*old, |(first, _)| first), *new));
            }
        }
    }
    Ok(spans.into_values().filter(PathSpan::is_change).collect())
}

/// Returns the modes before and after an entry, for each path whose mode it changed.
///
/// # Errors
/// The daemon cannot be reached.
pub fn modes<E: From<CallError>>(
    caller: &Caller<'_, E>,
    entry: &EntrySummary,
) -> Result<BTreeMap<FilePath, (u32, u32)>, E> {
    let (mut modes, mut seen) = (BTreeMap::new(), 0);
    while entry.kind != EntryKind::External && seen < entry.files.len() {
        let shown = caller.ask(true, |it| match it.show(entry.id, Some(seen as u64)) {
            // Retention may have removed the entry a moment ago.
            Err(CallError::Refused(_)) => Ok(None),
            other => other.map(Some),
        })?;
        let Some(shown) = shown.filter(|shown| !shown.changes.is_empty()) else { break };
        seen += shown.changes.len();
        modes.extend(shown.changes.into_iter().filter_map(|one| Some((one.path, changed_mode(&one.diff)?))));
    }
    Ok(modes)
}

/// Returns the modes in the header of a diff: `old mode 100644` and `new mode 100755`.
pub(super) fn changed_mode(diff: &str) -> Option<(u32, u32)> {
    let mut header = diff.lines().take_while(|line| !line.starts_with("--- ") && !line.starts_with("@@"));
    let mut mode = |name| {
        let digits = header.find_map(|line| line.strip_prefix(name))?;
        u32::from_str_radix(digits, 8).ok()
    };
    Some((mode("old mode ")?, mode("new mode ")?))
}

/// Returns the contents of a net change, each of at most `most` bytes.
///
/// # Errors
/// The daemon cannot be reached, or refuses a request.
pub fn change<E: From<CallError>>(
    caller: &Caller<'_, E>,
    workspace: &Workspace,
    span: &PathSpan,
    most: u64,
) -> Result<NetChange, E> {
    let path = span.path.clone();
    let side = |job, version: &Option<Version>, side| match version {
        None => Ok(FileContent::Absent),
        Some(_) => content(caller, &ContentRequest { job, path: path.clone(), side, from: 0 }, most),
    };
    let before = side(span.first.0, &span.first.1, EntrySide::Before)?;
    let after = side(span.last.0, &span.last.1, EntrySide::After)?;
    let present = || workspace.file(&path).is_some_and(|file| machine::is_executable(&file));
    let (executable_before, executable_after) = match span.modes {
        Some((old, new)) => (old & EXECUTABLE != 0, new & EXECUTABLE != 0),
        None => {
            let same = span.last.1.is_some() && present();
            (same, same)
        }
    };
    Ok(NetChange { path, before, after, executable_before, executable_after })
}
