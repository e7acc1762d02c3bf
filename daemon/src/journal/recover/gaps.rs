//! Finds contents that neither the journal nor another file would have once recovery has removed a file: the content of
//! an older entry, if another program changed the path between two jobs and the content before its change could not be
//! read then; and the content that a rolled-back job moved, if another program changed the path that it came from. It
//! changes nothing.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::path::FilePath;

use super::chain::{RecordChain, RecoveryCase};
use super::contents::IntactContents;
use super::decide::RecoveryAction;
use super::repair::find;
use crate::disk::Observation;
use crate::record::{FileMeta, FileRecord};
use crate::state::WorkspaceState;
use crate::store::{EntryQuery, StoreError};

/// The most entries of a path that are read to rebuild its contents.
const ENTRIES: usize = 256;

/// A content that only staged files lead to.
pub(super) struct CutOffContent<'a> {
    /// The newest entry that made it.
    pub(super) id: JobId,
    /// The record of the entry.
    pub(super) file: &'a FileRecord,
    /// The metadata of the file that had it.
    pub(super) meta: &'a FileMeta,
    pub(super) bytes: Arc<[u8]>,
}

/// Returns the contents after the entries of a chain that the journal and the file at the path do not lead to. With one of
/// them in the journal, the older ones can be rebuilt as far as the journal has the changes between them.
///
/// # Errors
/// Errors of the store.
pub(super) fn cut_off<'a>(
    state: &WorkspaceState,
    chain: &RecordChain<'a>,
    case: &RecoveryCase,
) -> Result<Vec<CutOffContent<'a>>, StoreError> {
    let Some(first) = chain.links.first() else { return Ok(Vec::new()) };
    let mut known = IntactContents::default();
    known.extend(case.target.found().map(|found| found.bytes.clone()));
    let newest = chain.links.last().and_then(|link| link.file.after.as_ref());
    if !matches!(case.action, RecoveryAction::Superseded | RecoveryAction::Return) {
        known.extend(newest.and_then(|after| case.contents.get(after.hash)).cloned());
    }
    known.reach(&chain.records());
    let mut made = chain.links.iter().filter_map(|link| link.file.after.as_ref());
    if made.all(|after| known.get(after.hash).is_some()) {
        return Ok(Vec::new());
    }
    let records = records_since(state, chain.path, first.entry.id)?;
    let records: Vec<&FileRecord> = records.iter().collect();
    known.reach(&records);
    let mut cut_off = Vec::new();
    for link in chain.links.iter().rev() {
        let Some(meta) = &link.file.after else { continue };
        let Some(bytes) = case.contents.get(meta.hash).filter(|_| known.get(meta.hash).is_none()) else {
            continue;
        };
        cut_off.push(CutOffContent { id: link.entry.id, file: link.file, meta, bytes: bytes.clone() });
        known.add(bytes.clone());
        known.reach(&records);
    }
    Ok(cut_off)
}

/// Returns the records of rolled-back jobs that had `content` at a path other than that of the chain, if it is now neither
/// there nor under the staged name. The record of a move has no bytes: the file at the path of the chain may be the
/// only copy.
///
/// # Errors
/// Errors of the system.
pub(super) fn only_moved<'a>(
    state: &WorkspaceState,
    chain: &RecordChain<'a>,
    refused: &BTreeSet<JobId>,
    content: ContentHash,
) -> io::Result<Vec<(JobId, &'a FileRecord)>> {
    let has = |seen: &Observation| seen.found().is_some_and(|found| found.meta.hash == content);
    let mut moved = Vec::new();
    for link in chain.refused(refused) {
        let had = |file: &&FileRecord| file.before.as_ref().is_some_and(|before| before.hash == content);
        for from in link.entry.files.iter().filter(|file| file.path != *chain.path).filter(had) {
            let target = find(state, from)?.map(|place| state.disk.observe(&place)).transpose()?;
            let staged = state.disk.observe_staged(&from.staging, &from.staged_name)?;
            if !target.as_ref().is_some_and(has) && !has(&staged) {
                moved.push((link.entry.id, from));
            }
        }
    }
    Ok(moved)
}

/// Returns the records of a path in an entry and the later ones, oldest first.
fn records_since(
    state: &WorkspaceState,
    path: &FilePath,
    first: JobId,
) -> Result<Vec<FileRecord>, StoreError> {
    let query = EntryQuery { path: Some(path.clone()), limit: ENTRIES, ..EntryQuery::default() };
    let mut records = Vec::new();
    for summary in state.store.history(&query)?.iter().take_while(|summary| summary.id >= first) {
        let entry = state.store.entry(summary.id)?;
        records.extend(entry.into_iter().flat_map(|entry| entry.files).filter(|file| file.path == *path));
    }
    records.reverse();
    Ok(records)
}
