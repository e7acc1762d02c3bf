//! The dialect `apply-patch`. It finds no place in a file.

use super::{Dialect, Sample, Setting, Translation};
use crate::Refusal;
use crate::refusal::refuse;

/// The dialect.
pub(super) struct ApplyPatch;

impl Dialect for ApplyPatch {
    fn name(&self) -> &'static str {
        "apply-patch"
    }

    fn sentence(&self) -> &'static str {
        "`*** Begin Patch` envelopes that add, delete, update and move files."
    }

    fn recognises(&self, _: &Sample<'_>) -> bool {
        false
    }

    fn translate(&self, _: &str, _: &Setting<'_>) -> Result<Translation, Refusal> {
        Err(refuse(editd_proto::error::Code::Unsupported, "this dialect is not done yet"))
    }
}
