//! The last known file at each path, by which the next observation notices changes by other programs. Its size is
//! bounded: a forgotten path is compared with the journal instead.

use std::collections::{HashMap, HashSet};

use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use crate::os::{FileIdentity, Stat};
use crate::record::FileMeta;

/// The origin of the bytes at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContentOwner {
    /// A job staged this very file: the journal can rebuild the bytes.
    Ours,
    /// Another program wrote them.
    Theirs,
}

/// The last known state of one path.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PathState {
    /// `None`: there was no file.
    meta: Option<FileMeta>,
    trust: ContentOwner,
    /// True if a session read it or the daemon wrote it: changes by other programs are journaled.
    tracked: bool,
    /// The number of jobs that wrote it.
    writes: u64,
    /// The system's time of the last change to the file or its metadata, when the job left it or it was flushed;
    /// nanoseconds since 1970.
    changed: Option<i64>,
    /// The file at the path before it was rewritten because its flush had failed.
    rewritten: Option<FileIdentity>,
}

/// The version of a path's state when an observation began; it decides whether the observation is still comparable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObservationVersion {
    /// The observer has the path's lane: no job can write it meanwhile.
    Lane,
    /// The number of jobs that had written the path before the observation.
    Writes(u64),
    /// A job was writing the path: the observation may show the job's own bytes.
    Busy,
}

/// The last known file at each path.
#[derive(Default, Debug)]
pub struct PathCache {
    paths: HashMap<FilePath, PathState>,
    busy: HashSet<FilePath>,
    /// The most jobs that may have written a path that is not in the cache.
    writes: u64,
    /// The number of times that the cache was cleared.
    cleared: u64,
    /// True if it has every path of the journal.
    has_journal: bool,
}

impl PathCache {
    /// Returns the version of a path; to be called before observing it.
    pub fn version(&self, path: &FilePath) -> ObservationVersion {
        if self.busy.contains(path) {
            return ObservationVersion::Busy;
        }
        ObservationVersion::Writes(self.paths.get(path).map_or(self.writes, |last| last.writes))
    }

    /// Returns true if an observation that began with this version shows the state between two jobs.
    pub fn valid(&self, path: &FilePath, version: ObservationVersion) -> bool {
        version == ObservationVersion::Lane
            || (version != ObservationVersion::Busy && self.version(path) == version)
    }

    /// Marks paths as being written by a job; returns false if another job is writing one of them.
    #[must_use]
    pub fn begin(&mut self, paths: &[FilePath]) -> bool {
        if paths.iter().any(|path| self.busy.contains(path)) {
            return false;
        }
        self.busy.extend(paths.iter().cloned());
        true
    }

    /// Marks paths as no longer written.
    pub fn end(&mut self, paths: &[FilePath]) {
        for path in paths {
            self.busy.remove(path);
            match self.paths.get_mut(path) {
                Some(last) => last.writes += 1,
                None => self.writes += 1,
            }
        }
    }

    /// Records the result of an observation.
    pub fn saw(&mut self, path: &FilePath, meta: Option<&FileMeta>, tracked: bool) {
        let trust = match meta {
            Some(meta) => self.trust(path, meta),
            None => ContentOwner::Theirs,
        };
        let seen =
            |last: &&PathState| last.meta.as_ref().zip(meta).is_some_and(|(old, meta)| same(old, meta));
        let same = self.paths.get(path).filter(seen);
        let (changed, rewritten) = same.map_or((None, None), |last| (last.changed, last.rewritten));
        self.put(path, PathState { meta: meta.cloned(), trust, tracked, writes: 0, changed, rewritten });
    }

    /// Records a file that a job wrote, with the system's time of its last change if it is known.
    pub fn wrote(&mut self, path: &FilePath, meta: Option<&FileMeta>, changed: Option<i64>) {
        let (meta, trust) = (meta.cloned(), ContentOwner::Ours);
        self.put(path, PathState { meta, trust, tracked: true, writes: 0, changed, rewritten: None });
    }

    /// Records that a file of another program was flushed with its name, and the time of its last change.
    pub fn flushed(&mut self, path: &FilePath, meta: &FileMeta, changed: i64) {
        self.saw(path, Some(meta), true);
        if let Some(last) = self.paths.get_mut(path) {
            last.changed = Some(changed);
        }
    }

    /// Records that a job's file was rewritten because the flush of `was` had failed.
    pub fn rewritten(&mut self, path: &FilePath, meta: &FileMeta, was: FileIdentity) {
        let (meta, trust) = (Some(meta.clone()), ContentOwner::Ours);
        self.put(
            path,
            PathState { meta, trust, tracked: true, writes: 0, changed: None, rewritten: Some(was) },
        );
    }

    /// Returns true if this file was at the path before it was rewritten.
    pub fn was_rewritten(&self, path: &FilePath, file: FileIdentity) -> bool {
        self.paths.get(path).is_some_and(|last| last.rewritten == Some(file))
    }

