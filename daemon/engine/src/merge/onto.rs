//! Splices of a text as they come in order, in the bytes of its file. It checks nothing but that they fit.

use std::ops::Range;

use crate::cut::Cut;
use crate::text::Text;
use crate::{Refusal, Splice};

/// Where splices are collected.
pub(super) struct Onto<'t> {
    text: &'t Text<'t>,
    /// How far they reach, in the text and in the file.
    from: usize,
    at: usize,
    pub(super) splices: Vec<Splice>,
}

impl<'t> Onto<'t> {
    /// None yet.
    pub(super) fn new(text: &'t Text<'t>) -> Self {
        Self { text, from: 0, at: text.bom, splices: Vec::new() }
    }

    /// Puts a text in the place of a range behind all earlier ones.
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
