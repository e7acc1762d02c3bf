//! Converts the kernel's metadata of a file; it never opens anything.

use std::io;
use std::os::fd::BorrowedFd;

use crate::os::{FileKind, Stat};
use rustix::fs::FileType;

#[cfg(target_os = "linux")]
pub(super) use self::linux::{mount, named, own};
#[cfg(not(target_os = "linux"))]
pub(super) use self::other::{named, own};

/// The permission bits of a mode, without the type.
const PERMISSIONS: u32 = 0o7777;

pub(super) fn kind(of: FileType) -> FileKind {
    match of {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Dir,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    }
}

fn nanos(seconds: i64, nanos: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{BorrowedFd, FileKind, FileType, PERMISSIONS, Stat, io, kind, nanos};
    use crate::os::FileIdentity;
    use rustix::fs::{AtFlags, Statx, StatxFlags, StatxTimestamp};
    use rustix::io::Errno;

    pub(in crate::os::unix) fn named(folder: BorrowedFd<'_>, name: &[u8]) -> io::Result<Stat> {
        match rustix::fs::statx(folder, name, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT, wanted()) {
            Ok(found) => Ok(convert(&found)),
            Err(Errno::NOSYS) => Ok(plain(&rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)),
            Err(error) => Err(error.into()),
        }
    }

    pub(in crate::os::unix) fn own(file: BorrowedFd<'_>) -> io::Result<Stat> {
        match rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, wanted()) {
            Ok(found) => Ok(convert(&found)),
            Err(Errno::NOSYS) => Ok(plain(&rustix::fs::fstat(file)?)),
            Err(error) => Err(error.into()),
        }
    }

    /// `STATX_MNT_ID_UNIQUE`, since Linux 6.8. The older `STATX_MNT_ID` is used again for the next mount.
    const MOUNT: StatxFlags = StatxFlags::from_bits_retain(0x4000);

    pub(in crate::os::unix) fn mount(file: BorrowedFd<'_>) -> io::Result<Option<u64>> {
        match rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, MOUNT) {
            Ok(found) => {
                let told = StatxFlags::from_bits_retain(found.stx_mask).contains(MOUNT);
                Ok(told.then_some(found.stx_mnt_id))
            }
            Err(Errno::NOSYS) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn wanted() -> StatxFlags {
        StatxFlags::BASIC_STATS | StatxFlags::BTIME
    }

    fn time(of: &StatxTimestamp) -> i64 {
        nanos(of.tv_sec, i64::from(of.tv_nsec))
    }

    fn convert(found: &Statx) -> Stat {
        let mode = u32::from(found.stx_mode);
        let told = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME);
        Stat {
            kind: kind(FileType::from_raw_mode(mode)),
            identity: FileIdentity {
                dev: rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor),
                ino: found.stx_ino,
                born: if told { time(&found.stx_btime) } else { 0 },
            },
            size: found.stx_size,
            mode: mode & PERMISSIONS,
            uid: found.stx_uid,
            gid: found.stx_gid,
            links: u64::from(found.stx_nlink),
            modified: time(&found.stx_mtime),
            changed: time(&found.stx_ctime),
        }
    }

    // Kernels before 4.11, and sandboxes without statx: no birth time.
    #[expect(clippy::useless_conversion, reason = "the types differ between architectures")]
    fn plain(found: &rustix::fs::Stat) -> Stat {
        let part = |nsec| i64::try_from(nsec).unwrap_or(0);
        let kind: FileKind = kind(FileType::from_raw_mode(found.st_mode));
        Stat {
            kind,
            identity: FileIdentity { dev: found.st_dev, ino: found.st_ino, born: 0 },
            size: u64::try_from(found.st_size).unwrap_or(0),
            mode: found.st_mode & PERMISSIONS,
            uid: found.st_uid,
            gid: found.st_gid,
            links: found.st_nlink.into(),
            modified: nanos(found.st_mtime, part(found.st_mtime_nsec)),
            changed: nanos(found.st_ctime, part(found.st_ctime_nsec)),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use super::{BorrowedFd, FileType, PERMISSIONS, Stat, io, kind, nanos};
    use crate::os::FileIdentity;
    use rustix::fs::AtFlags;

    pub(in crate::os::unix) fn named(folder: BorrowedFd<'_>, name: &[u8]) -> io::Result<Stat> {
        Ok(convert(&rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    pub(in crate::os::unix) fn own(file: BorrowedFd<'_>) -> io::Result<Stat> {
        Ok(convert(&rustix::fs::fstat(file)?))
    }

    #[cfg(target_os = "macos")]
    fn born(found: &rustix::fs::Stat) -> i64 {
        nanos(found.st_birthtime, found.st_birthtime_nsec)
    }

    #[cfg(not(target_os = "macos"))]
    fn born(_: &rustix::fs::Stat) -> i64 {
        0
    }

    #[expect(clippy::unnecessary_cast, reason = "the types differ between systems")]
    fn convert(found: &rustix::fs::Stat) -> Stat {
        let mode = u32::from(found.st_mode);
        Stat {
            kind: kind(FileType::from_raw_mode(found.st_mode)),
            identity: FileIdentity { dev: found.st_dev as u64, ino: found.st_ino as u64, born: born(found) },
            size: u64::try_from(found.st_size).unwrap_or(0),
            mode: mode & PERMISSIONS,
            uid: found.st_uid,
            gid: found.st_gid,
            links: u64::from(found.st_nlink),
            modified: nanos(found.st_mtime as i64, found.st_mtime_nsec as i64),
            changed: nanos(found.st_ctime as i64, found.st_ctime_nsec as i64),
        }
    }
}
