//! Segments that are no longer written to, as compressed blocks. Reading one is like reading the segment from which it was
//! made, at the same offsets, so positions in the log stay valid. It writes nothing.
//!
//! *Layout*, under the name of the segment:
//!
//! | bytes | content (little-endian) |
//! |---|---|
//! | 80 | the header of the segment ([`super::header`]), with format 2 |
//! | | the table |
//! | | the blocks, one after the other |
//! | | the table again |
//! | 16 | length of the table (8 bytes), `editdpke` |
//!
//! | bytes of the table | content (little-endian) |
//! |---|---|
//! | 0..8 | `editdpkt` |
//! | 8..16 | the segment's number |
//! | 16..24 | bytes of the segment |
//! | 24..28 | bytes of a block before it was compressed; the last one may have less |
//! | 28..32 | number of blocks |
//! | 4 for each block | its bytes as stored; the highest bit is set if it is not compressed |
//! | 16 | checksum of the table before it |
//!
//! Blocks have no checksum: every record in them has its own. A block that cannot be read counts as zeros, so that the
//! records in the other blocks are found. The first block has the segment's header, too: if one of the two headers or one of
//! the two tables is damaged, the other one is used.

use std::io;
use std::sync::Mutex;

use super::file::LogFile;
use super::frame::{Checksum, FieldReader, digest};
use super::header::{FORMAT, SegmentHeader};
use super::read::fill_file;
use super::segment::SegmentForm;
use crate::limits;
use crate::sync::lock;

/// The format in the header of a packed segment.
pub const PACKED_FORMAT: u32 = 2;

/// Bytes of the header of a segment that are not zero.
pub const HEAD: u64 = 80;

/// Bytes behind the second table.
pub const TRAILER: u64 = 16;

/// Bytes of a block before it is compressed: small enough that one damaged byte costs few records, and that reading one
/// record costs little; large enough that records next to each other share what they repeat.
pub const BLOCK_BYTES: u32 = 64 * 1024;

/// The most bytes of a table: of a segment with one record of the largest size.
const TABLE: u64 = 64 + 4 * (2 * limits::RECORD as u64 / BLOCK_BYTES as u64 + 2);

const TABLE_MAGIC: [u8; 8] = *b"editdpkt";
const TRAILER_MAGIC: [u8; 8] = *b"editdpke";
const PLAIN: u32 = 1 << 31;
/// Bytes of a table before the sizes of its blocks.
const FIXED: usize = 32;

/// One block in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PackedBlock {
    /// Its offset in the file.
    at: u64,
    /// Its bytes there.
    stored: u32,
    /// True if it is not compressed.
    plain: bool,
}

/// The places of a packed segment's blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackedTable {
    /// Bytes of the segment before it was packed.
    pub len: u64,
    block: u32,
    blocks: Vec<PackedBlock>,
}

/// An open packed segment.
pub struct PackedFile {
    file: LogFile,
    table: PackedTable,
    /// The header, as the segment had it before it was packed.
    head: Option<Vec<u8>>,
    /// True if the header or one of the tables is damaged.
    pub is_damaged: bool,
    /// The block that was read last.
    last: Mutex<Option<(usize, Vec<u8>)>>,
}

/// The size of a block as the table stores it.
pub fn stored_size(stored: u32, plain: bool) -> u32 {
    if plain { stored | PLAIN } else { stored }
}

/// Returns the encoded table of a segment.
pub fn encode_table(segment: u64, len: u64, sizes: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(table_len(sizes.len()));
    bytes.extend_from_slice(&TABLE_MAGIC);
    bytes.extend_from_slice(&segment.to_le_bytes());
    bytes.extend_from_slice(&len.to_le_bytes());
    bytes.extend_from_slice(&BLOCK_BYTES.to_le_bytes());
    bytes.extend_from_slice(&u32::try_from(sizes.len()).unwrap_or(u32::MAX).to_le_bytes());
    sizes.iter().for_each(|size| bytes.extend_from_slice(&size.to_le_bytes()));
    let sum = digest(&bytes);
    bytes.extend_from_slice(&sum);
    bytes
}

/// Returns the bytes of a table with so many blocks.
pub fn table_len(blocks: usize) -> usize {
    FIXED + 4 * blocks + 16
}

/// Returns the bytes behind the second table.
pub fn encode_trailer(table: usize) -> [u8; TRAILER as usize] {
    let mut bytes = [0; TRAILER as usize];
    let (len, magic) = bytes.split_at_mut(8);
    len.copy_from_slice(&(table as u64).to_le_bytes());
    magic.copy_from_slice(&TRAILER_MAGIC);
    bytes
}

fn decode_table(bytes: &[u8], segment: u64) -> Option<PackedTable> {
    let mut fields = FieldReader(bytes);
    if fields.take::<8>()? != TABLE_MAGIC || u64::from_le_bytes(fields.take()?) != segment {
        return None;
    }
    let len = u64::from_le_bytes(fields.take()?);
    let block = u32::from_le_bytes(fields.take()?);
    let count = u32::from_le_bytes(fields.take()?) as usize;
    let size = table_len(count);
    let (table, sum) = bytes.get(..size)?.split_at_checked(size - 16)?;
    let sum: Checksum = sum.try_into().ok()?;
    if digest(table) != sum || block == 0 || len.div_ceil(u64::from(block)) != count as u64 {
        return None;
    }
    let mut at = HEAD + size as u64;
    let mut blocks = Vec::with_capacity(count);
    for _ in 0..count {
        let size = u32::from_le_bytes(fields.take()?);
        let (stored, plain) = (size & !PLAIN, size & PLAIN != 0);
        blocks.push(PackedBlock { at, stored, plain });
        at += u64::from(stored);
    }
    Some(PackedTable { len, block, blocks })
}

