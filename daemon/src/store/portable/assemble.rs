//! Puts the lines of an exported journal together again: entries, contents and clipboards. Pure: it holds one of them at a
//! time, with a bound on its bytes.

use editd_engine::Splice;
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::limits as wire;

use super::line::{
    AbsenceReason, AbsentLine, AttributesLine, ChangeLine, ClipboardLine, ContentLine, EntryLine, FileLine,
    HeaderLine, JournalLine, MoreLine,
};
use super::{FORMAT, VERSION, check, convert};
use crate::limits;
use crate::os::{BootId, ExtendedAttribute};
use crate::record::{
    ClipboardRecord, Entry, EntryPart, FileAttributes, FilePart, FileRecord, StagingFolder, label,
};

/// The memory of a change beside its bytes.
const CHANGE: usize = 64;

/// Something that several lines make up.
#[derive(Debug)]
pub enum ImportedItem {
    /// The header.
    Header(HeaderLine),
    /// An entry; true if it diverged.
    Entry(Box<Entry>, bool),
    /// A whole content.
    Content(ContentHash, Vec<u8>),
    /// A clipboard.
    Clipboard(ClipboardRecord),
    /// Something that the file does not have.
    Absent(AbsentLine),
}

/// The bytes to which `more` lines are added.
#[derive(Debug)]
enum OpenBytes {
    /// Those of the last change of the last file.
    Change,
    Content(ContentHash, u64, Vec<u8>),
    Clipboard(ClipboardRecord),
}

#[derive(Debug)]
struct OpenEntry {
    entry: Entry,
    diverged: bool,
    /// Files, and extents and changes of the last of them, that are still to come.
    files: u64,
    extents: u64,
    changes: u64,
    /// The bytes that it takes.
    bytes: usize,
}

/// The items of a file.
#[derive(Default, Debug)]
pub struct LineAssembler {
    begun: bool,
    /// The last entry.
    last: u64,
    open: Option<OpenEntry>,
    /// The bytes that are incomplete, and the `more` lines that are still to come.
    more: Option<(OpenBytes, u64)>,
}

impl LineAssembler {
    /// Takes the next line, and returns what it completes.
    ///
    /// # Errors
    /// The line is wrong, or not in its place.
    pub fn take(&mut self, line: JournalLine) -> Result<Option<ImportedItem>, String> {
        if let JournalLine::Absent(line) = line {
            return self.absent(line).map(Some);
        }
        match (line, self.more.take()) {
            (JournalLine::Header(line), None) if !self.begun => self.header(line).map(Some),
            _ if !self.begun => {
                Err(format!("the file does not begin with the header of an exported journal ({FORMAT})"))
            }
            (JournalLine::More(line), Some((bytes, left))) => self.add(line, bytes, left),
            (_, Some(_)) => {
                Err("the line before it is not complete: a line of more bytes is missing".to_owned())
            }
            (JournalLine::Entry(line), None) => self.entry(&line),
            (JournalLine::File(line), None) => self.file(line),
            (JournalLine::Extents(line), None) => {
                let open = self.open.as_mut().ok_or("extents belong to a file of an entry")?;
                let count = line.extents.len() as u64;
                open.extents = open
                    .extents
                    .checked_sub(count)
                    .filter(|_| count > 0)
                    .ok_or("there are more extents than its file says")?;
                let file = open.entry.files.last_mut().ok_or("extents belong to a file")?;
                file.extents.extend(line.extents);
                open.hold(count as usize * CHANGE)?;
                self.finished()
            }
            (JournalLine::Change(line), None) => self.change(line),
            (JournalLine::Content(line), None) => self.content(line),
            (JournalLine::Clipboard(line), None) => self.clipboard(line),
            (JournalLine::Header(_), None) => {
                Err("a second header; import one exported file at a time".to_owned())
            }
            (JournalLine::More(_), None) => Err("it continues a line that is complete".to_owned()),
            (JournalLine::Absent(_) | JournalLine::End(_), None) => Ok(None),
        }
    }

    /// Returns an error if something is incomplete.
    pub fn end(&self) -> Result<(), String> {
        match (&self.open, &self.more) {
            (None, None) if self.begun => Ok(()),
            _ => Err("the file ends within an entry or a content; export it again".to_owned()),
        }
    }

    fn header(&mut self, line: HeaderLine) -> Result<ImportedItem, String> {
        if line.format != FORMAT {
            return Err(format!("its format is {:?}; only {FORMAT} can be imported", line.format));
        }
        if line.version != VERSION {
            return Err(format!(
                "its format has version {}, and this editd knows version {VERSION}; import it with the editd that wrote it \
                 ({})",
                line.version, line.editd
            ));
        }
        self.begun = true;
        Ok(ImportedItem::Header(line))
    }

