//! The folders that the daemon finds or creates at the start: the workspace, and its own state folder. It reads the
//! contents of neither.

#![expect(clippy::disallowed_methods, reason = "run is where the process's own folders are found and made")]

use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use editd_proto::plain_path::plain;

use super::error::RunError;
use crate::config::{self, DaemonArgs, DaemonEnvironment};
use crate::limits;
use crate::os::{LOCK_WAIT, while_locked};

/// The depth to which the state folder is checked: the folders in it, and their entries.
#[cfg(unix)]
const STATE_DEPTH: usize = 1;

/// The same for the database, which has folders and is opened by paths.
#[cfg(unix)]
const DATABASE_DEPTH: usize = 3;

/// The most bytes of a lock that are read. The path of a socket is shorter.
const LOCK_BYTES: u64 = 4096;

/// The time for which the lock of a daemon whose socket is gone is waited for. A client gives up after 10 seconds, in
/// which it tries three starts.
const NOTICE_WAIT: Duration = Duration::from_millis(limits::FOLDER_MS + 500);

fn error(what: &'static str, path: &Path, why: io::Error) -> RunError {
    RunError::Folder { what, path: path.to_owned(), why }
}

/// Returns the workspace's absolute path, links resolved.
///
/// # Errors
/// It does not exist, is not a folder, or was not named and belongs to another user.
pub(super) fn workspace(named: Option<&Path>) -> Result<PathBuf, RunError> {
    let given = named.unwrap_or(Path::new("."));
    let path = given.canonicalize().map_err(|why| error("find the workspace", given, why))?;
    let path = plain(path);
    if !path.is_dir() {
        return Err(error("serve", &path, io::ErrorKind::NotADirectory.into()));
    }
    #[cfg(unix)]
    if named.is_none() {
        use std::os::unix::fs::MetadataExt;
        let owner = path.metadata().map_err(|why| error("examine", &path, why))?.uid();
        if owner != 0 && owner != rustix::process::geteuid().as_raw() {
            return Err(RunError::ForeignWorkspace(path, owner));
        }
    }
    Ok(path)
}

/// Returns the absolute path of a file that the user names, links resolved.
///
/// # Errors
/// It does not exist, or a folder of its path may not be searched.
pub(super) fn resolved(file: &Path) -> io::Result<PathBuf> {
    file.canonicalize().map(plain)
}

/// Returns the workspace's absolute path as it was named, if that differs from the resolved one.
pub(super) fn named(named: Option<&Path>, workspace: &Path) -> Option<PathBuf> {
    let named = std::path::absolute(named?).ok()?;
    // This removes a slash at the end.
    let named: PathBuf = named.components().collect();
    (named != workspace).then_some(named)
}

/// Creates the state folder if it is missing, and makes sure that it belongs to the user and is private.
///
/// # Errors
/// It cannot be created, belongs to another user, or is open to others.
pub(super) fn state(path: &Path) -> Result<PathBuf, RunError> {
    make(path).map_err(|why| error("create the state folder", path, why))?;
    let path = path.canonicalize().map_err(|why| error("find the state folder", path, why))?;
    let path = plain(path);
    check(&path)?;
    Ok(path)
}

/// The exclusive right to a state folder, until this is dropped.
#[derive(Debug)]
#[expect(clippy::disallowed_types, reason = "the lock is the state folder's, not the workspace's")]
pub(super) struct StateLock {
    // Closing it releases the lock. The file stays: removing it would let two daemons lock two files.
    _file: std::fs::File,
}

/// The workspace and state folder of a command that runs without a daemon. No daemon starts while this exists.
pub(super) struct LockedState {
    pub(super) root: PathBuf,
    pub(super) state: PathBuf,
    _lock: StateLock,
}

/// Finds and locks the state of the workspace that the command line names.
///
/// # Errors
/// A folder cannot be used, or a daemon runs.
pub(super) fn locked(args: &DaemonArgs) -> Result<LockedState, RunError> {
    let root = workspace(args.workspace.as_deref())?;
    let around = DaemonEnvironment::read();
    let named = config::state_folder(args.state.as_deref(), &around, &root).ok_or(RunError::Homeless)?;
    let state = state(&named)?;
    let lock = lock_state(&state, None, &root)?;
    Ok(LockedState { root, state, _lock: lock })
}

