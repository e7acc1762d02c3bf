//! Removes the rows of entries and read receipts beyond their limits. Their records stay in the log until their
//! segment is dropped.

use editd_proto::ids::JobId;

use crate::limits;
use crate::record::Entry;
use crate::store::index::row::{self, EntryRow, KeyRow, ReceiptRow};
use crate::store::index::{RowChanges, RowView, entry, key};
use crate::store::log::read::RecordReader;
use crate::store::shared::StoreParts;
use crate::store::{RetentionPolicy, StoreError};

/// Rows that are removed in one step, so that appends wait only briefly: the entry of each is read from the log.
const STEP: usize = 8;

impl StoreParts {
    /// Removes the rows of settled entries that are too old or too many. Their keys are kept for at least a day.
    pub(super) fn prune_entries(&self, now_ms: u64, keep: RetentionPolicy) -> Result<u64, StoreError> {
        let old = |time: u64| time >= keep.sane_ms && time.saturating_add(keep.age_ms) < now_ms;
        // Entries that are not in the database yet are newer than those that go.
        self.apply()?;
        let (lo, hi) = ([key::ENTRY], key::behind(&[key::ENTRY]));
        let mut excess = self.rows.stored_count(&lo, &hi)?.saturating_sub(keep.entries);
        let mut beyond = Vec::new();
        // Then entries that are too old, as long as all before them are: a later entry cannot be older, whatever the clock
        // said.
        self.rows.stored_up(&lo, &hi, &mut |key, value| {
            let goes = excess > 0 || old(row::rest::<EntryRow>(value)?.time);
            excess = excess.saturating_sub(1);
            beyond.extend(key::id_of(key).filter(|_| goes));
            Ok(goes)
        })?;
        let mut gone = 0;
        let mut reader = RecordReader::new(self.log.dir());
        for ids in beyond.chunks(STEP) {
            gone += self.prune_step(ids, now_ms, &mut reader)?;
        }
        Ok(gone)
    }

    fn prune_step(
        &self,
        ids: &[JobId],
        now_ms: u64,
        reader: &mut RecordReader<'_>,
    ) -> Result<u64, StoreError> {
        let mut index = self.index_for_retention();
        let mut draft = RowChanges { below: &self.rows, changes: Default::default() };
        let mut gone = 0;
        for id in ids.iter().filter(|id| !index.open.contains_key(id)) {
            let Some(found) = self.entry(*id)? else { continue };
            if self.key_lives(&found, now_ms)? {
                entry::remove(&mut draft, &found);
            } else {
                self.forget_entry(&found, &mut draft, reader)?;
            }
            gone += 1;
        }
        self.take_away(&mut index, draft, gone);
        Ok(gone)
    }

    fn key_lives(&self, entry: &Entry, now_ms: u64) -> Result<bool, StoreError> {
        let Some(name) = &entry.key else { return Ok(false) };
        match self.rows.get(&key::client_key(&entry.session, name))? {
            Some(value) => {
                let row: KeyRow = row::rest(&value)?;
                Ok(row.id == entry.id && row.time.saturating_add(limits::KEY_MS) > now_ms)
            }
            None => Ok(false),
        }
    }

    /// Removes read receipts that are too old, or the oldest if there are too many.
    pub(super) fn prune_seen(&self, now_ms: u64, keep: RetentionPolicy) -> Result<(), StoreError> {
        let mut all: Vec<(u64, Vec<u8>)> = Vec::new();
        self.rows.down(&[key::SEEN], &key::behind(&[key::SEEN]), &mut |key, value| {
            all.push((row::rest::<ReceiptRow>(value)?.time, key.to_vec()));
            Ok(true)
        })?;
        // Newest first; the session is the first part of the key.
        all.sort_by(|a, b| b.cmp(a));
        let mut of_session = std::collections::BTreeMap::<Vec<u8>, usize>::new();
        let mut left = 0;
        let beyond: Vec<(u64, Vec<u8>)> = all
            .into_iter()
            .filter(|(time, key)| {
                let session = of_session.entry(key.get(..17).unwrap_or_default().to_vec()).or_default();
                *session += 1;
                let stays = *session <= limits::SEEN_OF_SESSION
                    && left < limits::SEEN
                    && time.saturating_add(keep.age_ms) >= now_ms;
                left += usize::from(stays);
                !stays
            })
            .collect();
        for step in beyond.chunks(STEP) {
            let mut index = self.index_for_retention();
            let mut draft = RowChanges { below: &self.rows, changes: Default::default() };
            for (time, key) in step {
                // A receipt that was renewed meanwhile is kept.
                let now = self.rows.get(key)?.map(|value| row::rest::<ReceiptRow>(&value)).transpose()?;
                if now.is_some_and(|row| row.time == *time) {
                    draft.remove(key.clone());
                }
            }
            self.take_away(&mut index, draft, 0);
        }
        Ok(())
    }
}
