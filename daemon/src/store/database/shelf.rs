//! The folder of the database: it opens the database with a time limit and sets a doubtful one aside. Databases set
//! aside are not deleted at once, since someone may want to examine them; the newest two are kept.
//!
//! sled works on real paths, so this is the only part of the store that does not go through [`crate::os`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use super::faulty::FaultyDatabase;
use super::memory::MemoryDatabase;
use super::sled::{LOCKED, SledDatabase};
use super::{Database, DatabaseError};
use crate::store::DatabaseBackend;

/// The time limit for opening: a damaged database was seen to hang.
const OPENING: Duration = Duration::from_secs(20);

/// The time limit for closing a database that failed.
const CLOSING: Duration = Duration::from_secs(5);

/// The number of folders set aside that are kept.
const KEPT: usize = 2;

/// Attempts to lock a database that was closed a moment ago, and the milliseconds between them.
const ATTEMPTS: u32 = 100;
const PAUSE_MS: u64 = 20;

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
            DatabaseBackend::Sled(path) => Ok(Box::new(timely(path.clone(), OPENING, patient)?)),
        }
    }

    /// Sets a database that failed aside and opens an empty one. On a full disk, it removes the database and fails.
    pub fn renew(&self, why: &DatabaseError, now_ms: u64) -> Result<Box<dyn Database>, DatabaseError> {
        if why.is_full() {
            self.discard();
            return Err(DatabaseError::full());
        }
        if let DatabaseBackend::Sled(path) = &self.backing {
            aside(path, now_ms)
                .map_err(|e| DatabaseError(format!("{} cannot be set aside: {e}", path.display())))?;
        }
        self.open()
    }

    /// Removes the database and what an interrupted [`DatabaseFolder::beside`] left. It can be made again from the log.
    pub fn discard(&self) {
        let DatabaseBackend::Sled(path) = &self.backing else { return };
        for path in [path, &fresh(path)] {
            if let Err(error) = remove(path) {
                tracing::warn!(
                    "cannot remove {}: {error}; remove it when editd does not run",
                    path.display()
                );
            }
        }
    }

    /// Removes the database that [`DatabaseFolder::beside`] opened. It must be closed.
    pub fn discard_beside(&self) {
        if let DatabaseBackend::Sled(path) = &self.backing
            && let Err(error) = remove(&fresh(path))
        {
            tracing::warn!("cannot remove {}: {error}", fresh(path).display());
        }
    }

    /// Opens an empty database beside the present one. The caller fills it and then calls
    /// [`DatabaseFolder::replace`].
    pub fn beside(&self) -> Result<Box<dyn Database>, DatabaseError> {
        match &self.backing {
            DatabaseBackend::Memory => Ok(Box::new(MemoryDatabase::default())),
            DatabaseBackend::Faulty(faults) => Ok(Box::new(FaultyDatabase::beside(faults)?)),
            DatabaseBackend::Sled(path) => {
                let fresh = fresh(path);
                remove(&fresh).map_err(|e| DatabaseError(format!("{}: {e}", fresh.display())))?;
                Ok(Box::new(timely(fresh, OPENING, patient)?))
            }
        }
    }

    /// Replaces the old database by the filled one. Both must be closed. If a kill interrupts the steps, the database
    /// is rebuilt from the log.
    pub fn replace(&self) -> Result<Box<dyn Database>, DatabaseError> {
        if let DatabaseBackend::Sled(path) = &self.backing {
            let swap = || -> io::Result<()> {
                remove(path)?;
                rename(&fresh(path), path)
            };
            swap().map_err(|e| DatabaseError(format!("{} cannot be replaced: {e}", path.display())))?;
        }
        if let DatabaseBackend::Faulty(faults) = &self.backing {
            return Ok(Box::new(FaultyDatabase::replace(faults)?));
        }
        self.open()
    }
}

fn fresh(path: &Path) -> PathBuf {
    path.with_extension("fresh")
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

/// Opens sled. Threads of a database that was just closed may hold its lock for a moment.
fn patient(path: &Path) -> Result<SledDatabase, DatabaseError> {
    clear_snapshots(path).map_err(|e| DatabaseError(format!("{}: {e}", path.display())))?;
    let mut attempt = 0;
    loop {
        match SledDatabase::open(path) {
            Err(DatabaseError(why)) if attempt < ATTEMPTS && why.contains(LOCKED) => {
                attempt += 1;
                std::thread::park_timeout(Duration::from_millis(PAUSE_MS));
            }
            other => return other,
        }
    }
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
