//! One page of a tree: a few sorted keys with their values, as bytes. Pure.
//!
//! *Layout* of a stored page: the level, a byte that is 1 if the rest is packed with zstd, the length of the rest when
//! unpacked (four bytes), and the rest. That is the items one after the other: the length of the key (two bytes), the
//! length of the value (four bytes), the key, the value. All numbers are little-endian.

use std::sync::{Arc, Mutex};

use zstd::bulk::{Compressor, Decompressor};

use super::damaged;
use crate::limits;
use crate::store::database::DatabaseError;
use crate::store::log::frame::{Checksum, digest};
use crate::sync::lock;

/// Bytes of the head of a stored page, and of the lengths of an item.
const HEAD: usize = 6;
const LENGTHS: usize = 6;

/// A link to a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PageLink {
    /// Its number.
    pub(super) number: u64,
    /// The checksum of its stored bytes.
    pub(super) sum: Checksum,
    /// The rows in it or below it.
    pub(super) rows: u64,
}

impl PageLink {
    /// Returns the link as the value of an item.
    pub(super) fn encode(self) -> Vec<u8> {
        [self.number.to_le_bytes().as_slice(), &self.rows.to_le_bytes(), &self.sum].concat()
    }

    /// Returns the link in the value of an item.
    pub(super) fn decode(value: &[u8]) -> Result<Self, DatabaseError> {
        let (number, rest) = value.split_first_chunk().ok_or_else(damaged)?;
        let (rows, sum) = rest.split_first_chunk().ok_or_else(damaged)?;
        let (number, rows) = (u64::from_le_bytes(*number), u64::from_le_bytes(*rows));
        Ok(Self { number, rows, sum: sum.try_into().map_err(|_| damaged())? })
    }
}

/// Packs and unpacks pages. It is kept, since it takes longer to make than to use.
pub(super) struct PagePacker {
    pack: Mutex<Compressor<'static>>,
    unpack: Mutex<Decompressor<'static>>,
}

impl PagePacker {
    /// Fails if there is no memory for it.
    pub(super) fn new() -> Result<Self, DatabaseError> {
        let failed = |e: std::io::Error| DatabaseError(format!("pages cannot be packed: {e}"));
        let pack = Mutex::new(Compressor::new(1).map_err(failed)?);
        Ok(Self { pack, unpack: Mutex::new(Decompressor::new().map_err(failed)?) })
    }
}

/// A page whose checksum is right.
pub(super) struct TreePage {
    bytes: Vec<u8>,
    /// The offset of each item.
    starts: Vec<u32>,
}

impl TreePage {
    /// Decodes a stored page, if it is the one that its link means.
    pub(super) fn decode(
        stored: &[u8],
        link: PageLink,
        level: u8,
        packer: &PagePacker,
    ) -> Result<Arc<Self>, DatabaseError> {
        if digest(stored) != link.sum {
            return Err(damaged());
        }
        let (head, rest) = stored.split_first_chunk::<HEAD>().ok_or_else(damaged)?;
        let [found, packed, len @ ..] = head;
        let len = u32::from_le_bytes(*len) as usize;
        if *found != level || len > limits::RECORD {
            return Err(damaged());
        }
        let bytes = match packed {
            0 => rest.to_vec(),
            _ => lock(&packer.unpack).decompress(rest, len).map_err(|_| damaged())?,
        };
        let mut starts = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            starts.push(u32::try_from(at).map_err(|_| damaged())?);
            let (key, value) = item_at(&bytes, at).ok_or_else(damaged)?;
            at += LENGTHS + key.len() + value.len();
        }
        Ok(Arc::new(Self { bytes, starts }))
    }

    /// Returns the number of items.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns the bytes that the page takes in memory.
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + self.starts.len() * size_of::<u32>()
    }

    /// Returns the key and the value of an item.
    pub(super) fn item(&self, nth: usize) -> Option<(&[u8], &[u8])> {
        item_at(&self.bytes, *self.starts.get(nth)? as usize)
    }

    /// Returns all items, lowest key first.
    pub(super) fn items(&self) -> impl DoubleEndedIterator<Item = (&[u8], &[u8])> {
        self.starts.iter().filter_map(|start| item_at(&self.bytes, *start as usize))
    }

    /// Returns the position of a key, or the position at which it would be.
    pub(super) fn find(&self, key: &[u8]) -> Result<usize, usize> {
        self.starts.binary_search_by(|start| {
            item_at(&self.bytes, *start as usize).map_or(&[][..], |(found, _)| found).cmp(key)
        })
    }

    /// Returns the position of the child in which a key is: the last one that does not begin behind it, or the first.
    pub(super) fn child(&self, key: &[u8]) -> usize {
        self.find(key).unwrap_or_else(|behind| behind.saturating_sub(1))
    }

    /// Returns the link to a child.
    pub(super) fn link(&self, nth: usize) -> Result<PageLink, DatabaseError> {
        PageLink::decode(self.item(nth).ok_or_else(damaged)?.1)
    }
}

