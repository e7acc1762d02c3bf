//! The interface on Windows, from the standard library and one call of kernel32; it decides nothing and follows no
//! link or other reparse point.
//!
//! *Limitations*: checked by the compiler, not yet run on Windows. There is no exchange, no move of a folder that refuses
//! to replace, no boot id, no lease, no owner, and no copying of access control lists: those calls are
//! `Unsupported`, and a daemon that needs them does not start. Names are UTF-8; only the read-only bit of a
//! mode exists. An open folder keeps itself and the folders it was reached through from being renamed.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "os is the interface to the system's files"
)]

use std::any::Any;
use std::fs::{self, OpenOptions, TryLockError};
use std::io;
use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{
    Access, BootId, Dir, DirEntry, File, FileIdentity, FileKind, LeaseState, Os, OsDir, OsFile, Stat,
};

/// The error for opening a link (`ERROR_CANT_RESOLVE_FILENAME`).
pub(super) const CANT_RESOLVE_FILENAME: i32 = 1921;

const BACKUP_SEMANTICS: u32 = 0x0200_0000;
const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
const REPARSE_POINT: u32 = 0x400;
const READ_ONLY: u32 = 0x1;
const DIRECTORY: u32 = 0x10;
const SHARE_ALL: u32 = 0x7;
/// Other processes may read and write, but not rename or delete.
const SHARE_IN_PLACE: u32 = 0x3;
/// From 1601 to 1970, in units of 100 ns.
const EPOCH: i64 = 116_444_736_000_000_000;

/// The system that this process runs on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Windows;

impl Os for Windows {
    fn open_dir(&self, path: &Path) -> io::Result<Dir> {
        folder(fs::canonicalize(path)?, Vec::new())
    }

    fn boot_id(&self) -> io::Result<BootId> {
        Err(unsupported())
    }

    fn began(&self) -> io::Result<i64> {
        Err(unsupported())
    }

    fn exchange(&self, a: &Dir, a_name: &[u8], b: &Dir, b_name: &[u8]) -> io::Result<()> {
        of(a)?.at(a_name).and(of(b)?.at(b_name)).and(Err(unsupported()))
    }

    fn rename_noreplace(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (from, to) = (of(from)?.at(name)?, of(to)?.at(to_name)?);
        if !fs::symlink_metadata(&from)?.is_file() {
            return Err(unsupported());
        }
        // A hard link refuses to replace; a rename of the standard library does not.
        fs::hard_link(&from, &to)?;
        fs::remove_file(from)
    }

    fn rename(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        fs::rename(of(from)?.at(name)?, of(to)?.at(to_name)?)
    }

    fn link(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        fs::hard_link(of(from)?.at(name)?, of(to)?.at(to_name)?)
    }
}

struct WindowsDir {
    path: PathBuf,
    /// The handle of this folder, after those of the folders it was reached through: open as long as this one, so
    /// that the path stays valid.
    held: Arc<fs::File>,
    above: Vec<Arc<fs::File>>,
}

fn folder(path: PathBuf, above: Vec<Arc<fs::File>>) -> io::Result<Dir> {
    let held = OpenOptions::new()
        .read(true)
        .share_mode(SHARE_IN_PLACE)
        .custom_flags(BACKUP_SEMANTICS | OPEN_REPARSE_POINT)
        .open(&path)?;
    match look(&held)?.kind {
        FileKind::Dir => Ok(Arc::new(WindowsDir { path, held: Arc::new(held), above })),
        FileKind::Link => Err(io::Error::from_raw_os_error(CANT_RESOLVE_FILENAME)),
        FileKind::File | FileKind::Other => Err(io::Error::from(io::ErrorKind::NotADirectory)),
    }
}

fn of(dir: &Dir) -> io::Result<&WindowsDir> {
    dir.as_any().downcast_ref().ok_or_else(|| invalid("the folder belongs to another machine"))
}

fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "not done on Windows yet")
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

impl WindowsDir {
    /// Returns the path of one name in it. Names that Windows reads differently than they are written (streams,
    /// devices, trailing dots and blanks) are refused.
    fn at(&self, name: &[u8]) -> io::Result<PathBuf> {
        let text = std::str::from_utf8(name).map_err(|_| invalid("a name on Windows is UTF-8"))?;
        let bad =
            |c: char| c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
        if text.is_empty() || text.ends_with(['.', ' ']) || text.contains(bad) {
            return Err(invalid("not the name of one file"));
        }
        Ok(self.path.join(text))
    }

    fn open(&self, name: &[u8], access: Access) -> io::Result<fs::File> {
        OpenOptions::new()
            .read(true)
            .write(access == Access::Write)
            .share_mode(SHARE_ALL)
            .custom_flags(OPEN_REPARSE_POINT)
            .open(self.at(name)?)
    }
}

impl OsDir for WindowsDir {
    fn stat(&self, name: &[u8]) -> io::Result<Stat> {
        // Access mode 0: attributes only, which no share mode of another process refuses.
        let flags = BACKUP_SEMANTICS | OPEN_REPARSE_POINT;
        let file = OpenOptions::new()
            .access_mode(0)
            .share_mode(SHARE_ALL)
            .custom_flags(flags)
            .open(self.at(name)?)?;
        look(&file)
    }

    fn stat_self(&self) -> io::Result<Stat> {
        look(&self.held)
    }

    fn open_dir(&self, name: &[u8]) -> io::Result<Dir> {
        let mut above = self.above.clone();
        above.push(Arc::clone(&self.held));
        folder(self.at(name)?, above)
    }

