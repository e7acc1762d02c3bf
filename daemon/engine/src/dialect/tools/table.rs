//! The form of a dialect's table, and which tool a payload is for. It reads no values.

use serde_json::{Map, Value};

use super::phrases::Phrases;
use super::{claude_code, gemini, mcp_filesystem, opencode, serena};
use crate::Refusal;
use crate::dialect::call::ToolCall;
use crate::refusal::malformed;

/// A dialect that is a table of tools.
#[derive(Debug)]
pub(in crate::dialect) struct ToolDialect {
    /// Its name.
    pub(super) name: &'static str,
    /// Its description in one sentence.
    pub(super) sentence: &'static str,
    /// Its tools.
    pub(super) tools: &'static [Tool],
    /// The wording of its replies.
    pub(super) phrases: Phrases,
    /// True if a replacement by nothing removes a line of which nothing is left.
    pub(super) removes_lines: bool,
}

/// One tool.
#[derive(Debug)]
pub(super) struct Tool {
    /// Its name, and others under which it is known.
    pub(super) names: &'static [&'static str],
    /// Its fields.
    pub(super) fields: &'static [ToolField],
    /// The fields of each item of its list of edits.
    pub(super) items: &'static [ToolField],
    /// The action of the tool.
    pub(super) does: ToolAction,
    /// True if its fields alone distinguish it from the tools of every other dialect.
    pub(super) is_distinct: bool,
}

/// One field of a tool.
#[derive(Debug)]
pub(super) struct ToolField {
    /// Its spellings.
    pub(super) names: &'static [&'static str],
    /// The meaning of its value.
    pub(super) meaning: FieldMeaning,
    /// True if a call of the tool must have it.
    pub(super) required: bool,
}

/// The meaning of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FieldMeaning {
    /// The file.
    Path,
    /// The text to be replaced.
    Old,
    /// The text that takes its place.
    New,
    /// Replace every occurrence.
    All,
    /// The number of occurrences.
    Count,
    /// A list of edits.
    Edits,
    /// The whole content.
    Content,
    /// Write nothing.
    DryRun,
    /// The path that a file gets.
    Target,
    /// The name path of a symbol.
    Symbol,
    /// The text or regular expression to look for.
    Pattern,
    /// The template of a replacement.
    Template,
    /// The mode of `Pattern`: `literal` or `regex`.
    PatternMode,
    /// The first line, from 0.
    FirstLine,
    /// The last line, from 0.
    LastLine,
    /// The line before which text is inserted, from 0.
    Line,
    /// A remark that does not affect the edit.
    Remark,
}

/// The action of a tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ToolAction {
    /// Replaces one text.
    Replace,
    /// Replaces several texts, one after the other.
    ReplaceInTurn,
    /// Writes a file.
    Write,
    /// Moves a file.
    Move,
    /// Edits a definition; the action of the native `symbol` edit.
    Symbol(&'static str),
    /// Replaces a pattern, with `$!1` for a group in its template.
    Pattern,
    /// Replaces a regular expression, with `\1` for a group in its template.
    Regex,
    /// Deletes lines.
    DeleteLines,
    /// Replaces lines.
    ReplaceLines,
    /// Inserts lines.
    InsertLines,
}

/// Creates a field that is required.
pub(super) const fn must(names: &'static [&'static str], meaning: FieldMeaning) -> ToolField {
    ToolField { names, meaning, required: true }
}

/// Creates a field that is optional.
pub(super) const fn may(names: &'static [&'static str], meaning: FieldMeaning) -> ToolField {
    ToolField { names, meaning, required: false }
}

/// Creates a tool without a list of edits, which is recognised by its fields.
pub(super) const fn tool(
    names: &'static [&'static str],
    fields: &'static [ToolField],
    does: ToolAction,
) -> Tool {
    Tool { names, fields, items: &[], does, is_distinct: true }
}

/// The dialects, in the order in which a payload that fits several belongs to one.
pub(in crate::dialect) static ALL: &[&ToolDialect] = &[
    &claude_code::CLAUDE_CODE,
    &opencode::OPENCODE,
    &gemini::GEMINI,
    &mcp_filesystem::MCP_FILESYSTEM,
    &serena::SERENA,
];

