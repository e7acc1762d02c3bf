//! The folder of the database: it opens the database with a time limit and sets a doubtful one aside. Databases set
//! aside are not deleted at once, since someone may want to examine them; the newest two are kept.
//!
//! While the store is in use, the database may move to a second folder, `NAME.fresh`, and back: sled's files cannot be
//! renamed while it is open. A file `NAME.moved` says that it is in the second one. The next start renames that folder.
//!
//! sled works on real paths, so this is the only part of the store that does not go through [`crate::os`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use super::faulty::FaultyDatabase;
use super::memory::MemoryDatabase;
use super::sled::{LOCKED, SledDatabase};
use super::tree::PageTree;
use super::{Database, DatabaseError};
use crate::os::while_locked;
use crate::store::DatabaseBackend;

/// The time limit for opening: a damaged database was seen to hang.
const OPENING: Duration = Duration::from_secs(20);

/// The time limit for closing a database that failed.
const CLOSING: Duration = Duration::from_secs(5);

/// The number of folders set aside that are kept.
const KEPT: usize = 2;

/// The time limit for the lock of a database that was closed a moment ago.
const LOCKING: Duration = Duration::from_secs(2);

/// The folder of the database, or that it is in memory.
pub struct DatabaseFolder {
    backing: DatabaseBackend,
}

impl DatabaseFolder {
    /// The folder that the options name.
    pub fn new(backing: DatabaseBackend) -> Self {
        Self { backing }
    }

    /// Opens the database; fails on any doubt.
    pub fn open(&self) -> Result<Box<dyn Database>, DatabaseError> {
        match &self.backing {
            DatabaseBackend::Memory => Ok(Box::new(MemoryDatabase::default())),
            DatabaseBackend::Faulty(faults) => Ok(Box::new(FaultyDatabase::open(faults)?)),
            DatabaseBackend::Sled(path) => {
                put_back(path).map_err(|e| DatabaseError(format!("{}: {e}", path.display())))?;
                Ok(Box::new(timely(path.clone(), OPENING, patient)?))
            }
        }
    }

    /// Sets a database that failed aside and opens an empty one. On a full disk, it removes the database and fails.
    pub fn renew(&self, why: &DatabaseError, now_ms: u64) -> Result<Box<dyn Database>, DatabaseError> {
        if why.is_full() {
            self.discard();
            return Err(DatabaseError::full());
        }
        if let DatabaseBackend::Sled(path) = &self.backing {
            put_back(path)
                .and_then(|()| aside(path, now_ms))
                .map_err(|e| DatabaseError(format!("{} cannot be set aside: {e}", path.display())))?;
        }
        self.open()
    }

    /// Removes the database and what an interrupted [`DatabaseFolder::beside`] left. It can be made again from the log.
    pub fn discard(&self) {
        let DatabaseBackend::Sled(path) = &self.backing else { return };
        for removed in [remove(path), remove(&fresh(path)), remove_file(&moved(path))] {
            if let Err(error) = removed {
                tracing::warn!(
                    "cannot remove {}: {error}; remove it when editd does not run",
                    path.display()
                );
            }
        }
    }

    /// Removes the folder beside that of the present database: a copy that was given up, or the database before the last
    /// [`DatabaseFolder::publish`]. That database must be closed.
    pub fn discard_beside(&self) {
        if let DatabaseBackend::Sled(path) = &self.backing
            && let Err(error) = remove(&spare(path))
        {
            tracing::warn!("cannot remove {}: {error}", spare(path).display());
        }
    }

    /// Opens an empty database beside the present one. The caller fills it and then calls
    /// [`DatabaseFolder::publish`].
    pub fn beside(&self) -> Result<Box<dyn Database>, DatabaseError> {
        match &self.backing {
            DatabaseBackend::Memory => Ok(Box::new(MemoryDatabase::default())),
            DatabaseBackend::Faulty(faults) => Ok(Box::new(FaultyDatabase::open(faults)?)),
            DatabaseBackend::Sled(path) => {
                let spare = spare(path);
                remove(&spare).map_err(|e| DatabaseError(format!("{}: {e}", spare.display())))?;
                Ok(Box::new(timely(spare, OPENING, patient)?))
            }
        }
    }

    /// Makes the filled database beside the present one the present one; both may be open. If a power cut undoes this, the
    /// next start uses the older one, or rebuilds it from the log.
    pub fn publish(&self) -> Result<(), DatabaseError> {
        let DatabaseBackend::Sled(path) = &self.backing else { return Ok(()) };
        let moved = moved(path);
        let done = if is_there(&moved) { remove_file(&moved) } else { create(&moved) };
        done.map_err(|e| DatabaseError(format!("{}: {e}", moved.display())))
    }
}

/// The second folder of the database.
fn fresh(path: &Path) -> PathBuf {
    path.with_extension("fresh")
}

