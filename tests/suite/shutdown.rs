//! Shutdown and restart: a folder that is moved or replaced under its daemon, a slow stop, clients that connect
//! during a shutdown or wait for a job, and clients that look for the daemon in another place.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use editd_proto::message::kind;
use editd_proto::socket_path;
use editd_tests::client::{Client, RequestFailure};
use editd_tests::test_daemon::TestDaemon;
use editd_tests::tree::make_fifo;
use editd_tests::{jobs, wait};
use serde_json::{Value, json};

fn run(daemon: &TestDaemon, words: &[&str]) -> Output {
    daemon.editctl().args(words).output().unwrap()
}

/// Returns the output of a command that succeeded.
#[track_caller]
fn done(daemon: &TestDaemon, words: &[&str]) -> String {
    let output = run(daemon, words);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn pid(daemon: &TestDaemon) -> u64 {
    let status: Value = serde_json::from_str(&done(daemon, &["status", "--json"])).unwrap();
    status["pid"].as_u64().unwrap()
}

/// Returns the state folder of the daemon's workspace.
fn state(daemon: &TestDaemon) -> PathBuf {
    fs::read_dir(daemon.folder("state").join("editd")).unwrap().next().unwrap().unwrap().path()
}

/// Moves the workspace away; in its place stands what another clone would bring.
fn replace(daemon: &TestDaemon) -> PathBuf {
    let away = daemon.folder("away");
    fs::rename(daemon.workspace(), &away).unwrap();
    fs::create_dir_all(daemon.workspace().join(".git")).unwrap();
    daemon.put("a.txt", "one\n");
    away
}

#[test]
fn the_next_command_edits_the_folder_that_replaced_the_workspace() {
    let daemon = TestDaemon::new();
    daemon.put("a.txt", "one\n");
    done(&daemon, &["read", "a.txt"]);
    let first = pid(&daemon);
    let away = replace(&daemon);
    done(&daemon, &["replace", "a.txt", "one", "two"]);
    assert_eq!(
        (daemon.get("a.txt"), fs::read(away.join("a.txt")).unwrap()),
        (b"two\n".to_vec(), b"one\n".to_vec())
    );
    assert_ne!(pid(&daemon), first);
    let found = done(&daemon, &["doctor"]);
    assert!(found.contains("folder"), "{found}");

    // Removed, and cloned again.
    fs::remove_dir_all(daemon.workspace()).unwrap();
    daemon.put("a.txt", "cloned\n");
    assert_eq!(done(&daemon, &["read", "a.txt"]), "cloned\n");
}

#[test]
fn clients_connected_when_the_folder_is_replaced_are_refused() {
    let verify = jobs::with(jobs::append("a.txt", "x"), "mode", json!("verify_only"));
    let unchanged = jobs::one("a.txt", json!({ "op": "chmod", "mode": "644" }));
    let missing = jobs::one("a.txt", json!({ "op": "replace", "old": "nowhere", "new": "" }));
    let at = json!({ "path": "a.txt" });
    for (request, body) in [
        (kind::EDIT, jobs::append("a.txt", "lost\n")),
        (kind::EDIT, verify),
        (kind::EDIT, unchanged),
        (kind::EDIT, missing),
        (kind::READ, at.clone()),
        (kind::OUTLINE, at),
        (kind::UNDO, json!({})),
    ] {
        let mut daemon = TestDaemon::started();
        daemon.put("a.txt", "one\n");
        let mut client = daemon.client("s");
        jobs::applied(&client.ask_json(kind::EDIT, &jobs::append("a.txt", "more\n")));
        let away = replace(&daemon);
        let found = client.ask_json(kind::CHECK, &json!({}));
        let folder = &found["findings"][0];
        assert_eq!((&folder["subject"], &folder["severity"]), (&json!("folder"), &json!("bad")), "{found}");
        let refused = client.ask_json(request, &body);
        jobs::refused(&refused, "stopping");
        assert_eq!(daemon.get("a.txt"), b"one\n");
        assert_eq!(fs::read(away.join("a.txt")).unwrap(), b"one\nmore\n");
        // Who comes now finds it leaving.
        match daemon.try_client("late") {
            Err(RequestFailure::Refused(error)) => assert!(error.message.contains("moved"), "{error:?}"),
            Err(RequestFailure::Lost(_)) => {}
            Ok(_) => panic!("it serves a folder that is not there"),
        }
        assert_eq!(daemon.wait().code(), Some(0), "{}", daemon.said());
    }
}

#[test]
fn a_detached_job_that_finds_the_folder_replaced_is_run_by_the_next_daemon() {
    let mut daemon = TestDaemon::started();
    let (gate, mut client, second) = two_jobs(&daemon);
    replace(&daemon);
    gate.open();
    let first = client.receive().unwrap();
    jobs::applied(&first.body().unwrap());
    // It has its turn now, and nobody waits for it.
    assert_eq!(daemon.wait().code(), Some(0), "{}", daemon.said());
    daemon.start();
    let ended = daemon.client("s").ask_json(kind::WAIT, &json!({ "job": second }));
    jobs::applied(&ended);
    assert_eq!(daemon.get("a.txt"), b"one\nsecond\n");
}

/// A job whose hook waits behind a gate, and a detached one that waits for it: its number.
fn two_jobs(daemon: &TestDaemon) -> (HookGate, Client, u64) {
    let gate = HookGate::in_front_of(daemon, "a.txt");
    daemon.put("a.txt", "");
    let mut client = daemon.client("s");
    client.send(kind::EDIT, &jobs::append("a.txt", "first\n")).unwrap();
    gate.reached();
    let detached = jobs::with(jobs::append("a.txt", "second\n"), "detach", json!(true));
    let second = jobs::number(&client.ask_json(kind::EDIT, &detached));
    (gate, client, second)
}

/// A hook that waits until it is let go.
struct HookGate {
    fifo: PathBuf,
    mark: PathBuf,
}

impl HookGate {
    fn in_front_of(daemon: &TestDaemon, files: &str) -> Self {
        let (fifo, mark) = (daemon.folder("home").join("gate"), daemon.workspace().join("mark"));
        make_fifo(&fifo).unwrap();
        let script = format!("touch '{}'; cat '{}'", mark.display(), fifo.display());
        let command = json!(["sh", "-c", script, "sh", "{path}"]);
        let config = format!(
            "[[after_write]]\nname = \"gate\"\nfiles = [\"{files}\"]\ncommand = {command}\ntimeout = \"600s\"\n"
        );
        daemon.put(".editd.toml", config);
        let told = daemon.client("s").ask_json(kind::TRUST, &json!({}));
        let told = daemon.client("s").ask_json(kind::TRUST, &json!({ "hash": told["hash"] }));
        assert_eq!(told["trusted"], true, "{told}");
        Self { fifo, mark }
    }

    fn reached(&self) {
        wait::until("the hook runs", wait::LONG, || self.mark.exists().then_some(()));
    }

    /// Lets the hook go that waits, and none after it.
    fn open(&self) {
        drop(File::options().write(true).open(&self.fifo).unwrap());
    }
}

fn begin(daemon: &TestDaemon, words: &[&str], said: &str) -> Child {
    let said = File::create(daemon.folder("home").join(said)).unwrap();
    daemon.editctl().args(words).stdout(Stdio::piped()).stderr(said).spawn().unwrap()
}

fn said(daemon: &TestDaemon, name: &str, what: &str) {
    let path = daemon.folder("home").join(name);
    wait::until(what, wait::LONG, || {
        fs::read_to_string(&path).unwrap().contains("waiting for ").then_some(())
    });
}

fn is_locked(path: PathBuf) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_err())
}

