//! Reads, sets and copies extended attributes, and with them POSIX access control lists, as far as the process may; it
//! never sets attributes that the kernel binds to the old content.
//!
//! *Limitations*: the access control lists of macOS are no extended attributes and are not copied.

use std::io;
use std::os::fd::BorrowedFd;

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

use crate::os::{ExtendedAttribute, UnsetAttribute, UnsetReason};

/// The number of attempts to read a list or value that changes meanwhile.
const TRIES: usize = 8;

/// The treatment of an attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AttributeKind {
    /// Access rights or the user's own data: failing to copy it is an error.
    Must,
    /// Labels of the system, which often only the system may set.
    May,
    /// Rights and signatures that belong to the old content: a write removes them, too.
    Never,
}

fn worth(name: &[u8]) -> AttributeKind {
    match name {
        b"security.capability" | b"security.ima" | b"security.evm" => AttributeKind::Never,
        // macOS sets these by itself and refuses them to other processes.
        _ if name.starts_with(b"com.apple.") => AttributeKind::May,
        _ if name.starts_with(b"trusted.") || name.starts_with(b"security.") => AttributeKind::May,
        _ if name.starts_with(b"system.") && !name.starts_with(b"system.posix_acl_") => AttributeKind::May,
        _ => AttributeKind::Must,
    }
}

/// Gives `to` the attributes of `from`, and removes others, such as access control lists inherited from its folder.
pub(super) fn copy(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> io::Result<()> {
    let Some(wanted) = names(from)? else { return Ok(()) };
    for name in wanted.iter().filter(|name| worth(name) != AttributeKind::Never) {
        let Some(value) = value(from, name)? else { continue };
        // An attribute that is already right is left alone: setting it may need more rights than having it.
        if self::value(to, name).ok().flatten().as_ref() == Some(&value) {
            continue;
        }
        settle(worth(name), fsetxattr(to, name.as_slice(), &value, XattrFlags::empty()))?;
    }
    for name in names(to)?.unwrap_or_default() {
        if worth(&name) == AttributeKind::Must && !wanted.contains(&name) {
            match fremovexattr(to, name.as_slice()) {
                Err(error) if absent(error) => {}
                done => settle(AttributeKind::Must, done)?,
            }
        }
    }
    Ok(())
}

/// Returns the attributes, access control lists first, with values as long as names and values together have at most
/// `most` bytes. The kernel computes `security.evm` from the others.
pub(super) fn all(fd: BorrowedFd<'_>, most: usize) -> io::Result<Vec<ExtendedAttribute>> {
    let mut wanted = names(fd)?.unwrap_or_default();
    wanted.retain(|name| name != b"security.evm");
    wanted.sort_by_key(|name| !name.starts_with(b"system."));
    let mut left = most;
    let mut found = Vec::with_capacity(wanted.len());
    for name in wanted {
        let value = match grown(|buf| fgetxattr(fd, name.as_slice(), buf)) {
            Ok(value) => Some(value),
            Err(error) if absent(error) => continue,
            Err(Errno::PERM | Errno::ACCESS | Errno::RANGE | Errno::TOOBIG) => None,
            Err(error) if unsupported(error) => None,
            Err(error) => return Err(error.into()),
        };
        let value = value.filter(|value| name.len().saturating_add(value.len()) <= left);
        if let Some(value) = &value {
            left = left.saturating_sub(name.len()).saturating_sub(value.len());
        }
        found.push(ExtendedAttribute { name, value });
    }
    Ok(found)
}

/// Gives a file these attributes, and removes others, such as access control lists inherited from its folder. Returns
/// those that it did not get.
pub(super) fn set(fd: BorrowedFd<'_>, wanted: &[ExtendedAttribute]) -> io::Result<Vec<UnsetAttribute>> {
    let mut unset = Vec::new();
    for one in wanted {
        let reason = match &one.value {
            _ if worth(&one.name) == AttributeKind::Never => Some(UnsetReason::Bound),
            None => Some(UnsetReason::Unknown),
            Some(value) => set_one(fd, &one.name, value)?.map(UnsetReason::Refused),
        };
        unset.extend(reason.map(|reason| UnsetAttribute { name: one.name.clone(), reason }));
    }
    for name in names(fd)?.unwrap_or_default() {
        if worth(&name) == AttributeKind::Must && wanted.iter().all(|one| one.name != name) {
            match fremovexattr(fd, name.as_slice()) {
                Err(error) if absent(error) => {}
                done => settle(AttributeKind::Must, done)?,
            }
        }
    }
    Ok(unset)
}

/// Sets an attribute unless the file has it already. Returns the error if the system refused it; a failed disk is an
/// error of the call.
fn set_one(fd: BorrowedFd<'_>, name: &[u8], value: &[u8]) -> io::Result<Option<io::Error>> {
    if self::value(fd, name).ok().flatten().as_deref() == Some(value) {
        return Ok(None);
    }
    match fsetxattr(fd, name, value, XattrFlags::empty()) {
        Ok(()) => Ok(None),
        Err(error @ (Errno::IO | Errno::ROFS)) => Err(error.into()),
        Err(error) => Ok(Some(error.into())),
    }
}

fn settle(worth: AttributeKind, done: Result<(), Errno>) -> io::Result<()> {
    match done {
        Err(error) if unsupported(error) => Ok(()),
        Err(Errno::PERM | Errno::ACCESS | Errno::INVAL) if worth == AttributeKind::May => Ok(()),
        done => Ok(done?),
    }
}

/// Returns the names, or `None` if the file system has no attributes.
fn names(fd: BorrowedFd<'_>) -> io::Result<Option<Vec<Vec<u8>>>> {
    match grown(|buf| flistxattr(fd, buf)) {
        Ok(list) => Ok(Some(
            list.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect(),
        )),
        Err(error) if unsupported(error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the value, or `None` if the attribute is gone or may not be read.
fn value(fd: BorrowedFd<'_>, name: &[u8]) -> io::Result<Option<Vec<u8>>> {
    match grown(|buf| fgetxattr(fd, name, buf)) {
        Ok(value) => Ok(Some(value)),
        Err(error) if absent(error) || unsupported(error) => Ok(None),
        Err(Errno::PERM | Errno::ACCESS) if worth(name) == AttributeKind::May => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns true if the file system has no attributes. (The two numbers are equal on Linux and differ on macOS.)
fn unsupported(error: Errno) -> bool {
    error == Errno::NOTSUP || error == Errno::OPNOTSUPP || error == Errno::NOSYS
}

/// Returns true if the file has no such attribute.
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
