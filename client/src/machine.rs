//! What the machine tells the client: folders, files of the caller, the clock, waiting. The one door to
//! each of them; it never opens a file of the workspace for writing.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the client's door to the machine")]

pub mod process;

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The folder in which the caller stands, links resolved.
///
/// # Errors
/// Where it was removed or may not be searched.
pub fn current_folder() -> io::Result<PathBuf> {
    canonical(&std::env::current_dir()?)
}

/// A path with every link resolved.
///
/// # Errors
/// Where something on the way is missing or may not be searched.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path)
}

/// Whether something, if only a dangling link, has this name.
pub fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

/// Whether this is a folder, through links.
pub fn is_folder(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_dir())
}

/// Whether this is a file, through links.
pub fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// Returns true if a socket belongs to this user, in a folder in which nobody else could have exchanged it.
#[cfg(unix)]
pub fn is_own_socket(path: &Path, user: u32) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let Ok(socket) = std::fs::symlink_metadata(path) else { return false };
    let Some(Ok(folder)) = path.parent().map(std::fs::metadata) else { return false };
    let (open, sticky) = (folder.mode() & 0o022 != 0, folder.mode() & 0o1000 != 0);
    socket.file_type().is_socket() && socket.uid() == user && (!open || sticky)
}

/// What a file says that another process holds locked; `None` where it is free or not there. At most `limit` bytes.
pub fn held(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let file = std::fs::File::open(path).ok()?;
    // Shared, so that others who look are not taken for the one that holds it; given back at once.
    match file.try_lock_shared() {
        Err(std::fs::TryLockError::WouldBlock) => {}
        Ok(()) | Err(std::fs::TryLockError::Error(_)) => return None,
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The first line of a small file, which is no link and no device; `None` where there is none.
pub fn first_line(path: &Path, limit: usize) -> Option<String> {
    let found = std::fs::symlink_metadata(path).ok().filter(|found| found.is_file())?;
    if usize::try_from(found.len()).ok()? > limit {
        return None;
    }
    let text = String::from_utf8(read_whole(Some(path), limit).ok()?).ok()?;
    text.lines().next().filter(|line| !line.is_empty()).map(str::to_owned)
}

/// An environment variable that is set and not empty.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The program that runs.
pub fn own_program() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

/// Reads a file of the caller's, or standard input where `path` is `None`, up to `limit` bytes.
///
/// # Errors
/// `FileTooLarge` where there is more, otherwise what the system says.
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

/// Milliseconds since 1970 UTC.
pub fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Nanoseconds since 1970 UTC.
pub fn now_ns() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos()
}

/// A moment from which time is measured.
pub fn tick() -> Instant {
    Instant::now()
}

/// Waits, for something that sends no word when it happens: a daemon that is about to listen.
pub fn pause(time: Duration) {
    std::thread::sleep(time);
}
