//! From places to splices: neighbours joined, encoded, in the offsets of the file. It decides no conflict.

use std::ops::Range;

use super::place::Place;
use crate::cut::Cut;
use crate::limits;
use crate::refusal::internal;
use crate::text::{Encoding, Text};
use crate::{Refusal, Splice};

/// One changed range of the decoded content.
#[derive(Debug)]
pub(crate) struct Flat {
    /// What is removed.
    pub(crate) removed: Range<usize>,
    /// What stands there then.
    pub(crate) new: String,
}

/// Joins arranged places into changed ranges: those that meet, and, where there are very many, those that
/// nearly meet.
pub(crate) fn assemble(text: &Text<'_>, places: &[Place]) -> Vec<Flat> {
    let gap = if places.len() > limits::SPLICES { limits::SPLICE_GAP } else { 0 };
    let mut flats: Vec<Flat> = Vec::new();
    for place in places.iter().filter(|place| !place.is_idle()) {
        let removed = place.removed.range();
        match flats.last_mut() {
            Some(last) if removed.start <= last.removed.end.saturating_add(gap) => {
                last.new.push_str(text.content.cut(last.removed.end..removed.start));
                last.new.push_str(place.piece.as_str());
                last.removed.end = removed.end.max(last.removed.end);
            }
            _ => flats.push(Flat { removed, new: place.piece.as_str().to_owned() }),
        }
    }
    flats.retain(|flat| text.content.cut(flat.removed.clone()) != flat.new);
    flats
}

/// The splices of a file, in its bytes.
///
/// # Errors
/// `encoding` where the file's encoding lacks a character of the new text.
pub(crate) fn to_bytes(text: &Text<'_>, flats: Vec<Flat>) -> Result<Vec<Splice>, Refusal> {
    let mut splices = Vec::with_capacity(flats.len());
    let (mut from, mut at) = (0usize, text.bom);
    for flat in flats {
        let gap = text.content.get(from..flat.removed.start);
        let old = text.content.get(flat.removed.clone());
        let (Some(gap), Some(old)) = (gap, old) else {
            return Err(internal("a planned range does not lie in the file; please report this job"));
        };
        at += text.encoding.width(gap);
        let old = text.encoding.encode(old)?;
        let new = if text.encoding == Encoding::Utf8 {
            flat.new.into_bytes()
        } else {
            text.encoding.encode(&flat.new)?
        };
        let width = old.len();
        splices.push(Splice { at: at as u64, old, new });
        at += width;
        from = flat.removed.end;
    }
    Ok(splices)
}
