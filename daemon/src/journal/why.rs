//! Explains why a quoted text is not in a file, from what the journal can tell within a few milliseconds. It only
//! reads entries; it opens no file of the workspace.
//!
//! It rebuilds the file before each of its entries from the present content, backwards, as long as each entry left
//! what the next one found. The newest entry before which the file had the text is the one that removed it.

use std::borrow::Cow;
use std::time::Duration;

use editd_engine::Splice;
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{EntryKind, OUTSIDE};
use editd_proto::path::FilePath;
use memchr::memmem;

use crate::disk::observation;
use crate::limits;
use crate::record::{ChangeMethod, Entry, FileRecord};
use crate::state::WorkspaceState;
use crate::store::EntryQuery;

/// Entries that are listed at once.
const PAGE: usize = 8;

/// The letters that a text must have before finding it in another file means anything.
const TELLING: usize = 3;

/// A quoted text that the file does not have.
#[derive(Clone, Copy, Debug)]
pub struct MissingText<'m> {
    /// The file.
    pub path: &'m FilePath,
    /// The present content; empty if there is no file.
    pub content: &'m [u8],
    /// The hash of the content.
    pub hash: Option<ContentHash>,
    /// The text.
    pub quoted: &'m str,
    /// The text that was to replace it.
    pub new: Option<&'m str>,
}

/// The entry that removed the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemovedBy {
    /// The entry.
    pub by: JobId,
    /// The effect of the entry, in one sentence.
    pub sentence: String,
}

/// The budget for all questions of one job.
#[derive(Debug)]
pub struct SearchBudget {
    until: Duration,
    entries: usize,
    bytes: usize,
}

impl SearchBudget {
    /// The whole budget of one job, from now on.
    pub fn begin(state: &WorkspaceState) -> Self {
        let until = state.clock.monotonic().saturating_add(Duration::from_millis(limits::WHY_MS));
        Self { until, entries: limits::WHY_ENTRIES, bytes: limits::WHY_BYTES }
    }

    /// Takes the bytes of an entry's record and of the file before it from the budget; false if they exceed it.
    fn spend(&mut self, state: &WorkspaceState, bytes: usize) -> bool {
        if self.entries == 0 || self.bytes < bytes || state.clock.monotonic() >= self.until {
            return false;
        }
        self.entries -= 1;
        self.bytes -= bytes;
        true
    }
}

/// Asks the journal. `None` if it does not know, or not soon enough.
pub fn why(
    state: &WorkspaceState,
    missing: &MissingText<'_>,
    patience: &mut SearchBudget,
) -> Option<RemovedBy> {
    let needle = QuotedForms::of(missing)?;
    let mut later = Some((missing.hash, Cow::Borrowed(missing.content)));
    let mut query = EntryQuery { path: Some(missing.path.clone()), limit: PAGE, ..EntryQuery::default() };
    loop {
        let page = state.store.page(&query).ok()?;
        let last = *page.last()?;
        for id in page {
            let room = later.as_ref().map_or(0, |(_, bytes)| bytes.len());
            // Retention removed the entry a moment ago.
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
                let hash = file.before.as_ref().map(|meta| meta.hash);
                later = Some((hash, Cow::Owned(before?)));
            }
        }
        query.before = Some(last);
    }
}

/// Returns a file before a record: rebuilt from the content after it, or kept.
pub(super) fn before(
    state: &WorkspaceState,
    file: &FileRecord,
    later: Option<(Option<ContentHash>, Cow<'_, [u8]>)>,
) -> Option<Vec<u8>> {
    let Some(meta) = &file.before else { return Some(Vec::new()) };
    let after = file.after.as_ref().map(|meta| meta.hash);
    let made = later
        .filter(|(hash, _)| *hash == after)
        .and_then(|(_, bytes)| editd_engine::apply(&bytes, &editd_engine::invert(&file.splices)))
        // The bytes of a large change by another program are not journaled.
        .filter(|bytes| bytes.len() as u64 == meta.size && observation::hash(bytes) == meta.hash);
    made.or_else(|| state.store.content(meta.hash))
}

/// The effect of an entry on a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum EntryEffect {
    /// It put in the text that is now requested.
    This,
    /// It moved the text to another file.
    Moved(FilePath),
    /// It removed the text; nothing else is known.
    Removed,
}

/// The text in each form that a file may hold, with its replacement.
#[derive(Debug)]
struct QuotedForms(Vec<(Vec<u8>, Option<Vec<u8>>)>);

