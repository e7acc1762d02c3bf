//! The dialect `mcp-filesystem`: `edit_file` (`path`, `edits` of `oldText` and `newText`, `dryRun`), `write_file` (`path`,
//! `content`) and `move_file` (`source`, `destination`).

use super::phrases::Phrases;
use super::table::{FieldMeaning, Tool, ToolAction, ToolDialect, may, must, tool};

/// The dialect.
pub(in crate::dialect) static MCP_FILESYSTEM: ToolDialect = ToolDialect {
    name: "mcp-filesystem",
    sentence: "The tools edit_file, write_file and move_file of the MCP filesystem server (JSON).",
    tools: &TOOLS,
    phrases: Phrases {
        edited: "Successfully edited {path}",
        created: "Successfully wrote to {path}",
        overwritten: "Successfully wrote to {path}",
        moved: "Successfully moved {path} to {to}",
        not_found: "Could not find exact match for edit:\n{old}",
        ambiguous: "The text of the edit is not unique, it was found {count} times in {path}; quote more lines around \
                    it:\n{old}",
        missing: "ENOENT: no such file or directory: {path}",
        exists: "{path} already exists and is not empty; quote the text to replace in oldText.",
        target: "Cannot move {path}: the destination {to} already exists.",
        ..Phrases::COMMON
    },
    removes_lines: false,
};

static TOOLS: [Tool; 3] = [
    Tool {
        names: &["edit_file"],
        fields: &[
            must(&["path"], FieldMeaning::Path),
            must(&["edits"], FieldMeaning::Edits),
            may(&["dryRun"], FieldMeaning::DryRun),
        ],
        items: &[must(&["oldText"], FieldMeaning::Old), must(&["newText"], FieldMeaning::New)],
        does: ToolAction::ReplaceInTurn,
        is_distinct: true,
    },
    // Recognised only by its name, since other tools have the same fields.
    Tool {
        is_distinct: false,
        ..tool(
            &["write_file"],
            &[must(&["path"], FieldMeaning::Path), must(&["content"], FieldMeaning::Content)],
            ToolAction::Write,
        )
    },
    tool(
        &["move_file"],
        &[must(&["source"], FieldMeaning::Path), must(&["destination"], FieldMeaning::Target)],
        ToolAction::Move,
    ),
];
