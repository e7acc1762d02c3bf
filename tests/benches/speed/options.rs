//! The options of the command line, each a `name=value`. Other words, such as those that cargo adds, are ignored.

use std::path::PathBuf;

use editd_tests::binaries;

/// The parts that run if the command line does not select any.
const PARTS: &[&str] = &["times", "counts", "tools"];

/// The options of a run.
pub(crate) struct BenchOptions {
    /// Rounds, each with fresh folders and a fresh daemon.
    pub(crate) rounds: usize,
    /// The folder of the JSON and the plot.
    pub(crate) out: PathBuf,
    /// The parts to run.
    parts: Vec<String>,
    /// Entries of the journal with which the start is measured; 0 for none.
    pub(crate) entries: usize,
    /// The size of the largest file, in MB.
    pub(crate) largest: usize,
    /// The keys of the work to measure; `None`: all of it.
    work: Option<Vec<String>>,
}

impl BenchOptions {
    /// Reads the command line of this process.
    pub(crate) fn read() -> Self {
        let value = |name: &str| {
            std::env::args().find_map(|word| word.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
        };
        let number = |name: &str, usual: usize| {
            value(name).map_or(usual, |text| {
                text.parse().unwrap_or_else(|_| panic!("{name}={text}: it must be a whole number"))
            })
        };
        let parts = value("only").map_or_else(
            || PARTS.iter().map(|part| (*part).to_owned()).collect(),
            |text| text.split(',').map(str::to_owned).collect(),
        );
        Self {
            rounds: number("rounds", 5),
            out: value("out").map_or_else(default_out, PathBuf::from),
            parts,
            entries: number("entries", 0),
            largest: number("largest", 60),
            work: value("work").map(|text| text.split(',').map(str::to_owned).collect()),
        }
    }

    /// Returns true if the work with this key is to be measured.
    pub(crate) fn measures(&self, key: &str) -> bool {
        self.work.as_ref().is_none_or(|keys| keys.iter().any(|one| one == key))
    }

    /// Returns true if this part is to run.
    pub(crate) fn has(&self, part: &str) -> bool {
        self.parts.iter().any(|one| one == part)
    }
}

/// Returns `target/bench`, in the target folder of this build.
fn default_out() -> PathBuf {
    let program = std::env::current_exe().expect("a program knows where it is");
    // target/PROFILE/deps/PROGRAM
    program.ancestors().nth(3).map_or_else(|| binaries::top().join("target"), PathBuf::from).join("bench")
}
