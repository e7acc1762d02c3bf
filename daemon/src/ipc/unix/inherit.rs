//! Takes over the socket of a service manager. It never opens one.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixListener;

use rustix::net::{AddressFamily, SocketType, sockopt};

use super::ListenError;

/// Returns the inherited socket, if there is one. `passed` are the descriptors that the service manager opened for this process.
/// To be called once, before anything else opens a file.
///
/// # Errors
/// More than one was passed, or something that is not a listening Unix socket.
pub fn inherited(
    passed: io::Result<impl IntoIterator<Item = RawFd>>,
) -> Result<Option<UnixListener>, ListenError> {
    let unfit = |what: String| ListenError::Unfit(format!("socket activation: {what}; check the unit"));
    let mut passed = passed.map_err(|why| unfit(why.to_string()))?.into_iter();
    match (passed.next(), passed.next()) {
        (None, _) => Ok(None),
        (Some(_), Some(_)) => Err(unfit("more than one socket was handed over".into())),
        (Some(one), None) => {
            let socket = take(one);
            check(&socket).map_err(unfit)?;
            let socket = UnixListener::from(socket);
            socket.set_nonblocking(true).map_err(|why| unfit(why.to_string()))?;
            Ok(Some(socket))
        }
    }
}

#[expect(unsafe_code, reason = "a descriptor arrives as a number")]
fn take(number: RawFd) -> OwnedFd {
    // SAFETY: the service manager opened it for this process (`listen_fds` compared LISTEN_PID and has just set a flag on it;
    // launchd has just returned it), and this function's only caller runs once, before any other file is opened, so nothing
    // else owns it.
    unsafe { OwnedFd::from_raw_fd(number) }
}

fn check(socket: &OwnedFd) -> Result<(), String> {
    let stream = sockopt::socket_type(socket).map_err(|why| format!("it is no socket ({why})"))?;
    let family = rustix::net::getsockname(socket).map(|address| address.address_family());
    if stream != SocketType::STREAM || family != Ok(AddressFamily::UNIX) || !listens(socket) {
        return Err("it is not a listening Unix stream socket".into());
    }
    Ok(())
}

/// Returns true if the socket listens, or if the system cannot tell: then accepting a connection fails.
#[cfg(not(target_vendor = "apple"))]
fn listens(socket: &OwnedFd) -> bool {
    sockopt::socket_acceptconn(socket).unwrap_or(true)
}

/// Returns true: the system cannot tell. If the socket does not listen, accepting a connection fails.
#[cfg(target_vendor = "apple")]
fn listens(_: &OwnedFd) -> bool {
    true
}
