//! Limits on the cost of one parse.

use crate::ParseError;

/// The limits of one parse. The default suits one file of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseBudget {
    /// Maximum size of the text in bytes. The error check of JSON, TOML and YAML builds no tree, so [`crate::errors()`]
    /// has its own limits for these.
    pub bytes: usize,
    /// Maximum number of parser steps. A step is 100 parser operations (the interval at which the parser reports its
    /// progress) or 512 bytes read; bytes that the parser reads again count again.
    pub steps: u64,
    /// Maximum memory of the parser in bytes, observed after [`crate::count_parser_memory`] was called. A short text may
    /// take less.
    pub memory: usize,
}

/// Default for `bytes`. A tree of code takes about thirty times the size of the text, a tree of nothing but brackets
/// about two hundred times. A file of 10,000 lines has less than half of this size.
const BYTES: usize = 1024 * 1024;

/// Default for `steps`. A step takes about 20 microseconds and, in the most expensive texts (an endless `a<` or `a[`),
/// 28 KB. A file of 10,000 lines takes about 2,500 steps, 1 MB of dense code more than 15,000.
const STEPS: u64 = 30_000;

/// Default for `memory`: several times what the tree of a long file of code takes. A text that keeps the parser in
/// error recovery takes all of it within a second.
const MEMORY: usize = 128 * 1024 * 1024;

/// Memory that any text may take, in bytes, however short it is.
const LEAST_MEMORY: usize = 4 * 1024 * 1024;

/// Memory for each byte of text: a tree of nothing but brackets takes nearly as much.
const MEMORY_PER_BYTE: usize = 256;

impl ParseBudget {
    /// Returns the memory that the parse of this text may take.
    pub(crate) fn memory_for(&self, text: &str) -> usize {
        self.memory.min(text.len().saturating_mul(MEMORY_PER_BYTE).saturating_add(LEAST_MEMORY))
    }

    /// Returns an error if the text is longer than the budget allows.
    pub(crate) fn allows(&self, text: &str) -> Result<(), ParseError> {
        limited(text, self.bytes)
    }
}

impl Default for ParseBudget {
    fn default() -> Self {
        Self { bytes: BYTES, steps: STEPS, memory: MEMORY }
    }
}

/// Returns an error if the text has more than `limit` bytes.
pub(crate) fn limited(text: &str, limit: usize) -> Result<(), ParseError> {
    let bytes = text.len();
    if bytes > limit { Err(ParseError::TooLarge { bytes, limit }) } else { Ok(()) }
}
