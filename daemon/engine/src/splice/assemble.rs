//! Turns places into splices: joins neighbours, encodes the texts and converts the offsets to those of the file. It
//! decides no conflict.

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
    let mut out = Output { text, from: 0, at: text.bom, splices: Vec::with_capacity(at_most(places, gap)) };
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
                    out.put(range, new)?;
                }
            }
        }
    }
    if let Some((range, new)) = open {
        out.put(range, new)?;
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

/// The assembled splices, and their end in the decoded content and in the file.
struct Output<'t> {
    text: &'t Text<'t>,
    from: usize,
    at: usize,
    splices: Vec<Splice>,
}

impl Output<'_> {
    fn put(&mut self, range: Range<usize>, new: String) -> Result<(), Refusal> {
        let (content, encoding) = (&self.text.content, self.text.encoding);
        let (Some(gap), Some(old)) = (content.get(self.from..range.start), content.get(range.clone())) else {
            return Err(internal("a planned range does not lie in the file; please report this job"));
        };
        if old == new {
            return Ok(());
        }
        let at = self.at + encoding.width(gap);
        let old = encoding.encode(old)?;
        let new = if encoding == Encoding::Utf8 { new.into_bytes() } else { encoding.encode(&new)? };
        (self.from, self.at) = (range.end, at + old.len());
        self.splices.push(Splice { at: at as u64, old, new });
        Ok(())
    }
}
