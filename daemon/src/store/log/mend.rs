//! Finds the records behind damage in a segment. It only reads.
//!
//! Contents of files are in the log as they are, so bytes inside of a record may look like a record. Bytes are
//! accepted as a record only if a checksum in a later record, or in the next segment, confirms them. The
//! checksum of the last record is in the next segment, and every record repeats that of the record before it, so the
//! records behind the damage are found from the end. A damaged record is passed from the front only if its frame is
//! valid once one byte, or its own checksum, is restored.
//!
//! No segment repeats the checksum of the newest one's last record. There, the chain from the record that proves the
//! latest flush is taken, if that flush was behind the damage, and the chain begins before its end. A record of an earlier
//! life of the segment does not prove the latest one: every flush of that life ended before the later life began. Nor does
//! one inside of a damaged record, since no record names a flush behind itself.
//!
//! *Limitations*: valid records between two damaged ones are lost, too, if both frames are destroyed.

use std::collections::{BTreeMap, BTreeSet};

use super::frame::{Checksum, FRAME, RecordFrame};
use super::position::align;
use super::scan::{ScanCursor, ScannedRecord};
use super::window::SegmentWindow;
use super::{ALIGN, BLOCK};
use crate::store::{LogPosition, StoreError};

/// The most bytes of a gap of unknown extent by which the number of its records is estimated.
const MOST: u64 = 1 << 26;

/// A damaged part of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogGap {
    /// Its first byte.
    pub from: LogPosition,
    /// The byte behind it.
    pub to: LogPosition,
    /// The number of records that are lost, if it is known; 0 if only a header or a checksum is damaged.
    pub records: Option<u64>,
    /// The damaged part, for messages.
    pub what: &'static str,
}

/// The damaged part of a log that ends before its database does.
const LOST_END: &str = "the end of the log";

impl LogGap {
    /// The end of a log that is gone without a trace in the log: the database had it up to the record at `to`. `last` is the
    /// last record that is left; 0 if there is none.
    pub fn lost_end(last: LogPosition, to: LogPosition) -> Self {
        Self { from: last, to, records: None, what: LOST_END }
    }

    /// Returns true if it is [`Self::lost_end`]: nothing of it is in the log.
    pub fn is_lost_end(&self) -> bool {
        self.what == LOST_END
    }

    /// Returns true if a position is in it.
    pub fn covers(&self, at: LogPosition) -> bool {
        self.from <= at && at < self.to
    }

    /// Returns true if records are lost.
    pub fn loses(&self) -> bool {
        self.records != Some(0)
    }

    /// Returns the most records that may be lost.
    pub fn most(&self) -> u64 {
        let bytes = self.to.0.saturating_sub(self.from.0).min(MOST);
        self.records.unwrap_or(bytes / FRAME as u64 + 1)
    }

    /// Describes it for messages.
    pub fn shown(&self) -> String {
        let lost = match self.records {
            Some(0) => "no record is lost".to_owned(),
            Some(1) => "1 record is lost".to_owned(),
            Some(n) => format!("{n} records are lost"),
            None => "an unknown number of records is lost".to_owned(),
        };
        if self.is_lost_end() {
            let rest = match self.from {
                LogPosition(0) => "no record is left".to_owned(),
                last => format!("its last record is at {}", last.shown()),
            };
            return format!("{LOST_END} is lost: {rest}, and there were records up to {}", self.to.shown());
        }
        format!("{} at {}: {lost}", self.what, self.from.shown())
    }
}

/// The end of a segment, as the next one repeats it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegmentEnd {
    /// The checksum of its last record.
    pub previous: Checksum,
    /// The sequence behind its last record.
    pub sequence: u64,
}

impl SegmentEnd {
    /// The end that a scan has reached.
    pub fn of(cursor: &ScanCursor) -> Self {
        Self { previous: cursor.previous, sequence: cursor.sequence }
    }
}

/// A step past damage.
#[derive(Debug)]
pub enum MendedStep {
    /// A valid record whose neighbours are damaged, and its checksum.
    Record(ScannedRecord, Checksum),
    /// A valid record in whose frame one byte, or only the checksum, was damaged.
    Repaired(ScannedRecord, Checksum, LogGap),
    /// Damage; the cursor is behind it.
    Gap(LogGap),
    /// Nothing behind the cursor is known to be part of the log.
    End,
}

/// The frames of a segment from an offset on, and those of them that are known to be part of the log.
pub struct SegmentMender {
    frames: Vec<(u64, RecordFrame)>,
    /// By the checksum before it and its own sequence: the position in `frames`.
    links: BTreeMap<(Checksum, u64), usize>,
    /// The records that are known from the end, in `frames`.
    known: BTreeSet<usize>,
    end: Option<SegmentEnd>,
}

