//! A steady load of small edits: prints the longest time that an edit took, and the memory, the descriptors and the disk
//! space of the daemon. It asserts that every edit is applied and that memory, descriptors and the log are bounded, and
//! nothing about time.
//!
//! A thread beside the clients writes and flushes 4 KiB in the same file system, as the daemon does for an edit, and prints
//! its longest time as *floor*: other programs that use the disk and the processors delay both.
//!
//! `SOAK=120 cargo test -p editd-tests --test suite soak -- --nocapture` runs it for 120 seconds; `SOAK_KEEP=1000` sets
//! `keep_bytes` to that many MiB instead of 32, so that the log shows the size of all edits; `SOAK_CLIENTS=1` sets the number of
//! clients.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use editd_proto::message::kind;
use editd_tests::client::Client;
use editd_tests::test_daemon::TestDaemon;
use editd_tests::{jobs, process, wait};
use serde_json::json;

/// Clients that edit at once, if `SOAK_CLIENTS` does not say.
const CLIENTS: u64 = 6;

/// Files of each client.
const FILES: u64 = 4;

/// Lines of a file; with these, an intent of a young file has several KiB.
const LINES: u64 = 300;

const MIB: u64 = 1 << 20;

/// The most memory of the daemon, in MiB; see `daemon/docs/storage.md`.
const MEMORY: u64 = 160;

/// The most descriptors of the daemon beside those of its clients.
const DESCRIPTORS: usize = 100;

/// The times of edits since the last row of the table.
#[derive(Default)]
struct Waits {
    edits: u64,
    refused: u64,
    times: Vec<Duration>,
    floor: Duration,
}

fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size_of(&entry.path()),
        Ok(meta) => meta.len(),
        // Retention removes files meanwhile.
        Err(_) => 0,
    });
    sizes.sum()
}

fn content() -> String {
    (0..LINES).map(|line| format!("line {line} of a file that is edited all the time\n")).collect()
}

/// Edits until the end, and notes each time.
fn edit(socket: &Path, number: u64, waits: &Mutex<Waits>, ended: &AtomicBool) {
    let mut client = Client::connect(socket, &format!("client {number}")).unwrap();
    let mut turn = 0_u64;
    while !ended.load(Ordering::Relaxed) {
        turn += 1;
        let path = format!("file-{number}-{}.txt", turn % FILES);
        let line = 1 + turn % LINES;
        let text = format!("line {line} was edited by {number} in turn {turn}\n");
        let job = jobs::one(&path, json!({ "op": "lines", "start": line, "end": line, "text": text }));
        let job = jobs::with(job, "key", json!(format!("key {turn}")));
        let begin = Instant::now();
        let reply = client.ask_json(kind::EDIT, &job);
        let took = begin.elapsed();
        let mut waits = waits.lock().unwrap();
        if jobs::code(&reply) == Some("busy") {
            waits.refused += 1;
            continue;
        }
        jobs::applied(&reply);
        waits.edits += 1;
        waits.times.push(took);
    }
}

/// Writes and flushes blocks of a file in this folder until the end, and notes the longest time.
fn flush_blocks(folder: &Path, waits: &Mutex<Waits>, ended: &AtomicBool) {
    let (block, blocks) = ([7; 4096], 1024);
    let file = File::create(folder.join("floor")).unwrap();
    file.write_all_at(&vec![0; block.len() * blocks], 0).unwrap();
    file.sync_all().unwrap();
    for nth in (0..blocks as u64).cycle() {
        if ended.load(Ordering::Relaxed) {
            return;
        }
        let begin = Instant::now();
        file.write_all_at(&block, nth * block.len() as u64).unwrap();
        file.sync_data().unwrap();
        let took = begin.elapsed();
        let mut waits = waits.lock().unwrap();
        waits.floor = waits.floor.max(took);
    }
}

struct Table {
    pid: u32,
    state: PathBuf,
    longest: Duration,
    floor: Duration,
    descriptors: usize,
    resident: u64,
    log: u64,
    edits: u64,
}

