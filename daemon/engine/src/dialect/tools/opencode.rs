//! The dialect `opencode`: `edit` (`filePath`, in later versions `path`; `oldString`, `newString`, `replaceAll`) and
//! `write` (`filePath`, `content`). The edit tools of VS Code have the same fields.

use super::phrases::Phrases;
use super::table::{FieldMeaning, Tool, ToolAction, ToolDialect, may, must, tool};

/// The dialect.
pub(in crate::dialect) static OPENCODE: ToolDialect = ToolDialect {
    name: "opencode",
    sentence: "The tools edit and write of opencode (JSON); VS Code's replace_string_in_file and create_file have the \
               same fields.",
    tools: &TOOLS,
    phrases: Phrases {
        edited: "Edit applied successfully.",
        created: "Wrote file successfully.",
        overwritten: "Wrote file successfully.",
        unchanged: "No changes to apply: oldString and newString are identical.",
        not_found: "Could not find oldString in {path}. It must match the text of the file.\noldString: {old}",
        ambiguous: "Found {count} matches for oldString in {path}, but expected exactly one. Provide more surrounding \
                    lines in oldString to identify the correct match, or set replaceAll.\noldString: {old}",
        missing: "File not found: {path}",
        exists: "The file {path} already exists and is not empty; quote the text to replace in oldString.",
        unread: "You must read the file {path} before overwriting it.",
        stale: "File {path} has been modified since it was last read.",
        ..Phrases::COMMON
    },
    removes_lines: false,
};

static TOOLS: [Tool; 3] = [
    tool(
        &["edit", "replace_string_in_file"],
        &[
            must(&["filePath", "path"], FieldMeaning::Path),
            must(&["oldString"], FieldMeaning::Old),
            must(&["newString"], FieldMeaning::New),
            may(&["replaceAll"], FieldMeaning::All),
            may(&["explanation"], FieldMeaning::Remark),
        ],
        ToolAction::Replace,
    ),
    tool(
        &["write", "create_file"],
        &[must(&["filePath"], FieldMeaning::Path), must(&["content"], FieldMeaning::Content)],
        ToolAction::Write,
    ),
    // Recognised only by its name, since other tools have the same fields.
    Tool {
        is_distinct: false,
        ..tool(
            &["write"],
            &[must(&["path"], FieldMeaning::Path), must(&["content"], FieldMeaning::Content)],
            ToolAction::Write,
        )
    },
];
