//! Encodes records to bytes and decodes them, in all kinds and versions that were ever stored. Pure.
//!
//! A payload is MessagePack without field names; the contents of a version never change. A new field is a new
//! version, decoded beside the old ones, with a sample of each in `store/samples`. The fields that later
//! versions of an entry added are at the end, so a record of an earlier version is read as one without them.

use serde::de::DeserializeOwned;

use super::frame::{Checksum, RecordFrame, digest};
use crate::limits;
use crate::record::Record;
use crate::store::StoreError;

/// An encoded record, ready to be appended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordPayload {
    /// The kind of the record.
    pub kind: u8,
    /// The version in which it is written.
    pub version: u8,
    /// True if `bytes` are packed with zstd.
    pub packed: bool,
    /// Bytes when unpacked.
    pub raw: u32,
    /// The bytes as they are stored.
    pub bytes: Vec<u8>,
    /// Digest of `bytes`.
    pub digest: Checksum,
}

/// The version in which a kind of record is written. The second version added parts and extents to entries, and line
/// numbers to read receipts; the third added the attributes of removed files to entries. The second version of lost
/// records added the entries whose end may be lost.
const fn version(kind: u8) -> u8 {
    match kind {
        2 | 6 | 11 => 3,
        8 | 12 => 2,
        _ => 1,
    }
}

/// Encodes a record. Fails if it is larger than [`limits::RECORD`].
pub fn encode(record: &Record) -> Result<RecordPayload, StoreError> {
    let (kind, bytes) = match record {
        Record::Start(body) => (1, rmp_serde::to_vec(body)),
        Record::Intent(body) => (2, rmp_serde::to_vec(body)),
        Record::Void(body) => (3, rmp_serde::to_vec(body)),
        Record::Seal(body) => (4, rmp_serde::to_vec(body)),
        Record::Settle(body) => (5, rmp_serde::to_vec(body)),
        Record::External(body) => (6, rmp_serde::to_vec(body)),
        Record::Clip(body) => (7, rmp_serde::to_vec(body)),
        Record::ReadReceipt(body) => (8, rmp_serde::to_vec(body)),
        Record::Queued(body) => (9, rmp_serde::to_vec(body)),
        Record::Done(body) => (10, rmp_serde::to_vec(body)),
        Record::Checkpoint(body) => (11, rmp_serde::to_vec(body)),
        Record::Lost(body) => (12, rmp_serde::to_vec(body)),
    };
    let bytes = bytes.map_err(|e| StoreError::Io(format!("a record cannot be encoded: {e}").into()))?;
    let raw =
        u32::try_from(bytes.len()).ok().filter(|raw| *raw as usize <= limits::RECORD).ok_or_else(|| {
            StoreError::Io(
                format!(
                    "a record of {} bytes; the limit is {}: split the job into smaller ones",
                    bytes.len(),
                    limits::RECORD
                )
                .into(),
            )
        })?;
    let shorter = (bytes.len() >= limits::PACK).then(|| zstd::bulk::compress(&bytes, 1).ok()).flatten();
    let (packed, bytes) = match shorter {
        Some(shorter) if shorter.len() < bytes.len() - bytes.len() / 8 => (true, shorter),
        _ => (false, bytes),
    };
    Ok(RecordPayload { kind, version: version(kind), packed, raw, digest: digest(&bytes), bytes })
}

/// Decodes a payload whose frame and digest are valid. The error says what is wrong.
pub fn decode(frame: &RecordFrame, stored: &[u8]) -> Result<Record, String> {
    if !frame.packed {
        return parse(frame, stored);
    }
    if frame.raw as usize > limits::RECORD {
        return Err(format!("a record that unpacks to {} bytes, above the limit", frame.raw));
    }
    let raw = zstd::bulk::decompress(stored, frame.raw as usize)
        .map_err(|e| format!("a record does not unpack: {e}"))?;
    parse(frame, &raw)
}

fn parse(frame: &RecordFrame, raw: &[u8]) -> Result<Record, String> {
    if raw.len() != frame.raw as usize {
        return Err(format!("a record of {} bytes where {} were announced", raw.len(), frame.raw));
    }
    match (frame.kind, frame.version) {
        (1, 1) => body(raw).map(Record::Start),
        (2, 1..=3) => body(raw).map(Record::Intent),
        (3, 1) => body(raw).map(Record::Void),
        (4, 1) => body(raw).map(Record::Seal),
        (5, 1) => body(raw).map(Record::Settle),
        (6, 1..=3) => body(raw).map(Record::External),
        (7, 1) => body(raw).map(Record::Clip),
        (8, 1 | 2) => body(raw).map(Record::ReadReceipt),
        (9, 1) => body(raw).map(Record::Queued),
        (10, 1) => body(raw).map(Record::Done),
        (11, 1..=3) => body(raw).map(Record::Checkpoint),
        (12, 1 | 2) => body(raw).map(Record::Lost),
        (kind, version) => Err(format!(
            "a record of kind {kind}, version {version}, which this daemon does not know: a newer one wrote it"
        )),
    }
}

fn body<T: DeserializeOwned>(raw: &[u8]) -> Result<T, String> {
    rmp_serde::from_slice(raw).map_err(|e| format!("a record does not decode: {e}"))
}
