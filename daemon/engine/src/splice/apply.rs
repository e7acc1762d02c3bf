//! Applying splices and taking them back. It trusts nothing: what stands there is compared first.

use crate::Splice;
use crate::cut::Cut;

/// Applies splices to a content.
///
/// `None` where a splice's `old` is not what stands at its place, or where splices overlap or are unsorted.
pub fn apply(content: &[u8], splices: &[Splice]) -> Option<Vec<u8>> {
    let removed: usize = splices.iter().map(|splice| splice.old.len()).sum();
    let added: usize = splices.iter().map(|splice| splice.new.len()).sum();
    let mut out = Vec::with_capacity(content.len().checked_sub(removed)?.checked_add(added)?);
    let mut from = 0usize;
    for splice in splices {
        let at = usize::try_from(splice.at).ok()?;
        let end = at.checked_add(splice.old.len())?;
        if at < from || content.get(at..end)? != splice.old {
            return None;
        }
        out.extend_from_slice(content.cut(from..at));
        out.extend_from_slice(&splice.new);
        from = end;
    }
    out.extend_from_slice(content.get(from..)?);
    Some(out)
}

/// The splices that take these back, in the offsets of the content after. They must be sorted and apart, as
/// every plan's are.
pub fn invert(splices: &[Splice]) -> Vec<Splice> {
    let (mut grown, mut shrunk) = (0u64, 0u64);
    splices
        .iter()
        .map(|splice| {
            let at = (splice.at + grown).saturating_sub(shrunk);
            grown += splice.new.len() as u64;
            shrunk += splice.old.len() as u64;
            Splice { at, old: splice.new.clone(), new: splice.old.clone() }
        })
        .collect()
}