    fn put(&mut self, path: &FilePath, last: PathState) {
        if self.paths.len() >= crate::limits::KNOWN_PATHS && !self.paths.contains_key(path) {
            self.forget();
        }
        let known = self.paths.get(path).map(|last| (last.tracked, last.writes));
        let (was, writes) = known.unwrap_or((false, self.writes));
        let last = PathState { tracked: last.tracked || was, writes, ..last };
        self.paths.insert(path.clone(), last);
    }

    /// Clears the cache. This costs a look-up in the journal for each path, and a young base that is stored whole
    /// once more; observations that have begun become invalid.
    fn forget(&mut self) {
        let most = self.paths.values().map(|last| last.writes).max();
        self.writes = self.writes.max(most.unwrap_or(0)) + 1;
        self.paths.clear();
        self.cleared += 1;
        self.has_journal = false;
    }

    /// Returns the number of times that the cache was cleared.
    pub const fn cleared(&self) -> u64 {
        self.cleared
    }

    /// Returns true if it has every path of the journal.
    pub const fn has_journal(&self) -> bool {
        self.has_journal
    }

    /// Records that every path of the journal was added since the cache was cleared `cleared` times. If it was cleared
    /// meanwhile, some are missing.
    pub fn recalled_journal(&mut self, cleared: u64) {
        self.has_journal = self.cleared == cleared;
    }

    /// Returns the last known hash at a path: `None` if the path is unknown, `Some(None)` if there was no file.
    pub fn hash(&self, path: &FilePath) -> Option<Option<ContentHash>> {
        self.paths.get(path).map(|last| last.meta.as_ref().map(|meta| meta.hash))
    }

    /// Returns the last known metadata at a path.
    pub fn meta(&self, path: &FilePath) -> Option<&FileMeta> {
        self.paths.get(path).and_then(|last| last.meta.as_ref())
    }

    /// Returns the paths below a folder (every path, for the root) whose changes by other programs are journaled.
    pub fn tracked_below(&self, folder: &FilePath) -> Vec<FilePath> {
        let below = |path: &FilePath| {
            let rest = path.as_bytes().strip_prefix(folder.as_bytes());
            folder.as_bytes().is_empty() || rest.is_some_and(|rest| rest.first() == Some(&b'/'))
        };
        let tracked = self.paths.iter().filter(|(_, last)| last.tracked);
        tracked.map(|(path, _)| path).filter(|path| below(path)).cloned().collect()
    }

    /// Returns the identity of the file that the newest sealed job left at a path (`Some(None)`: no file), if nothing
    /// else was observed there since.
    pub fn left(&self, path: &FilePath) -> Option<Option<FileIdentity>> {
        let last = self.paths.get(path).filter(|last| last.trust == ContentOwner::Ours)?;
        Some(last.meta.as_ref().map(|meta| meta.identity))
    }

    /// Returns true if a job put this very file at this path, or it was flushed there with its name, and neither it
    /// nor its name was changed since. For the system a move is a change, also one away and back.
    pub fn untouched(&self, path: &FilePath, meta: &FileMeta, changed: i64) -> bool {
        self.paths.get(path).is_some_and(|last| {
            last.changed == Some(changed) && last.meta.as_ref().is_some_and(|old| same(old, meta))
        })
    }

    /// Returns true if the metadata of the file at a path is that with which a job left it, and no job is writing the path.
    pub fn is_as_left(&self, path: &FilePath, stat: &Stat) -> bool {
        let is_left = |meta: &FileMeta| {
            (meta.identity, meta.size, meta.modified) == (stat.identity, stat.size, stat.modified)
                && (meta.mode, meta.uid, meta.gid) == (stat.mode, stat.uid, stat.gid)
        };
        let last = self.paths.get(path).filter(|last| last.trust == ContentOwner::Ours);
        let is_known = last.is_some_and(|last| {
            last.changed == Some(stat.changed) && last.meta.as_ref().is_some_and(is_left)
        });
        is_known && !self.busy.contains(path)
    }

    /// Returns true if changes of a path by other programs are journaled.
    pub fn tracked(&self, path: &FilePath) -> bool {
        self.paths.get(path).is_some_and(|last| last.tracked)
    }

    /// Returns the origin of a file's bytes.
    pub fn trust(&self, path: &FilePath, meta: &FileMeta) -> ContentOwner {
        match self.paths.get(path) {
            Some(last) if last.meta.as_ref().is_some_and(|old| same(old, meta)) => last.trust,
            _ => ContentOwner::Theirs,
        }
    }
}

