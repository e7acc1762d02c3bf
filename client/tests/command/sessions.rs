//! Tests of derived sessions in trees of real processes, as terminals and runtimes create them.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use editd_proto::message::{Hello, kind};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::peer::{Scene, reply};
use super::{content, err, object, out, status};

/// A command whose only purpose is its hello.
const ASK: &str = r#""$EDITCTL" read a --socket "$SOCKET" >/dev/null 2>&1"#;

/// A runtime: reads commands and runs each with `$*`, or with `sh -c` if no arguments are given.
const RUNTIME: &str = "while IFS= read -r line; do ${*:-sh -c} \"$line\" </dev/null; done\n";

fn scene() -> Scene {
    Scene::new(|_, message| reply(message, &content(b"x\n")))
}

/// Runs commands in one runtime that runs as long as all of them.
fn run_all(mut runtime: Command, commands: &[&str]) -> Output {
    runtime.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = runtime.spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{}\n", commands.join("\n")).as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn runtime(scene: &Scene, with: &[&str]) -> Command {
    let script = scene.root().join("runtime");
    std::fs::write(&script, RUNTIME).unwrap();
    let mut command = scene.program("bash");
    command.arg(script).args(with);
    command
}

/// Returns the sessions of the next `count` clients.
fn heard(scene: &Scene, count: usize) -> Vec<String> {
    let hellos = scene.heard.try_iter().filter(|message| message.kind() == kind::HELLO);
    let names: Vec<String> =
        hellos.map(|message| message.body::<Hello>().unwrap().session.unwrap()).collect();
    assert_eq!(names.len(), count, "{names:?}");
    names
}

#[test]
fn a_runtime_keeps_its_session_however_it_starts_its_commands() {
    let scene = scene();
    let nested = format!("setsid -w bash -c 'sh -c \"setsid -w {}\"'", ASK.replace('"', "\\\""));
    let commands =
        [ASK, &format!("{ASK}; {ASK}"), &format!("setsid -w {ASK}"), &format!("timeout 60 {ASK}"), &nested];
    let mut all = Vec::new();
    for with in [&[][..], &["setsid", "-w", "bash", "-c"], &["timeout", "60", "setsid", "-w", "sh", "-c"]] {
        let done = run_all(runtime(&scene, with), &commands);
        assert!(done.status.success(), "{}", err(&done));
        let mut names = heard(&scene, 6);
        names.dedup();
        assert_eq!(names.len(), 1, "{names:?}");
        assert!(names[0].starts_with("bash-"), "{names:?}");
        all.extend(names);
    }
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 3, "each runtime has a session of its own: {all:?}");
}

#[test]
fn sessions_of_orphans_belong_to_nobody_else() {
    let scene = scene();
    // The command starts after its parent has ended and another process has adopted it.
    let orphan = format!(
        "(p=$BASHPID; setsid bash -c 'while kill -0 '$p' 2>/dev/null; do read -t 0.01 <> <(:); done; {ASK}; echo end' &)"
    );
    for _ in 0..2 {
        // The process holds the pipe of the output, so the pipe ends with it.
        let done = run_all(runtime(&scene, &["bash", "-c"]), &[ASK, &orphan]);
        assert!(out(&done).contains("end"), "{}", err(&done));
    }
    let mut names = heard(&scene, 4);
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 4, "{names:?}");
}

/// Types lines into an interactive shell on a new terminal.
fn typed(scene: &Scene, lines: &[&str]) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let path = ptsname(&terminal, Vec::new()).unwrap();
    let stdin = File::options().read(true).write(true).open(path.to_str().unwrap()).unwrap();
    let mut shell = scene.program("setsid");
    shell.args(["-c", "bash", "--norc", "-i"]).stdin(stdin).stdout(Stdio::null()).stderr(Stdio::null());
    let mut shell = shell.spawn().unwrap();
    let mut terminal = File::from(terminal);
    terminal.write_all(format!("{}\nexit\n", lines.join("\n")).as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success());
}

#[test]
fn a_terminal_is_a_session_and_so_is_each_runtime_in_it() {
    let scene = scene();
    runtime(&scene, &[]);
    let agent = format!("bash runtime <<'END'\n{ASK}\n{ASK}\nEND");
    typed(&scene, &[ASK, &agent, &agent, &format!("sh -c '{ASK}'"), &format!("bash --norc <<< '{ASK}'")]);
    let names = heard(&scene, 7);
    let (terminal, first, second) = (&names[0], &names[1], &names[3]);
    assert!(terminal.starts_with("pts-"), "{names:?}");
    assert_eq!([&names[5], &names[6]], [terminal, terminal], "{names:?}");
    assert_eq!([&names[2], &names[4]], [first, second], "{names:?}");
    assert!(first != second && first != terminal && second != terminal, "{names:?}");
    // The device may be the same, but it is another terminal.
    typed(&scene, &[ASK]);
    assert_ne!(&heard(&scene, 1)[0], terminal);
}

#[test]
fn the_state_names_the_session_and_where_it_comes_from() {
    let scene = Scene::new(|_, message| {
        let state = serde_json::json!({
            "pid": 1, "version": "0", "workspace": "/w", "socket": "/s", "state": "/t", "uptime": 1, "sessions": 1,
            "queue": 0, "entries": 0, "unsettled": 0, "watch": 0
        });
        reply(message, &state)
    });
    let output = scene.run(&["status", "--json", "--session", "mine"], b"");
    assert_eq!((status(&output), &object(&output)["session"]["from"]), (0, &"--session".into()));
    assert_eq!(object(&output)["sessions"], 1, "the daemon's own fields stand beside it");
    let output = scene.run(&["status", "--json"], b"");
    let session = &object(&output)["session"];
    let own = format!("process {}", std::process::id());
    assert!(session["from"].as_str().unwrap().ends_with(&own), "{session}");
    let text = scene.run(&["status"], b"");
    let line =
        format!("session    {} ({})\n", session["name"].as_str().unwrap(), session["from"].as_str().unwrap());
    assert!(out(&text).ends_with(&line), "{}", out(&text));
}
