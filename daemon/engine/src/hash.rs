//! Hashes contents. Two contents with a common start are hashed for little more than the cost of one.

use editd_types::ContentHash;

use crate::cut::Cut;

/// The size of a subtree of the hash in bytes, from which hashing has its full speed.
const SUBTREE: usize = 128 * 1024;

/// Returns the hash of a content.
pub(crate) fn hash(bytes: &[u8]) -> ContentHash {
    ContentHash::from_bytes(*blake3::hash(bytes).as_bytes())
}

/// Returns the hashes of two contents that have their first `shared` bytes in common. These are hashed once.
pub(crate) fn hash_both(before: &[u8], after: &[u8], shared: usize) -> (ContentHash, ContentHash) {
    // Hashing is fastest from the start of a large subtree.
    let shared = shared / SUBTREE * SUBTREE;
    let mut first = blake3::Hasher::new();
    first.update(before.cut(0..shared));
    let mut second = first.clone();
    first.update(before.cut(shared..before.len()));
    second.update(after.cut(shared..after.len()));
    (
        ContentHash::from_bytes(*first.finalize().as_bytes()),
        ContentHash::from_bytes(*second.finalize().as_bytes()),
    )
}
