//! Slicing that cannot panic: a range that does not fit returns an empty slice. All ranges are computed by this crate;
//! a wrong one fails a check of the splices instead of causing a crash.

use std::ops::Range;

/// A sequence that can be sliced.
pub(crate) trait Cut {
    /// Returns the slice, or an empty one if the range is not inside the sequence or not on its boundaries.
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

/// A range of offsets in a text, in half the memory of a `Range`: files are smaller than 4 GiB (see `limits`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Creates the span of a range.
    pub(crate) fn new(range: Range<usize>) -> Self {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: small(range.start), end: small(range.end) }
    }

    /// Returns the range.
    pub(crate) fn range(self) -> Range<usize> {
        self.start()..self.end()
    }

    /// Returns the offset of the first byte.
    pub(crate) fn start(self) -> usize {
        self.start as usize
    }

    /// Returns the offset behind the last byte.
    pub(crate) fn end(self) -> usize {
        self.end as usize
    }

    /// Returns true if the span is empty.
    pub(crate) fn is_empty(self) -> bool {
        self.start >= self.end
    }
}