/// The file that says that the database is in the second folder.
fn moved(path: &Path) -> PathBuf {
    path.with_extension("moved")
}

/// Returns the folder that does not have the present database.
fn spare(path: &Path) -> PathBuf {
    if is_there(&moved(path)) { path.to_owned() } else { fresh(path) }
}

/// Renames the second folder to the first one if the database is there. Otherwise it removes the second one, which an
/// interrupted move left. Databases in both must be closed.
fn put_back(path: &Path) -> io::Result<()> {
    let (fresh, moved) = (fresh(path), moved(path));
    if is_there(&moved) {
        if is_there(&fresh) {
            remove(path)?;
            rename(&fresh, path)?;
        }
        return remove_file(&moved);
    }
    remove(&fresh)
}

/// Closes a database that failed. Its threads may hang, so it is not waited for longer than a few seconds.
pub(in crate::store) fn close(database: Box<dyn Database>) {
    let (closed, wait) = mpsc::channel::<()>();
    let thread = std::thread::Builder::new().name("database".to_owned());
    // Without a thread, dropping the closure closes it.
    let _ = thread.spawn(move || {
        drop(std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || drop(database))));
        drop(closed);
    });
    let _ = wait.recv_timeout(CLOSING);
}

/// Opens a database on a thread of its own, with a time limit. If the limit passes, the thread is left behind.
pub(super) fn timely<T: Send + 'static>(
    path: PathBuf,
    limit: Duration,
    open: impl FnOnce(&Path) -> Result<T, DatabaseError> + Send + 'static,
) -> Result<T, DatabaseError> {
    let (send, receive) = mpsc::channel();
    std::thread::Builder::new()
        .name("database".to_owned())
        .spawn(move || {
            // If the limit has passed, nothing receives this.
            let _ = send.send(open(&path));
        })
        .map_err(|e| DatabaseError(format!("no thread to open the database: {e}")))?;
    receive.recv_timeout(limit).unwrap_or_else(|e| match e {
        mpsc::RecvTimeoutError::Timeout => {
            Err(DatabaseError(format!("opening took longer than {} s", limit.as_secs())))
        }
        mpsc::RecvTimeoutError::Disconnected => Err(DatabaseError("opening panicked".to_owned())),
    })
}

/// Opens a tree in sled. Threads of a database that was just closed may hold its lock for a moment.
fn patient(path: &Path) -> Result<PageTree, DatabaseError> {
    clear_snapshots(path).map_err(|e| DatabaseError(format!("{}: {e}", path.display())))?;
    let is_locked =
        |opened: &Result<_, DatabaseError>| matches!(opened, Err(DatabaseError(why)) if why.contains(LOCKED));
    let database = while_locked(LOCKING, || SledDatabase::open(path), is_locked)?;
    PageTree::open(Box::new(database))
}

/// Removes a snapshot that a kill left half written: sled 0.34.7 can never open a database that has one.
#[expect(clippy::disallowed_methods, reason = "sled's own files are not reached through the seam")]
fn clear_snapshots(path: &Path) -> io::Result<()> {
    let names = match std::fs::read_dir(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for name in names {
        let name = name?.path();
        if name.extension().is_some_and(|extension| extension == "generating") {
            std::fs::remove_file(name)?;
        }
    }
    Ok(())
}

/// Renames the folder to `NAME.corrupt-TIME` and removes the oldest such folders beyond [`KEPT`].
#[expect(clippy::disallowed_methods, reason = "sled's own files are not reached through the seam")]
fn aside(path: &Path, now_ms: u64) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let prefix = format!("{name}.corrupt-");
    let mut older = Vec::new();
    for entry in std::fs::read_dir(parent)? {
        let entry = entry?.path();
        let time =
            entry.file_name().and_then(|name| name.to_str()?.strip_prefix(&prefix)?.parse::<u64>().ok());
        older.extend(time.map(|time| (time, entry)));
    }
    older.sort();
    // The name must be free even if this is the second time in a millisecond, or the clock went back.
    let time = older.last().map_or(now_ms, |(newest, _)| now_ms.max(newest + 1));
    for (_, entry) in older.iter().take((older.len() + 1).saturating_sub(KEPT)) {
        remove(entry)?;
    }
    match rename(path, &parent.join(format!("{prefix}{time}"))) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[expect(clippy::disallowed_methods, reason = "sled's own files are not reached through the seam")]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)
}

#[expect(clippy::disallowed_methods, reason = "sled's own files are not reached through the seam")]
fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[expect(clippy::disallowed_methods, reason = "sled's own files are not reached through the seam")]
fn remove_file(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[expect(clippy::disallowed_methods, reason = "sled's own files are not reached through the seam")]
fn create(path: &Path) -> io::Result<()> {
    std::fs::write(path, b"")
}

#[expect(clippy::disallowed_methods, reason = "sled's own files are not reached through the seam")]
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
