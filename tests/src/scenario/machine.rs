//! The machine on which a scenario is played: its files, its clock and its daemon. Creates the initial files, changes
//! files as other programs would, and compares them with the expected state. It sends no requests.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::format::{PathState, ScenarioSettings, WriteMethod};
use super::target::{ScenarioTarget, StepHook};
use crate::tree::{self, FileTree};

/// Nodes by path.
pub type PathStates = BTreeMap<String, PathState>;

/// A real or simulated machine with one workspace. Paths are relative to the workspace.
///
/// # Errors
/// Those of the system, in every method that returns one.
pub trait ScenarioMachine: Send + Sync {
    /// Makes a folder and the missing folders above it.
    fn make_folders(&self, path: &[u8]) -> io::Result<()>;
    /// Removes a file, a link, or a folder with everything in it.
    fn remove(&self, path: &[u8]) -> io::Result<()>;
    /// Renames a file over another one.
    fn rename(&self, from: &[u8], to: &[u8]) -> io::Result<()>;
    /// Makes a symbolic link.
    fn make_symlink(&self, target: &[u8], path: &[u8]) -> io::Result<()>;
    /// Gives a file a second name.
    fn make_hard_link(&self, from: &[u8], path: &[u8]) -> io::Result<()>;
    /// Makes a FIFO.
    fn make_fifo(&self, path: &[u8]) -> io::Result<()>;
    /// Truncates and writes a file, or makes it.
    fn write(&self, path: &[u8], bytes: &[u8]) -> io::Result<()>;
    /// Appends to a file.
    fn append(&self, path: &[u8], bytes: &[u8]) -> io::Result<()>;
    /// Sets the permission bits.
    fn set_mode(&self, path: &[u8], mode: u32) -> io::Result<()>;
    /// Sets the extended attribute `user.comment`.
    fn set_comment(&self, path: &[u8], comment: &[u8]) -> io::Result<()>;
    /// Returns the extended attribute `user.comment`, if the file has it.
    fn comment(&self, path: &[u8]) -> Option<Vec<u8>>;
    /// Returns the content of a file, empty if it cannot be read.
    fn read(&self, path: &[u8]) -> Vec<u8>;
    /// Returns everything in the workspace, without the daemon's own folder.
    fn tree(&self) -> FileTree;
    /// Returns true if both paths are names of the same file.
    fn is_same_file(&self, path: &[u8], other: &[u8]) -> bool;
    /// Makes a folder that is another file system.
    fn mount(&self, path: &[u8]) -> io::Result<()>;
    /// Opens a file for writing and keeps it open.
    fn hold(&self, path: &[u8]) -> io::Result<()>;
    /// Flushes a file and the folder that holds it.
    fn flush(&self, path: &[u8]) -> io::Result<()>;
    /// Makes all files durable.
    fn sync(&self);
    /// Lets time pass and returns the time then, in milliseconds since 1970.
    fn pass(&self, time: Duration) -> u64;
    /// Starts the daemon, which recovers what the previous one left. The previous one has ended without any cleanup.
    ///
    /// # Errors
    /// The workspace does not open.
    fn open(
        &self,
        settings: &ScenarioSettings,
        hook: Arc<dyn StepHook>,
    ) -> Result<Box<dyn ScenarioTarget>, String>;
}

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

