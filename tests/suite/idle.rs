//! An idle daemon uses no processor time and little memory, and exits cleanly after its idle time and on signals. The
//! test prints what it measures.

use std::fs;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use editd_proto::message::kind;
use editd_tests::client::{Client, RequestFailure};
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{binaries, jobs, process, wait};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Resident memory that an idle daemon may take, KiB; of a build with optimisation.
const RESIDENT: u64 = 16 * 1024;
/// Memory that it may take for itself in any build, KiB. The pages of its program are more, are shared, and depend on the build.
const PRIVATE: u64 = 8 * 1024;
/// For how long it must use no processor time.
const REST: Duration = Duration::from_secs(5);

/// Waits until nothing is unsettled, seen by a connection that is closed again.
fn settled(daemon: &TestDaemon) {
    wait::until("all is settled", wait::LONG, || {
        let status = daemon.client("look").ask_json(kind::STATUS, &json!({}));
        (status["unsettled"] == 0).then_some(())
    });
}

fn staged(daemon: &TestDaemon) -> usize {
    fs::read_dir(daemon.workspace().join(".editd/staging")).unwrap().count()
}

fn send(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

#[test]
fn an_idle_daemon_uses_no_time_and_little_memory() {
    let daemon = TestDaemon::started();
    let mut client = daemon.client("a");
    for n in 0..100 {
        let name = format!("f{}.txt", n % 10);
        jobs::applied(&client.ask_json(kind::EDIT, &jobs::write(&name, &format!("{n}\n").repeat(500))));
    }
    settled(&daemon);
    let pid = daemon.pid();
    // Threads that have had nothing to do end within seconds, on a busy machine later, and the end of one may complete a tick.
    // A daemon that works while it is idle completes one in every such time.
    wait::until("a daemon with an idle client uses no time", wait::LONG, || {
        let before = process::cpu_ticks(pid)?;
        let start = Instant::now();
        wait::until("some time passes", wait::LONG, || (start.elapsed() > REST).then_some(()));
        (process::cpu_ticks(pid)? == before).then_some(())
    });
    let kib = process::resident_kib(pid).unwrap();
    let private = process::private_kib(pid).unwrap();
    let threads = process::threads(pid).unwrap();
    println!("idle after 100 edits: {kib} KiB resident, {private} of them its own, {threads} threads");
    assert!(private <= PRIVATE, "{private} KiB");
    // A build without optimisation is several times as large on disk, and so in memory.
    if binaries::editd().parent().is_some_and(|folder| folder.ends_with("release")) {
        assert!(kib <= RESIDENT, "{kib} KiB resident");
    }
}

#[cfg(target_env = "gnu")]
#[test]
fn memory_of_large_files_is_returned() {
    let daemon = TestDaemon::started();
    daemon.put("large.txt", "a line of text in a large file\n".repeat(250_000));
    let before = process::resident_kib(daemon.pid()).unwrap();
    std::thread::scope(|scope| {
        for nth in 0..8 {
            let daemon = &daemon;
            scope.spawn(move || {
                let mut client = daemon.client(&format!("reader {nth}"));
                for _ in 0..3 {
                    let read = client.ask_json(kind::READ, &json!({"path": "large.txt"}));
                    assert_eq!(read["lines"], 250_000);
                }
            });
        }
    });
    let peak = process::peak_kib(daemon.pid()).unwrap();
    wait::until("memory goes back", wait::LONG, || {
        let now = process::resident_kib(daemon.pid())?;
        (now <= before + 12 * 1024).then(|| println!("{before} KiB, at most {peak}, {now} at rest"))
    });
}

#[test]
fn the_daemon_exits_after_its_idle_time_and_not_before() {
    let mut daemon = TestDaemon::new().with_options(&["--idle-exit", "1"]);
    daemon.start();
    let mut client = daemon.client("a");
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(3) {
        jobs::applied(&client.ask_json(kind::EDIT, &jobs::append("a.txt", "x\n")));
    }
    drop(client);
    let gone = Instant::now();
    let socket = daemon.socket();
    wait::until("the socket goes", wait::LONG, || (!socket.exists()).then_some(()));
    assert!(gone.elapsed() >= Duration::from_millis(900), "it left after {:?}", gone.elapsed());
    assert_eq!(daemon.wait().code(), Some(0), "{}", daemon.said());
    assert_eq!((staged(&daemon), daemon.said().contains("ERROR")), (0, false), "{}", daemon.said());
}

/// A job that takes a while: the first byte of a large file, as a pattern finds it.
fn slow(daemon: &TestDaemon) -> Value {
    daemon.put("large.txt", "some text to be looked at and a word\n".repeat(600_000));
    let edit = json!({"op": "substitute", "pattern": "(?:[a-z]+ )+word", "replacement": "x", "regex": true,
        "count": 1});
    jobs::with(jobs::one("large.txt", edit), "diff", json!(false))
}

#[test]
fn sigterm_finishes_running_jobs_settles_and_exits_with_0() {
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("a");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "settled at the end\n")));
    let id = client.send(kind::EDIT, &slow(&daemon)).unwrap();
    // It has begun once the daemon counts it.
    wait::until("the job runs", wait::LONG, || {
        let status = daemon.client("look").ask_json(kind::STATUS, &json!({}));
        (status["queue"] == 1).then_some(())
    });
    let status: ExitStatus = daemon.stop();
    assert_eq!(status.code(), Some(0), "{}", daemon.said());
    let reply = client.receive().unwrap();
    assert_eq!(reply.id(), id);
    jobs::applied(&reply.body().unwrap());
    let last = client.receive().unwrap();
    let word: editd_proto::RequestError = last.body().unwrap();
    assert_eq!(
        (last.id(), word.code),
        (0, editd_proto::ErrorCode::Stopping),
        "what was not answered was not done"
    );
    assert!(matches!(client.receive(), Err(RequestFailure::Lost(_))));
    assert!(daemon.get("large.txt").starts_with(b"x\n"));
    assert_eq!(staged(&daemon), 0, "nothing is left in the staging folder");
    assert!(!daemon.socket().exists());
    daemon.start();
    assert!(!daemon.said().contains("recovery"), "there was nothing to recover: {}", daemon.said());
    jobs::applied(&daemon.client("a").ask_json(kind::UNDO, &json!({})));
}

