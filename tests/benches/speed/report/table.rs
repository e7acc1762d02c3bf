//! The tables on the terminal.

use std::collections::BTreeMap;

use super::figures::{self, ratio, short};
use crate::rows::{JobCounts, Measured, Row, ToolRow};
use crate::server::Program;

/// Prints everything that was measured.
pub(super) fn print(found: &Measured) {
    let system = &found.file_system;
    println!(
        "file system: {} on {}, journal: {}, options: {}",
        system.kind, system.device, system.journal, system.options
    );
    times(found);
    counts(found);
    tools(&found.tools);
    found.notes.iter().for_each(|note| println!("{note}"));
    found.skipped.iter().for_each(|sentence| println!("skipped: {sentence}"));
}

fn times(found: &Measured) {
    let rows: Vec<&Row> = found.rows.iter().filter(|row| row.median(Program::Daemon).is_some()).collect();
    if rows.is_empty() {
        return;
    }
    println!("\ntimes, p50 in µs; a flush overwrites one block and calls fdatasync");
    println!(
        "{:<54} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9}  targets",
        "work", "p50", "p90", "bound", "reusing", "× bound", "flush", "by hand"
    );
    for row in rows {
        let work = &row.times[Program::Daemon as usize];
        let targets: Vec<String> = figures::of(row)
            .iter()
            .map(|figure| if figure.value.is_some() { figure.text() } else { String::new() })
            .filter(|text| !text.is_empty())
            .collect();
        println!(
            "{:<54} {:>9} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9}  {}",
            row.name,
            cell(work.median()),
            cell(work.micros(0.9)),
            cell(row.median(Program::Bound)),
            cell(row.median(Program::ReusingBound)),
            ratio(work.median(), row.median(Program::Bound)).map_or("-".to_owned(), short),
            cell(row.flush.median()),
            cell(row.by_hand.median()),
            targets.join(", ")
        );
    }
}

fn counts(found: &Measured) {
    let known: Vec<&Row> = found.rows.iter().filter(|row| row.counts.iter().any(is_known)).collect();
    if known.is_empty() {
        return;
    }
    println!(
        "\nper job of editd, with what follows the reply; in brackets of the bound, and of the reusing bound"
    );
    println!(
        "{:<54} {:>22} {:>20} {:>20} {:>20} {:>34}",
        "work", "calls", "fdatasyncs", "CPU µs", "allocations", "instructions"
    );
    for row in &known {
        println!(
            "{:<54} {:>22} {:>20} {:>20} {:>20} {:>34}",
            row.name,
            all_programs(row, |counts| counts.calls),
            all_programs(row, |counts| counts.fdatasyncs),
            all_programs(row, |counts| counts.cpu_micros),
            all_programs(row, |counts| counts.allocations),
            all_programs(row, |counts| counts.instructions),
        );
    }
    for row in known {
        for program in [Program::Daemon, Program::Bound] {
            let names = &row.counts[program as usize].by_name;
            if !names.is_empty() {
                println!("calls of {}, {}: {}", program.name(), row.name, by_name(names));
            }
        }
    }
}

/// Returns the calls by their names, the most frequent first.
fn by_name(names: &BTreeMap<String, f64>) -> String {
    let mut calls: Vec<(&String, &f64)> = names.iter().filter(|(_, calls)| **calls >= 0.05).collect();
    calls.sort_by(|a, b| b.1.total_cmp(a.1));
    let calls: Vec<String> = calls.iter().map(|(name, calls)| format!("{name} {calls:.1}")).collect();
    calls.join(", ")
}

/// Returns a count of the daemon, and in brackets those of both bounds.
fn all_programs(row: &Row, count: impl Fn(&JobCounts) -> Option<f64>) -> String {
    let [daemon, bound, reusing] = row.counts.each_ref().map(|counts| count(counts).map(short));
    let Some(daemon) = daemon else { return "-".to_owned() };
    let of = |text: Option<String>| text.unwrap_or("-".to_owned());
    format!("{daemon} ({}, {})", of(bound), of(reusing))
}

fn is_known(counts: &JobCounts) -> bool {
    let JobCounts { calls, fdatasyncs, cpu_micros, allocations, instructions, .. } = counts;
    [calls, fdatasyncs, cpu_micros, allocations, instructions].iter().any(|count| count.is_some())
}

fn tools(rows: &[ToolRow]) {
    if rows.is_empty() {
        return;
    }
    println!("\nthe same change by other tools, p50 in µs; the ratio is editd, relaxed, to the tool");
    println!("{:<26} {:<22} {:>10} {:>10} {:>8}", "files", "tool", "p50", "p90", "ratio");
    for row in rows {
        let relaxed = rows.iter().find(|one| one.files == row.files).and_then(|one| one.times.median());
        println!(
            "{:<26} {:<22} {:>10} {:>10} {:>8}",
            row.files,
            row.tool,
            cell(row.times.median()),
            cell(row.times.micros(0.9)),
            ratio(relaxed, row.times.median()).map_or("-".to_owned(), short)
        );
    }
}

fn cell(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.0}"))
}
