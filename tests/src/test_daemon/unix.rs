//! The parts of a test daemon that differ between systems, on Unix.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use editd_proto::socket_path::{self, SocketEnvironment};
use rustix::process::{Pid, Signal, kill_process};

use super::TestDaemon;
use crate::{process, wait};

/// Makes a folder, which is private if asked.
pub(super) fn make_folder(folder: &Path, private: bool) -> std::io::Result<()> {
    DirBuilder::new().mode(if private { 0o700 } else { 0o755 }).recursive(true).create(folder)
}

/// Returns the path of the daemon's socket.
pub(super) fn address(daemon: &TestDaemon) -> PathBuf {
    let run = daemon.folder("run");
    let around =
        SocketEnvironment { runtime_dir: Some(run.as_os_str()), uid: rustix::process::geteuid().as_raw() };
    socket_path::socket(&around, daemon.workspace()).expect("a temporary folder's path is short")
}

/// Asks the daemon to stop, as a service manager does.
pub(super) fn ask_to_stop(daemon: &TestDaemon) {
    signal(daemon.pid(), Signal::TERM);
}

/// Ends the daemons that `editctl` started: those that carry the run folder of this workspace in their environment.
pub(super) fn end_others(daemon: &TestDaemon) {
    let run = daemon.folder("run");
    wait::until("every daemon of a test has left", wait::LONG, || {
        let left = process::with_variable("XDG_RUNTIME_DIR", &run);
        left.iter().for_each(|pid| signal(*pid, Signal::KILL));
        left.is_empty().then_some(())
    });
}

fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // It may have left meanwhile.
        let _ = kill_process(pid, signal);
    }
}
