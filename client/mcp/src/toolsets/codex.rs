//! The tool `apply_patch` of Codex. Codex reads by shell commands, so that the set has the tool `read` of `editctl mcp`.

use editctl::show::CallWords;
use serde_json::{Map, Value, json};

use super::schema::{object, text};
use crate::arguments::Arguments;
use crate::context::PathBase;
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

/// The line of a patch that names a new file.
const ADD: &str = "*** Add File:";

/// The line of a patch that names the new path of the file before it.
const MOVE: &str = "*** Move to:";

/// The lines of a patch that name a file.
const HEADERS: [&str; 4] = [ADD, "*** Update File:", "*** Delete File:", MOVE];

fn apply_patch(call: &ToolCall<'_>, given: Map<String, Value>) -> CallResult {
    let patch = Arguments::new("", given, &["input"])?.required("input")?;
    let target = call.context.workspace_of(patch.lines().find_map(named).map(|(_, path)| path));
    let mut text = String::with_capacity(patch.len());
    let mut base = PathBase::Current;
    for line in patch.split_inclusive('\n') {
        let Some((header, path)) = named(line) else {
            text.push_str(line);
            continue;
        };
        match header {
            ADD => base = PathBase::Current,
            MOVE => {}
            _ => base = target.base_of(path),
        }
        let end = line.get(line.trim_end().len()..).unwrap_or_default();
        text.push_str(&format!("{header} {}{end}", payload::as_text(&target.name_in(base, path)?)?));
    }
    payload::send(call, &target, text, false)
}

/// Returns the words before a path, and the path.
fn named(line: &str) -> Option<(&'static str, &str)> {
    let of = |&header: &&'static str| {
        let path = line.strip_prefix(header)?.trim();
        (!path.is_empty()).then_some((header, path))
    };
    HEADERS.iter().find_map(of)
}
