//! The entries of a session or since a point in time, with all of their files, from the oldest to the newest.

use std::collections::BTreeSet;

use editd_proto::FilePath;
use editd_proto::ids::JobId;
use editd_proto::limits;
use editd_proto::message::{EntryKind, EntrySummary, HistoryRequest};

use crate::CallError;
use crate::retry::Caller;

/// Maximum number of entries that are listed, and of pages that are searched for undos by others.
const ENTRIES: usize = 10_000;

/// Maximum number of files of all listed entries.
const FILES: usize = 200_000;

/// The first entry that is listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstEntry {
    /// This entry, or the next one.
    Numbered(JobId),
    /// The first one from this time on, in milliseconds since 1970 UTC.
    At(u64),
}

impl FirstEntry {
    /// Returns the fields `since` and `after` of a request.
    pub fn fields(first: Option<Self>) -> (Option<u64>, Option<JobId>) {
        match first {
            Some(Self::Numbered(first)) => (None, Some(JobId(first.0.saturating_sub(1)))),
            Some(Self::At(time)) => (Some(time), None),
            None => (None, None),
        }
    }
}

/// Returns the number of the newest mark with a name.
///
/// # Errors
/// The daemon cannot be reached, or refuses a request.
pub fn mark<E: From<CallError>>(caller: &Caller<'_, E>, name: &str) -> Result<Option<JobId>, E> {
    let mut found = None;
    each(caller, &EntryFilter::default(), &mut |entry| {
        if entry.kind == EntryKind::Mark && entry.label.as_deref() == Some(name) {
            found = Some(entry.id);
        }
        Ok(found.is_none())
    })?;
    Ok(found)
}

/// A choice of entries. The default is all of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EntryFilter {
    /// Only entries of this session, and undos of them by others.
    pub session: Option<String>,
    /// Only this entry and later ones.
    pub since: Option<FirstEntry>,
}

/// Chosen entries.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EntryList {
    /// The entries, from the oldest to the newest.
    pub entries: Vec<EntrySummary>,
    /// Set if entries of other sessions are left out.
    pub of_session: bool,
    /// Set if there are too many, so that older ones are missing.
    pub cut: bool,
}

/// Returns true for an entry that keeps rescued bytes. The file did not have them at that time.
pub fn is_rescue(entry: &EntrySummary) -> bool {
    entry.is_outside() && entry.label.is_some()
}

/// Returns the entries that match a filter.
///
/// # Errors
/// The daemon cannot be reached, or refuses a request.
pub fn matching<E: From<CallError>>(caller: &Caller<'_, E>, filter: &EntryFilter) -> Result<EntryList, E> {
    let mut list = EntryList { of_session: filter.session.is_some(), ..EntryList::default() };
    let mut files = 0;
    list.cut = each(caller, filter, &mut |mut entry| {
        complete(caller, &mut entry)?;
        files += entry.files.len();
        list.entries.push(entry);
        Ok(list.entries.len() < ENTRIES && files < FILES)
    })?;
    if list.of_session {
        let undos = foreign_undos(caller, &list.entries)?;
        list.entries.extend(undos);
    }
    list.entries.sort_by_key(|entry| entry.id);
    Ok(list)
}

/// Calls `see` with each entry, newest first, until it returns false. Returns true if `see` ended the walk.
fn each<E: From<CallError>>(
    caller: &Caller<'_, E>,
    filter: &EntryFilter,
    see: &mut dyn FnMut(EntrySummary) -> Result<bool, E>,
) -> Result<bool, E> {
    let (since, after) = FirstEntry::fields(filter.since);
    let mut before = None;
    loop {
        let request = HistoryRequest {
            session: filter.session.clone(),
            since,
            after,
            before,
            limit: Some(limits::HISTORY as u64),
            path: None,
        };
        let page = caller.ask(true, |it| it.history(&request))?;
        before = page.entries.last().map(|entry| entry.id);
        for entry in page.entries {
            if !see(entry)? {
                return Ok(true);
            }
        }
        if !page.more || before.is_none() {
            return Ok(false);
        }
    }
}

/// Adds the files that a list leaves out.
///
/// # Errors
/// The daemon cannot be reached, or refuses a request.
pub fn complete<E: From<CallError>>(caller: &Caller<'_, E>, entry: &mut EntrySummary) -> Result<(), E> {
    while entry.omitted_files > 0 && entry.files.len() < FILES {
        let from = entry.files.len() as u64;
        let page = caller.ask(true, |it| it.show(entry.id, Some(from)))?.entry.files;
        if page.is_empty() {
            break;
        }
        entry.omitted_files = entry.omitted_files.saturating_sub(page.len() as u64);
        entry.files.extend(page);
    }
    Ok(())
}

/// Returns the undos and redos of these entries by other sessions, with the paths that these entries changed.
fn foreign_undos<E: From<CallError>>(
    caller: &Caller<'_, E>,
    own: &[EntrySummary],
) -> Result<Vec<EntrySummary>, E> {
    let undone = own.iter().filter(|entry| entry.undone || entry.partly_undone);
    let Some(first) = undone.map(|entry| entry.id).min() else { return Ok(Vec::new()) };
    let (mut seen, mut others) = (0, Vec::new());
    let newer = EntryFilter { session: None, since: Some(FirstEntry::Numbered(first)) };
    each(caller, &newer, &mut |mut entry| {
        seen += 1;
        if matches!(entry.kind, EntryKind::Undo | EntryKind::Redo) {
            complete(caller, &mut entry)?;
            others.push(entry);
        }
        Ok(seen < ENTRIES)
    })?;
    let mut chosen: BTreeSet<JobId> = own.iter().map(|entry| entry.id).collect();
    let paths: BTreeSet<&FilePath> =
        own.iter().flat_map(|entry| &entry.files).map(|file| &file.path).collect();
    let mut undos = Vec::new();
    // From the oldest on: a redo names an undo before it.
    for mut entry in others.into_iter().rev() {
        if entry.of.iter().any(|of| chosen.contains(of)) && chosen.insert(entry.id) {
            entry.files.retain(|file| paths.contains(&file.path));
            undos.push(entry);
        }
    }
    Ok(undos)
}