#[test]
fn a_second_sigterm_exits_sooner_and_loses_no_acknowledged_job() {
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("a");
    for n in 0..30 {
        jobs::applied(&client.ask_json(kind::EDIT, &jobs::append("a.txt", &format!("{n}\n"))));
    }
    let text = daemon.get("a.txt");
    for _ in 0..4 {
        client.send(kind::EDIT, &slow(&daemon)).unwrap();
    }
    let pid = daemon.pid();
    send(pid, Signal::TERM);
    wait::until("the first is heard", wait::LONG, || daemon.said().contains("asked to stop").then_some(()));
    send(pid, Signal::TERM);
    // The code says whether it came to its end by itself; either way it leaves.
    let status = daemon.wait();
    assert!(status.code().is_some(), "it leaves by itself: {status}");
    daemon.start();
    assert_eq!(daemon.get("a.txt"), text);
    let mut client = daemon.client("a");
    let log = client.ask_json(kind::HISTORY, &json!({"path": "a.txt"}));
    assert_eq!(log["entries"].as_array().unwrap().len(), 30);
    let large = daemon.get("large.txt");
    assert!(large.starts_with(b"x\n") || large.starts_with(b"some text"));
    assert!(large.ends_with(b"and a word\n"));
}

#[test]
fn stop_is_answered_and_then_done() {
    let mut daemon = TestDaemon::started();
    let mut client = daemon.client("a");
    jobs::applied(&client.ask_json(kind::EDIT, &jobs::write("a.txt", "x\n")));
    assert_eq!(client.ask_json("stop", &json!({}))["pid"], daemon.pid());
    let status = daemon.wait();
    assert_eq!((status.code(), staged(&daemon)), (Some(0), 0), "{}", daemon.said());
    assert!(Client::connect(&daemon.socket(), "late").is_err());
}

#[test]
fn a_second_daemon_for_the_same_workspace_exits() {
    let daemon = TestDaemon::started();
    let mut command: Command = daemon.command(binaries::editd());
    let second = command.arg("--workspace").arg(daemon.workspace()).output().unwrap();
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(i32::from(editd_proto::socket_path::OCCUPIED)), "{said}");
    let status = daemon.client("a").ask_json(kind::STATUS, &json!({}));
    assert_eq!(status["pid"], daemon.pid());
}
