//! The results as JSON, with all names of counts, so that runs can be compared.

use editd_tests::binaries;
use serde_json::{Map, Value, json};

use super::figures;
use crate::options::BenchOptions;
use crate::rows::{JobCounts, Measured, Row, Samples};
use crate::server::Program;

/// Returns the text of the file.
pub(super) fn text(options: &BenchOptions, found: &Measured) -> String {
    let rows: Vec<Value> = found.rows.iter().map(row).collect();
    let tools: Vec<Value> = found
        .tools
        .iter()
        .map(|row| json!({"files": row.files, "tool": row.tool, "times_us": samples(&row.times)}))
        .collect();
    let system = &found.file_system;
    let value = json!({
        "commit": commit(),
        "rounds": options.rounds,
        "processors": std::thread::available_parallelism().map_or(0, usize::from),
        "kernel": std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim(),
        "file_system": {
            "kind": system.kind,
            "device": system.device,
            "options": system.options,
            "journal": system.journal,
        },
        "rows": rows,
        "tools": tools,
        "notes": found.notes,
        "skipped": found.skipped,
    });
    format!("{value:#}\n")
}

fn row(row: &Row) -> Value {
    let targets: Vec<Value> = figures::of(row)
        .iter()
        .map(|figure| {
            json!({"unit": figure.unit, "value": figure.value, "limit": figure.limit, "met": figure.is_met()})
        })
        .collect();
    let mut programs = Map::new();
    for program in Program::ALL {
        let (times, counts) = (&row.times[program as usize], &row.counts[program as usize]);
        programs.insert(
            program.name().to_owned(),
            json!({"times_us": samples(times), "per_job": per_job(counts)}),
        );
    }
    json!({
        "key": row.key,
        "name": row.name,
        "programs": programs,
        "flush_us": samples(&row.flush),
        "by_hand_us": samples(&row.by_hand),
        "targets": targets,
    })
}

fn samples(samples: &Samples) -> Value {
    json!({
        "samples": samples.0.len(),
        "least": samples.micros(0.0),
        "p50": samples.median(),
        "p90": samples.micros(0.9),
    })
}

fn per_job(counts: &JobCounts) -> Value {
    json!({
        "calls": counts.calls,
        "fdatasyncs": counts.fdatasyncs,
        "cpu_us": counts.cpu_micros,
        "allocations": counts.allocations,
        "instructions": counts.instructions,
        "calls_by_name": counts.by_name,
    })
}

/// Returns the commit of the checkout, with `+` if files differ from it.
fn commit() -> Option<String> {
    let git = |words: &[&str]| {
        let told =
            std::process::Command::new("git").arg("-C").arg(binaries::top()).args(words).output().ok()?;
        told.status.success().then(|| String::from_utf8_lossy(&told.stdout).trim().to_owned())
    };
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(format!("{}{}", git(&["rev-parse", "HEAD"])?, if changed { "+" } else { "" }))
}
