//! The dialect `search-replace`. It finds no place in a file.

use super::{Dialect, Sample, Setting, Translation};
use crate::Refusal;
use crate::refusal::refuse;

/// The dialect.
pub(super) struct SearchReplace;

impl Dialect for SearchReplace {
    fn name(&self) -> &'static str {
        "search-replace"
    }

    fn sentence(&self) -> &'static str {
        "`<<<<<<< SEARCH` blocks for one file or several, as text, JSON list or XML-like form."
    }

    fn recognises(&self, _: &Sample<'_>) -> bool {
        false
    }

    fn translate(&self, _: &str, _: &Setting<'_>) -> Result<Translation, Refusal> {
        Err(refuse(editd_proto::error::Code::Unsupported, "this dialect is not done yet"))
    }
}
