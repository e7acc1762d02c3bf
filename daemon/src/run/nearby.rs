//! Finds other served workspaces above or below this one: an edit through one of them is an external change for the
//! other. It reads the locks that other daemons wrote, and changes nothing.
//!
//! *Limitations*: a daemon whose socket was created by a service manager has no lock beside it and is not found.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the locks are those of sockets and state folders, not the workspace's files"
)]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use editd_proto::socket_path;

/// The most bytes of a lock that are read. Two paths are shorter.
const LOCK_BYTES: u64 = 8192;

/// The most state folders that are examined.
const FOLDERS: usize = 10_000;

/// Returns the other served workspaces above or below `root`. `states` is the folder in which each workspace of the user
/// has its state folder.
pub(super) fn served(root: &Path, states: Option<&Path>) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for above in root.ancestors().skip(1) {
        let paths = paths_in(&above.join(".editd/lock")).unwrap_or_default();
        if paths.first().is_some_and(|socket| is_served(socket)) {
            found.insert(above.to_owned());
        }
    }
    let names = states.and_then(|states| std::fs::read_dir(states).ok());
    for name in names.into_iter().flatten().take(FOLDERS).flatten() {
        let Some(paths) = paths_in(&name.path().join("lock")) else { continue };
        let [socket, workspace] = paths.as_slice() else { continue };
        let related = workspace != root && (workspace.starts_with(root) || root.starts_with(workspace));
        if related && is_served(socket) {
            found.insert(workspace.clone());
        }
    }
    found.into_iter().collect()
}

/// Returns the paths that a daemon wrote to a lock, one per line.
fn paths_in(lock: &Path) -> Option<Vec<PathBuf>> {
    let mut bytes = Vec::new();
    open(lock)?.take(LOCK_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes.split(|byte| *byte == b'\n').map(path).collect())
}

/// Opens a lock of the same user. Another user may have put something else in a folder above, such as a pipe without
/// a writer: opening it must not block.
#[cfg(unix)]
fn open(lock: &Path) -> Option<std::fs::File> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    let flags = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW).bits().cast_signed();
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(lock).ok()?;
    let meta = file.metadata().ok()?;
    (meta.is_file() && meta.uid() == rustix::process::geteuid().as_raw()).then_some(file)
}

#[cfg(not(unix))]
fn open(lock: &Path) -> Option<std::fs::File> {
    std::fs::File::open(lock).ok()
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes.to_vec()).into()
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    OsString::from(String::from_utf8_lossy(bytes).into_owned()).into()
}

/// Returns true while a daemon holds the lock of its socket. A daemon that is about to take it tries again, so this
/// check does not prevent that.
fn is_served(socket: &Path) -> bool {
    let Some(lock) = open(&socket_path::lock(socket)) else { return false };
    matches!(lock.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    #[cfg(unix)]
    use crate::os::unix::tests::fifo;

    /// Creates the locks of a daemon of `workspace`; the second one is the lock of the socket.
    fn daemon(states: &Path, name: &str, workspace: &Path) -> std::fs::File {
        let socket = states.join(format!("{name}.sock"));
        std::fs::create_dir_all(states.join("states").join(name)).unwrap();
        let lines = format!("{}\n{}", socket.display(), workspace.display());
        std::fs::write(states.join("states").join(name).join("lock"), lines).unwrap();
        let lock = std::fs::File::create(socket_path::lock(&socket)).unwrap();
        lock.try_lock().unwrap();
        lock
    }

    #[test]
    fn only_workspaces_above_and_below_are_found() {
        let temp = tempfile::tempdir().unwrap();
        let (root, states) = (Path::new("/a/b"), temp.path().join("states"));
        let locks: Vec<_> = ["/", "/a", "/a/b", "/a/b/c/d", "/a/bc", "/x"]
            .iter()
            .enumerate()
            .map(|(nth, path)| daemon(temp.path(), &nth.to_string(), Path::new(path)))
            .collect();
        let expected: Vec<PathBuf> = ["/", "/a", "/a/b/c/d"].iter().map(PathBuf::from).collect();
        assert_eq!(served(root, Some(&states)), expected);
        drop(locks);
        assert!(served(root, Some(&states)).is_empty(), "they have left");
        assert!(served(root, None).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_a_lock_does_not_hang_the_daemon() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("w/.editd")).unwrap();
        let pipe = top.join("w/.editd/lock");
        fifo(&pipe);
        assert!(served(&top.join("w/sub"), None).is_empty());
        std::fs::remove_file(&pipe).unwrap();
        let socket = top.join("s.sock");
        std::fs::write(&pipe, socket.display().to_string()).unwrap();
        fifo(&socket_path::lock(&socket));
        assert!(served(&top.join("w/sub"), None).is_empty());
    }

    #[test]
    fn a_folder_above_is_found_by_its_own_lock_wherever_its_state_is() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("w/.editd")).unwrap();
        std::fs::create_dir_all(top.join("w/sub")).unwrap();
        let socket = top.join("s.sock");
        std::fs::write(top.join("w/.editd/lock"), socket.display().to_string()).unwrap();
        let lock = std::fs::File::create(socket_path::lock(&socket)).unwrap();
        lock.try_lock().unwrap();
        assert_eq!(served(&top.join("w/sub"), None), [top.join("w")]);
        assert!(served(&top.join("w"), None).is_empty());
        drop(lock);
        assert!(served(&top.join("w/sub"), None).is_empty());
    }
}
