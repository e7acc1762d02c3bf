//! The lines of an entry and of a clipboard. It writes lines from a given place on, until a piece is full.

use std::collections::HashSet;

use editd_engine::Splice;
use editd_proto::ids::ContentHash;

use super::bytes::PortableBytes;
use super::convert::method_name;
use super::cursor::LinePlace;
use super::line::{
    AbsenceReason, AbsentLine, AttributeLine, AttributesLine, ChangeLine, ClipboardLine, ContentLine,
    EntryLine, ExtentsLine, FileLine, JournalLine, MoreLine, PartLine, StateLine,
};
use super::{EXTENTS, LINE, PART, PIECE};
use crate::record::{ClipboardRecord, Entry, EntryPart, FileRecord};

/// The items of a file that come before its extents and changes.
const CONTENT_BEFORE: u64 = 0;
const CONTENT_AFTER: u64 = 1;
const FILE: u64 = 2;
const CHANGES: u64 = 3;

/// The lines of a piece.
#[derive(Default, Debug)]
pub struct LineSink {
    /// The lines.
    pub bytes: Vec<u8>,
    /// The place of the first line within the present entry that is wanted.
    pub from: LinePlace,
    /// The place of the first line that did not fit.
    pub stopped: Option<LinePlace>,
}

impl LineSink {
    /// Returns true if the piece is full.
    pub fn is_full(&self) -> bool {
        self.bytes.len() >= PIECE
    }

    /// Returns true if the line at a place is to be written now.
    fn wants(&mut self, at: LinePlace) -> bool {
        if self.stopped.is_some() || at < self.from {
            return false;
        }
        if self.is_full() {
            self.stopped = Some(at);
        }
        self.stopped.is_none()
    }

    /// Writes a line. Returns false, and writes nothing, if it is too long.
    pub fn put(&mut self, line: &JournalLine) -> bool {
        let start = self.bytes.len();
        // Writing plain data to memory fails only where a type has no JSON form; these have one.
        let written = serde_json::to_writer(&mut self.bytes, line).is_ok();
        let fits = written && self.bytes.len() - start <= LINE;
        if fits {
            self.bytes.push(b'\n');
        } else {
            self.bytes.truncate(start);
        }
        fits
    }
}

/// The marks of an entry that are not in its record.
#[derive(Clone, Copy, Debug)]
pub struct ExportedMarks {
    /// True if it has been undone.
    pub undone: bool,
    /// True if recovery found a file with neither its old nor its new content.
    pub diverged: bool,
}

/// Looks up whole contents.
pub trait KeptContents {
    /// Returns a content.
    fn get(&self, hash: ContentHash) -> Option<Vec<u8>>;
    /// Returns true if an earlier entry of the export left this content at the file's path, so that its lines are there.
    fn left_earlier(&self, file: &FileRecord, hash: ContentHash) -> bool;
}

/// Writes the lines of an entry, from `sink.from` on. Returns false if the line of the entry itself is too long.
pub fn entry(sink: &mut LineSink, entry: &Entry, marks: ExportedMarks, kept: &dyn KeptContents) -> bool {
    if sink.wants((0, 0, 0)) && !sink.put(&JournalLine::Entry(entry_line(entry, marks))) {
        return false;
    }
    let mut seen = HashSet::new();
    for (number, file) in (1..).zip(&entry.files) {
        if sink.stopped.is_some() {
            break;
        }
        let states = [(CONTENT_BEFORE, &file.before), (CONTENT_AFTER, &file.after)];
        for (item, meta) in states.into_iter().filter_map(|(item, meta)| Some((item, meta.as_ref()?))) {
            let known = item == CONTENT_BEFORE && kept.left_earlier(file, meta.hash);
            if !file.is_forgotten() && seen.insert(meta.hash) && !known {
                content(sink, (number, item), meta.hash, kept);
            }
        }
        if sink.wants((number, FILE, 0)) {
            sink.put(&JournalLine::File(file_line(entry, number, file)));
        }
        changes(sink, (entry.id.0, number), file);
    }
    true
}

/// Writes the lines of a content that is kept whole.
fn content(sink: &mut LineSink, (file, item): (u32, u64), hash: ContentHash, kept: &dyn KeptContents) {
    // Nothing is read for lines that were written, or do not fit any more.
    let begun = sink.from > (file, item, 0);
    if sink.from > (file, item, u64::MAX - 1) || (!begun && !sink.wants((file, item, 0))) {
        return;
    }
    let Some(bytes) = kept.get(hash) else {
        if begun && sink.wants((file, item, u64::MAX - 1)) {
            let content = Some(hash.hex());
            sink.put(&JournalLine::Absent(AbsentLine { content, ..AbsentLine::of(AbsenceReason::Pruned) }));
        }
        return;
    };
    let mut parts = parts(&bytes).into_iter();
    let first = parts.next().unwrap_or_default();
    if sink.wants((file, item, 0)) {
        sink.put(&JournalLine::Content(ContentLine {
            hash: hash.hex(),
            size: bytes.len() as u64,
            bytes: first.into(),
            more: parts.len() as u64,
        }));
    }
    for (part, bytes) in (1..).zip(parts) {
        if sink.wants((file, item, part)) {
            sink.put(&JournalLine::More(MoreLine { bytes: bytes.into(), ..MoreLine::default() }));
        }
    }
}

