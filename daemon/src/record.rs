//! The records of the log: one enum, and one struct for each kind of record. Stored bytes have a version; the tests
//! have a sample of each version that was ever stored.

use editd_engine::Splice;
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::EntryKind;
use editd_proto::path::FilePath;
use serde::{Deserialize, Serialize};

use crate::os::{BootId, ExtendedAttribute, FileIdentity};

mod file;
pub mod label;

/// A record of the log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Record {
    /// The daemon opened the log. If two of these have different boot ids, the machine was restarted between them.
    Start(StartRecord),
    /// The intended changes of a job. The swap may begin only after a flush of this record.
    Intent(Entry),
    /// The intent was rolled back: nothing of it remains in the workspace.
    Void(JobId),
    /// Every file of the intent has its new content; from here on the entry counts as applied.
    Seal(SealRecord),
    /// The files are flushed and the displaced files are dropped. Recovery ignores the entry from here on.
    Settle(SettleRecord),
    /// A change that no job made: by another program or a hook. It is an entry without anything to do.
    External(Entry),
    /// A clipboard changed outside a job.
    Clip(ClipboardRecord),
    /// A session has seen a content.
    ReadReceipt(ReadReceipt),
    /// A detached job that waits.
    Queued(QueuedJobRecord),
    /// A job with a key, or a detached job, ended, and has no entry under its number.
    Done(EndedWithoutEntry),
    /// An open entry, written again because the segment with its intent is dropped.
    Checkpoint(CheckpointEntry),
    /// Records were lost through damage of the log.
    Lost(LostRecords),
}

impl Record {
    /// Returns the entry of an intent, an external change or a checkpoint.
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
pub struct StartRecord {
    /// The run of the machine.
    pub boot: BootId,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The daemon's version.
    pub version: String,
}

/// An entry of the journal: the intended changes of a job, with its session and reason.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its number.
    pub id: JobId,
    /// The kind of the entry.
    pub kind: EntryKind,
    /// The run of the machine, and of the workspace's mount, in which the intent was written.
    pub boot: BootId,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The session.
    pub session: String,
    /// The client program.
    pub client: String,
    /// The client's key.
    pub key: Option<String>,
    /// The hash of the request, if it has a key: a different request under the same key is refused.
    pub request: Option<ContentHash>,
    /// The label given by the client.
    pub label: Option<String>,
    /// The number of the detached job that made this entry: clients wait for it under that number.
    #[serde(default)]
    pub queued: Option<JobId>,
    /// Entries that it undoes or redoes.
    pub of: Vec<JobId>,
    /// Its files, in the order in which they are swapped.
    pub files: Vec<FileRecord>,
    /// Clipboards that it stores; they count once the entry is sealed.
    pub clips: Vec<ClipboardRecord>,
    /// The parts of entries in `of` that it undoes or redoes; an entry in `of` without parts here is meant whole.
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
    pub path: FilePath,
    /// The file before the change; `None` if there was none.
    pub before: Option<FileMeta>,
    /// The file after the change; `None` if there is none. Before the swap its identity is that of the staged file.
    pub after: Option<FileMeta>,
    /// The changed ranges, with offsets in *before*; they turn *before* into *after*.
    pub splices: Vec<Splice>,
    /// The way in which the change is applied.
    pub how: ChangeMethod,
    /// The name in the staging folder: of the staged file first, and of the displaced file after the swap.
    pub staged_name: String,
    /// The folder that has the staged file.
    pub staging: StagingFolder,
    /// Folders created for the file, outermost first.
    pub made: Vec<FilePath>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// The extents of the changed ranges as planned, if `splices` hold more than those.
    #[serde(default)]
    pub extents: Vec<SpliceExtent>,
    /// The attributes of the file that the change removes, or makes again; `None` if they do not matter or are not
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attributes: Option<FileAttributes>,
}

/// The extent of a changed range: its offset and bytes in *before*, and its bytes in *after*.
pub type SpliceExtent = (u64, u64, u64);

/// The metadata and the content hash of a file at one moment.
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
    /// The identity of the file.
    pub identity: FileIdentity,
    /// Last change of content, nanoseconds since 1970.
    pub modified: i64,
}

/// The extended attributes and the links of a file, beside its [`FileMeta`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileAttributes {
    /// Its extended attributes, access control lists among them.
    pub extended: Vec<ExtendedAttribute>,
    /// The number of its names (hard links).
    pub links: u64,
}

