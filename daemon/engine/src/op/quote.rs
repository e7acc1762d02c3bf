//! The fields of the quotation of an edit, and of how loosely it may match. It searches nothing.

use editd_types::{FileEdit, limits};

use crate::Refusal;
use crate::locate::{AdaptableText, Quote, Rung};
use crate::refusal::malformed;

/// The options for finding a quoted text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matching {
    /// Only whole lines.
    pub(crate) whole_lines: bool,
    /// The 1-based line at which it should start.
    pub(crate) near: Option<u64>,
    /// Lines either way within which the only candidate is accepted.
    pub(crate) window: u64,
    /// The loosest rung allowed.
    pub(crate) loosest: Rung,
    /// The least similarity that the fuzzy rung accepts.
    pub(crate) threshold: f64,
}

impl Matching {
    /// Forgets the line near which the text stands.
    pub(crate) fn forget_line(&mut self) {
        (self.near, self.window) = (None, limits::NEAR_WINDOW);
    }

    /// Returns a quotation of a text with these options. `new_text` is the new text that belongs to it.
    pub(crate) fn quote<'a>(&self, old: &'a str, new_text: AdaptableText<'a>) -> Quote<'a> {
        let Self { whole_lines, near, window, loosest, threshold } = *self;
        Quote { old, whole_lines, near, window, loosest, threshold, new_text }
    }
}

/// Reads `near`, `window`, `match`, `threshold` and `whole_lines` for a quoted text.
pub(crate) fn read(
    edit: &FileEdit,
    field: &str,
    old: &str,
    job_threshold: Option<f64>,
) -> Result<Matching, Refusal> {
    if old.is_empty() {
        return Err(malformed(format!("`{field}` is empty; quote the text to look for")));
    }
    let (loosest, threshold) = loosest(edit, job_threshold)?;
    if loosest == Rung::Edge {
        allow_edge(edit)?;
    }
    Ok(Matching {
        whole_lines: edit.whole_lines.unwrap_or(false),
        near: edit.near.filter(|line| *line > 0),
        window: edit.window.unwrap_or(limits::NEAR_WINDOW),
        loosest,
        threshold,
    })
}

/// Returns the loosest rung allowed, and the least similarity.
fn loosest(edit: &FileEdit, job_threshold: Option<f64>) -> Result<(Rung, f64), Refusal> {
    let named = match edit.loosest.as_deref() {
        None => None,
        Some(name) => Some(
            Rung::named(name)
                .ok_or_else(|| malformed(format!("`match` must be one of {}", Rung::names())))?,
        ),
    };
    let own = edit.threshold.map(checked_threshold).transpose()?;
    if own.is_some_and(|value| value < 1.0) && named.is_some_and(|rung| rung < Rung::Fuzzy) {
        return Err(malformed("a `threshold` below 1 asks for `fuzzy`; leave out the stricter `match`"));
    }
    let threshold = match own {
        Some(value) => value,
        None => job_threshold.map(checked_threshold).transpose()?.unwrap_or(1.0),
    };
    let default = if threshold < 1.0 { Rung::Fuzzy } else { Rung::Typographic };
    Ok((named.unwrap_or(default), threshold))
}

/// Refuses `edge` for whole lines and for clipboards, in which the cut part of a line would be missing.
fn allow_edge(edit: &FileEdit) -> Result<(), Refusal> {
    let clipboard = |name: &Option<String>| name.as_ref().is_some_and(|name| !name.is_empty());
    let hindrance = if edit.whole_lines == Some(true) {
        "`whole_lines`"
    } else if clipboard(&edit.to_clipboard) || clipboard(&edit.from_clipboard) {
        "clipboards"
    } else {
        return Ok(());
    };
    Err(malformed(format!("`match: \"edge\"` does not go with {hindrance}; ask for \"typographic\"")))
}

/// Returns a threshold, which must be in its range.
pub(crate) fn checked_threshold(value: f64) -> Result<f64, Refusal> {
    if (0.5..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(malformed("`threshold` must lie between 0.5 and 1"))
}
