//! System calls, flushes, allocations and instructions of one job: a program runs under `strace` or `valgrind` with two numbers of jobs,
//! and the difference is divided by the difference of the numbers, so that the start and the end do not count. The counts
//! include what a program does after its replies, in all of its threads.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::process::Command;

use editd_tests::test_daemon::TestDaemon;

use crate::options::BenchOptions;
use crate::rounds::{Desk, together};
use crate::rows::{Measured, WORKLOADS, Workload};
use crate::server::{Program, Server};
use crate::texts::RealTexts;

/// The kinds of work whose calls are counted, with two numbers of jobs of each client.
const CALLS: &[(&str, [usize; 2])] = &[
    ("durable-rs", [20, 120]),
    ("durable-txt", [20, 120]),
    ("relaxed-rs", [20, 120]),
    ("relaxed-txt", [20, 120]),
    ("many", [5, 25]),
    ("at-once", [5, 25]),
];
/// The same for flushes alone, which are counted with little delay, since other calls are not stopped.
const FLUSHES: &[(&str, [usize; 2])] = &[("at-once", [10, 110])];
/// The same for allocations and instructions, of which the work after many replies is a part.
const INSTRUCTIONS: &[(&str, [usize; 2])] =
    &[("durable-rs", [20, 120]), ("durable-txt", [20, 120]), ("relaxed-txt", [20, 220]), ("many", [2, 8])];

/// The counts of one run by their names.
type RunCounts = BTreeMap<String, u64>;

/// A program that counts.
struct Counter {
    /// Its command line, without the file that it writes.
    words: &'static [&'static str],
    /// The beginning of the word that names that file.
    out: &'static str,
    read: fn(&str) -> RunCounts,
}

const STRACE: Counter = Counter { words: &["strace", "-f", "-c"], out: "--output=", read: calls };
const STRACE_FLUSHES: Counter = Counter {
    words: &["strace", "-f", "--seccomp-bpf", "-c", "-e", "trace=fdatasync"],
    out: "--output=",
    read: calls,
};
const CALLGRIND: Counter = Counter {
    words: &["valgrind", "--tool=callgrind", "--fair-sched=yes", "--log-file=/dev/null"],
    out: "--callgrind-out-file=",
    read: profile,
};

/// Counts with each program that is there.
pub(crate) fn run(options: &BenchOptions, texts: &RealTexts, found: &mut Measured) {
    let measured = |(key, _): &&(&str, [usize; 2])| options.measures(key);
    if is_there(&STRACE, found) {
        for (work, numbers) in CALLS.iter().filter(measured) {
            each(&STRACE, work, *numbers, texts, found);
        }
        for (work, numbers) in FLUSHES.iter().filter(measured) {
            each(&STRACE_FLUSHES, work, *numbers, texts, found);
        }
    }
    if is_there(&CALLGRIND, found) {
        for (work, numbers) in INSTRUCTIONS.iter().filter(measured) {
            each(&CALLGRIND, work, *numbers, texts, found);
        }
    }
}

fn is_there(counter: &Counter, found: &mut Measured) -> bool {
    let there = Command::new(counter.words[0]).arg("--version").output().is_ok();
    if !there {
        found.skip(format!("{} is not installed; what it counts is unknown", counter.words[0]));
    }
    there
}

