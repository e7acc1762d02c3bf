//! The steps of one upkeep, in their order. A background thread calls it now and then.

use crate::limits;
use crate::store::shared::StoreParts;
use crate::store::{RetentionPolicy, Store, StoreError, UpkeepReport};
use crate::sync::lock;

impl Store {
    /// Removes what exceeds the limits in `keep` and frees disk space. Edits continue meanwhile.
    pub fn upkeep(&self, now_ms: u64, keep: RetentionPolicy) -> Result<UpkeepReport, StoreError> {
        let shared = &self.shared;
        let _one = lock(&shared.upkeep);
        let mut kept =
            UpkeepReport { entries: shared.prune_entries(now_ms, keep)?, ..UpkeepReport::default() };
        shared.prune_seen(now_ms, keep)?;
        // Records that are appended from now on lie behind this position: one pass through the log, so that it ends.
        let end = shared.log.flushed().segment();
        'pass: while let Some(last) = shared.droppable(now_ms, keep, end)? {
            while let Some(oldest) = shared.log.segments().first().map(|one| one.0).filter(|id| *id <= last) {
                let Some((entries, carried)) = shared.carry(oldest, now_ms)? else { break 'pass };
                kept.entries += entries;
                kept.carried += carried;
                if !shared.drop_segment(oldest)? {
                    break 'pass;
                }
                kept.segments += 1;
            }
        }
        kept.compacted = shared.compact()?;
        Ok(kept)
    }
}

impl StoreParts {
    /// Returns the last segment to drop, together with all before it: the shortest part of the log of which clearly
    /// less must be written again than is freed. `None` if nothing is gained.
    fn droppable(&self, now_ms: u64, keep: RetentionPolicy, end: u64) -> Result<Option<u64>, StoreError> {
        let segments = self.log.segments();
        let total: u64 = segments.iter().map(|(_, len)| len).sum();
        let (mut freed, mut carried) = (0, 0);
        for (id, len) in segments.into_iter().filter(|(id, _)| *id < end) {
            let survey = self.survey(id, now_ms)?;
            if total <= keep.bytes {
                let idle = survey.entries == 0 && survey.carried_bytes <= len / 8;
                return Ok(idle.then_some(id));
            }
            freed += len;
            carried += survey.carried_bytes;
            if carried <= freed / 2 {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Deletes a segment's file after the log and the database no longer need it.
    fn drop_segment(&self, id: u64) -> Result<bool, StoreError> {
        self.flush(self.log.last())?;
        self.apply()?;
        match self.log.segments().first() {
            Some((oldest, _)) if *oldest == id => self.log.drop_oldest(),
            _ => Ok(false),
        }
    }

    /// Moves the database into a fresh folder if it takes several times the space of its rows.
    fn compact(&self) -> Result<bool, StoreError> {
        let (size, live) = (self.rows.size(), self.rows.meta().bytes);
        if size <= limits::DATABASE_SMALL || size <= limits::DATABASE_SLACK * live {
            return Ok(false);
        }
        self.rows.move_into(&|| self.shelf.beside(), &|| self.shelf.replace())?;
        Ok(true)
    }
}
