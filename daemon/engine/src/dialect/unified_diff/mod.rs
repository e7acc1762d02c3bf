//! The dialect `unified-diff`. It finds no place in a file.

use super::{Dialect, Sample, Setting, Translation};
use crate::Refusal;
use crate::refusal::refuse;

/// The dialect.
pub(super) struct UnifiedDiff;

impl Dialect for UnifiedDiff {
    fn name(&self) -> &'static str {
        "unified-diff"
    }

    fn sentence(&self) -> &'static str {
        "A unified diff; its context is located, so that wrong line numbers and counts do no harm."
    }

    fn recognises(&self, _: &Sample<'_>) -> bool {
        false
    }

    fn translate(&self, _: &str, _: &Setting<'_>) -> Result<Translation, Refusal> {
        Err(refuse(editd_proto::error::Code::Unsupported, "this dialect is not done yet"))
    }
}
