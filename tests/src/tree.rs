//! The contents of a folder at one time, to compare with another: bytes, modes, links. It follows no link and changes
//! nothing. Also copies a folder, and makes a FIFO.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The file, folder or link at one path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TreeNode {
    /// A regular file.
    File {
        /// Its content's BLAKE3 hash.
        hash: [u8; 32],
        /// Its content, if it is at most [`KEPT`] bytes; else the first of them.
        head: Vec<u8>,
        /// Its length, bytes.
        len: u64,
        /// Permission bits (0o7777); on Windows 0o644, or 0o444 if it is read-only.
        mode: u32,
    },
    /// A folder, with its permission bits.
    Folder(u32),
    /// A symbolic link, with its target.
    Link(Vec<u8>),
    /// A FIFO, socket or device.
    Other,
}

/// Bytes of a file that are kept to show them.
pub const KEPT: usize = 4096;

/// The contents of a folder, by path from it, as bytes with `/`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileTree {
    /// Every path but the folder itself.
    pub nodes: BTreeMap<Vec<u8>, TreeNode>,
}

impl FileTree {
    /// Looks at everything below `root`, but for what the daemon keeps for itself there (`.editd`).
    ///
    /// # Panics
    /// Where something cannot be read.
    pub fn of(root: &Path) -> FileTree {
        let mut nodes = BTreeMap::new();
        walk(root, &[], &mut nodes);
        FileTree { nodes }
    }

    /// Returns one line for each path that differs in `now`, in order; empty if none does.
    pub fn differences(&self, now: &FileTree) -> Vec<String> {
        let mut paths: Vec<&Vec<u8>> = self.nodes.keys().chain(now.nodes.keys()).collect();
        paths.sort();
        paths.dedup();
        paths
            .into_iter()
            .filter(|path| self.nodes.get(*path) != now.nodes.get(*path))
            .map(|path| {
                let was = self.nodes.get(path).map_or("nothing".to_owned(), TreeNode::shown);
                let is = now.nodes.get(path).map_or("nothing".to_owned(), TreeNode::shown);
                format!("{:?}: {was} -> {is}", String::from_utf8_lossy(path))
            })
            .collect()
    }

    /// Returns the number of regular files.
    pub fn files(&self) -> usize {
        self.nodes.values().filter(|node| matches!(node, TreeNode::File { .. })).count()
    }
}

impl TreeNode {
    /// For people, on one line.
    pub fn shown(&self) -> String {
        match self {
            TreeNode::File { head, len, mode, .. } => {
                let short: Vec<u8> = head.iter().copied().take(200).collect();
                format!("file {mode:o} of {len} bytes {:?}", String::from_utf8_lossy(&short))
            }
            TreeNode::Folder(mode) => format!("folder {mode:o}"),
            TreeNode::Link(target) => format!("link to {:?}", String::from_utf8_lossy(target)),
            TreeNode::Other => "neither file, folder nor link".to_owned(),
        }
    }

    /// A regular file with this content and mode.
    pub fn file(bytes: &[u8], mode: u32) -> TreeNode {
        let head = bytes.iter().copied().take(KEPT).collect();
        TreeNode::File { hash: *blake3::hash(bytes).as_bytes(), head, len: bytes.len() as u64, mode }
    }
}

/// Copies everything below a folder, but for what the daemon keeps for itself there (`.editd`).
///
/// # Panics
/// If something cannot be copied.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap_or_else(|e| panic!("{}: {e}", to.display()));
    let entries = fs::read_dir(from).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
    for entry in entries.map(|entry| entry.expect("a folder can be listed")) {
        let (place, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == ".editd" {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            copy(&place, &target);
        } else {
            fs::copy(&place, target).unwrap_or_else(|e| panic!("{}: {e}", place.display()));
        }
    }
}

/// Makes a FIFO.
///
/// # Errors
/// There is no `mkfifo`, or it fails.
#[cfg(unix)]
pub fn make_fifo(place: &Path) -> std::io::Result<()> {
    let made = std::process::Command::new("mkfifo").args(["-m", "644"]).arg(place).status()?;
    made.success().then_some(()).ok_or_else(|| std::io::Error::other("mkfifo failed"))
}

fn walk(folder: &Path, prefix: &[u8], nodes: &mut BTreeMap<Vec<u8>, TreeNode>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries.map(|entry| entry.expect("a folder can be listed")) {
        let name = entry.file_name();
        if prefix.is_empty() && name == ".editd" {
            continue;
        }
        let path = if prefix.is_empty() {
            name.as_encoded_bytes().to_vec()
        } else {
            [prefix, b"/", name.as_encoded_bytes()].concat()
        };
        let place = entry.path();
        let about = fs::symlink_metadata(&place).unwrap_or_else(|e| panic!("{}: {e}", place.display()));
        let node = if about.is_dir() {
            walk(&place, &path, nodes);
            TreeNode::Folder(mode(&about))
        } else if about.is_symlink() {
            let target = fs::read_link(&place).unwrap_or_else(|e| panic!("{}: {e}", place.display()));
            TreeNode::Link(target.into_os_string().into_encoded_bytes())
        } else if about.is_file() {
            let bytes = fs::read(&place).unwrap_or_else(|e| panic!("{}: {e}", place.display()));
            TreeNode::file(&bytes, mode(&about))
        } else {
            TreeNode::Other
        };
        nodes.insert(path, node);
    }
}

#[cfg(unix)]
fn mode(about: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o7777
}

/// Returns the bits that the daemon has for a file here.
#[cfg(not(unix))]
fn mode(about: &fs::Metadata) -> u32 {
    match (about.is_dir(), about.permissions().readonly()) {
        (true, _) => 0o755,
        (false, true) => 0o444,
        (false, false) => 0o644,
    }
}
