//! The command `report`: entries and their net change as a page of HTML.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use editctl::failure::Failure;
use editctl::journal::net;
use editctl::machine;
use editctl::machine::new_file::NewFile;
use editd_proto::ErrorCode;
use serde::Serialize;

use crate::CommandOutput;
use crate::choice::{ChoiceArgs, chosen};
use crate::context::ReviewContext;
use crate::diff::FILE;
use crate::page::{FileSection, ReportPage, count};

/// Maximum number of bytes of the changes on a page. Files beyond it are named without their changes.
const PAGE: usize = 32 << 20;

/// The arguments of the command.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// The file to write; - is standard output
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    choice: ChoiceArgs,
}

/// The output in JSON.
#[derive(Serialize)]
struct ReportInJson<'a> {
    file: &'a Path,
    bytes: usize,
    files: usize,
    entries: usize,
    notes: &'a [String],
}

/// Runs the command.
///
/// # Errors
/// No entry is chosen, the file exists or cannot be written, or the daemon cannot be reached.
pub(crate) fn run(context: &ReviewContext<'_>, words: &ReportArgs) -> Result<CommandOutput, Failure> {
    let to_file = words.html.as_os_str() != "-";
    if to_file && !words.force && machine::is_there(&words.html) {
        return Err(failed(&words.html, ErrorKind::AlreadyExists.into()));
    }
    let chosen = chosen(context, &words.choice)?;
    if chosen.list.entries.is_empty() {
        let message = format!("there is nothing to report: {}", chosen.notes.join("; "));
        return Err(Failure::refused(ErrorCode::NotFound, message));
    }
    let caller = context.caller();
    let (mut files, mut room) = (Vec::new(), PAGE);
    for span in &net::with_renames(&caller, chosen.spans)? {
        let section = FileSection::new(&net::change(&caller, &context.workspace, span, FILE)?, room);
        room = room.saturating_sub(section.html().len());
        files.push(section);
    }
    let root = context.workspace.root();
    let workspace = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned();
    let (changed, entries) = (files.len(), chosen.list.entries.len());
    let undone = chosen.list.entries.iter().filter(|entry| entry.undone).count();
    let page = ReportPage {
        workspace,
        entries: &chosen.list.entries,
        files,
        notes: &chosen.notes,
        made: machine::now_ms(),
    };
    let page = page.html();
    if !to_file {
        return Ok(CommandOutput { out: page.into_bytes(), notes: chosen.notes });
    }
    write(&words.html, page.as_bytes(), words.force).map_err(|error| failed(&words.html, error))?;
    let out = if context.style.json {
        let (file, bytes) = (words.html.as_path(), page.len());
        crate::in_json(&ReportInJson { file, bytes, files: changed, entries, notes: &chosen.notes })?
    } else {
        let (files, entries) = (count(changed, "file", "files"), count(entries, "entry", "entries"));
        let undone = if undone > 0 { format!(" ({undone} undone)") } else { String::new() };
        format!("wrote {}: {entries}{undone}, {files} changed\n", words.html.display()).into_bytes()
    };
    Ok(CommandOutput { out, notes: chosen.notes })
}

/// Writes a file that is complete or does not exist.
fn write(path: &Path, bytes: &[u8], force: bool) -> std::io::Result<()> {
    let mut file = NewFile::create(path, force)?;
    file.write_all(bytes)?;
    file.finish(force)
}

fn failed(path: &Path, error: std::io::Error) -> Failure {
    let name = path.display().to_string();
    match error.kind() {
        ErrorKind::AlreadyExists => {
            let message = format!("{name} exists; choose another name, or replace it with --force");
            Failure::refused(ErrorCode::Exists, message)
        }
        _ => Failure::File(name, error),
    }
}
