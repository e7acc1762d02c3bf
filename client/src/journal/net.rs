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
use super::renames::{RenamePair, RenameSide, pairs};
use super::similarity::TextPieces;
use crate::retry::Caller;
use crate::{CallError, Workspace, machine};

/// Maximum number of bytes of a file that is compared with others to find renames, and of all of them.
const COMPARED: u64 = 4 << 20;
const COMPARED_ALL: u64 = 64 << 20;

/// The bit that makes a file executable for its owner.
const EXECUTABLE: u32 = 0o100;

/// The mode of a file that is not executable.
const PLAIN: u32 = 0o100_644;

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
    /// The deleted file that this created one was, if [`with_renames`] found one.
    former: Option<Box<FormerSpan>>,
    /// The content of a deleted or created file, if [`with_renames`] asked for it.
    content: Option<Vec<u8>>,
}

/// The deleted file of a rename.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FormerSpan {
    span: PathSpan,
    similarity: u64,
    /// Set if the contents are equal.
    is_same: bool,
}

/// The name that a file had before it was renamed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormerName {
    /// The path.
    pub path: FilePath,
    /// The part of the larger content that both have, in percent.
    pub similarity: u64,
}

impl PathSpan {
    fn new(job: JobId, file: &EntryFile) -> Self {
        let (first, last) = ((job, file.before.clone()), (job, file.before.clone()));
        Self {
            path: file.path.clone(),
            first,
            last,
            applied: false,
            modes: None,
            former: None,
            content: None,
        }
    }

    fn changes_mode(&self) -> bool {
        self.modes.is_some_and(|(old, new)| (old ^ new) & EXECUTABLE != 0)
    }

    /// Returns the path of the deleted file that this created one was.
    #[must_use]
    pub fn former_path(&self) -> Option<&FilePath> {
        self.former.as_ref().map(|former| &former.span.path)
    }

    /// Returns the version before, if there is no file after.
    fn deleted(&self) -> Option<&Version> {
        self.first.1.as_ref().filter(|_| self.last.1.is_none())
    }

