//! The parts of the screen that take the keys while they are open: a prompt, a question, a report and the help.

use super::undo::UndoTarget;

/// Maximum length of the text of a prompt, in characters.
const PROMPT: usize = 500;

/// The value that a prompt asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PromptSubject {
    /// A part of a label or a path.
    Text,
    /// The name of a session.
    Session,
    /// The path of a file.
    Path,
}

impl PromptSubject {
    /// Returns the word in front of the text.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Text => "search",
            Self::Session => "session",
            Self::Path => "path",
        }
    }
}

/// An open part of the screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Overlay {
    /// A line of text that the user writes.
    Prompt {
        /// The value.
        subject: PromptSubject,
        /// The text so far.
        text: String,
        /// Set while the text is the proposed one, which the first letter replaces.
        proposed: bool,
    },
    /// A question before something is changed.
    Question {
        /// The change.
        target: UndoTarget,
    },
    /// A text of the daemon.
    Report {
        /// The heading.
        title: String,
        /// The lines, with colours.
        lines: Vec<String>,
        /// The first line on the screen.
        offset: usize,
        /// The change that would succeed with a merge.
        merge: Option<UndoTarget>,
    },
    /// The list of keys.
    Help {
        /// The first line on the screen.
        offset: usize,
    },
}

/// Adds a letter to the text of a prompt.
pub(crate) fn typed(text: &mut String, proposed: &mut bool, letter: char) {
    if std::mem::take(proposed) {
        text.clear();
    }
    if text.chars().count() < PROMPT {
        text.push(letter);
    }
}

/// Removes the last letter of a prompt, or the proposed text.
pub(crate) fn erased(text: &mut String, proposed: &mut bool) {
    if std::mem::take(proposed) {
        text.clear();
    }
    text.pop();
}

/// The keys and their effects. An empty key begins a heading.
pub(crate) const KEYS: &[(&str, &str)] = &[
    ("", "Moving"),
    ("up down  k j", "previous or next entry, or line of the text"),
    ("PgUp PgDn  Home End", "by a screen; to the first or the last one"),
    ("Tab  Enter", "the other pane; the text of the entry"),
    ("n p", "next or previous file or hunk"),
    ("left right  h l", "move the text sideways"),
    ("", "Choosing entries"),
    ("/", "those with a text in the label or a path"),
    ("s", "those of a session"),
    ("f", "those that changed a file"),
    ("S", "list the sessions; Enter chooses one"),
    ("Esc", "clear the choice"),
    ("", "Undo"),
    ("u", "undo: the entry; in its text, the file or hunk at the cursor"),
    ("r", "redo the same"),
    ("", "Other"),
    ("R", "look again; without a daemon: connect, or start one"),
    ("?", "this help"),
    ("q  Ctrl-C", "quit"),
];
