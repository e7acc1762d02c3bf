//! `create` makes a new file, and is refused if the file exists. Fields: `text`, empty if absent; `if_empty`, which
//! also fills an existing empty file. It overwrites nothing.

use std::sync::Arc;

use editd_types::{ErrorCode, FileEdit, FilePath};

use super::effect::{EditContext, Effect};
use super::given::NewText;
use super::registry::Op;
use super::write::rewrite;
use crate::Refusal;
use crate::clip::Clips;
use crate::refusal::{malformed, refuse};

/// A new file.
#[derive(Debug)]
pub(crate) struct Create {
    /// The content of the new file.
    pub(crate) text: NewText,
    /// True if an existing empty file may be filled.
    if_empty: bool,
}

pub(crate) fn parse(edit: &FileEdit, _: Option<f64>) -> Result<Op, Refusal> {
    let text = NewText::plain(edit.text.as_deref().unwrap_or(""));
    Ok(Op::Create(Arc::new(Create { text, if_empty: edit.if_empty.unwrap_or(false) })))
}

/// Byte order marks: a file that holds nothing else counts as empty.
const MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];

impl Create {
    /// Returns the refusal for an existing file, unless it is empty and may be filled.
    pub(crate) fn check_existing(&self, path: &FilePath, content: &[u8]) -> Option<Refusal> {
        if !self.if_empty {
            return Some(refuse(ErrorCode::Exists, format!("{path} exists; use `write` to replace it")));
        }
        if content.is_empty() || MARKS.contains(&content) {
            return None;
        }
        Some(malformed(
            "the file has content, and the text comes without a quotation; quote a line beside the place, and repeat it in the new text",
        ))
    }

    /// Returns the content of the file.
    pub(crate) fn effect(&self, scene: &EditContext<'_>, clips: &Clips<'_>) -> Result<Effect, Refusal> {
        Ok(rewrite(scene, &self.text.resolve(clips)?))
    }
}
