//! The line numbers of edits that name no version: they refer to the content that the session last read. This module
//! checks that the lines that were meant still have these numbers.

use std::collections::BTreeMap;

use editd_engine::{BothContents, EditFacts, JobEntry, LineMap, NamedLines, Refusal};
use editd_proto::error::{ErrorCode, MovedLines, RequestError, WouldApply};
use editd_proto::ids::{ContentHash, Version};
use editd_proto::limits::CANDIDATES;
use editd_proto::path::FilePath;
use memchr::memmem;

use super::shown;
use super::staleness::CheckedJob;
use crate::disk::Observation;
use crate::journal::past;
use crate::receipt::lines::last_line;
use crate::receipt::numbered::{NumberMeaning, after_line, is_same, meaning, returned};
use crate::receipt::ranges::{self, LineRange};
use crate::record::NumberedLines;
use crate::state::WorkspaceState;

/// The most bytes of lines that a refusal shows for each place.
const SHOWN: usize = 160;

/// The most bytes that are searched for the quotations of one entry, and one content more. A quotation beyond counts as one
/// that is at several places.
const SEARCHED: usize = 64 * 1024 * 1024;

/// The line numbers of an entry's edits that do not identify the lines that are meant.
#[derive(Default, Debug)]
pub(super) struct UnclearNumbers {
    /// The numbers of lines that have moved or changed since they were read.
    pub(super) moved: Vec<MovedLines>,
    /// The numbers under which the session was shown no line: edit and lines.
    pub(super) unknown: Vec<NamedLines>,
}

impl UnclearNumbers {
    /// Returns true if every number identifies its line.
    pub(super) fn is_empty(&self) -> bool {
        self.moved.is_empty() && self.unknown.is_empty()
    }
}

/// Looks up the lines that the numbers of an entry's edits refer to. `numbered` maps numbers to lines of the content
/// `current`.
pub(super) fn unclear(
    state: &WorkspaceState,
    entry: &JobEntry,
    numbered: &[NumberedLines],
    current: &[u8],
) -> UnclearNumbers {
    let mut found = UnclearNumbers::default();
    let mut present = None;
    let mut searched = 0_usize;
    let mut versions = OldVersions { state, current, held: BTreeMap::new(), compared: None };
    for named in entry.named_lines() {
        if found.moved.len() >= CANDIDATES {
            break;
        }
        let present = *present.get_or_insert_with(|| last_line(current));
        let named = NamedLines { lines: within(named.lines, present), ..named };
        let quoted = || {
            let edit = usize::try_from(named.edit).ok()?.checked_sub(1)?;
            entry.edits().nth(edit).and_then(EditFacts::quoted_in_lines)
        };
        let mut meant = versions.meaning(numbered, &named, present);
        if let NumberMeaning::Moved { now, .. } = meant {
            if let Some(text) = quoted().filter(|_| searched <= SEARCHED) {
                searched = searched.saturating_add(current.len());
                // Only one place can be meant.
                if is_once(current, text) {
                    continue;
                }
            }
            if now.is_none() {
                meant = meaning_now(numbered, named.lines, present, &mut versions);
            }
        }
        match meant {
            NumberMeaning::Same => {}
            // A quotation shows that the session knows them.
            NumberMeaning::Unknown if quoted().is_some() => {}
            // The start of a file is the same place for every session.
            NumberMeaning::Unknown if named.lines == (1, 0) && named.is_after => {}
            NumberMeaning::Unknown => found.unknown.push(named),
            NumberMeaning::Moved { read, lines, now } => {
                let old = versions.content(read);
                // The version that was read has no such line, and no end before it.
                if quoted().is_none() && old.is_some_and(|old| lines.0 > shown::last_text_line(old) + 1) {
                    found.unknown.push(named);
                    continue;
                }
                let text = |bytes: &[u8], lines| excerpt(state, &entry.path, bytes, lines);
                found.moved.push(MovedLines {
                    edit: named.edit,
                    read: read.version(),
                    lines,
                    then: match (old, now) {
                        (Some(old), _) => text(old, lines),
                        (None, Some(now)) => text(current, now),
                        (None, None) => None,
                    },
                    now,
                    there: text(current, lines),
                });
            }
        }
    }
    found
}

