//! What the log holds: one enum, one struct for each kind of record. Stored bytes carry a version; a
//! sample of each version that was ever stored stands in the tests.

use std::borrow::Cow;

use editd_engine::Splice;
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::EntryKind;
use editd_proto::path::WirePath;
use serde::{Deserialize, Serialize};

use crate::os::{BootId, Identity};

/// A record of the log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Record {
    /// The daemon opened the log. A power cut lies between two of these with different boots.
    Start(Start),
    /// What a job is about to do. Only a flush of it permits the swap.
    Intent(Entry),
    /// The intent was withdrawn: nothing of it stands.
    Void(JobId),
    /// Every file of the intent shows *after*; the entry counts from here.
    Seal(Seal),
    /// The files are flushed and what they displaced is dropped. Recovery is done with the entry.
    Settle(Settle),
    /// A change that did not go through editd: an entry with nothing to do.
    External(Entry),
    /// A clipboard changed outside a job.
    Clip(Clip),
    /// A session has seen a content.
    ReadReceipt(ReadReceipt),
    /// A detached job waits.
    Queued(Queued),
    /// A job with a key, or a detached job, ended without an entry.
    Done(EndedWithoutEntry),
    /// An open entry, written again since the segment with its intent goes.
    Checkpoint(CheckpointEntry),
}

impl Record {
    /// The entry that an intent, an external change or a carried entry holds.
    #[must_use]
    pub fn into_entry(self) -> Option<Entry> {
        match self {
            Self::Intent(entry) | Self::External(entry) => Some(entry),
            Self::Checkpoint(carried) => Some(carried.entry),
            _ => None,
        }
    }
}

/// The daemon opened the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Start {
    /// The run of the machine.
    pub boot: BootId,
    /// When, milliseconds since 1970.
    pub time: u64,
    /// The daemon's version.
    pub version: String,
}

/// An entry of the journal: what was intended, by whom and why.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its number.
    pub id: JobId,
    /// What made it.
    pub kind: EntryKind,
    /// The run of the machine, and of the workspace's mount, in which it was intended.
    pub boot: BootId,
    /// When, milliseconds since 1970.
    pub time: u64,
    /// Whose.
    pub session: String,
    /// Which program's.
    pub client: String,
    /// The client's key.
    pub key: Option<String>,
    /// With a key: hash of the request, so that another request under the same key can be told.
    pub request: Option<ContentHash>,
    /// Why.
    pub label: Option<String>,
    /// The detached job whose entry this is: a client waits for it under that number.
    #[serde(default)]
    pub queued: Option<JobId>,
    /// Entries that it takes back (undo) or brings back (redo).
    pub of: Vec<JobId>,
    /// Its files, in the order in which they are swapped.
    pub files: Vec<FileRecord>,
    /// Clipboards that it stores; they count once it is sealed.
    pub clips: Vec<Clip>,
    /// The parts of entries in `of` that it takes back or brings back; an entry in `of` with none here is meant whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<EntryPart>,
}

/// A part of an entry: the change of one file, or some hunks of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryPart {
    /// The entry.
    pub entry: JobId,
    /// The number of files that the entry has.
    pub files: u32,
    /// The part.
    pub part: FilePart,
}

/// Some hunks of the change of one file of an entry, or all of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FilePart {
    /// The position of the file among those of the entry.
    pub file: u32,
    /// First and last number of each run of hunks, counted from 1 as `show` does; empty for the whole file.
    pub hunks: Vec<(u32, u32)>,
    /// The number of hunks that the change has; 0 for the whole file.
    pub total: u32,
}

/// One file of an entry.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileRecord {
    /// Its path, links resolved.
    pub path: WirePath,
    /// What was there.
    pub before: Option<FileMeta>,
    /// What is there afterwards. Before the swap its identity is the staged file's.
    pub after: Option<FileMeta>,
    /// The changed ranges, in *before*'s offsets: what turns one into the other.
    pub splices: Vec<Splice>,
    /// How it is put in place.
    pub how: ChangeMethod,
    /// The name in the staging folder: first of the staged file, after the swap of what it displaced.
    pub staged_name: String,
    /// Which folder the slot is in.
    pub staging: Staging,
    /// Folders made for it, outermost first.
    pub made: Vec<WirePath>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// The extents of the changed ranges as they were planned, where `splices` hold more than those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extents: Vec<SpliceExtent>,
}

/// The extent of a changed range: its offset and bytes in *before*, and its bytes in *after*.
pub type SpliceExtent = (u64, u64, u64);

impl FileRecord {
    /// A file that is put in place as it stands in its slot, with nothing about its content.
    #[must_use]
    pub fn without_content(
        path: WirePath,
        before: Option<FileMeta>,
        after: Option<FileMeta>,
        how: ChangeMethod,
        (staging, staged_name): (Staging, String),
    ) -> Self {
        let (splices, made, extents) = (Vec::new(), Vec::new(), Vec::new());
        Self { path, before, after, splices, how, staged_name, staging, made, added: 0, removed: 0, extents }
    }

