//! `editd --import FILE`: imports an exported journal into an empty one, prints what it has, and ends. It serves nobody.

use std::fmt::Write as _;
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::error::RunError;
use super::folders;
use crate::clock::{Clock, SystemClock};
use crate::config::{DaemonArgs, Settings};
use crate::limits;
use crate::os::{Access, File, Os};
use crate::progress::StartProgress;
use crate::store::portable::import::ImportReport;
use crate::store::portable::line::{AbsenceReason, AbsentLine};
use crate::store::{DatabaseBackend, StoreOptions};
use crate::workspace::Workspace;

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Imports a file into the workspace that the command line names.
pub(super) fn run(args: &DaemonArgs, file: &Path, os: Arc<dyn Os>) -> ExitCode {
    let now_ms = SystemClock::start().wall_ms();
    let output = match import(args, file, os, now_ms) {
        Ok(report) if args.json => serde_json::to_string(&report).unwrap_or_default() + "\n",
        Ok(report) => text(&report, now_ms),
        Err(why) => {
            // If this fails, the message cannot be reported anywhere.
            let _ = writeln!(io::stderr(), "editd: {why}");
            return ExitCode::FAILURE;
        }
    };
    match io::stdout().write_all(output.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn import(args: &DaemonArgs, file: &Path, os: Arc<dyn Os>, now_ms: u64) -> Result<ImportReport, RunError> {
    let mut source = ImportedFile::open(&os, file).map_err(|why| RunError::Folder {
        what: "read",
        path: file.to_owned(),
        why,
    })?;
    let locked = folders::locked(args)?;
    let (root, state) = (&locked.root, &locked.state);
    let options = StoreOptions {
        progress: StartProgress::default(),
        database: DatabaseBackend::Sled(state.join("sled")),
        segment: limits::SEGMENT,
        contents: Settings::default().keep_contents,
        background: false,
    };
    Ok(Workspace::import(&os, root, state, &mut source, &options, now_ms)?)
}

/// The file to import, read from its beginning to its end.
struct ImportedFile {
    file: File,
    at: u64,
}

impl ImportedFile {
    /// Opens a regular file; links in its path are followed.
    fn open(os: &Arc<dyn Os>, path: &Path) -> io::Result<Self> {
        let path = folders::resolved(path)?;
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        let file = os.open_dir(folder)?.open_file(name.as_encoded_bytes(), Access::Read)?;
        Ok(Self { file, at: 0 })
    }
}

impl Read for ImportedFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Formats the report for people.
fn text(report: &ImportReport, now_ms: u64) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = match (report.first, report.last) {
        (Some(first), Some(last)) => writeln!(
            out,
            "imported {} entries ({first} to {last}), {} clipboards, {} keys and {} kept contents",
            report.entries, report.clipboards, report.keys, report.contents
        ),
        _ => writeln!(out, "imported {} clipboards; the file has no entries", report.clipboards),
    };
    if let Some(since) = report.since {
        let _ = writeln!(out, "entries before {since} are not in the file");
    }
    for absent in &report.absent {
        let _ = writeln!(out, "absent: {}", shown(absent));
    }
    if report.forgotten > 0 {
        let _ = writeln!(out, "the contents of {} changed files had been forgotten", report.forgotten);
    }
    let keep_ms = u64::try_from(Settings::default().keep_age.as_millis()).unwrap_or(u64::MAX);
    if report.oldest.is_some_and(|oldest| now_ms.saturating_sub(oldest) > keep_ms) {
        let _ = writeln!(
            out,
            "the oldest entry is older than {} days: unless `keep_age` in a trusted .editd.toml is longer, the daemon \
             removes such entries",
            keep_ms / DAY_MS
        );
    }
    out.push_str("files of the workspace were not changed\n");
    out
}

fn shown(absent: &AbsentLine) -> String {
    let reason = match absent.reason {
        AbsenceReason::Pruned => "removed by retention",
        AbsenceReason::Damaged => "damaged or lost",
        AbsenceReason::Unfinished => "not finished when the file was written",
        AbsenceReason::Forgotten => "forgotten while the file was written",
        AbsenceReason::TooLong => "too long for a line",
    };
    let what = match (absent.entries, &absent.clipboard) {
        (Some((first, last)), _) if first == last => format!("entry {first}"),
        (Some((first, last)), _) => format!("entries {first} to {last}"),
        (None, Some(name)) => format!("clipboard {}", name.escape_debug()),
        (None, None) => "a kept content".to_owned(),
    };
    format!("{what}: {reason}")
}
