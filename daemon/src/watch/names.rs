//! Paths below the workspace as the system writes them and as the wire does. It asks no disk.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use editd_proto::path::WirePath;

/// A path below the workspace as the wire writes it.
pub(super) fn to_wire(path: &Path) -> WirePath {
    let bytes = path.as_os_str().as_encoded_bytes();
    if cfg!(windows) {
        return WirePath::new(bytes.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect::<Vec<u8>>());
    }
    WirePath::new(bytes)
}

/// A wire path below the workspace as the system writes it; `None` where it leaves the workspace or this
/// system has no such names.
pub(super) fn from_wire(path: &WirePath) -> Option<PathBuf> {
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

/// One name, where it is one name.
fn plain(name: &OsStr) -> Option<&OsStr> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == name => Some(name),
        _ => None,
    }
}

/// A name from a listing.
#[cfg(unix)]
pub(super) fn os_name(name: &[u8]) -> Option<&OsStr> {
    Some(std::os::unix::ffi::OsStrExt::from_bytes(name))
}

/// A name from a listing; one that is not Unicode is not watched.
#[cfg(windows)]
pub(super) fn os_name(name: &[u8]) -> Option<&OsStr> {
    std::str::from_utf8(name).ok().map(OsStr::new)
}
