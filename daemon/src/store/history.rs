//! Lists of entries, newest first. Times are compared one by one: the clock may have jumped.

use editd_proto::ids::JobId;
use editd_proto::message::EntrySummary;

use super::index::key;
use super::index::row::{self, EntryRow};
use super::{EntryQuery, Store, StoreError};

impl Store {
    /// Summaries of sealed and external entries, newest first, without their files: a list of very many would hold
    /// very much.
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

    /// Shows whole summaries one by one, as long as `see` wants more; the query's limit is only how many are looked for
    /// at once. A summary that does not fit a row is read from a record of so many bytes if `may` allows it; else that is
    /// the end.
    pub fn each(
        &self,
        query: &EntryQuery,
        may: &dyn Fn(usize) -> bool,
        see: &mut dyn FnMut(EntrySummary) -> bool,
    ) -> Result<(), StoreError> {
        self.shared.whole()?;
        // Summaries are read outside the rows' lock.
        let mut before = query.before;
        loop {
            let ids = self.ids(query, before)?;
            let Some(last) = ids.last() else { return Ok(()) };
            before = Some(*last);
            for id in ids {
                // Gone where retention took it a moment ago.
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

    /// The numbers of the next entries that may be wanted, newest first: a page of them.
    pub fn page(&self, query: &EntryQuery) -> Result<Vec<JobId>, StoreError> {
        self.ids(query, query.before)
    }

    /// The next entries that may be wanted, newest first: by the narrowest index that fits.
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
            // The rows of this index tell the time: one that is too old is not looked up again.
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
