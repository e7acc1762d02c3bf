//! The rows of the table: each kind of work with its files and its targets, and the samples that were taken of it.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::file_system::{self, MountedSystem};
use crate::options::BenchOptions;
use crate::server::Program;
use crate::texts::{self, RealTexts};

/// Clients that write at once.
pub(crate) const CLIENTS: usize = 16;
/// Files of the larger job.
pub(crate) const FILES: usize = 20;
/// A million bytes.
const MB: usize = 1_000_000;

/// The size of a file.
#[derive(Clone, Copy)]
pub(crate) enum TextSize {
    /// About 10 KB.
    Usual,
    Bytes(usize),
    Lines(usize),
}

impl TextSize {
    /// Returns a real text of about this size.
    pub(crate) fn text(self, texts: &RealTexts, extension: &str) -> String {
        match self {
            TextSize::Usual => texts::usual(extension).to_owned(),
            TextSize::Bytes(bytes) => texts.of_bytes(extension, bytes),
            TextSize::Lines(lines) => texts.of_lines(extension, lines),
        }
    }
}

/// A goal of the issue. Nothing fails if it is missed.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// At most this many times the bound.
    PerBound(f64),
    /// At most this many times the same by hand.
    PerHand(f64),
    /// At most a flush and this many µs.
    FlushPlus(f64),
    /// At most this many µs.
    Micros(f64),
    /// At least this share of the jobs per second of the bound.
    JobsPerBound(f64),
    /// At most this many fdatasyncs for each job.
    Fdatasyncs(f64),
    /// At most this many system calls for each job.
    Calls(f64),
    /// At most this many allocations for each job.
    Allocations(f64),
}

/// A kind of job.
#[derive(Clone, Copy)]
pub(crate) struct Workload {
    /// A word for folders and for the JSON.
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    pub(crate) extension: &'static str,
    pub(crate) size: TextSize,
    pub(crate) files: usize,
    pub(crate) clients: usize,
    pub(crate) durable: bool,
    pub(crate) absent: bool,
    /// Jobs in a round.
    pub(crate) turns: usize,
    pub(crate) targets: &'static [Target],
}

impl Workload {
    const fn new(key: &'static str, name: &'static str, extension: &'static str, size: TextSize) -> Self {
        Self {
            key,
            name,
            extension,
            size,
            files: 1,
            clients: 1,
            durable: false,
            absent: false,
            turns: 8,
            targets: &[],
        }
    }

    const fn durable(mut self) -> Self {
        self.durable = true;
        self
    }

    const fn turns(mut self, turns: usize) -> Self {
        self.turns = turns;
        self
    }

    const fn targets(mut self, targets: &'static [Target]) -> Self {
        self.targets = targets;
        self
    }
}

const ONE_DURABLE: &[Target] =
    &[Target::FlushPlus(150.0), Target::PerBound(1.25), Target::Calls(45.0), Target::Allocations(120.0)];
const ONE_RELAXED: &[Target] = &[Target::Micros(250.0)];

/// Every kind of job that has a bound.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload::new("durable-rs", "one durable edit, 10 KB .rs", "rs", TextSize::Usual)
        .durable()
        .targets(ONE_DURABLE),
    Workload::new("durable-py", "one durable edit, 10 KB .py", "py", TextSize::Usual)
        .durable()
        .targets(ONE_DURABLE),
    Workload::new("durable-ts", "one durable edit, 10 KB .ts", "ts", TextSize::Usual)
        .durable()
        .targets(ONE_DURABLE),
    Workload::new("durable-md", "one durable edit, 10 KB .md", "md", TextSize::Usual)
        .durable()
        .targets(ONE_DURABLE),
    Workload::new("durable-txt", "one durable edit, 10 KB .txt", "txt", TextSize::Usual)
        .durable()
        .targets(ONE_DURABLE),
    Workload::new("relaxed-rs", "the same, relaxed, .rs", "rs", TextSize::Usual).targets(ONE_RELAXED),
    Workload::new("relaxed-py", "the same, relaxed, .py", "py", TextSize::Usual).targets(ONE_RELAXED),
    Workload::new("relaxed-ts", "the same, relaxed, .ts", "ts", TextSize::Usual).targets(ONE_RELAXED),
    Workload::new("relaxed-md", "the same, relaxed, .md", "md", TextSize::Usual).targets(ONE_RELAXED),
    Workload::new("relaxed-txt", "the same, relaxed, .txt", "txt", TextSize::Usual).targets(ONE_RELAXED),
    Workload::new("relaxed-5k-py", "relaxed, 5 KB .py", "py", TextSize::Bytes(5_000)).targets(ONE_RELAXED),
    Workload::new("relaxed-100k-rs", "relaxed, 100 KB .rs", "rs", TextSize::Bytes(100_000)),
    Workload {
        files: FILES,
        turns: 4,
        ..Workload::new("many", "one durable job over 20 files, 10 KB .rs", "rs", TextSize::Usual)
            .durable()
            .targets(&[Target::PerBound(1.5), Target::PerHand(0.1)])
    },
    Workload {
        clients: CLIENTS,
        turns: 25,
        ..Workload::new("at-once", "16 clients at once, durable, per job", "rs", TextSize::Usual)
            .durable()
            .targets(&[Target::JobsPerBound(0.7), Target::Fdatasyncs(0.15)])
    },
    Workload::new("lines", "relaxed, 100,000 lines .rs", "rs", TextSize::Lines(100_000)).turns(2),
    Workload::new("relaxed-1m-rs", "relaxed, 1 MB .rs", "rs", TextSize::Bytes(MB))
        .turns(3)
        .targets(&[Target::Micros(2_000.0)]),
    Workload::new("relaxed-1m-txt", "relaxed, 1 MB .txt", "txt", TextSize::Bytes(MB))
        .turns(3)
        .targets(&[Target::Micros(2_000.0)]),
    Workload::new("relaxed-10m-rs", "relaxed, 10 MB .rs", "rs", TextSize::Bytes(10 * MB))
        .turns(3)
        .targets(&[Target::Micros(20_000.0)]),
    Workload::new("relaxed-10m-txt", "relaxed, 10 MB .txt", "txt", TextSize::Bytes(10 * MB))
        .turns(3)
        .targets(&[Target::Micros(20_000.0)]),
    Workload::new("relaxed-60m-rs", "relaxed, 60 MB .rs", "rs", TextSize::Bytes(60 * MB))
        .turns(2)
        .targets(&[Target::Micros(150_000.0)]),
    Workload::new("relaxed-60m-txt", "relaxed, 60 MB .txt", "txt", TextSize::Bytes(60 * MB))
        .turns(2)
        .targets(&[Target::Micros(150_000.0)]),
    Workload {
        absent: true,
        turns: 3,
        ..Workload::new("absent", "refusal of an absent text, 10 MB .rs", "rs", TextSize::Bytes(10 * MB))
            .targets(&[Target::PerBound(1.0)])
    },
];

