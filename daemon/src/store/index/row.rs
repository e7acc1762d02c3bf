//! Values of rows, to bytes and back. Pure.

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::EntryKind;
use editd_proto::path::WirePath;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::limits;
use crate::store::log::frame::Checksum;
use crate::store::record::{EntryPart, FilePart, NumberedLines};
use crate::store::{Position, StoreError};

/// An entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntryRow {
    /// It has been taken back.
    pub undone: bool,
    /// Recovery found a file that is neither before nor after.
    pub diverged: bool,
    /// What made it.
    pub kind: EntryKind,
    /// When, milliseconds since 1970.
    pub time: u64,
    /// The rest; `None` where it does not fit a row.
    pub brief: Option<EntrySummaryRow>,
    /// What commands made of the files that it had written: their entries, oldest first.
    pub hooks: Vec<JobId>,
    /// The parts of it that have been taken back, where that is not all of it.
    pub parts: Vec<FilePart>,
}

/// What `history` shows beside.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EntrySummaryRow {
    /// The number under which it was queued.
    pub queued: Option<JobId>,
    /// The client's key.
    pub key: Option<String>,
    /// Whose.
    pub session: String,
    /// Which program's.
    pub client: String,
    /// Why.
    pub label: Option<String>,
    /// Entries that it took or brought back.
    pub of: Vec<JobId>,
    /// The parts of those entries that it means, where it does not mean them whole.
    pub parts: Vec<EntryPart>,
    /// Its files.
    pub files: Vec<FileRow>,
}

/// One file of an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileRow {
    /// Its path.
    pub path: WirePath,
    /// What was there.
    pub before: Option<ContentHash>,
    /// What is there afterwards.
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
    /// When, milliseconds since 1970.
    pub time: u64,
    /// Whether the record at the place has its receipt.
    pub ended: bool,
}

/// A clipboard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClipRow {
    /// Which of the entry's clipboards it is; `None` where the record is the clipboard itself.
    pub index: Option<u32>,
    /// Its name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// When, milliseconds since 1970.
    pub time: u64,
    /// The file that the text was cut from.
    pub origin: Option<WirePath>,
    /// The origin does not fit the row.
    pub cut: bool,
}

/// What a session has seen of a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReceiptRow {
    /// Which content; `None`: that nothing is there.
    pub hash: Option<ContentHash>,
    /// Which lines; `None` where they do not fit the row.
    pub ranges: Option<Vec<(u64, u64)>>,
    /// When, milliseconds since 1970.
    pub time: u64,
    /// The line numbers under which they were shown; rows of an earlier version have none.
    #[serde(default)]
    pub numbered: Vec<NumberedLines>,
}

/// What the database holds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DatabaseMeta {
    /// Version of the rows, [`ROWS`].
    pub rows: u32,
    /// The last record that was applied.
    pub at: u64,
    /// Its checksum.
    pub sum: Checksum,
    /// The highest number ever given to a job.
    pub last_id: u64,
    /// Entries.
    pub entries: u64,
    /// Rows, without this one.
    pub count: u64,
    /// Bytes of their keys and values.
    pub bytes: u64,
    /// Sum of their hashes.
    pub hash: u64,
}

/// The version of the rows: a database of another is rebuilt from the log.
pub const ROWS: u32 = 4;

/// A value: the place, then the rest.
pub fn value<T: Serialize>(at: Position, rest: &T) -> Result<Vec<u8>, StoreError> {
    let mut bytes = at.0.to_be_bytes().to_vec();
    rmp_serde::encode::write(&mut bytes, rest)
        .map_err(|e| StoreError::Io(format!("a row cannot be encoded: {e}").into()))?;
    Ok(bytes)
}

/// Whether a value fits a row.
pub fn fits(value: &[u8]) -> bool {
    value.len() <= limits::ROW
}

/// The place at the start of a value.
pub fn place(value: &[u8]) -> Result<Position, StoreError> {
    value.first_chunk::<8>().map(|bytes| Position(u64::from_be_bytes(*bytes))).ok_or_else(|| bad("short"))
}

/// What stands behind the place.
pub fn rest<T: DeserializeOwned>(value: &[u8]) -> Result<T, StoreError> {
    let rest = value.get(8..).ok_or_else(|| bad("short"))?;
    rmp_serde::from_slice(rest).map_err(|e| bad(&e.to_string()))
}

/// A value that is only a place.
pub fn place_only(at: Position) -> Vec<u8> {
    at.0.to_be_bytes().to_vec()
}

/// A number that a row adds to [`DatabaseMeta::hash`].
pub fn hash(key: &[u8], value: &[u8]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(key.len() as u64).to_le_bytes());
    hasher.update(key);
    hasher.update(value);
    hasher.finalize().as_bytes().first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn bad(what: &str) -> StoreError {
    StoreError::Io(
        format!("the database holds a row that does not decode ({what}); restart the daemon to rebuild it")
            .into(),
    )
}
