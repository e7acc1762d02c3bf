//! Finds lines without listing them: it keeps the number of line breaks before each block, so that it needs a
//! thousandth of the memory of the file, a look-up reads one block, and a file is counted only as far as needed.

use std::cell::{Cell, RefCell};

use super::count::count_byte;
use crate::cut::Cut;

const BLOCK: usize = 16 * 1024;

/// The number of line breaks before each block, as far as they were counted.
#[derive(Debug)]
pub(crate) struct LineIndex {
    stop: u8,
    /// Element `i` is the number of breaks before byte `i * BLOCK`; there is one more element once the end was
    /// reached.
    before: RefCell<Vec<u32>>,
    /// The offset of the last look-up and the number of breaks before it, since the next look-up is often close to
    /// it.
    last: Cell<(usize, usize)>,
}

impl LineIndex {
    /// Creates an index of breaks that end with the byte `stop`. It must always be used with the same content.
    pub(crate) fn new(stop: u8) -> Self {
        Self { stop, before: RefCell::new(vec![0]), last: Cell::default() }
    }

    /// Counts further until `enough` returns true for the numbers of blocks and breaks, or the end is reached.
    fn extend(&self, content: &[u8], enough: impl Fn(usize, usize) -> bool) {
        let mut before = self.before.borrow_mut();
        let mut count = before.last().copied().unwrap_or(0);
        while before.len() <= content.len().div_ceil(BLOCK) && !enough(before.len(), count as usize) {
            let start = (before.len() - 1) * BLOCK;
            let block = content.cut(start..content.len().min(start + BLOCK));
            count += u32::try_from(count_byte(self.stop, block)).unwrap_or(u32::MAX);
            before.push(count);
        }
    }

    /// Returns the number of breaks.
    pub(crate) fn total(&self, content: &[u8]) -> usize {
        self.extend(content, |_, _| false);
        self.before.borrow().last().map_or(0, |count| *count as usize)
    }

    /// Returns the number of breaks that end at or before `offset`.
    pub(crate) fn rank(&self, content: &[u8], offset: usize) -> usize {
        let offset = offset.min(content.len());
        let breaks = |from, to| count_byte(self.stop, content.cut(from..to));
        let (last, known) = self.last.get();
        let count = if offset.abs_diff(last) < offset % BLOCK {
            if last <= offset { known + breaks(last, offset) } else { known - breaks(offset, last) }
        } else {
            let block = offset / BLOCK;
            self.extend(content, |blocks, _| blocks > block);
            let base = self.before.borrow().get(block).map_or(0, |count| *count as usize);
            base + breaks(block * BLOCK, offset)
        };
        self.last.set((offset, count));
        count
    }

    /// Returns the offset directly after the `n`-th break (1-based), if there is one.
    pub(crate) fn after(&self, content: &[u8], n: usize) -> Option<usize> {
        self.extend(content, |_, count| count >= n);
        let before = self.before.borrow();
        if n == 0 || before.last().is_none_or(|count| (*count as usize) < n) {
            return None;
        }
        let block = before.partition_point(|count| (*count as usize) < n).checked_sub(1)?;
        let (first, end) = (block * BLOCK, content.len().min((block + 1) * BLOCK));
        let base = before.get(block).map_or(0, |count| *count as usize);
        let (last, known) = self.last.get();
        let is_near = (first..=end).contains(&last);
        let found = if is_near && known >= n && known - n < n - base {
            first + memchr::memrchr_iter(self.stop, content.cut(first..last)).nth(known - n)? + 1
        } else {
            let (start, passed) = if is_near && known < n { (last, known) } else { (first, base) };
            let skip = (n - passed).checked_sub(1)?;
            start + memchr::memchr_iter(self.stop, content.cut(start..end)).nth(skip)? + 1
        };
        self.last.set((found, n));
        Some(found)
    }
}
