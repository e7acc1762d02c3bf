//! Tests of starting a daemon: inherited descriptors, repeated starts, and giving up.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use editd_proto::socket_path;
use editd_proto::{ErrorCode, RequestError};

use super::attempt::nobody;
use super::{
    ConnectAttempt, ConnectWait, DaemonStart, ReachError, STARTS, StoppingDaemon, spawn, until_decided,
};
use crate::machine;

fn starting<'a>(program: &'a Path, folder: &'a Path) -> DaemonStart<'a> {
    DaemonStart { program, workspace: folder, state_home: Some(folder), socket: None }
}

fn a_minute() -> ConnectWait {
    ConnectWait::begin(Duration::from_secs(60), |_| {})
}

fn fifo(path: &Path) {
    // Not every system has a call for it in rustix; the command is POSIX.
    let made = std::process::Command::new("mkfifo").args(["-m", "600"]).arg(path).status().unwrap();
    assert!(made.success(), "mkfifo {}", path.display());
}

#[test]
fn a_daemon_has_its_own_session_and_holds_nothing_of_its_starters() {
    let folder = tempfile::tempdir().unwrap();
    let gate = folder.path().join("gate");
    fifo(&gate);
    let (mut reader, writer) = std::io::pipe().unwrap();
    rustix::io::fcntl_setfd(&writer, rustix::io::FdFlags::empty()).unwrap();

    let words = ["-c", "cat <gate; echo last words >&2; exit 7"].map(AsRef::as_ref);
    let mut spawned =
        spawn::detached(Path::new("/bin/sh"), &words, folder.path(), Some(folder.path())).unwrap();
    let pid = rustix::process::Pid::from_raw(spawned.id().unwrap().cast_signed());
    assert_eq!(rustix::process::getsid(pid).unwrap(), pid.unwrap());
    drop(writer);
    let mut rest = Vec::new();
    // Would block forever if the child, which waits at the gate, had the pipe open.
    reader.read_to_end(&mut rest).unwrap();
    assert!(spawned.left().is_none());

    std::fs::OpenOptions::new().write(true).open(&gate).unwrap().write_all(b"go").unwrap();
    assert_eq!(spawned.wait().unwrap().code(), Some(7));
    assert_eq!(spawned.last_words(), Some("last words".into()));
}

#[test]
fn the_log_is_private_and_only_new_words_are_the_last() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home/state");
    let run = |script: &str| {
        let words = ["-c", script].map(AsRef::as_ref);
        let mut spawned = spawn::detached(Path::new("/bin/sh"), &words, folder.path(), Some(&home)).unwrap();
        spawned.wait().unwrap();
        spawned.last_words()
    };
    assert_eq!(run("printf 'one\\ntwo\\033[31m\\n\\n' >&2"), Some("two[31m".into()));
    assert_eq!(run("true"), None);
    let complaint = "T  WARN one\\nT ERROR /w/.editd.toml is not valid\\nline 3\\n  |\\nerror: unclosed";
    assert_eq!(
        run(&format!("printf '{complaint}\\n' >&2")),
        Some("/w/.editd.toml is not valid\nline 3\n  |\nerror: unclosed".into())
    );
    let editd = home.join("editd");
    assert_eq!(std::fs::metadata(&editd).unwrap().permissions().mode() & 0o777, 0o700);
    let own: PathBuf = std::fs::read_dir(&editd).unwrap().next().unwrap().unwrap().path();
    assert_eq!(std::fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    let log = own.join("daemon.log");
    assert_eq!(std::fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::write(&log, vec![b'x'; 300 * 1024]).unwrap();
    assert_eq!(run("echo fresh >&2"), Some("fresh".into()));
    assert_eq!(std::fs::read(&log).unwrap(), b"fresh\n");
    assert!(own.join("daemon.log.old").metadata().unwrap().len() > 1000);
}

#[test]
fn the_log_is_not_written_through_a_link_or_into_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("editd").join(socket_path::tag(folder.path()));
    std::fs::create_dir_all(&own).unwrap();
    let (log, other) = (own.join("daemon.log"), folder.path().join("other"));
    std::fs::write(&other, vec![b'x'; 300 * 1024]).unwrap();
    let forms: [&dyn Fn(); 4] = [
        &|| std::os::unix::fs::symlink(&other, &log).unwrap(),
        &|| std::os::unix::fs::symlink(folder.path().join("none"), &log).unwrap(),
        &|| fifo(&log),
        &|| std::fs::create_dir(&log).unwrap(),
    ];
    for make in forms {
        make();
        let error = starting(Path::new("/bin/true"), folder.path()).start().unwrap_err();
        assert!(matches!(&error, ReachError::ForeignLog(named) if *named == log), "{error}");
        assert_eq!(std::fs::metadata(&other).unwrap().len(), 300 * 1024);
        assert!(!folder.path().join("none").exists());
        std::fs::remove_file(&log).or_else(|_| std::fs::remove_dir(&log)).unwrap();
    }
}

