//! The time of a durable edit, as ratios to lower bounds measured in the same run: the machine is noisy, so bounds
//! and work take turns, and medians are compared. It reports; it asserts nothing about time.
//!
//! `cargo bench -p editd-tests` prints the table; `-- rounds=N` takes more or fewer turns (40).

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark that cannot run has nothing to report"
)]

#[cfg(not(unix))]
fn main() {
    println!("the benchmark needs the Unix kit; skipped");
}

#[cfg(unix)]
fn main() {
    speed::run();
}

#[cfg(unix)]
mod speed {
    use std::fs::{self, File};
    use std::io::Write;
    use std::os::unix::fs::FileExt;
    use std::path::Path;
    use std::process::Stdio;
    use std::sync::Barrier;
    use std::thread;
    use std::time::{Duration, Instant};

    use editd_proto::message::{Durability, FileEdit, FileEntry, JobRequest, JobStatus, Receipt, kind};
    use editd_tests::binaries;
    use editd_tests::client::Client;
    use editd_tests::test_daemon::TestDaemon;

    /// Clients that write at once.
    const CLIENTS: usize = 16;
    /// Jobs of each of them in one turn.
    const JOBS: usize = 25;
    /// Files of the larger job.
    const FILES: usize = 20;

    pub(super) fn run() {
        let rounds = std::env::args()
            .find_map(|word| word.strip_prefix("rounds=").and_then(|n| n.parse().ok()))
            .unwrap_or(40_usize);
        let daemon = TestDaemon::started();
        let mut bench = SpeedBench::new(daemon);
        for round in 0..rounds {
            bench.turn(round);
        }
        bench.report();
    }

    #[derive(Default)]
    struct SpeedSamples {
        flush: Vec<Duration>,
        by_hand: Vec<Duration>,
        edit: Vec<Duration>,
        many: Vec<Duration>,
        relaxed: Vec<Duration>,
        command: Vec<Duration>,
        at_once: Vec<Duration>,
    }

    struct SpeedBench {
        daemon: TestDaemon,
        client: Client,
        log: File,
        end: u64,
        times: SpeedSamples,
        /// The numbers of edits of the single file, the many files and each client's own file.
        one: u64,
        many: u64,
        own: u64,
    }

    impl SpeedBench {
        fn new(daemon: TestDaemon) -> Self {
            let client = Client::connect(&daemon.socket(), "bench").expect("the daemon answers");
            let log = File::create(daemon.folder("home").join("floor.log")).unwrap();
            for name in names() {
                fs::write(daemon.workspace().join(name), content()).unwrap();
            }
            let mut bench =
                Self { daemon, client, log, end: 0, times: SpeedSamples::default(), one: 0, many: 0, own: 0 };
            // The first edit of a young file carries all of it; what is measured is the second and later ones.
            bench.edit(&["one".to_owned()], Durability::Durable);
            let many: Vec<String> = (0..FILES).map(|n| format!("many{n}")).collect();
            bench.edit(&many, Durability::Durable);
            bench.command();
            bench.times = SpeedSamples::default();
            bench
        }

        fn turn(&mut self, round: usize) {
            for _ in 0..10 {
                let took = self.flush();
                self.times.flush.push(took);
                let took = by_hand(&self.daemon.folder("home"), round);
                self.times.by_hand.push(took);
                let took = self.edit(&["one".to_owned()], Durability::Durable);
                self.times.edit.push(took);
                let took = self.edit(&["one".to_owned()], Durability::Relaxed);
                self.times.relaxed.push(took);
            }
            let many: Vec<String> = (0..FILES).map(|n| format!("many{n}")).collect();
            for _ in 0..5 {
                let took = self.edit(&many, Durability::Durable);
                self.times.many.push(took);
                let took = self.command();
                self.times.command.push(took);
            }
            let took = at_once(&self.daemon, self.own);
            self.own += JOBS as u64;
            self.times.at_once.push(took);
        }

        /// One append of a block and one `fdatasync`.
        fn flush(&mut self) -> Duration {
            let start = Instant::now();
            self.log.write_all_at(&[7; 4096], self.end).unwrap();
            self.log.sync_data().unwrap();
            self.end += 4096;
            start.elapsed()
        }

        fn edit(&mut self, files: &[String], durability: Durability) -> Duration {
            let turn = if files.len() == 1 { &mut self.one } else { &mut self.many };
            *turn += 1;
            let job = job(files, *turn, durability);
            let start = Instant::now();
            let receipt: Receipt = self.client.ask(kind::EDIT, &job).expect("the daemon answers");
            let took = start.elapsed();
            assert_eq!(receipt.status, JobStatus::Applied, "{:?}", receipt.error);
            took
        }

