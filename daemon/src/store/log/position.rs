//! Positions in the log as numbers that grow: segment and offset in one. It reads nothing.

use crate::store::LogPosition;

/// Bits of the offset: a segment holds at most 64 GiB.
const OFFSET_BITS: u32 = 36;

impl LogPosition {
    /// The position at an offset of a segment.
    pub(crate) const fn at(segment: u64, offset: u64) -> Self {
        Self(segment << OFFSET_BITS | offset)
    }

    /// Returns the number of its segment.
    pub(crate) const fn segment(self) -> u64 {
        self.0 >> OFFSET_BITS
    }

    /// Returns the offset in its segment.
    pub(crate) const fn offset(self) -> u64 {
        self.0 & ((1 << OFFSET_BITS) - 1)
    }

    /// Formats the segment and the offset for messages.
    pub(crate) fn shown(self) -> String {
        format!("{:016x}.log, byte {}", self.segment(), self.offset())
    }
}

/// Returns the next multiple of a power of two.
pub(crate) const fn align(offset: u64, to: u64) -> u64 {
    offset.saturating_add(to - 1) & !(to - 1)
}
