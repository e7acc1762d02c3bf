//! `write` replaces the whole file, and creates it with its folders if it is missing. Fields: `text`; `eol`;
//! `from_clipboard`, `reindent`. The text is written as it is, but a BOM and the encoding are kept, and with `eol: "file"`
//! the line ending.

use std::rc::Rc;
use std::sync::Arc;

use editd_types::FileEdit;

use super::effect::{EditContext, Effect, PlaceReport};
use super::given::NewText;
use super::registry::Op;
use crate::Refusal;
use crate::clip::Clips;
use crate::splice::Place;
use crate::text::Text;

/// A whole-file edit.
#[derive(Debug)]
pub(crate) struct Write {
    /// The new content of the file.
    pub(crate) text: NewText,
    /// A text with `\n` alone gets the line breaks of the file.
    follows_file: bool,
}

pub(crate) fn parse(edit: &FileEdit, _: Option<f64>) -> Result<Op, Refusal> {
    let follows_file = edit.eol.as_deref() == Some("file");
    Ok(Op::Write(Arc::new(Write { text: NewText::read(edit, "text", &edit.text)?, follows_file })))
}

impl Write {
    /// Compares the file with the new text.
    pub(crate) fn effect(&self, scene: &EditContext<'_>, clips: &Clips<'_>) -> Result<Effect, Refusal> {
        let new = self.text.resolve(clips)?;
        let followed = if self.follows_file { with_breaks_of(scene.text, &new) } else { None };
        let Some(followed) = followed else { return Ok(rewrite(scene, &new)) };
        let mut effect = rewrite(scene, &followed);
        effect.found.converted = memchr::memchr_iter(b'\n', new.as_bytes()).count() as u64;
        Ok(effect)
    }
}

/// Returns a new text with the line breaks of a file, if they all are the same and others than `\n`. A text with `\r`
/// says which breaks it wants.
fn with_breaks_of(file: &Text<'_>, new: &str) -> Option<String> {
    let ending = match file.ending_name() {
        "crlf" => "\r\n",
        "cr" => "\r",
        _ => return None,
    };
    (!new.contains('\r')).then(|| new.replace('\n', ending))
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