/// The way in which a change is applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ChangeMethod {
    /// The staged file is exchanged with the target.
    Swap,
    /// The staged file is moved to the target, which must not exist.
    Create,
    /// The target is moved to the staging folder.
    Delete,
    /// The file has several hard links, or an owner that a new file cannot get: its bytes are rewritten from the first
    /// changed one to the end.
    InPlace,
    /// Nothing is done: an external change, found at its path.
    Nothing,
    /// Nothing is done: bytes that another program wrote to a file whose name had been taken. Only this entry has
    /// them.
    Rescued,
}

/// The folder that has a staged file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum StagingFolder {
    /// `.editd/staging` at the workspace's root.
    Root,
    /// This folder of the workspace, because the target is on another mount.
    Folder(FilePath),
}

/// The record that every file of an entry has its new content.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SealRecord {
    /// The entry.
    pub id: JobId,
    /// The job's receipt without diffs (MessagePack), for a client that repeats the request with the same key.
    #[serde(with = "serde_bytes")]
    pub receipt: Vec<u8>,
}

/// The record that recovery is done with an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SettleRecord {
    /// The entry.
    pub id: JobId,
    /// True if a file had neither its old nor its new content: it was changed by another program and left as it is.
    pub diverged: bool,
}

/// A clipboard's new content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClipboardRecord {
    /// The session that set it, which owns it unless its name begins with `/`. Empty for such a name in records of earlier
    /// daemons, and after an import.
    pub session: String,
    /// Its name.
    pub name: String,
    /// The content; `None` removes the clipboard.
    #[serde(with = "serde_bytes")]
    pub bytes: Option<Vec<u8>>,
    /// The file that the text was cut from.
    pub origin: Option<FilePath>,
    /// Milliseconds since 1970.
    pub time: u64,
}

/// A session's receipt for a content of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReadReceipt {
    /// The session.
    pub session: String,
    /// The path.
    pub path: FilePath,
    /// The hash of the content; `None` if there was no file.
    pub hash: Option<ContentHash>,
    /// The lines that were shown, 1-based and inclusive; empty if all of them were.
    pub ranges: Vec<(u64, u64)>,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The lines that the session was shown under their numbers: each number once, with its newest meaning,
    /// ascending. Absent in version 1: the session must then read the file before it names lines by their numbers.
    #[serde(default)]
    pub numbered: Vec<NumberedLines>,
}

/// Lines that a session was shown under their numbers, and their present position.
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
    /// The time at which they were shown, in milliseconds since 1970.
    pub time: u64,
}

/// A detached job that waits.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct QueuedJobRecord {
    /// Its number.
    pub id: JobId,
    /// The session.
    pub session: String,
    /// The client program.
    pub client: String,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The client's key.
    pub key: Option<String>,
    /// Hash of the request.
    pub request: ContentHash,
    /// The request (MessagePack of `JobRequest`).
    #[serde(with = "serde_bytes")]
    pub payload: Vec<u8>,
}

/// A job that ended without an entry under its number: it changed nothing, its entry has another number (a detached
/// job that recovery finished), or its entry was dropped by retention.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EndedWithoutEntry {
    /// Its number.
    pub id: JobId,
    /// The session.
    pub session: String,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The client's key.
    pub key: Option<String>,
    /// Hash of the request.
    pub request: ContentHash,
    /// Its receipt (MessagePack).
    #[serde(with = "serde_bytes")]
    pub receipt: Vec<u8>,
}

/// An entry that is neither void nor settled, with all that later records said of it, since those may be dropped,
/// too.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CheckpointEntry {
    /// The entry. The clipboards of a sealed entry have records of their own by now.
    pub entry: Entry,
    /// The receipt in its seal; `None` if it is not sealed.
    #[serde(with = "serde_bytes")]
    pub receipt: Option<Vec<u8>>,
    /// True if it has been undone.
    pub undone: bool,
    /// The entries of hooks that changed files of this entry, oldest first.
    pub hooks: Vec<JobId>,
    /// The parts of it that have been undone, if not all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<FilePart>,
}

/// Records that were lost through damage of the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LostRecords {
    /// The position of the damage in the log at that time.
    pub at: u64,
    /// Their number, if it is known.
    pub records: Option<u64>,
    /// The first and last number of each run of entries that may be among them.
    pub entries: Vec<(u64, u64)>,
    /// The highest number that they may have given to a job.
    pub last_id: u64,
    /// The time at which the loss was noticed, in milliseconds since 1970.
    pub time: u64,
    /// Entries whose end may be among them: recovery decides by their files. `true`: the entry is known to have been
    /// applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubtful: Vec<(JobId, bool)>,
}
