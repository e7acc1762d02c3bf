//! The name of the socket that a systemd unit listens on, since a unit cannot compute the hash in the name of
//! the usual one. Pure: it never asks whether such a socket exists.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::place::{self, Surroundings};

/// The socket of `editd@.socket` for a workspace (its absolute path, links resolved): where a client looks
/// when nobody listens at the usual one.
///
/// `None` where the path is longer than the system takes ([`place::SOCKET_PATH`]): then no unit listens there.
pub fn socket(around: &Surroundings<'_>, workspace: &Path) -> Option<PathBuf> {
    let name = socket_name(workspace.as_os_str().as_encoded_bytes());
    place::check_length(place::socket_folder(around).join(name)).ok()
}

/// The file name of the socket of `editd@.socket` for a workspace: `@`, the path as `systemd-escape --path`
/// writes it, `.sock`.
///
/// `workspace` is the absolute path's bytes. The `@` keeps it apart from the usual names, which are
/// hexadecimal digits.
pub fn socket_name(workspace: &[u8]) -> String {
    format!("@{}.sock", escape_path(workspace))
}

/// A path as systemd writes it in an instance name (systemd.unit(5), *String escaping*): without slashes at
/// either end and doubled ones, `/` as `-`, and every byte that is no ASCII letter, digit, `:`, `_` or `.`
/// (nor a `.` at the start) as `\xNN`. The root is `-`.
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
        let around = Surroundings { runtime_dir: Some("/run/user/1000".as_ref()), uid: 1000 };
        let found = socket(&around, Path::new("/srv/my-app"));
        assert_eq!(found.as_deref(), Some(Path::new(r"/run/user/1000/editd/@srv-my\x2dapp.sock")));
        assert_eq!(socket(&around, Path::new(&"/deep".repeat(30))), None);
    }
}
