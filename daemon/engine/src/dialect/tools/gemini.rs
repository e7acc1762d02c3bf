//! The dialect `gemini`: `replace` (`file_path`, `old_string`, `new_string`, `allow_multiple`, in earlier versions
//! `expected_replacements`; `instruction` is a remark) and `write_file` (`file_path`, `content`).

use super::phrases::Phrases;
use super::table::{FieldMeaning, Tool, ToolAction, ToolDialect, ToolField, may, must, tool};

/// The dialect.
pub(in crate::dialect) static GEMINI: ToolDialect = ToolDialect {
    name: "gemini",
    sentence: "The tools replace and write_file of Gemini CLI (JSON).",
    tools: &TOOLS,
    phrases: Phrases {
        edited: "Successfully modified file: {path} ({count} replacements).",
        created: "Successfully created and wrote to new file: {path}.",
        overwritten: "Successfully overwrote file: {path}.",
        unchanged: "No changes to apply. The file {path} has this text already.",
        not_found: "Failed to edit, could not find the string to replace (0 occurrences found in {path}).\n\
                    old_string: {old}",
        ambiguous: "Failed to edit, Expected 1 occurrence but found {count} in {path}. Give more lines around the text, \
                    or set allow_multiple.\nold_string: {old}",
        count: "Failed to edit, Expected {expected} occurrences but found {count} in {path}.\nold_string: {old}",
        missing: "File not found: {path}. Give an empty old_string to create it.",
        exists: "Failed to edit. Attempted to create a file that already exists: {path}.",
        ..Phrases::COMMON
    },
    removes_lines: false,
};

const PATH: ToolField = must(&["file_path"], FieldMeaning::Path);

static TOOLS: [Tool; 2] = [
    tool(
        &["replace"],
        &[
            PATH,
            must(&["old_string"], FieldMeaning::Old),
            must(&["new_string"], FieldMeaning::New),
            may(&["expected_replacements"], FieldMeaning::Count),
            may(&["allow_multiple"], FieldMeaning::All),
            may(&["instruction"], FieldMeaning::Remark),
        ],
        ToolAction::Replace,
    ),
    tool(&["write_file"], &[PATH, must(&["content"], FieldMeaning::Content)], ToolAction::Write),
];
