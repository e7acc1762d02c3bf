//! An open regular file on Unix: bytes, flushes, metadata and locks; it knows no name and no path.

#![expect(clippy::disallowed_types, reason = "os is the interface to the system's files")]

use std::any::Any;
use std::fs::TryLockError;
use std::io;
#[cfg(not(target_vendor = "apple"))]
use std::io::IoSliceMut;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

use rustix::fs::{Gid, Uid};
use rustix::io::Errno;
#[cfg(not(target_vendor = "apple"))]
use rustix::io::retry_on_intr;

#[cfg(target_os = "linux")]
use super::holder;
use super::{attributes, dir, foreign, lease, stat};
#[cfg(target_os = "linux")]
use crate::os::LockHolder;
use crate::os::{Access, ExtendedAttribute, LeaseState, OsFile, Stat, UnsetAttribute};

pub(super) struct UnixFile {
    file: std::fs::File,
    access: Access,
}

impl UnixFile {
    pub(super) fn new(fd: OwnedFd, access: Access) -> Self {
        Self { file: fd.into(), access }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Makes everything about a file or folder durable.
#[cfg(target_os = "macos")]
pub(super) fn flush(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    // Plain fsync leaves the data in the drive's cache; network mounts have only that.
    match rustix::fs::fcntl_fullfsync(fd) {
        Err(Errno::NOTSUP | Errno::INVAL | Errno::NOTTY) => rustix::fs::fsync(fd),
        done => done,
    }
}

/// Makes everything about a file or folder durable.
#[cfg(not(target_os = "macos"))]
pub(super) fn flush(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    rustix::io::retry_on_intr(|| rustix::fs::fsync(fd))
}

#[cfg(target_os = "macos")]
pub(super) fn flush_data(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    flush(fd)
}

#[cfg(not(target_os = "macos"))]
pub(super) fn flush_data(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    rustix::io::retry_on_intr(|| rustix::fs::fdatasync(fd))
}

impl OsFile for UnixFile {
    fn stat(&self) -> io::Result<Stat> {
        stat::own(self.fd())
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        loop {
            match self.file.read_at(buf, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    #[cfg(not(target_vendor = "apple"))]
    fn fill(&self, buf: &mut [u8], offset: u64) -> io::Result<(usize, bool)> {
        let (mut filled, mut beyond) = (0, [0]);
        while let Some(room) = buf.get_mut(filled..) {
            let wanted = room.len();
            // One call reads all bytes and notices whether one follows them.
            let parts = &mut [IoSliceMut::new(room), IoSliceMut::new(&mut beyond)];
            let at = offset.saturating_add(filled as u64);
            let read = retry_on_intr(|| rustix::io::preadv(self.fd(), parts, at))?;
            filled += read.min(wanted);
            if read == 0 || read >= wanted {
                return Ok((filled, read > wanted));
            }
            // The file has ended, or the system reads fewer bytes at once.
        }
        Ok((filled, false))
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(flush_data(self.fd())?)
    }

    fn sync_all(&self) -> io::Result<()> {
        Ok(flush(self.fd())?)
    }

    fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::fchmod(self.fd(), dir::permissions(mode))?)
    }

    fn set_owner(&self, uid: u32, gid: u32) -> io::Result<()> {
        // The system takes the largest number as "unchanged"; no file has it as its owner.
        let owner = (uid != u32::MAX).then(|| Uid::from_raw(uid));
        let group = (gid != u32::MAX).then(|| Gid::from_raw(gid));
        Ok(rustix::fs::fchown(self.fd(), owner, group)?)
    }

    fn copy_attributes(&self, from: &dyn OsFile) -> io::Result<()> {
        let from: &UnixFile = from.as_any().downcast_ref().ok_or_else(foreign)?;
        attributes::copy(from.fd(), self.fd())
    }

    fn attributes(&self, most: usize) -> io::Result<Vec<ExtendedAttribute>> {
        attributes::all(self.fd(), most)
    }

    fn set_attributes(&self, wanted: &[ExtendedAttribute]) -> io::Result<Vec<UnsetAttribute>> {
        attributes::set(self.fd(), wanted)
    }

    fn lease(&self) -> io::Result<LeaseState> {
        match self.access {
            Access::Read => lease::take(self.fd()),
            // The kernel counts our own handle as a writer.
            Access::Write => {
                Err(io::Error::new(io::ErrorKind::InvalidInput, "a read lease needs a file opened to read"))
            }
        }
    }

    fn lease_intact(&self) -> io::Result<bool> {
        lease::intact(self.fd())
    }

    fn release_lease(&self) -> io::Result<()> {
        lease::release(self.fd())
    }

    fn try_lock(&self) -> io::Result<bool> {
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    #[cfg(target_os = "linux")]
    fn lock_holder(&self) -> Option<LockHolder> {
        holder::of(self.fd())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
