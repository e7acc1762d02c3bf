//! The parts of a machine with real files that differ between systems, on Unix.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd::testing::{Os, Unix};

use crate::scenario::format::Scenario;

/// Returns the files of this system.
pub fn os() -> Arc<dyn Os> {
    Arc::new(Unix)
}

/// Returns the reason why a scenario cannot be played here.
pub fn unplayable(_: &Scenario) -> Option<String> {
    None
}

/// Returns the place of a path of the workspace.
pub(super) fn place(root: &Path, path: &[u8]) -> PathBuf {
    root.join(OsStr::from_bytes(path))
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

pub(super) fn make_symlink(target: &[u8], place: &Path) -> io::Result<()> {
    symlink(OsString::from_vec(target.to_vec()), place)
}

pub(super) fn make_fifo(place: &Path) -> io::Result<()> {
    crate::tree::make_fifo(place)
}

pub(super) fn set_mode(place: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(place, fs::Permissions::from_mode(mode))
}

pub(super) fn set_comment(place: &Path, comment: &[u8]) -> io::Result<()> {
    Ok(rustix::fs::setxattr(place, "user.comment", comment, rustix::fs::XattrFlags::empty())?)
}

pub(super) fn comment(place: &Path) -> Option<Vec<u8>> {
    let mut value = vec![0; 1024];
    let len = rustix::fs::getxattr(place, "user.comment", &mut value[..]).ok()?;
    value.truncate(len);
    Some(value)
}

/// Returns true if both places have the same file.
pub(super) fn is_same_file(place: &Path, other: &Path) -> bool {
    let number = |place: &Path| fs::symlink_metadata(place).map(|about| (about.dev(), about.ino())).ok();
    number(place) == number(other)
}