fn same(a: &FileMeta, b: &FileMeta) -> bool {
    a.hash == b.hash && a.identity == b.identity && a.modified == b.modified
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::FileKind;

    fn meta() -> FileMeta {
        FileMeta {
            hash: ContentHash::from_bytes([1; 32]),
            size: 1,
            mode: 0o644,
            uid: 0,
            gid: 0,
            identity: FileIdentity { dev: 1, ino: 2, born: 3 },
            modified: 4,
        }
    }

    #[test]
    fn a_file_of_a_job_is_untouched_until_the_system_says_otherwise() {
        let (mut known, path, meta) = (PathCache::default(), FilePath::from("a"), meta());
        assert!(!known.untouched(&path, &meta, 5));
        known.wrote(&path, Some(&meta), Some(5));
        known.saw(&path, Some(&meta), true);
        assert!(known.untouched(&path, &meta, 5));
        assert!(!known.untouched(&path, &meta, 6), "its name was moved, perhaps there and back");
        assert!(!known.untouched(&path, &FileMeta { modified: 7, ..meta.clone() }, 5));
        known.wrote(&path, Some(&meta), None);
        assert!(!known.untouched(&path, &meta, 5), "nobody looked when it was put there");
        let hook = FileMeta { modified: 8, ..meta };
        known.saw(&path, Some(&hook), true);
        assert!(!known.untouched(&path, &hook, 9));
        known.flushed(&path, &hook, 9);
        known.saw(&path, Some(&hook), true);
        assert!(known.untouched(&path, &hook, 9));
        assert_eq!(known.left(&path), None, "it is no job's");
    }

    #[test]
    fn a_file_is_as_its_job_left_it_until_its_metadata_differ() {
        let (mut known, path, meta) = (PathCache::default(), FilePath::from("a"), meta());
        let stat = Stat {
            kind: FileKind::File,
            identity: meta.identity,
            size: meta.size,
            mode: meta.mode,
            uid: meta.uid,
            gid: meta.gid,
            links: 1,
            modified: meta.modified,
            changed: 5,
        };
        assert!(!known.is_as_left(&path, &stat), "it is unknown");
        known.wrote(&path, Some(&meta), None);
        assert!(!known.is_as_left(&path, &stat), "nobody looked when it was put there");
        known.wrote(&path, Some(&meta), Some(5));
        assert!(known.is_as_left(&path, &stat));
        let other = FileIdentity { ino: 9, ..meta.identity };
        for differs in [
            Stat { identity: other, ..stat },
            Stat { size: 2, ..stat },
            Stat { mode: 0o600, ..stat },
            Stat { uid: 1, ..stat },
            Stat { gid: 1, ..stat },
            Stat { modified: 5, ..stat },
            Stat { changed: 6, ..stat },
        ] {
            assert!(!known.is_as_left(&path, &differs), "{differs:?}");
        }
        assert!(known.begin(std::slice::from_ref(&path)));
        assert!(!known.is_as_left(&path, &stat), "a job is writing it");
        known.end(std::slice::from_ref(&path));
        known.flushed(&path, &FileMeta { modified: 8, ..meta }, 9);
        assert!(!known.is_as_left(&path, &Stat { modified: 8, changed: 9, ..stat }), "it is no job's");
    }

    #[test]
    fn a_look_from_before_a_job_is_no_news_once_all_was_forgotten() {
        let (mut known, path, meta) = (PathCache::default(), FilePath::from("a"), meta());
        let looked = known.version(&path);
        assert!(known.begin(std::slice::from_ref(&path)));
        known.wrote(&path, Some(&meta), None);
        known.end(std::slice::from_ref(&path));
        for nth in 0..crate::limits::KNOWN_PATHS {
            known.saw(&format!("other/{nth}").as_str().into(), None, false);
        }
        assert_eq!(known.hash(&path), None, "it is forgotten");
        assert!(!known.valid(&path, looked));
        let looked = known.version(&path);
        assert!(known.valid(&path, looked));
        known.saw(&path, Some(&meta), true);
        assert!(known.valid(&path, looked), "no job wrote it");
    }

    #[test]
    fn a_look_from_before_a_job_that_was_taken_back_is_no_news() {
        let (mut known, path) = (PathCache::default(), FilePath::from("a"));
        let looked = known.version(&path);
        assert!(known.begin(std::slice::from_ref(&path)));
        known.end(std::slice::from_ref(&path));
        assert!(!known.valid(&path, looked), "it may show what was taken back");
    }

    #[test]
    fn below_a_folder_is_what_has_it_as_a_whole_name_in_front() {
        let mut known = PathCache::default();
        for path in ["a/b", "a/b/c", "ab/c", "d"] {
            known.wrote(&path.into(), None, None);
        }
        known.saw(&"a/untracked".into(), None, false);
        let below = |folder: &str| {
            let mut found = known.tracked_below(&folder.into());
            found.sort();
            found
        };
        assert_eq!(below("a"), ["a/b".into(), "a/b/c".into()]);
        assert_eq!(below("a/b"), ["a/b/c".into()]);
        assert_eq!(below("").len(), 4);
        assert!(below("x").is_empty());
    }
}
