//! Slicing that cannot panic: a range that does not fit gives an empty slice. Ranges are computed by this crate; a
//! wrong one shows as a failed check of the splices, not as a crash.

use std::ops::Range;

/// A sequence that can be sliced.
pub(crate) trait Cut {
    /// The slice, or an empty one if the range does not lie inside on boundaries.
    fn cut(&self, range: Range<usize>) -> &Self;
}

impl Cut for str {
    fn cut(&self, range: Range<usize>) -> &str {
        self.get(range).unwrap_or("")
    }
}

impl<T> Cut for [T] {
    fn cut(&self, range: Range<usize>) -> &[T] {
        self.get(range).unwrap_or(&[])
    }
}

/// A range of offsets in a text, in half the memory: files are far smaller than 4 GiB (see `limits`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The span of a range.
    pub(crate) fn new(range: Range<usize>) -> Self {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: small(range.start), end: small(range.end) }
    }

    /// The range again.
    pub(crate) fn range(self) -> Range<usize> {
        self.start()..self.end()
    }

    /// The offset of the first byte.
    pub(crate) fn start(self) -> usize {
        self.start as usize
    }

    /// The offset behind the last byte.
    pub(crate) fn end(self) -> usize {
        self.end as usize
    }

    /// Returns true if the span is empty.
    pub(crate) fn is_empty(self) -> bool {
        self.start >= self.end
    }
}
