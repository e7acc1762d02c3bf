//! Restores one path after a power cut: rewrites it, puts its file back, or leaves it. Bytes that nothing explains go
//! into the journal first, and no staged file is removed here.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::path::FilePath;

use super::chain::{ChainLink, RecordChain, RecoveryCase};
use super::decide::RecoveryAction;
use super::gaps;
use super::signs::same_file;
use crate::disk::put::RescuedBytes;
use crate::disk::restore::RestoredFile;
use crate::disk::stage::{StageError, StagedContent, StagedMode};
use crate::disk::{FileSnapshot, Observation, ResolvedPath};
use crate::journal::{external, roll_back};
use crate::record::{ChangeMethod, FileMeta, FileRecord, StagingFolder};
use crate::state::{WorkspaceState, lock};

/// A staged file whose bytes the journal has, and the content it was seen with.
type StagedRecord = (JobId, FileRecord, Option<ContentHash>);

/// The result for a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestoreOutcome {
    /// It was correct.
    Stands,
    /// It was written again, or put back.
    Redone,
    /// It has bytes that no entry explains.
    Diverged,
}

/// The work of recovery so far, to be cleaned up once everything is settled.
pub struct PathRestorer<'r> {
    state: &'r WorkspaceState,
    /// Jobs that are rolled back.
    pub refused: BTreeSet<JobId>,
    /// The paths at which that was decided.
    pub reasons: BTreeMap<JobId, FilePath>,
    /// Files that recovery has staged itself.
    pub fresh: Vec<StagedRecord>,
    /// Staged files of the entries that can be removed.
    pub staged_files: Vec<StagedRecord>,
    /// Staged files that are set aside for people.
    pub aside: Vec<(StagingFolder, String)>,
    /// Contents that went into the journal.
    rescued: BTreeSet<(FilePath, ContentHash)>,
}

impl<'r> PathRestorer<'r> {
    /// Returns an empty state.
    pub fn new(state: &'r WorkspaceState) -> Self {
        Self {
            state,
            refused: BTreeSet::new(),
            reasons: BTreeMap::new(),
            fresh: Vec::new(),
            staged_files: Vec::new(),
            aside: Vec::new(),
            rescued: BTreeSet::new(),
        }
    }

    /// Notes that a job is rolled back.
    pub fn refuse(&mut self, id: JobId, path: &FilePath) {
        self.refused.insert(id);
        self.reasons.insert(id, path.clone());
    }

    /// Starts another round over all paths.
    pub fn begin(&mut self) {
        self.staged_files.clear();
        self.aside.clear();
    }

    /// Restores one path.
    ///
    /// # Errors
    /// Errors of the system; recovery may be tried again.
    pub fn path(&mut self, chain: &RecordChain<'_>) -> io::Result<RestoreOutcome> {
        self.part_names(chain)?;
        let Some(case) = chain.observe(self.state, &self.refused)? else {
            self.set_staging_aside(chain);
            return Ok(RestoreOutcome::Diverged);
        };
        let outcome = self.act(chain, &case)?;
        let refused = !chain.refused(&self.refused).is_empty();
        if outcome == RestoreOutcome::Diverged || (refused && case.action == RecoveryAction::Superseded) {
            // Nothing here is understood well enough to delete it, or no other copy exists.
            self.set_staging_aside(chain);
            return Ok(outcome);
        }
        self.keep_cut_off(chain, &case)?;
        if !refused && case.action != RecoveryAction::Superseded {
            lock(&self.state.path_cache).saw(chain.path, chain.last_journaled(self.state).as_ref(), true);
        }
        if case.action == RecoveryAction::Return {
            // The contents below belong to no entry any more, and may have no other copy.
            let refused = chain.refused(&self.refused);
            let below = chain
                .staged_files()
                .filter(|link| refused.iter().all(|other| other.entry.id != link.entry.id));
            self.aside.extend(below.map(staged_of));
            return self.keep_staged(refused, chain, &case).map(|()| outcome);
        }
        self.keep_staged(&chain.links, chain, &case)?;
        Ok(outcome)
    }

