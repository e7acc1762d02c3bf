//! Repeats calls that fail since another program has a file open. It changes no file.

#![expect(clippy::disallowed_types, reason = "os is the interface to the system's files")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
};

use super::SHARE_ALL;
use crate::limits::{SHARING_TRIES, SHARING_WAIT};

/// The errors of a call that another program's handle, lock or mapping of a file refuses.
const REFUSED: [i32; 3] = [32, 33, 1224];

/// Makes a call, and repeats it while another program has the file open in a way that refuses the call.
///
/// # Errors
/// `WouldBlock` if another program refuses the call in all tries; otherwise the error of the call.
pub(super) fn patiently<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut wait = SHARING_WAIT;
    for _ in 1..SHARING_TRIES {
        match call() {
            Err(error) if is_refused(&error) => pause(wait),
            other => return other,
        }
        wait *= 2;
    }
    call().map_err(|error| {
        if is_refused(&error) {
            io::Error::new(
                io::ErrorKind::WouldBlock,
                "another program has the file open and does not share it",
            )
        } else {
            error
        }
    })
}

/// Opens a file with the right to move and remove it, which fails while another program has it open without sharing that.
pub(super) fn open_to_move(path: &Path) -> io::Result<File> {
    let flags = FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT;
    OpenOptions::new().access_mode(DELETE).share_mode(SHARE_ALL).custom_flags(flags).open(path)
}

/// Returns the result of a call that replaces or removes a file. The system denies that like a missing permission if another
/// program has the file open without sharing it: then the error is the one for that.
pub(super) fn explained(result: io::Result<()>, path: &Path) -> io::Result<()> {
    let Err(denied) = result else { return Ok(()) };
    if denied.kind() != io::ErrorKind::PermissionDenied {
        return Err(denied);
    }
    match open_to_move(path) {
        Err(error) if is_refused(&error) => Err(error),
        _ => Err(denied),
    }
}

fn is_refused(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| REFUSED.contains(&code))
}

#[expect(clippy::disallowed_methods, reason = "no event reports that another program closed a file")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_call_is_repeated_a_bounded_number_of_times() {
        let mut left = 3;
        let opened = patiently(|| {
            left -= 1;
            if left == 0 { Ok(7) } else { Err(io::Error::from_raw_os_error(32)) }
        });
        assert_eq!(opened.ok(), Some(7));
        let mut calls = 0;
        let refused = patiently(|| -> io::Result<()> {
            calls += 1;
            Err(io::Error::from_raw_os_error(33))
        });
        assert_eq!(
            (calls, refused.map_err(|error| error.kind())),
            (SHARING_TRIES, Err(io::ErrorKind::WouldBlock))
        );
        let other = patiently(|| -> io::Result<()> { Err(io::Error::from_raw_os_error(2)) });
        assert_eq!(other.map_err(|error| error.kind()), Err(io::ErrorKind::NotFound));
    }
}
