//! The interface on Windows, from the standard library and the calls in `calls`; it decides nothing and follows no link
//! or other reparse point.
//!
//! *Limitations*: there is no exchange ([`Os::exchange`] is `Unsupported`). On a volume that cannot replace an open file,
//! such as FAT, [`Os::link`] is `Unsupported`, too, so that a file that is replaced has no name for a moment. Names
//! are UTF-8; only the read-only bit of a mode exists, and owners have no numbers. An open folder keeps itself and the
//! folders it was reached through from being renamed. A file's owner is not copied.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "os is the interface to the system's files"
)]

mod attributes;
mod calls;
mod file;
mod sharing;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS as BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT as OPEN_REPARSE_POINT,
    FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, WRITE_DAC,
};

use super::windows_names::why_misread;
use super::{Access, BootId, Dir, DirEntry, File, FileKind, Os, OsDir, Stat};
use file::{WindowsFile, look, nanoseconds};
use sharing::patiently;

/// The error for opening a link (`ERROR_CANT_RESOLVE_FILENAME`).
pub(super) const CANT_RESOLVE_FILENAME: i32 = 1921;

const SHARE_ALL: u32 = SHARE_IN_PLACE | FILE_SHARE_DELETE;
/// Other processes may read and write, but not rename or delete.
const SHARE_IN_PLACE: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE;
/// The flag of volumes on which an open file can be replaced and removed (`FILE_SUPPORTS_POSIX_UNLINK_RENAME`).
const REPLACES_OPEN_FILES: u32 = 0x400;

/// The system that this process runs on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Windows;

impl Os for Windows {
    fn open_dir(&self, path: &Path) -> io::Result<Dir> {
        folder(fs::canonicalize(path)?, Vec::new())
    }

    fn boot_id(&self) -> io::Result<BootId> {
        // By the clock as it was set then, so that setting it starts no new run.
        let then = calls::machine_start()?.then.to_le_bytes();
        let mut id = *b"windows-started-";
        if let Some(tail) = id.last_chunk_mut() {
            *tail = then;
        }
        Ok(BootId(id))
    }

    fn began(&self) -> io::Result<i64> {
        Ok(nanoseconds(calls::machine_start()?.now))
    }

    fn exchange(&self, a: &Dir, a_name: &[u8], b: &Dir, b_name: &[u8]) -> io::Result<()> {
        of(a)?.at(a_name).and(of(b)?.at(b_name))?;
        Err(unsupported("Windows cannot exchange names"))
    }

    fn rename_noreplace(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (from, to) = (of(from)?.at(name)?, of(to)?.at(to_name)?);
        patiently(|| calls::move_to_free(&from, &to))
    }

    fn rename(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (from, to) = (of(from)?.at(name)?, of(to)?.at(to_name)?);
        patiently(|| match sharing::explained(fs::rename(&from, &to), &to) {
            Err(denied) if denied.kind() == io::ErrorKind::PermissionDenied && is_read_only(&to) => {
                calls::replace_read_only(&sharing::open_to_move(&from)?, &to).map_err(|_| denied)
            }
            other => other,
        })
    }

    fn link(&self, from: &Dir, name: &[u8], to: &Dir, to_name: &[u8]) -> io::Result<()> {
        let (from, to) = (of(from)?, of(to)?);
        if calls::volume_flags(&to.held)? & REPLACES_OPEN_FILES == 0 {
            return Err(unsupported("this volume cannot replace a file that is open"));
        }
        let (from, to) = (from.at(name)?, to.at(to_name)?);
        patiently(|| fs::hard_link(&from, &to))
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
    let mut options = OpenOptions::new();
    options.read(true).share_mode(SHARE_IN_PLACE).custom_flags(BACKUP_SEMANTICS | OPEN_REPARSE_POINT);
    let held = patiently(|| options.open(&path))?;
    match look(&held)?.kind {
        FileKind::Dir => Ok(Arc::new(WindowsDir { path, held: Arc::new(held), above })),
        FileKind::Link => Err(io::Error::from_raw_os_error(CANT_RESOLVE_FILENAME)),
        FileKind::File | FileKind::Other => Err(io::Error::from(io::ErrorKind::NotADirectory)),
    }
}

fn is_read_only(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.permissions().readonly())
}

