//! Loop devices and mounts, made for one test and taken away with it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use fuser::{BackgroundSession, Config, MountOption, spawn_mount};

use super::faults::DiskFaults;
use super::operation_log::{DiskPages, OperationLog};
use super::recorder::{DISK, RecordingDisk, SharedLog, lock};
use crate::wait;

/// The name of the image of a disk after a cut.
pub(super) const IMAGE: &str = "cut";

/// A file system to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileSystem {
    /// With its journal.
    Ext4,
    /// XFS.
    Xfs,
    /// btrfs.
    Btrfs,
}

impl FileSystem {
    fn name(self) -> &'static str {
        match self {
            Self::Ext4 => "ext4",
            Self::Xfs => "xfs",
            Self::Btrfs => "btrfs",
        }
    }

    fn maker(self) -> &'static str {
        match self {
            Self::Ext4 => "mkfs.ext4",
            Self::Xfs => "mkfs.xfs",
            Self::Btrfs => "mkfs.btrfs",
        }
    }

    /// Words that keep it from discarding, and from writing in the background later.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Ext4 => &["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"],
            Self::Xfs | Self::Btrfs => &["-q", "-f", "-K"],
        }
    }

    /// Options of a mount. XFS otherwise refuses a disk while the one before the cut is still in use somewhere, since both
    /// have one identity.
    fn mount_options(self) -> &'static [&'static str] {
        match self {
            Self::Xfs => &["-o", "nouuid"],
            Self::Ext4 | Self::Btrfs => &[],
        }
    }

    /// Bytes that it needs.
    fn size(self) -> u64 {
        match self {
            Self::Ext4 => 96 << 20,
            Self::Xfs => 320 << 20,
            Self::Btrfs => 256 << 20,
        }
    }
}

/// Returns the reason if power cannot be cut here.
#[must_use]
pub fn absent(kind: FileSystem) -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("loop devices need root".to_owned());
    }
    for device in ["/dev/fuse", "/dev/loop-control"] {
        if !Path::new(device).exists() {
            return Some(format!("{device} is absent"));
        }
    }
    let found = |tool: &str| {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let usual = ["/sbin", "/usr/sbin"].map(PathBuf::from);
        std::env::split_paths(&folders).chain(usual).any(|folder| folder.join(tool).exists())
    };
    let tools = [kind.maker(), "losetup", "mount", "umount"];
    tools.into_iter().find(|tool| !found(tool)).map(|tool| format!("{tool} is not installed"))
}

fn run(tool: &str, words: &[&str]) -> Result<String, String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(tool).args(words).env("PATH", format!("{path}:/sbin:/usr/sbin")).output();
    let output = output.map_err(|e| format!("{tool}: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(format!("{tool} {words:?}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary folder's path is text")
}

/// A file system on a loop device; taken away when it is dropped.
pub struct LoopMount {
    folder: PathBuf,
    device: String,
}

impl LoopMount {
    pub(super) fn new(file: &Path, kind: FileSystem, folder: &Path) -> Result<Self, String> {
        let device = run("losetup", &["--find", "--show", text(file)])?;
        let mounted = Self { folder: folder.to_owned(), device };
        let words = [&["-t", kind.name()], kind.mount_options(), &[&mounted.device, text(folder)]].concat();
        run("mount", &words)?;
        Ok(mounted)
    }
}

impl Drop for LoopMount {
    fn drop(&mut self) {
        // Whoever was killed a moment ago may still be leaving.
        wait::until("the file system is free", wait::LONG, || match run("umount", &[text(&self.folder)]) {
            Err(busy) if busy.contains("busy") => None,
            _ => Some(()),
        });
        if let Err(error) = run("losetup", &["--detach", &self.device]) {
            eprintln!("{error}");
        }
    }
}

/// A mounted file system whose disk is recorded.
pub struct Recording {
    mounted: Option<LoopMount>,
    session: Option<BackgroundSession>,
    log: SharedLog,
    faults: DiskFaults,
}

impl Recording {
    /// Makes a file system and mounts it at `top/disk`.
    ///
    /// # Errors
    /// The system error.
    pub fn begin(top: &Path, kind: FileSystem) -> Result<Self, String> {
        let io = |error: std::io::Error| error.to_string();
        let made = top.join("made");
        let file = File::options().read(true).write(true).create_new(true).open(&made).map_err(io)?;
        file.set_len(kind.size()).map_err(io)?;
        run(kind.maker(), &[kind.words(), &[text(&made)]].concat())?;
        let pages = DiskPages::of(&file).map_err(io)?;
        std::fs::remove_file(&made).map_err(io)?;
        Self::on(top, kind, pages)
    }

    /// Mounts what the disk may hold after a cut in the same place, to be recorded from then on.
    ///
    /// # Errors
    /// The system error.
    pub fn again(
        top: &Path,
        kind: FileSystem,
        log: &OperationLog,
        position: usize,
        dice: &mut fastrand::Rng,
    ) -> Result<Self, String> {
        Self::on(top, kind, log.cut(position, dice))
    }

    fn on(top: &Path, kind: FileSystem, pages: DiskPages) -> Result<Self, String> {
        let io = |error: std::io::Error| error.to_string();
        let log: SharedLog = Arc::new(Mutex::new(OperationLog::new(pages)));
        let (fuse, disk) = (top.join("fuse"), top.join("disk"));
        for folder in [&fuse, &disk] {
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        let faults = DiskFaults::default();
        let recorder = RecordingDisk { log: Arc::clone(&log), size: kind.size(), faults: faults.clone() };
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("recorder".to_owned()), MountOption::RW];
        let session = spawn_mount(recorder, &fuse, &config).map_err(io)?;
        let mut recording = Self { mounted: None, session: Some(session), log, faults };
        recording.mounted = Some(LoopMount::new(&fuse.join(DISK), kind, &disk)?);
        Ok(recording)
    }

    /// Returns the position in the recording; it advances with it.
    #[must_use]
    pub fn log(&self) -> LogPosition {
        LogPosition(Arc::clone(&self.log))
    }

    /// Returns the faults of the disk.
    #[must_use]
    pub fn faults(&self) -> DiskFaults {
        self.faults.clone()
    }

    /// Unmounts the disk and returns the recording. Later writes are not recorded.
    #[must_use]
    pub fn end(mut self) -> OperationLog {
        self.faults.end();
        let log = std::mem::take(&mut *lock(&self.log));
        // Unmounting still writes: to a disk that holds what it held.
        *lock(&self.log) = log.going_on();
        self.mounted.take();
        if let Some(session) = self.session.take() {
            drop(session);
        }
        log
    }
}

/// The position in a recording that goes on.
#[derive(Clone)]
pub struct LogPosition(SharedLog);

impl LogPosition {
    /// Returns the number of recorded operations.
    #[must_use]
    pub fn now(&self) -> usize {
        lock(&self.0).position()
    }
}

/// Mounts what the disk may hold after a cut, where it was mounted before.
///
/// # Errors
/// The system error.
pub fn mounted(
    top: &Path,
    kind: FileSystem,
    log: &OperationLog,
    position: usize,
    dice: &mut fastrand::Rng,
) -> Result<LoopMount, String> {
    let io = |error: std::io::Error| error.to_string();
    let image = top.join(IMAGE);
    let file = File::options().write(true).create(true).truncate(true).open(&image).map_err(io)?;
    file.set_len(kind.size()).map_err(io)?;
    log.cut(position, dice).fill(&file).map_err(io)?;
    drop(file);
    LoopMount::new(&image, kind, &top.join("disk"))
}