impl SegmentMender {
    /// Searches the frames of a segment behind damage at `from`. `end` is its end if another one follows; `next` is the
    /// beginning of one that may be of an earlier life. `sums` are checksums that are known to be those of records.
    pub fn new(
        window: &mut SegmentWindow,
        from: u64,
        end: Option<SegmentEnd>,
        next: Option<&ScanCursor>,
        sums: &[Checksum],
    ) -> Result<Self, StoreError> {
        let (mut frames, mut by_sum, mut links) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        // The first record of the chain of each.
        let mut begins: Vec<LogPosition> = Vec::new();
        let (segment, mut latest) = (window.segment(), None);
        let damaged = LogPosition::at(segment, from);
        window.each_frame(from, &mut |offset, frame, sum| {
            let at = LogPosition::at(segment, offset);
            let before = by_sum.get(&frame.previous).and_then(|before| begins.get(*before));
            let begin = before.copied().unwrap_or(at);
            if damaged < frame.flushed && begin <= frame.flushed && frame.flushed <= at {
                latest = latest.max(Some(((frame.flushed, frame.epoch, frame.sequence), sum)));
            }
            by_sum.insert(sum, frames.len());
            links.insert((frame.previous, frame.sequence), frames.len());
            frames.push((offset, frame));
            begins.push(begin);
        })?;
        if let Some(next) = next.filter(|next| damaged < next.flushed)
            && let Some(begin) = by_sum.get(&next.previous).and_then(|last| begins.get(*last))
            && *begin <= next.flushed
        {
            latest = latest.max(Some(((next.flushed, next.epoch, next.sequence), next.previous)));
        }
        // The records behind that one follow it like any others.
        let last = end.map(|end| end.previous).or(latest.map(|(_, sum)| sum));
        let mut known = BTreeSet::new();
        for sum in sums.iter().copied().chain(last) {
            let mut wanted = sum;
            while let Some(found) = by_sum.get(&wanted)
                && let Some((_, frame)) = frames.get(*found)
                && known.insert(*found)
            {
                wanted = frame.previous;
            }
        }
        Ok(Self { frames, links, known, end })
    }

    /// Moves the cursor one step past the damage behind it.
    pub fn step(
        &self,
        window: &mut SegmentWindow,
        cursor: &mut ScanCursor,
    ) -> Result<MendedStep, StoreError> {
        let direct = align(cursor.end.offset(), ALIGN);
        let padded = align(direct, BLOCK);
        for offset in [direct, padded] {
            if let Some((found, sum)) = cursor.record_at(window, offset)? {
                cursor.pass(&found, sum);
                return Ok(MendedStep::Record(found, sum));
            }
        }
        for offset in [direct, padded] {
            if let Some(step) = self.by_its_checksum(window, cursor, offset)? {
                return Ok(step);
            }
        }
        Ok(self.behind_damage(window, cursor, direct))
    }

    /// Passes the damaged record at an offset if its frame is known all the same.
    fn by_its_checksum(
        &self,
        window: &mut SegmentWindow,
        cursor: &mut ScanCursor,
        offset: u64,
    ) -> Result<Option<MendedStep>, StoreError> {
        let (segment, len) = (window.segment(), window.len());
        let at = LogPosition::at(segment, offset);
        let Some(head) = window.get(offset, FRAME)?.map(<[u8]>::to_vec) else { return Ok(None) };
        let sequence = cursor.sequence + 1;
        let own = RecordFrame::under_own_checksum(&head, at).into_iter().map(|found| (found, false));
        let restored = RecordFrame::restore(&head, at).into_iter().map(|found| (found, true));
        // The checksum of the record before is known to nobody who wrote a file: it proves that this is a frame.
        let frames = own
            .chain(restored)
            .filter(|((frame, _), _)| frame.previous == cursor.previous && frame.sequence == cursor.sequence);
        for ((frame, sum), matches) in frames.collect::<Vec<_>>() {
            let next = self.links.get(&(sum, sequence)).and_then(|next| self.frames.get(*next));
            let next = next.map(|(next, _)| *next).filter(|next| *next > offset);
            let last = self.end == Some(SegmentEnd { previous: sum, sequence });
            let behind = next.or(last.then_some(len));
            // Its checksum is the stored one, or is repeated behind it.
            if (matches || behind.is_some())
                && let Some(found) = ScannedRecord::read(window, at, &frame)?
            {
                cursor.pass(&found, sum);
                let to = LogPosition(at.0 + FRAME as u64);
                let gap = LogGap { from: at, to, records: Some(0), what: "the frame of a record" };
                return Ok(Some(MendedStep::Repaired(found, sum, gap)));
            }
            let Some(behind) = behind else { continue };
            let to = LogPosition::at(segment, behind);
            *cursor = ScanCursor { end: to, last: at, sequence, previous: sum, ..*cursor };
            let what = "the content of a record";
            return Ok(Some(MendedStep::Gap(LogGap { from: at, to, records: Some(1), what })));
        }
        Ok(None)
    }

    /// Moves to the first record behind the cursor that is known from the end.
    fn behind_damage(&self, window: &SegmentWindow, cursor: &mut ScanCursor, offset: u64) -> MendedStep {
        let segment = window.segment();
        let from = LogPosition::at(segment, offset);
        let mut behind = self.known.iter().filter_map(|known| self.frames.get(*known));
        let next = behind.find(|(at, frame)| *at >= offset && frame.sequence > cursor.sequence);
        let (to, end) = match (next, self.end) {
            (Some((at, frame)), _) => {
                (*at, SegmentEnd { previous: frame.previous, sequence: frame.sequence })
            }
            (None, Some(end)) if end.sequence > cursor.sequence => (window.len(), end),
            _ => return MendedStep::End,
        };
        // A scan that does not know where it began has the sequence 0.
        let records = (cursor.sequence > 0).then(|| end.sequence - cursor.sequence);
        let to = LogPosition::at(segment, to);
        *cursor = ScanCursor { end: to, sequence: end.sequence, previous: end.previous, ..*cursor };
        MendedStep::Gap(LogGap { from, to, records, what: "a part of a segment" })
    }
}