    fn act(&mut self, chain: &RecordChain<'_>, case: &RecoveryCase) -> io::Result<RestoreOutcome> {
        let RecoveryCase { place, target, .. } = case;
        match &case.action {
            RecoveryAction::Done | RecoveryAction::Superseded => self.stands(chain, place, target.found()),
            RecoveryAction::Leave => Ok(RestoreOutcome::Diverged),
            RecoveryAction::RewriteInPlace(bytes, meta) => {
                let was = target.found().map_or(meta, |found| &found.meta);
                self.rewrite(chain, place, was, bytes, meta.mode)
            }
            // An exchange would separate its names.
            RecoveryAction::Rebuild(..) if case.is_linked() => Ok(RestoreOutcome::Diverged),
            RecoveryAction::Return => self.put_theirs(chain, case),
            RecoveryAction::Rebuild(bytes, meta) => {
                self.keep_unexplained(chain, case)?;
                match self.put_original(chain, case, meta)? {
                    Some(outcome) => Ok(outcome),
                    None => self.rebuild(chain, place, target.found(), bytes, meta),
                }
            }
            RecoveryAction::Remove => {
                self.keep_unexplained(chain, case)?;
                self.keep_moved(chain, case)?;
                let (staged_name, staging) =
                    (self.state.next_staged_name(), self.state.disk.staging_of(place)?);
                let record = synthetic(
                    place.path(),
                    target.found(),
                    None,
                    ChangeMethod::Delete,
                    (staging, staged_name),
                );
                let outcome = self.put_fresh(chain, record, place)?;
                for link in chain.refused(&self.refused) {
                    self.state.disk.remove_made(&link.file.made);
                }
                Ok(outcome)
            }
        }
    }

    /// Notes a correct file. It is flushed with all the others, unless an earlier start failed at that: then it is
    /// written once more.
    fn stands(
        &mut self,
        chain: &RecordChain<'_>,
        place: &ResolvedPath,
        target: Option<&FileSnapshot>,
    ) -> io::Result<RestoreOutcome> {
        let doubted = target.filter(|found| self.state.disk.doubts(found.meta.identity));
        let Some(found) = doubted else { return Ok(RestoreOutcome::Stands) };
        if found.links > 1 {
            return self.rewrite(chain, place, &found.meta, &found.bytes, found.meta.mode);
        }
        self.rebuild(chain, place, Some(found), &found.bytes, &found.meta)
    }

    /// Removes staged names of the target's own file. After a power cut one inode may have both names (seen on
    /// btrfs): exchanging those does nothing, so the staged name is removed; the file keeps its other one.
    fn part_names(&self, chain: &RecordChain<'_>) -> io::Result<()> {
        let Some(place) = chain.place(self.state)? else { return Ok(()) };
        let Observation::File(found) = self.state.disk.observe(&place)? else { return Ok(()) };
        for link in chain.staged_files() {
            let (staging, staged_name) = (&link.file.staging, &link.file.staged_name);
            if let Observation::File(other) = self.state.disk.observe_staged(staging, staged_name)?
                && other.meta.identity == found.meta.identity
            {
                self.state.disk.unstage(staging, staged_name, found.meta.identity);
            }
        }
        Ok(())
    }

    /// Puts back the very file that a refused job had displaced, with its attributes and further names; `None` if the
    /// staged name does not have it.
    fn put_original(
        &self,
        chain: &RecordChain<'_>,
        case: &RecoveryCase,
        wanted: &FileMeta,
    ) -> io::Result<Option<RestoreOutcome>> {
        let Some(link) = chain.refused(&self.refused).first() else { return Ok(None) };
        let FileRecord { staging, staged_name, .. } = link.file;
        let Observation::File(found) = self.state.disk.observe_staged(staging, staged_name)? else {
            return Ok(None);
        };
        if !found.shows(wanted) || !same_file(found.meta.identity, wanted.identity) {
            return Ok(None);
        }
        self.state.disk.flush_staged(staging, staged_name)?;
        let how = if case.target.found().is_some() { ChangeMethod::Swap } else { ChangeMethod::Create };
        let staged_name = (staging.clone(), staged_name.clone());
        let record = synthetic(chain.path, case.target.found(), Some(found.meta), how, staged_name);
        self.put(chain, &record, &case.place).map(Some)
    }

