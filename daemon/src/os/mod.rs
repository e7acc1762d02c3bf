//! The one seam to the operating system's files: the smallest set of system calls, below everything that
//! must be proven. `disk` and `store` are its only users; it decides nothing.
//!
//! *Calling sequence*: open a folder by its absolute path once ([`Os::open_dir`]); reach everything else
//! by name from an open folder, never following a link. A name is one path component as bytes.
//!
//! *Invariants*: no call follows a symbolic link in its last component. A call that returned `Ok` has
//! happened in the view of every process; it is durable only after the `sync` that covers it.

use std::any::Any;
use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

mod memory;
#[cfg(unix)]
pub mod unix;
#[cfg(windows)]
pub mod windows;

use memory::zeros;
pub use memory::{give_back, keep_little};

/// An open folder.
pub type Dir = Arc<dyn OsDir>;
/// An open file.
pub type File = Arc<dyn OsFile>;

/// Which run of the machine this is, or of one mount in it: what was not flushed is lost between two of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BootId(pub [u8; 16]);

impl BootId {
    /// Which run of a file system, by its mount: one that went while the machine ran, such as that of a disk that was
    /// pulled out, has lost what was not flushed, too. Where the system does not tell, the machine's run.
    #[must_use]
    pub fn of_mount(self, mount: Option<u64>) -> Self {
        let Some(mount) = mount else { return self };
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0).update(&mount.to_le_bytes());
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        Self(id)
    }
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symbolic link.
    Link,
    /// A FIFO, socket or device.
    Other,
}

/// Which file it is, beyond its name: equal only for the same file, also after its number was reused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The file system.
    pub dev: u64,
    /// The file's number on it.
    pub ino: u64,
    /// Birth time, nanoseconds since 1970; 0 where the file system keeps none.
    pub born: i64,
}

/// What the system says of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Which it is.
    pub identity: Identity,
    /// Bytes.
    pub size: u64,
    /// Permission bits, with set-id and sticky bits (0o7777).
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Names that it has.
    pub links: u64,
    /// Last change of content, nanoseconds since 1970.
    pub modified: i64,
    /// Last change of content or metadata, nanoseconds since 1970.
    pub changed: i64,
}

/// How a file is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// To read.
    Read,
    /// To read and write in place.
    Write,
}

/// What a read lease tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lease {
    /// Nobody has the file open for writing; the lease is held until [`OsFile::release_lease`].
    Held,
    /// Somebody, perhaps this process itself, has it open for writing.
    Writer,
    /// This system or file system has no leases.
    Unsupported,
}

/// One name in a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// The name.
    pub name: Vec<u8>,
    /// What it stands for, where the listing tells; else ask [`OsDir::stat`].
    pub kind: Option<FileKind>,
}

