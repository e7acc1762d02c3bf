//! Starts a daemon that continues to run after its starter has exited. It has no terminal, inherits no descriptors and
//! writes to a log file. This module does not wait for it.
//!
//! A program that captures our output waits until all copies of its pipe are closed, so the daemon must not inherit
//! any. Its standard descriptors are replaced, and all other descriptors are closed.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the only module of the client that starts processes, and creates their log"
)]

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use editd_proto::socket_path;
use editd_proto::system_error::in_words;

use crate::machine;

/// The name of the log in the state folder of the workspace.
const LOG: &str = "daemon.log";

/// Size of the log in bytes from which a new one is started. One old log is kept.
const LOG_FULL: u64 = 256 * 1024;

/// Number of bytes at the end of the log that are searched for an error.
const TAIL: u64 = 2048;

/// Number of lines at the end of the log that are searched for an error.
const LAST_LINES: usize = 16;

/// The level of an error in the log, which follows the time.
const COMPLAINT: &str = " ERROR ";

/// Variables that a service manager sets for the process that it starts. A daemon that inherited them would report its
/// state in the name of that process.
const NOT_FOR_CHILDREN: [&str; 7] = [
    "NOTIFY_SOCKET",
    "LISTEN_PID",
    "LISTEN_FDS",
    "LISTEN_FDNAMES",
    "WATCHDOG_USEC",
    "WATCHDOG_PID",
    "JOURNAL_STREAM",
];

/// Runs a program in the place of this one, with its standard input and output. Returns only if the program cannot be
/// started or, on Windows, once it has ended.
pub(super) fn instead(program: &Path, words: &[OsString]) -> io::Result<ExitStatus> {
    let mut command = Command::new(program);
    command.args(words);
    #[cfg(unix)]
    return Err(std::os::unix::process::CommandExt::exec(&mut command));
    #[cfg(not(unix))]
    command.status()
}

/// The error of a daemon that cannot be started.
#[derive(Debug)]
pub(super) enum SpawnError {
    /// Its log is a link, not a file, or another user's.
    ForeignLog(PathBuf),
    /// The error of the system.
    System(io::Error),
}

/// A started daemon.
#[derive(Debug)]
pub(super) struct SpawnedDaemon {
    child: Option<Child>,
    /// Its log and the size that this had before, or the reason why it has none.
    log: Option<Result<(PathBuf, u64), String>>,
}

impl SpawnedDaemon {
    /// Returns the exit status if it has exited.
    pub(super) fn left(&mut self) -> Option<ExitStatus> {
        self.child.as_mut().and_then(|child| child.try_wait().ok().flatten())
    }

    #[cfg(all(test, unix))]
    pub(super) fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    #[cfg(all(test, unix))]
    pub(super) fn wait(&mut self) -> Option<ExitStatus> {
        self.child.as_mut().and_then(|child| child.wait().ok())
    }

    /// Returns the end of its log: all lines from the last error on, else the last line. If it has no log, returns the
    /// reason, which is then also that of its exit.
    pub(super) fn last_words(&self) -> Option<String> {
        let (path, from) = match self.log.as_ref()? {
            Ok(log) => log,
            Err(why) => return Some(shown(why)),
        };
        let mut file = File::open(path).ok()?;
        let size = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(size.saturating_sub(TAIL).max(*from))).ok()?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        // An error may have several lines, and show a place in a line of a file.
        let lines = text.lines().rev().map(str::trim_end).filter(|line| !line.is_empty());
        let mut words: Vec<&str> = Vec::new();
        for line in lines.take(LAST_LINES) {
            words.push(line);
            if let Some((_, complaint)) = line.split_once(COMPLAINT) {
                words.pop();
                words.push(complaint);
                words.reverse();
                return Some(shown(&words.join("\n")));
            }
        }
        words.first().map(|last| shown(last))
    }
}

impl Drop for SpawnedDaemon {
    /// The daemon continues to run. A thread waits for its exit, so that a program that uses this library for days
    /// keeps no zombie process.
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take()
            && !matches!(child.try_wait(), Ok(Some(_)))
        {
            // Without a thread the zombie exists until this process ends, which does no harm.
            let _ = std::thread::Builder::new().stack_size(64 * 1024).spawn(move || child.wait());
        }
    }
}

/// Removes control characters.
fn shown(words: &str) -> String {
    words.chars().filter(|c| !c.is_control() || *c == '\n').collect()
}

/// Starts `program` for `workspace`, detached. Its log is in the folder of the workspace in `state_home`.
pub(super) fn detached(
    program: &Path,
    words: &[&OsStr],
    workspace: &Path,
    state_home: Option<&Path>,
) -> Result<SpawnedDaemon, SpawnError> {
    let log = state_home.map(|home| log_file(home, workspace)).transpose()?;
    let mut command = Command::new(program);
    command.args(words).current_dir(workspace).stdin(Stdio::null()).stdout(Stdio::null());
    for name in NOT_FOR_CHILDREN {
        command.env_remove(name);
    }
    let (file, place) = match log {
        Some(Ok((file, path, size))) => (Stdio::from(file), Some(Ok((path, size)))),
        Some(Err(why)) => (Stdio::null(), Some(Err(why))),
        None => (Stdio::null(), None),
    };
    command.stderr(file);
    own_session(&mut command);
    let child = command.spawn().map_err(SpawnError::System)?;
    Ok(SpawnedDaemon { child: Some(child), log: place })
}