    /// Puts back the file of another program that a refused job had displaced, whatever it is.
    fn put_theirs(&self, chain: &RecordChain<'_>, case: &RecoveryCase) -> io::Result<RestoreOutcome> {
        let Some(link) = chain.refused(&self.refused).first() else { return Ok(RestoreOutcome::Diverged) };
        let FileRecord { staging, staged_name, .. } = link.file;
        let after =
            self.state.disk.observe_staged(staging, staged_name)?.found().map(|found| found.meta.clone());
        if after.is_some() {
            self.state.disk.flush_staged(staging, staged_name)?;
        }
        let how = if case.target.found().is_some() { ChangeMethod::Swap } else { ChangeMethod::Create };
        let record =
            synthetic(chain.path, case.target.found(), after, how, (staging.clone(), staged_name.clone()));
        self.put(chain, &record, &case.place)
    }

    /// Writes a content again: into a fresh staged file, flushed before the exchange, so that it cannot be torn
    /// again.
    fn rebuild(
        &mut self,
        chain: &RecordChain<'_>,
        place: &ResolvedPath,
        target: Option<&FileSnapshot>,
        bytes: &[u8],
        meta: &FileMeta,
    ) -> io::Result<RestoreOutcome> {
        let staged_name = self.state.next_staged_name();
        let disk = &self.state.disk;
        let staged = match (target, recorded(chain, meta)) {
            (None, Some(removed)) => disk
                .stage_restored(place, &removed, bytes, (meta.mode, &staged_name))
                .map(|(staged, _)| staged),
            _ => disk.stage(
                place,
                target,
                StagedContent::new(bytes),
                StagedMode::Exact(meta.mode),
                &staged_name,
            ),
        };
        let staged = match staged {
            Ok(staged) => staged,
            // Only its own user can rewrite it.
            Err(StageError::Owner | StageError::ReadOnly) => return Ok(RestoreOutcome::Diverged),
            Err(StageError::Io(error)) => return Err(error),
        };
        self.state.disk.flush_staged(&staged.staging, &staged_name)?;
        self.state.disk.flush_staging(&staged.staging)?;
        let how = if target.is_some() { ChangeMethod::Swap } else { ChangeMethod::Create };
        let record = synthetic(place.path(), target, Some(staged.meta), how, (staged.staging, staged_name));
        self.put_fresh(chain, record, place)
    }

    fn put_fresh(
        &mut self,
        chain: &RecordChain<'_>,
        record: FileRecord,
        place: &ResolvedPath,
    ) -> io::Result<RestoreOutcome> {
        let outcome = self.put(chain, &record, place)?;
        let seen = record.before.as_ref().map(|meta| meta.hash);
        self.fresh.push((JobId(0), record, seen));
        Ok(outcome)
    }

    fn put(
        &self,
        chain: &RecordChain<'_>,
        record: &FileRecord,
        place: &ResolvedPath,
    ) -> io::Result<RestoreOutcome> {
        let Some(permitted) = chain.permit(record) else { return Ok(RestoreOutcome::Diverged) };
        let mut rescue = |rescue: RescuedBytes<'_>| external::rescue(self.state, &rescue);
        Ok(match self.state.disk.put(permitted, place, &mut rescue)? {
            Ok(_) => RestoreOutcome::Redone,
            Err(foreign) => {
                roll_back::set_foreign_aside(self.state, record, foreign)?;
                RestoreOutcome::Diverged
            }
        })
    }

    fn rewrite(
        &self,
        chain: &RecordChain<'_>,
        place: &ResolvedPath,
        was: &FileMeta,
        bytes: &[u8],
        mode: u32,
    ) -> io::Result<RestoreOutcome> {
        let Some(link) = chain.links.last() else { return Ok(RestoreOutcome::Diverged) };
        self.state.disk.rewrite(link.entry.permit_repair(link.file), place, was, bytes, mode)?;
        Ok(RestoreOutcome::Redone)
    }

