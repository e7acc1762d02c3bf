//! Where a workspace's socket is: pure functions from what the environment says to a path. They never
//! touch a file; whether the folder is private, the daemon checks when it listens.
//!
//! The rule, so that a client in another language can follow it: take the workspace's absolute path with
//! links resolved, as bytes; its SHA-256; the first 16 hexadecimal digits (lower case) are the *tag*. The
//! socket is `$XDG_RUNTIME_DIR/editd/<tag>.sock` where that variable holds an absolute path, else
//! `/tmp/editd-<uid>/<tag>.sock`. On Windows it is the pipe `\\.\pipe\editd-<tag>`, of the path's UTF-8.
//!
//! SHA-256, since every language has it in its standard library; not a shorter hash, since a folder's name
//! could be made to collide with another workspace.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// What a daemon that leaves writes into the lock beside its socket, with the number of its process behind it. It holds
/// the lock until all is settled; whoever finds this there waits for that.
pub const LEAVING: &str = "leaving ";

/// The longest socket path that the system takes, bytes: `sun_path` without its final NUL.
pub const SOCKET_PATH: usize = if cfg!(any(target_os = "linux", target_os = "android")) { 107 } else { 103 };

/// The exit status of a daemon that leaves because another serves the workspace (`EX_TEMPFAIL`): who
/// started it then waits for the other instead of giving up.
pub const OCCUPIED: u8 = 75;

/// What of the environment decides where sockets are.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// `XDG_RUNTIME_DIR`.
    pub runtime_dir: Option<&'a OsStr>,
    /// The effective user id.
    pub uid: u32,
}

/// The path is longer than the system takes.
#[derive(Clone, PartialEq, Eq, thiserror::Error, Debug)]
#[error(
    "the socket path {} has {} bytes and the system takes {SOCKET_PATH}: set XDG_RUNTIME_DIR to a shorter \
     folder, or choose a path with --socket", .0.display(), .0.as_os_str().len()
)]
pub struct TooLong(pub PathBuf);

/// The 16 hexadecimal digits that stand for a workspace: of its absolute path, links resolved.
pub fn tag(workspace: &Path) -> String {
    let digest = Sha256::digest(workspace.as_os_str().as_encoded_bytes());
    digest.iter().take(8).fold(String::with_capacity(16), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// The folder of a user's sockets. It must be the user's own and private (0700).
pub fn socket_folder(around: &Surroundings<'_>) -> PathBuf {
    match around.runtime_dir.map(Path::new).filter(|dir| dir.is_absolute()) {
        Some(dir) => dir.join("editd"),
        None => PathBuf::from(format!("/tmp/editd-{}", around.uid)),
    }
}

/// The socket of a workspace (its absolute path, links resolved).
///
/// # Errors
/// The path is longer than [`SOCKET_PATH`].
pub fn socket(around: &Surroundings<'_>, workspace: &Path) -> Result<PathBuf, TooLong> {
    check_length(socket_folder(around).join(format!("{}.sock", tag(workspace))))
}

/// The same path, if the system takes its length.
///
/// # Errors
/// The path is longer than [`SOCKET_PATH`].
pub fn check_length(path: PathBuf) -> Result<PathBuf, TooLong> {
    if path.as_os_str().len() > SOCKET_PATH { Err(TooLong(path)) } else { Ok(path) }
}

/// The file that a daemon holds locked for as long as a socket is its own: also before it listens and once it leaves.
pub fn lock(socket: &Path) -> PathBuf {
    let mut path = socket.as_os_str().to_owned();
    path.push(".lock");
    PathBuf::from(path)
}

/// The named pipe of a workspace on Windows.
pub fn pipe(workspace: &Path) -> String {
    format!(r"\\.\pipe\editd-{}", tag(workspace))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn around(dir: Option<&str>) -> Surroundings<'_> {
        Surroundings { runtime_dir: dir.map(OsStr::new), uid: 1000 }
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
    fn a_path_that_is_too_long_is_named() {
        let long = format!("/{}", "x".repeat(SOCKET_PATH));
        let refused = socket(&around(Some(&long)), Path::new("/w")).unwrap_err();
        assert!(refused.to_string().contains(&long));
        let exact = PathBuf::from(format!("/{}", "x".repeat(SOCKET_PATH - 1)));
        assert_eq!(check_length(exact.clone()), Ok(exact));
    }
}
