//! The unsettled records of one path, with the files at its target and in the staging folders after a power cut. It
//! observes and changes nothing.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use editd_proto::ids::JobId;
use editd_proto::path::FilePath;

use super::contents::IntactContents;
use super::decide::{LaterChange, RecoveryAction, TargetState, decide, outlived};
use super::doubt::decide_doubtful;
use super::repair::{find, shown};
use super::signs::{is_another, is_own, is_theirs, is_torn, same_file};
use crate::disk::{FileSnapshot, Observation, ResolvedPath};
use crate::journal::external;
use crate::record::{FileMeta, FileRecord};
use crate::state::WorkspaceState;
use crate::store::intent::{Intended, IntendedFile};

/// One unsettled record.
#[derive(Clone, Copy)]
pub struct ChainLink<'a> {
    /// Its entry.
    pub entry: &'a Intended,
    /// The record.
    pub file: &'a FileRecord,
    /// True if its entry is sealed.
    pub sealed: bool,
    /// The knowledge about its entry's end.
    pub end: EntryEnd,
}

/// The knowledge about the end of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryEnd {
    /// The log has its end, or it has not ended.
    Known,
    /// The end may be lost, and a seal or a file shows that the entry was applied.
    Applied,
    /// The end may be lost, and nothing shows that the entry was applied.
    Unknown,
}

/// A path and its unsettled records, oldest first.
pub struct RecordChain<'a> {
    /// The path.
    pub path: &'a FilePath,
    /// Its records.
    pub links: Vec<ChainLink<'a>>,
    /// The change of the path after them.
    pub behind: LaterChange,
    /// True if nothing was created or removed at the path since the first record.
    pub is_untouched: bool,
}

/// Returns the first bytes of a found file, as many as it had before the job; `None` if it is shorter now. Another
/// program may have appended to it.
fn before_of(before: &FileMeta, found: &[u8]) -> Option<Arc<[u8]>> {
    found.get(..usize::try_from(before.size).ok()?).map(Arc::from)
}

/// The file that a job displaced, as its staged file shows after a power cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DisplacedFile {
    /// No file of another program: the checked file, the job's own staged one, or none.
    Nothing,
    /// Another file, or something that is not a regular file, put at the path by another program: such a job was never
    /// answered.
    Others,
    /// The checked file, changed by another program: before the job's swap, or afterwards.
    Changed,
}

/// The observations of a path and the decision of recovery about it.
pub struct RecoveryCase {
    /// The resolved path.
    pub place: ResolvedPath,
    /// The file at the path.
    pub target: Observation,
    /// The number of the file's names that are staged names of the chain.
    pub staged_files: u64,
    /// The contents of it that are intact somewhere or can be rebuilt.
    pub contents: IntactContents,
    /// The action to take.
    pub action: RecoveryAction,
}

impl RecoveryCase {
    /// Returns true if a fresh file would have to replace a file to which another program gave a second name.
    pub fn is_linked(&self) -> bool {
        let linked = self.target.found().is_some_and(|found| found.links > 1 + self.staged_files);
        linked && matches!(self.action, RecoveryAction::Rebuild(..))
    }
}

