//! The first block of a segment: its number and the record that it continues. Pure.
//!
//! | bytes | content (little-endian) |
//! |---|---|
//! | 0..8 | `editdlog` |
//! | 8..12 | version of the format: 1, or 2 if the segment is packed ([`super::packed`]) |
//! | 12..16 | 0 |
//! | 16..24 | the segment's number |
//! | 24..32 | epoch in which it was begun |
//! | 32..40 | sequence of its first record |
//! | 40..48 | position up to which the log was flushed |
//! | 48..64 | checksum of the last record of the segment before |
//! | 64..80 | checksum of the bytes before it |
//!
//! The rest of the block is zero. A segment that was only prepared has no header yet; one that is reused has the
//! header of its earlier life, under another number.

use super::frame::{Checksum, FieldReader, digest};
use crate::store::LogPosition;

/// Bytes before the first record.
pub const HEADER: u64 = super::BLOCK;

/// The format of a segment that is not packed, and the newest that a reader of records sees.
pub const FORMAT: u32 = 1;

const MAGIC: [u8; 8] = *b"editdlog";
const SUMMED: usize = 64;

/// The header of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegmentHeader {
    /// Version of the format.
    pub format: u32,
    /// Its number.
    pub segment: u64,
    /// The epoch: the opening that began it.
    pub epoch: u64,
    /// Sequence of its first record.
    pub sequence: u64,
    /// The position up to which the log was flushed when the segment was begun.
    pub flushed: LogPosition,
    /// Checksum of the last record of the segment before; zeros in the very first.
    pub previous: Checksum,
}

impl SegmentHeader {
    /// Returns the encoded block.
    pub fn encode(&self) -> Vec<u8> {
        let mut block = Vec::with_capacity(HEADER as usize);
        block.extend_from_slice(&MAGIC);
        block.extend_from_slice(&self.format.to_le_bytes());
        block.extend_from_slice(&[0; 4]);
        for number in [self.segment, self.epoch, self.sequence, self.flushed.0] {
            block.extend_from_slice(&number.to_le_bytes());
        }
        block.extend_from_slice(&self.previous);
        let sum = digest(&block);
        block.extend_from_slice(&sum);
        block.resize(HEADER as usize, 0);
        block
    }

    /// Returns the header in a block if it is whole and belongs to this segment. Its format may be a newer one.
    pub fn decode(block: &[u8], segment: u64) -> Option<SegmentHeader> {
        let (head, rest) = block.split_at_checked(SUMMED)?;
        let sum: Checksum = *rest.first_chunk()?;
        if digest(head) != sum {
            return None;
        }
        let mut fields = FieldReader(head);
        if fields.take::<8>()? != MAGIC {
            return None;
        }
        let format = u32::from_le_bytes(fields.take()?);
        fields.take::<4>()?;
        let header = SegmentHeader {
            format,
            segment: u64::from_le_bytes(fields.take()?),
            epoch: u64::from_le_bytes(fields.take()?),
            sequence: u64::from_le_bytes(fields.take()?),
            flushed: LogPosition(u64::from_le_bytes(fields.take()?)),
            previous: fields.take()?,
        };
        (header.segment == segment).then_some(header)
    }
}
