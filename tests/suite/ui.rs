//! `editctl ui` on a terminal in memory, with a real daemon: keys go in, and the screen is looked at.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::wait;
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use serde_json::json;

use crate::terminal;

/// The time limit of a look at the screen.
const PATIENCE: Duration = Duration::from_secs(60);
const ROWS: u16 = 30;
const COLUMNS: u16 = 100;

/// A program on a terminal.
struct OnTerminal {
    child: Child,
    keyboard: File,
    /// The side of the program, which stays open so that its settings can be looked at.
    device: File,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl OnTerminal {
    fn start(mut command: Command) -> Self {
        let (keyboard, device) = terminal::open();
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&keyboard, size).unwrap();
        let side = || device.try_clone().unwrap();
        command.env_remove("NO_COLOR").env("TERM", "xterm-256color");
        let child = command.stdin(side()).stdout(side()).stderr(side()).spawn().unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)));
        let (mut output, written) = (keyboard.try_clone().unwrap(), screen.clone());
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut part) {
                written.lock().unwrap().process(&part[..count]);
            }
        });
        Self { child, keyboard, device, screen }
    }

    fn shown(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    #[track_caller]
    fn shows(&self, text: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.shown().contains(text) {
            assert!(Instant::now() < end, "{text:?} is not on the screen:\n{}", self.shown());
            wait::pause(Duration::from_millis(5));
        }
    }

    /// Types keys.
    fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the program has ended. The terminal must be as it was.
    #[track_caller]
    fn ended(&mut self) -> ExitStatus {
        let status = wait::until("the program ends", PATIENCE, || self.child.try_wait().unwrap());
        let modes = tcgetattr(&self.device).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG), "{modes:?}");
        wait::until("the first screen is back", PATIENCE, || {
            let parser = self.screen.lock().unwrap();
            let screen = parser.screen();
            let changed = screen.alternate_screen() || screen.hide_cursor() || screen.bracketed_paste();
            (!changed).then_some(())
        });
        status
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        // After `ended` there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ui(daemon: &TestDaemon, words: &[&str]) -> OnTerminal {
    let mut command = daemon.editctl();
    command.args(["--session", "watcher", "ui"]).args(words);
    OnTerminal::start(command)
}

/// A file with a line for each number.
fn numbered(change: &[(usize, &str)]) -> String {
    let line = |number| change.iter().find(|(at, _)| *at == number).map(|(_, text)| (*text).to_owned());
    (1..=40).map(|number| line(number).unwrap_or_else(|| format!("line {number}")) + "\n").collect()
}

#[test]
fn an_entry_appears_while_it_is_made_and_one_hunk_is_undone() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", numbered(&[]));
    let mut ui = ui(&daemon, &[]);
    ui.shows("the journal is empty");
    assert!(ui.screen.lock().unwrap().screen().alternate_screen());

    let mut agent = daemon.client("agent-1");
    let mut job = jobs::write("a.txt", &numbered(&[(5, "five"), (30, "thirty")]));
    job["label"] = json!("two words");
    jobs::applied(&agent.ask_json(kind::EDIT, &job));
    ui.shows("agent-1");
    ui.shows("+2 -2 “two words” a.txt");
    ui.shows("+thirty");

    // A pasted text, which does nothing. Tab: the text of the entry; twice n: from the entry to the file, and to its first hunk.
    ui.types("\x1b[200~uy\x1b[201~\tnnu");
    ui.shows("undo only hunk 1 of a.txt (line 5, +1 -1) of entry 1 of agent-1");
    assert_eq!(daemon.get("a.txt"), numbered(&[(5, "five"), (30, "thirty")]).as_bytes());
    ui.types("y");
    ui.shows("job 2 undone");
    ui.shows("partly undone");
    ui.shows("hunk 1, undone");
    assert_eq!(daemon.get("a.txt"), numbered(&[(30, "thirty")]).as_bytes());

    ui.types("r");
    ui.shows("redo only hunk 1");
    ui.types("y");
    ui.shows("job 3 redone");
    assert_eq!(daemon.get("a.txt"), numbered(&[(5, "five"), (30, "thirty")]).as_bytes());
    ui.types("q");
    assert!(ui.ended().success());
}

#[test]
fn a_refused_undo_is_shown_and_merged_if_the_user_says_so() {
    let daemon = TestDaemon::started();
    daemon.put("a.txt", numbered(&[]));
    let mut agent = daemon.client("agent-1");
    jobs::applied(&agent.ask_json(kind::EDIT, &jobs::write("a.txt", &numbered(&[(5, "five")]))));
    jobs::applied(
        &agent.ask_json(kind::EDIT, &jobs::write("a.txt", &numbered(&[(5, "five"), (30, "thirty")]))),
    );
    let mut ui = ui(&daemon, &[]);
    ui.shows("+thirty");
    ui.types("ju");
    ui.shows("undo all of entry 1");
    ui.types("y");
    ui.shows("undo refused");
    ui.shows("later: 2  session agent-1");
    assert_eq!(daemon.get("a.txt"), numbered(&[(5, "five"), (30, "thirty")]).as_bytes());
    ui.types("m");
    ui.shows("and merge it with the later changes");
    ui.types("y");
    ui.shows("job 3 undone");
    assert_eq!(daemon.get("a.txt"), numbered(&[(30, "thirty")]).as_bytes());
    ui.types("\x03");
    assert!(ui.ended().success());
}

#[test]
fn a_daemon_that_stops_is_told_and_found_again_but_not_started() {
    let mut daemon = TestDaemon::started();
    let mut agent = daemon.client("agent-1");
    jobs::applied(&agent.ask_json(kind::EDIT, &jobs::write("a.txt", "one\n")));
    drop(agent);
    let mut ui = ui(&daemon, &[]);
    ui.shows("+one");
    daemon.stop();
    ui.shows("the daemon stopped");
    ui.shows("+one");
    // The test starts the next one itself, and fails if one runs already.
    daemon.start();
    ui.shows("  live");
    let mut agent = daemon.client("agent-2");
    jobs::applied(&agent.ask_json(kind::EDIT, &jobs::write("b.txt", "two\n")));
    ui.shows("agent-2");
    kill_process(Pid::from_child(&ui.child), Signal::TERM).unwrap();
    let status = ui.ended();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(15), "{status}");
}

#[test]
fn no_daemon_is_started_if_that_is_forbidden() {
    let daemon = TestDaemon::new();
    let mut ui = ui(&daemon, &["--no-spawn"]);
    ui.shows("NO DAEMON");
    ui.shows("an edit without --no-spawn starts one");
    ui.types("q");
    assert!(ui.ended().success());
    assert!(!daemon.socket().exists());
}

#[test]
fn without_a_terminal_there_is_an_error_that_names_other_commands() {
    let daemon = TestDaemon::new();
    let done = daemon.editctl().arg("ui").stdout(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("standard output is not a terminal; use `editctl log`"), "{said}");
    assert!(done.stdout.is_empty());
}

#[test]
fn a_server_for_a_runtime_says_so_to_a_person() {
    let daemon = TestDaemon::new();
    let mut command = daemon.editctl();
    command.arg("mcp");
    let mut server = OnTerminal::start(command);
    server.shows("an agent runtime starts this server and talks to it; `editctl setup RUNTIME`");
    server.types("\u{4}");
    assert!(server.ended().success());
}