    /// Stores bytes in the journal that are about to be displaced and that no entry explains.
    fn keep_unexplained(&mut self, chain: &RecordChain<'_>, case: &RecoveryCase) -> io::Result<()> {
        case.target.found().map_or(Ok(()), |found| match chain.links.last() {
            Some(link) => self.keep(chain, case, (link.entry.id, link.file), found),
            None => Ok(()),
        })
    }

    /// Stores the content of a file in the journal that a rolled-back job had moved to the path, if no other file has it.
    fn keep_moved(&mut self, chain: &RecordChain<'_>, case: &RecoveryCase) -> io::Result<()> {
        let Some(found) = case.target.found() else { return Ok(()) };
        for (id, from) in gaps::only_moved(self.state, chain, &self.refused, found.meta.hash)? {
            if self.rescued.insert((from.path.clone(), found.meta.hash)) {
                external::rescue_displaced(self.state, from, id, &found.meta, &found.bytes)?;
            }
        }
        Ok(())
    }

    fn keep(
        &mut self,
        chain: &RecordChain<'_>,
        case: &RecoveryCase,
        (id, file): (JobId, &FileRecord),
        found: &FileSnapshot,
    ) -> io::Result<()> {
        if !chain.explains(found, &case.contents, &self.refused)
            && self.rescued.insert((chain.path.clone(), found.meta.hash))
        {
            external::rescue_late(self.state, file, id, found)?;
        }
        Ok(())
    }

    /// Marks staged files of the chain for removal. Bytes that neither the journal nor a torn write explains go into
    /// the journal first.
    fn keep_staged(
        &mut self,
        of: &[ChainLink<'_>],
        chain: &RecordChain<'_>,
        case: &RecoveryCase,
    ) -> io::Result<()> {
        for link in of.iter().filter(|link| !link.file.staged_name.is_empty()) {
            let (id, file) = (link.entry.id, link.file);
            match self.state.disk.observe_staged(&file.staging, &file.staged_name)? {
                Observation::Absent => {}
                Observation::File(found) => {
                    self.keep(chain, case, (id, file), &found)?;
                    self.staged_files.push((id, file.clone(), Some(found.meta.hash)));
                }
                Observation::TooLarge(_) | Observation::Unreadable(_) | Observation::Other(_) => {
                    self.aside.push((file.staging.clone(), file.staged_name.clone()));
                }
            }
        }
        Ok(())
    }

    /// Stores contents in the journal that only the staged files of the chain lead to.
    fn keep_cut_off(&self, chain: &RecordChain<'_>, case: &RecoveryCase) -> io::Result<()> {
        for one in gaps::cut_off(self.state, chain, case).map_err(io::Error::other)? {
            external::rescue_cut_off(self.state, one.file, one.id, (one.meta, &one.bytes))?;
        }
        Ok(())
    }

    fn set_staging_aside(&mut self, chain: &RecordChain<'_>) {
        self.aside.extend(chain.staged_files().map(staged_of));
    }
}

/// Returns a file of the chain with the attributes that an entry recorded when it removed it or made it again.
fn recorded(chain: &RecordChain<'_>, meta: &FileMeta) -> Option<RestoredFile> {
    chain.links.iter().rev().find_map(|link| {
        let sides = [&link.file.before, &link.file.after];
        let same = sides.into_iter().flatten().any(|side| side.hash == meta.hash);
        let attributes = link.file.attributes.clone().filter(|_| same)?;
        Some(RestoredFile { meta: meta.clone(), attributes: Some(attributes) })
    })
}

fn staged_of(link: &ChainLink<'_>) -> (StagingFolder, String) {
    (link.file.staging.clone(), link.file.staged_name.clone())
}

/// Returns the record by which recovery puts a file in place: only the file found there may be displaced.
fn synthetic(
    path: &FilePath,
    target: Option<&FileSnapshot>,
    after: Option<FileMeta>,
    how: ChangeMethod,
    staged_name: (StagingFolder, String),
) -> FileRecord {
    FileRecord::without_content(path.clone(), target.map(|found| found.meta.clone()), after, how, staged_name)
}