#[test]
fn a_program_that_always_leaves_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new("/bin/false");
    let start = starting(program, folder.path());
    let ended = start.until_served(|| Ok(ConnectAttempt::<()>::Nobody), Path::new("/s"), &mut a_minute());
    assert!(matches!(ended, Err(ReachError::Left { status, .. }) if status.code() == Some(1)), "{ended:?}");
}

#[test]
fn whoever_serves_in_the_end_is_taken_though_our_own_start_failed() {
    let folder = tempfile::tempdir().unwrap();
    let start = starting(Path::new("/bin/false"), folder.path());
    let mut attempts = 0;
    let ended = start.until_served(
        || {
            attempts += 1;
            Ok(if attempts > STARTS - 1 {
                ConnectAttempt::Reached(Box::new("another's"))
            } else {
                ConnectAttempt::Nobody
            })
        },
        Path::new("/s"),
        &mut a_minute(),
    );
    assert_eq!(ended.unwrap(), "another's");
}

#[test]
fn one_that_finds_the_workspace_occupied_is_tried_again_until_the_other_has_left() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("editd");
    // Another process writes the program, so that this one does not have it open for writing when it is started.
    let script = format!("printf '#!/bin/sh\\nexit {}\\n' > editd; chmod 700 editd", socket_path::OCCUPIED);
    let words = ["-c", &script].map(AsRef::as_ref);
    spawn::detached(Path::new("/bin/sh"), &words, folder.path(), None).unwrap().wait().unwrap();
    assert_eq!(std::fs::metadata(&program).unwrap().permissions().mode() & 0o777, 0o700);
    let mut attempts = 0;
    let ended = starting(&program, folder.path()).until_served(
        || {
            attempts += 1;
            Ok(if attempts > STARTS * 3 {
                ConnectAttempt::Reached(Box::new("served"))
            } else {
                ConnectAttempt::Leaving
            })
        },
        Path::new("/s"),
        &mut a_minute(),
    );
    assert_eq!(ended.unwrap(), "served");
}

#[test]
fn a_program_that_never_listens_is_too_late() {
    let folder = tempfile::tempdir().unwrap();
    // Exits at once with success, as a daemon does that is stopped during its start.
    let start = starting(Path::new("/bin/false"), folder.path());
    let mut wait = ConnectWait::begin(Duration::ZERO, |_| {});
    let ended = start.until_served(|| Ok(ConnectAttempt::<()>::Nobody), Path::new("/s"), &mut wait);
    assert!(matches!(ended, Err(ReachError::TooLate { .. })), "{ended:?}");
}

#[test]
fn a_missing_program_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("editd");
    let start = starting(&program, folder.path());
    let ended = start.until_served(|| Ok(ConnectAttempt::<()>::Nobody), Path::new("/s"), &mut a_minute());
    assert!(matches!(ended, Err(ReachError::CannotStart { program: named, .. }) if named == program));
}

#[test]
fn a_stranger_or_a_broken_daemon_is_not_replaced() {
    assert!(nobody(ErrorKind::NotFound) && nobody(ErrorKind::ConnectionRefused));
    assert!(!nobody(ErrorKind::PermissionDenied) && !nobody(ErrorKind::TimedOut));
}