        /// `editctl`, from its start to its end, without a flush.
        fn command(&mut self) -> Duration {
            self.one += 1;
            let job = job(&["one".to_owned()], self.one, Durability::Relaxed);
            let mut command = self.daemon.editctl();
            command.args(["--session", "bench", "edit", "-", "--json"]);
            command.stdin(Stdio::piped()).stdout(Stdio::null());
            let start = Instant::now();
            let mut child = command.spawn().unwrap();
            child.stdin.take().unwrap().write_all(&serde_json::to_vec(&job).unwrap()).unwrap();
            let status = child.wait().unwrap();
            let took = start.elapsed();
            assert!(status.success(), "editctl ended with {status}");
            took
        }

        fn report(mut self) {
            let flush = median(&mut self.times.flush);
            let by_hand = median(&mut self.times.by_hand);
            let edit = median(&mut self.times.edit);
            let many = median(&mut self.times.many);
            let relaxed = median(&mut self.times.relaxed);
            let command = median(&mut self.times.command);
            let at_once = median(&mut self.times.at_once);
            let jobs = (CLIENTS * JOBS) as f64 * secs(flush) / secs(at_once);
            println!("floor: append + fdatasync                     {:>8.0} µs p50", micros(flush));
            println!("floor: temp + fsync + rename + fsync(dir)     {:>8.0} µs p50", micros(by_hand));
            println!(
                "one durable edit, 10 KB, socket to reply      {:>8.0} µs p50 = {:.2} flushes, {:.2} × by hand (≤ 1.3; < 1)",
                micros(edit),
                secs(edit) / secs(flush),
                secs(edit) / secs(by_hand)
            );
            println!(
                "one durable job over {FILES} files                {:>8.0} µs p50 = {:.2} flushes (≤ 2)",
                micros(many),
                secs(many) / secs(flush)
            );
            println!(
                "{CLIENTS} clients at once                            {jobs:>8.1} jobs per flush time (≥ 8)"
            );
            println!("the same edit, relaxed                        {:>8.0} µs p50 (≤ 250)", micros(relaxed));
            println!(
                "editctl, spawned to exit, relaxed             {:>8.2} ms p50 (≤ 4), binary {:.2} MiB (≤ 2)",
                secs(command) * 1e3,
                fs::metadata(binaries::editctl()).map_or(0.0, |meta| meta.len() as f64 / 1048576.0)
            );
        }
    }

    fn by_hand(folder: &Path, round: usize) -> Duration {
        let (temporary, target) = (folder.join("t"), folder.join("target"));
        let mut bytes = content();
        bytes[0] = b'a' + (round % 26) as u8;
        let start = Instant::now();
        let mut file = File::create(&temporary).unwrap();
        file.write_all(&bytes).unwrap();
        file.sync_all().unwrap();
        fs::rename(&temporary, &target).unwrap();
        File::open(folder).unwrap().sync_all().unwrap();
        start.elapsed()
    }

    /// Every client edits its own file as fast as it is answered.
    fn at_once(daemon: &TestDaemon, done: u64) -> Duration {
        let start_line = Barrier::new(CLIENTS + 1);
        thread::scope(|scope| {
            for n in 0..CLIENTS {
                let start_line = &start_line;
                let socket = daemon.socket();
                scope.spawn(move || {
                    let mut client =
                        Client::connect(&socket, &format!("bench{n}")).expect("the daemon answers");
                    start_line.wait();
                    for turn in done + 1..=done + JOBS as u64 {
                        let job = job(&[format!("own{n}")], turn, Durability::Durable);
                        let receipt: Receipt = client.ask(kind::EDIT, &job).expect("the daemon answers");
                        assert_eq!(receipt.status, JobStatus::Applied, "{:?}", receipt.error);
                    }
                });
            }
            start_line.wait();
            Instant::now()
        })
        .elapsed()
    }

    fn names() -> Vec<String> {
        let mut names = vec!["one".to_owned()];
        names.extend((0..FILES).map(|n| format!("many{n}")));
        names.extend((0..CLIENTS).map(|n| format!("own{n}")));
        names
    }

    /// About 10 KB of lines; one of them is what the jobs replace.
    fn content() -> Vec<u8> {
        let mut text = String::new();
        for n in 0..200 {
            text.push_str(&format!("line {n:04}: the quick brown fox jumps over it\n"));
        }
        text.push_str("value = 0;\n");
        text.into_bytes()
    }

    /// Counts the value in each file up by one.
    fn job(files: &[String], turn: u64, durability: Durability) -> JobRequest {
        let edit = FileEdit {
            op: "replace".to_owned(),
            old: Some(format!("value = {};", turn - 1)),
            new: Some(format!("value = {turn};")),
            ..FileEdit::default()
        };
        let entry = |name: &String| FileEntry {
            path: name.as_str().into(),
            base: None,
            edits: vec![edit.clone()],
            ..FileEntry::default()
        };
        JobRequest {
            durability: Some(durability),
            diff: Some(false),
            files: files.iter().map(entry).collect(),
            ..JobRequest::default()
        }
    }

    fn median(times: &mut [Duration]) -> Duration {
        times.sort_unstable();
        times[times.len() / 2]
    }

    fn secs(time: Duration) -> f64 {
        time.as_secs_f64()
    }

    fn micros(time: Duration) -> f64 {
        secs(time) * 1e6
    }
}
