//! Hashes contents, also part by part while they are made.

use editd_types::ContentHash;

/// Gives the parts of a content to its argument, in order.
pub type MakeParts<'m, 'p> = &'m mut (dyn FnMut(&mut dyn FnMut(&'p [u8])) + 'm);

/// Calls its second argument once, and returns the hash (BLAKE3) of the parts that this gives. The content has about as many
/// bytes as the first argument. Since the parts stay as they are, they may be hashed by another thread while the next ones are
/// made.
pub type HashParts = for<'m, 'p> fn(usize, MakeParts<'m, 'p>) -> ContentHash;

/// The size of a content in bytes from which its parts are large.
const LARGE: usize = 4 * 1024 * 1024;

/// Returns the size of the parts of a content for [`HashParts`] in bytes. Those of a large content are few, since each may
/// wake another thread; the others are hashed while they are in the processor's cache.
pub fn part_size(size: usize) -> usize {
    if size < LARGE { 128 * 1024 } else { 1024 * 1024 }
}

/// Returns the hash of a content.
pub(crate) fn hash(bytes: &[u8]) -> ContentHash {
    name(blake3::hash(bytes))
}

/// Hashes each part as it is made.
pub(crate) fn hash_parts(_: usize, make: MakeParts<'_, '_>) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    make(&mut |part| {
        hasher.update(part);
    });
    name(hasher.finalize())
}

fn name(hash: blake3::Hash) -> ContentHash {
    ContentHash::from_bytes(*hash.as_bytes())
}