fn item_at(bytes: &[u8], at: usize) -> Option<(&[u8], &[u8])> {
    let (lengths, rest) = bytes.get(at..)?.split_first_chunk::<LENGTHS>()?;
    let [low, high, value @ ..] = lengths;
    let (key, value) = (u16::from_le_bytes([*low, *high]) as usize, u32::from_le_bytes(*value) as usize);
    let (key, rest) = rest.split_at_checked(key)?;
    Some((key, rest.get(..value)?))
}

/// Returns the bytes that an item takes in a page.
pub(super) fn item_size(key: &[u8], value: &[u8]) -> usize {
    LENGTHS + key.len() + value.len()
}

/// Makes a page. Returns it with its bytes as they are stored. Fails if a key or a value is longer than its length can say.
pub(super) fn encode(
    level: u8,
    items: &[(&[u8], &[u8])],
    packer: &PagePacker,
) -> Result<(Arc<TreePage>, Vec<u8>), DatabaseError> {
    let too_long = |_| DatabaseError("a row is too long".to_owned());
    let mut bytes = Vec::with_capacity(items.iter().map(|(key, value)| item_size(key, value)).sum());
    let mut starts = Vec::with_capacity(items.len());
    for (key, value) in items {
        starts.push(u32::try_from(bytes.len()).map_err(too_long)?);
        bytes.extend_from_slice(&u16::try_from(key.len()).map_err(too_long)?.to_le_bytes());
        bytes.extend_from_slice(&u32::try_from(value.len()).map_err(too_long)?.to_le_bytes());
        bytes.extend_from_slice(key);
        bytes.extend_from_slice(value);
    }
    let len = u32::try_from(bytes.len()).map_err(too_long)?;
    let packed = lock(&packer.pack).compress(&bytes).ok().filter(|packed| packed.len() < bytes.len());
    let mut stored = vec![level, u8::from(packed.is_some())];
    stored.extend_from_slice(&len.to_le_bytes());
    stored.extend_from_slice(packed.as_ref().unwrap_or(&bytes));
    Ok((Arc::new(TreePage { bytes, starts }), stored))
}

/// Returns how many of the items, given by their sizes, go into each page. If they follow all items that there were, the
/// pages are filled: the next ones will follow as well. Otherwise they are shared out evenly.
pub(super) fn shared_out(sizes: &[usize], follow: bool) -> Vec<usize> {
    let total: usize = sizes.iter().sum();
    let pages = total.div_ceil(limits::DATABASE_PAGE).max(1);
    let full = if follow { limits::DATABASE_PAGE } else { total.div_ceil(pages) };
    let (mut runs, mut run, mut bytes) = (Vec::new(), 0, 0);
    for size in sizes {
        let ends = if follow { bytes + size > full } else { bytes + size / 2 > full };
        if run > 0 && ends {
            runs.push(run);
            (run, bytes) = (0, 0);
        }
        run += 1;
        bytes += size;
    }
    if run > 0 {
        runs.push(run);
    }
    runs
}