impl<'a> RecordChain<'a> {
    /// Permits a change by which recovery restores the path.
    pub fn permit<'r>(&self, record: &'r FileRecord) -> Option<IntendedFile<'r>>
    where
        'a: 'r,
    {
        Some(self.links.last()?.entry.permit_repair(record))
    }

    /// Returns the records.
    pub fn records(&self) -> Vec<&'a FileRecord> {
        self.links.iter().map(|link| link.file).collect()
    }

    /// Returns the links that have a staged file.
    pub fn staged_files(&self) -> impl Iterator<Item = &ChainLink<'a>> {
        self.links.iter().filter(|link| !link.file.staged_name.is_empty())
    }

    /// Returns the newest journaled state of the path: other programs may have changed the file, or its mode, since the last
    /// of its records.
    pub fn last_journaled(&self, state: &WorkspaceState) -> Option<FileMeta> {
        match self.behind {
            LaterChange::Nothing => self.links.last()?.file.after.clone(),
            LaterChange::Content(_) | LaterChange::Settled => external::journaled_meta(state, self.path),
        }
    }

    /// Returns the newest record that is not rolled back.
    pub fn newest(&self, refused: &BTreeSet<JobId>) -> Option<&ChainLink<'a>> {
        self.links.iter().rev().find(|link| !refused.contains(&link.entry.id))
    }

    /// Returns the records that are rolled back: always the last ones, since no job starts on a path while the last
    /// one has not ended.
    pub fn refused(&self, refused: &BTreeSet<JobId>) -> &[ChainLink<'a>] {
        let standing = self.links.iter().rposition(|link| !refused.contains(&link.entry.id));
        self.links.get(standing.map_or(0, |at| at + 1)..).unwrap_or_default()
    }

    /// Returns the newest record if its job may be unfinished: only that one can be rolled back.
    pub fn unsealed(&self, refused: &BTreeSet<JobId>) -> Option<&ChainLink<'a>> {
        let undecided = |link: &&ChainLink<'_>| !link.sealed && link.end == EntryEnd::Known;
        self.links.last().filter(undecided).filter(|link| !refused.contains(&link.entry.id))
    }

    /// Returns the records that may stand if the end of the newest of them may be lost; otherwise `None`.
    pub fn doubtful(&self) -> Option<Vec<&'a FileRecord>> {
        let may_stand = || self.links.iter().filter(|link| link.end != EntryEnd::Unknown);
        let is_known = may_stand().next_back().is_some_and(|link| link.end == EntryEnd::Known);
        (!is_known).then(|| may_stand().map(|link| link.file).collect())
    }

    /// Observes the path and decides; `None` if it leads elsewhere.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn observe(
        &self,
        state: &WorkspaceState,
        refused: &BTreeSet<JobId>,
    ) -> io::Result<Option<RecoveryCase>> {
        let Some(place) = self.place(state)? else { return Ok(None) };
        let target = state.disk.observe(&place)?;
        let mut contents = IntactContents::default();
        let mut staged_files = 0;
        if let Observation::File(found) = &target {
            contents.add(found.bytes.clone());
        }
        for link in self.staged_files() {
            if let Observation::File(found) =
                state.disk.observe_staged(&link.file.staging, &link.file.staged_name)?
            {
                staged_files += u64::from(target.identity() == Some(found.meta.identity));
                // Bytes that another program appended to a displaced file follow the checked content.
                contents.extend(link.file.before.as_ref().and_then(|before| before_of(before, &found.bytes)));
                contents.add(found.bytes.clone());
            }
        }
        let records = self.records();
        contents.reach(&records);
        // The store may have kept them for diffs.
        let states = records.iter().flat_map(|file| [&file.before, &file.after]).flatten();
        let missing: Vec<&FileMeta> = states.filter(|meta| contents.get(meta.hash).is_none()).collect();
        if !missing.is_empty() {
            contents.extend(missing.iter().filter_map(|meta| state.store.content(meta.hash)).map(Arc::from));
            contents.reach(&records);
        }
        let first = self.refused(refused).first();
        let theirs = match first {
            Some(link) => self.displaced(state, link, &contents)? != DisplacedFile::Nothing,
            None => false,
        };
        let seen = match &target {
            Observation::Absent => TargetState::Absent,
            Observation::File(found) => shown(found),
            Observation::TooLarge(_) | Observation::Unreadable(_) | Observation::Other(_) => {
                TargetState::Strange
            }
        };
        let action = match self.doubtful().filter(|_| first.is_none()) {
            Some(records) => decide_doubtful(&records, self.is_untouched, self.behind, &seen, &contents),
            None => decide(&records, self.refused(refused).len(), theirs, self.behind, &seen, &contents),
        };
        Ok(Some(RecoveryCase { place, target, staged_files, contents, action }))
    }

    /// Returns true if an unsealed job must be rolled back for the file that it displaced: a different one, so that the
    /// job was not answered; or the checked one, changed by another program, if the job's own file at the path is torn
    /// and cannot be rebuilt, so that the job cannot be done again.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn has_displaced(
        &self,
        state: &WorkspaceState,
        link: &ChainLink<'_>,
        case: &RecoveryCase,
    ) -> io::Result<bool> {
        let torn = match &case.target {
            Observation::File(found) if case.action == RecoveryAction::Leave => {
                is_own(link.file, &found.meta, &found.bytes, &case.contents)
            }
            _ => false,
        };
        Ok(match self.displaced(state, link, &case.contents)? {
            DisplacedFile::Nothing => false,
            DisplacedFile::Others => true,
            DisplacedFile::Changed => torn,
        })
    }

    /// Returns the origin of the file that a record's staged name has now.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn displaced(
        &self,
        state: &WorkspaceState,
        link: &ChainLink<'_>,
        contents: &IntactContents,
    ) -> io::Result<DisplacedFile> {
        let file = link.file;
        let staged_name = state.disk.observe_staged(&file.staging, &file.staged_name)?;
        let another = staged_name.identity().is_none_or(|staged_name| is_another(file, staged_name));
        Ok(match staged_name {
            Observation::Absent => DisplacedFile::Nothing,
            Observation::Other(_) | Observation::TooLarge(_) | Observation::Unreadable(_) if another => {
                DisplacedFile::Others
            }
            Observation::Other(_) | Observation::TooLarge(_) | Observation::Unreadable(_) => {
                DisplacedFile::Nothing
            }
            Observation::File(found) if is_theirs(file, &found.meta, &found.bytes, contents) => {
                if another {
                    DisplacedFile::Others
                } else {
                    DisplacedFile::Changed
                }
            }
            // The journal may by now have the file that another program put there just before the job.
            Observation::File(found) if self.behind == LaterChange::Content(Some(found.meta.hash)) => {
                let is_expected = file.before.as_ref().is_some_and(|before| before.hash == found.meta.hash);
                if is_expected { DisplacedFile::Nothing } else { DisplacedFile::Changed }
            }
            Observation::File(_) => DisplacedFile::Nothing,
        })
    }

    /// Resolves the path; `None` if it leads elsewhere.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn place(&self, state: &WorkspaceState) -> io::Result<Option<ResolvedPath>> {
        self.links.last().map_or(Ok(None), |link| find(state, link.file))
    }

    /// Returns true if bytes are in the journal once recovery is done, or if a power cut could have made them from
    /// such bytes.
    pub fn explains(
        &self,
        found: &FileSnapshot,
        contents: &IntactContents,
        refused: &BTreeSet<JobId>,
    ) -> bool {
        let of_the_chain = self.links.iter().any(|link| {
            let ChainLink { entry, file, .. } = link;
            // No entry has the changes of a refused job: only its own staged file is known.
            let after = file.after.as_ref().map(|after| (after, !refused.contains(&entry.id)));
            file.before.iter().map(|before| (before, true)).chain(after).any(|(state, anywhere)| {
                let same = same_file(state.identity, found.meta.identity);
                let torn = || contents.get(state.hash).is_some_and(|whole| is_torn(&found.bytes, whole));
                (state.hash == found.meta.hash && (anywhere || same)) || (same && torn())
            })
        });
        of_the_chain || outlived(&self.records(), &found.meta)
    }
}