/// The machine.
pub trait Os: Send + Sync {
    /// Opens a folder by its absolute path, following links.
    fn open_dir(&self, path: &Path) -> io::Result<Dir>;
    /// Which run of the machine this is.
    fn boot_id(&self) -> io::Result<BootId>;
    /// When this run of the machine began, nanoseconds since 1970: by its clock as it is set now, and not before it was.
    fn began(&self) -> io::Result<i64>;
    /// Exchanges two names in one step. `Unsupported` where the file system cannot, or where a folder would
    /// come to lie in itself.
    fn exchange(&self, a: &Dir, a_name: &[u8], b: &Dir, b_name: &[u8]) -> io::Result<()>;
    /// Moves a name; `AlreadyExists` if the target exists. In one step. `Unsupported` as for
    /// [`Os::exchange`].
    fn rename_noreplace(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()>;
    /// Moves a name over whatever the target is. In one step.
    fn rename(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()>;
    /// Gives a file a second name.
    fn link(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()>;
}

/// An open folder. It stays the same folder when it is renamed.
pub trait OsDir: Send + Sync {
    /// What a name stands for; a link is not followed.
    fn stat(&self, name: &[u8]) -> io::Result<Stat>;
    /// The folder's own.
    fn stat_self(&self) -> io::Result<Stat>;
    /// The mount that it is on, by a number that no other mount has before the machine starts again; `None` where the
    /// system does not tell.
    fn mount(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }
    /// Opens a folder in it; fails on a link.
    fn open_dir(&self, name: &[u8]) -> io::Result<Dir>;
    /// Opens a regular file in it, never blocking; fails on a link (told by [`is_link`]), and on a folder,
    /// FIFO, socket or device (`InvalidInput`). `WouldBlock` where somebody's lease is in the way.
    fn open_file(&self, name: &[u8], access: Access) -> io::Result<File>;
    /// Whether this process may write a file in it, without opening it: others who watch it see nothing.
    fn may_write(&self, name: &[u8]) -> io::Result<bool> {
        match self.open_file(name, Access::Write) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(false),
            Err(error) => Err(error),
        }
    }
    /// Makes a new file, open for reading and writing; `AlreadyExists` if the name is taken. Its mode is
    /// reduced by the process's mask; [`OsFile::set_mode`] is not.
    fn create_file(&self, name: &[u8], mode: u32) -> io::Result<File>;
    /// Makes a new folder. Its mode is not reduced by the process's mask.
    fn create_dir(&self, name: &[u8], mode: u32) -> io::Result<()>;
    /// Takes a file's name away.
    fn remove_file(&self, name: &[u8]) -> io::Result<()>;
    /// Takes an empty folder away.
    fn remove_dir(&self, name: &[u8]) -> io::Result<()>;
    /// What a link says.
    fn read_link(&self, name: &[u8]) -> io::Result<Vec<u8>>;
    /// All names in it, without `.` and `..`.
    fn list(&self) -> io::Result<Vec<Listed>>;
    /// Makes its names durable.
    fn sync(&self) -> io::Result<()>;
    /// For the implementation that made it.
    fn as_any(&self) -> &dyn Any;
}

/// An open file. It stays the same file when it is renamed or unlinked.
pub trait OsFile: Send + Sync {
    /// What the system says of it.
    fn stat(&self) -> io::Result<Stat>;
    /// Reads up to `buf.len()` bytes at an offset; 0 at the end.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes all bytes at an offset.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Cuts or lengthens it.
    fn set_len(&self, len: u64) -> io::Result<()>;
    /// Makes content and length durable (`fdatasync`; `F_FULLFSYNC` on macOS).
    fn sync_data(&self) -> io::Result<()>;
    /// Makes content and metadata durable (`fsync`).
    fn sync_all(&self) -> io::Result<()>;
    /// Sets the permission bits, not reduced by the process's mask.
    fn set_mode(&self, mode: u32) -> io::Result<()>;
    /// Sets owner and group.
    fn set_owner(&self, uid: u32, gid: u32) -> io::Result<()>;
    /// Copies access control lists and extended attributes from another file, as far as permitted.
    fn copy_attributes(&self, from: &dyn OsFile) -> io::Result<()>;
    /// Asks for a read lease: whether anybody has it open for writing. Only for a file opened with
    /// [`Access::Read`]; else `InvalidInput`.
    fn lease(&self) -> io::Result<Lease>;
    /// Whether the lease that was `Held` still is: `false` once somebody tried to open it for writing.
    fn lease_intact(&self) -> io::Result<bool>;
    /// Gives the lease back.
    fn release_lease(&self) -> io::Result<()>;
    /// Takes the advisory exclusive lock; `false` if another process has it. Held until it is closed.
    fn try_lock(&self) -> io::Result<bool>;
    /// For the implementation that made it.
    fn as_any(&self) -> &dyn Any;
}

/// Whether a call failed because the name is a symbolic link.
pub fn is_link(error: &io::Error) -> bool {
    #[cfg(unix)]
    let links = rustix::io::Errno::LOOP.raw_os_error();
    #[cfg(windows)]
    let links = windows::CANT_RESOLVE_FILENAME;
    error.raw_os_error() == Some(links)
}

/// Reads a whole file, at most `limit` bytes and one more (so that a longer one can be told).
pub fn read_all(file: &dyn OsFile, limit: usize) -> io::Result<Vec<u8>> {
    let size = usize::try_from(file.stat()?.size).unwrap_or(usize::MAX).min(limit).saturating_add(1);
    let mut bytes = vec![0; size];
    let mut filled = 0;
    while let Some(room) = bytes.get_mut(filled..) {
        if room.is_empty() {
            if filled > limit {
                break;
            }
            // It grew while it was read.
            bytes.resize(filled.saturating_mul(2).max(4096).min(limit.saturating_add(1)), 0);
            continue;
        }
        match file.read_at(room, filled as u64)? {
            0 => break,
            n => filled += n,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// The same into shared bytes, without a second copy of a file that has the size it says.
pub fn read_shared(file: &dyn OsFile, limit: usize) -> io::Result<Arc<[u8]>> {
    let size = usize::try_from(file.stat()?.size).unwrap_or(usize::MAX);
    if size > limit {
        return read_all(file, limit).map(Arc::from);
    }
    let mut bytes = zeros(size);
    let mut filled = 0;
    let mut grown = false;
    if let Some(into) = Arc::get_mut(&mut bytes) {
        while let Some(room) = into.get_mut(filled..).filter(|room| !room.is_empty()) {
            match file.read_at(room, filled as u64)? {
                0 => break,
                n => filled += n,
            }
        }
        grown = filled == size && file.read_at(&mut [0], size as u64)? > 0;
    }
    if grown {
        return read_all(file, limit).map(Arc::from);
    }
    Ok(if filled == size { bytes } else { bytes.get(..filled).unwrap_or_default().into() })
}
