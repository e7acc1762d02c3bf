//! The parts of a test daemon that differ between systems, on Windows.

use std::path::{Path, PathBuf};

use editd_proto::message::kind;
use editd_proto::{socket_path, windows_user};
use serde_json::{Value, json};

use super::TestDaemon;

/// Makes a folder. It is as private as the folder that it is in.
pub(super) fn make_folder(folder: &Path, _: bool) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// Returns the name of the daemon's pipe.
pub(super) fn address(daemon: &TestDaemon) -> PathBuf {
    let user = windows_user::security_id().expect("a process has a user");
    PathBuf::from(socket_path::pipe(&user, daemon.workspace()))
}

/// Asks the daemon to stop. The system has no signals.
pub(super) fn ask_to_stop(daemon: &TestDaemon) {
    daemon.client("stop").ask_json(kind::STOP, &json!({}));
}

/// Ends the daemon that `editctl` started.
pub(super) fn end_others(daemon: &TestDaemon) {
    if let Ok(mut client) = daemon.try_client("stop") {
        // It may be stopping already.
        let _ = client.ask::<Value>(kind::STOP, &json!({}));
    }
}
