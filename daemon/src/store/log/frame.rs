//! The frame of a record in a segment: 88 bytes before its payload, with checksums. Pure.
//!
//! | bytes | content (little-endian) |
//! |---|---|
//! | 0..4 | `rec1` |
//! | 4..8 | bytes of the payload as stored |
//! | 8..12 | bytes of the payload, unpacked |
//! | 12..16 | kind, version, flags (1 zstd, 2 the next record is of the same group), 0 |
//! | 16..24 | epoch: grows with every opening |
//! | 24..32 | sequence: grows by one with every record |
//! | 32..40 | position up to which the log was flushed |
//! | 40..56 | checksum of the record before |
//! | 56..72 | digest of the payload as stored |
//! | 72..88 | checksum: of the bytes before it, the segment's number and the offset |
//!
//! Checksums are BLAKE3, cut to 16 bytes. The frame has a checksum of its own, apart from the payload's, so that a
//! search for frames behind a damaged record reads no payloads.

use super::ALIGN;
use crate::store::LogPosition;

/// A checksum or digest.
pub type Checksum = [u8; 16];

/// The bytes of a frame; the payload follows it.
pub const FRAME: usize = 88;

const MAGIC: [u8; 4] = *b"rec1";
const ZSTD: u8 = 1;
const MORE: u8 = 2;

/// The frame of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordFrame {
    /// Bytes of the payload as stored.
    pub stored: u32,
    /// Bytes of the payload, unpacked.
    pub raw: u32,
    /// The kind of the record.
    pub kind: u8,
    /// The version in which it was written.
    pub version: u8,
    /// True if the payload is packed with zstd.
    pub packed: bool,
    /// True if the next record belongs to the same group.
    pub more: bool,
    /// The epoch: the opening that wrote it.
    pub epoch: u64,
    /// Its number in the log.
    pub sequence: u64,
    /// The position up to which the log was flushed when the record was written.
    pub flushed: LogPosition,
    /// Checksum of the record before.
    pub previous: Checksum,
    /// Digest of the payload as stored.
    pub digest: Checksum,
}

/// Returns the first 16 bytes of the BLAKE3 hash of some bytes.
pub fn digest(bytes: &[u8]) -> Checksum {
    first(&blake3::hash(bytes))
}

fn first(hash: &blake3::Hash) -> Checksum {
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}

fn checksum(head: &[u8], at: LogPosition) -> Checksum {
    let mut hasher = blake3::Hasher::new();
    hasher.update(head);
    hasher.update(&at.segment().to_le_bytes());
    hasher.update(&at.offset().to_le_bytes());
    first(&hasher.finalize())
}

impl RecordFrame {
    /// Appends the encoded frame for a position and returns its checksum.
    pub fn encode(&self, at: LogPosition, out: &mut Vec<u8>) -> Checksum {
        let mut head = Vec::with_capacity(FRAME);
        head.extend_from_slice(&MAGIC);
        head.extend_from_slice(&self.stored.to_le_bytes());
        head.extend_from_slice(&self.raw.to_le_bytes());
        let flags = if self.packed { ZSTD } else { 0 } | if self.more { MORE } else { 0 };
        head.extend_from_slice(&[self.kind, self.version, flags, 0]);
        head.extend_from_slice(&self.epoch.to_le_bytes());
        head.extend_from_slice(&self.sequence.to_le_bytes());
        head.extend_from_slice(&self.flushed.0.to_le_bytes());
        head.extend_from_slice(&self.previous);
        head.extend_from_slice(&self.digest);
        let sum = checksum(&head, at);
        out.extend_from_slice(&head);
        out.extend_from_slice(&sum);
        sum
    }

    /// Returns the frame at the start of `bytes` and its checksum, if the frame was written for this position. The
    /// payload is not checked.
    pub fn decode(bytes: &[u8], at: LogPosition) -> Option<(RecordFrame, Checksum)> {
        let (head, rest) = bytes.split_at_checked(FRAME - 16)?;
        let sum: Checksum = *rest.first_chunk()?;
        let mut fields = FieldReader(head);
        if fields.take::<4>()? != MAGIC || checksum(head, at) != sum {
            return None;
        }
        let stored = u32::from_le_bytes(fields.take()?);
        let raw = u32::from_le_bytes(fields.take()?);
        let [kind, version, flags, _] = fields.take::<4>()?;
        let frame = RecordFrame {
            stored,
            raw,
            kind,
            version,
            packed: flags & ZSTD != 0,
            more: flags & MORE != 0,
            epoch: u64::from_le_bytes(fields.take()?),
            sequence: u64::from_le_bytes(fields.take()?),
            flushed: LogPosition(u64::from_le_bytes(fields.take()?)),
            previous: fields.take()?,
            digest: fields.take()?,
        };
        Some((frame, sum))
    }

    /// Returns the frame that the bytes have if only their checksum is damaged, with the checksum that they should have.
    /// The caller must know this checksum from elsewhere.
    pub fn under_own_checksum(bytes: &[u8], at: LogPosition) -> Option<(RecordFrame, Checksum)> {
        let (head, _) = bytes.split_at_checked(FRAME - 16)?;
        RecordFrame::decode(&[head, &checksum(head, at)].concat(), at)
    }

    /// Returns the frames that match the stored checksum once one byte is restored, with that checksum.
    pub fn restore(bytes: &[u8], at: LogPosition) -> Vec<(RecordFrame, Checksum)> {
        let Some((head, stored)) = bytes.split_at_checked(FRAME - 16) else { return Vec::new() };
        let (mut head, mut found) = (head.to_vec(), Vec::new());
        for byte in 0..head.len() {
            for change in 1..=u8::MAX {
                let Some(one) = head.get_mut(byte) else { continue };
                *one ^= change;
                if stored.starts_with(&checksum(&head, at)) {
                    found.extend(RecordFrame::decode(&[head.as_slice(), stored].concat(), at));
                }
                if let Some(one) = head.get_mut(byte) {
                    *one ^= change;
                }
            }
        }
        found
    }

    /// Returns each offset at which a frame may begin in `bytes`, which begin at such a place themselves: a cheap test,
    /// wrong for one in 2^32 of random places.
    pub fn beginnings(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
        let aligned = |at: &usize| (*at as u64).is_multiple_of(ALIGN);
        memchr::memmem::find_iter(bytes, &MAGIC).filter(aligned)
    }

    /// Returns the bytes of frame and payload.
    pub fn size(&self) -> u64 {
        FRAME as u64 + u64::from(self.stored)
    }
}

/// Reads fixed fields from the front of a slice.
pub(super) struct FieldReader<'a>(pub(super) &'a [u8]);

impl FieldReader<'_> {
    /// Returns the next `N` bytes.
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }
}
