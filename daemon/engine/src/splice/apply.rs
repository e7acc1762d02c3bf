//! Applies and reverts splices. The bytes to be replaced are compared first.

use std::sync::Arc;

use crate::Splice;
use crate::cut::Cut;

/// Applies splices to a content. Returns `None` if the `old` of a splice differs from the bytes at its offset, or if
/// splices overlap or are unsorted.
///
/// ```
/// use editd_engine::{apply, invert, splices_between};
///
/// let (before, after) = (&b"a\nb\nc\n"[..], &b"a\nB\nc\nd\n"[..]);
/// let splices = splices_between(before, after);
/// assert_eq!(apply(before, &splices).as_deref(), Some(after));
/// assert_eq!(apply(after, &invert(&splices)).as_deref(), Some(before));
/// ```
pub fn apply(content: &[u8], splices: &[Splice]) -> Option<Vec<u8>> {
    let mut out = vec![0; checked_size(content, splices)?];
    fill(&mut out, content, splices)?;
    Some(out)
}

/// Applies splices as [`apply`] does, into shared bytes and without a second copy.
pub(crate) fn apply_shared(content: &[u8], splices: &[Splice]) -> Option<Arc<[u8]>> {
    let mut out: Arc<[u8]> = std::iter::repeat_n(0, checked_size(content, splices)?).collect();
    fill(Arc::get_mut(&mut out)?, content, splices)?;
    Some(out)
}

/// Returns the size of a content of `before` bytes after splices that fit it.
pub(crate) fn size_after(before: usize, splices: &[Splice]) -> usize {
    let removed: usize = splices.iter().map(|splice| splice.old.len()).sum();
    let added: usize = splices.iter().map(|splice| splice.new.len()).sum();
    before.saturating_add(added).saturating_sub(removed)
}

/// Checks that every splice fits, and returns the size of the content after them.
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

/// Writes the content after the splices into a buffer of its size.
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

/// Returns the splices that reverse `splices`, with offsets in the content after them. `splices` must be sorted and must
/// not overlap, as in every plan.
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
