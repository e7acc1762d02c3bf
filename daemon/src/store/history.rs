//! Lists of entries, newest first. Times are compared one by one: the clock may have jumped.

use editd_proto::ids::JobId;
use editd_proto::message::EntrySummary;

use super::index::key;
use super::index::row::{self, EntryRow};
use super::{Query, Store, StoreError};

impl Store {
    /// Summaries of sealed and external entries, newest first.
    pub fn history(&self, query: &Query) -> Result<Vec<EntrySummary>, StoreError> {
        self.shared.whole()?;
        // Bounded by what the rows of one page hold; summaries are read outside the page's lock.
        let mut found = Vec::new();
        let mut before = query.before;
        while found.len() < query.limit {
            let ids = self.ids(query, before)?;
            let Some(last) = ids.last() else { break };
            before = Some(*last);
            for id in ids {
                // Gone where retention took it a moment ago.
                let Some(summary) = self.shared.summary(id)? else { continue };
                if query.session.as_ref().is_none_or(|session| *session == summary.session)
                    && query.since.is_none_or(|since| summary.time >= since)
                {
                    found.push(summary);
                    if found.len() >= query.limit {
                        break;
                    }
                }
            }
        }
        Ok(found)
    }

    /// The next entries that may be wanted, newest first: by the narrowest index that fits.
    pub(super) fn ids(&self, query: &Query, before: Option<JobId>) -> Result<Vec<JobId>, StoreError> {
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