    fn absent(&mut self, line: AbsentLine) -> Result<ImportedItem, String> {
        if !self.begun {
            return Err(format!("the file does not begin with the header of an exported journal ({FORMAT})"));
        }
        self.more = None;
        if let Some((first, last)) = line.entries {
            check::number(first)?;
            check::number(last)?;
            if self.open.take_if(|open| (first..=last).contains(&open.entry.id.0)).is_none()
                && self.open.is_some()
            {
                return Err("an entry is not complete".to_owned());
            }
            if first > last {
                return Err(format!("entries {first} to {last} are no range"));
            }
        }
        check::text("clipboard", line.clipboard.as_deref().unwrap_or_default())?;
        Ok(ImportedItem::Absent(line))
    }

    fn entry(&mut self, line: &EntryLine) -> Result<Option<ImportedItem>, String> {
        if let Some(open) = &self.open {
            return Err(format!(
                "entry {} is not complete: a file or a change of it is missing",
                open.entry.id
            ));
        }
        check::entry(line, self.last)?;
        self.last = line.id;
        let request = line.request.as_deref().map(|hex| convert::hash(hex).ok_or("`request` is not a hash"));
        let part = |part: &super::line::PartLine| EntryPart {
            entry: JobId(part.entry),
            files: part.files,
            part: FilePart {
                file: part.file.saturating_sub(1),
                hunks: part.hunks.clone(),
                total: part.total,
            },
        };
        let entry = Entry {
            id: JobId(line.id),
            kind: line.kind,
            boot: BootId([0; 16]),
            time: line.time,
            session: line.session.clone(),
            client: line.client.clone(),
            key: line.key.clone(),
            request: request.transpose()?,
            label: line.label.as_deref().map(|given| label::cut(given, check::TEXT).into_owned()),
            queued: line.queued.map(JobId),
            of: line.of.iter().copied().map(JobId).collect(),
            files: Vec::new(),
            clips: Vec::new(),
            parts: line.parts.iter().map(part).collect(),
        };
        let (files, diverged) = (line.files, line.diverged);
        self.open = Some(OpenEntry { entry, diverged, files, extents: 0, changes: 0, bytes: 0 });
        self.finished()
    }

    fn file(&mut self, line: FileLine) -> Result<Option<ImportedItem>, String> {
        let open = self.open.as_mut().ok_or("a file belongs to an entry")?;
        if open.changes > 0 || open.extents > 0 {
            return Err("a change of the file before it is missing".to_owned());
        }
        check::file_line(&line, open.entry.id.0, open.entry.files.len() as u64 + 1)?;
        let state = |state: Option<super::line::StateLine>| match state {
            Some(state) => state.meta().map(Some).ok_or("a hash or a mode is not valid"),
            None => Ok(None),
        };
        let how =
            convert::method(&line.how).ok_or_else(|| format!("{:?} is no way of a change", line.how))?;
        let path = check::path(&line.path.0)?;
        let staging = (StagingFolder::Root, String::new());
        let mut file =
            FileRecord::without_content(path, state(line.before)?, state(line.after)?, how, staging);
        file.made = line.made.iter().map(|path| check::path(&path.0)).collect::<Result<_, _>>()?;
        (file.added, file.removed) = (line.added, line.removed);
        file.attributes = line.attributes.map(attributes);
        if line.absent.is_some() {
            file.forget_contents();
        }
        open.hold(file.path.as_bytes().len() + file.made.len() * CHANGE + 4 * CHANGE)?;
        open.entry.files.push(file);
        (open.files, open.extents, open.changes) = (open.files.saturating_sub(1), line.extents, line.changes);
        self.finished()
    }

    fn change(&mut self, line: ChangeLine) -> Result<Option<ImportedItem>, String> {
        let open = self.open.as_mut().filter(|open| open.changes > 0 && open.extents == 0);
        let open = open.ok_or("a change belongs to a file, which says how many it has")?;
        if (line.entry, line.file) != (open.entry.id.0, open.entry.files.len() as u64) {
            return Err(format!(
                "a change of file {} of entry {} is not in its place",
                line.file, line.entry
            ));
        }
        let file = open.entry.files.last_mut().ok_or("a change belongs to a file")?;
        let bytes = line.old.0.len() + line.new.0.len();
        file.splices.push(Splice { at: line.at, old: line.old.0, new: line.new.0 });
        open.hold(bytes + CHANGE)?;
        self.begin(OpenBytes::Change, line.more)
    }

    fn content(&mut self, line: ContentLine) -> Result<Option<ImportedItem>, String> {
        let hash = convert::hash(&line.hash).ok_or("`hash` is not a hash")?;
        self.begin(OpenBytes::Content(hash, line.size, line.bytes.0), line.more)
    }

