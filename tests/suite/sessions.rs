//! Callers that name no session: two of them never share one, however they were started, so that each learns of the
//! other's changes.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use editd_tests::binaries;
use editd_tests::test_daemon::TestDaemon;
use serde_json::Value;

/// A runtime: it reads commands and runs each in a shell of its own, whose session is its own, too.
const RUNTIME: &str =
    "while IFS= read -r line; do setsid -w bash -c \"$line\" </dev/null 2>&1; echo \"=== $?\"; done\n";

struct ShellRuntime {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl ShellRuntime {
    fn start(mut command: Command) -> ShellRuntime {
        command.env("EDITCTL", binaries::editctl()).env("EDITD_BIN", binaries::editd());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        ShellRuntime { child, said }
    }

    /// Runs a command; its exit status and what it printed.
    fn run(&mut self, command: &str) -> (i32, String) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{command}").unwrap();
        let mut said = String::new();
        loop {
            let start = said.len();
            assert!(self.said.read_line(&mut said).unwrap() > 0, "the runtime ended: {said}");
            if let Some(status) = said[start..].strip_prefix("=== ") {
                let status = status.trim().parse().unwrap();
                said.truncate(start);
                return (status, said);
            }
        }
    }

    fn session(&mut self) -> String {
        let (status, said) = self.run("$EDITCTL status --json");
        assert_eq!(status, 0, "{said}");
        let state: Value = serde_json::from_str(&said).unwrap();
        state["session"]["name"].as_str().unwrap().to_owned()
    }
}

impl Drop for ShellRuntime {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn script(daemon: &TestDaemon) -> std::path::PathBuf {
    let path = daemon.folder("home").join("runtime");
    // An earlier runtime may be reading it.
    if !path.exists() {
        fs::write(&path, RUNTIME).unwrap();
    }
    path
}

fn runtime(daemon: &TestDaemon) -> ShellRuntime {
    let mut command = daemon.command("bash");
    command.arg(script(daemon));
    ShellRuntime::start(command)
}

#[test]
fn a_runtime_learns_what_another_changed_since_its_read() {
    let daemon = TestDaemon::started();
    daemon.put("a", "one\ntwo\nthree\n");
    let (mut first, mut second) = (runtime(&daemon), runtime(&daemon));
    for one in [&mut first, &mut second] {
        assert_eq!(one.run("$EDITCTL read a").0, 0);
    }
    let (status, said) = second.run("$EDITCTL replace a two 2");
    assert_eq!(status, 0, "{said}");
    let (status, said) = first.run("$EDITCTL replace a three 3");
    assert_eq!(status, 3, "what the other changed is stale: {said}");
    assert!(said.contains("+2"), "{said}");
    // Each undoes its own.
    let (status, said) = first.run("$EDITCTL undo");
    assert_ne!(status, 0, "it has changed nothing: {said}");
    assert_eq!(second.run("$EDITCTL undo").0, 0);
    assert_eq!(daemon.get("a"), b"one\ntwo\nthree\n");
    // Clipboards, too.
    assert_eq!(first.run("$EDITCTL clip set c mine").0, 0);
    assert_ne!(second.run("$EDITCTL clip show c").0, 0);
    assert_eq!(first.run("$EDITCTL clip show c; echo").1, "mine\n");
    let (log, session) = (second.run("$EDITCTL log").1, second.session());
    assert!(log.contains(&session) && session.starts_with("bash-"), "{session} in {log}");
}

#[test]
fn a_runtime_that_says_rebase_once_needs_no_second_call() {
    let daemon = TestDaemon::started();
    daemon.put("a", "one\ntwo\nthree\n");
    let (mut first, mut second) = (runtime(&daemon), runtime(&daemon));
    assert_eq!(first.run("export EDITCTL_ON_STALE=rebase; $EDITCTL read a").0, 0);
    // What a runtime sets, it sets for each command.
    let mut rebasing = |command: &str| first.run(&format!("export EDITCTL_ON_STALE=rebase; {command}"));
    assert_eq!(second.run("$EDITCTL replace a one 1").0, 0);
    let (status, said) = rebasing("$EDITCTL replace a three 3 --on-stale reject");
    assert_eq!((status, said.contains("stale")), (3, true), "the job's own word counts: {said}");
    assert_eq!(second.run("$EDITCTL replace a 1 eins").0, 0);
    let (status, said) = rebasing("$EDITCTL replace a three 3");
    assert_eq!((status, daemon.get("a")), (0, b"eins\ntwo\n3\n".to_vec()), "{said}");
    let (status, said) = first.run("EDITCTL_ON_STALE=rebsae $EDITCTL replace a two 2");
    assert_eq!(status, 2, "{said}");
}

#[test]
fn clipboards_of_another_session_are_reached_by_its_name() {
    let daemon = TestDaemon::started();
    let mut one = runtime(&daemon);
    assert_eq!(one.run("EDITCTL_SESSION=default $EDITCTL clip set old text").0, 0);
    assert_ne!(one.run("$EDITCTL clip show old").0, 0);
    assert_eq!(one.run("$EDITCTL clip show old --session default; echo").1, "text\n");
}

/// A runtime in a container of its own, whose first process is this command. `None` where none can be made.
fn contained(daemon: &TestDaemon, first: &[&str]) -> Option<ShellRuntime> {
    let words = ["--fork", "--pid", "--mount-proc", "--kill-child"];
    let mut tried = daemon.command("unshare");
    if !tried.args(words).arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        return None;
    }
    let mut command = daemon.command("unshare");
    command.args(words).args(first).env("RUNTIME", script(daemon));
    Some(ShellRuntime::start(command))
}

#[test]
fn containers_and_what_their_first_process_adopts_are_never_one_session() {
    let daemon = TestDaemon::new();
    daemon.put("a", "one\n");
    let mut all = BTreeSet::new();
    // Each has numbers of processes of its own, and the same ones.
    for _ in 0..2 {
        let Some(mut below) = contained(&daemon, &["bash", "-c", "bash \"$RUNTIME\"; true"]) else {
            return eprintln!("skipped: no container can be made");
        };
        let session = below.session();
        assert_eq!(below.session(), session, "a runtime below the first process is known by itself");
        assert!(all.insert(session));
    }
    // The first process adopts what others left behind, so nothing tells its own commands from those.
    let path = script(&daemon);
    let mut first = contained(&daemon, &["bash", path.to_str().unwrap()]).unwrap();
    assert!(all.insert(first.session()) && all.insert(first.session()), "{all:?}");
    let (status, said) = first.run("exec $EDITCTL read a");
    assert_eq!((status, said.lines().next()), (0, Some("one")));
    assert!(said.contains("set EDITCTL_SESSION to one name for each agent"), "{said}");
    let (status, said) =
        first.run("exec $EDITCTL edit --path a - <<< '[{\"op\": \"write\", \"text\": \"two\"}]'");
    assert_eq!((status, said.matches("set EDITCTL_SESSION").count()), (3, 1), "unread, not written: {said}");
    let (status, said) = first.run("export EDITCTL_SESSION=a; $EDITCTL read a; $EDITCTL replace a one two");
    assert_eq!((status, said.contains("EDITCTL_SESSION")), (0, false), "{said}");
}
