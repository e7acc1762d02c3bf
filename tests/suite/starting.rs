//! A start that takes long: clients that connect meanwhile learn how far it has come, and are served afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::message::kind;
use editd_proto::socket_path;
use editd_tests::client::{Client, RequestFailure};
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, wait};
use serde_json::json;

/// The number of jobs by which the log grows before each start.
const JOBS: usize = 400;
/// The number of starts after which the test gives up. The log then has so many jobs that no machine reads it in 300 ms.
const STARTS: usize = 40;

fn state(daemon: &TestDaemon) -> PathBuf {
    daemon.folder("state").join("editd").join(socket_path::tag(daemon.workspace()))
}

/// Returns the first refusal of a client that connects again and again until `ended`.
fn first_refusal(socket: &Path, ended: &AtomicBool) -> Option<RequestError> {
    while !ended.load(Ordering::Relaxed) {
        if let Err(RequestFailure::Refused(error)) = Client::connect(socket, "early") {
            return Some(*error);
        }
        wait::pause(Duration::from_millis(5));
    }
    None
}

#[test]
fn clients_of_a_long_start_learn_how_far_it_has_come() {
    let mut daemon = TestDaemon::new();
    for start in 0..STARTS {
        daemon.start();
        let mut client = daemon.client("a");
        for number in 0..JOBS {
            let job = jobs::write(&format!("{start}/{number}.txt"), &"some text\n".repeat(40));
            jobs::applied(&client.ask_json(kind::EDIT, &jobs::with(job, "durability", json!("relaxed"))));
        }
        drop(client);
        daemon.stop();
        fs::remove_dir_all(state(&daemon).join("sled")).unwrap();
        let (socket, ended, mut editctl) = (daemon.socket(), AtomicBool::new(false), daemon.editctl());
        let refused = thread::scope(|scope| {
            let early = scope.spawn(|| {
                let refused = first_refusal(&socket, &ended)?;
                // It waits until it is served.
                Some((refused, editctl.args(["--no-spawn", "status"]).output().unwrap()))
            });
            daemon.start();
            ended.store(true, Ordering::Relaxed);
            early.join().unwrap()
        });
        daemon.stop();
        let Some((refused, status)) = refused else { continue };
        assert_eq!(refused.code, ErrorCode::Starting, "{refused:?}");
        assert!(refused.message.starts_with("editd is starting: "), "{refused:?}");
        assert!(status.status.success(), "{status:?}");
        let said = daemon.said();
        assert!(said.contains("starting: "), "{said}");
        return;
    }
    panic!("each start was short");
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_that_is_started_on_a_terminal_writes_its_log_there() {
    use std::io::Read;

    let daemon = TestDaemon::new();
    let (mut terminal, side) = crate::terminal::open();
    let mut command = daemon.command(editd_tests::binaries::editd());
    command.args(["--idle-exit", "1s", "--workspace"]).arg(daemon.workspace());
    let mut child = command.stderr(side).spawn().unwrap();
    drop(command);
    let (mut shown, mut part) = (Vec::new(), [0; 4096]);
    // The last read fails: no process has the other side open any more.
    while let Ok(count @ 1..) = terminal.read(&mut part) {
        shown.extend_from_slice(&part[..count]);
    }
    let (status, shown) = (child.wait().unwrap(), String::from_utf8(shown).unwrap());
    assert!(status.success() && shown.contains("INFO serving"), "{status} {shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}
