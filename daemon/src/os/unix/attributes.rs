//! Extended attributes, and with them POSIX access control lists: made the same on one file as on another,
//! as far as the process may; it never touches what the kernel binds to the old content.
//!
//! *Limitations*: the access control lists of macOS are no extended attributes and are not copied.

use std::io;
use std::os::fd::BorrowedFd;

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

/// Tries to read a list or value that others change meanwhile, before giving up.
const TRIES: usize = 8;

/// What one name of the list is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    /// Who may do what, or the user's own data: failing to copy it is a failure.
    Must,
    /// Labels of the system, which only it may set.
    May,
    /// Rights and signatures that belong to the old content: a write drops them too.
    Never,
}

fn worth(name: &[u8]) -> Worth {
    match name {
        b"security.capability" | b"security.ima" | b"security.evm" => Worth::Never,
        // macOS sets these by itself and refuses them to others.
        _ if name.starts_with(b"com.apple.") => Worth::May,
        _ if name.starts_with(b"trusted.") || name.starts_with(b"security.") => Worth::May,
        _ if name.starts_with(b"system.") && !name.starts_with(b"system.posix_acl_") => Worth::May,
        _ => Worth::Must,
    }
}

/// Gives `to` the attributes of `from`, and takes away the lists that it inherited from its folder.
pub(super) fn copy(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> io::Result<()> {
    let Some(wanted) = names(from)? else { return Ok(()) };
    for name in wanted.iter().filter(|name| worth(name) != Worth::Never) {
        let Some(value) = value(from, name)? else { continue };
        // What is right already is left alone: setting it may need rights that having it does not.
        if self::value(to, name).ok().flatten().as_ref() == Some(&value) {
            continue;
        }
        settle(worth(name), fsetxattr(to, name.as_slice(), &value, XattrFlags::empty()))?;
    }
    for name in names(to)?.unwrap_or_default() {
        if worth(&name) == Worth::Must && !wanted.contains(&name) {
            match fremovexattr(to, name.as_slice()) {
                Err(error) if absent(error) => {}
                done => settle(Worth::Must, done)?,
            }
        }
    }
    Ok(())
}

fn settle(worth: Worth, done: Result<(), Errno>) -> io::Result<()> {
    match done {
        Err(error) if unsupported(error) => Ok(()),
        Err(Errno::PERM | Errno::ACCESS | Errno::INVAL) if worth == Worth::May => Ok(()),
        done => Ok(done?),
    }
}

/// The names, or `None` where the file system has none.
fn names(fd: BorrowedFd<'_>) -> io::Result<Option<Vec<Vec<u8>>>> {
    match grown(|buf| flistxattr(fd, buf)) {
        Ok(list) => Ok(Some(
            list.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect(),
        )),
        Err(error) if unsupported(error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The value, or `None` where the attribute has gone or may not be read.
fn value(fd: BorrowedFd<'_>, name: &[u8]) -> io::Result<Option<Vec<u8>>> {
    match grown(|buf| fgetxattr(fd, name, buf)) {
        Ok(value) => Ok(Some(value)),
        Err(error) if absent(error) || unsupported(error) => Ok(None),
        Err(Errno::PERM | Errno::ACCESS) if worth(name) == Worth::May => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The file system has no attributes. (The two numbers are one on Linux and differ on macOS.)
fn unsupported(error: Errno) -> bool {
    error == Errno::NOTSUP || error == Errno::OPNOTSUPP || error == Errno::NOSYS
}

/// The file has no such attribute.
fn absent(error: Errno) -> bool {
    #[cfg(target_os = "linux")]
    let number = libc::ENODATA;
    #[cfg(not(target_os = "linux"))]
    let number = libc::ENOATTR;
    error.raw_os_error() == number
}

/// Reads with a buffer that grows: first small, since most files have little or nothing.
fn grown(mut read: impl FnMut(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    let mut buf = vec![0; 256];
    for _ in 0..TRIES {
        match read(&mut buf) {
            Ok(len) => {
                buf.truncate(len);
                return Ok(buf);
            }
            // 64 KiB is the kernel's limit for values and lists.
            Err(Errno::RANGE) => buf.resize(buf.len().saturating_mul(8).min(1 << 20), 0),
            Err(error) => return Err(error),
        }
    }
    Err(Errno::RANGE)
}
