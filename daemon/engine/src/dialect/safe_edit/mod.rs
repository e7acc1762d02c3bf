//! The dialect `safe-edit`. It finds no place in a file.

use super::{Dialect, Sample, Setting, Translation};
use crate::Refusal;
use crate::refusal::refuse;

/// The dialect.
pub(super) struct SafeEdit;

impl Dialect for SafeEdit {
    fn name(&self) -> &'static str {
        "safe-edit"
    }

    fn sentence(&self) -> &'static str {
        "One file by whole content, line edits, inserted lines, or search and replace with regular expressions (JSON)."
    }

    fn recognises(&self, _: &Sample<'_>) -> bool {
        false
    }

    fn translate(&self, _: &str, _: &Setting<'_>) -> Result<Translation, Refusal> {
        Err(refuse(editd_proto::error::Code::Unsupported, "this dialect is not done yet"))
    }
}