    /// Returns the version after, if there was no file before.
    fn created(&self) -> Option<&Version> {
        self.last.1.as_ref().filter(|_| self.first.1.is_none())
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
    /// The name before, if the file was renamed.
    pub former: Option<FormerName>,
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
                // The path has its first version again: the span begins at this entry, and changes by others before it
                // do not count.
                span.first = (entry.id, file.before.clone());
            }
            span.last = (entry.id, file.after.clone());
            // If all work of the session was undone, others made the remaining difference, and the path is no change of
            // the session.
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

/// Returns the modes before and after, from the header of a diff: `old mode 100644` and `new mode 100755`. For a deleted
/// file, both are its last mode: that of `deleted file mode`, or [`PLAIN`] if the diff removes lines and names no mode.
pub(super) fn changed_mode(diff: &str) -> Option<(u32, u32)> {
    let header = || diff.lines().take_while(|line| !line.starts_with("--- ") && !line.starts_with("@@"));
    let mode = |name: &str| {
        let digits = header().find_map(|line| line.strip_prefix(name))?;
        u32::from_str_radix(digits, 8).ok()
    };
    if let Some(modes) = mode("old mode ").zip(mode("new mode ")) {
        return Some(modes);
    }
    let removes = || diff.lines().skip(header().count()).nth(1) == Some("+++ /dev/null");
    let last = mode("deleted file mode ").or_else(|| removes().then_some(PLAIN))?;
    Some((last, last))
}

/// Pairs deleted and created files that are renames: the created one names the deleted one, which is left out.
///
/// # Errors
/// The daemon cannot be reached, or refuses a request.
pub fn with_renames<E: From<CallError>>(
    caller: &Caller<'_, E>,
    spans: Vec<PathSpan>,
) -> Result<Vec<PathSpan>, E> {
    let old = sides(&spans, PathSpan::deleted);
    let new = sides(&spans, PathSpan::created);
    let (mut room, mut contents) = (COMPARED_ALL, BTreeMap::new());
    let text = |side, at: usize| -> Result<_, E> {
        let files = if side == EntrySide::Before { &old } else { &new };
        let index = files.get(at).filter(|_| room > 0).map(|file| file.index);
        let Some((index, span)) = index.and_then(|index| Some((index, spans.get(index)?))) else {
            return Ok(None);
        };
        let job = if side == EntrySide::Before { span.first.0 } else { span.last.0 };
        let request = ContentRequest { job, path: span.path.clone(), side, from: 0 };
        let text = content(caller, &request, room.min(COMPARED))?;
        let FileContent::Bytes(bytes) = text else { return Ok(None) };
        room = room.saturating_sub(bytes.len() as u64);
        let pieces = TextPieces::of(&bytes);
        contents.insert(index, bytes);
        Ok(pieces)
    };
    let found = pairs(&old, &new, text)?;
    let indices = |pair: RenamePair| Some((old.get(pair.old)?.index, new.get(pair.new)?.index, pair));
    let found: Vec<_> = found.into_iter().filter_map(indices).collect();
    let mut spans: Vec<Option<PathSpan>> = spans.into_iter().map(Some).collect();
    for (index, bytes) in contents {
        if let Some(Some(span)) = spans.get_mut(index) {
            span.content = Some(bytes);
        }
    }
    for (from, to, pair) in found {
        let Some(span) = spans.get_mut(from).and_then(Option::take) else { continue };
        let (similarity, is_same) = (pair.score.percent(), pair.is_same);
        if let Some(Some(new)) = spans.get_mut(to) {
            new.former = Some(Box::new(FormerSpan { span, similarity, is_same }));
        }
    }
    Ok(spans.into_iter().flatten().collect())
}

/// Takes renames apart: a deleted and a created file each, in the order of the paths.
#[must_use]
pub fn apart(spans: &[PathSpan]) -> Vec<PathSpan> {
    let deleted = spans.iter().filter_map(|span| span.former.as_ref()).map(|former| former.span.clone());
    let others = spans.iter().map(|span| PathSpan { former: None, ..span.clone() });
    let mut apart: Vec<PathSpan> = deleted.chain(others).collect();
    apart.sort_by(|one, two| one.path.cmp(&two.path));
    apart
}

fn sides(spans: &[PathSpan], version: fn(&PathSpan) -> Option<&Version>) -> Vec<RenameSide<'_>> {
    let sides = spans.iter().enumerate();
    sides
        .filter_map(|(index, span)| Some(RenameSide { index, path: &span.path, version: version(span)? }))
        .collect()
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
    let side = |span: &PathSpan, side| {
        let (job, version) = if side == EntrySide::Before { &span.first } else { &span.last };
        let request = ContentRequest { job: *job, path: span.path.clone(), side, from: 0 };
        match (version, &span.content) {
            (None, _) => Ok(FileContent::Absent),
            (Some(_), Some(known)) if known.len() as u64 <= most => Ok(FileContent::Bytes(known.clone())),
            (Some(_), _) => content(caller, &request, most),
        }
    };
    let old = span.former.as_ref().map_or(span, |former| &former.span);
    let (before, after) = match &span.former {
        Some(former) if former.is_same => (FileContent::Same, FileContent::Same),
        _ => (side(old, EntrySide::Before)?, side(span, EntrySide::After)?),
    };
    let (executable_before, executable_after) = executable(workspace, span, old);
    let former = span
        .former
        .as_ref()
        .map(|former| FormerName { path: former.span.path.clone(), similarity: former.similarity });
    Ok(NetChange { path: span.path.clone(), former, before, after, executable_before, executable_after })
}

/// Returns true for a file that can be executed before, and after. A mode that no entry changed is that of the present file.
fn executable(workspace: &Workspace, span: &PathSpan, old: &PathSpan) -> (bool, bool) {
    let is_set = |mode: u32| mode & EXECUTABLE != 0;
    let present = || workspace.file(&span.path).is_some_and(|file| machine::is_executable(&file));
    let after = match span.modes {
        Some((_, new)) => is_set(new),
        None => span.last.1.is_some() && present(),
    };
    (old.modes.or(span.modes).map_or(after, |(old, _)| is_set(old)), after)
}
