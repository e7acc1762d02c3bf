//! The dialect `serena`: `replace_symbol_body`, `insert_after_symbol` and `insert_before_symbol` (`name_path`,
//! `relative_path`, `body`), `replace_content` (`needle`, `repl`, `mode`, `allow_multiple_occurrences`) and its earlier
//! form `replace_regex`, `create_text_file`, `delete_lines`, `replace_lines` and `insert_at_line`. Lines count from 0. The
//! three tools for symbols have the same fields, so that a payload of theirs needs the name of the tool.

use super::phrases::Phrases;
use super::table::{Action, Field, Meaning, Tool, ToolDialect, may, must, tool};

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
        no_symbol: "No symbol matching '{old}' found in {path}.",
        symbols: "Found multiple symbols matching '{old}' in {path}.",
        range: "The lines are not in {path}, which has the lines 0 to {last} (counted from 0); read it again.",
        missing: "File {path} does not exist in the project.",
        ..Phrases::COMMON
    },
};

const PATH: Field = must(&["relative_path"], Meaning::Path);
const CONTENT: Field = must(&["content"], Meaning::Content);
const REPL: Field = must(&["repl"], Meaning::Template);
const SEVERAL: Field = may(&["allow_multiple_occurrences"], Meaning::All);
const FIRST: Field = must(&["start_line"], Meaning::FirstLine);
const LAST: Field = must(&["end_line"], Meaning::LastLine);
const SYMBOL: &[Field] = &[must(&["name_path"], Meaning::Symbol), PATH, must(&["body"], Meaning::Content)];

static TOOLS: [Tool; 9] = [
    tool(&["replace_symbol_body"], SYMBOL, Action::Symbol("replace")),
    tool(&["insert_after_symbol"], SYMBOL, Action::Symbol("insert_after")),
    tool(&["insert_before_symbol"], SYMBOL, Action::Symbol("insert_before")),
    tool(
        &["replace_content"],
        &[PATH, must(&["needle"], Meaning::Pattern), REPL, must(&["mode"], Meaning::PatternMode), SEVERAL],
        Action::Pattern,
    ),
    tool(&["replace_regex"], &[PATH, must(&["regex"], Meaning::Pattern), REPL, SEVERAL], Action::Regex),
    tool(&["create_text_file"], &[PATH, CONTENT], Action::Write),
    tool(&["delete_lines"], &[PATH, FIRST, LAST], Action::DeleteLines),
    tool(&["replace_lines"], &[PATH, FIRST, LAST, CONTENT], Action::ReplaceLines),
    tool(&["insert_at_line"], &[PATH, must(&["line"], Meaning::Line), CONTENT], Action::InsertLines),
];
