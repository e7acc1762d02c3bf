//! The step `stage`: writes the new bytes to staged files and makes the records of the intended changes. It touches no
//! target.

use std::collections::BTreeSet;
use std::io;

use editd_engine::{FileState, Refusal, Splice};
use editd_proto::path::FilePath;

use super::attributes::JobAttributes;
use super::check_limits::CheckedTransaction;
use super::{FileChange, Transaction};
use crate::disk::folders::parent_path;
use crate::disk::restore::RestoredFile;
use crate::disk::stage::{StageError, StagedContent, StagedFile, StagedMode};
use crate::disk::{FileSnapshot, ResolvedPath};
use crate::record::{ChangeMethod, FileMeta, FileRecord, SpliceExtent, StagingFolder};
use crate::state::refusal::disk_refusal;
use crate::state::{WorkspaceState, lock};
use crate::transaction::abort::stage_refusal;

/// A transaction whose new bytes are staged.
pub(super) struct StagedTransaction {
    pub(super) transaction: Transaction,
    /// One for each change, in the same order.
    pub(super) records: Vec<FileRecord>,
}

impl StagedTransaction {
    /// Removes the staged files of a job that ends here.
    pub(super) fn unstage(&self, state: &WorkspaceState) {
        unstage(state, &self.records);
    }
}

/// Stages every change of a transaction.
pub(super) fn stage(
    state: &WorkspaceState,
    checked: CheckedTransaction,
) -> Result<StagedTransaction, Refusal> {
    let mut transaction = checked.into_inner();
    // Files that are rewritten in place come last: the displaced files of the others may be further names of them.
    transaction.changes.sort_by_key(|change| match (&change.before, &change.after) {
        (Some(found), FileState::File { .. }) => found.links > 1,
        _ => false,
    });
    let mut records = Vec::with_capacity(transaction.changes.len());
    let mut bases = Bases { state, folders: BTreeSet::new() };
    let mut attributes =
        JobAttributes::read(state, &transaction).map_err(|(path, error)| disk_refusal(&path, &error))?;
    for change in &transaction.changes {
        match stage_one(state, change, &mut bases, &mut attributes) {
            Ok(record) => records.push(record),
            Err(refusal) => {
                unstage(state, &records);
                return Err(refusal);
            }
        }
    }
    attributes.warn(&mut transaction);
    Ok(StagedTransaction { transaction, records })
}

fn unstage(state: &WorkspaceState, records: &[FileRecord]) {
    for record in
        records.iter().filter(|record| matches!(record.how, ChangeMethod::Swap | ChangeMethod::Create))
    {
        if let Some(staged) = &record.after {
            state.disk.unstage(&record.staging, &record.staged_name, staged.identity);
        }
    }
}

fn stage_one(
    state: &WorkspaceState,
    change: &FileChange,
    bases: &mut Bases<'_>,
    attributes: &mut JobAttributes,
) -> Result<FileRecord, Refusal> {
    let path = change.place.path();
    let staged_name = state.next_staged_name();
    let record = FileRecord {
        path: path.clone(),
        before: change.before.as_ref().map(|found| found.meta.clone()),
        after: None,
        splices: Vec::new(),
        how: ChangeMethod::Delete,
        staged_name: staged_name.clone(),
        staging: StagingFolder::Root,
        made: Vec::new(),
        added: change.added,
        removed: change.removed,
        extents: Vec::new(),
        attributes: None,
    };
    let young = match &change.before {
        Some(found) => bases.is_young(&change.place, found).map_err(|error| disk_refusal(path, &error))?,
        None => false,
    };
    let FileState::File { bytes, .. } = &change.after else {
        let staging = state.disk.staging_of(&change.place).map_err(|error| disk_refusal(path, &error))?;
        let attributes = attributes.of_removed(path);
        return Ok(FileRecord { splices: change.splices.clone(), staging, attributes, ..record });
    };
    let Some(found) = &change.before else {
        let (staged, restored) = stage_new(state, change, bytes, attributes, &staged_name)
            .map_err(|error| stage_refusal(path, &error))?;
        let (made, attributes) =
            (change.place.missing_folders().collect(), restored.and_then(|file| file.attributes));
        let record = FileRecord { made, attributes, ..record };
        return Ok(with(record, ChangeMethod::Create, staged, change.splices.clone()));
    };
    // Without a name, it was replaced or removed since it was opened: the check after the swap finds that.
    if found.links <= 1 {
        let content = StagedContent { bytes, hash: change.hash };
        match state.disk.stage(&change.place, Some(found), content, change.mode, &staged_name) {
            Ok(staged) => {
                let whole = if young { carried(state, found, bytes) } else { None };
                let extents = whole.as_ref().map(|_| extents(&change.splices)).unwrap_or_default();
                let splices = whole.unwrap_or_else(|| change.splices.clone());
                return Ok(FileRecord { extents, ..with(record, ChangeMethod::Swap, staged, splices) });
            }
            // Only a rewrite in place keeps the owner, since a new file cannot get it.
            Err(StageError::Owner) => {}
            Err(error) => return Err(stage_refusal(path, &error)),
        }
    }
    // The record has only the bytes from the first changed one on, if those before it are on the disk.
    let whole = young && !flushed(state, found);
    Ok(in_place(record, change, found, bytes, whole))
}

