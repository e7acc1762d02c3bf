//! The parts of a machine with real files that differ between systems, on Windows.

use std::fs;
use std::io;
use std::os::windows::fs::symlink_file;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd::testing::{Os, Windows};

use crate::process::{is_under_wine, skips_under_wine};
use crate::scenario::format::{PathState, Scenario, WriteMethod};

/// The reason to skip scenarios in which others replace or remove a file of a job.
const REPLACED: &str = "an open file cannot be replaced or removed";

/// Returns the files of this system.
pub fn os() -> Arc<dyn Os> {
    Arc::new(Windows)
}

/// Returns the reason why a scenario cannot be played here: the system has no FIFOs, permission bits, extended attributes
/// and links without privileges, and no names of arbitrary bytes. Wine can neither replace nor remove a file that a job has
/// open.
pub fn unplayable(scenario: &Scenario) -> Option<String> {
    let meanwhile = || scenario.steps.iter().flat_map(|step| &step.meanwhile).map(|change| &change.files);
    let steps = scenario.steps.iter().flat_map(|step| step.outside.iter().chain([&step.world]));
    let states = [&scenario.before, &scenario.after].into_iter().chain(meanwhile()).chain(steps);
    let lacking = states.flatten().find_map(|(path, state)| Some((path, lacks(path, state)?)));
    let is_replaced = |(_, state): &(&String, &PathState)| state.absent || state.how == WriteMethod::Replace;
    let replaced = || meanwhile().flatten().find(is_replaced).filter(|_| skips_under_wine(REPLACED));
    let why = lacking.or_else(|| Some((replaced()?.0, REPLACED)));
    why.map(|(path, what)| format!("{path}: {what}"))
}

fn lacks(path: &str, state: &PathState) -> Option<&'static str> {
    let usual = if state.folder { "755" } else { "644" };
    if state.link.is_some() {
        Some("a symbolic link needs a privilege")
    } else if state.fifo {
        Some("there are no FIFOs")
    } else if state.comment.is_some() {
        Some("there are no extended attributes")
    } else if state.mode.as_ref().is_some_and(|mode| mode != usual) {
        Some("there are no permission bits")
    } else if path.contains(['%', '\\', ':', '*', '?', '"', '<', '>', '|']) {
        Some("no file can have this name")
    } else {
        None
    }
}

/// Returns the place of a path of the workspace.
pub(super) fn place(root: &Path, path: &[u8]) -> PathBuf {
    let text = String::from_utf8_lossy(path);
    text.split('/').filter(|name| !name.is_empty()).fold(root.to_owned(), |place, name| place.join(name))
}

/// Renames a file. Under Wine, which cannot replace an open file, it is rewritten instead.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(denied)
            if is_under_wine() && denied.kind() == io::ErrorKind::PermissionDenied && to.is_file() =>
        {
            fs::write(to, fs::read(from)?)?;
            fs::remove_file(from)
        }
        other => other,
    }
}

pub(super) fn make_symlink(target: &[u8], place: &Path) -> io::Result<()> {
    symlink_file(String::from_utf8_lossy(target).as_ref(), place)
}

pub(super) fn make_fifo(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes a file read-only or not; the system has no other bits.
pub(super) fn set_mode(place: &Path, mode: u32) -> io::Result<()> {
    let about = fs::metadata(place)?;
    let mut permissions = about.permissions();
    let read_only = mode & 0o200 == 0;
    if about.is_dir() || permissions.readonly() == read_only {
        return Ok(());
    }
    permissions.set_readonly(read_only);
    fs::set_permissions(place, permissions)
}

pub(super) fn set_comment(_: &Path, _: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn comment(_: &Path) -> Option<Vec<u8>> {
    None
}

/// Returns true if both places have the same file.
pub(super) fn is_same_file(place: &Path, other: &Path) -> bool {
    let identity = |place: &Path| {
        let (folder, name) = (place.parent()?, place.file_name()?.to_str()?);
        let dir = os().open_dir(folder).ok()?;
        Some(dir.stat(name.as_bytes()).ok()?.identity)
    };
    identity(place).is_some_and(|one| identity(other) == Some(one))
}
