//! The interface to the operating system's files: the smallest set of system calls, below everything that must be
//! proven. Mainly `disk` and `store` use it, and `trust` and `watch`; it decides nothing.
//!
//! *Calling sequence*: open a folder by its absolute path once ([`Os::open_dir`]); open everything else by name from
//! an open folder, never following a link. A name is one path component as bytes.
//!
//! *Invariants*: no call follows a symbolic link in its last component. A call that returned `Ok` is visible to every
//! process; it is durable only after the `sync` that covers it.

use std::any::Any;
use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

mod descriptors;
mod lock_wait;
mod memory;
mod priority;
#[cfg(unix)]
pub mod unix;
#[cfg(windows)]
pub mod windows;
#[cfg(any(windows, test))]
pub mod windows_layout;
#[cfg(any(windows, test))]
pub mod windows_names;

#[cfg(unix)]
pub use descriptors::raise_descriptors;
pub use descriptors::{descriptor_limit, open_descriptors};
pub use lock_wait::{LOCK_WAIT, while_locked};
pub use memory::{give_back, zeros};
pub use priority::low_priority;

/// An open folder.
pub type Dir = Arc<dyn OsDir>;
/// An open file.
pub type File = Arc<dyn OsFile>;

/// The run of the machine, or of one mount in it: unflushed bytes are lost between two runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BootId(pub [u8; 16]);

impl BootId {
    /// Returns the run of a file system, from this run of the machine and the number of the mount: if a mount went
    /// away while the machine ran, as with a disk that was pulled out, its unflushed bytes are lost, too. Without a
    /// number, returns the machine's run.
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

/// The kind of a directory entry.
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

/// The identity of a file, independent of its name. It is equal only for the same file, also after its number was
/// reused, if the file system has birth times.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct FileIdentity {
    /// The file system's device number.
    pub dev: u64,
    /// The file's inode number.
    pub ino: u64,
    /// The birth time in nanoseconds since 1970; 0 if the file system has none.
    pub born: i64,
}

/// The metadata of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stat {
    /// The kind.
    pub kind: FileKind,
    /// The identity.
    pub identity: FileIdentity,
    /// Bytes.
    pub size: u64,
    /// Permission bits, with set-id and sticky bits (0o7777).
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// The number of its names.
    pub links: u64,
    /// Last change of content, nanoseconds since 1970.
    pub modified: i64,
    /// Last change of content or metadata, nanoseconds since 1970.
    pub changed: i64,
}

/// An extended attribute of a file. Access control lists are such attributes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExtendedAttribute {
    /// The name, such as `user.comment`.
    #[serde(with = "serde_bytes")]
    pub name: Vec<u8>,
    /// The value; `None` if it may not be read, or if it is larger than the reader allowed.
    #[serde(with = "serde_bytes")]
    pub value: Option<Vec<u8>>,
}

/// An extended attribute that a file did not get.
#[derive(Debug)]
pub struct UnsetAttribute {
    /// The name.
    pub name: Vec<u8>,
    /// The reason.
    pub reason: UnsetReason,
}

/// The reason why a file did not get an extended attribute.
#[derive(Debug)]
pub enum UnsetReason {
    /// Its value is not known.
    Unknown,
    /// It gives rights to, or signs, the file that it was made for; the system drops it on a write, too.
    Bound,
    /// The system refused it.
    Refused(io::Error),
}

/// The access with which a file is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// To read.
    Read,
    /// To read and write in place.
    Write,
}

/// The result of asking for a read lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaseState {
    /// No process has the file open for writing; the lease is held until [`OsFile::release_lease`].
    Held,
    /// A process, perhaps this one, has it open for writing.
    Writer,
    /// This system or file system has no leases.
    Unsupported,
}

/// One name in a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DirEntry {
    /// The name.
    pub name: Vec<u8>,
    /// Its kind, if the listing has it; otherwise use [`OsDir::stat`].
    pub kind: Option<FileKind>,
}

