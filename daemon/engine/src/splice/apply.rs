//! Applies splices and reverts them. The bytes to be replaced are compared first.

use std::sync::Arc;

use crate::Splice;
use crate::cut::Cut;

/// Applies splices to a content.
///
/// `None` if a splice's `old` differs from the bytes at its place, or if splices overlap or are unsorted.
pub fn apply(content: &[u8], splices: &[Splice]) -> Option<Vec<u8>> {
    let mut out = vec![0; checked_size(content, splices)?];
    fill(&mut out, content, splices)?;
    Some(out)
}

/// The same into shared bytes, without a second copy.
pub(crate) fn apply_shared(content: &[u8], splices: &[Splice]) -> Option<Arc<[u8]>> {
    let mut out: Arc<[u8]> = std::iter::repeat_n(0, checked_size(content, splices)?).collect();
    fill(Arc::get_mut(&mut out)?, content, splices)?;
    Some(out)
}

/// Bytes of a content of `before` bytes after splices that fit it.
pub(crate) fn size_after(before: usize, splices: &[Splice]) -> usize {
    let gone: usize = splices.iter().map(|splice| splice.old.len()).sum();
    let come: usize = splices.iter().map(|splice| splice.new.len()).sum();
    before.saturating_add(come).saturating_sub(gone)
}

/// The size after, having checked that every splice fits.
fn checked_size(content: &[u8], splices: &[Splice]) -> Option<usize> {
    let mut from = 0usize;
    for splice in splices {
        let at = usize::try_from(splice.at).ok()?;
        let end = at.checked_add(splice.old.len())?;
        if at < from || content.get(at..end)? != splice.old {
            return None;
        }
        from = end;
    }
    Some(size_after(content.len(), splices))
}

/// Writes the content after into a buffer of its size.
fn fill(out: &mut [u8], content: &[u8], splices: &[Splice]) -> Option<()> {
    let (mut from, mut to) = (0usize, 0usize);
    let mut put = |bytes: &[u8]| {
        out.get_mut(to..to + bytes.len())?.copy_from_slice(bytes);
        to += bytes.len();
        Some(())
    };
    for splice in splices {
        let at = usize::try_from(splice.at).ok()?;
        put(content.cut(from..at))?;
        put(&splice.new)?;
        from = at + splice.old.len();
    }
    put(content.cut(from..content.len()))
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
