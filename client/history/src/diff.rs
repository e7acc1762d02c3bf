//! The command `diff`: the net change of entries as one unified diff.

use std::collections::BTreeMap;

use clap::Args;
use editctl::failure::Failure;
use editctl::journal::content::FileContent;
use editctl::journal::lines::LineDiff;
use editctl::journal::net::{self, NetChange, PathSpan};
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
#[derive(Serialize)]
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
    /// The created file that this deleted one is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_to: Option<FilePath>,
    /// The deleted file that this created one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    rename: Option<RenameInJson>,
}

impl FileInJson {
    fn new(change: &NetChange) -> Self {
        Self {
            path: change.path.clone(),
            status: status(change),
            added: 0,
            removed: 0,
            diff: None,
            replaced: false,
            omitted: None,
            renamed_to: None,
            rename: None,
        }
    }
}

/// The rename of a created file in JSON.
#[derive(Serialize)]
struct RenameInJson {
    from: FilePath,
    /// The part of the larger content that both have, in percent.
    similarity: u64,
    added: u64,
    removed: u64,
    /// The diff in place of those of both files, with invalid UTF-8 replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// Returns the word for a change.
pub(crate) fn status(change: &NetChange) -> &'static str {
    match (&change.before, &change.after) {
        _ if change.former.is_some() => "renamed",
        (FileContent::Absent, _) => "created",
        (_, FileContent::Absent) => "deleted",
        _ => "modified",
    }
}

/// The diffs so far.
#[derive(Default)]
struct NetDiff {
    diffs: Vec<u8>,
    /// Lines about files that are not shown.
    named: String,
}

impl NetDiff {
    /// Appends a change. Returns its facts; their diff is the last part of `diffs`, unless it is omitted.
    fn add(&mut self, change: &NetChange) -> FileInJson {
        let mut file = FileInJson::new(change);
        match patch::texts(change) {
            Ok((old, new)) => {
                let lines = LineDiff::between(old, new);
                (file.added, file.removed) = lines.counts();
                let diff = patch::formatted(change, &lines);
                if self.diffs.len() + diff.len() > DIFF {
                    file.omitted = Some("the diff would be too long".to_owned());
                } else {
                    file.replaced = std::str::from_utf8(&diff).is_err();
                    file.diff = Some(String::from_utf8_lossy(&diff).into_owned());
                    self.diffs.extend(diff);
                }
            }
            Err(why) => file.omitted = Some(why.to_string()),
        }
        if let Some(why) = &file.omitted {
            let why = show::letters::one_line(why);
            let name = match &change.former {
                Some(former) => format!("{} \u{2192} {}", former.path.display(), change.path.display()),
                None => change.path.display(),
            };
            self.named.push_str(&format!("# {name} {}, not shown: {why}\n", status(change)));
        }
        file
    }
}

/// Runs the command.
///
/// # Errors
/// An option is invalid, the daemon cannot be reached, or it refuses a request.
pub(crate) fn run(context: &ReviewContext<'_>, words: &DiffArgs) -> Result<CommandOutput, Failure> {
    let chosen = chosen(context, &words.choice)?;
    let caller = context.caller();
    let change = |span: &PathSpan| net::change(&caller, &context.workspace, span, FILE);
    let mut net = NetDiff::default();
    if context.style.json {
        let files = in_json(&net::with_renames(&caller, chosen.spans)?, change)?;
        let out = crate::in_json(&DiffInJson { entries: chosen.list.entries.len(), files })?;
        return Ok(CommandOutput { out, notes: chosen.notes });
    }
    for span in &net::with_renames(&caller, chosen.spans)? {
        net.add(&change(span)?);
    }
    let out = if context.style.colour {
        let mut out = net.named;
        show::diff::add(&mut out, &String::from_utf8_lossy(&net.diffs), context.style);
        out.into_bytes()
    } else {
        // First, so that no line about a file can be taken for a part of a diff.
        [net.named.into_bytes(), net.diffs].concat()
    };
    Ok(CommandOutput { out, notes: chosen.notes })
}

/// Returns each changed path. A renamed file is a deleted and a created one, so that each has its own change; both name
/// the rename.
fn in_json(
    spans: &[PathSpan],
    change: impl Fn(&PathSpan) -> Result<NetChange, Failure>,
) -> Result<Vec<FileInJson>, Failure> {
    let renamed = || spans.iter().filter_map(|span| Some((span.former_path()?, span)));
    let to: BTreeMap<&FilePath, &FilePath> = renamed().map(|(from, span)| (from, &span.path)).collect();
    let from: BTreeMap<&FilePath, &PathSpan> = renamed().map(|(_, span)| (&span.path, span)).collect();
    let (mut net, mut renames) = (NetDiff::default(), NetDiff::default());
    let mut files = Vec::new();
    for span in &net::apart(spans) {
        let mut file = net.add(&change(span)?);
        file.renamed_to = to.get(&span.path).map(|path| (*path).clone());
        if let Some(span) = from.get(&span.path) {
            let change = change(span)?;
            let FileInJson { added, removed, diff, .. } = renames.add(&change);
            file.rename = change.former.map(|former| RenameInJson {
                from: former.path,
                similarity: former.similarity,
                added,
                removed,
                diff,
            });
        }
        files.push(file);
    }
    Ok(files)
}
