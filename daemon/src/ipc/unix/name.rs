//! The name that a bound socket has in the file system. It removes no name that leads to another socket.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, openat, statat, unlinkat};
use rustix::io::Errno;

/// The flags with which the folder is opened: it is only searched, if the system can.
#[cfg(any(target_os = "linux", target_os = "android"))]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The name of a bound socket. The system gives the socket's inode number to no other file before the socket is closed.
#[derive(Debug)]
pub struct SocketName {
    path: PathBuf,
    /// The folder in which the socket was bound. Another one may have its path by now.
    folder: OwnedFd,
    base: OsString,
    socket: Stat,
}

impl SocketName {
    /// Calls `make`, which binds a socket to a path. Returns its result and the socket's name.
    ///
    /// # Errors
    /// Those of `make`, and errors of the system.
    pub(super) fn bind<T>(path: &Path, make: impl FnOnce() -> io::Result<T>) -> io::Result<(T, Self)> {
        let (Some(folder), Some(base)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let folder = openat(CWD, folder, FOLDER, Mode::empty())?;
        let bound = make()?;
        let socket = statat(&folder, base, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok((bound, Self { path: path.to_owned(), folder, base: base.to_owned(), socket }))
    }

    /// Returns true if the path certainly does not lead to the socket, so that no more clients find it. An error of the
    /// system other than that nothing is there does not count.
    pub fn is_lost(&self) -> bool {
        match statat(CWD, &self.path, AtFlags::empty()) {
            Ok(found) => !self.is_of(&found),
            Err(why) => matches!(why, Errno::NOENT | Errno::NOTDIR),
        }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the name from its folder if it still leads to the socket. Returns false if it does not.
    ///
    /// To be called before the socket is closed: until then another daemon takes it for a served one and does not replace
    /// it. So the name of another socket is removed only if a third program removed this one between the check and the
    /// removal. A folder that has the path of the old one by now is not touched.
    ///
    /// # Errors
    /// Errors of the system.
    pub(super) fn remove(&self) -> io::Result<bool> {
        match statat(&self.folder, &self.base, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if self.is_of(&found) => {}
            Ok(_) | Err(Errno::NOENT) => return Ok(false),
            Err(why) => return Err(why.into()),
        }
        match unlinkat(&self.folder, &self.base, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(why) => Err(why.into()),
        }
    }

    fn is_of(&self, found: &Stat) -> bool {
        (found.st_dev, found.st_ino) == (self.socket.st_dev, self.socket.st_ino)
    }
}