/// The versions that the numbers of an entry refer to. Each is read once, and compared once with the present content unless
/// the numbers alternate between versions.
struct OldVersions<'s> {
    state: &'s WorkspaceState,
    current: &'s [u8],
    held: BTreeMap<ContentHash, Option<Vec<u8>>>,
    /// The version that was compared last.
    compared: Option<(ContentHash, Option<LineMap>)>,
}

impl OldVersions<'_> {
    /// Returns the content of a version, if it is stored.
    fn content(&mut self, read: ContentHash) -> Option<&[u8]> {
        self.held.entry(read).or_insert_with(|| past::kept(self.state, read)).as_deref()
    }

    /// Returns the meaning of the lines or the place that an edit names.
    fn meaning(&mut self, numbered: &[NumberedLines], named: &NamedLines, present: u64) -> NumberMeaning {
        let (first, last) = named.lines;
        let is_end = first > last && last == shown::last_text_line(self.current);
        match meaning(numbered, named.lines, present) {
            NumberMeaning::Same if named.is_after => self.after(numbered, last),
            // The place after the last line does not depend on a line that followed it.
            NumberMeaning::Moved { .. } if is_end && is_same(numbered, last) => NumberMeaning::Same,
            meant => meant,
        }
    }

    /// Returns the meaning of the place after a line. The number of the empty line at the end of a version means no line.
    fn after(&mut self, numbered: &[NumberedLines], line: u64) -> NumberMeaning {
        match after_line(numbered, line) {
            NumberMeaning::Moved { read, .. }
                if self.content(read).is_some_and(|old| line > shown::last_text_line(old)) =>
            {
                NumberMeaning::Same
            }
            meant => meant,
        }
    }

    /// Returns true if some lines of a version are unchanged and have the same numbers now.
    fn keep(&mut self, read: ContentHash, lines: LineRange) -> bool {
        if self.compared.as_ref().is_none_or(|(hash, _)| *hash != read) {
            let current = self.current;
            let map = self.content(read).and_then(|base| LineMap::new(BothContents { base, current }, None));
            self.compared = Some((read, map));
        }
        self.compared.as_ref().and_then(|(_, map)| map.as_ref()).is_some_and(|map| map.keeps(lines))
    }
}

/// Returns the meaning of some lines, for which those count as unchanged that were changed and have their old content
/// again.
fn meaning_now(
    numbered: &[NumberedLines],
    named: LineRange,
    present: u64,
    versions: &mut OldVersions<'_>,
) -> NumberMeaning {
    let mut numbered = numbered.to_vec();
    loop {
        let meant = meaning(&numbered, named, present);
        let NumberMeaning::Moved { read, lines, now: None } = meant else { return meant };
        if !versions.keep(read, lines) {
            return meant;
        }
        let returned = returned(&numbered, lines);
        if returned == numbered {
            return NumberMeaning::Same;
        }
        numbered = returned;
    }
}

/// Returns the lines of unknown numbers that are in a content and that a refusal does not show yet.
pub(super) fn unshown(unknown: Vec<NamedLines>, shown: &[LineRange], content: &[u8]) -> Vec<LineRange> {
    let (end, last_text, shown) =
        (last_line(content), shown::last_text_line(content), ranges::union(shown.to_vec()));
    let lines = unknown.into_iter().map(|named| (named.lines.0.max(1), named.lines.1.max(named.lines.0)));
    // A number after the last line is refused by the plan.
    let lines = lines.filter(|(first, _)| *first <= end);
    let lines = lines.map(|(first, last)| (first.min(last_text), last.min(last_text)));
    lines.filter(|lines| !ranges::covers(&shown, *lines)).collect()
}

/// Returns true if a text is at exactly one place in a content.
fn is_once(content: &[u8], text: &str) -> bool {
    memmem::find_iter(content, text).take(2).count() == 1
}

/// Returns the part of some lines that is in a content with so many lines. The plan refuses numbers outside of it.
fn within((first, last): (u64, u64), present: u64) -> (u64, u64) {
    match (first, last) {
        (0, 0) => (1, 1),
        (0, last) => (1, last.min(present)),
        (first, last) if first <= present => (first, last.min(present)),
        outside => outside,
    }
}

