//! Looks for changes by other programs that no event has reported yet: they become entries. It changes no file.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use editd_engine::Refusal;
use editd_proto::ids::JobId;
use editd_proto::path::FilePath;

use super::Workspace;
use crate::caller::Caller;
use crate::limits::{ENTRY_HOLDS, PATHS_RECALLED, READER_HOLDS, UNCLEAR_FILES};
use crate::os::Stat;
use crate::record::{ChangeMethod, FileMeta, FileRecord};
use crate::state::path_cache::ObservationVersion;
use crate::state::refusal::store_refusal;
use crate::state::{BudgetClass, lock, readable};
use crate::store::PathDigest;

impl Workspace {
    /// Observes the files whose changes are journaled, if their metadata say that they were changed since they were last
    /// observed: changes by other programs that no event has reported yet become entries.
    ///
    /// # Errors
    /// `busy` if there is no memory for a file.
    pub(super) fn look_at_tracked(&self, author: &Caller) -> Result<(), Refusal> {
        self.look_at_all(author, &self.tracked_below(&FilePath::default()), &mut Vec::new())
    }

    /// The same for every file that the journal names, also if it was changed while no daemon ran. The first call after
    /// a start reads the last known states of the files from the journal; later ones find them in the path cache, unless
    /// the journal has more paths than the cache holds. Returns the files that differ from their last known state and that
    /// could not be read or are too large, at most [`UNCLEAR_FILES`].
    ///
    /// # Errors
    /// `busy` if there is no memory for a file or an entry, `io` if the journal cannot be read.
    pub(super) fn look_at_journaled(&self, author: &Caller) -> Result<Vec<FilePath>, Refusal> {
        let mut unclear = Vec::new();
        self.look_at_all(author, &self.tracked_below(&FilePath::default()), &mut unclear)?;
        let cleared = {
            let known = lock(&self.state.path_cache);
            if known.has_journal() {
                return Ok(unclear);
            }
            known.cleared()
        };
        let mut below = None;
        loop {
            let page = self.state.store.journaled_paths(below, PATHS_RECALLED);
            let page = page.map_err(|error| store_refusal(&error))?;
            let Some((last, _)) = page.last() else { break };
            below = Some(*last);
            let recalled = self.recall(author, page)?;
            self.look_at_all(author, &recalled, &mut unclear)?;
        }
        lock(&self.state.path_cache).recalled_journal(cleared);
        Ok(unclear)
    }

    /// Adds the last journaled states of these paths to the path cache, as far as it has none of them. Returns their paths.
    fn recall(&self, author: &Caller, page: Vec<(PathDigest, JobId)>) -> Result<Vec<FilePath>, Refusal> {
        let mut entries: BTreeMap<JobId, BTreeSet<PathDigest>> = BTreeMap::new();
        for (digest, id) in page {
            entries.entry(id).or_default().insert(digest);
        }
        let mut recalled = Vec::new();
        for (id, mut meant) in entries {
            let size = self.state.store.entry_size(id).map_err(|error| store_refusal(&error))?;
            let holds = size.unwrap_or(0).saturating_mul(ENTRY_HOLDS);
            let _reservation = self.state.memory.acquire(&author.owner, holds, BudgetClass::Reader)?;
            // Retention may have removed it a moment ago.
            let Some(entry) = self.state.store.entry(id).map_err(|error| store_refusal(&error))? else {
                continue;
            };
            let files = entry.files.iter().rev().filter(|file| file.how != ChangeMethod::Rescued);
            for file in files.filter(|file| meant.remove(&PathDigest::of(&file.path))) {
                if self.recall_file(id, file) {
                    recalled.push(file.path.clone());
                }
            }
        }
        Ok(recalled)
    }

    /// Adds the file that an entry left to the path cache, unless the cache knows the path or a newer entry changed it.
    fn recall_file(&self, id: JobId, file: &FileRecord) -> bool {
        let mut known = lock(&self.state.path_cache);
        if known.tracked(&file.path) || known.version(&file.path) == ObservationVersion::Busy {
            return false;
        }
        let is_newest = matches!(self.state.store.last_of(&file.path), Ok(Some((newest, _))) if newest == id);
        if is_newest {
            known.saw(&file.path, file.after.as_ref(), true);
        }
        is_newest
    }

    /// Observes those of some files whose metadata differ from the last known ones, and lists those that still do.
    fn look_at_all(
        &self,
        author: &Caller,
        paths: &[FilePath],
        unclear: &mut Vec<FilePath>,
    ) -> Result<(), Refusal> {
        for path in paths {
            if self.is_as_known(path) {
                continue;
            }
            self.look(author, path)?;
            if unclear.len() < UNCLEAR_FILES && !self.is_as_known(path) {
                unclear.push(path.clone());
            }
        }
        Ok(())
    }

    /// Returns true if the file at a path has the metadata that it had when it was last observed.
    fn is_as_known(&self, path: &FilePath) -> bool {
        let Ok(now) = self.stat_of(path) else { return false };
        is_as_known(now.as_ref(), lock(&self.state.path_cache).meta(path))
    }

    /// Returns the metadata of the file at a path of the journal. A path that leads elsewhere, or to a folder, has none.
    fn stat_of(&self, path: &FilePath) -> io::Result<Option<Stat>> {
        let place = self.state.disk.find(path)?.filter(|place| place.path() == path);
        Ok(place.and_then(|place| place.stat().copied()))
    }

    /// Observes a file; a change becomes an entry.
    pub(super) fn look(&self, author: &Caller, path: &FilePath) -> Result<(), Refusal> {
        let Ok(stat) = self.stat_of(path) else { return Ok(()) };
        let size = stat.map_or(0, |stat| readable(stat.size));
        let holds = size.saturating_mul(READER_HOLDS);
        let _reservation = self.state.memory.acquire(&author.owner, holds, BudgetClass::Reader)?;
        self.noticed(path);
        Ok(())
    }
}

/// Returns true if a file has the metadata that it had when it was last observed.
fn is_as_known(now: Option<&Stat>, known: Option<&FileMeta>) -> bool {
    match (now, known) {
        (None, None) => true,
        (Some(now), Some(known)) => {
            (now.identity, now.size, now.modified, now.mode)
                == (known.identity, known.size, known.modified, known.mode)
        }
        _ => false,
    }
}
