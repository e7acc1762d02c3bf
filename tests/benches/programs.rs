//! The sizes and start times of the installed programs, for several builds in one run: for example the builds with and
//! without libraries of the system. The builds take turns, and medians are compared.
//!
//! `cargo bench -p editd-tests --bench programs -- glibc=FOLDER musl=FOLDER` prints the tables; `rounds=N` takes more or
//! fewer turns (40). It asserts nothing about time.

#![expect(clippy::panic, reason = "a benchmark that cannot run has nothing to report")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use editd_tests::test_daemon::TestDaemon;
use editd_tests::{process, wait};

/// The programs that are installed, but for the daemon.
const CLIENTS: [&str; 6] =
    ["editctl", "editctl-history", "editctl-hook", "editctl-mcp", "editctl-setup", "editctl-ui"];
/// The pause between two attempts to connect, and so the resolution of the start of a daemon.
const ATTEMPT: Duration = Duration::from_micros(100);

fn main() {
    let mut rounds = 40;
    let mut builds = Vec::new();
    for word in std::env::args().skip(1) {
        match word.split_once('=') {
            Some(("rounds", number)) => {
                rounds = number.parse().unwrap_or_else(|_| panic!("{word}: it must be a whole number"));
            }
            Some((name, folder)) => builds.push(Build::new(name, Path::new(folder))),
            None => {}
        }
    }
    if builds.is_empty() {
        println!("no build to measure; give each as NAME=FOLDER, where FOLDER has its programs");
        return;
    }
    let mut floor = Vec::new();
    for _ in 0..rounds {
        floor.push(run(&mut Command::new("true")));
        builds.iter_mut().for_each(Build::turn);
    }
    report(&builds, median(&mut floor));
}

/// The programs of one build, and what was measured of them.
struct Build {
    name: String,
    folder: PathBuf,
    /// For each of [`CLIENTS`], the times of `--version`.
    starts: Vec<Vec<Duration>>,
    /// From the start of the daemon in a new workspace until it accepts a connection.
    served: Vec<Duration>,
    /// From the start of `editctl` to its end, for one edit.
    edited: Vec<Duration>,
    /// The resident memory of the daemon after this edit, in KiB.
    memory: Vec<u64>,
}

impl Build {
    fn new(name: &str, folder: &Path) -> Self {
        let folder = folder.canonicalize().unwrap_or_else(|e| panic!("{name}={}: {e}", folder.display()));
        for program in CLIENTS.iter().chain(&["editd"]) {
            assert!(folder.join(program).is_file(), "{} has no {program}", folder.display());
        }
        Self {
            name: name.to_owned(),
            folder,
            starts: vec![Vec::new(); CLIENTS.len()],
            served: Vec::new(),
            edited: Vec::new(),
            memory: Vec::new(),
        }
    }

    /// Starts each program once.
    fn turn(&mut self) {
        for (program, times) in CLIENTS.iter().zip(&mut self.starts) {
            times.push(run(Command::new(self.folder.join(program)).arg("--version")));
        }
        let home = TestDaemon::new();
        home.put("notes.txt", "one\n");
        let daemon = self.folder.join("editd");
        let begin = Instant::now();
        let mut child = Running::start(home.command(&daemon).arg("--workspace").arg(home.workspace()));
        while home.try_client("first").is_err() {
            child.assert_runs();
            wait::pause(ATTEMPT);
        }
        self.served.push(begin.elapsed());
        let mut edit = home.command(self.folder.join("editctl"));
        edit.env("EDITD_BIN", &daemon).args(["replace", "notes.txt", "one", "two"]);
        self.edited.push(run(&mut edit));
        assert_eq!(home.get("notes.txt"), b"two\n", "the edit was not made");
        self.memory.extend(process::resident_kib(child.0.id()));
    }

    fn size(&self, program: &str) -> u64 {
        let path = self.folder.join(program);
        fs::metadata(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())).len()
    }
}

/// A daemon, which is killed when it is dropped.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Self {
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Self(child.unwrap_or_else(|e| panic!("{command:?}: {e}")))
    }

    fn assert_runs(&mut self) {
        let status = self.0.try_wait().unwrap_or_else(|e| panic!("the daemon cannot be asked: {e}"));
        assert!(status.is_none(), "the daemon ended before it accepted a connection: {status:?}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the time from the start of a program to its end.
fn run(command: &mut Command) -> Duration {
    let begin = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let time = begin.elapsed();
    match status {
        Ok(status) if status.success() => time,
        other => panic!("{command:?}: {other:?}"),
    }
}

/// Prints one table with a row for each program, and two columns for each build.
fn report(builds: &[Build], floor: Duration) {
    println!("The start of `true`, from its start to its end: {:.2} ms.\n", ms(floor));
    let columns: String = builds.iter().map(|b| format!(" {0}, size | {0}, start |", b.name)).collect();
    println!("| program |{columns}\n|---|{}", "---|---|".repeat(builds.len()));
    for (place, program) in CLIENTS.iter().enumerate() {
        row(&format!("`{program} --version`"), builds, |build| {
            (Some(build.size(program)), median(&mut build.starts.get(place).cloned().unwrap_or_default()))
        });
    }
    row("`editd`, to the first connection", builds, |build| {
        (Some(build.size("editd")), median(&mut build.served.clone()))
    });
    row("`editctl replace`, one edit", builds, |build| (None, median(&mut build.edited.clone())));
    println!();
    for build in builds {
        let mut memory = build.memory.clone();
        memory.sort_unstable();
        if let Some(middle) = memory.get(memory.len() / 2) {
            println!("{}: the daemon has {:.1} MB resident after this edit", build.name, kib_as_mb(*middle));
        }
    }
}

fn row(name: &str, builds: &[Build], cells: impl Fn(&Build) -> (Option<u64>, Duration)) {
    let cells: String = builds
        .iter()
        .map(|build| {
            let (size, time) = cells(build);
            let size =
                size.map(|bytes| format!("{:.2} MB", kib_as_mb(bytes.div_ceil(1024)))).unwrap_or_default();
            format!(" {size} | {:.2} ms |", ms(time))
        })
        .collect();
    println!("| {name} |{cells}");
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[expect(clippy::cast_precision_loss, reason = "a size for readers")]
fn kib_as_mb(kib: u64) -> f64 {
    kib as f64 * 1024.0 / 1e6
}
