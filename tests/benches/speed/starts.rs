//! The start of a daemon whose journal has many entries: the time from its start to the reply to a first edit, and its
//! memory.

use std::thread;
use std::time::{Duration, Instant};

use editd_tests::process;
use editd_tests::test_daemon::TestDaemon;

use crate::rows::{Measured, Target};
use crate::server::{Program, Server};
use crate::texts;
use crate::work::{CountedFile, EditJob};

/// Clients that make the entries.
const WRITERS: usize = 8;
/// Starts of each kind.
const STARTS: usize = 3;
/// The target for 100,000 entries.
const SOON: &[Target] = &[Target::Micros(500_000.0)];

/// Measures starts with an empty journal, makes the entries, and measures starts after a stop and after a kill.
pub(crate) fn run(entries: usize, found: &mut Measured) {
    let home = TestDaemon::new();
    let text = texts::usual("txt");
    let mut server = start(&home);
    let mut file = server.put("first.txt", text);
    let (mut empty, mut stopped, mut killed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STARTS {
        server.stop();
        let (next, time) = timed(&home, &mut file);
        server = next;
        empty.push(time);
    }
    eprintln!("making {entries} entries");
    fill(&server, entries, text);
    let filled = process::resident_kib(server.pid()).unwrap_or_default();
    for _ in 0..STARTS {
        server.stop();
        let (next, time) = timed(&home, &mut file);
        stopped.push(time);
        // Kills it.
        drop(next);
        let (next, time) = timed(&home, &mut file);
        killed.push(time);
        server = next;
    }
    let started = process::resident_kib(server.pid()).unwrap_or_default();
    server.stop();
    let daemon = Program::Daemon as usize;
    found.row("start-empty", "start, empty journal", &[]).times[daemon].0 = empty;
    found.row("start-stopped", &format!("start after a stop, {entries} entries"), SOON).times[daemon].0 =
        stopped;
    found.row("start-killed", &format!("start after a kill, {entries} entries"), SOON).times[daemon].0 =
        killed;
    found.notes.push(format!(
        "memory with {entries} entries: {filled} KiB resident after the edits, {started} KiB after a start (≤ 32768)"
    ));
}

fn start(home: &TestDaemon) -> Server {
    Server::start(Program::Daemon, home, &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// Starts the daemon and edits a file; returns the time until the reply.
fn timed(home: &TestDaemon, file: &mut CountedFile) -> (Server, Duration) {
    let begin = Instant::now();
    let server = start(home);
    server.connect("first").run(&EditJob { edits: vec![file.next()], durable: false, absent: false });
    (server, begin.elapsed())
}

/// Makes entries, each a relaxed edit of the file of one client.
fn fill(server: &Server, entries: usize, text: &str) {
    thread::scope(|scope| {
        for client in 0..WRITERS {
            scope.spawn(move || {
                let mut file = server.put(&format!("filled{client}.txt"), text);
                let mut caller = server.connect(&format!("filling{client}"));
                for _ in 0..entries / WRITERS {
                    caller.run(&EditJob { edits: vec![file.next()], durable: false, absent: false });
                }
            });
        }
    });
}