#[test]
fn stop_returns_after_the_exit_and_new_clients_wait_for_the_next_daemon() {
    let mut daemon = TestDaemon::started();
    let gate = HookGate::in_front_of(&daemon, "a.txt");
    let old = daemon.pid();
    let queued: Value = {
        let job = jobs::with(jobs::append("a.txt", "done\n"), "detach", json!(true));
        daemon.client("s").ask_json(kind::EDIT, &job)
    };
    gate.reached();
    let mut stops = begin(&daemon, &["stop"], "stop");
    said(&daemon, "stop", "it says that the daemon has to finish");
    let lock = socket_path::lock(&daemon.socket());
    assert_eq!(fs::read_to_string(&lock).unwrap(), format!("leaving {old}\n"));
    assert!(!daemon.socket().exists());
    let mut again = begin(&daemon, &["stop", "--json"], "again");
    let mut asks = begin(&daemon, &["status", "--json"], "asks");
    said(&daemon, "again", "another stop waits too");
    said(&daemon, "asks", "who asks is told what is waited for");
    assert_eq!(run(&daemon, &["status", "--no-spawn"]).status.code(), Some(4));
    for waits in [&mut stops, &mut again, &mut asks] {
        assert!(waits.try_wait().unwrap().is_none(), "the daemon has not ended");
    }
    gate.open();
    let out = |child: Child| {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(out(stops), format!("stopped process {old}\n"));
    assert_eq!(serde_json::from_str::<Value>(&out(again)).unwrap(), json!({ "pid": old }));
    assert_eq!(daemon.wait().code(), Some(0));
    let status: Value = serde_json::from_str(&out(asks)).unwrap();
    assert_ne!(status["pid"], old);
    let ended: Value =
        serde_json::from_str(&done(&daemon, &["wait", "--json", &jobs::number(&queued).to_string()]))
            .unwrap();
    // Without a status it was applied.
    assert_eq!((&ended["status"], ended["files"]["a.txt"].is_string()), (&Value::Null, true), "{ended}");
    let wait = ["wait", "--json", "--budget", "9000", &jobs::number(&queued).to_string()];
    jobs::applied(&serde_json::from_str(&done(&daemon, &wait)).unwrap());

    for _ in 0..10 {
        pid(&daemon);
        done(&daemon, &["stop"]);
        assert!(!is_locked(state(&daemon).join("lock")) && !is_locked(lock.clone()), "it has ended");
    }
}

#[test]
fn a_waiter_gets_the_result_also_from_the_next_daemon() {
    let mut daemon = TestDaemon::started();
    let (gate, mut client, second) = two_jobs(&daemon);
    let job = second.to_string();
    let late = run(&daemon, &["wait", &job, "--timeout", "1ms"]);
    assert_eq!(late.status.code(), Some(1), "it has not run: {}", String::from_utf8_lossy(&late.stdout));
    let waits = begin(&daemon, &["wait", &job], "waits");
    wait::until("it waits", wait::LONG, || {
        let status = daemon.client("look").ask_json(kind::STATUS, &json!({}));
        (status["sessions"] == 3).then_some(())
    });
    let mut stops = begin(&daemon, &["stop"], "stops");
    said(&daemon, "waits", "who waits is told that the daemon leaves");
    gate.open();
    let first = client.receive().unwrap();
    jobs::applied(&first.body().unwrap());
    assert!(stops.wait().unwrap().success());
    assert_eq!(daemon.wait().code(), Some(0));
    // The next daemon runs it, and its hook.
    gate.open();
    let output = waits.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(daemon.get("a.txt"), b"first\nsecond\n");
}

#[test]
fn no_client_is_refused_because_a_daemon_stops() {
    let daemon = TestDaemon::new();
    pid(&daemon);
    for round in 0..15 {
        let stops = begin(&daemon, &["stop"], "stops");
        let asks: Vec<Child> = (0..4)
            .map(|n| {
                let mut command = daemon.editctl();
                command.args(["clip", "set", &format!("c{round}-{n}"), "-"]);
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for child in asks {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        }
        stops.wait_with_output().unwrap();
    }
}

#[test]
fn client_with_other_folders_finds_the_daemon_and_a_moved_workspace_gets_its_own() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", "one\n");
    let socket = daemon.socket().display().to_string();
    let elsewhere = |words: &[&str], state: &str| {
        let mut command = daemon.editctl();
        command.env("XDG_RUNTIME_DIR", daemon.folder("home")).env("XDG_STATE_HOME", daemon.folder(state));
        command.args(words).output().unwrap()
    };
    for state in ["state", "home"] {
        let output = elsewhere(&["status"], state);
        let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert!(told.contains(&socket), "{told}");
    }
    assert_eq!(elsewhere(&["--socket", &socket, "read", "a.txt"], "state").stdout, b"one\n");

    // The daemon of a folder that was moved leaves when it is asked there, and the folder gets one of its own.
    let away = daemon.folder("away");
    fs::rename(daemon.workspace(), &away).unwrap();
    fs::create_dir(daemon.workspace()).unwrap();
    wait::until("the moved folder has a daemon of its own", wait::LONG, || {
        let mut moved = daemon.editctl();
        let output = moved.current_dir(&away).args(["read", "a.txt"]).output().unwrap();
        (output.stdout == b"one\n").then_some(())
    });
}

#[test]
fn a_daemon_exits_when_its_folder_is_removed() {
    for moved in [false, true] {
        let mut daemon = TestDaemon::new();
        daemon.put("a.txt", "one\n");
        daemon.start();
        // A client that stays, and one that has edited.
        let idle = daemon.client("idle");
        done(&daemon, &["replace", "a.txt", "one", "two"]);
        if moved {
            fs::rename(daemon.workspace(), daemon.folder("away")).unwrap();
        } else {
            fs::remove_dir_all(daemon.workspace()).unwrap();
        }
        let status = daemon.wait();
        assert_eq!(status.code(), Some(0), "{}", daemon.said());
        assert!(!daemon.socket().exists());
        assert!(daemon.said().contains("was moved, removed or replaced"), "{}", daemon.said());
        drop(idle);
    }
}

#[test]
fn daemons_of_folders_above_and_below_are_reported() {
    let daemon = TestDaemon::started();
    daemon.put("sub/.editd.toml", "");
    let (top, sub) = (daemon.workspace().display().to_string(), daemon.workspace().join("sub"));
    let below = |words: &[&str]| {
        let output = daemon.editctl().current_dir(&sub).args(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    };
    let (state, told) = below(&["status"]);
    assert!(told.contains(&format!("another editd serves {top}, above or below")), "{told}");
    assert!(state.contains(&format!("note: another editd serves {top}, above this workspace")), "{state}");
    let (found, told) = below(&["doctor"]);
    assert!(
        found.contains(&format!("note  workspace: another editd serves {top}, above")) && told.is_empty(),
        "{found} {told}"
    );
    let state = done(&daemon, &["status"]);
    assert!(
        state.contains(&format!("note: another editd serves {top}/sub, below this workspace")),
        "{state}"
    );
    assert_eq!(below(&["stop"]).1, "");
    let state = done(&daemon, &["status"]);
    assert!(!state.contains("another editd serves"), "{state}");
}

#[test]
fn a_start_waits_for_locks_that_outlive_a_killed_daemon() {
    let mut daemon = TestDaemon::started();
    let state = state(&daemon);
    daemon.kill();
    // As a program that the daemon was starting: it shares the locks until it runs.
    let locks = [state.join("lock"), daemon.workspace().join(".editd/lock")].map(|path| {
        let lock = File::open(path).unwrap();
        lock.lock().unwrap();
        lock
    });
    let holder = std::thread::spawn(move || {
        wait::pause(Duration::from_millis(150));
        drop(locks);
    });
    daemon.start();
    holder.join().unwrap();
}