/// Reads a part of a file; shorter if the file ends.
fn part(file: &LogFile, offset: u64, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(len.min(TABLE)).unwrap_or_default()];
    let filled = fill_file(file, &mut bytes, offset)?;
    bytes.truncate(filled);
    Ok(bytes)
}

fn first_table(file: &LogFile, segment: u64) -> io::Result<Option<PackedTable>> {
    let bytes = part(file, HEAD, FIXED as u64)?;
    let mut fields = FieldReader(bytes.get(FIXED - 4..).unwrap_or_default());
    let Some(count) = fields.take().map(u32::from_le_bytes) else { return Ok(None) };
    Ok(decode_table(&part(file, HEAD, table_len(count as usize) as u64)?, segment))
}

fn second_table(file: &LogFile, segment: u64) -> io::Result<Option<PackedTable>> {
    let Some(end) = file.size.checked_sub(TRAILER) else { return Ok(None) };
    let trailer = part(file, end, TRAILER)?;
    let mut fields = FieldReader(&trailer);
    let (Some(len), Some(TRAILER_MAGIC)) = (fields.take().map(u64::from_le_bytes), fields.take::<8>()) else {
        return Ok(None);
    };
    match end.checked_sub(len) {
        Some(start) => Ok(decode_table(&part(file, start, len)?, segment)),
        None => Ok(None),
    }
}

impl PackedFile {
    /// Returns the segment in a file, packed or not. `head` is the beginning of the file.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn of(file: LogFile, segment: u64, head: &[u8]) -> io::Result<SegmentForm> {
        let header = SegmentHeader::decode(head, segment);
        if header.is_some_and(|header| header.format != PACKED_FORMAT) {
            return Ok(SegmentForm::Plain(file));
        }
        let second = second_table(&file, segment)?;
        let first = if header.is_some() || second.is_some() { first_table(&file, segment)? } else { None };
        let is_damaged = header.is_none() || first.is_none() || second.is_none();
        let table = match (first.or(second), header) {
            (Some(table), _) => table,
            // Nothing of it can be read.
            (None, Some(_)) => PackedTable { len: file.size, block: BLOCK_BYTES, blocks: Vec::new() },
            (None, None) => return Ok(SegmentForm::Plain(file)),
        };
        let head = header.map(|header| SegmentHeader { format: FORMAT, ..header }.encode());
        Ok(SegmentForm::Packed(Self { file, table, head, is_damaged, last: Mutex::default() }))
    }

    /// Returns the parts of its file that the disk could not read so far.
    pub fn unreadable(&self) -> Vec<(u64, u64)> {
        self.file.unreadable()
    }

    /// Returns the bytes of the segment before it was packed.
    pub fn len(&self) -> u64 {
        self.table.len
    }

    /// Reads up to `buf.len()` bytes at an offset of the segment; 0 at its end.
    ///
    /// # Errors
    /// Errors of the system. Bytes that cannot be unpacked are zeros.
    pub fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let block = u64::from(self.table.block);
        let nth = usize::try_from(offset / block).unwrap_or(usize::MAX);
        let start = offset - offset % block;
        if offset >= self.table.len {
            return Ok(0);
        }
        let size = usize::try_from(block.min(self.table.len - start)).unwrap_or_default();
        let mut last = lock(&self.last);
        if last.as_ref().is_none_or(|(known, _)| *known != nth) {
            *last = Some((nth, self.block(nth, size)?));
        }
        let bytes = last.as_ref().map(|(_, bytes)| bytes.as_slice()).unwrap_or_default();
        let from = usize::try_from(offset - start).unwrap_or(usize::MAX);
        let rest = bytes.get(from..).unwrap_or_default();
        let count = rest.len().min(buf.len());
        if let (Some(into), Some(rest)) = (buf.get_mut(..count), rest.get(..count)) {
            into.copy_from_slice(rest);
        }
        Ok(count)
    }

    /// Reads a block that has so many bytes unpacked.
    fn block(&self, nth: usize, size: usize) -> io::Result<Vec<u8>> {
        let Some(block) = self.table.blocks.get(nth) else { return Ok(vec![0; size]) };
        let mut bytes = vec![0; (block.stored as usize).min(2 * self.table.block as usize)];
        let filled = fill_file(&self.file, &mut bytes, block.at)?;
        bytes.truncate(filled);
        if !block.plain {
            bytes = zstd::bulk::decompress(&bytes, size).unwrap_or_default();
        }
        bytes.resize(size, 0);
        if let Some(head) = self.head.as_ref().filter(|_| nth == 0)
            && let Some(into) = bytes.get_mut(..head.len())
        {
            into.copy_from_slice(head);
        }
        Ok(bytes)
    }
}
