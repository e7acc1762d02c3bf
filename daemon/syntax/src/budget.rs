//! What a parse may cost.

use crate::Unparsed;

/// What a parse may cost. The default is for one file of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Bytes of the text.
    pub bytes: usize,
    /// Steps of the parser, in the unit in which it tells of its progress: 100 of its operations.
    pub steps: u64,
}

/// Bytes of a file that is parsed: a tree takes up to a hundred times as much memory.
const BYTES: usize = 4 * 1024 * 1024;

/// Steps of one parse: a second or so. A file of 10,000 lines takes some hundredth of that.
const STEPS: u64 = 400_000;

impl Budget {
    /// Whether a text is short enough.
    pub(crate) fn allows(&self, text: &str) -> Result<(), Unparsed> {
        let (bytes, limit) = (text.len(), self.bytes);
        if bytes > limit { Err(Unparsed::TooLarge { bytes, limit }) } else { Ok(()) }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: BYTES, steps: STEPS }
    }
}
