//! Access to the system: folders, files of the user, environment, clock and waiting. Never opens a file of the
//! workspace for writing.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the only module of the client that accesses the system"
)]

pub mod new_file;
pub mod process;

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use editd_proto::plain_path::plain;

/// Returns the current folder with links resolved.
///
/// # Errors
/// The folder was removed or may not be searched.
pub fn current_folder() -> io::Result<PathBuf> {
    canonical(&std::env::current_dir()?)
}

/// Returns a path with all links resolved.
///
/// # Errors
/// A part of the path is missing or may not be searched.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path).map(plain)
}

/// Returns true if the path exists, even as a dangling link.
pub fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

/// Returns true if the path is a folder or a link to one.
pub fn is_folder(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_dir())
}

/// Returns true if the path is a file or a link to one.
pub fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// Returns true if the path is a file that its owner may execute, or a link to one.
#[cfg(unix)]
pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o100 != 0)
}

/// Returns false: files have no mode here.
#[cfg(not(unix))]
pub fn is_executable(_: &Path) -> bool {
    false
}

/// Returns the owner of a path if that is neither this user nor root. A link is not followed.
#[cfg(unix)]
pub fn foreign_owner(path: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let owner = std::fs::symlink_metadata(path).ok()?.uid();
    (owner != 0 && owner != rustix::process::geteuid().as_raw()).then_some(owner)
}

/// Returns `None`: owners have no numbers here.
#[cfg(not(unix))]
pub fn foreign_owner(_: &Path) -> Option<u32> {
    None
}

/// Returns true if a socket belongs to this user and nobody else could have replaced it in its folder.
#[cfg(unix)]
pub fn is_own_socket(path: &Path, user: u32) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let Ok(socket) = std::fs::symlink_metadata(path) else { return false };
    let Some(Ok(folder)) = path.parent().map(std::fs::metadata) else { return false };
    let (open, sticky) = (folder.mode() & 0o022 != 0, folder.mode() & 0o1000 != 0);
    socket.file_type().is_socket() && socket.uid() == user && (!open || sticky)
}

/// Returns up to `limit` bytes of a file that another process has locked, or `None` if it is missing or not locked.
pub fn held(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let file = std::fs::File::open(path).ok()?;
    // The lock is shared, so that other readers are not mistaken for the owner. It is released at once.
    match file.try_lock_shared() {
        Err(std::fs::TryLockError::WouldBlock) => {}
        Ok(()) | Err(std::fs::TryLockError::Error(_)) => return None,
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the first line of a small regular file, or `None` if there is none.
pub fn first_line(path: &Path, limit: usize) -> Option<String> {
    let found = std::fs::symlink_metadata(path).ok().filter(|found| found.is_file())?;
    if usize::try_from(found.len()).ok()? > limit {
        return None;
    }
    let text = String::from_utf8(read_whole(Some(path), limit).ok()?).ok()?;
    text.lines().next().filter(|line| !line.is_empty()).map(str::to_owned)
}

/// Returns an environment variable that is set and not empty.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the path of the running program.
pub fn own_program() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

/// Reads a file of the user, or standard input if `path` is `None`, up to `limit` bytes.
///
/// # Errors
/// `FileTooLarge` if there are more bytes, otherwise the error of the system.
pub fn read_whole(path: Option<&Path>, limit: usize) -> io::Result<Vec<u8>> {
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    match path {
        Some(path) => std::fs::File::open(path)?.take(most).read_to_end(&mut bytes)?,
        None => io::stdin().lock().take(most).read_to_end(&mut bytes)?,
    };
    if bytes.len() > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {limit} bytes")));
    }
    Ok(bytes)
}

/// Returns the time in milliseconds since 1970 UTC.
pub fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the time in nanoseconds since 1970 UTC.
pub fn now_ns() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos()
}

/// Returns the monotonic time.
pub fn tick() -> Instant {
    Instant::now()
}

/// Waits for events without a notification, such as a daemon that starts to listen.
pub fn pause(time: Duration) {
    std::thread::sleep(time);
}