/// The operating system.
pub trait Os: Send + Sync {
    /// Opens a folder by its absolute path, following links.
    fn open_dir(&self, path: &Path) -> io::Result<Dir>;
    /// Returns the metadata of a folder by its absolute path, following links.
    fn stat_dir(&self, path: &Path) -> io::Result<Stat> {
        self.open_dir(path)?.stat_self()
    }
    /// Returns the metadata of the file `name` in the folder with this absolute path, following links in the folder's
    /// path alone.
    fn stat_in(&self, folder: &Path, name: &[u8]) -> io::Result<Stat> {
        self.open_dir(folder)?.stat(name)
    }
    /// Returns the run of the machine.
    fn boot_id(&self) -> io::Result<BootId>;
    /// Returns the start of this run of the machine in nanoseconds since 1970, by the clock as it is set now. The
    /// result is never before the start, but may be up to a second after it.
    fn began(&self) -> io::Result<i64>;
    /// Exchanges two names in one step. `Unsupported` if the file system cannot, or if a folder would come to lie in
    /// itself.
    fn exchange(&self, a: &Dir, a_name: &[u8], b: &Dir, b_name: &[u8]) -> io::Result<()>;
    /// Moves a name in one step; `AlreadyExists` if the target exists. `Unsupported` as for [`Os::exchange`].
    fn rename_noreplace(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()>;
    /// Moves a name over any target, in one step.
    fn rename(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()>;
    /// Gives a file a second name.
    fn link(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()>;
    /// Returns the user as which this process opens files; `None` if the system has no numbers for users, so that
    /// owners and modes tell nothing.
    fn user(&self) -> Option<u32> {
        None
    }
}

/// An open folder. It stays the same folder when it is renamed.
pub trait OsDir: Send + Sync {
    /// Returns the metadata of a name; a link is not followed.
    fn stat(&self, name: &[u8]) -> io::Result<Stat>;
    /// Returns the metadata of the folder.
    fn stat_self(&self) -> io::Result<Stat>;
    /// Returns the mount of the folder, as a number that no other mount gets before the machine restarts; `None` if
    /// the system does not tell.
    fn mount(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }
    /// Returns the name that the file or folder `name` has itself, where the system also finds it under others, such as
    /// one with other case; `None` if the system finds a file under its own names alone.
    fn own_name(&self, _name: &[u8]) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }
    /// Opens a folder in it; fails on a link.
    fn open_dir(&self, name: &[u8]) -> io::Result<Dir>;
    /// The same, without the permission to list or flush it where the system can: it only leads to what is below it.
    fn open_passage(&self, name: &[u8]) -> io::Result<Dir> {
        self.open_dir(name)
    }
    /// Opens a folder below it, with its metadata, through real folders of the same mount. `Unsupported` if that needs
    /// several calls; other errors may also mean that a link or another mount is on the way.
    fn open_below(&self, _names: &[Vec<u8>]) -> io::Result<(Dir, Stat)> {
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Opens a regular file in it without blocking; fails on a link (see [`is_link`]), and on a folder, FIFO, socket
    /// or device (`InvalidInput`). `WouldBlock` if another process has a lease.
    fn open_file(&self, name: &[u8], access: Access) -> io::Result<File>;
    /// The same, with the metadata of the opened file.
    fn open_with_stat(&self, name: &[u8], access: Access) -> io::Result<(File, Stat)> {
        let file = self.open_file(name, access)?;
        let stat = file.stat()?;
        Ok((file, stat))
    }
    /// Appends bytes to the file of this identity, behind what other programs append at the same time, and makes them durable.
    /// Returns false if the name has another file by now. `Unsupported` if the system cannot do this.
    fn append(&self, _name: &[u8], _to: FileIdentity, _bytes: &[u8]) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Returns true if this process may write a file in it, without opening it, so that watchers see nothing.
    fn may_write(&self, name: &[u8]) -> io::Result<bool> {
        match self.open_file(name, Access::Write) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(false),
            Err(error) => Err(error),
        }
    }
    /// Checks that a file can be moved, replaced and removed: `WouldBlock` if another program has it open in a way that
    /// forbids that. Windows alone lets programs do so.
    #[cfg(windows)]
    fn check_movable(&self, _name: &[u8]) -> io::Result<()> {
        Ok(())
    }
    /// Creates a file, open for reading and writing; `AlreadyExists` if the name is taken. Its mode is reduced by the
    /// process's mask, unlike that of [`OsFile::set_mode`].
    fn create_file(&self, name: &[u8], mode: u32) -> io::Result<File>;
    /// Creates a folder. Its mode is not reduced by the process's mask.
    fn create_dir(&self, name: &[u8], mode: u32) -> io::Result<()>;
    /// Removes the name of a file.
    fn remove_file(&self, name: &[u8]) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_dir(&self, name: &[u8]) -> io::Result<()>;
    /// Returns the target of a link.
    fn read_link(&self, name: &[u8]) -> io::Result<Vec<u8>>;
    /// Returns all names in it, without `.` and `..`.
    fn list(&self) -> io::Result<Vec<DirEntry>>;
    /// Sets the permission bits of the folder, where the system has such bits.
    fn set_mode(&self, _mode: u32) -> io::Result<()> {
        Ok(())
    }
    /// Makes its names durable.
    fn sync(&self) -> io::Result<()>;
    /// Used by the implementation that made it.
    fn as_any(&self) -> &dyn Any;
}

/// An open file. It stays the same file when it is renamed or unlinked.
pub trait OsFile: Send + Sync {
    /// Returns the metadata.
    fn stat(&self) -> io::Result<Stat>;
    /// Reads up to `buf.len()` bytes at an offset; 0 at the end.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Reads from an offset until the buffer is full or the file ends. Returns the number of bytes that were read, and
    /// true if the file has more.
    fn fill(&self, buf: &mut [u8], offset: u64) -> io::Result<(usize, bool)> {
        let mut filled = 0;
        while let Some(room) = buf.get_mut(filled..).filter(|room| !room.is_empty()) {
            match self.read_at(room, offset.saturating_add(filled as u64))? {
                0 => return Ok((filled, false)),
                n => filled += n,
            }
        }
        let more = self.read_at(&mut [0], offset.saturating_add(filled as u64))? > 0;
        Ok((filled, more))
    }
    /// Writes all bytes at an offset.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Truncates or lengthens it.
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
    /// Returns the extended attributes. Names and values together have at most `most` bytes: attributes above that
    /// have no value.
    fn attributes(&self, _most: usize) -> io::Result<Vec<ExtendedAttribute>> {
        Ok(Vec::new())
    }
    /// Gives the file exactly these extended attributes, as far as permitted. Returns those that it did not get.
    fn set_attributes(&self, wanted: &[ExtendedAttribute]) -> io::Result<Vec<UnsetAttribute>> {
        let refused = || UnsetReason::Refused(io::ErrorKind::Unsupported.into());
        Ok(wanted.iter().map(|one| UnsetAttribute { name: one.name.clone(), reason: refused() }).collect())
    }
    /// Asks for a read lease, which tells whether a process has the file open for writing. Only for a file opened
    /// with [`Access::Read`]; otherwise `InvalidInput`.
    fn lease(&self) -> io::Result<LeaseState>;
    /// Returns true while a `Held` lease is intact; false once a process tried to open the file for writing.
    fn lease_intact(&self) -> io::Result<bool>;
    /// Releases the lease.
    fn release_lease(&self) -> io::Result<()>;
    /// Takes the advisory exclusive lock; `false` if another process has it. Held until it is closed.
    fn try_lock(&self) -> io::Result<bool>;
    /// Returns the process that has the lock; `None` if that cannot be told.
    fn lock_holder(&self) -> Option<LockHolder> {
        None
    }
    /// Used by the implementation that made it.
    fn as_any(&self) -> &dyn Any;
}

/// A process that has locked a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockHolder {
    /// Its number.
    pub process: u32,
    /// The name of its program.
    pub program: String,
}

/// Returns true if a call failed because the name is a symbolic link.
pub fn is_link(error: &io::Error) -> bool {
    #[cfg(unix)]
    let links = rustix::io::Errno::LOOP.raw_os_error();
    #[cfg(windows)]
    let links = windows::CANT_RESOLVE_FILENAME;
    error.raw_os_error() == Some(links)
}

/// Reads a whole file, at most `limit` bytes and one more (so that the caller can detect a longer one).
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