/// Counts one kind of work in each program.
fn each(counter: &Counter, key: &str, numbers: [usize; 2], texts: &RealTexts, found: &mut Measured) {
    let work = WORKLOADS.iter().find(|work| work.key == key).expect("the table has the key");
    for program in Program::ALL {
        eprintln!("{}: {}, {}", counter.words[0], work.name, program.name());
        let both = numbers.map(|jobs| count(counter, program, work, jobs, texts));
        match both {
            [Ok(few), Ok(many)] => {
                let jobs = ((numbers[1] - numbers[0]) * work.clients) as f64;
                let row = found.row(work.key, work.name, work.targets);
                let counts = &mut row.counts[program as usize];
                let each = |name: &str| {
                    let of = |counts: &RunCounts| counts.get(name).copied().unwrap_or_default() as f64;
                    (of(&many) - of(&few)) / jobs
                };
                if many.contains_key(EXECUTED) {
                    counts.instructions = Some(each(EXECUTED));
                    // A program without symbols has none.
                    counts.allocations = many.contains_key(ALLOCATED).then(|| each(ALLOCATED));
                } else {
                    counts.fdatasyncs = Some(each("fdatasync"));
                    if counter.words == STRACE.words {
                        let names = many.keys().map(|name| (name.clone(), each(name)));
                        counts.by_name = names.filter(|(_, calls)| *calls > 0.0).collect();
                        counts.calls = Some(counts.by_name.values().sum());
                    }
                }
            }
            [Err(error), _] | [_, Err(error)] => {
                found.skip(format!("{} of {}, {}: {error}", counter.words[0], program.name(), work.name));
            }
        }
    }
}

/// Runs a program under a counter with this many jobs of each client.
fn count(
    counter: &Counter,
    program: Program,
    work: &Workload,
    jobs: usize,
    texts: &RealTexts,
) -> Result<RunCounts, String> {
    let home = TestDaemon::new();
    let out = home.folder("home").join("counts");
    let mut under: Vec<OsString> = counter.words.iter().map(OsString::from).collect();
    let mut word = OsString::from(counter.out);
    word.push(&out);
    under.push(word);
    let server = Server::start(program, &home, &under)?;
    let text = work.size.text(texts, work.extension);
    let desk = |client| Desk::new(&server, work, &text, client);
    let mut desks: Vec<Desk> = (0..work.clients).map(desk).collect();
    together(&mut desks, jobs);
    desks.iter().for_each(|desk| desk.check(&server));
    server.stop();
    let text = fs::read_to_string(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    Ok((counter.read)(&text)).and_then(|counts| match counts.is_empty() {
        true => Err(format!("it counted nothing: {text}")),
        false => Ok(counts),
    })
}

/// Reads the table of `strace -c`: the fourth column has the calls, the last one the name.
fn calls(table: &str) -> RunCounts {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let name = (*fields.last()?).to_owned();
        let _share: f64 = fields.first()?.parse().ok()?;
        Some((name, fields.get(3)?.parse().ok()?))
    };
    table.lines().filter_map(row).filter(|(name, _)| name != "total").collect()
}

/// The names of the counts of instructions and allocations.
const EXECUTED: &str = "instructions";
const ALLOCATED: &str = "allocations";

/// The functions of the allocators of Rust programs and of C.
const ALLOCATORS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "mi_malloc",
    "mi_zalloc",
    "mi_calloc",
    "mi_realloc",
    "mi_malloc_aligned",
    "mi_zalloc_aligned",
    "mi_realloc_aligned",
];

/// Reads the file of callgrind: `fn=(id) name` begins the lines of a function, and `cfn=(id)` with `calls=number` is a
/// call from it; the name follows only the first time. Calls of one allocator by another are not counted.
fn profile(file: &str) -> RunCounts {
    let mut allocators = BTreeSet::new();
    let mut counts = RunCounts::new();
    let (mut caller, mut callee) = (false, false);
    for line in file.lines() {
        let (key, value) = line.split_once('=').unwrap_or_default();
        match key {
            "fn" | "cfn" => {
                let (id, name) = value.split_once(' ').unwrap_or((value, ""));
                if ALLOCATORS.contains(&name) {
                    allocators.insert(id);
                }
                let is_allocator = allocators.contains(id);
                if key == "fn" { caller = is_allocator } else { callee = is_allocator }
            }
            "calls" if callee && !caller => {
                let calls: u64 = value.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
                *counts.entry(ALLOCATED.to_owned()).or_default() += calls;
            }
            _ => {}
        }
        if let Some(number) = line.strip_prefix("summary: ").and_then(|word| word.trim().parse().ok()) {
            counts.insert(EXECUTED.to_owned(), number);
        }
    }
    counts
}
