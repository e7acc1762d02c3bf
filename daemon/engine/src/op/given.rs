//! The new text of an edit, as sent or from a clipboard: reindents it and converts its line breaks to those of the
//! file. It finds no place.

use std::borrow::Cow;
use std::ops::Range;

use editd_types::{FileEdit, Reindent};

use super::fields;
use crate::Refusal;
use crate::clip::Clips;
use crate::cut::Cut;
use crate::locate::{LineParts, Rung, lines};
use crate::refusal::malformed;
use crate::reindent::reindent;
use crate::text::{Breaks, Text, break_list, follow};

/// A text to insert.
#[derive(Clone, Debug)]
pub(crate) struct NewText {
    text: String,
    /// The clipboard that is used instead of the text.
    pub(crate) from_clipboard: Option<String>,
    reindent: Option<Reindent>,
    /// Breaks stay as given.
    pub(crate) literal: bool,
}

impl NewText {
    /// Reads a text field with `from_clipboard`, `reindent` and `eol`.
    pub(crate) fn read(edit: &FileEdit, field: &str, value: &Option<String>) -> Result<Self, Refusal> {
        let from_clipboard = fields::clipboard("from_clipboard", &edit.from_clipboard)?;
        let text = match (value, &from_clipboard) {
            (Some(text), _) => text.clone(),
            (None, Some(_)) => String::new(),
            (None, None) => {
                return Err(malformed(format!(
                    "`{}` needs the field `{field}` or `from_clipboard`; an empty `{field}` removes",
                    edit.op
                )));
            }
        };
        let literal = fields::literal_eol(edit)?;
        // A `reindent` that neither strips nor adds has no effect, and must not disable the ladder's mapping.
        let says = |part: &Option<String>| part.as_ref().is_some_and(|part| !part.is_empty());
        let reindent = edit.reindent.clone().filter(|how| says(&how.strip) || says(&how.add));
        Ok(Self { text, from_clipboard, reindent, literal })
    }

    /// Creates a plain text, whose line breaks are kept.
    pub(crate) fn plain(text: &str) -> Self {
        let text = text.to_owned();
        Self { text, from_clipboard: None, reindent: None, literal: true }
    }

    /// Returns the text, unless a clipboard is used instead.
    pub(crate) fn quoted(&self) -> Option<&str> {
        if self.from_clipboard.is_none() { Some(&self.text) } else { None }
    }

    /// Returns the text as the request gives it; empty if a clipboard stands in for it.
    pub(crate) fn given(&self) -> &str {
        &self.text
    }

    /// Returns the text if the rungs may change it. A text from a clipboard and a text with `reindent` are not
    /// changed.
    pub(crate) fn mapped(&self) -> Option<&str> {
        if self.reindent.is_none() { self.quoted() } else { None }
    }

    /// Returns true if the request sets the indentation.
    pub(crate) fn is_reindented(&self) -> bool {
        self.reindent.is_some()
    }

    /// Returns true if the edit inserts the text that it just stored, unchanged.
    pub(crate) fn restores(&self, stored: Option<&str>) -> bool {
        self.from_clipboard.is_some() && self.from_clipboard.as_deref() == stored && self.reindent.is_none()
    }

    /// Returns the text to insert.
    ///
    /// # Errors
    /// `no_clipboard`, `strip_mismatch`.
    pub(crate) fn resolve(&self, clips: &Clips<'_>) -> Result<Cow<'_, str>, Refusal> {
        let text = match &self.from_clipboard {
            Some(name) => Cow::Owned(clips.read(name)?.to_string()),
            None => Cow::Borrowed(self.text.as_str()),
        };
        match &self.reindent {
            Some(how) => reindent(&text, how).map(Cow::Owned),
            None => Ok(text),
        }
    }
}

/// Returns the text that replaces a matched range if `new` is inserted there, and the number of converted line breaks.
/// Lines that old and new share at either end keep the bytes of the file. The other breaks are converted to those of
/// the file unless `literal` is set.
pub(crate) fn fit(
    text: &Text<'_>,
    matched: &Range<usize>,
    new: &str,
    rung: Rung,
    literal: bool,
) -> (String, u64) {
    let old = text.content.cut(matched.clone());
    let (head, tail) = shared_lines(old, new, rung, text.breaks);
    let middle = new.cut(head.1..new.len() - tail.1);
    let between = if literal {
        middle.to_owned()
    } else {
        // The shared lines in front keep their breaks, so the middle follows only the breaks behind them.
        let models = old.cut(head.0..old.len());
        let last = break_list(old, text.breaks).pop().map_or("", |range| old.cut(range));
        let models = if break_list(models, text.breaks).is_empty() { last } else { models };
        follow(middle, models, text.ending_at(matched.start), text.breaks).0
    };
    let (first, last) = (old.cut(0..head.0), old.cut(old.len() - tail.0..old.len()));
    let fitted = [first, &between, last].concat();
    let converted = changed_breaks(new, &fitted, text.breaks);
    (fitted, converted)
}

/// Returns the number of breaks of `given` that differ from those of `made`, which has at least as many breaks.
pub(crate) fn changed_breaks(given: &str, made: &str, breaks: Breaks) -> u64 {
    let (a, b) = (break_list(given, breaks), break_list(made, breaks));
    a.into_iter().zip(b).filter(|(x, y)| given.cut(x.clone()) != made.cut(y.clone())).count() as u64
}

/// Returns the number of bytes of the complete lines that old and new share at the start and at the end, in either.
fn shared_lines(old: &str, new: &str, rung: Rung, breaks: Breaks) -> ((usize, usize), (usize, usize)) {
    let (a, b) = (lines(old, breaks), lines(new, breaks));
    let same = |x: &LineParts<'_>, y: &LineParts<'_>| match rung {
        Rung::Exact => x == y,
        _ => x.0 == y.0 && x.1.is_empty() == y.1.is_empty(),
    };
    let head = a.iter().zip(&b).take_while(|(x, y)| same(x, y)).count();
    let most = a.len().min(b.len()) - head;
    let tail = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(x, y)| same(x, y)).count();
    let bytes = |lines: &[LineParts<'_>], range: Range<usize>| {
        lines.cut(range).iter().map(|(line, ending)| line.len() + ending.len()).sum()
    };
    (
        (bytes(&a, 0..head), bytes(&b, 0..head)),
        (bytes(&a, a.len() - tail..a.len()), bytes(&b, b.len() - tail..b.len())),
    )
}