    /// The changed ranges as they were planned, of whole contents, or of the parts of them that begin at `from`.
    #[must_use]
    pub fn planned(&self, before: &[u8], after: &[u8], from: u64) -> Cow<'_, [Splice]> {
        if self.extents.is_empty() {
            return Cow::Borrowed(&self.splices);
        }
        let cut = |bytes: &[u8], at: u64, size: u64| {
            let at = usize::try_from(at.checked_sub(from)?).ok()?;
            Some(bytes.get(at..at.checked_add(usize::try_from(size).ok()?)?)?.to_vec())
        };
        let (mut gone, mut come) = (0_u64, 0_u64);
        let splice = |&(at, old, new): &SpliceExtent| {
            let made = at.checked_sub(gone)?.checked_add(come)?;
            (gone, come) = (gone.checked_add(old)?, come.checked_add(new)?);
            Some(Splice {
                at: at.checked_sub(from)?,
                old: cut(before, at, old)?,
                new: cut(after, made, new)?,
            })
        };
        let planned: Option<Vec<Splice>> = self.extents.iter().map(splice).collect();
        planned.map_or(Cow::Borrowed(&self.splices), Cow::Owned)
    }
}

/// What a file is, at one moment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileMeta {
    /// Hash of the content.
    pub hash: ContentHash,
    /// Bytes.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Which file it is.
    pub identity: Identity,
    /// Last change of content, nanoseconds since 1970.
    pub modified: i64,
}

/// How a change is put in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ChangeMethod {
    /// The staged file is exchanged with the target.
    Swap,
    /// The staged file is moved to the target, which must not exist.
    Create,
    /// The target is moved to the slot.
    Delete,
    /// The file has several hard links: its bytes are rewritten from the first changed one to the end.
    InPlace,
    /// Nothing: an external change, found at its path.
    Nothing,
    /// Nothing: bytes that others wrote to a file whose name had been taken; they stand only here.
    Rescued,
}

/// Which folder holds a slot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Staging {
    /// `.editd/staging` at the workspace's root.
    Root,
    /// This folder of the workspace, since the target is on another mount.
    Folder(WirePath),
}

/// Every file shows *after*.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Seal {
    /// The entry.
    pub id: JobId,
    /// The job's receipt without diffs (MessagePack), for a client that asks again with the same key.
    #[serde(with = "serde_bytes")]
    pub receipt: Vec<u8>,
}

/// Recovery is done with an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Settle {
    /// The entry.
    pub id: JobId,
    /// Some file was found neither before nor after: foreign, left as it is.
    pub diverged: bool,
}

/// A clipboard's new content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Clip {
    /// The session; empty for a name that begins with `/`.
    pub session: String,
    /// Its name.
    pub name: String,
    /// What it holds; `None` removes it.
    #[serde(with = "serde_bytes")]
    pub bytes: Option<Vec<u8>>,
    /// The file that the text was cut from.
    pub origin: Option<WirePath>,
    /// When, milliseconds since 1970.
    pub time: u64,
}

/// A session's receipt for a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReadReceipt {
    /// Who.
    pub session: String,
    /// Which file.
    pub path: WirePath,
    /// Which content; `None`: that nothing is there.
    pub hash: Option<ContentHash>,
    /// Which lines were shown, 1-based and inclusive; all where empty.
    pub ranges: Vec<(u64, u64)>,
    /// When, milliseconds since 1970.
    pub time: u64,
    /// The line numbers under which the session was shown lines: each number once, with its newest meaning, ascending.
    /// Absent in version 1: the session must read the file before it names lines by their numbers.
    #[serde(default)]
    pub numbered: Vec<NumberedLines>,
}

/// Lines that a session was shown under their numbers, and their present place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NumberedLines {
    /// The content that the numbers refer to.
    pub hash: ContentHash,
    /// The first number.
    pub first: u64,
    /// The last number.
    pub last: u64,
    /// The number of the first line in the content of the receipt; `None` if the lines were changed or removed.
    pub now: Option<u64>,
    /// When they were shown, milliseconds since 1970.
    pub time: u64,
}

/// A detached job that waits.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Queued {
    /// Its number.
    pub id: JobId,
    /// Whose.
    pub session: String,
    /// Which program's.
    pub client: String,
    /// When, milliseconds since 1970.
    pub time: u64,
    /// The client's key.
    pub key: Option<String>,
    /// Hash of the request.
    pub request: ContentHash,
    /// The request (MessagePack of `JobRequest`).
    #[serde(with = "serde_bytes")]
    pub payload: Vec<u8>,
}

/// A job ended without an entry.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EndedWithoutEntry {
    /// Its number.
    pub id: JobId,
    /// Whose.
    pub session: String,
    /// When, milliseconds since 1970.
    pub time: u64,
    /// The client's key.
    pub key: Option<String>,
    /// Hash of the request.
    pub request: ContentHash,
    /// Its receipt (MessagePack).
    #[serde(with = "serde_bytes")]
    pub receipt: Vec<u8>,
}

/// An entry that is neither voided nor settled, with all that later records had said of it: those may go, too.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CheckpointEntry {
    /// It. Clipboards of a sealed one are records of their own by now.
    pub entry: Entry,
    /// What its seal held; `None`: it is not sealed.
    #[serde(with = "serde_bytes")]
    pub receipt: Option<Vec<u8>>,
    /// It has been taken back.
    pub undone: bool,
    /// What commands made of the files that it had written: their entries, oldest first.
    pub hooks: Vec<JobId>,
    /// The parts of it that have been taken back, where that is not all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<FilePart>,
}