impl Table {
    fn new(pid: u32, state: PathBuf) -> Self {
        let zero = Duration::ZERO;
        Self { pid, state, longest: zero, floor: zero, descriptors: 0, resident: 0, log: 0, edits: 0 }
    }

    fn row(&mut self, at: Duration, mut waits: Waits) {
        waits.times.sort_unstable();
        let at_part =
            |part: usize| waits.times.get(waits.times.len() * part / 1000).copied().unwrap_or_default();
        let longest = waits.times.last().copied().unwrap_or_default();
        let resident = process::resident_kib(self.pid).unwrap_or_default() / 1024;
        let descriptors = process::descriptors(self.pid).unwrap_or_default();
        let log = size_of(&self.state.join("log"));
        // It has two folders in turn.
        let database = size_of(&self.state.join("sled")) + size_of(&self.state.join("sled.fresh"));
        println!(
            "{:4} s  {:6} edits  {:3} busy  p50 {:6.1} ms  p99 {:6.1} ms  longest {:7.1} ms  floor {:7.1} ms  memory \
             {resident:4} MiB  descriptors {descriptors:3}  log {:3} MiB  sled {:3} MiB",
            at.as_secs(),
            waits.edits,
            waits.refused,
            ms(at_part(500)),
            ms(at_part(990)),
            ms(longest),
            ms(waits.floor),
            log / MIB,
            database / MIB,
        );
        self.edits += waits.edits;
        self.longest = self.longest.max(longest);
        self.floor = self.floor.max(waits.floor);
        self.descriptors = self.descriptors.max(descriptors);
        self.resident = self.resident.max(resident);
        self.log = self.log.max(log);
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[test]
fn under_a_steady_load_every_edit_is_applied_and_the_log_keeps_its_limit() {
    let seconds = number("SOAK", 3);
    let keep = number("SOAK_KEEP", 32);
    let clients = number("SOAK_CLIENTS", CLIENTS);
    // Entries are dropped all the time, unless the size of the log is to be measured.
    let entries = if keep > 32 { 100_000 } else { 2_000 };
    let config = format!("keep_bytes = \"{keep}MiB\"\nkeep_entries = {entries}\n");
    let mut daemon = TestDaemon::trusted(&config);
    for file in 0..clients * FILES {
        daemon.put(&format!("file-{}-{}.txt", file / FILES, file % FILES), content());
    }
    // Settings are read at the start.
    daemon.kill_and_start();
    let state = daemon.state_folder();
    let floor_folder = daemon.folder("home");
    let mut table = Table::new(daemon.pid(), state);
    let (socket, waits, ended) = (daemon.socket(), Mutex::<Waits>::default(), AtomicBool::new(false));
    thread::scope(|scope| {
        let clients: Vec<_> = (0..clients)
            .map(|number| {
                let (socket, waits, ended) = (&socket, &waits, &ended);
                scope.spawn(move || edit(socket, number, waits, ended))
            })
            .collect();
        scope.spawn(|| flush_blocks(&floor_folder, &waits, &ended));
        let begin = Instant::now();
        let step = Duration::from_secs(seconds.div_ceil(20).max(1));
        while begin.elapsed() < Duration::from_secs(seconds) && !clients.iter().any(|one| one.is_finished()) {
            wait::pause(step);
            table.row(begin.elapsed(), std::mem::take(&mut waits.lock().unwrap()));
        }
        ended.store(true, Ordering::Relaxed);
    });
    println!(
        "the longest of {} edits took {:.1} ms, the longest flush beside them {:.1} ms; memory was at most {} MiB, the log \
         {} MiB; now it has {} bytes",
        table.edits,
        ms(table.longest),
        ms(table.floor),
        table.resident,
        table.log / MIB,
        size_of(&table.state.join("log"))
    );
    // The segment that is written to, the next one, and what retention writes again.
    assert!(table.log <= (keep + 24) * MIB, "{} MiB", table.log / MIB);
    assert!(table.resident <= MEMORY, "{} MiB", table.resident);
    assert!(table.descriptors <= DESCRIPTORS + clients as usize, "{}", table.descriptors);
}
