//! Hashes a content while it is read or made; a large one in a thread of its own, so that both take no longer than the
//! slower of them.

use std::sync::mpsc;
use std::{panic, thread};

use blake3::Hasher;
use editd_engine::MakeParts;
use editd_proto::ids::ContentHash;

/// The size of a content in bytes from which a thread of its own hashes it. The start of the thread and the hand-over of the
/// parts take less time then than that saves.
const LARGE: usize = 4 * 1024 * 1024;

/// Hashes the parts of a content of about `size` bytes, as [`editd_engine::HashParts`] says.
pub fn hash_parts(size: usize, make: MakeParts<'_, '_>) -> ContentHash {
    let mut hasher = Hasher::new();
    if size < LARGE {
        make(&mut |part| {
            hasher.update(part);
        });
    } else {
        hash_beside(&mut hasher, make);
    }
    ContentHash::from_bytes(*hasher.finalize().as_bytes())
}

/// Hashes the parts in another thread; in this one if there can be no other.
fn hash_beside(hasher: &mut Hasher, make: MakeParts<'_, '_>) {
    let mut other = Hasher::new();
    let hashed = thread::scope(|scope| {
        let (sender, parts) = mpsc::channel::<&[u8]>();
        let work = || {
            for part in parts {
                other.update(part);
            }
        };
        let hashing = thread::Builder::new().name("hash".to_owned()).spawn_scoped(scope, work);
        make(&mut |part| {
            // If there is no thread, nobody receives.
            if sender.send(part).is_err() {
                hasher.update(part);
            }
        });
        drop(sender);
        hashing.map(thread::ScopedJoinHandle::join)
    });
    match hashed {
        Ok(Ok(())) => *hasher = other,
        Ok(Err(panicked)) => panic::resume_unwind(panicked),
        Err(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use editd_engine::part_size;

    use super::*;
    use crate::disk::observation::hash;

    #[test]
    fn parts_have_the_hash_of_their_content() {
        for size in [0, 1, LARGE - 1, LARGE, 2 * LARGE + 1] {
            let content: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            for part in [part_size(size), 700_001] {
                let given = hash_parts(size, &mut |hashed| content.chunks(part).for_each(hashed));
                assert_eq!(given, hash(&content), "{size} bytes in parts of {part}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "the producer failed")]
    fn a_panic_of_the_producer_does_not_wait() {
        hash_parts(LARGE, &mut |_| panic::resume_unwind(Box::new("the producer failed")));
    }
}
