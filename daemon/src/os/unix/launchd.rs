//! The sockets that launchd opened for this process, since its property list has them under the name [`NAME`].

use std::ffi::{CStr, c_char, c_int};
use std::io;
use std::os::fd::RawFd;
use std::ptr;

/// The key of the socket in `systemd/editd.plist`.
const NAME: &CStr = c"Listener";

#[expect(unsafe_code, reason = "no crate that is maintained declares this call")]
// SAFETY: the declaration is that of <launch.h>, which every macOS since 10.10 has.
unsafe extern "C" {
    fn launch_activate_socket(name: *const c_char, fds: *mut *mut c_int, count: *mut usize) -> c_int;
}

/// Returns the sockets; none if launchd did not start this process, or has no socket for it.
///
/// # Errors
/// The call fails, or was made before.
#[expect(unsafe_code, reason = "a call into the system")]
pub fn descriptors() -> io::Result<Vec<RawFd>> {
    let (mut fds, mut count) = (ptr::null_mut(), 0);
    // SAFETY: the name ends with a zero, and both places are written by the call alone.
    match unsafe { launch_activate_socket(NAME.as_ptr(), &raw mut fds, &raw mut count) } {
        0 if fds.is_null() => Ok(Vec::new()),
        0 => {
            // SAFETY: on success, the call has stored `count` numbers at `fds`.
            let found = unsafe { std::slice::from_raw_parts(fds, count) }.to_vec();
            // SAFETY: the call allocated them with `malloc` for its caller, and nothing refers to them any more.
            unsafe { libc::free(fds.cast()) };
            for fd in &found {
                // SAFETY: the number is a descriptor that was opened for this process and that nothing has closed.
                let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(*fd) };
                // No command of the workspace shall inherit it.
                rustix::io::fcntl_setfd(fd, rustix::io::FdFlags::CLOEXEC)?;
            }
            Ok(found)
        }
        // ESRCH: not started by launchd. ENOENT: the property list names no such socket.
        libc::ESRCH | libc::ENOENT => Ok(Vec::new()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}
