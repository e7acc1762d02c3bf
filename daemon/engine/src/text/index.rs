//! Finds lines without listing them: counts of line breaks per block, so that memory is a thousandth of the
//! file and any look-up reads one block. It never looks at what a line says.

use crate::cut::Cut;

const BLOCK: usize = 16 * 1024;

/// Line breaks before each block, and in all.
#[derive(Debug)]
pub(crate) struct LineIndex {
    stop: u8,
    /// At `i`: breaks before byte `i * BLOCK`; one more entry at the end.
    before: Vec<u32>,
}

impl LineIndex {
    /// Counts the breaks that end with the byte `stop`.
    pub(crate) fn new(content: &[u8], stop: u8) -> Self {
        let mut before = Vec::with_capacity(content.len() / BLOCK + 2);
        let mut count = 0u32;
        before.push(0);
        for block in content.chunks(BLOCK) {
            count += u32::try_from(memchr::memchr_iter(stop, block).count()).unwrap_or(u32::MAX);
            before.push(count);
        }
        Self { stop, before }
    }

    /// Breaks in all.
    pub(crate) fn total(&self) -> usize {
        self.before.last().map_or(0, |count| *count as usize)
    }

    /// Breaks that end at or before `offset`.
    pub(crate) fn rank(&self, content: &[u8], offset: usize) -> usize {
        let offset = offset.min(content.len());
        let block = offset / BLOCK;
        let base = self.before.get(block).map_or(0, |count| *count as usize);
        base + memchr::memchr_iter(self.stop, content.cut(block * BLOCK..offset)).count()
    }

    /// The offset just after the `n`-th break (1-based), if there are so many.
    pub(crate) fn after(&self, content: &[u8], n: usize) -> Option<usize> {
        if n == 0 || n > self.total() {
            return None;
        }
        let block = self.before.partition_point(|count| (*count as usize) < n).checked_sub(1)?;
        let skip = n - self.before.get(block).map_or(0, |count| *count as usize);
        let start = block * BLOCK;
        let end = content.len().min(start + BLOCK);
        memchr::memchr_iter(self.stop, content.cut(start..end))
            .nth(skip.checked_sub(1)?)
            .map(|at| start + at + 1)
    }
}