/// Writes the extents and the changes of a file.
fn changes(sink: &mut LineSink, (entry, file): (u64, u32), record: &FileRecord) {
    if record.is_forgotten() {
        return;
    }
    let mut item = CHANGES;
    for extents in record.extents.chunks(EXTENTS) {
        if sink.wants((file, item, 0)) {
            sink.put(&JournalLine::Extents(ExtentsLine { extents: extents.to_vec() }));
        }
        item += 1;
    }
    for splice in &record.splices {
        change(sink, (entry, file, item), splice);
        item += 1;
    }
}

fn change(sink: &mut LineSink, (entry, file, item): (u64, u32, u64), splice: &Splice) {
    if sink.stopped.is_some() || sink.from > (file, item, u64::MAX - 1) {
        return;
    }
    let (mut old, mut new) = (parts(&splice.old).into_iter(), parts(&splice.new).into_iter());
    let first_old = old.next().unwrap_or_default();
    // The new bytes begin after the last of the old ones.
    let first_new = if old.len() == 0 { new.next().unwrap_or_default() } else { &[] };
    if sink.wants((file, item, 0)) {
        sink.put(&JournalLine::Change(ChangeLine {
            entry,
            file: file.into(),
            at: splice.at,
            old: first_old.into(),
            new: first_new.into(),
            more: (old.len() + new.len()) as u64,
        }));
    }
    let old = old.map(|old| MoreLine { old: old.into(), ..MoreLine::default() });
    let new = new.map(|new| MoreLine { new: new.into(), ..MoreLine::default() });
    for (part, line) in (1..).zip(old.chain(new)) {
        if sink.wants((file, item, part)) {
            sink.put(&JournalLine::More(line));
        }
    }
}

/// Writes the lines of a clipboard.
pub fn clipboard(sink: &mut LineSink, clip: &ClipboardRecord) {
    let bytes = clip.bytes.as_deref().unwrap_or_default();
    let mut parts = parts(bytes).into_iter();
    let first = parts.next().unwrap_or_default();
    sink.put(&JournalLine::Clipboard(ClipboardLine {
        session: if clip.name.starts_with('/') { String::new() } else { clip.session.clone() },
        name: clip.name.clone(),
        time: clip.time,
        origin: clip.origin.as_ref().map(|path| path.as_bytes().into()),
        bytes: first.into(),
        more: parts.len() as u64,
    }));
    for bytes in parts {
        sink.put(&JournalLine::More(MoreLine { bytes: bytes.into(), ..MoreLine::default() }));
    }
}

/// Splits bytes into parts that fit a line, at the boundaries of characters if they are text.
fn parts(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let mut end = bytes.len().min(PART);
        let within = |end: usize| bytes.get(end).is_some_and(|byte| byte & 0xC0 == 0x80);
        // A character has at most three more bytes.
        let back = (0..4).find(|back| !within(end.saturating_sub(*back))).unwrap_or(0);
        if end < bytes.len() {
            end = end.saturating_sub(back).max(1);
        }
        let (part, rest) = bytes.split_at(end);
        parts.push(part);
        bytes = rest;
    }
    parts
}

/// Returns a number that differs for two states of an entry whose lines do not fit together.
pub fn fingerprint(entry: &Entry) -> u64 {
    entry.files.iter().fold(7, |sum: u64, file| {
        let own = 4 * file.splices.len() + 2 * file.extents.len() + usize::from(file.is_forgotten());
        sum.wrapping_mul(1_000_003).wrapping_add(own as u64)
    })
}

fn entry_line(entry: &Entry, marks: ExportedMarks) -> EntryLine {
    let part = |part: &EntryPart| PartLine {
        entry: part.entry.0,
        files: part.files,
        file: part.part.file.saturating_add(1),
        hunks: part.part.hunks.clone(),
        total: part.part.total,
    };
    EntryLine {
        id: entry.id.0,
        kind: entry.kind,
        time: entry.time,
        session: entry.session.clone(),
        client: entry.client.clone(),
        label: entry.label.clone(),
        key: entry.key.clone(),
        request: entry.request.map(|hash| hash.hex()),
        queued: entry.queued.map(|id| id.0),
        of: entry.of.iter().map(|id| id.0).collect(),
        parts: entry.parts.iter().map(part).collect(),
        undone: marks.undone,
        diverged: marks.diverged,
        files: entry.files.len() as u64,
    }
}

fn file_line(entry: &Entry, number: u32, file: &FileRecord) -> FileLine {
    let forgotten = file.is_forgotten();
    let attributes = file.attributes.as_ref().map(|attributes| AttributesLine {
        links: attributes.links,
        extended: attributes
            .extended
            .iter()
            .map(|one| AttributeLine {
                name: PortableBytes(one.name.clone()),
                value: one.value.clone().map(PortableBytes),
            })
            .collect(),
    });
    FileLine {
        entry: entry.id.0,
        file: number.into(),
        path: file.path.as_bytes().into(),
        how: method_name(file.how).to_owned(),
        before: file.before.as_ref().map(StateLine::from),
        after: file.after.as_ref().map(StateLine::from),
        added: file.added,
        removed: file.removed,
        made: file.made.iter().map(|path| path.as_bytes().into()).collect(),
        attributes,
        absent: forgotten.then(|| "forgotten".to_owned()),
        extents: if forgotten { 0 } else { file.extents.len() as u64 },
        changes: if forgotten { 0 } else { file.splices.len() as u64 },
    }
}
