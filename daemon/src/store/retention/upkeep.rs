//! One round of upkeep: which steps, in which order. Call it from one background thread now and then.

use super::live::Survey;
use crate::limits;
use crate::store::lock::lock;
use crate::store::shared::Shared;
use crate::store::{Keep, Kept, Store, StoreError};

impl Store {
    /// Drops what is older or more than `keep` says, and gives disk space back. Edits go on meanwhile.
    pub fn upkeep(&self, now_ms: u64, keep: Keep) -> Result<Kept, StoreError> {
        let shared = &self.shared;
        let _one = lock(&shared.upkeep);
        let mut kept = Kept { entries: shared.prune_entries(now_ms, keep)?, ..Kept::default() };
        shared.prune_seen(now_ms, keep)?;
        while let Some(survey) = shared.droppable(now_ms, keep)? {
            let (entries, carried) = shared.carry(&survey, now_ms)?;
            kept.entries += entries;
            kept.carried += carried;
            if !shared.drop_segment(survey.segment)? {
                break;
            }
            kept.segments += 1;
        }
        kept.compacted = shared.compact()?;
        Ok(kept)
    }
}

impl Shared {
    /// The oldest segment, if it should be dropped and may be.
    fn droppable(&self, now_ms: u64, keep: Keep) -> Result<Option<Survey>, StoreError> {
        let segments = self.log.segments();
        let [(oldest, len), _, ..] = segments.as_slice() else { return Ok(None) };
        if *oldest >= self.log.flushed().segment() {
            return Ok(None);
        }
        let total: u64 = segments.iter().map(|(_, len)| len).sum();
        let survey = self.survey(*oldest, now_ms)?;
        // What is written again must be clearly less than what is freed, or nothing is won.
        let worth = if total > keep.bytes {
            survey.carried_bytes <= len / 2
        } else {
            survey.entries == 0 && survey.carried_bytes <= len / 8
        };
        Ok((worth && !survey.unsettled).then_some(survey))
    }

    /// Takes a segment's file away, after log and database no longer need it.
    fn drop_segment(&self, id: u64) -> Result<bool, StoreError> {
        self.flush(self.log.last())?;
        self.apply()?;
        match self.log.segments().first() {
            Some((oldest, _)) if *oldest == id => self.log.drop_oldest(),
            _ => Ok(false),
        }
    }

    /// Moves the database into a fresh folder where it holds several times what lives in it.
    fn compact(&self) -> Result<bool, StoreError> {
        let (size, live) = (self.rows.size(), self.rows.meta().bytes);
        if size <= limits::DATABASE_SMALL || size <= limits::DATABASE_SLACK * live {
            return Ok(false);
        }
        self.rows.move_into(&|| self.shelf.beside(), &|| self.shelf.replace())?;
        Ok(true)
    }
}
