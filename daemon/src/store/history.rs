//! Lists entries, newest first. Each time is compared by itself, since the clock may have jumped.

use editd_proto::ids::JobId;
use editd_proto::message::{EntryKind, EntrySummary};

use super::index::key;
use super::index::row::{self, EntryRow};
use super::{EntryQuery, Store, StoreError};

impl Store {
    /// Returns summaries of sealed and external entries, newest first, without their files, which would take much
    /// memory for many entries.
    pub fn history(&self, query: &EntryQuery) -> Result<Vec<EntrySummary>, StoreError> {
        let mut found = Vec::new();
        if query.limit > 0 {
            self.each(query, &|_| true, &mut |mut summary| {
                summary.omitted_files = std::mem::take(&mut summary.files).len() as u64;
                found.push(summary);
                found.len() < query.limit
            })?;
        }
        Ok(found)
    }

    /// Calls `see` with one whole summary after the other, as long as it returns true; the query's limit only says
    /// how many are looked up at once. If a summary does not fit a row, its record is read if `may` allows that many
    /// bytes; otherwise the list ends.
    pub fn each(
        &self,
        query: &EntryQuery,
        may: &dyn Fn(usize) -> bool,
        see: &mut dyn FnMut(EntrySummary) -> bool,
    ) -> Result<(), StoreError> {
        self.shared.whole()?;
        // Summaries are read without the lock of the rows.
        let mut before = query.before;
        loop {
            let ids = self.ids(query, before)?;
            let Some(last) = ids.last() else { return Ok(()) };
            before = Some(*last);
            for id in ids {
                // Retention removed the entry a moment ago.
                let Some(summary) = self.shared.summary_if(id, may)? else { continue };
                let Some(summary) = summary else { return Ok(()) };
                let meant = query.session.as_ref().is_none_or(|session| *session == summary.session)
                    && query.since.is_none_or(|since| summary.time >= since);
                if meant && !see(summary) {
                    return Ok(());
                }
            }
        }
    }

    /// Calls `see` with the number and the name of each mark, newest first, as long as it returns true.
    pub fn marks(&self, see: &mut dyn FnMut(JobId, String) -> bool) -> Result<(), StoreError> {
        self.shared.whole()?;
        let query = EntryQuery { limit: 512, ..EntryQuery::default() };
        let mut before = None;
        loop {
            let ids = self.ids(&query, before)?;
            let Some(last) = ids.last() else { return Ok(()) };
            before = Some(*last);
            for id in ids {
                let kind = |value: &[u8]| row::rest::<EntryRow>(value).map(|row| Some(row.kind));
                if self.shared.held(&key::job(key::ENTRY, id), kind)? != Some(EntryKind::Mark) {
                    continue;
                }
                let Some(label) = self.summary(id)?.and_then(|mark| mark.label) else { continue };
                if !see(id, label) {
                    return Ok(());
                }
            }
        }
    }

    /// Returns the numbers of the next page of entries that may match, newest first.
    pub fn page(&self, query: &EntryQuery) -> Result<Vec<JobId>, StoreError> {
        self.ids(query, query.before)
    }

    /// Returns the next entries that may match, newest first, from the narrowest index that fits.
    pub(super) fn ids(&self, query: &EntryQuery, before: Option<JobId>) -> Result<Vec<JobId>, StoreError> {
        let prefix = match (&query.path, &query.session) {
            (Some(path), _) => key::paths(path),
            (None, Some(session)) => key::sessions(session),
            (None, None) => vec![key::ENTRY],
        };
        let hi = match before {
            Some(before) => [prefix.as_slice(), &before.0.to_be_bytes()].concat(),
            None => key::behind(&prefix),
        };
        let most = query.limit.clamp(1, 512);
        let mut ids = Vec::new();
        let whole = prefix == [key::ENTRY];
        self.shared.rows.down(&prefix, &hi, &mut |key, value| {
            if query.after.is_some_and(|after| key::id_of(key).is_some_and(|id| id <= after)) {
                return Ok(false);
            }
            // The rows of this index hold the time: an entry that is too old is not looked up.
            let old = match query.since.filter(|_| whole) {
                Some(since) => row::rest::<EntryRow>(value)?.time < since,
                None => false,
            };
            if !old {
                ids.extend(key::id_of(key));
            }
            Ok(ids.len() < most)
        })?;
        Ok(ids)
    }
}
