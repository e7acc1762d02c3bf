//! The replacements of payloads that were removed from a segment, in a file beside it. It changes no segment.
//!
//! A frame has the digest of its payload, and the next frame has the checksum of that frame, so a payload cannot be
//! exchanged. Its bytes are zeroed instead, and a reader that finds them so reads the replacement. While a payload still
//! matches its digest, its replacement does not count.
//!
//! *Layout*: `log/<16 hex digits>.forgotten`.
//!
//! | bytes | content (little-endian) |
//! |---|---|
//! | 0..8 | `editdfgt` |
//! | 8..12 | version of the format, 1 |
//! | 12..20 | the segment's number |
//! | 20..36 | checksum of all other bytes |
//! | 36.. | MessagePack: the list of replacements |

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use super::frame::{Checksum, FieldReader, RecordFrame, digest};
use super::payload::RecordPayload;
use super::segment::{failure, unreadable};
use crate::limits;
use crate::os::{Access, Dir, Os, read_all};
use crate::store::StoreError;

const MAGIC: [u8; 8] = *b"editdfgt";
const FORMAT: u32 = 1;
/// Bytes before the list.
const HEADER: usize = 36;
const SUFFIX: &str = ".forgotten";

/// The replacements in one segment, by the offset of the record.
#[derive(Default)]
pub struct ForgottenPayloads(BTreeMap<u64, RecordPayload>);

/// A replacement as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredReplacement {
    offset: u64,
    kind: u8,
    version: u8,
    packed: bool,
    raw: u32,
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
}

fn name(segment: u64) -> String {
    format!("{segment:016x}{SUFFIX}")
}

/// Returns the number of the segment to which a file with this name belongs.
fn segment_of(name: &[u8]) -> Option<u64> {
    let digits = name.strip_suffix(SUFFIX.as_bytes()).filter(|digits| digits.len() == 16)?;
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

impl ForgottenPayloads {
    /// Reads the replacements in a segment; none if there is no file.
    pub fn read(dir: &Dir, segment: u64) -> Result<Self, StoreError> {
        let file = match dir.open_file(name(segment).as_bytes(), Access::Read) {
            Err(none) if none.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            file => file.map_err(|e| unreadable("read for what was forgotten", segment, &e))?,
        };
        let bytes = read_all(&*file, 2 * limits::RECORD)
            .map_err(|e| unreadable("read for what was forgotten", segment, &e))?;
        Ok(decode(&bytes, segment).unwrap_or_else(|| {
            tracing::error!("{} is damaged: the records that it replaces are lost", name(segment));
            Self::default()
        }))
    }

    /// Replaces the file by these replacements, in one step. They are durable when it returns.
    pub fn write(&self, os: &dyn Os, dir: &Dir, segment: u64) -> Result<(), StoreError> {
        let failed = |e: io::Error| failure("given what was forgotten", segment, &e);
        let stored: Vec<StoredReplacement> = self
            .0
            .iter()
            .map(|(offset, payload)| StoredReplacement {
                offset: *offset,
                kind: payload.kind,
                version: payload.version,
                packed: payload.packed,
                raw: payload.raw,
                bytes: payload.bytes.clone(),
            })
            .collect();
        let list = rmp_serde::to_vec(&stored).map_err(|e| failed(io::Error::other(e)))?;
        let (name, fresh) = (name(segment), format!("{}.new", name(segment)));
        replace(os, dir, (&fresh, &name), &encode(segment, &list)).map_err(failed)
    }

    /// Adds the replacement of the record at an offset.
    pub fn add(&mut self, offset: u64, payload: RecordPayload) {
        self.0.insert(offset, payload);
    }

    /// Returns the replacement of a record: the frame that describes it, and its payload.
    pub fn of(&self, offset: u64, frame: &RecordFrame) -> Option<(RecordFrame, &[u8])> {
        let payload = self.0.get(&offset).filter(|payload| payload.kind == frame.kind)?;
        let stored = u32::try_from(payload.bytes.len()).ok()?;
        let (version, packed, raw) = (payload.version, payload.packed, payload.raw);
        let frame = RecordFrame { stored, raw, version, packed, digest: payload.digest, ..*frame };
        Some((frame, &payload.bytes))
    }
}

fn encode(segment: u64, list: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + list.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    bytes.extend_from_slice(&segment.to_le_bytes());
    let sum = digest(&[&bytes, list].concat());
    bytes.extend_from_slice(&sum);
    bytes.extend_from_slice(list);
    bytes
}

fn decode(bytes: &[u8], segment: u64) -> Option<ForgottenPayloads> {
    let (head, list) = bytes.split_at_checked(HEADER)?;
    let (begin, sum) = head.split_at_checked(HEADER - 16)?;
    let sum: Checksum = sum.try_into().ok()?;
    let mut fields = FieldReader(begin);
    let known = fields.take::<8>()? == MAGIC
        && u32::from_le_bytes(fields.take()?) == FORMAT
        && u64::from_le_bytes(fields.take()?) == segment;
    if !known || digest(&[begin, list].concat()) != sum {
        return None;
    }
    let stored: Vec<StoredReplacement> = rmp_serde::from_slice(list).ok()?;
    let payload = |one: StoredReplacement| {
        let StoredReplacement { offset, kind, version, packed, raw, bytes } = one;
        (offset, RecordPayload { kind, version, packed, raw, digest: digest(&bytes), bytes })
    };
    Some(ForgottenPayloads(stored.into_iter().map(payload).collect()))
}

/// Writes a file under a temporary name, and moves it over its place once it is durable.
fn replace(os: &dyn Os, dir: &Dir, (fresh, name): (&str, &str), bytes: &[u8]) -> io::Result<()> {
    match dir.remove_file(fresh.as_bytes()) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let file = dir.create_file(fresh.as_bytes(), 0o600)?;
    file.write_all_at(bytes, 0)?;
    file.sync_all()?;
    os.rename(dir, fresh.as_bytes(), dir, name.as_bytes())?;
    dir.sync()
}

/// Removes the replacements of a segment that is gone. A file that stays is removed when the log is next opened.
pub fn remove(dir: &Dir, segment: u64) {
    match dir.remove_file(name(segment).as_bytes()) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => tracing::warn!("{}: {e}", name(segment)),
        _ => {}
    }
}

/// Removes the replacements of segments that are gone, and files that a killed daemon left half written.
pub fn remove_leftovers(dir: &Dir, segments: &[u64]) -> io::Result<()> {
    for listed in dir.list()? {
        let is_gone = segment_of(&listed.name).is_some_and(|id| !segments.contains(&id));
        if is_gone || listed.name.ends_with(b".new") {
            dir.remove_file(&listed.name)?;
        }
    }
    Ok(())
}
