//! Why a quoted text is not in a file: what the journal can tell of it within a few milliseconds. It only reads
//! entries; it opens no file of the workspace.
//!
//! The file as it was before each of its entries is made from what is there now, backwards, as long as each
//! entry left what the next one found; the newest entry before which the text stood there is the one that
//! took it.

use std::borrow::Cow;
use std::time::Duration;

use editd_engine::Splice;
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::EntryKind;
use editd_proto::path::WirePath;
use memchr::memmem;

use crate::disk::observation;
use crate::limits;
use crate::state::WorkspaceState;
use crate::store::EntryQuery;
use crate::store::record::{ChangeMethod, Entry, FileRecord};

/// Entries that are listed at once.
const PAGE: usize = 8;

/// Letters that a text must have before it says anything that another file has it too.
const TELLING: usize = 3;

/// A text that is not where it was quoted from.
#[derive(Clone, Copy, Debug)]
pub struct MissingText<'m> {
    /// The file.
    pub path: &'m WirePath,
    /// What it holds now; nothing where it is not there.
    pub content: &'m [u8],
    /// The hash of that.
    pub hash: Option<ContentHash>,
    /// The text.
    pub quoted: &'m str,
    /// What was to take its place.
    pub new: Option<&'m str>,
}

/// What took it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemovedBy {
    /// The entry.
    pub by: JobId,
    /// What that did, in one sentence.
    pub sentence: String,
}

/// What may still be spent, over all questions of one job.
#[derive(Debug)]
pub struct SearchBudget {
    until: Duration,
    entries: usize,
    bytes: usize,
}

impl SearchBudget {
    /// All that one job may spend, from now on.
    pub fn begin(state: &WorkspaceState) -> Self {
        let until = state.clock.monotonic().saturating_add(Duration::from_millis(limits::WHY_MS));
        Self { until, entries: limits::WHY_ENTRIES, bytes: limits::WHY_BYTES }
    }

    /// Whether an entry may be read whose record, and a file before it, have so many bytes together.
    fn spend(&mut self, state: &WorkspaceState, bytes: usize) -> bool {
        if self.entries == 0 || self.bytes < bytes || state.clock.monotonic() >= self.until {
            return false;
        }
        self.entries -= 1;
        self.bytes -= bytes;
        true
    }
}

/// Asks the journal. `None` where it does not know, or not soon enough.
pub fn why(
    state: &WorkspaceState,
    missing: &MissingText<'_>,
    patience: &mut SearchBudget,
) -> Option<RemovedBy> {
    let needle = Needle::of(missing)?;
    let mut later = Some((missing.hash, Cow::Borrowed(missing.content)));
    let mut query = EntryQuery { path: Some(missing.path.clone()), limit: PAGE, ..EntryQuery::default() };
    loop {
        let page = state.store.page(&query).ok()?;
        let last = *page.last()?;
        for id in page {
            let room = later.as_ref().map_or(0, |(_, bytes)| bytes.len());
            // Gone where retention took it a moment ago.
            let Some(size) = state.store.entry_size(id).ok()? else { continue };
            if !patience.spend(state, size.saturating_add(room)) {
                return None;
            }
            let holds = size.saturating_mul(limits::ENTRY_HOLDS).saturating_add(room.saturating_mul(2));
            let _reservation = state.memory.try_acquire(holds)?;
            let entry = state.store.entry(id).ok()??;
            for file in entry.files.iter().rev().filter(|file| file.path == *missing.path) {
                if file.how == ChangeMethod::Rescued {
                    continue;
                }
                let before = before(state, file, later.take());
                if let Some(did) = needle.taken(&entry, file, before.as_deref()) {
                    return Some(told(state, &entry, &did));
                }
                let hash = file.before.as_ref().map(|face| face.hash);
                later = Some((hash, Cow::Owned(before?)));
            }
        }
        query.before = Some(last);
    }
}

/// A file before a record: made from what stands behind it, or kept.
pub(super) fn before(
    state: &WorkspaceState,
    file: &FileRecord,
    later: Option<(Option<ContentHash>, Cow<'_, [u8]>)>,
) -> Option<Vec<u8>> {
    let Some(face) = &file.before else { return Some(Vec::new()) };
    let after = file.after.as_ref().map(|face| face.hash);
    let made = later
        .filter(|(hash, _)| *hash == after)
        .and_then(|(_, bytes)| editd_engine::apply(&bytes, &editd_engine::invert(&file.splices)))
        // The bytes of a large change by others are not journaled.
        .filter(|bytes| bytes.len() as u64 == face.size && observation::hash(bytes) == face.hash);
    made.or_else(|| state.store.content(face.hash))
}

/// What an entry did with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Did {
    /// What was asked for now.
    This,
    /// It stands in another file since then.
    Moved(WirePath),
    /// Nothing else is known.
    Removed,
}

/// The text in each way in which a file may hold it, with what was to take its place.
#[derive(Debug)]
struct Needle(Vec<(Vec<u8>, Option<Vec<u8>>)>);

impl Needle {
    /// `None` where the file does hold the text: then it was looked for in a part of it only.
    fn of(missing: &MissingText<'_>) -> Option<Self> {
        let whole = Self::ways(missing.quoted, missing.new);
        // Quoted with the break behind it, which may be another one now.
        let bare = |text: &'_ str| text.trim_end_matches(['\r', '\n']).to_owned();
        let cut = Self::ways(&bare(missing.quoted), missing.new.map(bare).as_deref());
        [cut, whole].into_iter().find(|needle| {
            let empty = needle.0.iter().any(|(text, _)| text.is_empty());
            !empty && needle.find(missing.content).is_none()
        })
    }