/// Makes the initial state.
///
/// # Panics
/// If the system refuses.
pub fn make(machine: &dyn ScenarioMachine, nodes: &PathStates) {
    // Mounts before the files on them, and second names after the first ones.
    let mut ordered: Vec<_> = nodes.iter().collect();
    ordered.sort_by_key(|(_, node)| (node.hard.is_some(), !node.mount));
    for (path, node) in ordered {
        let bytes = path_bytes(path);
        if let Some(end) = bytes.iter().rposition(|byte| *byte == b'/') {
            machine.make_folders(&bytes[..end]).expect("a folder can be made");
        }
        put(machine, path, node);
    }
    // Last, since nothing can be made in a folder that is read-only.
    for (path, node) in nodes.iter().filter(|(_, node)| node.folder) {
        let mode = node.permissions().expect("a parsed scenario's modes are octal").unwrap_or(0o755);
        machine.set_mode(&path_bytes(path), mode).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
    machine.sync();
}

/// Changes paths as another program would, and flushes them unless they are to stay `unflushed`.
///
/// # Panics
/// If the system refuses.
pub fn change(machine: &dyn ScenarioMachine, nodes: &PathStates, unflushed: bool) {
    for (path, node) in nodes {
        put(machine, path, node);
        if !unflushed {
            machine.flush(&path_bytes(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        }
    }
}

/// Changes a path as another program would.
///
/// # Panics
/// If the system refuses.
fn put(machine: &dyn ScenarioMachine, path: &str, node: &PathState) {
    let place = path_bytes(path);
    let done = if node.absent {
        machine.remove(&place)
    } else if node.folder {
        machine.make_folders(&place)
    } else if let Some(target) = &node.link {
        replace(machine, &place, |fresh| machine.make_symlink(&path_bytes(target), fresh))
    } else if let Some(other) = &node.hard {
        machine.make_hard_link(&path_bytes(other), &place)
    } else if let Some(from) = &node.moved_from {
        machine.rename(&path_bytes(from), &place)
    } else if node.mount {
        machine.mount(&place)
    } else if node.fifo {
        replace(machine, &place, |fresh| machine.make_fifo(fresh))
    } else {
        write(machine, &place, node)
    };
    done.unwrap_or_else(|e| panic!("{path}: {e}"));
}

fn write(machine: &dyn ScenarioMachine, place: &[u8], node: &PathState) -> io::Result<()> {
    let bytes = node.bytes().map_err(io::Error::other)?;
    let mode = node.permissions().map_err(io::Error::other)?;
    match node.how {
        WriteMethod::Replace => replace(machine, place, |fresh| {
            machine.write(fresh, &bytes)?;
            if let Some(comment) = &node.comment {
                machine.set_comment(fresh, comment.as_bytes())?;
            }
            machine.set_mode(fresh, mode.unwrap_or(0o644))
        }),
        WriteMethod::Rewrite => machine.write(place, &bytes),
        WriteMethod::Append => machine.append(place, &bytes),
    }
}

/// Makes something beside the target and renames it over the target.
fn replace(
    machine: &dyn ScenarioMachine,
    place: &[u8],
    make: impl FnOnce(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let folder = place.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    let fresh = [&place[..folder], b".fresh"].concat();
    make(&fresh)?;
    machine.rename(&fresh, place)
}

/// Describes the differences between the workspace and the initial state with `changed` applied, one line for each
/// path. With `only_named`, only the paths of `changed` are compared.
pub fn differences(
    machine: &dyn ScenarioMachine,
    before: &PathStates,
    changed: &PathStates,
    only_named: bool,
) -> Vec<String> {
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
    let is = machine.tree();
    let named = |path: &[u8]| !only_named || changed.keys().any(|name| path_bytes(name) == path);
    let mut found = Vec::new();
    for (path, (node, known)) in should.iter().filter(|(path, _)| named(path)) {
        let name = path_text(path);
        match is.nodes.get(path) {
            None => found.push(format!("{name}: is gone")),
            Some(there) => {
                found.extend(differs(node, *known, there, &should).map(|what| format!("{name}: {what}")));
                found.extend(hard_differs(machine, &name, node).map(|what| format!("{name}: {what}")));
                let comment = node.comment.as_ref().filter(|_| !node.absent);
                if let Some(comment) =
                    comment.filter(|one| machine.comment(path).as_deref() != Some(one.as_bytes()))
                {
                    found.push(format!("{name}: has no comment {comment:?}"));
                }
            }
        }
    }
    for (path, there) in is.nodes.iter().filter(|(path, _)| named(path) && !should.contains_key(*path)) {
        // Folders on the way to what should be there need no word.
        let on_the_way = matches!(there, tree::TreeNode::Folder(_))
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
    there: &tree::TreeNode,
    all: &BTreeMap<Vec<u8>, (&PathState, bool)>,
) -> Option<String> {
    let named = node.permissions().ok().flatten();
    let fits = match there {
        tree::TreeNode::Folder(mode) => (node.folder || node.mount) && named.unwrap_or(*mode) == *mode,
        tree::TreeNode::Link(target) => node.link.as_ref().is_some_and(|link| path_bytes(link) == *target),
        tree::TreeNode::Other => node.fifo,
        tree::TreeNode::File { mode, .. } => {
            let is_file = !node.folder && !node.mount && !node.fifo && node.link.is_none();
            // A second name shows what the first one should hold.
            let content =
                node.hard.as_ref().map_or(Some(node), |other| all.get(&path_bytes(other)).map(|(n, _)| *n));
            let content = content.filter(|_| is_file)?;
            let wanted = named.or_else(|| content.permissions().ok().flatten());
            let wanted = wanted.unwrap_or(if known { 0o644 } else { *mode });
            tree::TreeNode::file(&content.bytes().unwrap_or_default(), wanted) == *there
        }
    };
    (!fits).then(|| format!("should be {}, is {}", shown(node), there.shown()))
}

/// Returns a description if `path` is no longer another name of the file.
pub fn hard_differs(machine: &dyn ScenarioMachine, path: &str, node: &PathState) -> Option<String> {
    let other = node.hard.as_ref()?;
    let same = machine.is_same_file(&path_bytes(path), &path_bytes(other));
    (!same).then(|| format!("is no longer the same file as {other}"))
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
