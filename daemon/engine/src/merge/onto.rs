//! Collects splices of a text, in order, and converts their offsets to those of its file. It checks only that new text
//! can be encoded.

use std::ops::Range;

use crate::cut::Cut;
use crate::text::Text;
use crate::{Refusal, Splice};

/// The splices collected so far.
pub(super) struct Onto<'t> {
    text: &'t Text<'t>,
    /// The end of the last splice, as an offset in the text (`from`) and in the file (`at`).
    from: usize,
    at: usize,
    pub(super) splices: Vec<Splice>,
}

impl<'t> Onto<'t> {
    /// Creates an empty collection for a text.
    pub(super) fn new(text: &'t Text<'t>) -> Self {
        Self { text, from: 0, at: text.bom, splices: Vec::new() }
    }

    /// Replaces a range behind all earlier ranges with a text.
    pub(super) fn put(&mut self, range: Range<usize>, new: &str) -> Result<(), Refusal> {
        let encoding = self.text.encoding;
        let old = self.text.content.cut(range.clone());
        if old == new {
            return Ok(());
        }
        let at = self.at + encoding.width(self.text.content.cut(self.from..range.start));
        let (old, new) = (encoding.encode(old)?, encoding.encode(new)?);
        (self.from, self.at) = (range.end, at + old.len());
        self.splices.push(Splice { at: at as u64, old, new });
        Ok(())
    }
}
