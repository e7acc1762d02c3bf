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

/// The commands, each with its name and the fields that it reads.
const COMMANDS: [(EditorCommand, &str, &[&str]); 5] = [
    (EditorCommand::View, "view", &["view_range"]),
    (EditorCommand::Create, "create", &["file_text"]),
    (EditorCommand::StrReplace, "str_replace", &["old_str", "new_str"]),
    (EditorCommand::Insert, "insert", &["insert_line", "insert_text", "new_str"]),
    (EditorCommand::UndoEdit, "undo_edit", &[]),
];

impl EditorCommand {
    /// Returns true if a command has this name.
    pub(super) fn has(name: &str) -> bool {
        COMMANDS.iter().any(|(_, known, _)| *known == name)
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        COMMANDS.iter().find(|(command, ..)| *command == self).map_or("", |(_, name, _)| name)
    }

    fn reads(self) -> &'static [&'static str] {
        COMMANDS.iter().find(|(command, ..)| *command == self).map_or(&[], |(.., fields)| fields)
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
