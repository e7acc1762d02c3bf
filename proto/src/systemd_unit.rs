//! The name of the socket on which a systemd unit listens. It differs from the usual name, since a unit cannot compute
//! a hash. Does not check if the socket exists.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::socket_path::{self, SocketEnvironment};

/// Returns the socket of `editd@.socket` for a workspace, given its absolute path with links resolved. A client tries
/// it if no daemon listens on the usual socket.
///
/// Returns `None` if the path is longer than [`socket_path::SOCKET_PATH`]; no unit can listen there.
pub fn socket(around: &SocketEnvironment<'_>, workspace: &Path) -> Option<PathBuf> {
    let name = socket_name(workspace.as_os_str().as_encoded_bytes());
    socket_path::check_length(socket_path::socket_folder(around).join(name)).ok()
}

/// Returns the file name of the socket of `editd@.socket` for a workspace: `@`, the path as `systemd-escape --path`
/// prints it, and `.sock`.
///
/// `workspace` is the absolute path in bytes. The `@` distinguishes the name from the usual names, which consist of
/// hexadecimal digits.
pub fn socket_name(workspace: &[u8]) -> String {
    format!("@{}.sock", escape_path(workspace))
}

/// Escapes a path as systemd does in an instance name (systemd.unit(5), *String escaping*). Slashes at both ends and
/// repeated slashes are removed, `/` becomes `-`, and every byte except ASCII letters, digits, `:`, `_` and `.` (but
/// not a `.` at the start) becomes `\xNN`. The root is `-`.
pub fn escape_path(path: &[u8]) -> String {
    let mut out = String::with_capacity(path.len());
    for part in path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".") {
        if !out.is_empty() {
            out.push('-');
        }
        for byte in part {
            match byte {
                b'.' if out.is_empty() => out.push_str("\\x2e"),
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b':' | b'_' | b'.' => out.push(char::from(*byte)),
                // Writing to a String cannot fail.
                _ => drop(write!(out, "\\x{byte:02x}")),
            }
        }
    }
    if out.is_empty() {
        out.push('-');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped_as_systemd_does() {
        for (path, escaped) in [
            ("/", "-"),
            ("/home/me/src", "home-me-src"),
            ("//home//me/", "home-me"),
            ("/home/my-app", "home-my\\x2dapp"),
            ("/.cfg/a.b", "\\x2ecfg-a.b"),
            ("/tmp/ä b", "tmp-\\xc3\\xa4\\x20b"),
            ("/a:b/c_d", "a:b-c_d"),
        ] {
            assert_eq!(escape_path(path.as_bytes()), escaped, "{path}");
        }
        assert_eq!(socket_name(b"/srv/x"), "@srv-x.sock");
    }

    #[test]
    fn the_socket_lies_beside_the_usual_one_if_its_path_is_short_enough() {
        let around = SocketEnvironment { runtime_dir: Some("/run/user/1000".as_ref()), uid: 1000 };
        let found = socket(&around, Path::new("/srv/my-app"));
        assert_eq!(found.as_deref(), Some(Path::new(r"/run/user/1000/editd/@srv-my\x2dapp.sock")));
        assert_eq!(socket(&around, Path::new(&"/deep".repeat(30))), None);
    }
}
