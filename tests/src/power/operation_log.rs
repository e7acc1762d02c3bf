//! The operations that a disk received, in order, and the states that it may have after a power cut. Pure.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes that a disk keeps or loses as a whole. XFS relies on this size, too, and cannot be mounted if less of its
/// metadata is kept. The simulated machine tears files at every 512.
const SECTOR: usize = 4096;
/// Bytes of a page, the unit that is kept in memory.
const PAGE: usize = 64 * 1024;

/// A disk's content; what was never written is zero.
#[derive(Clone, Debug, Default)]
pub(super) struct DiskPages(BTreeMap<u64, Vec<u8>>);

impl DiskPages {
    /// Reads the content of a file.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        let mut pages = Self::default();
        let (mut page, zeros) = (vec![0; PAGE], vec![0; PAGE]);
        for at in (0..len).step_by(PAGE) {
            let some =
                page.get_mut(..usize::try_from(len - at).unwrap_or(PAGE).min(PAGE)).unwrap_or_default();
            file.read_exact_at(some, at)?;
            if !zeros.starts_with(some) {
                pages.write(at, some);
            }
        }
        Ok(pages)
    }

    pub(super) fn write(&mut self, mut at: u64, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let offset = usize::try_from(at % PAGE as u64).unwrap_or_default();
            let page = self.0.entry(at / PAGE as u64).or_insert_with(|| vec![0; PAGE]);
            let (some, rest) = bytes.split_at((PAGE - offset).min(bytes.len()));
            page[offset..offset + some.len()].copy_from_slice(some);
            at += some.len() as u64;
            bytes = rest;
        }
    }

    pub(super) fn read(&self, mut at: u64, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len);
        while bytes.len() < len {
            let offset = usize::try_from(at % PAGE as u64).unwrap_or_default();
            let wanted = (PAGE - offset).min(len - bytes.len());
            match self.0.get(&(at / PAGE as u64)) {
                Some(page) => bytes.extend(&page[offset..offset + wanted]),
                None => bytes.resize(bytes.len() + wanted, 0),
            }
            at += wanted as u64;
        }
        bytes
    }

    /// Writes it into a file that is all zeros.
    pub(super) fn fill(&self, file: &File) -> io::Result<()> {
        let written = |(at, page): (&u64, &Vec<u8>)| file.write_all_at(page, at * PAGE as u64);
        self.0.iter().try_for_each(written)
    }
}

/// One thing that a disk was told.
#[derive(Debug)]
enum DiskOperation {
    Write { at: u64, bytes: Vec<u8> },
    Flush,
}

/// The operations that a disk received, in order.
#[derive(Debug, Default)]
pub struct OperationLog {
    first: DiskPages,
    now: DiskPages,
    told: Vec<DiskOperation>,
}

impl OperationLog {
    pub(super) fn new(first: DiskPages) -> Self {
        Self { now: first.clone(), first, told: Vec::new() }
    }

    pub(super) fn write(&mut self, at: u64, bytes: Vec<u8>) {
        self.now.write(at, &bytes);
        self.told.push(DiskOperation::Write { at, bytes });
    }

    pub(super) fn flush(&mut self) {
        self.told.push(DiskOperation::Flush);
    }

    pub(super) fn read(&self, at: u64, len: usize) -> Vec<u8> {
        self.now.read(at, len)
    }

    /// An empty one on a disk that holds what this one's holds.
    pub(super) fn going_on(&self) -> Self {
        Self::new(self.now.clone())
    }

    /// Returns the number of operations up to now.
    #[must_use]
    pub fn position(&self) -> usize {
        self.told.len()
    }

    /// Flushes among what it was told.
    #[must_use]
    pub fn flushes(&self) -> usize {
        self.told.iter().filter(|told| matches!(told, DiskOperation::Flush)).count()
    }

    /// Returns a state of the disk if the power is cut at this position: everything before the last flush, and a
    /// random part of the rest.
    pub(super) fn cut(&self, position: usize, dice: &mut fastrand::Rng) -> DiskPages {
        let told = &self.told[..position.min(self.told.len())];
        let flushed = told.iter().rposition(|told| matches!(told, DiskOperation::Flush)).unwrap_or(0);
        let (kept, open) = told.split_at(flushed);
        let mut pages = self.first.clone();
        for one in kept {
            if let DiskOperation::Write { at, bytes } = one {
                pages.write(*at, bytes);
            }
        }
        let way = dice.u8(..4);
        let last = dice.usize(..=open.len());
        for (nth, one) in open.iter().enumerate() {
            let DiskOperation::Write { at, bytes } = one else { continue };
            match way {
                0 => {}
                1 => pages.write(*at, bytes),
                2 if nth < last => pages.write(*at, bytes),
                2 => {}
                _ => {
                    for (at, sector) in sectors(*at, bytes).filter(|_| dice.bool()) {
                        pages.write(at, sector);
                    }
                }
            }
        }
        pages
    }
}

/// The parts of a write that lie in one sector each.
fn sectors(mut at: u64, mut bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    std::iter::from_fn(move || {
        let within = usize::try_from(at % SECTOR as u64).unwrap_or_default();
        let (sector, rest) = bytes.split_at((SECTOR - within).min(bytes.len()));
        let found = (at, sector);
        at += sector.len() as u64;
        bytes = rest;
        (!sector.is_empty()).then_some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_what_was_written_and_zeros() {
        let mut pages = DiskPages::default();
        let bytes: Vec<u8> = (0..200_000_u32).map(|n| n.to_le_bytes()[0] | 1).collect();
        pages.write(1_000, &bytes);
        assert_eq!(pages.read(1_000, bytes.len()), bytes);
        assert_eq!(pages.read(990, 12), [&[0; 10][..], &bytes[..2]].concat());
        assert_eq!(pages.read(1 << 40, 3), [0; 3]);
    }

    #[test]
    fn a_write_is_split_at_the_ends_of_sectors() {
        let bytes = [7; SECTOR + 600];
        let parts: Vec<(u64, usize)> =
            sectors(SECTOR as u64 - 512, &bytes).map(|(at, part)| (at, part.len())).collect();
        assert_eq!(parts, [(3584, 512), (4096, SECTOR), (8192, 88)]);
        assert_eq!(sectors(4096, &[]).count(), 0);
    }

    #[test]
    fn a_cut_keeps_flushed_bytes_and_nothing_that_was_not_written() {
        let mut log = OperationLog::new(DiskPages::default());
        log.write(0, vec![1; SECTOR]);
        log.flush();
        log.write(0, vec![2; SECTOR * 2]);
        log.write(5 * SECTOR as u64, vec![3; SECTOR]);
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let mut dice = fastrand::Rng::with_seed(seed);
            let pages = log.cut(log.position(), &mut dice);
            let sectors = [0, 1, 5].map(|at| pages.read(at * SECTOR as u64, SECTOR));
            assert!(sectors.iter().all(|sector| sector.iter().all(|byte| *byte == sector[0])), "torn sector");
            seen.insert(sectors.map(|sector| sector[0]));
            assert_eq!(log.cut(2, &mut dice).read(0, SECTOR), [1; SECTOR]);
            assert_eq!(log.cut(2, &mut dice).read(SECTOR as u64, SECTOR), [0; SECTOR]);
        }
        let all = [1, 2].into_iter().flat_map(|a| [0, 2].map(|b| [0, 3].map(|c| [a, b, c]))).flatten();
        assert_eq!(seen, all.collect());
    }
}
