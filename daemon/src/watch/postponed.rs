//! Paths whose observation is left to the end of the call that announced their change, for a short while. It knows no clock and
//! no file.

use std::collections::BTreeMap;
use std::time::Duration;

use editd_proto::path::FilePath;

use crate::limits;

/// The paths, with the times at which they are observed. Times are of one clock that never goes back. Only paths that a call
/// names are added, so that the limits of announcements bound them.
#[derive(Debug, Default)]
pub struct PostponedPaths {
    due: BTreeMap<FilePath, Duration>,
}

impl PostponedPaths {
    /// Adds a path. One that is postponed already keeps its time.
    pub fn add(&mut self, path: FilePath, now: Duration) {
        self.due.entry(path).or_insert(now + Duration::from_millis(limits::WATCH_ANNOUNCED_MS));
    }

    /// Removes a path that is observed for another reason.
    pub fn remove(&mut self, path: &FilePath) {
        self.due.remove(path);
    }

    /// Returns when [`PostponedPaths::take`] has paths to return; `None` if none is postponed.
    pub fn next(&self) -> Option<Duration> {
        self.due.values().min().copied()
    }

    /// Takes the paths that are due.
    pub fn take(&mut self, now: Duration) -> Vec<FilePath> {
        self.due.extract_if(.., |_, due| *due <= now).map(|(path, _)| path).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_due_once_after_its_first_event() {
        let wait = Duration::from_millis(limits::WATCH_ANNOUNCED_MS);
        let later = Duration::from_millis(5);
        let mut postponed = PostponedPaths::default();
        assert_eq!((postponed.next(), postponed.take(wait)), (None, Vec::new()));
        postponed.add("a".into(), Duration::ZERO);
        postponed.add("b".into(), later);
        postponed.add("a".into(), later);
        assert_eq!(postponed.next(), Some(wait));
        assert_eq!(postponed.take(wait), ["a".into()]);
        assert_eq!(postponed.next(), Some(wait + later));
        postponed.remove(&"b".into());
        assert_eq!((postponed.next(), postponed.take(wait * 2)), (None, Vec::new()));
    }
}
