//! Unusual files and places with a real daemon: a full disk, missing permissions, mounts, names and contents that few
//! programs expect, as far as no case file tests them. No network or device is needed.
//!
//! Tests that need mounts or another user run as root only, and print that they are skipped otherwise.

mod contents;
mod mounts;
mod owners;
mod permission;
mod removed;
mod shipped;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Returns true if this test may mount and change users; prints that the test is skipped otherwise.
pub(crate) fn is_root(test: &str) -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        println!("skipped: {test} needs root");
    }
    root
}

/// Fills a file system to its last block. Returns the file that takes the room.
pub(crate) fn fill(folder: &Path) -> PathBuf {
    let filler = folder.join("filler");
    let mut file = File::options().create(true).append(true).open(&filler).unwrap();
    for size in [1 << 20, 4096, 1] {
        let block = vec![b'x'; size];
        while file.write_all(&block).is_ok() {}
    }
    filler
}

/// A mount, gone with this value.
pub(crate) struct MountPoint(PathBuf);

impl MountPoint {
    /// Mounts a file system in memory of `size` (such as `4m`) at a folder; `None`, and a word, where the system does not let it.
    pub(crate) fn new(at: &Path, size: &str) -> Option<MountPoint> {
        let options = format!("size={size},mode=0700");
        Self::mount(&["-t", "tmpfs", "-o", &options, "editd-tests"], at)
    }

    /// Mounts a folder at another one, or at itself.
    fn bind(folder: &Path, at: &Path) -> Option<MountPoint> {
        Self::mount(&["--bind", folder.to_str()?], at)
    }

    /// Runs `mount` with these words.
    fn mount(words: &[&str], at: &Path) -> Option<MountPoint> {
        let done = run(Command::new("mount").args(words).arg(at))?;
        if !done.status.success() {
            println!("skipped: no mount at {}: {}", at.display(), String::from_utf8_lossy(&done.stderr));
            return None;
        }
        Some(MountPoint(at.to_owned()))
    }

    /// Mounts it again with other options.
    fn again(&self, options: &str) {
        let mut command = Command::new("mount");
        command.args(["-o", &format!("remount,{options}")]).arg(&self.0);
        let done = run(&mut command).unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
}

impl Drop for MountPoint {
    fn drop(&mut self) {
        // Lazily: a daemon may still be in it.
        let _done = run(Command::new("umount").arg("-l").arg(&self.0));
    }
}

fn run(command: &mut Command) -> Option<Output> {
    match command.output() {
        Ok(output) => Some(output),
        Err(e) => {
            println!("skipped: {command:?}: {e}");
            None
        }
    }
}
