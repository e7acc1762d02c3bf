//! The dialect `serena`: `replace_symbol_body`, `insert_after_symbol` and `insert_before_symbol` (`name_path`,
//! `relative_path`, `body`), `replace_content` (`needle`, `repl`, `mode`, `allow_multiple_occurrences`) and its earlier
//! form `replace_regex`, `create_text_file`, `delete_lines`, `replace_lines` and `insert_at_line`. Lines count from 0. The
//! three tools for symbols have the same fields, so that a payload of theirs needs the name of the tool.

use super::phrases::Phrases;
use super::table::{FieldMeaning, Tool, ToolAction, ToolDialect, ToolField, may, must, tool};

/// The dialect.
pub(in crate::dialect) static SERENA: ToolDialect = ToolDialect {
    name: "serena",
    sentence: "Serena's tools for symbols, content and lines (JSON); its lines count from 0.",
    tools: &TOOLS,
    phrases: Phrases {
        edited: "OK",
        created: "File created: {path}.",
        overwritten: "File created: {path}. Overwrote existing file.",
        not_found: "Error: No matches of search expression found in {path}.\nneedle: {old}",
        ambiguous: "Expression matches {count} occurrences in {path}. Please revise the expression to be more specific \
                    or enable allow_multiple_occurrences if this is expected.\nneedle: {old}",
        count: "Expression matches {count} occurrences in {path}. Please revise the expression to be more specific or \
                enable allow_multiple_occurrences if this is expected.\nneedle: {old}",
        swallowed: "Match is ambiguous: the search pattern matches multiple overlapping occurrences in {path}. Please \
                    revise the search pattern to be more specific to avoid ambiguity.\nneedle: {old}",
        no_symbol: "No symbol matching '{old}' found in {path}.",
        symbols: "Found multiple symbols matching '{old}' in {path}.",
        range: "The lines are not in {path}, which has the lines 0 to {last} (counted from 0); read it again.",
        missing: "File {path} does not exist in the project.",
        ..Phrases::COMMON
    },
    removes_lines: false,
};

const PATH: ToolField = must(&["relative_path"], FieldMeaning::Path);
const CONTENT: ToolField = must(&["content"], FieldMeaning::Content);
const REPL: ToolField = must(&["repl"], FieldMeaning::Template);
const SEVERAL: ToolField = may(&["allow_multiple_occurrences"], FieldMeaning::All);
const FIRST: ToolField = must(&["start_line"], FieldMeaning::FirstLine);
const LAST: ToolField = must(&["end_line"], FieldMeaning::LastLine);
const SYMBOL: &[ToolField] =
    &[must(&["name_path"], FieldMeaning::Symbol), PATH, must(&["body"], FieldMeaning::Content)];

static TOOLS: [Tool; 9] = [
    tool(&["replace_symbol_body"], SYMBOL, ToolAction::Symbol("replace")),
    tool(&["insert_after_symbol"], SYMBOL, ToolAction::Symbol("insert_after")),
    tool(&["insert_before_symbol"], SYMBOL, ToolAction::Symbol("insert_before")),
    tool(
        &["replace_content"],
        &[
            PATH,
            must(&["needle"], FieldMeaning::Pattern),
            REPL,
            must(&["mode"], FieldMeaning::PatternMode),
            SEVERAL,
        ],
        ToolAction::Pattern,
    ),
    tool(
        &["replace_regex"],
        &[PATH, must(&["regex"], FieldMeaning::Pattern), REPL, SEVERAL],
        ToolAction::Regex,
    ),
    tool(&["create_text_file"], &[PATH, CONTENT], ToolAction::Write),
    tool(&["delete_lines"], &[PATH, FIRST, LAST], ToolAction::DeleteLines),
    tool(&["replace_lines"], &[PATH, FIRST, LAST, CONTENT], ToolAction::ReplaceLines),
    tool(&["insert_at_line"], &[PATH, must(&["line"], FieldMeaning::Line), CONTENT], ToolAction::InsertLines),
];
