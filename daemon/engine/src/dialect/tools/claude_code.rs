//! The dialect `claude-code`: `Edit` (`file_path`, `old_string`, `new_string`, `replace_all`), `MultiEdit` (`file_path`,
//! `edits`) and `Write` (`file_path`, `content`).

use super::phrases::Phrases;
use super::table::{FieldMeaning, Tool, ToolAction, ToolDialect, ToolField, may, must, tool};

/// The dialect.
pub(in crate::dialect) static CLAUDE_CODE: ToolDialect = ToolDialect {
    name: "claude-code",
    sentence: "The tools Edit, MultiEdit and Write of Claude Code (JSON); Qwen Code's edit has the same fields.",
    tools: &TOOLS,
    phrases: Phrases {
        edited: "The file {path} has been updated.",
        created: "File created successfully at: {path}",
        overwritten: "The file {path} has been updated.",
        unchanged: "No changes to make: {path} has this text already.",
        not_found: "String to replace not found in file.\nString: {old}",
        ambiguous: "Found {count} matches of the string to replace, but replace_all is false. To replace all \
                    occurrences, set replace_all to true. To replace only one occurrence, please provide more context \
                    to uniquely identify the instance.\nString: {old}",
        missing: "File does not exist: {path}",
        exists: "Cannot create new file - file already exists: {path}. Quote the text to replace in old_string, or use \
                 Write.",
        unread: "File has not been read yet. Read it first before writing to it.",
        stale: "File has been modified since read, either by the user or by a linter.",
        ..Phrases::COMMON
    },
    removes_lines: true,
};

const PATH: ToolField = must(&["file_path"], FieldMeaning::Path);
const OLD: ToolField = must(&["old_string"], FieldMeaning::Old);
const NEW: ToolField = must(&["new_string"], FieldMeaning::New);
const ALL: ToolField = may(&["replace_all"], FieldMeaning::All);

static TOOLS: [Tool; 3] = [
    tool(&["Edit"], &[PATH, OLD, NEW, ALL], ToolAction::Replace),
    Tool {
        names: &["MultiEdit"],
        fields: &[PATH, must(&["edits"], FieldMeaning::Edits)],
        items: &[OLD, NEW, ALL],
        does: ToolAction::ReplaceInTurn,
        is_distinct: true,
    },
    tool(&["Write"], &[PATH, must(&["content"], FieldMeaning::Content)], ToolAction::Write),
];
