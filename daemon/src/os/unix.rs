//! The interface on Unix: each call is a system call relative to an open folder; it never follows a link in the last
//! component, never waits for another process, and decides nothing.
//!
//! *Limitations*: without `renameat2` (kernels, file systems and systems other than Linux and macOS),
//! [`Os::exchange`] and [`Os::rename_noreplace`] are `Unsupported`. Leases exist on Linux only. `dev` of a
//! [`FileIdentity`](super::FileIdentity) is the kernel's number in this run of the machine; some file systems (btrfs,
//! network mounts) may have another one after a restart.

mod attributes;
mod boot;
mod dir;
mod file;
#[cfg(target_os = "linux")]
mod holder;
#[cfg(target_vendor = "apple")]
pub mod launchd;
mod lease;
mod private_folder;
mod stat;
#[cfg(test)]
pub(crate) mod tests;

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, Mode, OFlags};

pub use lease::ignore_sigio;
pub use private_folder::PrivateFolder;
#[cfg(target_os = "linux")]
pub use private_folder::temporary_folders;

use super::{BootId, Dir, Os, Stat};
use dir::UnixDir;

/// The system that this process runs on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Unix;

impl Os for Unix {
    fn open_dir(&self, path: &Path) -> io::Result<Dir> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::io::retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?;
        Ok(Arc::new(UnixDir::new(fd)))
    }

    fn stat_dir(&self, path: &Path) -> io::Result<Stat> {
        // The last component makes the system follow links, and refuse a file.
        stat::named(rustix::fs::CWD, &[path.as_os_str().as_encoded_bytes(), b"/."].concat())
    }

    fn stat_in(&self, folder: &Path, name: &[u8]) -> io::Result<Stat> {
        let path = [folder.as_os_str().as_encoded_bytes(), b"/", component(name)?].concat();
        stat::named(rustix::fs::CWD, &path)
    }

    fn boot_id(&self) -> io::Result<BootId> {
        boot::boot_id()
    }

    fn began(&self) -> io::Result<i64> {
        boot::began()
    }

    fn user(&self) -> Option<u32> {
        Some(rustix::process::geteuid().as_raw())
    }

    fn exchange(&self, a: &Dir, a_name: &[u8], b: &Dir, b_name: &[u8]) -> io::Result<()> {
        special_rename(RenameFlag::Exchange, (a, a_name), (b, b_name))
    }

    fn rename_noreplace(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        special_rename(RenameFlag::NoReplace, (from, name), (to, to_name))
    }

    fn rename(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (name, to_name) = (component(name)?, component(to_name)?);
        Ok(rustix::fs::renameat(dir::of(from)?.fd(), name, dir::of(to)?.fd(), to_name)?)
    }

    fn link(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (name, to_name) = (component(name)?, component(to_name)?);
        let (from, to) = (dir::of(from)?, dir::of(to)?);
        Ok(rustix::fs::linkat(from.fd(), name, to.fd(), to_name, AtFlags::empty())?)
    }
}

/// The functions of `renameat2` beyond `renameat`.
#[derive(Clone, Copy)]
enum RenameFlag {
    Exchange,
    NoReplace,
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn special_rename(how: RenameFlag, from: (&Dir, &[u8]), to: (&Dir, &[u8])) -> io::Result<()> {
    use rustix::fs::RenameFlags;
    use rustix::io::Errno;
    let flags = match how {
        RenameFlag::Exchange => RenameFlags::EXCHANGE,
        RenameFlag::NoReplace => RenameFlags::NOREPLACE,
    };
    let (name, to_name) = (component(from.1)?, component(to.1)?);
    let (from, to) = (dir::of(from.0)?, dir::of(to.0)?);
    match rustix::fs::renameat_with(from.fd(), name, to.fd(), to_name, flags) {
        // A file system that does not know the flag answers EINVAL, an old kernel ENOSYS.
        Err(error) if [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error) => {
            Err(unsupported())
        }
        done => Ok(done?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn special_rename(how: RenameFlag, from: (&Dir, &[u8]), to: (&Dir, &[u8])) -> io::Result<()> {
    match how {
        RenameFlag::Exchange | RenameFlag::NoReplace => {}
    }
    component(from.1).and(component(to.1)).and(Err(unsupported()))
}

fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this file system cannot exchange names or refuse to replace")
}

/// Checks that a name is a single component: the last check against a path that leaves its folder.
fn component(name: &[u8]) -> io::Result<&[u8]> {
    let good = !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/') && !name.contains(&0);
    good.then_some(name)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not the name of one file"))
}

/// The error for a handle of another [`Os`].
fn foreign() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the folder or file belongs to another machine")
}
