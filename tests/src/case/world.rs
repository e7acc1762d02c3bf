//! The files of a scenario: created in a real folder, changed as other programs would, and compared with the expected
//! state. It sends no requests.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::story::{PathState, WriteMethod};
use crate::tree::{self, Tree};

/// Nodes by path.
pub type Nodes = BTreeMap<String, PathState>;

/// The bytes of a path: `%NN` is one byte.
pub fn path_bytes(path: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((first, left)) = rest.split_first() {
        let hex = left.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match hex.filter(|_| *first == b'%') {
            Some(byte) => {
                out.push(byte);
                rest = &left[2..];
            }
            None => {
                out.push(*first);
                rest = left;
            }
        }
    }
    out
}

/// Returns the path of these bytes in the form of scenarios.
pub fn path_text(bytes: &[u8]) -> String {
    bytes.utf8_chunks().fold(String::new(), |mut out, chunk| {
        out.push_str(&chunk.valid().replace('%', "%25"));
        out.extend(chunk.invalid().iter().map(|byte| format!("%{byte:02X}")));
        out
    })
}

/// Makes the world before.
///
/// # Panics
/// Where the system refuses.
pub fn make(root: &Path, nodes: &Nodes) {
    // Second names after the first ones.
    let (second, first): (Vec<_>, Vec<_>) = nodes.iter().partition(|(_, node)| node.hard.is_some());
    for (path, node) in first.into_iter().chain(second) {
        let place = place(root, path);
        let folder = place.parent().expect("a path in a workspace has a folder");
        fs::create_dir_all(folder).expect("a folder can be made");
        put(root, path, node);
    }
    // Last, since nothing can be made in a folder that is read-only.
    for (path, node) in nodes.iter().filter(|(_, node)| node.folder) {
        let mode = node.permissions().expect("a parsed story's modes are octal").unwrap_or(0o755);
        set_mode(&place(root, path), mode);
    }
}

/// Puts something at a path, as other programs do.
///
/// # Panics
/// Where the system refuses.
pub fn put(root: &Path, path: &str, node: &PathState) {
    let place = place(root, path);
    let done = if node.absent {
        if place.is_dir() { fs::remove_dir_all(&place) } else { fs::remove_file(&place) }
    } else if node.folder {
        fs::create_dir_all(&place)
    } else if let Some(target) = &node.link {
        replaced(&place, |fresh| {
            symlink(PathBuf::from(std::ffi::OsString::from_vec(path_bytes(target))), fresh)
        })
    } else if let Some(other) = &node.hard {
        fs::hard_link(self::place(root, other), &place)
    } else if node.fifo {
        replaced(&place, |fresh| {
            let made = std::process::Command::new("mkfifo").args(["-m", "644"]).arg(fresh).status()?;
            made.success().then_some(()).ok_or_else(|| std::io::Error::other("mkfifo failed"))
        })
    } else {
        write(&place, node)
    };
    done.unwrap_or_else(|e| panic!("{path}: {e}"));
}

fn write(place: &Path, node: &PathState) -> std::io::Result<()> {
    let bytes = node.bytes().map_err(std::io::Error::other)?;
    let mode = node.permissions().map_err(std::io::Error::other)?;
    match node.how {
        WriteMethod::Replace => replaced(place, |fresh| {
            fs::write(fresh, &bytes)?;
            set_mode(fresh, mode.unwrap_or(0o644));
            Ok(())
        }),
        WriteMethod::Rewrite => fs::write(place, &bytes),
        WriteMethod::Append => fs::File::options().append(true).open(place)?.write_all(&bytes),
    }
}

/// Makes something beside the target and renames it there.
fn replaced(place: &Path, make: impl FnOnce(&Path) -> std::io::Result<()>) -> std::io::Result<()> {
    let fresh = place.with_file_name(format!(".fresh-{}", std::process::id()));
    make(&fresh)?;
    fs::rename(&fresh, place)
}

fn set_mode(place: &Path, mode: u32) {
    let set = fs::set_permissions(place, fs::Permissions::from_mode(mode));
    set.unwrap_or_else(|e| panic!("{}: {e}", place.display()));
}