/// Times of the same work.
#[derive(Clone, Default)]
pub(crate) struct Samples(pub(crate) Vec<Duration>);

impl Samples {
    /// Returns the time that this share of the samples does not exceed, in µs; `None` without samples.
    pub(crate) fn micros(&self, share: f64) -> Option<f64> {
        let mut times = self.0.clone();
        times.sort_unstable();
        let at = (times.len() as f64 * share) as usize;
        times.get(at.min(times.len().saturating_sub(1))).map(|time| time.as_secs_f64() * 1e6)
    }

    /// Returns the median, in µs.
    pub(crate) fn median(&self) -> Option<f64> {
        self.micros(0.5)
    }
}

/// The cost of one job of a program. Unknown counts are absent.
#[derive(Clone, Default)]
pub(crate) struct JobCounts {
    pub(crate) calls: Option<f64>,
    pub(crate) fdatasyncs: Option<f64>,
    pub(crate) cpu_micros: Option<f64>,
    pub(crate) allocations: Option<f64>,
    pub(crate) instructions: Option<f64>,
    /// The system calls by their names.
    pub(crate) by_name: BTreeMap<String, f64>,
}

/// A line of the table.
pub(crate) struct Row {
    pub(crate) key: &'static str,
    pub(crate) name: String,
    pub(crate) targets: &'static [Target],
    /// In the order of [`Program::ALL`].
    pub(crate) times: [Samples; 3],
    pub(crate) counts: [JobCounts; 3],
    pub(crate) flush: Samples,
    pub(crate) by_hand: Samples,
}

/// A line of the comparison with other tools.
pub(crate) struct ToolRow {
    pub(crate) files: String,
    pub(crate) tool: &'static str,
    pub(crate) times: Samples,
}

/// All results of a run.
pub(crate) struct Measured {
    pub(crate) file_system: MountedSystem,
    pub(crate) rows: Vec<Row>,
    pub(crate) tools: Vec<ToolRow>,
    /// Sentences on what was skipped.
    pub(crate) skipped: Vec<String>,
    /// Other figures, each a sentence.
    pub(crate) notes: Vec<String>,
}

impl Measured {
    /// No results yet.
    pub(crate) fn new(options: &BenchOptions) -> Self {
        let rows = workloads(options).map(|work| Row::new(work.key, work.name, work.targets)).collect();
        Self {
            file_system: file_system::of(&std::env::temp_dir()),
            rows,
            tools: Vec::new(),
            skipped: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Returns the row with this key; makes it if it is new.
    pub(crate) fn row(&mut self, key: &'static str, name: &str, targets: &'static [Target]) -> &mut Row {
        let at = self.rows.iter().position(|row| row.key == key).unwrap_or_else(|| {
            self.rows.push(Row::new(key, name, targets));
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }

    /// Says on standard error that something is skipped, and keeps it for the report.
    pub(crate) fn skip(&mut self, sentence: String) {
        eprintln!("skipped: {sentence}");
        self.skipped.push(sentence);
    }
}

impl Row {
    fn new(key: &'static str, name: &str, targets: &'static [Target]) -> Self {
        Self {
            key,
            name: name.to_owned(),
            targets,
            times: Default::default(),
            counts: Default::default(),
            flush: Samples::default(),
            by_hand: Samples::default(),
        }
    }

    /// Returns the median of a program, in µs.
    pub(crate) fn median(&self, program: Program) -> Option<f64> {
        self.times[program as usize].median()
    }
}

impl Workload {
    /// Returns true if a job takes so long that the work is only part of the first round.
    pub(crate) fn is_long(&self) -> bool {
        matches!(self.size, TextSize::Bytes(bytes) if bytes >= 10 * MB)
    }
}

/// Returns the kinds of jobs that the options permit.
pub(crate) fn workloads(options: &BenchOptions) -> impl Iterator<Item = &'static Workload> {
    let largest = options.largest * MB;
    let named = WORKLOADS.iter().filter(|work| options.measures(work.key));
    named.filter(move |work| match work.size {
        TextSize::Usual => true,
        TextSize::Bytes(bytes) => bytes <= largest,
        TextSize::Lines(lines) => lines * 40 <= largest,
    })
}
