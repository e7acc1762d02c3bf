//! A named pipe of Windows as a stream whose waits have a time limit. It knows no message.
//!
//! *Invariants*: the server cannot act as the user of this process, only ask who that is; a pipe that another user made
//! is recognized by its owner.

#![expect(clippy::disallowed_types, reason = "a pipe is opened like a file")]

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr;
use std::time::Duration;

use editd_proto::windows_user;
use windows_sys::Win32::Foundation::{
    ERROR_BROKEN_PIPE, ERROR_IO_PENDING, ERROR_PIPE_BUSY, WAIT_OBJECT_0, WAIT_TIMEOUT,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_OVERLAPPED, ReadFile, SECURITY_IDENTIFICATION, WriteFile,
};
use windows_sys::Win32::System::IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED};
use windows_sys::Win32::System::Pipes::WaitNamedPipeW;
use windows_sys::Win32::System::Threading::{CreateEventW, INFINITE, WaitForSingleObject};

/// The time limit for a server that exists to accept the connection, in milliseconds.
const ACCEPT_MS: u32 = 10_000;

/// The most bytes that are written at once, and the time limit for the server to take them.
const WRITE: (usize, Duration) = (64 * 1024, Duration::from_secs(60));

/// The number of times that another client may be faster.
const TRIES: u32 = 16;

/// A connection to the server of a pipe.
#[derive(Debug)]
pub(super) struct PipeStream {
    pipe: File,
    event: OwnedHandle,
    patience: Cell<Option<Duration>>,
}

/// The direction of a transfer.
enum Transfer<'a> {
    Read(&'a mut [u8]),
    Write(&'a [u8]),
}

impl PipeStream {
    /// Connects.
    ///
    /// # Errors
    /// `NotFound` if there is no such pipe, `TimedOut` if its server accepts nobody; others of the system.
    pub(super) fn connect(path: &Path) -> io::Result<Self> {
        let mut tries = 0;
        let pipe = loop {
            let mut options = File::options();
            options.read(true).write(true).custom_flags(FILE_FLAG_OVERLAPPED);
            match options.security_qos_flags(SECURITY_IDENTIFICATION).open(path) {
                Err(busy) if is(&busy, ERROR_PIPE_BUSY) && tries < TRIES => await_server(path)?,
                other => break other?,
            }
            tries += 1;
        };
        Ok(Self { pipe, event: new_event()?, patience: Cell::default() })
    }

    /// Returns true if the pipe was made by the user of this process.
    pub(super) fn is_own(&self) -> bool {
        match (windows_user::owner(&self.pipe), windows_user::security_id()) {
            (Ok(owner), Ok(user)) => owner == user,
            _ => false,
        }
    }

    /// Sets the time limit of each read from now on.
    ///
    /// # Errors
    /// None here; a socket has some.
    pub(super) fn set_recv_timeout(&self, patience: Option<Duration>) -> io::Result<()> {
        self.patience.set(patience);
        Ok(())
    }

    /// Reads or writes some bytes, within a time limit. Returns their number.
    #[expect(unsafe_code, reason = "calls into the system")]
    fn transfer(&self, bytes: Transfer<'_>, limit: Option<Duration>) -> io::Result<usize> {
        let pipe = self.pipe.as_raw_handle();
        let mut state = OVERLAPPED { hEvent: self.event.as_raw_handle(), ..OVERLAPPED::default() };
        let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let begun = match bytes {
            Transfer::Read(into) => {
                let (at, most) = (into.as_mut_ptr(), length(into.len()));
                // SAFETY: the pipe is open, and `into` and `state` live until the transfer has ended, below.
                unsafe { ReadFile(pipe, at, most, ptr::null_mut(), &raw mut state) }
            }
            // SAFETY: as above.
            Transfer::Write(from) => unsafe {
                WriteFile(pipe, from.as_ptr(), length(from.len()), ptr::null_mut(), &raw mut state)
            },
        };
        if begun == 0 {
            let error = io::Error::last_os_error();
            if !is(&error, ERROR_IO_PENDING) {
                return Err(error);
            }
        }
        let wait = limit.map_or(INFINITE, |limit| {
            // Rounded up, so that a wait is not repeated for a part of a millisecond.
            u32::try_from(limit.as_millis().saturating_add(1)).unwrap_or(INFINITE - 1)
        });
        // SAFETY: the event is open.
        let waited = unsafe { WaitForSingleObject(self.event.as_raw_handle(), wait) };
        if waited != WAIT_OBJECT_0 {
            // SAFETY: the transfer of `state` was begun on this pipe.
            unsafe { CancelIoEx(pipe, &raw const state) };
        }
        let mut count = 0;
        // SAFETY: the transfer of `state` was begun on this pipe; the call returns when it has ended, also if it was
        // cancelled, so the system uses neither buffer nor `state` after that.
        let ended = unsafe { GetOverlappedResult(pipe, &raw const state, &raw mut count, 1) };
        match (ended, waited) {
            (0, WAIT_TIMEOUT) => Err(io::ErrorKind::TimedOut.into()),
            (0, _) => Err(io::Error::last_os_error()),
            _ => Ok(usize::try_from(count).unwrap_or(0)),
        }
    }
}

impl Read for &PipeStream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.transfer(Transfer::Read(buf), self.patience.get()) {
            // The server has closed it.
            Err(error) if is(&error, ERROR_BROKEN_PIPE) => Ok(0),
            other => other,
        }
    }
}

impl Write for &PipeStream {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let (most, limit) = WRITE;
        self.transfer(Transfer::Write(buf.get(..most).unwrap_or(buf)), Some(limit))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn is(error: &io::Error, code: u32) -> bool {
    error.raw_os_error() == Some(code.cast_signed())
}

/// Waits until the server of a pipe can accept one more connection.
#[expect(unsafe_code, reason = "a call into the system")]
fn await_server(path: &Path) -> io::Result<()> {
    use std::os::windows::ffi::OsStrExt;
    let path: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    // SAFETY: `path` is a string that ends in a zero.
    match unsafe { WaitNamedPipeW(path.as_ptr(), ACCEPT_MS) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Makes the event by which the system tells that a transfer has ended.
#[expect(unsafe_code, reason = "a call into the system")]
fn new_event() -> io::Result<OwnedHandle> {
    // SAFETY: it gets no pointer: neither attributes nor a name.
    let event = unsafe { CreateEventW(ptr::null(), 1, 0, ptr::null()) };
    if event.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has opened the handle, and nothing else has it.
    Ok(unsafe { OwnedHandle::from_raw_handle(event) })
}
