//! The file system of a folder, and its journal if it has one: a flush costs several times as much with one.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A mounted file system.
pub(crate) struct MountedSystem {
    pub(crate) kind: String,
    pub(crate) device: String,
    pub(crate) options: String,
    /// `yes`, `no` or `unknown`, and how it is known.
    pub(crate) journal: String,
}

/// Returns the file system of a folder.
pub(crate) fn of(folder: &Path) -> MountedSystem {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mount = mounts
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .filter(|fields| fields.len() > 3 && folder.starts_with(fields[1]))
        .max_by_key(|fields| fields[1].len());
    let Some(fields) = mount else {
        let unknown = || "unknown".to_owned();
        return MountedSystem { kind: unknown(), device: unknown(), options: unknown(), journal: unknown() };
    };
    MountedSystem {
        kind: fields[2].to_owned(),
        device: fields[0].to_owned(),
        options: fields[3].to_owned(),
        journal: journal(fields[2], fields[0]),
    }
}

fn journal(kind: &str, device: &str) -> String {
    match kind {
        "ext4" | "ext3" => ext4(device).unwrap_or_else(|| "unknown".to_owned()),
        "ext2" | "tmpfs" | "ramfs" | "vfat" => format!("no ({kind} has none)"),
        "xfs" | "jfs" => format!("yes ({kind} always has one)"),
        "btrfs" | "zfs" | "bcachefs" => format!("no ({kind} copies on write, and logs what is flushed)"),
        _ => "unknown".to_owned(),
    }
}

/// Asks the superblock, which needs the right to read the device; otherwise the list of the kernel's journals.
fn ext4(device: &str) -> Option<String> {
    let told = Command::new("dumpe2fs").args(["-h", device]).output();
    if let Some(told) = told.ok().filter(|told| told.status.success()) {
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        let features = text.lines().find_map(|line| line.strip_prefix("Filesystem features:"))?;
        let has = features.split_whitespace().any(|feature| feature == "has_journal");
        return Some(format!("{} (superblock)", if has { "yes" } else { "no" }));
    }
    let name = device.rsplit('/').next()?;
    let journals = fs::read_dir("/proc/fs/jbd2").ok()?;
    let has = journals.flatten().any(|entry| {
        let is_of = |text: &str| text == name || text.starts_with(&format!("{name}-"));
        entry.file_name().to_str().is_some_and(is_of)
    });
    Some(format!("{} (the kernel's list of journals)", if has { "yes" } else { "no" }))
}
