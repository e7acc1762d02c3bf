//! The entries that changed a path, from the newest to the oldest, fetched page by page as they are needed.

use std::collections::BTreeMap;

use editctl::CallError;
use editctl::journal::entries::{complete, is_rescue};
use editctl::retry::Caller;
use editd_proto::FilePath;
use editd_proto::ids::{JobId, Version};
use editd_proto::limits;
use editd_proto::message::{EntryKind, EntrySummary, HistoryRequest};

/// Maximum number of entries that are fetched for all paths.
const ENTRIES: usize = 20_000;

/// An entry that changed a path.
#[derive(Clone, Debug)]
pub(crate) struct PastEntry {
    pub(crate) id: JobId,
    pub(crate) kind: EntryKind,
    pub(crate) time: u64,
    pub(crate) session: String,
    pub(crate) label: Option<String>,
    /// The entries that it undid or redid.
    pub(crate) of: Vec<JobId>,
    pub(crate) before: Option<Version>,
    pub(crate) after: Option<Version>,
    /// The number of files that it changed.
    pub(crate) files: u64,
    /// The other files that it removed, and those whose content it moved to the path: one of them may be the path's former name.
    pub(crate) sources: Vec<(FilePath, Option<Version>)>,
}

/// The end of the entries of a path.
#[derive(Clone, Debug)]
pub(crate) enum PastStep {
    /// The newest entry below a number.
    Entry(Box<PastEntry>),
    /// The journal has no older entry.
    Start,
    /// There are too many entries.
    TooMany,
}

/// The fetched entries of one path.
#[derive(Default)]
struct FetchedEntries {
    /// From the newest to the oldest.
    entries: Vec<PastEntry>,
    /// The number from which on all were seen.
    seen_from: Option<JobId>,
    ended: bool,
    /// Set if the daemon cannot list the entries of the path, since its folder is gone.
    unlisted: bool,
}

/// The entries of paths.
pub(crate) struct PathHistory<'a, E> {
    caller: Caller<'a, E>,
    paths: BTreeMap<FilePath, FetchedEntries>,
    fetched: usize,
}

impl<'a, E: From<CallError>> PathHistory<'a, E> {
    /// Creates a history without entries.
    pub(crate) fn new(caller: Caller<'a, E>) -> Self {
        Self { caller, paths: BTreeMap::new(), fetched: 0 }
    }

    /// Returns the sender of requests.
    pub(crate) fn caller(&self) -> &Caller<'a, E> {
        &self.caller
    }

    /// Returns the newest entry of a path with a lower number.
    ///
    /// # Errors
    /// The daemon cannot be reached, or refuses the path.
    pub(crate) fn below(&mut self, path: &FilePath, bound: JobId) -> Result<PastStep, E> {
        loop {
            let known = self.paths.entry(path.clone()).or_default();
            if let Some(found) = known.entries.iter().find(|entry| entry.id < bound) {
                return Ok(PastStep::Entry(Box::new(found.clone())));
            }
            if known.ended {
                return Ok(PastStep::Start);
            }
            if self.fetched >= ENTRIES {
                return Ok(PastStep::TooMany);
            }
            self.fetch(path)?;
        }
    }

    /// Returns an entry, if it changed the path.
    ///
    /// # Errors
    /// The daemon cannot be reached, or refuses the path.
    pub(crate) fn entry(&mut self, path: &FilePath, id: JobId) -> Result<Option<PastEntry>, E> {
        Ok(match self.below(path, JobId(id.0.saturating_add(1)))? {
            PastStep::Entry(entry) if entry.id == id => Some(*entry),
            _ => None,
        })
    }

    fn fetch(&mut self, path: &FilePath) -> Result<(), E> {
        let known = self.paths.entry(path.clone()).or_default();
        let request = HistoryRequest {
            path: Some(path.clone()).filter(|_| !known.unlisted),
            before: known.seen_from,
            limit: Some(limits::HISTORY as u64),
            ..HistoryRequest::default()
        };
        let is_first = self.fetched == 0;
        let page = self.caller.ask(true, |it| match it.history(&request) {
            // A folder on the way to a former name may be gone.
            Err(CallError::Refused(_)) if !is_first && request.path.is_some() => Ok(None),
            other => other.map(Some),
        })?;
        let Some(page) = page else {
            known.unlisted = true;
            return Ok(());
        };
        self.fetched += page.entries.len().max(1);
        known.seen_from = page.entries.last().map(|entry| entry.id);
        known.ended = !page.more || page.entries.is_empty();
        for mut entry in page.entries {
            if is_rescue(&entry) {
                continue;
            }
            let created = entry.files.iter().any(|file| file.path == *path && file.before.is_none());
            if entry.omitted_files > 0 && (created || entry.files.iter().all(|file| file.path != *path)) {
                complete(&self.caller, &mut entry)?;
            }
            known.entries.extend(PastEntry::of(entry, path));
        }
        Ok(())
    }
}

impl PastEntry {
    fn of(entry: EntrySummary, path: &FilePath) -> Option<Self> {
        let file = entry.files.iter().find(|file| file.path == *path)?;
        let (before, after) = (file.before.clone(), file.after.clone());
        let sources = entry.files.iter().filter(|file| {
            file.path != *path && file.before.is_some() && (file.after.is_none() || file.before == after)
        });
        let sources = sources.map(|file| (file.path.clone(), file.before.clone())).collect();
        let files = (entry.files.len() as u64).saturating_add(entry.omitted_files);
        let EntrySummary { id, kind, time, session, label, of, .. } = entry;
        Some(Self { id, kind, time, session, label, of, before, after, files, sources })
    }
}
