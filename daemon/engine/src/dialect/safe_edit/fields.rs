//! The fields of a `safe-edit` payload, as its callers write them, and the form of edit that it has. Another module
//! gives them a meaning.

use editd_types::JobMode;
use serde::Deserialize;

use crate::Refusal;
use crate::refusal::malformed;

/// Fields of which each alone makes the dialect certain.
pub(super) const OWN: [&str; 3] = ["line_edits", "search_replace", "insert_lines"];

/// The other fields.
pub(super) const OTHERS: [&str; 9] =
    ["path", "mode", "show_diff", "content", "search", "replace", "regex", "search_count", "search_flags"];

/// A payload.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, expecting = "an object with `path` and one form of edit")]
pub(super) struct SafeEditPayload {
    /// The file; it may be given beside the payload instead.
    pub(super) path: Option<String>,
    /// The handling of validator issues.
    pub(super) mode: Option<JobMode>,
    /// True if the answer shows the diff.
    pub(super) show_diff: Option<bool>,
    content: Option<String>,
    line_edits: Option<Vec<LineEdit>>,
    search_replace: Option<SearchFields>,
    insert_lines: Option<Vec<InsertLines>>,
    search: Option<String>,
    replace: Option<String>,
    regex: Option<bool>,
    search_count: Option<u64>,
    search_flags: Option<u32>,
}

/// One range of lines.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, expecting = "an object with `start_line`, `end_line` and `new_content`")]
pub(super) struct LineEdit {
    /// The first line, 1-based.
    pub(super) start_line: u64,
    /// The last line, inclusive.
    pub(super) end_line: u64,
    /// The new content of the range; an empty one deletes the range.
    pub(super) new_content: String,
}

/// Lines inserted before a line.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, expecting = "an object with `at_line` and `content`")]
pub(super) struct InsertLines {
    /// The line, 1-based; one past the last appends.
    pub(super) at_line: u64,
    /// The lines.
    #[serde(alias = "new_content")]
    pub(super) content: String,
}

/// A search and its replacement.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, expecting = "an object with `search` and `replace`")]
pub(super) struct SearchFields {
    /// The text or pattern to find.
    pub(super) search: String,
    /// The replacement.
    pub(super) replace: String,
    /// True if `search` is a regular expression.
    pub(super) regex: Option<bool>,
    /// The maximum number of replacements; all places if absent.
    pub(super) count: Option<u64>,
    /// Flags of Python's `re`.
    pub(super) flags: Option<u32>,
}

/// The form of a payload.
#[derive(Debug)]
pub(super) enum EditForm {
    /// The whole file.
    Content(String),
    /// Ranges of lines.
    LineEdits(Vec<LineEdit>),
    /// A search.
    Search(SearchFields),
    /// Lines put before lines.
    InsertLines(Vec<InsertLines>),
}

impl SafeEditPayload {
    /// Returns the form of edit that the payload has; it may have only one.
    ///
    /// # Errors
    /// `malformed` if there is no form, more than one, or an incomplete one.
    pub(super) fn form(self) -> Result<EditForm, Refusal> {
        let others = [
            ("content", self.content.is_some()),
            ("line_edits", self.line_edits.is_some()),
            ("search_replace", self.search_replace.is_some()),
            ("insert_lines", self.insert_lines.is_some()),
        ];
        let other = others.iter().any(|(_, given)| *given);
        // Fields with the default values of a model have no meaning. Empty texts and a count of 0 are such defaults
        // only beside another form: alone they are a search, which is refused for the missing part.
        let says = |text: &Option<String>| text.as_ref().is_some_and(|text| !(other && text.is_empty()));
        let flat = says(&self.search)
            || says(&self.replace)
            || self.regex == Some(true)
            || self.search_count.is_some_and(|count| !(other && count == 0))
            || self.search_flags.is_some_and(|flags| flags != 0);
        let given = others.into_iter().chain([("search", flat)]);
        let mut names = given.filter_map(|(name, given)| given.then_some(name));
        if let (Some(one), Some(other)) = (names.next(), names.next()) {
            return Err(malformed(format!("`{one}` and `{other}` are both given; give exactly one")));
        }
        let search = |flat: Self| {
            let lacks = |field: &str| malformed(format!("`{field}` is missing; a search needs both texts"));
            Ok(EditForm::Search(SearchFields {
                search: flat.search.ok_or_else(|| lacks("search"))?,
                replace: flat.replace.ok_or_else(|| lacks("replace"))?,
                regex: flat.regex,
                count: flat.search_count,
                flags: flat.search_flags,
            }))
        };
        match self {
            Self { content: Some(text), .. } => Ok(EditForm::Content(text)),
            Self { line_edits: Some(list), .. } => Ok(EditForm::LineEdits(list)),
            Self { search_replace: Some(search), .. } => Ok(EditForm::Search(search)),
            Self { insert_lines: Some(list), .. } => Ok(EditForm::InsertLines(list)),
            rest if flat => search(rest),
            _ => Err(malformed(
                "no edit is given; give one of `content`, `line_edits`, `search_replace` or `insert_lines`",
            )),
        }
    }
}
