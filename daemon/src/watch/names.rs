//! Converts paths below the workspace between the system's form and that of the wire. It accesses no disk.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use editd_proto::path::FilePath;

/// Returns the wire form of a path below the workspace.
pub(super) fn to_wire(path: &Path) -> FilePath {
    let bytes = path.as_os_str().as_encoded_bytes();
    if cfg!(windows) {
        return FilePath::new(bytes.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect::<Vec<u8>>());
    }
    FilePath::new(bytes)
}

/// Returns the system's form of a path below the workspace; `None` if it leaves the workspace or the system has
/// no such names.
pub(super) fn from_wire(path: &FilePath) -> Option<PathBuf> {
    let mut below = PathBuf::new();
    for name in path.as_bytes().split(|&byte| byte == b'/') {
        match name {
            b"" | b"." => {}
            b".." => return None,
            name => below.push(plain(os_name(name)?)?),
        }
    }
    if path.as_bytes().first() == Some(&b'/') { None } else { Some(below) }
}

/// Returns a name if it is a single one.
fn plain(name: &OsStr) -> Option<&OsStr> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == name => Some(name),
        _ => None,
    }
}

/// Returns a name from a listing.
#[cfg(unix)]
pub(super) fn os_name(name: &[u8]) -> Option<&OsStr> {
    Some(std::os::unix::ffi::OsStrExt::from_bytes(name))
}

/// Returns a name from a listing; a name that is not Unicode is not watched.
#[cfg(windows)]
pub(super) fn os_name(name: &[u8]) -> Option<&OsStr> {
    std::str::from_utf8(name).ok().map(OsStr::new)
}
