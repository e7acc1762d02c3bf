//! The tool `apply_patch` of Codex. Codex reads by shell commands, so that the set has the tool `read` of `editctl mcp`.

use editctl::show::CallWords;
use serde_json::{Map, Value, json};

use super::schema::{object, text};
use crate::arguments::Arguments;
use crate::context::{CallRefusal, CallTarget};
use crate::tools::history::HISTORY;
use crate::tools::read::READ;
use crate::tools::undo::UNDO;
use crate::tools::{CallResult, ToolAction, ToolCall, ToolEntry, ToolSet, payload};

/// The set.
pub(super) static SET: ToolSet = ToolSet {
    name: "codex",
    dialect: "apply-patch",
    words: CallWords { read: "read {\"path\": ", narrow: None },
    missing: None,
    tools: &[
        ToolEntry {
            name: "apply_patch",
            description: "Apply a patch to files, all or nothing: *** Begin Patch, then *** Add File: P with + lines, \
                          *** Update File: P with @@ hunks, *** Delete File: P, and *** End Patch.",
            schema: || object(json!({ "input": text() }), &["input"]),
            looks: false,
            action: ToolAction::Run(apply_patch),
        },
        READ,
        UNDO,
        HISTORY,
    ],
};

/// The lines of a patch that name a file, and true if the file need not exist.
const HEADERS: [(&str, bool); 4] = [
    ("*** Add File:", true),
    ("*** Update File:", false),
    ("*** Delete File:", false),
    ("*** Move to:", true),
];

fn apply_patch(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let patch = Arguments::new("", given, &["input"])?.required("input")?;
    let target = call.context.workspace_of(patch.lines().find_map(named).map(|(_, path, _)| path));
    let text = patch.split_inclusive('\n').map(|line| with_path(&target, line)).collect::<Result<_, _>>()?;
    payload::send(call, &target, text, false)
}

/// Returns the words before a path, the path, and true if the file need not exist.
fn named(line: &str) -> Option<(&'static str, &str, bool)> {
    let of = |&(header, creates): &(&'static str, bool)| {
        let path = line.strip_prefix(header)?.trim();
        (!path.is_empty()).then_some((header, path, creates))
    };
    HEADERS.iter().find_map(of)
}

/// Returns a line of the patch with its path as a path of the workspace.
fn with_path(target: &CallTarget<'_>, line: &str) -> Result<String, CallRefusal> {
    let Some((header, path, creates)) = named(line) else { return Ok(line.to_owned()) };
    let end = line.get(line.trim_end().len()..).unwrap_or_default();
    let path = if creates { target.new_name(path)? } else { target.name(path)? };
    Ok(format!("{header} {path}{end}"))
}