fn place(root: &Path, path: &str) -> PathBuf {
    root.join(std::ffi::OsStr::from_bytes(&path_bytes(path)))
}

/// Describes the differences between the workspace and the initial state with `changed` applied, one line for each
/// path. With `only_named`, only the paths of `changed` are compared.
pub fn differences(root: &Path, before: &Nodes, changed: &Nodes, only_named: bool) -> Vec<String> {
    let mut should: BTreeMap<Vec<u8>, (&PathState, bool)> = BTreeMap::new();
    for (path, node) in before {
        should.insert(path_bytes(path), (node, true));
    }
    for (path, node) in changed {
        let path = path_bytes(path);
        let known = should.contains_key(&path);
        should.insert(path, (node, known));
    }
    should.retain(|_, (node, _)| !node.absent);
    let is = Tree::of(root);
    let named = |path: &[u8]| !only_named || changed.keys().any(|name| path_bytes(name) == path);
    let mut found = Vec::new();
    for (path, (node, known)) in should.iter().filter(|(path, _)| named(path)) {
        let name = path_text(path);
        match is.nodes.get(path) {
            None => found.push(format!("{name}: is gone")),
            Some(there) => {
                found.extend(differs(node, *known, there, &should).map(|what| format!("{name}: {what}")));
                found.extend(hard_differs(root, &name, node).map(|what| format!("{name}: {what}")));
            }
        }
    }
    for (path, there) in is.nodes.iter().filter(|(path, _)| named(path) && !should.contains_key(*path)) {
        // Folders on the way to what should be there need no word.
        let on_the_way = matches!(there, tree::Node::Folder(_))
            && should.keys().any(|other| other.starts_with(path) && other.get(path.len()) == Some(&b'/'));
        if !on_the_way {
            found.push(format!("{}: should not be there, is {}", path_text(path), there.shown()));
        }
    }
    found
}

fn differs(
    node: &PathState,
    known: bool,
    there: &tree::Node,
    all: &BTreeMap<Vec<u8>, (&PathState, bool)>,
) -> Option<String> {
    let named = node.permissions().ok().flatten();
    let fits = match there {
        tree::Node::Folder(mode) => node.folder && named.unwrap_or(*mode) == *mode,
        tree::Node::Link(target) => node.link.as_ref().is_some_and(|link| path_bytes(link) == *target),
        tree::Node::Other => node.fifo,
        tree::Node::File { mode, .. } => {
            let is_file = !node.folder && !node.fifo && node.link.is_none();
            // A second name shows what the first one should hold.
            let content =
                node.hard.as_ref().map_or(Some(node), |other| all.get(&path_bytes(other)).map(|(n, _)| *n));
            let content = content.filter(|_| is_file)?;
            let wanted = named.or_else(|| content.permissions().ok().flatten());
            let wanted = wanted.unwrap_or(if known { 0o644 } else { *mode });
            tree::Node::file(&content.bytes().unwrap_or_default(), wanted) == *there
        }
    };
    (!fits).then(|| format!("should be {}, is {}", shown(node), there.shown()))
}

/// Returns a description if `path` is no longer another name of the file.
pub fn hard_differs(root: &Path, path: &str, node: &PathState) -> Option<String> {
    let other = node.hard.as_ref()?;
    let number =
        |path: &str| fs::symlink_metadata(place(root, path)).map(|about| (about.dev(), about.ino())).ok();
    (number(path) != number(other)).then(|| format!("is no longer the same file as {other}"))
}

fn shown(node: &PathState) -> String {
    let bytes = node.bytes().unwrap_or_default();
    let short = String::from_utf8_lossy(bytes.get(..200).unwrap_or(&bytes)).into_owned();
    match node {
        PathState { folder: true, .. } => "a folder".to_owned(),
        PathState { fifo: true, .. } => "a FIFO".to_owned(),
        PathState { link: Some(target), .. } => format!("a link to {target:?}"),
        PathState { hard: Some(other), .. } => format!("a second name of {other:?}"),
        PathState { mode, .. } => {
            format!("file {} of {} bytes {short:?}", mode.as_deref().unwrap_or("644"), bytes.len())
        }
    }
}
