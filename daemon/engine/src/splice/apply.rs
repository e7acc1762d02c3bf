//! Applies and reverts splices. The bytes to be replaced are compared first.

use std::sync::Arc;

use editd_types::ContentHash;

use crate::Splice;
use crate::cut::Cut;
use crate::hash::{HashParts, part_size};

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
    let mut out = Vec::with_capacity(checked_size(content, splices)?);
    pieces(content, splices, &mut |bytes| {
        out.extend_from_slice(bytes);
        Some(())
    })?;
    Some(out)
}

/// Applies splices as [`apply`] does, into shared bytes, and returns their hash, too. Each byte is written once.
pub(crate) fn apply_hashed(
    content: &[u8],
    splices: &[Splice],
    hash_parts: HashParts,
) -> Option<(Arc<[u8]>, ContentHash)> {
    let size = checked_size(content, splices)?;
    let mut out = Arc::<[u8]>::new_uninit_slice(size);
    let mut rest = Arc::get_mut(&mut out)?;
    let mut filled = None;
    let hash = hash_parts(size, &mut |made| {
        filled = pieces(content, splices, &mut |piece| {
            for part in piece.chunks(part_size(size)) {
                let (place, behind) = std::mem::take(&mut rest).split_at_mut_checked(part.len())?;
                made(place.write_copy_of_slice(part));
                rest = behind;
            }
            Some(())
        });
    });
    if filled.is_none() || !rest.is_empty() {
        return None;
    }
    #[expect(
        unsafe_code,
        reason = "no safe call makes shared bytes of several pieces without writing them twice"
    )]
    // SAFETY: the pieces were written one behind the other, and no byte is left behind them.
    let out = unsafe { out.assume_init() };
    Some((out, hash))
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

/// Visits the pieces of the content after the splices, in order.
fn pieces<'c>(
    content: &'c [u8],
    splices: &'c [Splice],
    visit: &mut dyn FnMut(&'c [u8]) -> Option<()>,
) -> Option<()> {
    let mut from = 0usize;
    for splice in splices {
        let at = usize::try_from(splice.at).ok()?;
        visit(content.cut(from..at))?;
        visit(&splice.new)?;
        from = at + splice.old.len();
    }
    visit(content.cut(from..content.len()))
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
