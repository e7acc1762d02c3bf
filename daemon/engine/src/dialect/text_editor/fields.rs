//! The fields of a `text-editor` payload, as its callers write them. Another module gives them a meaning.

use serde::Deserialize;

/// A payload.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, expecting = "an object with `command` and `path`")]
pub(super) struct TextEditorPayload {
    /// The command.
    pub(super) command: EditorCommand,
    /// The file; it may be given beside the payload instead.
    pub(super) path: Option<String>,
    /// The first and the last line to show.
    pub(super) view_range: Option<(i64, i64)>,
    /// The content of a new file.
    pub(super) file_text: Option<String>,
    /// The text to find.
    pub(super) old_str: Option<String>,
    /// The replacement, or the text to insert.
    pub(super) new_str: Option<String>,
    /// The line after which text is inserted.
    pub(super) insert_line: Option<i64>,
    /// The text to insert.
    pub(super) insert_text: Option<String>,
}

/// The command of a payload.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub(super) enum EditorCommand {
    /// Shows a file.
    View,
    /// Creates a file.
    Create,
    /// Replaces one text by another.
    StrReplace,
    /// Adds lines after a line.
    Insert,
    /// Undoes the last edit.
    UndoEdit,
}

impl EditorCommand {
    /// Returns the command with this name.
    pub(super) fn named(name: &str) -> bool {
        ["view", "create", "str_replace", "insert", "undo_edit"].contains(&name)
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Create => "create",
            Self::StrReplace => "str_replace",
            Self::Insert => "insert",
            Self::UndoEdit => "undo_edit",
        }
    }

    fn reads(self) -> &'static [&'static str] {
        match self {
            Self::View => &["view_range"],
            Self::Create => &["file_text"],
            Self::StrReplace => &["old_str", "new_str"],
            Self::Insert => &["insert_line", "insert_text", "new_str"],
            Self::UndoEdit => &[],
        }
    }
}

impl TextEditorPayload {
    /// Returns the fields that have a value although the command does not read them.
    pub(super) fn passed_over(&self) -> impl Iterator<Item = &'static str> {
        let text = |field: &Option<String>| field.as_deref().is_some_and(|text| !text.is_empty());
        let given = [
            ("view_range", self.view_range.is_some()),
            ("file_text", text(&self.file_text)),
            ("old_str", text(&self.old_str)),
            ("new_str", text(&self.new_str)),
            ("insert_line", self.insert_line.is_some()),
            ("insert_text", text(&self.insert_text)),
        ];
        let reads = self.command.reads();
        given.into_iter().filter(|(name, given)| *given && !reads.contains(name)).map(|(name, _)| name)
    }
}
