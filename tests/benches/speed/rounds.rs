//! The rounds: in each, fresh folders, a fresh daemon and fresh bound programs. Floors, bounds and work take turns.

use std::io::Write;
use std::process::Stdio;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use editd_tests::test_daemon::TestDaemon;

use crate::caller::{Caller, request};
use crate::floors::{self, Floors};
use crate::options::BenchOptions;
use crate::rows::{Measured, Row, Target, Workload, workloads};
use crate::server::{Program, Server, took};
use crate::texts::{self, RealTexts};
use crate::work::{CountedFile, EditJob};

/// The row of the command.
const COMMAND: (&str, &str, &[Target]) =
    ("editctl", "editctl, spawned to exit, relaxed (bound: `true`)", &[Target::Micros(4_000.0)]);

/// Runs all rounds.
pub(crate) fn run(options: &BenchOptions, texts: &RealTexts, found: &mut Measured) {
    for round in 0..options.rounds {
        eprintln!("round {} of {}", round + 1, options.rounds);
        let home = TestDaemon::new();
        let mut floors = Floors::prepared(&home.folder("home").join("floors"));
        let servers =
            Program::ALL.map(|program| Server::start(program, &home, &[]).unwrap_or_else(|e| panic!("{e}")));
        for work in workloads(options).filter(|work| round == 0 || !work.is_long()) {
            let row = found.row(work.key, work.name, work.targets);
            if work.clients > 1 {
                for server in &servers {
                    at_once(server, work, texts, row);
                }
            } else {
                one_after_the_other(&servers, work, texts, &mut floors, row);
            }
        }
        command(&home, &servers[0], found.row(COMMAND.0, COMMAND.1, COMMAND.2));
        servers.into_iter().for_each(Server::stop);
    }
}

/// The files of one kind of work in one server, and a connection to it.
pub(crate) struct Desk {
    caller: Caller,
    files: Vec<CountedFile>,
    durable: bool,
    absent: bool,
}

impl Desk {
    /// Writes the files, and edits them once: the first edit of a young file carries all of it; what is measured is the
    /// second and later ones.
    pub(crate) fn new(server: &Server, work: &Workload, text: &str, client: usize) -> Self {
        let path = |nth: usize| format!("{}/{client}/source{nth}.{}", work.key, work.extension);
        let files = (0..work.files).map(|nth| server.put(&path(nth), text)).collect();
        let caller = server.connect(&format!("bench{client}"));
        let mut desk = Self { caller, files, durable: work.durable, absent: false };
        desk.turn();
        desk.absent = work.absent;
        desk
    }

    /// Runs the next job.
    pub(crate) fn turn(&mut self) -> Duration {
        let edits = match self.absent {
            true => self.files.iter().map(CountedFile::absent).collect(),
            false => self.files.iter_mut().map(CountedFile::next).collect(),
        };
        self.caller.run(&EditJob { edits, durable: self.durable, absent: self.absent })
    }

    /// Makes sure that the files have their last edits.
    pub(crate) fn check(&self, server: &Server) {
        self.files.iter().for_each(|file| server.check(file));
    }
}

fn one_after_the_other(
    servers: &[Server; 3],
    work: &Workload,
    texts: &RealTexts,
    floors: &mut Floors,
    row: &mut Row,
) {
    let text = work.size.text(texts, work.extension);
    let mut desks = servers.each_ref().map(|server| Desk::new(server, work, &text, 0));
    let mut cpu = [0; 3];
    for _ in 0..work.turns {
        row.flush.0.push(floors.flush());
        if work.durable {
            row.by_hand.0.push(floors.by_hand(work.files, &text));
        }
        for (nth, (server, desk)) in servers.iter().zip(&mut desks).enumerate() {
            let before = server.cpu_nanos();
            row.times[nth].0.push(desk.turn());
            cpu[nth] += server.cpu_nanos().saturating_sub(before);
        }
    }
    for (nth, (server, desk)) in servers.iter().zip(&desks).enumerate() {
        desk.check(server);
        mean_cpu(row, nth, cpu[nth], work.turns);
    }
}

/// Adds the processor time of some jobs to the mean of the row.
fn mean_cpu(row: &mut Row, program: usize, nanos: u64, jobs: usize) {
    let before = row.times[program].0.len().saturating_sub(jobs) as f64;
    let mean = row.counts[program].cpu_micros.unwrap_or_default();
    let sum = mean * before + nanos as f64 / 1e3;
    row.counts[program].cpu_micros = Some(sum / (before + jobs as f64));
}

/// Every client edits its own file as fast as it is answered. A sample is the whole time for each job of the round.
fn at_once(server: &Server, work: &Workload, texts: &RealTexts, row: &mut Row) {
    let text = work.size.text(texts, work.extension);
    let mut desks: Vec<Desk> =
        (0..work.clients).map(|client| Desk::new(server, work, &text, client)).collect();
    let jobs = work.clients * work.turns;
    let before = server.cpu_nanos();
    let time = together(&mut desks, work.turns);
    let cpu = server.cpu_nanos().saturating_sub(before);
    desks.iter().for_each(|desk| desk.check(server));
    let nth = server.program as usize;
    row.times[nth].0.extend(std::iter::repeat_n(time / jobs as u32, jobs));
    mean_cpu(row, nth, cpu, jobs);
}

/// Lets each client run its turns at the same time as the others; returns the time until the last is answered.
pub(crate) fn together(desks: &mut [Desk], turns: usize) -> Duration {
    let start_line = Barrier::new(desks.len() + 1);
    thread::scope(|scope| {
        for desk in desks {
            let start_line = &start_line;
            scope.spawn(move || {
                start_line.wait();
                (0..turns).for_each(|_| {
                    desk.turn();
                });
            });
        }
        start_line.wait();
        Instant::now()
    })
    .elapsed()
}

/// `editctl` from its start to its end, and beside it a program that does nothing.
fn command(home: &TestDaemon, server: &Server, row: &mut Row) {
    let mut file = server.put("command.rs", texts::usual("rs"));
    let mut run = || {
        let job = EditJob { edits: vec![file.next()], durable: false, absent: false };
        let bytes = serde_json::to_vec(&request(&job)).unwrap();
        let mut command = home.editctl();
        command.args(["--session", "bench", "edit", "-", "--json"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        took(|| {
            let mut child = command.spawn().unwrap();
            child.stdin.take().unwrap().write_all(&bytes).unwrap();
            let status = child.wait().unwrap();
            assert!(status.success(), "editctl ended with {status}");
        })
    };
    run();
    for _ in 0..4 {
        row.times[Program::Bound as usize].0.push(floors::spawn());
        row.times[Program::Daemon as usize].0.push(run());
    }
}
