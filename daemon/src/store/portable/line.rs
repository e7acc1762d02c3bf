//! The lines of an exported journal. Data only.

use editd_proto::message::EntryKind;
use serde::{Deserialize, Serialize};

use super::bytes::PortableBytes;
use crate::record::SpliceExtent;

/// One line. Its `type` is the name of the variant in lower case.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum JournalLine {
    /// The first line.
    Header(HeaderLine),
    /// An entry. The lines of its files follow.
    Entry(EntryLine),
    /// A file of the entry. The lines of its extents and changes follow.
    File(FileLine),
    /// The extents of the changed ranges as planned.
    Extents(ExtentsLine),
    /// A changed range of the file.
    Change(ChangeLine),
    /// A whole content.
    Content(ContentLine),
    /// A clipboard.
    Clipboard(ClipboardLine),
    /// More bytes of the change, content or clipboard before it.
    More(MoreLine),
    /// Something that the file does not have, with the reason.
    Absent(AbsentLine),
    /// The last line.
    End(EndLine),
}

/// The first line of a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HeaderLine {
    /// The name of the format.
    pub format: String,
    /// Its version.
    pub version: u64,
    /// The version of the editd that wrote the file.
    pub editd: String,
    /// The absolute path of the workspace, for people.
    pub workspace: PortableBytes,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The entry from which on entries were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// The first entry; `None` if there is none.
    #[serde(default)]
    pub first: Option<u64>,
    /// The last entry; `None` if there is none.
    #[serde(default)]
    pub last: Option<u64>,
    /// The parts of the journal that the file has.
    #[serde(default)]
    pub contains: Vec<String>,
}

/// An entry of the journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EntryLine {
    /// Its number.
    pub id: u64,
    /// The kind of the entry.
    pub kind: EntryKind,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The session.
    pub session: String,
    /// The client program.
    pub client: String,
    /// The label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The client's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The hash of the request, if it has a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The number of the detached job that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<u64>,
    /// Entries that it undoes or redoes, or the job of a hook.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<u64>,
    /// The parts of those entries that are meant, for entries that are not meant whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartLine>,
    /// True if it has been undone. An import computes it from later entries.
    #[serde(default, skip_serializing_if = "is_false")]
    pub undone: bool,
    /// True if recovery found a file with neither its old nor its new content.
    #[serde(default, skip_serializing_if = "is_false")]
    pub diverged: bool,
    /// The number of its files.
    pub files: u64,
}

/// A part of an entry that an undo or redo names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PartLine {
    /// The entry.
    pub entry: u64,
    /// The number of files that the entry has.
    pub files: u32,
    /// The file, from 1.
    pub file: u32,
    /// First and last number of each run of hunks; empty for the whole file.
    #[serde(default)]
    pub hunks: Vec<(u32, u32)>,
    /// The number of hunks of the change.
    #[serde(default)]
    pub total: u32,
}

/// A file of an entry.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileLine {
    /// The entry.
    pub entry: u64,
    /// The number of the file in the entry, from 1.
    pub file: u64,
    /// Its path in the workspace.
    pub path: PortableBytes,
    /// The way in which the change was made.
    pub how: String,
    /// The file before; `None` if there was none.
    #[serde(default)]
    pub before: Option<StateLine>,
    /// The file after; `None` if there is none.
    #[serde(default)]
    pub after: Option<StateLine>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// Folders created for the file, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<PortableBytes>,
    /// The attributes of a file that the change removes or makes again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attributes: Option<AttributesLine>,
    /// The reason why its changes are absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// The number of extents in the lines after it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub extents: u64,
    /// The number of changes in the lines after it.
    pub changes: u64,
}

/// The metadata and the hash of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StateLine {
    /// The BLAKE3 hash of its content: 64 hexadecimal digits.
    pub hash: String,
    /// Bytes.
    pub size: u64,
    /// Permission bits, octal; `None` if they are not known.
    #[serde(default)]
    pub mode: Option<String>,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Last change of content, nanoseconds since 1970.
    pub modified: i64,
}

/// The extended attributes and the number of names of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AttributesLine {
    /// Hard links.
    pub links: u64,
    /// Extended attributes.
    #[serde(default)]
    pub extended: Vec<AttributeLine>,
}

/// An extended attribute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AttributeLine {
    /// Its name.
    pub name: PortableBytes,
    /// Its value; `None` if it is not known.
    #[serde(default)]
    pub value: Option<PortableBytes>,
}

/// Extents of changed ranges.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExtentsLine {
    /// Offset and bytes before, and bytes after.
    pub extents: Vec<SpliceExtent>,
}

/// A changed range.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChangeLine {
    /// The entry.
    pub entry: u64,
    /// The number of the file in the entry, from 1.
    pub file: u64,
    /// The offset in the content before, in bytes.
    pub at: u64,
    /// The bytes before.
    #[serde(default)]
    pub old: PortableBytes,
    /// The bytes after.
    #[serde(default)]
    pub new: PortableBytes,
    /// The number of `more` lines that follow.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
}

/// A whole content.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ContentLine {
    /// Its BLAKE3 hash: 64 hexadecimal digits.
    pub hash: String,
    /// Bytes.
    pub size: u64,
    /// Its bytes.
    pub bytes: PortableBytes,
    /// The number of `more` lines that follow.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
}

/// A clipboard.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ClipboardLine {
    /// The session; empty for a clipboard of the workspace.
    pub session: String,
    /// Its name.
    pub name: String,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The file that the text was cut from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<PortableBytes>,
    /// Its bytes.
    pub bytes: PortableBytes,
    /// The number of `more` lines that follow.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
}

/// More bytes of the line before it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MoreLine {
    /// Of a change: bytes before.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub old: PortableBytes,
    /// Of a change: bytes after.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub new: PortableBytes,
    /// Of a content or a clipboard.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub bytes: PortableBytes,
}

/// Something that is absent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AbsentLine {
    /// First and last entry. Lines of the entry that were before this one do not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<(u64, u64)>,
    /// The hash of the content whose lines were before this one: they do not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The session and name of a clipboard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clipboard: Option<String>,
    /// The reason.
    pub reason: AbsenceReason,
}

impl AbsentLine {
    /// Creates the line of something that has no name yet.
    pub fn of(reason: AbsenceReason) -> Self {
        Self { entries: None, content: None, clipboard: None, reason }
    }
}

/// The reason why something is absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbsenceReason {
    /// Retention removed it.
    Pruned,
    /// Its record is damaged, or may have been lost through damage.
    Damaged,
    /// The job had not ended.
    Unfinished,
    /// It was removed by `editctl forget` while the file was written.
    Forgotten,
    /// The line would be longer than a file may have.
    TooLong,
}

/// The last line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EndLine {
    /// Lines before it.
    pub lines: u64,
    /// Bytes before it.
    pub bytes: u64,
    /// The SHA-256 of these bytes: 64 hexadecimal digits.
    pub sha256: String,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

fn is_empty(bytes: &PortableBytes) -> bool {
    bytes.0.is_empty()
}
