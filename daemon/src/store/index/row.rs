//! Converts the values of rows to bytes and back. Pure.

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::EntryKind;
use editd_proto::path::FilePath;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::limits;
use crate::record::{EntryPart, FilePart, NumberedLines};
use crate::store::database::DatabaseError;
use crate::store::log::frame::Checksum;
use crate::store::{LogPosition, StoreError};

/// Bytes that most values fit in.
const USUAL: usize = 256;

/// An entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryRow {
    /// True if it has been undone.
    pub undone: bool,
    /// True if recovery found a file with neither its old nor its new content.
    pub diverged: bool,
    /// The kind of the entry.
    pub kind: EntryKind,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The rest of the summary; `None` if it does not fit a row.
    pub brief: Option<EntrySummaryRow>,
    /// The entries of hooks that changed files of this entry, oldest first.
    pub hooks: Vec<JobId>,
    /// The parts of it that have been undone, if not all of it.
    pub parts: Vec<FilePart>,
    /// True if contents of it were removed from the journal. Absent in rows of earlier daemons.
    #[serde(default)]
    pub forgotten: bool,
}

/// The part of an entry's summary that may not fit a row.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntrySummaryRow {
    /// The number under which it was queued.
    pub queued: Option<JobId>,
    /// The client's key.
    pub key: Option<String>,
    /// The session.
    pub session: String,
    /// The client program.
    pub client: String,
    /// The label.
    pub label: Option<String>,
    /// Entries that it undid or redid.
    pub of: Vec<JobId>,
    /// The parts of those entries, for entries that it does not mean whole.
    pub parts: Vec<EntryPart>,
    /// Its files.
    pub files: Vec<FileRow>,
}

/// One file of an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileRow {
    /// Its path.
    pub path: FilePath,
    /// The hash before the change.
    pub before: Option<ContentHash>,
    /// The hash after the change.
    pub after: Option<ContentHash>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// A client's key.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KeyRow {
    /// The job.
    pub id: JobId,
    /// Hash of its request.
    pub request: Option<ContentHash>,
    /// Milliseconds since 1970.
    pub time: u64,
    /// True if the record at the position has its receipt.
    pub ended: bool,
}

/// A clipboard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClipRow {
    /// The position among the entry's clipboards; `None` if the record is the clipboard itself.
    pub index: Option<u32>,
    /// Its name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The file that the text was cut from.
    pub origin: Option<FilePath>,
    /// True if the origin does not fit the row.
    pub cut: bool,
    /// The digest of the session that set it, if its name begins with `/`. Absent in rows of earlier
    /// daemons.
    #[serde(default)]
    pub setter: Option<Checksum>,
}

/// A session's read receipt for a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReceiptRow {
    /// The content; `None` if nothing was there.
    pub hash: Option<ContentHash>,
    /// The lines that were shown; `None` if they do not fit the row.
    pub ranges: Option<Vec<(u64, u64)>>,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The lines that were shown under their numbers; rows of an earlier version have none.
    #[serde(default)]
    pub numbered: Vec<NumberedLines>,
}

/// A void entry whose staged files may still be there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VoidRow {
    /// The names of the files in `.editd/staging`; `None` if they do not fit the row, or if other folders have some.
    pub staged_names: Option<Vec<String>>,
}

/// Records that were lost through damage of the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LostRow {
    /// The number of lost records, if it is known.
    pub records: Option<u64>,
    /// The first and last number of each run of entries that may be among them; `None` if they do not fit the row.
    pub entries: Option<Vec<(u64, u64)>>,
    /// The time at which the loss was noticed, in milliseconds since 1970.
    pub time: u64,
}

/// The contents of the database: it is trusted only if the log has the record that it reaches.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DatabaseMeta {
    /// Version of the rows, [`ROWS`].
    pub rows: u32,
    /// The position of the last record that was applied.
    pub at: u64,
    /// Its checksum.
    pub sum: Checksum,
    /// The highest number ever given to a job.
    pub last_id: u64,
    /// Entries.
    pub entries: u64,
    /// The number of the oldest segment of the log to which rows may lead.
    pub oldest: u64,
}

/// The version of the rows: a database with another version is rebuilt from the log.
pub const ROWS: u32 = 6;

/// Encodes a value: the position, then the rest.
pub fn value<T: Serialize>(at: LogPosition, rest: &T) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::with_capacity(USUAL);
    bytes.extend_from_slice(&at.0.to_be_bytes());
    rmp_serde::encode::write(&mut bytes, rest).map_err(|e| {
        StoreError::Io(format!("a row of the database cannot be made: {e}; please report this").into())
    })?;
    Ok(bytes)
}

/// Encodes a value. If it does not fit a row, `cut` first removes the parts that look-ups can read from the record.
pub fn fitting_value<T: Serialize>(
    at: LogPosition,
    mut rest: T,
    cut: impl FnOnce(&mut T),
) -> Result<Vec<u8>, StoreError> {
    let whole = value(at, &rest)?;
    if whole.len() <= limits::ROW {
        return Ok(whole);
    }
    cut(&mut rest);
    value(at, &rest)
}

/// Returns the position at the start of a value.
pub fn place(value: &[u8]) -> Result<LogPosition, StoreError> {
    value.first_chunk::<8>().map(|bytes| LogPosition(u64::from_be_bytes(*bytes))).ok_or_else(|| bad("short"))
}

/// Decodes the part of a value behind the position.
pub fn rest<T: DeserializeOwned>(value: &[u8]) -> Result<T, StoreError> {
    let rest = value.get(8..).ok_or_else(|| bad("short"))?;
    rmp_serde::from_slice(rest).map_err(|e| bad(&e.to_string()))
}

/// Encodes a value that is only a position.
pub fn place_only(at: LogPosition) -> Vec<u8> {
    at.0.to_be_bytes().to_vec()
}

fn bad(what: &str) -> StoreError {
    StoreError::Database(DatabaseError(format!("one of its rows cannot be read ({what})")))
}