/// Locks a state folder, and writes to its lock the address at which the daemon will listen, and its workspace. The
/// workspace's own lock does not protect the state folder: it moves with the workspace's folder, and is removed with
/// `.editd`.
///
/// # Errors
/// Another daemon has the lock.
pub(super) fn lock_state(state: &Path, address: Option<&Path>, root: &Path) -> Result<StateLock, RunError> {
    let io = |why| error("lock the state folder", state, why);
    let path = state.join("lock");
    #[expect(clippy::disallowed_types, reason = "the lock is the state folder's, not the workspace's")]
    let mut options = std::fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NOFOLLOW.bits().cast_signed(),
    );
    let mut file = options.create(true).truncate(false).read(true).write(true).open(path).map_err(io)?;
    let is_locked = |locked: &Result<_, _>| matches!(locked, Err(std::fs::TryLockError::WouldBlock));
    let attempt = |limit| match while_locked(limit, || file.try_lock(), is_locked) {
        Ok(()) => Ok(true),
        Err(std::fs::TryLockError::WouldBlock) => Ok(false),
        Err(std::fs::TryLockError::Error(why)) => Err(io(why)),
    };
    if !attempt(LOCK_WAIT)? {
        let mut other = String::new();
        // Without an address, the error names only the folder.
        let _ = (&file).take(LOCK_BYTES).read_to_string(&mut other);
        let other = other.lines().next().unwrap_or_default();
        let gone = is_gone(other);
        if !gone || !attempt(NOTICE_WAIT)? {
            let reachable = if gone { "" } else { other };
            return Err(RunError::Taken(state.to_owned(), reachable.to_owned()));
        }
    }
    file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
    let address = address.map_or_else(Vec::new, |path| path.as_os_str().as_encoded_bytes().to_vec());
    let lines = [&address, b"\n".as_slice(), root.as_os_str().as_encoded_bytes()].concat();
    file.write_all(&lines).map_err(io)?;
    Ok(StateLock { _file: file })
}

/// Returns true if nothing has the path of another daemon's socket: that daemon is stopping, or stops once it notices.
#[cfg(unix)]
fn is_gone(socket: &str) -> bool {
    let found = std::fs::symlink_metadata(socket);
    !socket.is_empty() && found.is_err_and(|why| why.kind() == io::ErrorKind::NotFound)
}

/// Returns false: a pipe exists as long as its daemon.
#[cfg(windows)]
fn is_gone(_: &str) -> bool {
    false
}

#[cfg(unix)]
fn make(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    #[expect(clippy::disallowed_types, reason = "run is where the process's own folders are made")]
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(unix)]
fn check(path: &Path) -> Result<(), RunError> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let meta = std::fs::metadata(path).map_err(|why| error("examine the state folder", path, why))?;
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(RunError::ForeignState(path.to_owned(), meta.uid()));
    }
    check_entries(path, meta.uid(), STATE_DEPTH)?;
    if meta.mode() & 0o077 == 0 {
        return Ok(());
    }
    // The user created an empty folder for this purpose, but with a wider mode.
    let empty = std::fs::read_dir(path).is_ok_and(|mut names| names.next().is_none());
    if !empty {
        return Err(RunError::OpenState(path.to_owned()));
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))
        .map_err(|why| error("set the permissions of the state folder", path, why))
}

/// Checks the owner of every file in the state folder, and that none is a link: the log and the database. Their modes do
/// not matter, since the folder itself is private.
#[cfg(unix)]
fn check_entries(folder: &Path, user: u32, depth: usize) -> Result<(), RunError> {
    use std::os::unix::fs::MetadataExt;
    let io = |why| error("examine the state folder", folder, why);
    let listed = match std::fs::read_dir(folder) {
        // The previous daemon is still closing its database.
        Err(gone) if gone.kind() == io::ErrorKind::NotFound => return Ok(()),
        listed => listed.map_err(io)?,
    };
    for entry in listed {
        let entry = entry.map_err(io)?;
        let meta = match entry.metadata() {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => continue,
            found => found.map_err(io)?,
        };
        if meta.uid() != user {
            return Err(RunError::ForeignState(entry.path(), meta.uid()));
        }
        if meta.is_symlink() {
            return Err(RunError::LinkInState(entry.path()));
        }
        let is_database = entry.file_name().to_string_lossy().starts_with("sled");
        let depth = if is_database && depth == STATE_DEPTH { DATABASE_DEPTH } else { depth };
        if let Some(below) = depth.checked_sub(1).filter(|_| meta.is_dir()) {
            check_entries(&entry.path(), user, below)?;
        }
    }
    Ok(())
}

