//! The steps of retention, in their order. A background thread calls it now and then, and when the log has grown.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::Ordering;

use super::live::{KeyAge, SegmentSurvey};
use crate::store::database::shelf;
use crate::store::index::{RowView, key, row};
use crate::store::log::read;
use crate::store::moving::MoveActions;
use crate::store::shared::StoreParts;
use crate::store::{RetentionPolicy, Store, StoreError, UpkeepReport};
use crate::sync::lock;
use crate::{limits, os};

/// One in so many freed bytes may be written again.
const CARRIED: u64 = 2;

/// The same if keys are kept for longer than the shortest age.
const CARRIED_FOR_KEYS: u64 = 4;

/// One in so many bytes of the log may be dropped at once for the sake of keys.
const DROPPED_FOR_KEYS: u64 = 8;

/// Retention begins when one in so many bytes of the limit is left, or a segment if that is less.
const AHEAD: u64 = 8;

/// The part of the log that is dropped next.
struct DroppedPart {
    /// Its last segment.
    last: u64,
    /// Milliseconds for which keys are kept beyond it.
    keys_ms: u64,
}

impl Store {
    /// Removes what exceeds the limits in `keep` and frees disk space. Edits continue meanwhile.
    pub fn upkeep(&self, now_ms: u64, keep: RetentionPolicy) -> Result<UpkeepReport, StoreError> {
        let shared = &self.shared;
        let mut kept = UpkeepReport::default();
        let packed = shared.pack(&mut kept);
        let _one = lock(&shared.upkeep);
        // Damage of the log stops the removal of entries, and of segments. The database is moved in any case.
        let pruned = shared.prune(now_ms, keep, &mut kept);
        kept.compacted = shared.compact(now_ms)?;
        pruned.and(packed).inspect_err(|error| shared.suspect(None, error))?;
        Ok(kept)
    }

    /// Packs segments, and drops some if the log is longer than `keep` allows. Cheaper than [`Store::upkeep`], which also examines the age and
    /// the number of all entries. Edits continue meanwhile.
    pub fn trim(&self, now_ms: u64, keep: RetentionPolicy) -> Result<UpkeepReport, StoreError> {
        let mut kept = UpkeepReport::default();
        let packed = self.shared.pack(&mut kept);
        let _one = lock(&self.shared.upkeep);
        let shortened = self.shared.shorten(now_ms, keep, &mut kept);
        shortened.and(packed).inspect_err(|error| self.shared.suspect(None, error))?;
        Ok(kept)
    }
}

impl StoreParts {
    /// Removes the rows of entries and read receipts beyond their limits, and drops segments.
    fn prune(&self, now_ms: u64, keep: RetentionPolicy, kept: &mut UpkeepReport) -> Result<(), StoreError> {
        let entries = self.prune_entries(now_ms, keep);
        let seen = self.prune_seen(now_ms, keep);
        kept.entries = entries?;
        self.shorten(now_ms, keep, kept)?;
        seen
    }

    /// Packs all segments that are no longer written to.
    fn pack(&self, kept: &mut UpkeepReport) -> Result<(), StoreError> {
        loop {
            // Taken for each segment anew: checks and `forget` wait for it.
            let _one = lock(&self.upkeep);
            let Some(id) = self.log.packable() else { return Ok(()) };
            if self.log.pack(id)? {
                kept.packed += 1;
                self.quota.made_room();
            }
        }
    }

    /// Drops segments, and tells callers that wait for room.
    fn shorten(&self, now_ms: u64, keep: RetentionPolicy, kept: &mut UpkeepReport) -> Result<(), StoreError> {
        // Begins before requests have to wait.
        let keep = RetentionPolicy {
            bytes: keep.bytes - (keep.bytes / AHEAD).min(self.log.segment_bytes()),
            ..keep
        };
        let mut dropped = Ok(());
        // A pass may write so many keys again that the next one has to keep them for less time.
        for _ in limits::KEYS_MS {
            let before = kept.segments;
            let end = self.log.current();
            dropped = self.drop_segments(now_ms, keep, kept);
            let segments = self.log.segments();
            let left: u64 = segments.iter().filter(|(id, _)| *id <= end).map(|(_, len)| len).sum();
            // Entries that are open are needed only until they are settled: edits wait for that.
            let open = self.open_bytes().unwrap_or_default();
            self.quota.left(left.saturating_sub(2 * open));
            if dropped.is_err() || kept.segments == before || self.log.bytes() <= keep.bytes {
                break;
            }
        }
        dropped
    }

    fn drop_segments(
        &self,
        now_ms: u64,
        keep: RetentionPolicy,
        kept: &mut UpkeepReport,
    ) -> Result<(), StoreError> {
        if self.log.bytes() > keep.bytes {
            // A segment can be dropped once all of it is flushed.
            self.flush(self.log.last())?;
        }
        // Records that are appended from now on lie behind this position: one pass through the log, so that it ends.
        let end = self.log.flushed().segment();
        let mut surveys = BTreeMap::new();
        while let Some(part) = self.droppable(now_ms, keep, end, &mut surveys)? {
            while let Some(oldest) =
                self.log.segments().first().map(|one| one.0).filter(|id| *id <= part.last)
            {
                let rebuilds = self.rows.rebuilds();
                let Some((entries, carried)) =
                    self.carry(oldest, KeyAge { now_ms, keys_ms: part.keys_ms })?
                else {
                    return Ok(());
                };
                kept.entries += entries;
                kept.carried += carried;
                if !self.drop_segment(oldest, rebuilds)? {
                    return Ok(());
                }
                kept.segments += 1;
                self.quota.made_room();
            }
        }
        Ok(())
    }

