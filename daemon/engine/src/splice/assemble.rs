//! Turns places into splices: joins neighbours, encodes the texts and converts the offsets to those of the file. It
//! decides no conflict.

use std::borrow::Cow;
use std::ops::Range;

use super::place::Place;
use crate::cut::Cut;
use crate::limits;
use crate::refusal::internal;
use crate::text::{Encoding, Text, split_final_break};
use crate::{Refusal, Splice};

/// Drops line breaks of arranged places that would complete an unfinished line above, if another place removes or
/// completes that line.
pub(crate) fn complete(text: &Text<'_>, places: &mut [Place]) {
    let closes = |part: &str| !split_final_break(part, text.breaks).1.is_empty();
    let (mut from, mut closed) = (0, true);
    for place in places.iter_mut().filter(|place| !place.is_idle()) {
        let removed = place.removed.range();
        if removed.start > from {
            closed = closes(text.content.cut(0..removed.start));
        }
        if closed && place.lead > 0 {
            place.drop_lead();
        }
        if !place.piece.as_str().is_empty() {
            closed = closes(place.piece.as_str());
        }
        from = removed.end;
    }
}

/// Turns arranged places into splices. Adjacent places are joined and, if there are very many, also places with a
/// small gap between them.
///
/// # Errors
/// `encoding` if the encoding of the file lacks a character of the new text.
pub(crate) fn assemble(text: &Text<'_>, places: &[Place]) -> Result<Vec<Splice>, Refusal> {
    let gap = if places.len() > limits::SPLICES { limits::SPLICE_GAP } else { 0 };
    let mut out = SpliceWriter::new(text);
    out.splices.reserve_exact(at_most(places, gap));
    let mut open: Option<(Range<usize>, String)> = None;
    for place in places.iter().filter(|place| !place.is_idle()) {
        let removed = place.removed.range();
        match &mut open {
            Some((range, new)) if removed.start <= range.end.saturating_add(gap) => {
                new.push_str(text.content.cut(range.end..removed.start));
                new.push_str(place.piece.as_str());
                range.end = removed.end.max(range.end);
            }
            _ => {
                if let Some((range, new)) = open.replace((removed, place.piece.as_str().to_owned())) {
                    out.put(range, new.into())?;
                }
            }
        }
    }
    if let Some((range, new)) = open {
        out.put(range, new.into())?;
    }
    Ok(out.splices)
}

/// Returns an upper bound of the number of splices. With it, a very long list is allocated once: growing the list
/// would need memory for two.
fn at_most(places: &[Place], gap: usize) -> usize {
    let mut end = None;
    places.iter().filter(|place| !place.is_idle()).fold(0, |count, place| {
        let apart = end.is_none_or(|end| place.removed.start() > gap.saturating_add(end));
        end = Some(place.removed.end().max(end.unwrap_or(0)));
        count + usize::from(apart)
    })
}

/// Collects splices of a text, in order, and converts their offsets to those of its file.
pub(crate) struct SpliceWriter<'t> {
    text: &'t Text<'t>,
    /// The end of the last splice, as an offset in the text (`from`) and in the file (`at`).
    from: usize,
    at: usize,
    pub(crate) splices: Vec<Splice>,
}

impl<'t> SpliceWriter<'t> {
    /// Creates an empty collection for a text.
    pub(crate) fn new(text: &'t Text<'t>) -> Self {
        Self { text, from: 0, at: text.bom, splices: Vec::new() }
    }

    /// Adds the replacement of a range behind the last one. A text that is equal to the old one adds no splice. At the
    /// start of a file with a byte order mark, a mark in front of the text is left out: it would be a second one.
    ///
    /// # Errors
    /// `encoding` if the file cannot have the new text; `internal` if the range is not in the text.
    pub(crate) fn put(&mut self, range: Range<usize>, new: Cow<'_, str>) -> Result<(), Refusal> {
        let (content, encoding) = (&self.text.content, self.text.encoding);
        let (Some(gap), Some(old)) = (content.get(self.from..range.start), content.get(range.clone())) else {
            return Err(internal("a planned range does not lie in the file; please report this job"));
        };
        let doubles = range.start == 0 && self.text.bom > 0 && !old.starts_with(MARK);
        let new = if doubles { without_mark(new) } else { new };
        if old == new {
            return Ok(());
        }
        let at = self.at + encoding.width(gap);
        let old = encoding.encode(old)?;
        let new = match encoding {
            Encoding::Utf8 => new.into_owned().into_bytes(),
            _ => encoding.encode(&new)?,
        };
        (self.from, self.at) = (range.end, at + old.len());
        self.splices.push(Splice { at: at as u64, old, new });
        Ok(())
    }
}

/// The byte order mark, as a character of a text.
const MARK: char = '\u{feff}';

fn without_mark(new: Cow<'_, str>) -> Cow<'_, str> {
    match new.strip_prefix(MARK) {
        Some(bare) => Cow::Owned(bare.to_owned()),
        None => new,
    }
}