#[cfg(windows)]
fn make(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// A user's own folders are private by inheritance.
#[cfg(windows)]
fn check(_: &Path) -> Result<(), RunError> {
    Ok(())
}

#[cfg(all(test, unix))]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn the_workspace_is_a_folder_whatever_link_names_it() {
        let temp = tempfile::tempdir().unwrap();
        let real = temp.path().canonicalize().unwrap().join("real");
        std::fs::create_dir(&real).unwrap();
        symlink(&real, temp.path().join("link")).unwrap();
        assert_eq!(workspace(Some(&temp.path().join("link"))).unwrap(), real);
        let link = temp.path().join("link");
        assert_eq!(named(Some(&temp.path().join("link/")), &real), Some(link));
        assert_eq!(named(Some(&real), &real), None);
        std::fs::write(real.join("file"), "").unwrap();
        for wrong in ["real/file", "nowhere"] {
            let why = workspace(Some(&temp.path().join(wrong))).unwrap_err().to_string();
            assert!(why.contains(wrong), "{why}");
        }
    }

    #[test]
    fn a_state_folder_has_one_daemon_and_says_where_it_listens() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["a longer name", "other"] {
            let socket = temp.path().join(name);
            std::fs::write(&socket, "").unwrap();
            let _held = lock_state(temp.path(), Some(&socket), Path::new("/w")).unwrap();
            let why = lock_state(temp.path(), None, Path::new("/w")).unwrap_err().to_string();
            assert!(why.contains(&format!("editctl --socket {} stop", socket.display())), "{why}");
        }
    }

    #[test]
    fn a_daemon_whose_socket_is_gone_is_waited_for() {
        let temp = tempfile::tempdir().unwrap();
        let lock = |socket: &str| lock_state(temp.path(), Some(Path::new(socket)), Path::new("/w"));
        let held = lock("/nowhere/old").unwrap();
        let why = lock("/new").unwrap_err().to_string();
        assert!(why.contains("fuser") && !why.contains("--socket"), "no client reaches it: {why}");
        std::thread::scope(|scope| {
            let next = scope.spawn(|| lock("/new"));
            drop(held);
            let _next = next.join().unwrap().unwrap();
            assert_eq!(std::fs::read_to_string(temp.path().join("lock")).unwrap(), "/new\n/w");
        });
    }

    #[test]
    fn the_state_folder_is_private() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a/b/c");
        let made = state(&path).unwrap();
        assert_eq!(made.metadata().unwrap().mode() & 0o7777, 0o700);
        std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o755)).unwrap();
        state(&path).unwrap();
        assert_eq!(made.metadata().unwrap().mode() & 0o7777, 0o700, "empty, so it is made private");
        std::fs::write(made.join("x"), "").unwrap();
        state(&path).unwrap();
        std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(state(&path).unwrap_err().to_string().contains("chmod"));
    }

    #[test]
    fn no_link_in_the_state_folder_is_followed() {
        let temp = tempfile::tempdir().unwrap();
        let path = state(&temp.path().join("state")).unwrap();
        let outside = temp.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        for link in ["log", "sled", "contents/ab", "sled/db", "sled/blobs/1", "trust"] {
            let link = path.join(link);
            std::fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(&outside, &link).unwrap();
            let why = state(&path).unwrap_err().to_string();
            assert!(why.contains(&*link.to_string_lossy()) && why.contains("follows no link"), "{why}");
            std::fs::remove_file(&link).unwrap();
            state(&path).unwrap();
        }
        // A link that appears after that check.
        symlink(outside.join("lock"), path.join("lock")).unwrap();
        assert!(lock_state(&path, None, Path::new("/w")).is_err());
        assert!(!outside.join("lock").exists());
    }
}