/// Returns some lines of a content as a reader sees them, shortened; for a place between two lines, the one after it.
fn excerpt(
    state: &WorkspaceState,
    path: &FilePath,
    bytes: &[u8],
    (first, last): (u64, u64),
) -> Option<String> {
    let lines = (first.max(1), last.max(first.max(1)));
    let mut text = editd_engine::view(bytes, Some(lines), path, &state.options([path])).ok()?.text?;
    if let Some((end, _)) = text.char_indices().find(|(at, _)| *at >= SHOWN) {
        text.truncate(end);
        text.push('\u{2026}');
    }
    Some(text)
}

/// The refusal of an entry whose numbers refer to lines that have moved or changed, although its session knows the
/// present content: the numbers may be meant in either content.
pub(super) fn refusal(path: &FilePath, now: ContentHash, moved: Vec<MovedLines>) -> Refusal {
    let version = now.version();
    let message = sentence(path, &version, &moved);
    let mut error = RequestError::new(ErrorCode::Stale, message).at(path);
    error.edit = moved.first().map(|first| first.edit);
    error.would_apply = Some(WouldApply::Conflict);
    error.version = Some(version);
    error.moved = moved;
    Box::new(error)
}

/// Returns true if a job has an earlier entry of a path.
pub(super) fn is_later_stage(entries: &[JobEntry], index: usize, path: &FilePath) -> bool {
    entries.iter().take(index).any(|other| other.path == *path)
}

/// Returns the refusal of an entry that is a later stage of the file of `origin` and names lines by number, if its session
/// has read lines that have moved since: the numbers may be meant in the content that was read or in the present one,
/// each with the changes of the earlier stages. An earlier stage that names a base or writes the whole file says which.
/// `numbered` maps numbers to lines of the content that the stages are planned on.
pub(super) fn of_later_stage(
    checked: &CheckedJob,
    index: usize,
    origin: &FilePath,
    numbered: &[NumberedLines],
) -> Option<Refusal> {
    let entries = &checked.snapshot.request.job.entries;
    let entry = entries.get(index).filter(|entry| entry.base.is_none())?;
    let first = entry.named_lines().into_iter().next()?;
    let run = numbered.iter().find(|run| run.now != Some(run.first))?;
    let mut earlier =
        entries.iter().take(index).filter(|other| other.path == *origin || other.path == entry.path);
    let says_which = |other: &JobEntry| other.base.is_some() || other.edits().any(EditFacts::writes_file);
    if !is_later_stage(entries, index, origin) || earlier.any(says_which) {
        return None;
    }
    let now = checked.snapshot.observations.get(origin).and_then(Observation::hash)?;
    let message = format!(
        "{}: lines of version {}, which this session read, have moved or changed, and a later entry of the job names \
         lines by number; read the file again, or name the numbers in the first entry of the file",
        entry.path,
        run.hash.version().0
    );
    let mut error = RequestError::new(ErrorCode::Stale, message).at(&entry.path);
    error.edit = Some(first.edit);
    error.would_apply = Some(WouldApply::Conflict);
    error.version = Some(now.version());
    Some(Box::new(error))
}

/// Returns a sentence about the first of the lines, with the calls that continue.
pub(super) fn sentence(path: &FilePath, version: &Version, moved: &[MovedLines]) -> String {
    let Some(first) = moved.first() else { return String::new() };
    let (from, to) = first.lines;
    let named = lines((from, to.max(from)));
    let (is, was) = if from >= to { ("is", "was") } else { ("are", "were") };
    let stand = match first.now {
        Some((start, end)) => format!("{is} {} now", lines((start, end.max(start)))),
        None => format!("{was} changed or removed"),
    };
    let (read, now) = (&first.read.0, &version.0);
    // Lines that are gone cannot be edited in the older version either.
    let older = match moved.iter().all(|lines| lines.now.is_some()) {
        true => format!(", or with `base` \"{read}\" to mean the lines that were read"),
        false => String::new(),
    };
    format!(
        "{path}: {named} of version {read}, which this session read, {stand}; send the edit with `base` \"{now}\" and \
         the present numbers{older}"
    )
}

fn lines((first, last): (u64, u64)) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
}
