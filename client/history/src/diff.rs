//! The command `diff`: the net change of entries as one unified diff.

use clap::Args;
use editctl::failure::Failure;
use editctl::journal::content::FileContent;
use editctl::journal::lines::LineDiff;
use editctl::journal::net::{self, NetChange};
use editctl::journal::patch;
use editctl::show;
use editd_proto::FilePath;
use serde::Serialize;

use crate::CommandOutput;
use crate::choice::{ChoiceArgs, chosen};
use crate::context::ReviewContext;

/// Maximum number of bytes of a content whose lines are compared.
pub(crate) const FILE: u64 = 16 << 20;

/// Maximum number of bytes of the diff. Files beyond it are named without their changes.
const DIFF: usize = 64 << 20;

/// The arguments of the command.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    choice: ChoiceArgs,
}

/// The output in JSON.
#[derive(Serialize, Default)]
struct DiffInJson {
    entries: usize,
    files: Vec<FileInJson>,
}

/// A changed file in JSON.
#[derive(Serialize)]
struct FileInJson {
    path: FilePath,
    status: &'static str,
    added: u64,
    removed: u64,
    /// The diff, with invalid UTF-8 replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// Set if invalid UTF-8 was replaced, so that the diff cannot be applied.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replaced: bool,
    /// The reason for which there is no diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<String>,
}

/// Returns the word for a change.
pub(crate) fn status(change: &NetChange) -> &'static str {
    match (&change.before, &change.after) {
        (FileContent::Absent, _) => "created",
        (_, FileContent::Absent) => "deleted",
        _ => "modified",
    }
}

/// Runs the command.
///
/// # Errors
/// An option is invalid, the daemon cannot be reached, or it refuses a request.
pub(crate) fn run(context: &ReviewContext<'_>, words: &DiffArgs) -> Result<CommandOutput, Failure> {
    let chosen = chosen(context, &words.choice)?;
    let caller = context.caller();
    let (mut named, mut diffs) = (String::new(), Vec::new());
    let mut json = DiffInJson { entries: chosen.list.entries.len(), ..DiffInJson::default() };
    for span in &chosen.spans {
        let change = net::change(&caller, &context.workspace, span, FILE)?;
        let mut file = FileInJson {
            path: change.path.clone(),
            status: status(&change),
            added: 0,
            removed: 0,
            diff: None,
            replaced: false,
            omitted: None,
        };
        match patch::texts(&change) {
            Ok((old, new)) => {
                let lines = LineDiff::between(old, new);
                (file.added, file.removed) = lines.counts();
                let diff = patch::formatted(&change, &lines);
                if diffs.len() + diff.len() > DIFF {
                    file.omitted = Some("the diff would be too long".to_owned());
                } else {
                    file.replaced = std::str::from_utf8(&diff).is_err();
                    file.diff = context.style.json.then(|| String::from_utf8_lossy(&diff).into_owned());
                    diffs.extend(diff);
                }
            }
            Err(why) => file.omitted = Some(why.to_string()),
        }
        if let Some(why) = &file.omitted {
            let why = show::letters::one_line(why);
            named.push_str(&format!("# {} {}, not shown: {why}\n", change.path.display(), file.status));
        }
        json.files.push(file);
    }
    let out = if context.style.json {
        crate::in_json(&json)?
    } else if context.style.colour {
        let mut out = named;
        show::diff::add(&mut out, &String::from_utf8_lossy(&diffs), context.style);
        out.into_bytes()
    } else {
        // First, so that no line about a file can be taken for a part of a diff.
        [named.into_bytes(), diffs].concat()
    };
    Ok(CommandOutput { out, notes: chosen.notes })
}