/// Stages a file where none is. Returns the removed file that it is: one that an undo makes again, or that the same job
/// moves here.
fn stage_new(
    state: &WorkspaceState,
    change: &FileChange,
    bytes: &[u8],
    attributes: &mut JobAttributes,
    staged_name: &str,
) -> Result<(StagedFile, Option<RestoredFile>), StageError> {
    let to = change.place.path();
    let moved = || change.from.as_ref().and_then(|from| attributes.moved(from, to, bytes, change.mode));
    let restored = change.restores.clone().or_else(moved);
    let (Some(file), StagedMode::Exact(bits)) = (&restored, change.mode) else {
        let content = StagedContent { bytes, hash: change.hash };
        let staged = state.disk.stage(&change.place, None, content, change.mode, staged_name)?;
        return Ok((staged, None));
    };
    let (staged, lost) = state.disk.stage_restored(&change.place, file, bytes, (bits, staged_name))?;
    attributes.lost(change.place.path(), file, &lost);
    Ok((staged, restored))
}

fn with(record: FileRecord, how: ChangeMethod, staged: StagedFile, splices: Vec<Splice>) -> FileRecord {
    let StagedFile { staging, staged_name, meta } = staged;
    FileRecord { how, after: Some(meta), staging, staged_name, splices, ..record }
}

/// Returns the record of a rewrite in place. It has all bytes, old and new, from the first changed one to the end (with
/// `whole`, from the beginning), since a power cut may leave a mixture of them.
fn in_place(
    record: FileRecord,
    change: &FileChange,
    found: &FileSnapshot,
    bytes: &[u8],
    whole: bool,
) -> FileRecord {
    let equal = found.bytes.iter().zip(bytes).take_while(|(old, new)| old == new).count();
    let shared = if whole { 0 } else { equal };
    let tail = |of: &[u8]| of.get(shared..).unwrap_or_default().to_vec();
    let splice = Splice { at: shared as u64, old: tail(&found.bytes), new: tail(bytes) };
    let mode = match change.mode {
        StagedMode::Exact(mode) => mode,
        StagedMode::Masked => found.meta.mode,
    };
    let after = FileMeta {
        hash: crate::disk::observation::hash(bytes),
        size: bytes.len() as u64,
        mode,
        ..found.meta.clone()
    };
    let splices = if *bytes == *found.bytes { Vec::new() } else { vec![splice] };
    let (staged_name, extents) = (String::new(), extents(&change.splices));
    FileRecord { how: ChangeMethod::InPlace, after: Some(after), splices, staged_name, extents, ..record }
}

/// Returns the extents of changed ranges.
fn extents(splices: &[Splice]) -> Vec<SpliceExtent> {
    splices.iter().map(|splice| (splice.at, splice.old.len() as u64, splice.new.len() as u64)).collect()
}

/// Returns the splice for the intent of a job on a young file. The bytes of such a file may not be on the disk yet, and
/// after a power cut finer splices would have no base. So the intent has the whole file; a large file is flushed
/// instead, and is in the intent only if the flush fails.
fn carried(state: &WorkspaceState, found: &FileSnapshot, after: &[u8]) -> Option<Vec<Splice>> {
    if found.meta.size > crate::limits::YOUNG_BYTES && flushed(state, found) {
        return None;
    }
    Some(vec![Splice { at: 0, old: found.bytes.to_vec(), new: after.to_vec() }])
}

/// Flushes a file that a job found. Returns false if that fails now or failed earlier: then the intent must have its
/// bytes.
fn flushed(state: &WorkspaceState, found: &FileSnapshot) -> bool {
    state.disk.sync(&found.file).is_ok() && !state.disk.doubts(found.meta.identity)
}

/// The files that a job finds.
struct Bases<'r> {
    state: &'r WorkspaceState,
    /// Folders that were flushed for it.
    folders: BTreeSet<FilePath>,
}

impl Bases<'_> {
    /// Returns true if the bytes of a file may not be on the disk yet. Then its name may not be either, however old the
    /// file is: a move makes a new name, and only the time of the last change shows that. So its folder is flushed,
    /// once.
    fn is_young(&mut self, place: &ResolvedPath, found: &FileSnapshot) -> io::Result<bool> {
        let untouched = || lock(&self.state.path_cache).untouched(place.path(), &found.meta, found.changed);
        let settled = self.is_old(found.changed) || untouched();
        if settled && !self.state.disk.doubts(found.meta.identity) {
            return Ok(false);
        }
        if self.folders.insert(parent_path(place)) {
            place.parent().sync().map_err(|error| {
                io::Error::new(error.kind(), format!("its folder could not be flushed: {error}"))
            })?;
        }
        Ok(true)
    }

    /// Returns true if a time (nanoseconds since 1970) is so long ago that changes of that time have reached the disk.
    /// A time in the future is not.
    fn is_old(&self, then: i64) -> bool {
        let age = i128::from(self.state.clock.wall_ms()) * 1_000_000 - i128::from(then);
        then > 0 && age >= i128::from(crate::limits::YOUNG_S) * 1_000_000_000
    }
}