/// Removes a name, also of a read-only file.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(denied) if denied.kind() == io::ErrorKind::PermissionDenied => {
            let permissions = fs::symlink_metadata(path)?.permissions();
            if !permissions.readonly() {
                return Err(denied);
            }
            let set = |read_only: bool| {
                let mut permissions = permissions.clone();
                permissions.set_readonly(read_only);
                fs::set_permissions(path, permissions)
            };
            // Not all volumes can remove such a file in one step.
            set(false)?;
            fs::remove_file(path).inspect_err(|_| drop(set(true)))
        }
        other => other,
    }
}

fn of(dir: &Dir) -> io::Result<&WindowsDir> {
    dir.as_any().downcast_ref().ok_or_else(|| invalid("the folder belongs to another machine"))
}

fn unsupported(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, why)
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

impl WindowsDir {
    /// Returns the path of one name in it. Names that Windows reads differently than they are written (streams,
    /// devices, trailing dots and blanks) are refused.
    fn at(&self, name: &[u8]) -> io::Result<PathBuf> {
        if let Some(why) = why_misread(name) {
            return Err(invalid(why));
        }
        match std::str::from_utf8(name) {
            Ok(text) if !text.contains('/') && !matches!(text, "" | "..") => Ok(self.path.join(text)),
            _ => Err(invalid("not the name of one file")),
        }
    }

    fn open(&self, name: &[u8], access: Access) -> io::Result<fs::File> {
        let path = self.at(name)?;
        let mut options = OpenOptions::new();
        options.read(true).write(access == Access::Write);
        options.share_mode(SHARE_ALL).custom_flags(OPEN_REPARSE_POINT);
        patiently(|| options.open(&path)).map_err(|error| match path.is_dir() {
            // Only a call that says so opens a folder.
            true => invalid("not a regular file"),
            false => error,
        })
    }
}

impl OsDir for WindowsDir {
    fn stat(&self, name: &[u8]) -> io::Result<Stat> {
        // Access mode 0: attributes only, which no share mode of another process refuses.
        let mut options = OpenOptions::new();
        options.access_mode(0).share_mode(SHARE_ALL).custom_flags(BACKUP_SEMANTICS | OPEN_REPARSE_POINT);
        let path = self.at(name)?;
        look(&patiently(|| options.open(&path))?)
    }

    fn own_name(&self, name: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let path = self.at(name)?;
        let own = patiently(|| calls::own_name(&path))?.into_bytes();
        // Some folders tell apart names that differ in case alone.
        let is_same = own == name || self.stat(&own)?.identity == self.stat(name)?.identity;
        Ok(Some(if is_same { own } else { name.to_vec() }))
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
            FileKind::File => Ok(Arc::new(WindowsFile::new(file, access))),
            FileKind::Link => Err(io::Error::from_raw_os_error(CANT_RESOLVE_FILENAME)),
            FileKind::Dir | FileKind::Other => Err(invalid("not a regular file")),
        }
    }

    fn check_movable(&self, name: &[u8]) -> io::Result<()> {
        let path = self.at(name)?;
        match patiently(|| sharing::open_to_move(&path)) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(error),
            // Any other error shows in the move, where it matters.
            _ => Ok(()),
        }
    }

    fn create_file(&self, name: &[u8], mode: u32) -> io::Result<File> {
        let path = self.at(name)?;
        let mut options = OpenOptions::new();
        // With the right to set its access control list.
        options.access_mode(GENERIC_READ | GENERIC_WRITE | WRITE_DAC).write(true).create_new(true);
        let file = patiently(|| options.share_mode(SHARE_ALL).open(&path))?;
        let file: File = Arc::new(WindowsFile::new(file, Access::Write));
        if mode & 0o200 == 0 {
            file.set_mode(mode)?;
        }
        Ok(file)
    }

    fn create_dir(&self, name: &[u8], _mode: u32) -> io::Result<()> {
        let path = self.at(name)?;
        patiently(|| fs::create_dir(&path))
    }

    fn remove_file(&self, name: &[u8]) -> io::Result<()> {
        let path = self.at(name)?;
        patiently(|| sharing::explained(remove(&path), &path))
    }

    fn remove_dir(&self, name: &[u8]) -> io::Result<()> {
        let path = self.at(name)?;
        patiently(|| fs::remove_dir(&path))
    }

    fn read_link(&self, name: &[u8]) -> io::Result<Vec<u8>> {
        let target = fs::read_link(self.at(name)?)?;
        let text = target.to_str().ok_or_else(|| invalid("a name on Windows is UTF-8"))?.replace('\\', "/");
        // Absolute paths begin with a slash here.
        let absolute = target.has_root() || text.contains(':');
        Ok(if absolute { format!("/{}", text.trim_start_matches('/')) } else { text }.into_bytes())
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
