//! Checks that the workspace is still where it was opened, and stores the daemon's address for processes that find
//! the workspace locked. It uses only the workspace's own folder and `.editd/lock`.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use editd_proto::system_error::with_remedy;

use super::Disk;
use super::own::{LOCK, open_or_create};
use crate::os::{Access, Dir, File, LockHolder, read_all};

/// Bytes of `.editd/lock` that are read: longer than any socket's path.
const ADDRESS: usize = 4096;

/// The reason why a workspace could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// Another process holds the lock.
    #[error("{}", .0.shown())]
    Locked(LockOwner),
    /// Another user owns a part of `.editd`.
    #[error(
        "{name} in the workspace belongs to user {owner}, and editd runs as user {user}; run it as that user, remove \
         {name}, or serve another folder (`--workspace`)"
    )]
    Foreign {
        /// The part.
        name: String,
        /// Its owner.
        owner: u32,
        /// The user of this process.
        user: u32,
    },
    /// Other users can write to a part of `.editd`.
    #[error(
        "other users can write to {name} in the workspace; check its contents, then `chmod go-w {name}`, or move .editd \
         away"
    )]
    Exposed {
        /// The part.
        name: String,
    },
    /// `.editd` is not a folder.
    #[error(
        ".editd in the workspace is a link or a file, and editd needs a folder of that name; move it away"
    )]
    NoFolder,
    /// The system refused.
    #[error("cannot {what}: {}{}", with_remedy(.source), remedy(.source))]
    Io {
        /// The failed action.
        what: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

/// Returns what the user can do about a part of `.editd` that may not be used.
fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "; give the user who runs editd access to it, or move it away",
        _ => "",
    }
}

/// The way to find the holder of the lock.
const FIND: &str =
    "`fuser -v .editd/lock` or `lsof .editd/lock` in the workspace names the program that holds the lock";

/// The known facts about the process that holds the lock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockOwner {
    /// The address in the lock; empty if there is none. A daemon that has just started has not written it yet, and an
    /// earlier one may have left it.
    address: String,
    /// The process, if the system names it.
    holder: Option<LockHolder>,
}

impl LockOwner {
    /// Examines the lock, of which `lock` is a descriptor.
    pub(super) fn of(own: &Dir, lock: &File) -> Self {
        Self { address: announced(own), holder: lock.lock_holder() }
    }

    /// Names it, and what the user can do about it.
    fn shown(&self) -> String {
        let address = &self.address;
        let other = self.holder.as_ref().filter(|holder| !holder.is_editd());
        match (other, address.as_str()) {
            (Some(LockHolder { process, program }), _) => format!(
                "another program has locked .editd/lock, so editd cannot serve this workspace: {program} (process \
                 {process}); end it (`kill {process}`), or wait until it has ended"
            ),
            (None, "") => format!(
                "another editd serves this workspace, or another program has locked .editd/lock; stop it (`editctl stop`), or \
                 use it; if nothing answers, {FIND}"
            ),
            (None, address) => format!(
                "another editd serves this workspace at {address}; use it (`editctl --socket {address} ...`), or stop it \
                 (`editctl --socket {address} stop`); if nothing answers there, {FIND}"
            ),
        }
    }
}

impl LockHolder {
    /// Returns true if it may be a daemon: this process is one.
    fn is_editd(&self) -> bool {
        self.program == "editd" || self.process == std::process::id()
    }
}

impl Disk {
    /// Returns true if the workspace's path leads to the folder that was opened. If another program moved that folder
    /// or replaced it, changes made here would not be seen there.
    ///
    /// # Errors
    /// Errors of the system if it cannot be told.
    pub fn stands(&self) -> io::Result<bool> {
        use io::ErrorKind::{NotADirectory, NotFound};
        let there = match self.os.stat_dir(self.root.path()) {
            Err(gone) if matches!(gone.kind(), NotFound | NotADirectory) => return Ok(false),
            found => found?.identity,
        };
        let known = || *self.root_identity.lock().unwrap_or_else(PoisonError::into_inner);
        if there == known() {
            return Ok(true);
        }
        // Some file systems report another birth time later.
        let own = self.root.dir().stat_self()?.identity;
        *self.root_identity.lock().unwrap_or_else(PoisonError::into_inner) = own;
        Ok(there == own)
    }

    /// Writes the daemon's address to `.editd/lock`, for processes that find the workspace locked.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn announce(&self, address: &[u8]) -> io::Result<()> {
        let mut kept = lock(&self.address);
        address.clone_into(&mut kept);
        self.write_address(&kept)
    }

    /// The same for a folder that was created again. Nothing depends on its success.
    pub(super) fn announce_again(&self) {
        let kept = lock(&self.address);
        if !kept.is_empty()
            && let Err(why) = self.write_address(&kept)
        {
            tracing::warn!(%why, "cannot write into .editd/lock where this daemon listens");
        }
    }

    fn write_address(&self, address: &[u8]) -> io::Result<()> {
        let lock = open_or_create(&self.own_dir()?, LOCK)?;
        lock.set_len(0)?;
        lock.write_all_at(address, 0)
    }
}

fn lock(address: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    // Nothing that may panic runs under the lock.
    address.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the address of the daemon that holds the lock; empty if it is not stored.
fn announced(own: &Dir) -> String {
    let said = own.open_file(LOCK, Access::Read).and_then(|lock| read_all(&*lock, ADDRESS));
    String::from_utf8_lossy(&said.unwrap_or_default()).into_owned()
}

#[cfg(all(test, unix))]
mod tests;