    /// Returns the part to drop: the shortest beginning of the log of which clearly less must be written again than is
    /// freed. `None` if nothing is gained. Keys are kept for as long as they take little of it.
    ///
    /// `surveys` has the segments that this pass surveyed: less of them is needed now, if anything.
    fn droppable(
        &self,
        now_ms: u64,
        keep: RetentionPolicy,
        end: u64,
        surveys: &mut BTreeMap<u64, SegmentSurvey>,
    ) -> Result<Option<DroppedPart>, StoreError> {
        let segments = self.log.segments();
        let total: u64 = segments.iter().map(|(_, len)| len).sum();
        let shortest = limits::KEYS_MS.len() - 1;
        let mut freed = 0;
        let mut carried = SegmentSurvey::default();
        let mut found = limits::KEYS_MS.map(|_| None);
        for (nth, (id, len)) in segments.into_iter().filter(|(id, _)| *id < end).enumerate() {
            let was_surveyed = self.surveyed.load(Ordering::Relaxed) == id;
            if total <= keep.bytes && was_surveyed && self.shows_entry_of(id)? {
                return Ok(None);
            }
            let survey = match surveys.entry(id) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(self.survey(id, now_ms)?),
            };
            if total <= keep.bytes {
                self.surveyed.store(id, Ordering::Relaxed);
                let idle = survey.entries == 0 && survey.carried_bytes(0) <= len / 2;
                return Ok(idle.then_some(DroppedPart { last: id, keys_ms: limits::KEY_MS }));
            }
            freed += len;
            carried.add(&survey);
            // For the sake of keys, only a small part of the log is dropped at once.
            let is_short = nth == 0 || freed <= total / DROPPED_FOR_KEYS;
            for (age, found) in found.iter_mut().enumerate() {
                let permitted = freed / if age == shortest { CARRIED } else { CARRIED_FOR_KEYS };
                if found.is_none() && (is_short || age == shortest) && carried.carried_bytes(age) <= permitted
                {
                    *found = Some(id);
                }
            }
            let [longest, .., last] = &found;
            if longest.is_some() || (!is_short && last.is_some()) {
                break;
            }
        }
        let mut parts = found.into_iter().zip(limits::KEYS_MS);
        Ok(parts.find_map(|(last, keys_ms)| Some(DroppedPart { last: last?, keys_ms })))
    }

    /// Returns true if the oldest entry is in a segment, and not open: cheaper than a survey, which reads all of the segment.
    fn shows_entry_of(&self, segment: u64) -> Result<bool, StoreError> {
        let mut shows = false;
        self.rows.stored_up(&[key::ENTRY], &key::behind(&[key::ENTRY]), &mut |key, value| {
            if self.rows.get(key)?.is_none() {
                // It was removed a moment ago.
                return Ok(true);
            }
            let is_open = key::id_of(key).is_some_and(|id| lock(&self.index).open.contains_key(&id));
            shows = !is_open && row::place(value)?.segment() == segment;
            Ok(false)
        })?;
        Ok(shows)
    }

    /// Returns the bytes of the intents of open entries.
    fn open_bytes(&self) -> Result<u64, StoreError> {
        let open: Vec<_> = lock(&self.index).open.values().map(|open| open.at).collect();
        let mut bytes = 0;
        for at in open {
            bytes += read::frame_at(self.log.dir(), at)?.0.size();
        }
        Ok(bytes)
    }

    /// Deletes a segment's file after the log and the database no longer need it. Returns false if the database was
    /// rebuilt since `rebuilds` was taken: it has rows of the segment again.
    fn drop_segment(&self, id: u64, rebuilds: u64) -> Result<bool, StoreError> {
        self.flush(self.log.last())?;
        self.rows.begin_at(id + 1);
        self.apply()?;
        let dropped = self.rows.unless_rebuilt(rebuilds, || match self.log.segments().first() {
            Some((oldest, _)) if *oldest == id => self.log.drop_oldest(),
            _ => Ok(false),
        });
        dropped.unwrap_or(Ok(false))
    }

    /// Moves the database into a fresh folder if it takes several times the space of its rows, or if it is in memory since
    /// it failed, now and then.
    fn compact(&self, now_ms: u64) -> Result<bool, StoreError> {
        let in_memory = self.rows.in_memory_since(now_ms);
        if in_memory == Some(false) {
            return Ok(false);
        }
        let (size, live) = (self.rows.size(), self.rows.live().bytes);
        let spacious = size > limits::DATABASE_SMALL && size > limits::DATABASE_SLACK * live;
        if in_memory.is_none() && !spacious {
            return Ok(false);
        }
        let moved = self.rows.move_into(&MoveActions {
            open: &|| self.shelf.beside(),
            between: &|| self.signal.let_others_work(limits::MOVE_PAUSE_MS),
            publish: &|| self.shelf.publish(),
        });
        let old = match moved {
            Ok(old) => old,
            Err(error) => {
                self.shelf.discard_beside();
                tracing::warn!("the database cannot be moved into a fresh folder: {error}");
                return Ok(false);
            }
        };
        shelf::close(old);
        // Its cache is free now, in pieces all over the heap: each move was seen to add 15 MiB to what the daemon takes.
        os::give_back();
        self.shelf.discard_beside();
        if in_memory.is_some() {
            self.rows.is_sound();
            tracing::info!("the database is in the state folder again");
        }
        Ok(true)
    }
}
