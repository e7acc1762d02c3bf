//! Read leases, by which the kernel tells whether a process has a file open for writing. Linux only; elsewhere every
//! call returns `Unsupported`.
//!
//! When a process opens a leased file for writing, the kernel breaks the lease and raises SIGIO, whose default action
//! ends the process that holds it. So the first lease of a process installs a handler that does nothing
//! ([`ignore_sigio`]); a program may call it at its start to be sure.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use crate::os::LeaseState;

/// Makes SIGIO harmless for this process. Child processes start with the default again.
///
/// # Errors
/// Errors of the system when it refuses a signal handler.
pub fn ignore_sigio() -> io::Result<()> {
    static DONE: OnceLock<Result<(), i32>> = OnceLock::new();
    // A handler instead of "ignore", which child processes would inherit. It restarts system calls.
    let done = DONE.get_or_init(|| {
        let nobody_looks = std::sync::Arc::new(AtomicBool::new(false));
        match signal_hook::flag::register(libc::SIGIO, nobody_looks) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.raw_os_error().unwrap_or(libc::EINVAL)),
        }
    });
    done.map_err(io::Error::from_raw_os_error)
}

/// Asks for a read lease on a file that was opened to read.
#[cfg(target_os = "linux")]
pub(super) fn take(fd: BorrowedFd<'_>) -> io::Result<LeaseState> {
    ignore_sigio()?;
    match control(fd, libc::F_SETLEASE, libc::F_RDLCK) {
        Ok(_) => Ok(LeaseState::Held),
        Err(error) => match error.raw_os_error() {
            Some(libc::EAGAIN | libc::EBUSY) => Ok(LeaseState::Writer),
            // Not a local file system, not our file, or leases are disabled.
            Some(
                libc::EINVAL | libc::EACCES | libc::EPERM | libc::ENOLCK | libc::ENOSYS | libc::EOPNOTSUPP,
            ) => Ok(LeaseState::Unsupported),
            _ => Err(error),
        },
    }
}

/// Returns true while the lease is intact; false from the moment in which a process tried to open the file for
/// writing.
#[cfg(target_os = "linux")]
pub(super) fn intact(fd: BorrowedFd<'_>) -> io::Result<bool> {
    Ok(control(fd, libc::F_GETLEASE, 0)? == libc::F_RDLCK)
}

/// Releases the lease; a process that waits for the file continues.
#[cfg(target_os = "linux")]
pub(super) fn release(fd: BorrowedFd<'_>) -> io::Result<()> {
    match control(fd, libc::F_SETLEASE, libc::F_UNLCK) {
        // None was held: the kernel had broken and removed it.
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => Ok(()),
        done => done.map(drop),
    }
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "rustix has no leases")]
fn control(fd: BorrowedFd<'_>, command: libc::c_int, argument: libc::c_int) -> io::Result<libc::c_int> {
    use std::os::fd::AsRawFd;
    // SAFETY: the descriptor is open for as long as it is borrowed, and both lease commands take an
    // integer and touch no memory of this process.
    let answer = unsafe { libc::fcntl(fd.as_raw_fd(), command, argument) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// This system has no leases.
#[cfg(not(target_os = "linux"))]
pub(super) fn take(_: BorrowedFd<'_>) -> io::Result<LeaseState> {
    Ok(LeaseState::Unsupported)
}

/// This system has no leases.
#[cfg(not(target_os = "linux"))]
pub(super) fn intact(_: BorrowedFd<'_>) -> io::Result<bool> {
    Ok(false)
}

/// This system has no leases.
#[cfg(not(target_os = "linux"))]
pub(super) fn release(_: BorrowedFd<'_>) -> io::Result<()> {
    Ok(())
}
