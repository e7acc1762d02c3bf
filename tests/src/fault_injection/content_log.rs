//! The check that no content is lost: every content that was ever at a path is later at a path, in the journal, or in
//! `.editd/lost`, unless the process that overwrote it removed it. It reads the records of the journal, which hold
//! changes and not files: a content is kept if its bytes can be made from them and match its hash.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use editd::testing::{EntryQuery, FileRecord, IntactContents, Os, Store, content_hash};

use super::sim_workspace::{ROOT, STATE, options};
use super::strict;
use super::visible_files::VisibleFiles;
use crate::sim::{MachineSnapshot, OutsideProcess, SimMachine, SnapshotNode};

/// Rounds in which records are applied to each other: more than the longest chain of a scenario.
const ROUNDS: usize = 6;

/// The name of a content that was there when the scenario began.
pub const AT_START: &str = "at first";

/// The contents that were in the workspace during one run of a scenario.
#[derive(Clone, Default)]
pub struct ContentLog {
    contents: Vec<LoggedContent>,
    removed: BTreeSet<Vec<u8>>,
    /// True if another program appends to files.
    is_appended: bool,
}

#[derive(Clone)]
struct LoggedContent {
    what: String,
    bytes: Arc<[u8]>,
    /// True if it must also survive a power cut.
    durable: bool,
}

impl ContentLog {
    /// Adds a content that was at a path; `durable` if it was flushed, or a reply promised that.
    pub fn add(&mut self, what: &str, bytes: &[u8], durable: bool) {
        self.contents.push(LoggedContent { what: what.to_owned(), bytes: bytes.into(), durable });
    }

    /// Adds every visible file; `durable` returns true for those that were flushed.
    pub fn add_files(&mut self, when: &str, view: &VisibleFiles, durable: impl Fn(&str, &[u8]) -> bool) {
        for (path, seen) in &view.files {
            if let SnapshotNode::File { bytes, .. } = seen {
                self.add(&format!("{path} {when}"), bytes, durable(path, bytes));
            }
        }
    }

    /// Adds contents that the process that wrote over them has removed.
    pub fn add_removed(&mut self, removed: impl IntoIterator<Item = Vec<u8>>) {
        self.removed.extend(removed);
    }

    /// Notes that another program appends to files: an earlier content of one may be kept only with what was appended.
    pub fn permit_appends(&mut self) {
        self.is_appended = true;
    }

    /// Returns the contents that are lost, one sentence each. The machine's process must have settled all entries
    /// that it could.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn lost(&self, machine: &SimMachine, cut: bool) -> Result<Vec<String>, String> {
        let mut contents = IntactContents::default();
        contents.add(Arc::default());
        self.removed.iter().for_each(|bytes| contents.add(bytes.as_slice().into()));
        let snapshot = machine.snapshot(ROOT).map_err(|error| error.to_string())?;
        let mut found = Vec::new();
        for (path, seen) in &snapshot.0 {
            if let SnapshotNode::File { bytes, .. } = seen
                && is_found(&String::from_utf8_lossy(path))
            {
                contents.add(bytes.as_slice().into());
                found.push(content_hash(bytes));
            }
        }
        let records = records(machine)?;
        // If the old bytes were not known, a record holds all new ones.
        let splices = records.iter().flat_map(|record| &record.splices);
        for bytes in splices.flat_map(|splice| [&splice.old, &splice.new]) {
            contents.add(bytes.as_slice().into());
        }
        let chain: Vec<&FileRecord> = records.iter().collect();
        (0..ROUNDS).for_each(|_| contents.reach(&chain));
        let owed: Vec<&LoggedContent> = self.contents.iter().filter(|stood| stood.durable || !cut).collect();
        if self.is_appended {
            // A content may have what others appended to it behind it.
            let sides: Vec<_> =
                chain.iter().flat_map(|record| [&record.before, &record.after]).flatten().collect();
            found.extend(sides.iter().map(|side| side.hash));
            let kept: Vec<Arc<[u8]>> = found.iter().filter_map(|hash| contents.get(*hash).cloned()).collect();
            for bytes in &kept {
                let begins = sides.iter().filter_map(|side| {
                    let begin = bytes.get(..usize::try_from(side.size).ok()?)?;
                    (content_hash(begin) == side.hash).then_some(begin)
                });
                begins.for_each(|begin| contents.add(begin.into()));
                let begins = owed.iter().filter(|stood| bytes.starts_with(&stood.bytes));
                begins.for_each(|stood| contents.add(Arc::clone(&stood.bytes)));
            }
            (0..ROUNDS).for_each(|_| contents.reach(&chain));
        }
        let lost = owed.iter().filter(|stood| contents.get(content_hash(&stood.bytes)).is_none());
        Ok(lost.map(|stood| format!("{}, {} bytes, is nowhere", stood.what, stood.bytes.len())).collect())
    }
}

/// Returns true if users find a file at this path: in the workspace or among the files that were set aside, but not
/// among staged files.
fn is_found(path: &str) -> bool {
    let beside = path.rsplit('/').next().is_some_and(|name| name.starts_with(".editd-"));
    // On another mount a staged file moves with the folder that others move.
    let moved = !strict() && path.contains(".moved/");
    moved
        || path.starts_with(".editd/lost/")
        || path.contains("-lost-")
        || !(beside || path.starts_with(".editd/"))
}

/// Every record of every entry, oldest first, as the next process would read them.
fn records(machine: &SimMachine) -> Result<Vec<FileRecord>, String> {
    let machine = machine.fork();
    let dir = machine.open_dir(Path::new(STATE)).map_err(|error| error.to_string())?;
    let opened = Store::open(Arc::new(machine), dir, options(), 0);
    let (store, _) = opened.map_err(|error| format!("the journal cannot be opened: {error}"))?;
    let all = EntryQuery { limit: 1000, ..EntryQuery::default() };
    let entries = store.history(&all).map_err(|error| error.to_string())?;
    let mut records = Vec::new();
    for entry in entries.iter().rev() {
        let entry = store.entry(entry.id).map_err(|error| error.to_string())?;
        records.extend(entry.into_iter().flat_map(|entry| entry.files));
    }
    Ok(records)
}

/// Does something as another process, and tells which contents it took away: what no path shows any more, though a slot
/// may still hold the same bytes, and what was written over in a slot.
pub fn removed_by<T>(
    outside: &OutsideProcess,
    run: impl FnOnce(&OutsideProcess) -> T,
) -> (T, BTreeSet<Vec<u8>>) {
    let contents = |found: bool| {
        let files = outside.snapshot(ROOT).unwrap_or_else(|_| MachineSnapshot::default()).0.into_iter();
        let files = files.filter(|(path, _)| !found || is_found(&String::from_utf8_lossy(path)));
        let bytes = files.filter_map(|(_, seen)| seen.bytes().map(<[u8]>::to_vec));
        bytes.collect::<BTreeSet<_>>()
    };
    let (paths, all) = (contents(true), contents(false));
    let done = run(outside);
    let (paths_now, all_now) = (contents(true), contents(false));
    let taken = paths.difference(&paths_now).chain(all.difference(&all_now));
    (done, taken.cloned().collect())
}
