//! Open files on Windows, and the metadata of a handle.

#![expect(clippy::disallowed_types, reason = "os is the interface to the system's files")]

use std::any::Any;
use std::fs::{self, TryLockError};
use std::io;
use std::os::windows::fs::FileExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use windows_sys::Win32::Foundation::{ERROR_SHARING_VIOLATION, GENERIC_READ, GENERIC_WRITE};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_READONLY, FILE_ATTRIBUTE_REPARSE_POINT, FILE_READ_ATTRIBUTES,
    FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_WRITE_ATTRIBUTES,
};

use super::sharing::patiently;
use super::{SHARE_ALL, attributes, calls, unsupported};
use crate::os::{
    Access, ExtendedAttribute, FileIdentity, FileKind, LeaseState, OsFile, Stat, UnsetAttribute,
};

/// From 1601 to 1970, in units of 100 ns.
const EPOCH: i64 = 116_444_736_000_000_000;

/// The reparse points that lead to another path: symbolic links, and junctions with mount points.
const LINKS: [u32; 2] = [0xA000_000C, 0xA000_0003];

pub(super) struct WindowsFile {
    pub(super) file: fs::File,
    access: Access,
    /// A second handle, which refuses writers.
    lease: Mutex<Option<fs::File>>,
}

impl WindowsFile {
    pub(super) fn new(file: fs::File, access: Access) -> Self {
        Self { file, access, lease: Mutex::default() }
    }

    fn leased(&self) -> MutexGuard<'_, Option<fs::File>> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Flushes through a handle that may write: the system refuses others.
    fn flush(&self) -> io::Result<()> {
        if self.access == Access::Write {
            return self.file.sync_all();
        }
        let writable = match self.reopen(GENERIC_WRITE) {
            Err(denied) if denied.kind() == io::ErrorKind::PermissionDenied && self.is_read_only()? => {
                // Only for the moment of opening: the handle keeps its right to write.
                self.set_read_only(false)?;
                let opened = self.reopen(GENERIC_WRITE);
                self.set_read_only(true)?;
                opened?
            }
            other => other?,
        };
        writable.sync_all()
    }

    /// Opens the same file with other rights. Wine looks for it under the name that it had when it was opened.
    fn reopen(&self, access: u32) -> io::Result<fs::File> {
        let again = patiently(|| calls::reopen(&self.file, access | FILE_READ_ATTRIBUTES, SHARE_ALL))?;
        if look(&again)?.identity == look(&self.file)?.identity {
            return Ok(again);
        }
        Err(io::Error::other("the system opened another file in place of this one"))
    }

    fn is_read_only(&self) -> io::Result<bool> {
        Ok(calls::basic(&self.file)?.FileAttributes & FILE_ATTRIBUTE_READONLY != 0)
    }

    fn set_read_only(&self, read_only: bool) -> io::Result<()> {
        let mut permissions = self.file.metadata()?.permissions();
        if permissions.readonly() == read_only {
            return Ok(());
        }
        permissions.set_readonly(read_only);
        if self.access == Access::Write {
            return self.file.set_permissions(permissions);
        }
        // A handle for reading may not set attributes.
        self.reopen(FILE_WRITE_ATTRIBUTES)?.set_permissions(permissions)
    }
}

impl OsFile for WindowsFile {
    fn stat(&self) -> io::Result<Stat> {
        look(&self.file)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        patiently(|| self.file.seek_read(buf, offset))
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
            match patiently(|| self.file.seek_write(rest, offset.saturating_add(done as u64))) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero)),
                Ok(written) => done += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        patiently(|| self.file.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.flush()
    }

    fn sync_all(&self) -> io::Result<()> {
        self.flush()
    }

    fn set_mode(&self, mode: u32) -> io::Result<()> {
        self.set_read_only(mode & 0o200 == 0)
    }

    fn set_owner(&self, _uid: u32, _gid: u32) -> io::Result<()> {
        Err(unsupported("a file's owner has no number here"))
    }

    fn copy_attributes(&self, from: &dyn OsFile) -> io::Result<()> {
        let from: &Self = from
            .as_any()
            .downcast_ref()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a file of another machine"))?;
        attributes::copy(&from.file, &self.file)
    }

    fn attributes(&self, most: usize) -> io::Result<Vec<ExtendedAttribute>> {
        attributes::read(&self.file, most)
    }

    fn set_attributes(&self, wanted: &[ExtendedAttribute]) -> io::Result<Vec<UnsetAttribute>> {
        Ok(attributes::set(&self.file, wanted))
    }

    fn lease(&self) -> io::Result<LeaseState> {
        if self.access != Access::Read {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "only for a file opened for reading"));
        }
        match calls::reopen(&self.file, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE) {
            Ok(handle) if look(&handle)?.identity == look(&self.file)?.identity => {
                *self.leased() = Some(handle);
                Ok(LeaseState::Held)
            }
            Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION.cast_signed()) => {
                Ok(LeaseState::Writer)
            }
            Ok(_) | Err(_) => Ok(LeaseState::Unsupported),
        }
    }

    fn lease_intact(&self) -> io::Result<bool> {
        // While it is open, no other process can open the file for writing.
        Ok(self.leased().is_some())
    }

    fn release_lease(&self) -> io::Result<()> {
        *self.leased() = None;
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Returns a time of Windows in nanoseconds since 1970.
pub(super) fn nanoseconds(time: i64) -> i64 {
    time.saturating_sub(EPOCH).saturating_mul(100)
}

/// Returns the metadata of an open file or folder.
pub(super) fn look(file: &fs::File) -> io::Result<Stat> {
    let (basic, counted) = (calls::basic(file)?, calls::by_handle(file)?);
    let attributes = basic.FileAttributes;
    let kind = match () {
        () if attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 => {
            if LINKS.contains(&calls::reparse_tag(file)?) { FileKind::Link } else { FileKind::Other }
        }
        () if attributes & FILE_ATTRIBUTE_DIRECTORY != 0 => FileKind::Dir,
        () => FileKind::File,
    };
    let both = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    // The time at which a file was made is no part of it: programs can set it, and a file that gets the name of a removed
    // one gets its time, too. The numbers of NTFS and ReFS are not reused.
    let identity = match calls::identity(file) {
        Ok(found) => {
            let [low, high] = halves(u128::from_le_bytes(found.FileId.Identifier));
            FileIdentity { dev: found.VolumeSerialNumber, ino: low, born: high.cast_signed() }
        }
        Err(_) => FileIdentity {
            dev: u64::from(counted.dwVolumeSerialNumber),
            ino: both(counted.nFileIndexHigh, counted.nFileIndexLow),
            born: 0,
        },
    };
    Ok(Stat {
        kind,
        identity,
        size: both(counted.nFileSizeHigh, counted.nFileSizeLow),
        mode: match kind {
            FileKind::Dir => 0o755,
            _ if attributes & FILE_ATTRIBUTE_READONLY == 0 => 0o644,
            _ => 0o444,
        },
        uid: 0,
        gid: 0,
        links: u64::from(counted.nNumberOfLinks),
        modified: nanoseconds(basic.LastWriteTime),
        changed: nanoseconds(basic.ChangeTime),
    })
}

/// Returns the low and the high half of a number.
fn halves(number: u128) -> [u64; 2] {
    let low = number & u128::from(u64::MAX);
    [low, number >> 64].map(|half| u64::try_from(half).unwrap_or(0))
}
