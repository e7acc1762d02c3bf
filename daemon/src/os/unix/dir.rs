//! An open folder on Unix: every call takes one name in it, and never follows it if it is a link.

use std::any::Any;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::file::{UnixFile, flush_data};
use super::{component, foreign, stat};
use crate::os::{Access, Dir, DirEntry, File, FileIdentity, FileKind, OsDir, Stat};

pub(super) struct UnixDir {
    fd: OwnedFd,
}

/// Returns the Unix folder of a handle.
pub(super) fn of(dir: &Dir) -> io::Result<&UnixDir> {
    dir.as_any().downcast_ref().ok_or_else(foreign)
}

impl UnixDir {
    pub(super) fn new(fd: OwnedFd) -> Self {
        Self { fd }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    fn open(&self, name: &[u8], flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let name = component(name)?;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(retry_on_intr(|| rustix::fs::openat(&self.fd, name, flags, mode))?)
    }

    fn open_folder(&self, name: &[u8]) -> io::Result<UnixDir> {
        Ok(UnixDir::new(self.open(name, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?))
    }
}

/// Returns the permission bits of a mode for a system call; other bits are dropped.
pub(super) fn permissions(mode: u32) -> Mode {
    // The raw type is u16 on macOS; 0o7777 fits it.
    Mode::from_raw_mode((mode & 0o7777) as rustix::fs::RawMode)
}

impl OsDir for UnixDir {
    fn stat(&self, name: &[u8]) -> io::Result<Stat> {
        stat::named(self.fd(), component(name)?)
    }

    fn stat_self(&self) -> io::Result<Stat> {
        stat::own(self.fd())
    }

    #[cfg(target_os = "linux")]
    fn mount(&self) -> io::Result<Option<u64>> {
        stat::mount(self.fd())
    }

    fn open_dir(&self, name: &[u8]) -> io::Result<Dir> {
        Ok(Arc::new(self.open_folder(name)?))
    }

    #[cfg(target_os = "linux")]
    fn open_passage(&self, name: &[u8]) -> io::Result<Dir> {
        Ok(Arc::new(UnixDir::new(self.open(name, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())?)))
    }

    #[cfg(target_os = "linux")]
    fn open_below(&self, names: &[Vec<u8>]) -> io::Result<(Dir, Stat)> {
        use rustix::fs::{ResolveFlags, openat2};
        for name in names {
            component(name)?;
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let through = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
        let path = names.join(&b'/');
        let fd = retry_on_intr(|| openat2(&self.fd, path.as_slice(), flags, Mode::empty(), through))?;
        let stat = stat::own(fd.as_fd())?;
        Ok((Arc::new(UnixDir::new(fd)), stat))
    }

    fn open_file(&self, name: &[u8], access: Access) -> io::Result<File> {
        self.open_with_stat(name, access).map(|(file, _)| file)
    }

    fn open_with_stat(&self, name: &[u8], access: Access) -> io::Result<(File, Stat)> {
        let flags = match access {
            Access::Read => OFlags::RDONLY,
            Access::Write => OFlags::RDWR,
        };
        let fd = match self.open(name, flags, Mode::empty()) {
            // The error for opening a folder (to write), a socket, or a FIFO without a reader.
            Err(error) if not_a_file(&error) => return Err(not_regular()),
            opened => opened?,
        };
        let stat = stat::own(fd.as_fd())?;
        match stat.kind {
            FileKind::File => Ok((Arc::new(UnixFile::new(fd, access)), stat)),
            FileKind::Dir | FileKind::Link | FileKind::Other => Err(not_regular()),
        }
    }

    fn append(&self, name: &[u8], to: FileIdentity, bytes: &[u8]) -> io::Result<bool> {
        let fd = self.open(name, OFlags::WRONLY | OFlags::APPEND, Mode::empty())?;
        if stat::own(fd.as_fd())?.identity != to {
            return Ok(false);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = retry_on_intr(|| rustix::io::write(&fd, rest))?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            rest = rest.get(written..).unwrap_or_default();
        }
        flush_data(fd.as_fd())?;
        Ok(true)
    }

    fn may_write(&self, name: &[u8]) -> io::Result<bool> {
        let name = component(name)?;
        match rustix::fs::accessat(&self.fd, name, rustix::fs::Access::WRITE_OK, AtFlags::EACCESS) {
            Ok(()) => Ok(true),
            Err(Errno::ACCESS) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn create_file(&self, name: &[u8], mode: u32) -> io::Result<File> {
        let fd = self.open(name, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, permissions(mode))?;
        Ok(Arc::new(UnixFile::new(fd, Access::Write)))
    }

    fn create_dir(&self, name: &[u8], mode: u32) -> io::Result<()> {
        let name = component(name)?;
        let wanted = permissions(mode);
        rustix::fs::mkdirat(&self.fd, name, wanted)?;
        let made = self.open_folder(name).and_then(|folder| {
            if folder.stat_self()?.mode == mode & 0o7777 {
                return Ok(());
            }
            Ok(rustix::fs::fchmod(folder.fd(), wanted)?)
        });
        if made.is_err() {
            // The call failed, so its effect must not stay, unless the folder is in use by now.
            rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR).ok();
        }
        made
    }

    fn remove_file(&self, name: &[u8]) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, component(name)?, AtFlags::empty())?)
    }

    fn remove_dir(&self, name: &[u8]) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, component(name)?, AtFlags::REMOVEDIR)?)
    }

    fn read_link(&self, name: &[u8]) -> io::Result<Vec<u8>> {
        Ok(rustix::fs::readlinkat(&self.fd, component(name)?, Vec::new())?.into_bytes())
    }

    fn list(&self) -> io::Result<Vec<DirEntry>> {
        let mut found = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.fd)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let kind = Some(entry.file_type()).filter(|kind| *kind != FileType::Unknown).map(stat::kind);
            found.push(DirEntry { name: name.to_vec(), kind });
        }
        Ok(found)
    }

    fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::fchmod(&self.fd, permissions(mode))?)
    }

    fn sync(&self) -> io::Result<()> {
        match super::file::flush(self.fd()) {
            // File systems whose folders need no flush of their own (some FUSE and network file systems).
            Err(Errno::INVAL) => Ok(()),
            done => Ok(done?),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn not_a_file(error: &io::Error) -> bool {
    let told = [Errno::ISDIR, Errno::NXIO, Errno::NODEV, Errno::OPNOTSUPP];
    told.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}
