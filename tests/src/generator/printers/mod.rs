//! Edits said in every dialect: what was quoted in, a payload out, as a caller of that dialect would write it.
//!
//! *Contract*: a printer says exactly what it is given, disturbed or not; it never looks for a place and never
//! mends a quotation.

mod apply_patch;
mod chunks;
mod native;
mod patch;
mod ranges;
mod safe_edit;
mod search_replace;
mod text_editor;
mod tools;
mod unified_diff;

use editd_proto::message::FileEdit;
use fastrand::Rng;

use super::quoting::QuotedEdit;
use super::source::SourceFile;

/// The properties of the quotations in one form of edits.
#[derive(Clone, Debug)]
pub(super) struct FormProperties {
    /// Its name in the table.
    pub(super) name: &'static str,
    /// The place of the context lines.
    pub(super) context: ContextPlace,
    /// A quotation may begin and end anywhere in a line.
    pub(super) anywhere: bool,
    /// A part of a line can be quoted.
    pub(super) phrases: bool,
    /// It quotes text; otherwise it names lines by number.
    pub(super) quotes: bool,
    /// A line number can be given with a quotation.
    pub(super) hints: bool,
    /// A line number is always given.
    pub(super) always_hints: bool,
    /// A payload may have several edits.
    pub(super) many: bool,
    /// Lines of context on either side that are customary.
    pub(super) context_lines: usize,
    /// It only inserts, beside one anchor.
    pub(super) insertions: bool,
    /// The ladder locates the quotation.
    pub(super) looks: bool,
    /// The ladder tries the rung `numbered`.
    pub(super) numbered: bool,
    /// The ladder tries the rung `edge`.
    pub(super) edge: bool,
    /// The caller can permit similar text.
    pub(super) similar: bool,
}

/// The place of the lines around an edit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ContextPlace {
    /// In the old text, and again in the new.
    Merged,
    /// By themselves.
    Beside,
}

/// The edits to print.
#[derive(Debug)]
pub(super) struct PrintTask<'a> {
    pub(super) source: &'a SourceFile,
    /// The edits, in the order of the file.
    pub(super) edits: &'a [QuotedEdit],
    /// The lines that each edit replaces: the first line and their number.
    pub(super) lines: &'a [(usize, usize)],
    /// The breaks that the caller writes.
    pub(super) eol: &'static str,
    /// Similarity that is enough.
    pub(super) threshold: Option<f64>,
}

/// Edits that quote no place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum UnquotedEdits {
    /// Every occurrence of a text gives way.
    Everywhere {
        /// The text, on one line.
        old: String,
        /// The text that replaces it.
        new: String,
    },
    /// Text before the first line.
    Start(String),
    /// Text after the last byte.
    End(String),
    /// The whole content.
    Whole(String),
}

/// A request.
#[derive(Clone, Debug)]
pub(super) enum PrintedRequest {
    /// Native edits.
    Native(Vec<FileEdit>),
    /// A payload, the file named beside it or not.
    Payload {
        /// Its dialect.
        dialect: &'static str,
        /// Itself.
        text: String,
        /// True if the file is named beside the payload.
        beside: bool,
    },
}

/// One way of saying edits.
pub(super) trait EditPrinter: Sync {
    /// Returns the properties of its quotations.
    fn ways(&self) -> FormProperties;

    /// Says edits; `None` where this way cannot say them.
    fn print(&self, ask: &PrintTask<'_>, rng: &mut Rng) -> Option<PrintedRequest>;

    /// Says an edit that quotes no place; `None` where this way cannot.
    fn sweep(&self, _path: &str, _edit: &UnquotedEdits) -> Option<PrintedRequest> {
        None
    }
}

/// Every way, and how often it is drawn.
pub(super) const PRINTERS: &[(&dyn EditPrinter, usize)] = &[
    (&native::ReplacePrinter, 10),
    (&native::WholeLinesPrinter, 8),
    (&native::LinesPrinter, 3),
    (&native::ChunkPrinter, 8),
    (&native::InsertPrinter, 6),
    (&patch::PatchPrinter, 12),
    (&safe_edit::LineEditsPrinter, 3),
    (&safe_edit::SafeEditSearchReplacePrinter, 3),
    (&chunks::ChunksPrinter, 10),
    (&search_replace::SearchReplacePrinter, 14),
    (&apply_patch::ApplyPatchPrinter, 10),
    (&unified_diff::UnifiedDiffPrinter, 10),
    (&text_editor::TextEditorPrinter, 8),
    (&tools::ClaudeCodePrinter, 8),
    (&tools::OpenCodePrinter, 3),
    (&tools::GeminiPrinter, 3),
    (&tools::McpFilesystemPrinter, 5),
    (&tools::SerenaContentPrinter, 3),
    (&tools::SerenaLinesPrinter, 2),
    (&ranges::RangesPrinter, 5),
];

impl FormProperties {
    /// A way that quotes lines, contexts merged in, and looks up the ladder to its default rung.
    fn named(name: &'static str) -> Self {
        Self {
            name,
            context: ContextPlace::Merged,
            anywhere: false,
            phrases: false,
            quotes: true,
            hints: false,
            always_hints: false,
            many: true,
            context_lines: 0,
            insertions: false,
            looks: true,
            numbered: true,
            edge: false,
            similar: false,
        }
    }
}

/// Lines as a list that ends in a break: `""` is none.
fn list(lines: &[String], eol: &str) -> String {
    lines.iter().flat_map(|line| [line.as_str(), eol]).collect()
}
