//! `write` replaces the whole file, and creates it with its folders if it is missing. Fields: `text`; `eol` (`literal`
//! only); `from_clipboard`, `reindent`. The text is written as it is, but a BOM and the encoding are kept.

use std::rc::Rc;
use std::sync::Arc;

use editd_types::FileEdit;

use super::effect::{EditContext, Effect, PlaceReport};
use super::given::NewText;
use super::registry::Op;
use crate::Refusal;
use crate::clip::Clips;
use crate::refusal::malformed;
use crate::splice::Place;

/// A whole-file edit.
#[derive(Debug)]
pub(crate) struct Write {
    /// The new content of the file.
    pub(crate) text: NewText,
}

pub(crate) fn parse(edit: &FileEdit, _: Option<f64>) -> Result<Op, Refusal> {
    if edit.eol.as_deref() == Some("file") {
        return Err(malformed("`write` takes line breaks as given; leave `eol` out"));
    }
    Ok(Op::Write(Arc::new(Write { text: NewText::read(edit, "text", &edit.text)? })))
}

impl Write {
    /// Compares the file with the new text.
    pub(crate) fn effect(&self, scene: &EditContext<'_>, clips: &Clips<'_>) -> Result<Effect, Refusal> {
        let new = self.text.resolve(clips)?;
        Ok(rewrite(scene, &new))
    }
}

/// Returns the effect of a new whole content.
pub(crate) fn rewrite(scene: &EditContext<'_>, new: &str) -> Effect {
    let text = scene.text;
    // The file keeps its byte order mark; one at the start of the text would be a second one.
    let new = if text.bom > 0 { new.strip_prefix('\u{feff}').unwrap_or(new) } else { new };
    let lines = Some((1, (text.lines() as u64).max(1)));
    let places = Place::rewriting(text, scene.edit, &Rc::from(new));
    Effect { places, stored: None, found: PlaceReport { lines, ..PlaceReport::default() } }
}
