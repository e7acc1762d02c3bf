//! The dialect `patch`. It finds no place in a file.

use super::{Dialect, Sample, Setting, Translation};
use crate::Refusal;
use crate::refusal::refuse;

/// The dialect.
pub(super) struct Patch;

impl Dialect for Patch {
    fn name(&self) -> &'static str {
        "patch"
    }

    fn sentence(&self) -> &'static str {
        "A list of patches for one file: replace, insert, append, prepend, overwrite, with clipboards (JSON)."
    }

    fn recognises(&self, _: &Sample<'_>) -> bool {
        false
    }

    fn translate(&self, _: &str, _: &Setting<'_>) -> Result<Translation, Refusal> {
        Err(refuse(editd_proto::error::Code::Unsupported, "this dialect is not done yet"))
    }
}