    fn clipboard(&mut self, line: ClipboardLine) -> Result<Option<ImportedItem>, String> {
        if self.open.is_some() {
            return Err("an entry is not complete: a file or a change of it is missing".to_owned());
        }
        if line.name.is_empty() || line.name.len() > wire::NAME {
            return Err("a clipboard has no valid name".to_owned());
        }
        let session = if line.name.starts_with('/') { "" } else { check::text("session", &line.session)? };
        let clip = ClipboardRecord {
            session: session.to_owned(),
            name: line.name,
            bytes: Some(line.bytes.0),
            origin: line.origin.map(|path| check::path(&path.0)).transpose()?,
            time: check::time(line.time)?,
        };
        self.begin(OpenBytes::Clipboard(clip), line.more)
    }

    fn begin(&mut self, bytes: OpenBytes, more: u64) -> Result<Option<ImportedItem>, String> {
        if more > 0 {
            self.more = Some((bytes, more));
            return Ok(None);
        }
        self.complete(bytes)
    }

    fn add(
        &mut self,
        line: MoreLine,
        mut bytes: OpenBytes,
        left: u64,
    ) -> Result<Option<ImportedItem>, String> {
        let (own, other) = (line.old.0.len() + line.new.0.len(), line.bytes.0.len());
        let held = match &mut bytes {
            OpenBytes::Change => {
                let open = self.open.as_mut().ok_or("a change belongs to an entry")?;
                let last = open.entry.files.last_mut().and_then(|file| file.splices.last_mut());
                let splice = last.ok_or("a change belongs to a file")?;
                splice.old.extend(line.old.0);
                splice.new.extend(line.new.0);
                open.hold(own)?;
                other == 0
            }
            OpenBytes::Content(_, _, into) => {
                into.extend(line.bytes.0);
                own == 0 && into.len() <= wire::FILE
            }
            OpenBytes::Clipboard(clip) => {
                let into = clip.bytes.get_or_insert_default();
                into.extend(line.bytes.0);
                own == 0 && into.len() <= wire::CLIPBOARD
            }
        };
        if !held || own + other == 0 {
            return Err("its bytes do not belong to the line before it, or are too many".to_owned());
        }
        self.begin(bytes, left.saturating_sub(1))
    }

    fn complete(&mut self, bytes: OpenBytes) -> Result<Option<ImportedItem>, String> {
        match bytes {
            OpenBytes::Change => {
                if let Some(open) = &mut self.open {
                    open.changes = open.changes.saturating_sub(1);
                }
                self.finished()
            }
            OpenBytes::Content(hash, size, bytes) => {
                if bytes.len() as u64 != size || blake3::hash(&bytes).as_bytes() != hash.as_bytes() {
                    return Err("the content does not have the size and hash that its line states".to_owned());
                }
                Ok(Some(ImportedItem::Content(hash, bytes)))
            }
            OpenBytes::Clipboard(clip) => {
                if clip.bytes.as_ref().is_some_and(|bytes| bytes.len() > wire::CLIPBOARD) {
                    return Err(format!("a clipboard has more than {} bytes", wire::CLIPBOARD));
                }
                Ok(Some(ImportedItem::Clipboard(clip)))
            }
        }
    }

    /// Returns the entry if all of its lines were taken.
    fn finished(&mut self) -> Result<Option<ImportedItem>, String> {
        let Some(open) = &self.open else { return Ok(None) };
        if open.changes > 0 || open.extents > 0 {
            return Ok(None);
        }
        if let Some(file) = open.entry.files.last() {
            check::file(file)?;
        }
        let whole = self.open.take_if(|open| open.files == 0);
        Ok(whole.map(|open| ImportedItem::Entry(Box::new(open.entry), open.diverged)))
    }
}

impl OpenEntry {
    /// Counts bytes that the entry takes.
    fn hold(&mut self, bytes: usize) -> Result<(), String> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > limits::RECORD {
            return Err(format!("entry {} has more than {} bytes", self.entry.id, limits::RECORD));
        }
        Ok(())
    }
}

fn attributes(line: AttributesLine) -> FileAttributes {
    let extended = line
        .extended
        .into_iter()
        .map(|one| ExtendedAttribute { name: one.name.0, value: one.value.map(|value| value.0) });
    FileAttributes { links: line.links, extended: extended.collect() }
}

/// Returns the first and last of the absent entries if they may have been lost; the journal notes those.
pub fn is_loss(line: &AbsentLine) -> Option<(u64, u64)> {
    line.entries.filter(|_| matches!(line.reason, AbsenceReason::Damaged | AbsenceReason::TooLong))
}
