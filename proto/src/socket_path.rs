//! The path of a workspace's socket, computed from the environment. Touches no file; the daemon checks that the folder
//! is private when it listens.
//!
//! Clients in other languages can use the same rule: take the absolute path of the workspace with links resolved, as
//! bytes, and compute its SHA-256. The first 16 hexadecimal digits (lowercase) are the *tag*. The socket is
//! `$XDG_RUNTIME_DIR/editd/<tag>.sock` if that variable is an absolute path, else `/tmp/editd-<uid>/<tag>.sock`. On
//! Windows it is the pipe `\\.\pipe\editd-<sid>-<tag>`, with the security identifier of the user, and the tag of the path in
//! UTF-8, without the prefix `\\?\`.
//!
//! The hash is SHA-256 since most languages have it in their standard library. With a weaker hash, a folder name could
//! be made to collide with another workspace.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// A stopping daemon writes this word, followed by its process id, into the lock file beside its socket. It holds the
/// lock until everything is settled, and clients that find the word wait for that.
pub const LEAVING: &str = "leaving ";

/// Maximum length of a socket path in bytes: the size of `sun_path` without the final NUL.
pub const SOCKET_PATH: usize = if cfg!(any(target_os = "linux", target_os = "android")) { 107 } else { 103 };

/// The exit status of a daemon that does not start since another one serves the workspace (`EX_TEMPFAIL`). The client
/// that started it then waits for the other daemon.
pub const OCCUPIED: u8 = 75;

/// The parts of the environment that determine the folder of the sockets.
#[derive(Clone, Copy, Debug)]
pub struct SocketEnvironment<'a> {
    /// `XDG_RUNTIME_DIR`.
    pub runtime_dir: Option<&'a OsStr>,
    /// The effective user id.
    pub uid: u32,
}

/// The error for a socket path that is longer than the system allows.
#[derive(Clone, PartialEq, Eq, thiserror::Error, Debug)]
#[error(
    "the socket path {} has {} bytes and the system takes {SOCKET_PATH}: set XDG_RUNTIME_DIR to a shorter \
     folder, or choose a path with --socket", .0.display(), .0.as_os_str().len()
)]
pub struct SocketPathTooLong(pub PathBuf);

/// Returns the 16 hexadecimal digits that identify a workspace, given its absolute path with links resolved.
pub fn tag(workspace: &Path) -> String {
    let digest = Sha256::digest(workspace.as_os_str().as_encoded_bytes());
    digest.iter().take(8).fold(String::with_capacity(16), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Returns the folder of a user's sockets. It must belong to the user and be private (0700).
pub fn socket_folder(around: &SocketEnvironment<'_>) -> PathBuf {
    match around.runtime_dir.map(Path::new).filter(|dir| dir.is_absolute()) {
        Some(dir) => dir.join("editd"),
        None => PathBuf::from(format!("/tmp/editd-{}", around.uid)),
    }
}

/// Returns the socket of a workspace, given its absolute path with links resolved.
///
/// # Errors
/// The path is longer than [`SOCKET_PATH`].
pub fn socket(around: &SocketEnvironment<'_>, workspace: &Path) -> Result<PathBuf, SocketPathTooLong> {
    check_length(socket_folder(around).join(format!("{}.sock", tag(workspace))))
}

/// Returns the path if it is short enough for a socket.
///
/// # Errors
/// The path is longer than [`SOCKET_PATH`].
pub fn check_length(path: PathBuf) -> Result<PathBuf, SocketPathTooLong> {
    if path.as_os_str().len() > SOCKET_PATH { Err(SocketPathTooLong(path)) } else { Ok(path) }
}

/// Returns the lock file of a socket. A daemon holds its lock from before it listens until it has stopped.
pub fn lock(socket: &Path) -> PathBuf {
    let mut path = socket.as_os_str().to_owned();
    path.push(".lock");
    PathBuf::from(path)
}

/// Returns the named pipe of a workspace on Windows, given the security identifier of the user (`S-1-5-21-…`) and the
/// absolute path with links resolved and without the prefix `\\?\`.
pub fn pipe(user: &str, workspace: &Path) -> String {
    format!(r"\\.\pipe\editd-{user}-{}", tag(workspace))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn around(dir: Option<&str>) -> SocketEnvironment<'_> {
        SocketEnvironment { runtime_dir: dir.map(OsStr::new), uid: 1000 }
    }

    #[test]
    fn the_tag_is_the_head_of_sha_256() {
        // printf %s /home/me/project | sha256sum
        assert_eq!(tag(Path::new("/home/me/project")), "225df3094012a213");
        assert_eq!(tag(Path::new("")), "e3b0c44298fc1c14");
    }

    #[test]
    fn the_runtime_folder_decides_and_tmp_stands_in() {
        let project = Path::new("/home/me/project");
        let name = format!("{}.sock", tag(project));
        let path = |dir| socket(&around(dir), project).unwrap();
        assert_eq!(path(Some("/run/user/1000")), Path::new("/run/user/1000/editd").join(&name));
        assert_eq!(path(None), Path::new("/tmp/editd-1000").join(&name));
        assert_eq!(path(Some("")), Path::new("/tmp/editd-1000").join(&name));
        assert_eq!(path(Some("relative")), Path::new("/tmp/editd-1000").join(&name));
    }

    #[test]
    fn a_pipe_has_the_user_in_its_name() {
        let path = pipe("S-1-5-21-1-2-3-1001", Path::new(r"C:\Users\me\project"));
        // printf '%s' 'C:\Users\me\project' | sha256sum
        assert_eq!(path, r"\\.\pipe\editd-S-1-5-21-1-2-3-1001-4f84c462a1ce40f5");
    }

    #[test]
    fn a_path_that_is_too_long_is_named() {
        let long = format!("/{}", "x".repeat(SOCKET_PATH));
        let refused = socket(&around(Some(&long)), Path::new("/w")).unwrap_err();
        assert!(refused.to_string().contains(&long));
        let exact = PathBuf::from(format!("/{}", "x".repeat(SOCKET_PATH - 1)));
        assert_eq!(check_length(exact.clone()), Ok(exact));
    }
}