    fn open_file(&self, name: &[u8], access: Access) -> io::Result<File> {
        let file = self.open(name, access)?;
        match look(&file)?.kind {
            FileKind::File => Ok(Arc::new(WindowsFile { file })),
            FileKind::Link => Err(io::Error::from_raw_os_error(CANT_RESOLVE_FILENAME)),
            FileKind::Dir | FileKind::Other => Err(invalid("not a regular file")),
        }
    }

    fn create_file(&self, name: &[u8], mode: u32) -> io::Result<File> {
        let path = self.at(name)?;
        let file =
            OpenOptions::new().read(true).write(true).create_new(true).share_mode(SHARE_ALL).open(path)?;
        let file = WindowsFile { file };
        if mode & 0o200 == 0 {
            file.set_mode(mode)?;
        }
        Ok(Arc::new(file))
    }

    fn create_dir(&self, name: &[u8], _mode: u32) -> io::Result<()> {
        fs::create_dir(self.at(name)?)
    }

    fn remove_file(&self, name: &[u8]) -> io::Result<()> {
        fs::remove_file(self.at(name)?)
    }

    fn remove_dir(&self, name: &[u8]) -> io::Result<()> {
        fs::remove_dir(self.at(name)?)
    }

    fn read_link(&self, name: &[u8]) -> io::Result<Vec<u8>> {
        let target = fs::read_link(self.at(name)?)?;
        Ok(target
            .to_str()
            .ok_or_else(|| invalid("a name on Windows is UTF-8"))?
            .replace('\\', "/")
            .into_bytes())
    }

    fn list(&self) -> io::Result<Vec<DirEntry>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            // A name that is not Unicode has no bytes that could be returned.
            if let Ok(name) = entry?.file_name().into_string() {
                found.push(DirEntry { name: name.into_bytes(), kind: None });
            }
        }
        Ok(found)
    }

    fn sync(&self) -> io::Result<()> {
        // The flush needs a handle with write access.
        OpenOptions::new()
            .write(true)
            .share_mode(SHARE_ALL)
            .custom_flags(BACKUP_SEMANTICS)
            .open(&self.path)?
            .sync_all()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct WindowsFile {
    file: fs::File,
}

impl OsFile for WindowsFile {
    fn stat(&self) -> io::Result<Stat> {
        look(&self.file)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.seek_read(buf, offset)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
            match self.file.seek_write(rest, offset.saturating_add(done as u64)) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero)),
                Ok(written) => done += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn sync_all(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    fn set_mode(&self, mode: u32) -> io::Result<()> {
        let mut permissions = self.file.metadata()?.permissions();
        permissions.set_readonly(mode & 0o200 == 0);
        self.file.set_permissions(permissions)
    }

    fn set_owner(&self, _uid: u32, _gid: u32) -> io::Result<()> {
        Err(unsupported())
    }

    fn copy_attributes(&self, _from: &dyn OsFile) -> io::Result<()> {
        Err(unsupported())
    }

    fn lease(&self) -> io::Result<LeaseState> {
        Ok(LeaseState::Unsupported)
    }

    fn lease_intact(&self) -> io::Result<bool> {
        Ok(false)
    }

    fn release_lease(&self) -> io::Result<()> {
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn look(file: &fs::File) -> io::Result<Stat> {
    let (facts, more) = (file.metadata()?, by_handle::query(file)?);
    let attributes = facts.file_attributes();
    let kind = match () {
        () if attributes & REPARSE_POINT != 0 => FileKind::Link,
        () if attributes & DIRECTORY != 0 => FileKind::Dir,
        () => FileKind::File,
    };
    let nanos = |time: u64| i64::try_from(time).unwrap_or(EPOCH).saturating_sub(EPOCH).saturating_mul(100);
    Ok(Stat {
        kind,
        identity: FileIdentity { dev: more.volume, ino: more.index, born: nanos(facts.creation_time()) },
        size: facts.file_size(),
        mode: if attributes & READ_ONLY == 0 { 0o644 } else { 0o444 },
        uid: 0,
        gid: 0,
        links: more.links,
        modified: nanos(facts.last_write_time()),
        changed: nanos(facts.last_write_time()),
    })
}

/// The identity of a handle's file, which the standard library does not provide in its stable part.
mod by_handle {
    use std::fs::File;
    use std::io;
    use std::os::windows::io::{AsRawHandle, RawHandle};

    pub(super) struct HandleFacts {
        pub(super) volume: u64,
        pub(super) index: u64,
        pub(super) links: u64,
    }

    /// `BY_HANDLE_FILE_INFORMATION`.
    #[repr(C)]
    #[derive(Default)]
    struct HandleInformation {
        attributes: u32,
        times: [u32; 6],
        volume: u32,
        size: [u32; 2],
        links: u32,
        index_high: u32,
        index_low: u32,
    }

    #[expect(unsafe_code, reason = "a call into the system")]
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetFileInformationByHandle(file: RawHandle, into: *mut HandleInformation) -> i32;
    }

    #[expect(unsafe_code, reason = "a call into the system")]
    pub(super) fn query(file: &File) -> io::Result<HandleFacts> {
        let mut found = HandleInformation::default();
        // SAFETY: the handle is open while `file` is borrowed, and `found` has the layout of the structure
        // that the call fills.
        let answer = unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut found) };
        if answer == 0 {
            return Err(io::Error::last_os_error());
        }
        let index = u64::from(found.index_high) << 32 | u64::from(found.index_low);
        Ok(HandleFacts { volume: u64::from(found.volume), index, links: u64::from(found.links) })
    }
}