impl QuotedForms {
    /// `None` if the file does have the text: then only a part of it was searched.
    fn of(missing: &MissingText<'_>) -> Option<Self> {
        let whole = Self::ways(missing.quoted, missing.new);
        // The quote may end with a line break, which may be a different one now.
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

    /// Returns the first offset of the text, its length, and its replacement.
    fn find(&self, content: &[u8]) -> Option<(usize, usize, Option<&[u8]>)> {
        let mut ways = self.0.iter();
        ways.find_map(|(text, new)| Some((memmem::find(content, text)?, text.len(), new.as_deref())))
    }

    /// Returns the effect of an entry on the text, if the file had it before the entry.
    fn taken(&self, entry: &Entry, file: &FileRecord, before: Option<&[u8]>) -> Option<EntryEffect> {
        let Some(before) = before else {
            // The file cannot be rebuilt, but the removed ranges are in the entry.
            file.splices.iter().find_map(|splice| self.find(&splice.old))?;
            return Some(self.moved(entry, file).map_or(EntryEffect::Removed, EntryEffect::Moved));
        };
        let (at, len, new) = self.find(before)?;
        if new.is_some_and(|new| put(before, &file.splices, at, len, new)) {
            return Some(EntryEffect::This);
        }
        Some(self.moved(entry, file).map_or(EntryEffect::Removed, EntryEffect::Moved))
    }

    /// Returns another file of the entry that has the text since then.
    fn moved(&self, entry: &Entry, from: &FileRecord) -> Option<FilePath> {
        let hash = from.before.as_ref().map(|meta| meta.hash);
        let telling = self
            .0
            .iter()
            .all(|(text, _)| text.iter().filter(|b| !b.is_ascii_whitespace()).count() >= TELLING);
        let mut others =
            entry.files.iter().filter(|file| file.path != from.path && file.how != ChangeMethod::Rescued);
        let gained = |file: &&FileRecord| {
            let came = |splice: &Splice| self.find(&splice.new).is_some() && self.find(&splice.old).is_none();
            let renamed = from.after.is_none() && file.after.as_ref().map(|meta| meta.hash) == hash;
            renamed || (telling && file.splices.iter().any(came))
        };
        others.find(gained).map(|file| file.path.clone())
    }
}

/// Returns true if the splices put `new` in the place of the `len` bytes at `at`.
fn put(before: &[u8], splices: &[Splice], at: usize, len: usize, new: &[u8]) -> bool {
    let Some(after) = editd_engine::apply(before, splices) else { return false };
    let (Some(head), Some(tail)) = (before.get(..at), before.get(at.saturating_add(len)..)) else {
        return false;
    };
    let rest = after.strip_prefix(head).and_then(|rest| rest.strip_prefix(new));
    if rest == Some(tail) {
        return true;
    }
    // The log stores young files whole; the actual change is needed.
    let fine = editd_engine::splices_between(before, &after);
    [splices, &fine].into_iter().any(|splices| puts(&after, splices, at, len, new))
}

/// Returns true if both ends of the text, moved by the splices, enclose `new`.
fn puts(after: &[u8], splices: &[Splice], at: usize, len: usize, new: &[u8]) -> bool {
    // Bytes that were put directly beside the text may belong to the new text, or not.
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

/// Returns the entry and its effect on a text or a file, in one sentence.
pub(super) fn told(state: &WorkspaceState, entry: &Entry, did: &EntryEffect) -> RemovedBy {
    let is_outside = entry.kind == EntryKind::External && entry.session == OUTSIDE;
    let (id, kind) = (entry.id, if is_outside { "a change made outside of editd" } else { kind(entry.kind) });
    let ago = ago(state.clock.wall_ms().saturating_sub(entry.time));
    let whose = if is_outside {
        String::new()
    } else {
        format!(" of session {} through {}", entry.session, entry.client)
    };
    let effect = match did {
        EntryEffect::This => "made this very change".to_owned(),
        EntryEffect::Moved(path) => format!("moved it to {path}"),
        EntryEffect::Removed => "removed it".to_owned(),
    };
    RemovedBy { by: id, sentence: format!("entry {id}, {kind}{whose}, {effect} {ago}") }
}

fn kind(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Edit => "an edit",
        EntryKind::Undo => "an undo",
        EntryKind::Redo => "a redo",
        EntryKind::External => "a change with another tool",
        EntryKind::Hook => "a command that runs after writing",
        EntryKind::Mark => "a mark",
    }
}

/// Formats a duration for people.
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
