//! The time and the daemon's memory for an outline of a 10,000-line file, as ratios to lower bounds measured in the
//! same run: bounds and work take turns, and medians are compared. It reports; it asserts nothing about time.
//!
//! `cargo bench -p editd-tests --bench syntax` prints the table; `-- rounds=N` takes more or fewer turns (20).

#![cfg_attr(
    target_os = "linux",
    expect(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a benchmark that cannot run has nothing to report, and reads real sources"
    )
)]

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("the benchmark needs the Unix kit and /proc; skipped");
}

#[cfg(target_os = "linux")]
fn main() {
    syntax::run();
}

#[cfg(target_os = "linux")]
mod syntax {
    use std::fs;
    use std::hint::black_box;
    use std::path::Path;
    use std::time::{Duration, Instant};

    use editd_engine::PlanOptions;
    use editd_proto::message::kind;
    use editd_proto::path::FilePath;
    use editd_tests::client::Client;
    use editd_tests::test_daemon::TestDaemon;
    use editd_tests::{process, wait};
    use serde_json::{Value, json};

    /// Lines of the file.
    const LINES: usize = 10_000;
    /// The growth of the daemon's memory that is permitted once it is at rest again, KiB.
    const KEPT: u64 = 8 * 1024;

    pub(super) fn run() {
        let rounds = std::env::args()
            .find_map(|word| word.strip_prefix("rounds=").and_then(|n| n.parse().ok()))
            .unwrap_or(20_usize);
        let text = real_source();
        let daemon = TestDaemon::started();
        daemon.put("large.rs", &text);
        let mut client = daemon.client("bench");
        let idle = memory(&daemon);
        let outline = client.ask_json(kind::OUTLINE, &json!({"path": "large.rs"}));
        let symbols = outline["symbols"].as_array().unwrap();
        let last = symbols.iter().rfind(|symbol| symbol["kind"] == "function").unwrap()["name"].clone();
        println!(
            "{} lines, {} KiB, {} symbols, warnings: {}",
            text.lines().count(),
            text.len() / 1024,
            symbols.len(),
            outline["warnings"]
        );
        let mut times = ParseSamples::default();
        for _ in 0..rounds {
            times.turn(&text, &mut client, &last);
        }
        let peak = process::peak_kib(daemon.pid()).unwrap();
        let rest = wait::until("memory goes back", wait::LONG, || {
            process::resident_kib(daemon.pid()).filter(|now| *now <= idle + KEPT)
        });
        times.report();
        println!("idle daemon that has parsed nothing      {idle:>8} KiB resident (≤ 16384)");
        println!("the same at most, and at rest afterwards {peak:>8} KiB, {rest} KiB");
    }

    /// Returns the memory that the daemon holds once it frees no more by itself.
    fn memory(daemon: &TestDaemon) -> u64 {
        let mut least = u64::MAX;
        let start = Instant::now();
        wait::until("it has come to rest", wait::LONG, || {
            least = least.min(process::resident_kib(daemon.pid())?);
            (start.elapsed() > Duration::from_secs(3)).then_some(least)
        })
    }

    /// The daemon's own sources, each in a module, until there are enough lines.
    fn real_source() -> String {
        let mut files = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../daemon"), &mut files);
        files.sort();
        let mut text = String::new();
        for (nth, file) in files.iter().enumerate() {
            text.push_str(&format!("mod m{nth} {{\n{}}}\n", fs::read_to_string(file).unwrap()));
            if text.lines().count() >= LINES {
                break;
            }
        }
        text
    }

    fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
        for item in fs::read_dir(folder).unwrap() {
            let path = item.unwrap().path();
            if path.is_dir()
                && path.file_name().is_some_and(|name| name == "src" || !folder.ends_with("daemon"))
            {
                sources(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }

    #[derive(Default)]
    struct ParseSamples {
        parse: Vec<Duration>,
        pure: Vec<Duration>,
        read: Vec<Duration>,
        outline: Vec<Duration>,
        symbol: Vec<Duration>,
    }

    impl ParseSamples {
        fn turn(&mut self, text: &str, client: &mut Client, symbol: &Value) {
            let path = FilePath::from("large.rs");
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&tree_sitter_rust::LANGUAGE.into()).unwrap();
            self.parse.push(took(|| parser.parse(text, None).unwrap()));
            self.pure.push(took(|| {
                editd_engine::outline(text.as_bytes(), None, &path, &PlanOptions::default()).unwrap()
            }));
            let mut ask = |kind, request: Value| took(|| client.ask::<Value>(kind, &request).unwrap());
            self.read.push(ask(kind::READ, json!({"path": "large.rs"})));
            self.outline.push(ask(kind::OUTLINE, json!({"path": "large.rs"})));
            self.symbol.push(ask(kind::READ, json!({"path": "large.rs", "symbol": symbol})));
        }

        fn report(mut self) {
            let parse = median(&mut self.parse);
            let read = median(&mut self.read);
            println!("floor: parsing alone                     {parse:>8.2} ms p50");
            println!("floor: reading the file, socket to reply {read:>8.2} ms p50");
            for (name, times) in [
                ("outline, pure                           ", &mut self.pure),
                ("outline, socket to reply (≤ 50 ms)      ", &mut self.outline),
                ("one definition read, socket to reply    ", &mut self.symbol),
            ] {
                let time = median(times);
                println!("{name} {time:>8.2} ms p50 = {:.2} × parsing alone", time / parse);
            }
        }
    }

    fn took<T>(work: impl FnOnce() -> T) -> Duration {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    }

    /// In milliseconds.
    fn median(times: &mut [Duration]) -> f64 {
        times.sort_unstable();
        times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64) * 1e3
    }
}