/// Returns the dialect that has the tool of a call. With `fitting`, the tool must also have the fields of the call.
pub(in crate::dialect) fn called(call: &ToolCall, fitting: bool) -> Option<&'static ToolDialect> {
    let arguments: Option<Map<String, Value>> = serde_json::from_str(&call.arguments).ok();
    ALL.iter().copied().find(|dialect| {
        let mut tools = dialect.tools.iter().filter(|tool| tool.is_called(&call.tool));
        tools.any(|tool| !fitting || arguments.as_ref().is_some_and(|fields| tool.fits(fields, false)))
    })
}

impl ToolDialect {
    /// Returns true if a payload belongs to this dialect by its fields.
    pub(super) fn owns(&self, fields: &Map<String, Value>) -> bool {
        let has = |dialect: &&ToolDialect| {
            dialect.tools.iter().any(|tool| tool.is_distinct && tool.fits(fields, true))
        };
        ALL.iter().copied().find(has).is_some_and(|owner| owner.name == self.name)
    }

    /// Returns the tool that a payload is for.
    ///
    /// # Errors
    /// `malformed` if it fits no tool, or several.
    pub(super) fn tool(
        &self,
        called: Option<&str>,
        fields: &Map<String, Value>,
    ) -> Result<&'static Tool, Refusal> {
        let named = || self.tools.iter().filter(|tool| called.is_some_and(|name| tool.is_called(name)));
        if let Some(tool) = named().find(|tool| tool.fits(fields, false)).or_else(|| named().next()) {
            return Ok(tool);
        }
        let fitting: Vec<&Tool> = self.tools.iter().filter(|tool| tool.fits(fields, false)).collect();
        let names = |tools: &[&Tool]| tools.iter().map(|tool| tool.name()).collect::<Vec<_>>().join(", ");
        match fitting.as_slice() {
            [one] => Ok(*one),
            [] => {
                let forms: Vec<String> = self.tools.iter().map(Tool::form).collect();
                Err(malformed(format!(
                    "the fields are those of no tool of {}: {}; correct the payload",
                    self.name,
                    forms.join(", ")
                )))
            }
            [first, ..] => Err(malformed(format!(
                "the fields are those of several tools ({}); send the call with the tool's name: \
                 {{\"name\": \"{}\", \"arguments\": {{\u{2026}}}}}",
                names(&fitting),
                first.name()
            ))),
        }
    }
}

impl Tool {
    /// Its name.
    pub(super) fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    /// Its name and fields, for people.
    fn form(&self) -> String {
        let fields: Vec<&str> = self.fields.iter().map(ToolField::name).collect();
        format!("{} {{{}}}", self.name(), fields.join(", "))
    }

    fn is_called(&self, name: &str) -> bool {
        self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Returns true if an object has the fields that it needs and no others. The path may be left to the request unless
    /// `with_path` is set.
    fn fits(&self, fields: &Map<String, Value>, with_path: bool) -> bool {
        let is_there = |field: &ToolField| field.names.iter().any(|name| fields.contains_key(*name));
        let complete = self.fields.iter().all(|field| {
            let optional = !field.required || (field.meaning == FieldMeaning::Path && !with_path);
            optional || is_there(field)
        });
        complete
            && fields.keys().all(|key| self.fields.iter().any(|field| field.names.contains(&key.as_str())))
            && self.items_fit(fields)
    }

    /// Returns true if the first item of the list of edits has the fields of the tool. It distinguishes tools
    /// whose other fields are the same.
    fn items_fit(&self, fields: &Map<String, Value>) -> bool {
        let list = self.fields.iter().filter(|field| field.meaning == FieldMeaning::Edits);
        let mut values = list.flat_map(|field| field.names).filter_map(|name| fields.get(*name));
        let first = values.next().and_then(Value::as_array).and_then(|items| items.first());
        let Some(Value::Object(item)) = first else { return true };
        self.items.iter().any(|field| field.names.iter().any(|name| item.contains_key(*name)))
    }
}

impl ToolField {
    /// Its first spelling.
    pub(super) fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }
}
