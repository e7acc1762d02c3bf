//! The dialect `chunks`. It finds no place in a file.

use super::{Dialect, Sample, Setting, Translation};
use crate::Refusal;
use crate::refusal::refuse;

/// The dialect.
pub(super) struct Chunks;

impl Dialect for Chunks {
    fn name(&self) -> &'static str {
        "chunks"
    }

    fn sentence(&self) -> &'static str {
        "Chunks of old and new lines with the lines around them, in a file or one symbol of it (JSON)."
    }

    fn recognises(&self, _: &Sample<'_>) -> bool {
        false
    }

    fn translate(&self, _: &str, _: &Setting<'_>) -> Result<Translation, Refusal> {
        Err(refuse(editd_proto::error::Code::Unsupported, "this dialect is not done yet"))
    }
}
