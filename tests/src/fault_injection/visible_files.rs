//! The files of a workspace as scenarios compare them: bytes, modes and numbers of names. Folders are left out, since
//! a job makes folders that nothing removes.

use std::collections::BTreeMap;

use super::sim_workspace::ROOT;
use crate::sim::{SimMachine, SnapshotNode};

/// The workspace's files by their paths.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VisibleFiles {
    /// The file at each path.
    pub files: BTreeMap<String, SnapshotNode>,
    /// The number of names of each file.
    pub links: BTreeMap<String, u64>,
    /// The extended attribute `user.comment` of each file that has it.
    pub comments: BTreeMap<String, Vec<u8>>,
    /// Slots: the daemon's own files in `.editd/staging` or among the workspace's.
    pub staged_files: Vec<String>,
}

impl VisibleFiles {
    /// Looks at a machine.
    ///
    /// # Panics
    /// If the workspace is gone, which no scenario does.
    #[must_use]
    pub fn of(machine: &SimMachine) -> Self {
        let snapshot = machine.snapshot(ROOT).expect("the workspace is there");
        let outside = machine.outside();
        let mut view = Self::default();
        for (path, seen) in snapshot.0 {
            let path = String::from_utf8_lossy(&path).into_owned();
            if matches!(seen, SnapshotNode::Dir { .. }) {
                continue;
            }
            let name = path.rsplit('/').next().unwrap_or_default();
            // What was set aside on another mount is lost property like that in `.editd/lost`.
            if name.starts_with(".editd-slot-lost-") {
                continue;
            }
            let beside = name.starts_with(".editd-");
            if beside || path.starts_with(".editd/staging/") {
                view.staged_files.push(path);
            } else if !path.starts_with(".editd/") {
                let links = outside.stat(&format!("{ROOT}/{path}")).map_or(0, |stat| stat.links);
                view.links.insert(path.clone(), links);
                let comment = outside.attribute(&format!("{ROOT}/{path}"), "user.comment");
                view.comments.extend(comment.ok().flatten().map(|comment| (path.clone(), comment)));
                view.files.insert(path, seen);
            }
        }
        view
    }

    /// Returns true if the path is one of several names of a file.
    #[must_use]
    pub fn has_links(&self, path: &str) -> bool {
        self.links.get(path).is_some_and(|links| *links > 1)
    }

    /// Paths that two views show differently.
    #[must_use]
    pub fn changed(&self, other: &Self) -> Vec<String> {
        let mut paths: Vec<String> = self.files.keys().chain(other.files.keys()).cloned().collect();
        paths.sort();
        paths.dedup();
        paths.retain(|path| {
            self.files.get(path) != other.files.get(path)
                || self.comments.get(path) != other.comments.get(path)
        });
        paths
    }

    /// Describes the differences between this view and the expected one, in a few words for each path.
    #[must_use]
    pub fn differences(&self, should: &Self, except: &[String]) -> Vec<String> {
        let differing = self.differing(should).into_iter();
        differing.filter(|(path, _)| !except.contains(path)).map(|(_, what)| what).collect()
    }

    /// The same, each with its path.
    #[must_use]
    pub fn differing(&self, should: &Self) -> Vec<(String, String)> {
        let told = |seen: Option<&SnapshotNode>| match seen {
            None => "absent".to_owned(),
            Some(SnapshotNode::File { mode, bytes }) => {
                let head: String = String::from_utf8_lossy(bytes).chars().take(12).collect();
                let hash = blake3::hash(bytes).to_hex();
                format!("{mode:o} {} bytes {:.4} {head:?}", bytes.len(), hash.as_str())
            }
            Some(other) => format!("{other:?}"),
        };
        self.changed(should)
            .into_iter()
            .map(|path| {
                let (is, was) = (told(self.files.get(&path)), told(should.files.get(&path)));
                let noted = |view: &Self| match view.comments.get(&path) {
                    None => String::new(),
                    Some(comment) => format!(" with comment {:?}", String::from_utf8_lossy(comment)),
                };
                let (noted, had) = (noted(self), noted(should));
                let what = format!("{path} shows {is}{noted} instead of {was}{had}");
                (path, what)
            })
            .collect()
    }
}
