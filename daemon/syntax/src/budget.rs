//! What a parse may cost.

use crate::Unparsed;

/// What a parse may cost. The default is for one file of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Bytes of the text. Data of which only errors are wanted needs no tree, and has limits of its own in `errors`.
    pub bytes: usize,
    /// Steps of the parser: 100 of its operations, which is how it tells of its progress, or 512 bytes that it reads, as
    /// often as it reads them.
    pub steps: u64,
}

/// Bytes of a file that is parsed: of brackets alone a tree takes some two hundred times as much memory, of code some
/// thirty times. A file of 10,000 lines has less than half of it.
const BYTES: usize = 1024 * 1024;

/// Steps of one parse, some 20 microseconds each, and at the dearest (`a<` and `a[` without end) 28 KB. A file of 10,000
/// lines takes some 2,500, 1 MB of dense code more than 15,000.
const STEPS: u64 = 30_000;

impl Budget {
    /// Whether a text is short enough.
    pub(crate) fn allows(&self, text: &str) -> Result<(), Unparsed> {
        limited(text, self.bytes)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: BYTES, steps: STEPS }
    }
}

/// Whether a text has at most so many bytes.
pub(crate) fn limited(text: &str, limit: usize) -> Result<(), Unparsed> {
    let bytes = text.len();
    if bytes > limit { Err(Unparsed::TooLarge { bytes, limit }) } else { Ok(()) }
}
