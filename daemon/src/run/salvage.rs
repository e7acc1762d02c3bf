//! `editd --salvage`: writes a new state from all valid records of a damaged log, prints what is gone, and ends. It
//! serves nobody.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use super::error::RunError;
use super::folders;
use crate::clock::{Clock, SystemClock};
use crate::config::DaemonArgs;
use crate::limits;
use crate::os::Os;
use crate::progress::StartProgress;
use crate::store::salvage::SalvageReport;
use crate::store::{DatabaseBackend, StoreOptions};
use crate::workspace::Workspace;

/// Salvages the state of the workspace that the command line names.
pub(super) fn run(args: &DaemonArgs, os: std::sync::Arc<dyn Os>) -> ExitCode {
    let output = match salvage(args, os) {
        Ok(report) if args.json => report.map_or_else(|| "null".to_owned(), |report| json(&report)) + "\n",
        Ok(report) => text(report.as_ref()),
        Err(why) => {
            // If this fails, the message cannot be reported anywhere.
            let _ = writeln!(std::io::stderr(), "editd: {why}");
            return ExitCode::FAILURE;
        }
    };
    match std::io::stdout().write_all(output.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn salvage(args: &DaemonArgs, os: std::sync::Arc<dyn Os>) -> Result<Option<SalvageReport>, RunError> {
    let locked = folders::locked(args)?;
    let (root, state) = (&locked.root, &locked.state);
    let options = StoreOptions {
        progress: StartProgress::default(),
        database: DatabaseBackend::Sled(state.join("sled")),
        segment: limits::SEGMENT,
        contents: 0,
        background: false,
    };
    Ok(Workspace::salvage(&os, root, state, options, SystemClock::start().wall_ms())?)
}

fn json(report: &SalvageReport) -> String {
    serde_json::to_string(report).unwrap_or_default()
}

/// Formats the report for people.
fn text(report: Option<&SalvageReport>) -> String {
    let Some(report) = report else {
        return "the log is not damaged; nothing was changed\n".to_owned();
    };
    if report.kept.is_empty() {
        return "an interrupted salvage is complete now\n".to_owned();
    }
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(out, "{} records are intact and in the new log", report.records);
    for damage in &report.damage {
        let _ = writeln!(out, "damaged: {damage}");
    }
    for entry in &report.entries {
        let label = entry.label.as_ref().map(|label| format!(" ({})", label.escape_debug()));
        let paths: Vec<String> = entry.paths.iter().map(|path| path.escape_debug().to_string()).collect();
        let _ = writeln!(
            out,
            "lost: entry {}{} of session {}: {}",
            entry.id,
            label.unwrap_or_default(),
            entry.session.escape_debug(),
            paths.join(", ")
        );
    }
    for (first, last) in &report.possible_entries {
        let _ = match first == last {
            true => writeln!(out, "lost: entry {first}, if it was ever made"),
            false => writeln!(out, "lost: entries {first} to {last}, if they were ever made"),
        };
    }
    for name in &report.clipboards {
        let _ = writeln!(out, "lost: the last content of clipboard {}", name.escape_debug());
    }
    for key in &report.keys {
        let name = key.key.as_ref().map_or("a key".to_owned(), |key| format!("key {}", key.escape_debug()));
        let _ = writeln!(out, "lost: {name} of job {}; the job runs again if it is sent again", key.job);
    }
    for job in &report.queued {
        let _ = writeln!(out, "lost: the detached job {job}, which waited; send it again");
    }
    if report.reads > 0 {
        let _ = writeln!(
            out,
            "lost: read receipts of sessions ({}); they must read the files again to edit them",
            report.reads
        );
    }
    if report.named && !report.has_gone() {
        out.push_str(
            "lost: nothing else; damaged records only had ends of jobs, or reads and clipboards that later ones replace\n",
        );
    }
    for unknown in &report.unknown {
        let _ = writeln!(out, "unknown: {unknown}");
    }
    if !report.named {
        out.push_str(
            "no database has the names of all clipboards and keys that are lost, so some may be missing here\n",
        );
    }
    let _ = writeln!(
        out,
        "files of the workspace were not changed; the damaged state is kept as {} in the state folder",
        report.kept.join(" and ")
    );
    out
}