    fn ways(quoted: &str, new: Option<&str>) -> Self {
        let unix = |text: &str| text.replace("\r\n", "\n").into_bytes();
        let dos = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n").into_bytes();
        let mut ways = vec![(unix(quoted), new.map(unix))];
        if quoted.contains('\n') {
            ways.push((dos(quoted), new.map(dos)));
        }
        Self(ways)
    }

    /// Where it stands first, its length, and what would stand there instead.
    fn find(&self, content: &[u8]) -> Option<(usize, usize, Option<&[u8]>)> {
        let mut ways = self.0.iter();
        ways.find_map(|(text, new)| Some((memmem::find(content, text)?, text.len(), new.as_deref())))
    }

    /// What an entry did with the text, if it stood in the file before it.
    fn taken(&self, entry: &Entry, file: &FileRecord, before: Option<&[u8]>) -> Option<Did> {
        let Some(before) = before else {
            // The file cannot be made again; what was taken out of it is there all the same.
            file.splices.iter().find_map(|splice| self.find(&splice.old))?;
            return Some(self.moved(entry, file).map_or(Did::Removed, Did::Moved));
        };
        let (at, len, new) = self.find(before)?;
        if new.is_some_and(|new| put(before, &file.splices, at, len, new)) {
            return Some(Did::This);
        }
        Some(self.moved(entry, file).map_or(Did::Removed, Did::Moved))
    }

    /// Another file of the entry that has the text since then.
    fn moved(&self, entry: &Entry, from: &FileRecord) -> Option<WirePath> {
        let hash = from.before.as_ref().map(|face| face.hash);
        let telling = self
            .0
            .iter()
            .all(|(text, _)| text.iter().filter(|b| !b.is_ascii_whitespace()).count() >= TELLING);
        let mut others =
            entry.files.iter().filter(|file| file.path != from.path && file.how != ChangeMethod::Rescued);
        let gained = |file: &&FileRecord| {
            let came = |splice: &Splice| self.find(&splice.new).is_some() && self.find(&splice.old).is_none();
            let renamed = from.after.is_none() && file.after.as_ref().map(|face| face.hash) == hash;
            renamed || (telling && file.splices.iter().any(came))
        };
        others.find(gained).map(|file| file.path.clone())
    }
}

/// Whether the splices put `new` where, before them, a text of `len` bytes stood at `at`.
fn put(before: &[u8], splices: &[Splice], at: usize, len: usize, new: &[u8]) -> bool {
    let Some(after) = editd_engine::apply(before, splices) else { return false };
    let (Some(head), Some(tail)) = (before.get(..at), before.get(at.saturating_add(len)..)) else {
        return false;
    };
    let rest = after.strip_prefix(head).and_then(|rest| rest.strip_prefix(new));
    if rest == Some(tail) {
        return true;
    }
    // A young file is carried whole in the log; what changed of it is meant.
    let fine = editd_engine::splices_between(before, &after);
    [splices, &fine].into_iter().any(|splices| puts(&after, splices, at, len, new))
}

/// The same, by where the splices move both ends of the text.
fn puts(after: &[u8], splices: &[Splice], at: usize, len: usize, new: &[u8]) -> bool {
    // What was put directly beside the text may belong to the new one, or not.
    let moved = |offset: usize, beside: bool| {
        let ahead = splices.iter().filter(|splice| {
            let end = splice.at.saturating_add(splice.old.len() as u64);
            end < offset as u64 || (beside && end == offset as u64)
        });
        ahead.fold(offset, |at, splice| (at + splice.new.len()).saturating_sub(splice.old.len()))
    };
    let ways = [(false, false), (false, true), (true, false), (true, true)];
    ways.into_iter().any(|(from, to)| after.get(moved(at, from)..moved(at + len, to)) == Some(new))
}

fn told(state: &WorkspaceState, entry: &Entry, did: &Did) -> RemovedBy {
    let (id, kind) = (entry.id, kind(entry.kind));
    let ago = ago(state.clock.wall_ms().saturating_sub(entry.time));
    let whose = match entry.kind {
        EntryKind::External => String::new(),
        _ => format!(" of session {} through {}", entry.session, entry.client),
    };
    let deed = match did {
        Did::This => "made this very change".to_owned(),
        Did::Moved(path) => format!("moved it to {path}"),
        Did::Removed => "removed it".to_owned(),
    };
    RemovedBy { by: id, sentence: format!("entry {id}, {kind}{whose}, {deed} {ago}") }
}

fn kind(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Edit => "an edit",
        EntryKind::Undo => "an undo",
        EntryKind::Redo => "a redo",
        EntryKind::External => "a change made outside of editd",
        EntryKind::Hook => "a command that runs after writing",
    }
}

/// A time gone by, as people say it.
fn ago(ms: u64) -> String {
    let (count, unit) = match ms / 1000 {
        s @ 0..60 => (s, "second"),
        s @ 60..3600 => (s / 60, "minute"),
        s @ 3600..86_400 => (s / 3600, "hour"),
        s => (s / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

#[cfg(all(test, unix))]
mod tests;
