//! The bytes of a file, kept sparsely so that a copy of a machine costs little. It knows nothing of flushes.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a block.
pub(super) const BLOCK: usize = 4096;
/// Bytes that a disk writes whole or not at all.
pub(super) const SECTOR: usize = 512;

const ZEROS: [u8; BLOCK] = [0; BLOCK];

/// Content and length; a block that is not there is zeros.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(super) struct SparseBytes {
    len: u64,
    blocks: BTreeMap<u64, Arc<[u8; BLOCK]>>,
}

/// The parts of `[offset, offset + len)` in each block: block, offset in it, length.
fn parts(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    let mut at = offset;
    let end = offset.saturating_add(len as u64);
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let within = (at % BLOCK as u64) as usize;
        let take = (BLOCK - within).min((end - at) as usize);
        let part = (at / BLOCK as u64, within, take);
        at += take as u64;
        Some(part)
    })
}

impl SparseBytes {
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The bytes at an offset, as many as there are up to `len`.
    pub(super) fn read(&self, offset: u64, len: usize) -> Vec<u8> {
        let there = self.len.saturating_sub(offset).min(len as u64) as usize;
        self.padded(offset, there)
    }

    /// As `read`, with zeros beyond the end.
    pub(super) fn padded(&self, offset: u64, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len);
        for (block, within, take) in parts(offset, len) {
            let block: &[u8] = self.blocks.get(&block).map_or(&ZEROS, |block| block.as_slice());
            bytes.extend_from_slice(block.get(within..within + take).unwrap_or_default());
        }
        bytes
    }

    pub(super) fn all(&self) -> Vec<u8> {
        self.padded(0, self.len as usize)
    }

    /// Hashes the content, without its zeros.
    pub(super) fn add_to(&self, hasher: &mut blake3::Hasher) {
        hasher.update(&self.len.to_le_bytes());
        for (number, block) in &self.blocks {
            hasher.update(&number.to_le_bytes()).update(block.as_slice());
        }
    }

    /// Writes, lengthening the file where needed.
    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
        let mut rest = bytes;
        for (number, within, take) in parts(offset, bytes.len()) {
            let Some((now, later)) = rest.split_at_checked(take) else { break };
            rest = later;
            let block = self.blocks.entry(number).or_insert_with(|| Arc::new(ZEROS));
            if let Some(room) = Arc::make_mut(block).get_mut(within..within + take) {
                room.copy_from_slice(now);
            }
            if block.as_slice() == ZEROS {
                self.blocks.remove(&number);
            }
        }
        self.len = self.len.max(offset.saturating_add(bytes.len() as u64));
    }

    /// Writes zeros, without storing any.
    pub(super) fn zero(&mut self, offset: u64, len: u64) {
        self.clear(offset, offset.saturating_add(len));
        self.len = self.len.max(offset.saturating_add(len));
    }

    pub(super) fn set_len(&mut self, len: u64) {
        if len < self.len {
            self.clear(len, u64::MAX);
        }
        self.len = len;
    }

    /// The blocks in a range that are not zeros.
    pub(super) fn occupied(&self, from: u64, to: u64) -> impl Iterator<Item = u64> {
        let (first, last) = (from / BLOCK as u64, to.div_ceil(BLOCK as u64));
        self.blocks.range(first..last.max(first)).map(|(number, _)| *number)
    }

    fn clear(&mut self, from: u64, to: u64) {
        let touched: Vec<u64> = self.occupied(from, to).collect();
        for number in touched {
            let start = number * BLOCK as u64;
            let low = from.saturating_sub(start).min(BLOCK as u64) as usize;
            let high = to.saturating_sub(start).min(BLOCK as u64) as usize;
            if let Some(block) = self.blocks.get_mut(&number) {
                if let Some(room) = Arc::make_mut(block).get_mut(low..high) {
                    room.fill(0);
                }
                if block.as_slice() == ZEROS {
                    self.blocks.remove(&number);
                }
            }
        }
    }
}
