//! Identifies the run of the machine, by a value that is the same until the next restart, and its start. It never
//! guesses.

#![cfg_attr(
    target_os = "linux",
    expect(clippy::disallowed_methods, reason = "os is the interface to the system's files")
)]

use std::io;

use crate::os::BootId;

#[cfg(target_os = "linux")]
pub(super) fn boot_id() -> io::Result<BootId> {
    parse(&std::fs::read("/proc/sys/kernel/random/boot_id")?)
}

#[cfg(target_os = "macos")]
pub(super) fn boot_id() -> io::Result<BootId> {
    let mut text = [0_u8; 64];
    let len = sysctl(c"kern.bootsessionuuid", &mut text)?;
    parse(text.get(..len).unwrap_or_default())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn boot_id() -> io::Result<BootId> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system does not say when it was started"))
}

/// The system has only whole seconds; changes within the first one count as before.
#[cfg(target_os = "linux")]
pub(super) fn began() -> io::Result<i64> {
    behind_second(std::fs::read_to_string("/proc/stat")?.lines().find_map(|line| line.strip_prefix("btime ")))
}

#[cfg(target_os = "macos")]
pub(super) fn began() -> io::Result<i64> {
    let mut time = [0_u8; 16];
    sysctl(c"kern.boottime", &mut time)?;
    let seconds = time.first_chunk().map(|first| i64::from_ne_bytes(*first).to_string());
    behind_second(seconds.as_deref())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn began() -> io::Result<i64> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system does not say when it was started"))
}

/// Returns the nanoseconds at the end of a second.
#[cfg(any(target_os = "linux", target_os = "macos", test))]
pub(super) fn behind_second(seconds: Option<&str>) -> io::Result<i64> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "the machine does not say when it was started");
    let seconds: i64 = seconds.and_then(|seconds| seconds.trim().parse().ok()).ok_or_else(wrong)?;
    seconds.checked_add(1).and_then(|next| next.checked_mul(1_000_000_000)).ok_or_else(wrong)
}

#[cfg(target_os = "macos")]
#[expect(unsafe_code, reason = "std and rustix have no sysctl")]
fn sysctl(name: &std::ffi::CStr, into: &mut [u8]) -> io::Result<usize> {
    let mut len = into.len();
    // SAFETY: the name ends in NUL, the buffer is ours for the whole call and `len` is its size.
    let answer = unsafe {
        libc::sysctlbyname(name.as_ptr(), into.as_mut_ptr().cast(), &raw mut len, std::ptr::null_mut(), 0)
    };
    if answer == 0 { Ok(len) } else { Err(io::Error::last_os_error()) }
}

/// Parses the sixteen bytes of a UUID; dashes, white space and a final NUL are ignored.
#[cfg(any(target_os = "linux", target_os = "macos", test))]
pub(super) fn parse(text: &[u8]) -> io::Result<BootId> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "the machine's boot id is not a UUID");
    let mut value: u128 = 0;
    let mut digits = 0;
    for byte in text.iter().filter(|byte| !matches!(byte, b'-' | b'\n' | b' ' | 0)) {
        let digit = char::from(*byte).to_digit(16).ok_or_else(wrong)?;
        value = value << 4 | u128::from(digit);
        digits += 1;
    }
    if digits == 32 { Ok(BootId(value.to_be_bytes())) } else { Err(wrong()) }
}
