//! The dialect `text-editor`. It finds no place in a file.

use super::{Dialect, Sample, Setting, Translation};
use crate::Refusal;
use crate::refusal::refuse;

/// The dialect.
pub(super) struct TextEditor;

impl Dialect for TextEditor {
    fn name(&self) -> &'static str {
        "text-editor"
    }

    fn sentence(&self) -> &'static str {
        "The commands view, create, str_replace, insert and undo_edit for one file (JSON)."
    }

    fn recognises(&self, _: &Sample<'_>) -> bool {
        false
    }

    fn translate(&self, _: &str, _: &Setting<'_>) -> Result<Translation, Refusal> {
        Err(refuse(editd_proto::error::Code::Unsupported, "this dialect is not done yet"))
    }
}