/// Runs `program` until it exits. Returns its standard output, or the last line of its standard error if it failed.
pub(super) fn awaited(program: &Path, words: &[&OsStr]) -> io::Result<Result<Vec<u8>, String>> {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
    for name in NOT_FOR_CHILDREN {
        command.env_remove(name);
    }
    let output = command.output()?;
    if output.status.success() {
        return Ok(Ok(output.stdout));
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it gave no reason");
    Ok(Err(shown(last.strip_prefix("editd: ").unwrap_or(last))))
}

/// Opens the log for appending. Returns the reason if the state folder is unusable: the daemon cannot use it, either, and has
/// no place to say so.
///
/// # Errors
/// The log is a link, not a file, or another user's: nothing is written through it.
fn log_file(state_home: &Path, workspace: &Path) -> Result<Result<(File, PathBuf, u64), String>, SpawnError> {
    let folder = state_home.join("editd").join(socket_path::tag(workspace));
    let unusable = |error: &io::Error| {
        let variable = if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_STATE_HOME" };
        format!(
            "its state folder {} cannot be used: {}; set {variable} to a folder in which you may write",
            folder.display(),
            in_words(error)
        )
    };
    if let Err(error) = make_private(&folder) {
        return Ok(Err(unusable(&error)));
    }
    let path = folder.join(LOG);
    match std::fs::symlink_metadata(&path) {
        Ok(found) if !is_own_file(&found) => return Err(SpawnError::ForeignLog(path)),
        Ok(found) if found.len() >= LOG_FULL => {
            // Two starters may do this at the same time. The second then moves a new log, and only an old one is lost.
            let _ = std::fs::rename(&path, folder.join(format!("{LOG}.old")));
        }
        _ => {}
    }
    // What another program has put there meanwhile is not followed either.
    match append_to(&path).and_then(|file| file.metadata().map(|found| (file, found))) {
        Err(error) => Ok(Err(unusable(&error))),
        Ok((file, found)) if is_own_file(&found) => Ok(Ok((file, path, found.len()))),
        Ok(_) => Err(SpawnError::ForeignLog(path)),
    }
}

/// Returns true for a regular file that belongs to the user.
fn is_own_file(found: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    let is_own = std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    let is_own = true;
    found.is_file() && is_own
}

/// Returns the state folder of the user, if the environment names one.
#[cfg(unix)]
pub(super) fn state_home() -> Option<PathBuf> {
    let absolute = |value: std::ffi::OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    machine::variable("XDG_STATE_HOME")
        .and_then(absolute)
        .or_else(|| machine::variable("HOME").map(|home| Path::new(&home).join(".local/state")))
}

/// Returns the state folder of the user, if the environment names one.
#[cfg(not(unix))]
pub(super) fn state_home() -> Option<PathBuf> {
    machine::variable("LOCALAPPDATA").map(PathBuf::from)
}

#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).create(folder)
}

/// Opens a file for appending. It follows no link, and does not wait for the reader of a pipe.
#[cfg(unix)]
fn append_to(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    File::options().append(true).create(true).mode(0o600).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn append_to(path: &Path) -> io::Result<File> {
    File::options().append(true).create(true).open(path)
}

/// Gives the child a session of its own, so that no hang-up or Ctrl-C of a terminal reaches it, and closes all
/// inherited descriptors.
#[cfg(unix)]
#[expect(unsafe_code, reason = "std has no safe way to call setsid between fork and exec")]
fn own_session(command: &mut Command) {
    use rustix::io::{FdFlags, fcntl_setfd};
    use std::os::fd::BorrowedFd;
    use std::os::unix::process::CommandExt;

    let inherited = open_descriptors();
    let prepare = move || {
        // It fails only for the leader of a process group, which a new child is not.
        let _ = rustix::process::setsid();
        for &number in &inherited {
            // SAFETY: the number is above 2 and used for one system call, which returns EBADF if it is not open (the
            // descriptor of the listing itself). Nothing is closed here, so the descriptors that std needs until exec
            // stay usable.
            let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
            let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure only makes system calls (setsid, fcntl) and reads a list that was
    // created before. It allocates nothing, takes no lock and cannot panic.
    unsafe { command.pre_exec(prepare) };
}

/// Returns the open descriptors above the standard three, or none if the system does not list them.
#[cfg(unix)]
fn open_descriptors() -> Vec<i32> {
    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let Ok(listed) = std::fs::read_dir(folder) else { return Vec::new() };
    let numbers = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|&number| number > 2).collect()
}

/// Gives the child no console, and a process group of its own, so that no Ctrl-C reaches it. The standard handles of this
/// process are not passed on: a child inherits every handle that may be inherited.
#[cfg(windows)]
#[expect(unsafe_code, reason = "std has no way to say that a handle is not inherited")]
fn own_session(command: &mut Command) {
    use std::os::windows::io::AsRawHandle;
    use std::os::windows::process::CommandExt;
    use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    let standard = [io::stdin().as_raw_handle(), io::stdout().as_raw_handle(), io::stderr().as_raw_handle()];
    for handle in standard.into_iter().filter(|handle| !handle.is_null()) {
        // SAFETY: the handle is a standard one of this process, and only its flag is set. It fails for a console, which
        // the child does not get.
        unsafe { SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0) };
    }
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}
