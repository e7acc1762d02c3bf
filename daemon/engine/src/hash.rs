//! Hashes contents, and a large one while it is read or made.

use std::sync::mpsc;
use std::{panic, thread};

use editd_types::ContentHash;

/// The size of a content in bytes from which a thread of its own hashes it. The start of a thread and the hand-over of the
/// parts take less time then than that saves.
const LARGE: usize = 4 * 1024 * 1024;

/// Returns the size of the parts for [`hash_parts`] in bytes: those of a large content are few, since each may wake the other
/// thread; the others are hashed while they are in the processor's cache.
pub fn part_size(size: usize) -> usize {
    if size < LARGE { 128 * 1024 } else { 1024 * 1024 }
}

/// Returns the hash of a content.
pub(crate) fn hash(bytes: &[u8]) -> ContentHash {
    name(blake3::hash(bytes))
}

/// Hashes a content of about `size` bytes while `produce` reads or makes it, and returns the result of `produce` and the
/// hash of the parts that it gave to its argument, in this order. If the content is large, another thread hashes the parts,
/// so that both take no longer than the slower of them. Parts of [`part_size`] are best.
///
/// ```
/// let content = vec![7; 3 << 20];
/// let ((), hash) = editd_engine::hash_parts(content.len(), |hashed| {
///     content.chunks(editd_engine::part_size(content.len())).for_each(hashed);
/// });
/// assert_eq!(hash.hex(), blake3::hash(&content).to_hex().as_str());
/// ```
pub fn hash_parts<'p, R>(
    size: usize,
    produce: impl FnOnce(&mut dyn FnMut(&'p [u8])) -> R,
) -> (R, ContentHash) {
    let mut hasher = blake3::Hasher::new();
    if size < LARGE {
        let result = produce(&mut |part| {
            hasher.update(part);
        });
        return (result, name(hasher.finalize()));
    }
    thread::scope(|scope| {
        let (sender, parts) = mpsc::channel::<&[u8]>();
        let mut own = hasher.clone();
        let hashing = thread::Builder::new().name("hash".to_owned()).spawn_scoped(scope, move || {
            for part in parts {
                hasher.update(part);
            }
            hasher.finalize()
        });
        let result = produce(&mut |part| {
            // Without the thread, nobody receives.
            if sender.send(part).is_err() {
                own.update(part);
            }
        });
        drop(sender);
        let hash = match hashing.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(hash)) => hash,
            Ok(Err(panicked)) => panic::resume_unwind(panicked),
            Err(_) => own.finalize(),
        };
        (result, name(hash))
    })
}

fn name(hash: blake3::Hash) -> ContentHash {
    ContentHash::from_bytes(*hash.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_hash_of_their_content() {
        for size in [0, 1, LARGE - 1, LARGE, 2 * LARGE + 1] {
            let content: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            for part in [part_size(size), 700_001] {
                let (count, given) = hash_parts(size, |hashed| content.chunks(part).map(hashed).count());
                assert_eq!(
                    (count, given),
                    (size.div_ceil(part), hash(&content)),
                    "{size} bytes in parts of {part}"
                );
            }
        }
    }

    #[test]
    #[should_panic(expected = "the producer failed")]
    fn a_panic_of_the_producer_does_not_wait() {
        hash_parts(LARGE, |_| panic!("the producer failed"));
    }
}
