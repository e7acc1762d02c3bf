//! The exclusive right to a socket path, by a lock beside it. An abandoned socket is removed only under that lock,
//! never by guessing whether a process lives.

#![expect(clippy::disallowed_methods, reason = "ipc is the module that makes the socket and its folder")]

use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use editd_proto::socket_path;
use interprocess::local_socket::{
    GenericFilePath, Listener, ListenerNonblockingMode, ListenerOptions, ToFsName,
};
#[cfg(target_os = "linux")]
use interprocess::os::unix::local_socket::ListenerOptionsExt;
use tokio::net::UnixListener;

use super::{ListenError, SocketName};
use crate::limits;

/// The exclusive right to listen at a path, until this is dropped.
#[derive(Debug)]
#[expect(clippy::disallowed_types, reason = "the lock is the socket's, not the workspace's")]
pub struct SocketClaim {
    path: PathBuf,
    // Closing it releases the lock. The file stays: removing it would let two daemons lock two files.
    lock: std::fs::File,
}

/// Makes sure that a folder exists, belongs to the user and is closed to others.
///
/// # Errors
/// The folder cannot be created, is a link, belongs to another user, or is open to others.
pub fn own_folder(folder: &Path) -> Result<(), ListenError> {
    #[expect(clippy::disallowed_types, reason = "the folder is the socket's, not the workspace's")]
    let made = std::fs::DirBuilder::new().mode(0o700).create(folder);
    match made {
        Err(why) if why.kind() == ErrorKind::NotFound => {
            return Err(ListenError::Unfit(format!(
                "{} cannot be created, since its parent folder does not exist; create that, or set \
                 XDG_RUNTIME_DIR to a folder of your own",
                folder.display()
            )));
        }
        Err(why) if why.kind() != ErrorKind::AlreadyExists => {
            return Err(ListenError::Io { what: "make the folder", path: folder.to_owned(), why });
        }
        _ => {}
    }
    let meta = look("look at the folder", folder)?;
    let whole = meta.mode() & 0o7777;
    let shown = folder.display();
    if !meta.is_dir() {
        Err(ListenError::Unfit(format!("{shown} is not a folder; move it away")))
    } else if meta.uid() != rustix::process::geteuid().as_raw() {
        Err(ListenError::Unfit(format!(
            "the folder {shown} belongs to user {}; set XDG_RUNTIME_DIR to a folder of your own",
            meta.uid()
        )))
    } else if whole & 0o077 != 0 {
        Err(ListenError::Unfit(format!(
            "the folder {shown} is open to others (mode {whole:o}); check its contents, then `chmod 700` it"
        )))
    } else {
        Ok(())
    }
}

/// Refuses a folder in which other users could replace a socket.
fn fit_folder(folder: &Path) -> Result<(), ListenError> {
    let whole = look("look at the folder", folder)?.mode() & 0o7777;
    if whole & 0o022 != 0 && whole & 0o1000 == 0 {
        return Err(ListenError::Unfit(format!(
            "other users could replace the socket in {} (mode {whole:o}); choose a folder of your own",
            folder.display()
        )));
    }
    Ok(())
}

fn look(what: &'static str, path: &Path) -> Result<std::fs::Metadata, ListenError> {
    std::fs::symlink_metadata(path).map_err(|why| ListenError::Io { what, path: path.to_owned(), why })
}

/// Claims a path. If another daemon is just stopping or starting there, waits until it is done.
///
/// # Errors
/// [`ListenError::Served`] if a daemon listens there, or holds the lock for more than [`limits::CLAIM_MS`].
pub async fn claim(path: &Path) -> Result<SocketClaim, ListenError> {
    let io = |what, why| ListenError::Io { what, path: path.to_owned(), why };
    let folder = path.parent().unwrap_or(Path::new("/"));
    // A link as the folder's own name is followed here and checked below.
    fit_folder(&folder.canonicalize().map_err(|why| io("find the folder of", why))?)?;
    #[expect(clippy::disallowed_types, reason = "the lock is the socket's, not the workspace's")]
    let lock = std::fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.union(rustix::fs::OFlags::NONBLOCK).bits().cast_signed())
        .open(socket_path::lock(path))
        .map_err(|why| io("open the lock of", why))?;
    for _ in 0..limits::CLAIM_MS / CLAIM_STEP_MS {
        match lock.try_lock() {
            Ok(()) => {
                // The text of an earlier daemon.
                lock.set_len(0).map_err(|why| io("empty the lock of", why))?;
                return Ok(SocketClaim { path: path.to_owned(), lock });
            }
            Err(std::fs::TryLockError::WouldBlock) if answers(path) => break,
            // The other daemon is starting or stopping.
            Err(std::fs::TryLockError::WouldBlock) => {
                tokio::time::sleep(Duration::from_millis(CLAIM_STEP_MS)).await;
            }
            Err(std::fs::TryLockError::Error(why)) => return Err(io("lock", why)),
        }
    }
    Err(ListenError::Served(path.to_owned()))
}

/// The interval at which a held lock is tried again, in milliseconds.
const CLAIM_STEP_MS: u64 = 20;

fn answers(path: &Path) -> bool {
    std::os::unix::net::UnixStream::connect(path).is_ok()
}

impl SocketClaim {
    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes an abandoned socket and listens in its place. At no moment can another user connect.
    pub(super) fn bind(&self) -> Result<(UnixListener, SocketName), ListenError> {
        let io = |what, why| ListenError::Io { what, path: self.path.clone(), why };
        match std::fs::symlink_metadata(&self.path) {
            Err(why) if why.kind() == ErrorKind::NotFound => {}
            Err(why) => return Err(io("look at", why)),
            Ok(meta) if !meta.file_type().is_socket() => {
                let message = format!("{} exists and is not a socket; move it away", self.path.display());
                return Err(ListenError::Unfit(message));
            }
            // Something listens without holding the lock; it is left alone.
            Ok(_) if answers(&self.path) => return Err(ListenError::Served(self.path.clone())),
            Ok(_) => std::fs::remove_file(&self.path).map_err(|why| io("remove the abandoned", why))?,
        }
        let bound = SocketName::bind(&self.path, || self.bound());
        let (listener, name) = bound.map_err(|why| io("listen on", why))?;
        // Not every system takes the mode from the socket.
        std::fs::set_permissions(&self.path, std::fs::Permissions::from_mode(0o600))
            .map_err(|why| io("make private", why))?;
        let listener = UnixListener::from_std(listener).map_err(|why| io("listen on", why))?;
        Ok((listener, name))
    }

    fn bound(&self) -> io::Result<std::os::unix::net::UnixListener> {
        let name = self.path.as_path().to_fs_name::<GenericFilePath>()?;
        let options = ListenerOptions::new().name(name).nonblocking(ListenerNonblockingMode::Both);
        // If the system can, the name gets the mode together with the socket, so that it is never open to others;
        // otherwise the folder protects it.
        #[cfg(target_os = "linux")]
        let options = options.mode(0o600);
        match options.create_sync()? {
            Listener::UdSocket(listener) => Ok(listener.into()),
        }
    }

    /// Records in the lock that this daemon is stopping.
    pub(super) fn leave(&self) {
        let word = format!("{}{}\n", socket_path::LEAVING, std::process::id());
        if let Err(why) = (&self.lock).write_all(word.as_bytes()) {
            tracing::warn!(%why, "the lock beside the socket cannot be written");
        }
    }
}