/// Simulates a daemon that has claimed a socket and wrote this word into its lock.
fn claimed(socket: &Path, word: &str) -> std::fs::File {
    let lock = std::fs::File::create(socket_path::lock(socket)).unwrap();
    lock.lock().unwrap();
    (&lock).write_all(word.as_bytes()).unwrap();
    lock
}

#[test]
fn none_is_started_until_the_last_one_has_left() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let mut held = Some(claimed(&socket, "leaving 7\n"));
    // Its time limit must not expire meanwhile, and a start would fail.
    let start = starting(Path::new("/bin/false"), folder.path());
    let mut attempts = 0;
    let ended = start.until_served(
        || {
            attempts += 1;
            if attempts == 8 {
                held = None;
            }
            Ok(ConnectAttempt::<()>::Nobody)
        },
        &socket,
        &mut ConnectWait::begin(Duration::ZERO, |_| {}),
    );
    assert!(attempts > 8 && matches!(ended, Err(ReachError::Left { .. })), "{attempts}: {ended:?}");
}

#[test]
fn only_a_lock_that_is_held_and_says_so_is_of_a_daemon_that_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let last = StoppingDaemon::at(&socket, |_| {});
    assert_eq!(last.process(), None, "there is none");
    let held = claimed(&socket, "leaving 7\n");
    assert_eq!(last.process(), Some(7));
    drop(held);
    assert_eq!(last.process(), None, "it was killed while it left");
    for word in ["", "leaving ", "leaving x\n", "going 7\n"] {
        let held = claimed(&socket, word);
        assert_eq!(last.process(), None, "{word:?}");
        drop(held);
    }
}

#[test]
fn a_daemon_with_too_many_connections_is_asked_again_until_it_accepts_one() {
    let busy = || ConnectAttempt::Busy(Box::new(RequestError::new(ErrorCode::Busy, "256 clients")));
    let attempts = std::cell::Cell::new(0);
    let attempt = || {
        attempts.set(attempts.get() + 1);
        Ok(if attempts.get() < 4 { busy() } else { ConnectAttempt::Reached(Box::new("accepted")) })
    };
    let reached = until_decided(attempt, &mut a_minute()).unwrap();
    assert!(matches!(reached, ConnectAttempt::Reached(it) if *it == "accepted"));
    // At the end of its time the client has the daemon's own sentence.
    let ended = until_decided(
        || Ok(ConnectAttempt::<()>::Busy(Box::new(RequestError::new(ErrorCode::Busy, "full")))),
        &mut ConnectWait::begin(Duration::ZERO, |_| {}),
    );
    assert!(matches!(ended.unwrap(), ConnectAttempt::Busy(error) if error.message == "full"));
}

#[test]
fn a_daemon_that_is_starting_is_awaited_as_long_as_it_answers() {
    let starting =
        || ConnectAttempt::Starting(Box::new(RequestError::new(ErrorCode::Starting, "1 of 2 MiB")));
    let attempts = std::cell::Cell::new(0);
    let attempt = || {
        attempts.set(attempts.get() + 1);
        Ok(if attempts.get() < 4 { starting() } else { ConnectAttempt::Reached(Box::new("accepted")) })
    };
    let mut wait = a_minute();
    wait.note(&starting());
    let end = wait.end;
    wait.note(&starting());
    assert!(wait.end >= end);
    // Each answer extends the wait, which would be over by now.
    wait.end = machine::tick();
    wait.note(&starting());
    let reached = until_decided(attempt, &mut wait).unwrap();
    assert!(matches!(reached, ConnectAttempt::Reached(it) if *it == "accepted"));
}

#[test]
fn the_user_is_told_of_a_long_start_once_per_state() {
    static TOLD: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
    let starting =
        |words| ConnectAttempt::<()>::Starting(Box::new(RequestError::new(ErrorCode::Starting, words)));
    let mut wait = ConnectWait::begin(Duration::ZERO, |words| TOLD.lock().unwrap().push(words.to_owned()));
    wait.note(&starting("at once"));
    for words in ["1 of 2 MiB", "1 of 2 MiB", "2 of 2 MiB"] {
        wait.tell_from = machine::tick();
        wait.note(&starting(words));
    }
    assert_eq!(*TOLD.lock().unwrap(), ["1 of 2 MiB", "2 of 2 MiB"]);
}
