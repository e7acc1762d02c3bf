//! Look-ups of the entries that touched a path, and of the contents they left there. It writes nothing.

use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::EntryKind;
use editd_proto::path::FilePath;

use super::index::entry::RESCUED;
use super::index::key;
use super::index::row::{self, EntryRow};
use super::log::frame::{Checksum, digest};
use super::{EntryQuery, Store, StoreError};

/// The number of entries of a path that are read at once.
const PAGE: usize = 64;

/// The digest of a path of the journal, by which its paths are ordered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PathDigest(Checksum);

impl PathDigest {
    /// Returns the digest of a path.
    pub fn of(path: &FilePath) -> Self {
        Self(digest(path.as_bytes()))
    }
}

/// The newest entry that touches a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastChange {
    /// The entry.
    pub id: JobId,
    /// The file that it left at the path, if it left one.
    pub left: Option<LeftFile>,
}

/// A file that an entry left at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeftFile {
    /// The hash of its content.
    pub hash: ContentHash,
    /// Its permission bits.
    pub mode: u32,
}

impl LeftFile {
    /// Decodes the end of a path's row; `None` if it tells that the entry left no file.
    fn of_row(left: &[u8]) -> Option<Self> {
        let (hash, mode) = left.split_first_chunk()?;
        Some(Self { hash: ContentHash::from_bytes(*hash), mode: u32::from_be_bytes(mode.try_into().ok()?) })
    }
}

impl Store {
    /// Returns up to `most` paths of the journal, those with the greatest digests below `below`, in descending order, each
    /// with the newest entry that touches it. Entries that only keep rescued bytes do not count.
    pub fn journaled_paths(
        &self,
        below: Option<PathDigest>,
        most: usize,
    ) -> Result<Vec<(PathDigest, JobId)>, StoreError> {
        let prefix = vec![key::PATH];
        let hi = match below {
            Some(PathDigest(digest)) => [prefix.as_slice(), &digest].concat(),
            None => key::behind(&prefix),
        };
        let mut found: Vec<(PathDigest, JobId)> = Vec::new();
        self.shared.rows.down(&prefix, &hi, &mut |key, value| {
            let digest = key.get(1..).and_then(<[u8]>::first_chunk).copied().map(PathDigest);
            let (Some(digest), Some(id)) = (digest, key::id_of(key)) else { return Ok(true) };
            let is_known = found.last().is_some_and(|(last, _)| *last == digest);
            if is_known || value.get(8..) == Some(&[RESCUED]) {
                return Ok(true);
            }
            if found.len() == most {
                return Ok(false);
            }
            found.push((digest, id));
            Ok(true)
        })?;
        Ok(found)
    }

    /// Returns the newest sealed or external entry that touches a path, and the hash of the content it left there
    /// (`None`: no file). Entries that only keep rescued bytes do not count.
    pub fn last_of(&self, path: &FilePath) -> Result<Option<(JobId, Option<ContentHash>)>, StoreError> {
        Ok(self.last_change(path)?.map(|last| (last.id, last.left.map(|left| left.hash))))
    }

    /// Returns the same with the mode of the file.
    pub fn last_change(&self, path: &FilePath) -> Result<Option<LastChange>, StoreError> {
        let prefix = key::paths(path);
        let mut last = None;
        self.shared.rows.down(&prefix, &key::behind(&prefix), &mut |key, value| {
            let left = value.get(8..).unwrap_or_default();
            if left == [RESCUED] {
                return Ok(true);
            }
            last = key::id_of(key).map(|id| LastChange { id, left: LeftFile::of_row(left) });
            Ok(false)
        })?;
        Ok(last)
    }

    /// Returns the hash of the content that an entry left at a path (`Some(None)`: no file). `None` if the entry did
    /// not touch the path, only keeps rescued bytes of it, or is no longer stored.
    pub fn left_by(&self, path: &FilePath, id: JobId) -> Result<Option<Option<ContentHash>>, StoreError> {
        self.shared.held(&key::path(path, id), |value| {
            let left = value.get(8..).unwrap_or_default();
            // Rescued bytes were never at their path.
            let stood = left != [RESCUED];
            Ok(stood.then(|| LeftFile::of_row(left).map(|left| left.hash)))
        })
    }

    /// Returns the newest entry of a job that touches a path, if it is newer than `behind`. External entries and
    /// entries of hooks do not count.
    pub fn job_behind(&self, path: &FilePath, behind: JobId) -> Result<Option<JobId>, StoreError> {
        let mut before = None;
        loop {
            let query = EntryQuery { path: Some(path.clone()), limit: PAGE, ..EntryQuery::default() };
            let ids = self.ids(&query, before)?;
            for id in &ids {
                if *id <= behind {
                    return Ok(None);
                }
                let kind = |value: &[u8]| row::rest::<EntryRow>(value).map(|row| Some(row.kind));
                let kind = self.shared.held(&key::job(key::ENTRY, *id), kind)?;
                if kind.is_some_and(|kind| !matches!(kind, EntryKind::External | EntryKind::Hook)) {
                    return Ok(Some(*id));
                }
            }
            let Some(last) = ids.last() else { return Ok(None) };
            before = Some(*last);
        }
    }
}
