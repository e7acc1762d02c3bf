//! The texts of a journal entry in the list. They are made once, when the entry arrives.

use editctl::show::letters::{one_line, word};
use editctl::show::{OutputStyle, renames};
use editd_proto::message::{EntryKind, EntrySummary};

/// Maximum number of paths of an entry that are kept for the list and its filter.
const PATHS: usize = 64;

/// The part of an entry that is undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UndoneExtent {
    /// Nothing.
    Nothing,
    /// Some files or hunks.
    Partly,
    /// Everything.
    Whole,
}

/// An entry in the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EntryRow {
    pub(crate) id: u64,
    /// The time for people, such as `2025-11-20 10:00:00`.
    pub(crate) time: String,
    /// The session as the daemon names it; `outside` for changes that were not made through editd.
    pub(crate) session: String,
    /// The label, else the kind of the entry if it is no edit.
    pub(crate) label: String,
    /// The first paths.
    pub(crate) paths: Vec<String>,
    /// The number of files.
    pub(crate) files: u64,
    pub(crate) added: u64,
    pub(crate) removed: u64,
    pub(crate) undone: UndoneExtent,
    /// The entries that this undo or redo acted on.
    pub(crate) of: Vec<u64>,
}

impl EntryRow {
    /// Returns the row of an entry.
    pub(crate) fn of(entry: &EntrySummary, style: &OutputStyle) -> Self {
        let files = renames::listed(entry);
        let (added, removed) = files
            .iter()
            .map(renames::ListedFile::counts)
            .fold((0, 0), |sum: (u64, u64), it| (sum.0.saturating_add(it.0), sum.1.saturating_add(it.1)));
        let undone = match (entry.undone, entry.partly_undone) {
            (true, _) => UndoneExtent::Whole,
            (false, true) => UndoneExtent::Partly,
            (false, false) => UndoneExtent::Nothing,
        };
        Self {
            id: entry.id.0,
            time: style.time(entry.time),
            session: entry.session.clone(),
            label: label(entry),
            paths: files.iter().take(PATHS).map(|file| one_line(&file.name())).collect(),
            files: (files.len() as u64).saturating_add(entry.omitted_files),
            added,
            removed,
            undone,
            of: entry.of.iter().map(|job| job.0).collect(),
        }
    }

    /// Returns the session in words that a terminal does not obey.
    pub(crate) fn shown_session(&self) -> String {
        one_line(&self.session)
    }

    /// Returns true if the label or a path contains the text, in any case.
    pub(crate) fn contains(&self, lower: &str) -> bool {
        let found = |text: &String| text.to_lowercase().contains(lower);
        found(&self.label) || self.paths.iter().any(found)
    }
}

fn label(entry: &EntrySummary) -> String {
    let label = entry.label.as_ref().map(|label| format!("\u{201c}{}\u{201d}", one_line(label)));
    let of: Vec<String> = entry.of.iter().take(3).map(ToString::to_string).collect();
    let more = if entry.of.len() > of.len() || entry.omitted_of > 0 { ", \u{2026}" } else { "" };
    let kind = match entry.kind {
        EntryKind::Edit | EntryKind::External => None,
        kind if of.is_empty() => Some(word(kind)),
        kind => Some(format!("{} of {}{more}", word(kind), of.join(", "))),
    };
    // The label that the daemon gives an undo says the same.
    let told = |kind: &EntryKind| entry.label.as_ref().is_some_and(|label| label.starts_with(&word(kind)));
    let kind = kind.filter(|_| !told(&entry.kind));
    [kind, label].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
