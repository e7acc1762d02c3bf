//! Observes a name: reads the whole file there and computes its hash. It never changes anything.

use std::io;
use std::sync::Arc;

use editd_engine::part_size;
use editd_proto::ids::ContentHash;
use editd_proto::limits;

use super::hashing::hash_parts;
use crate::os::{self, Access, Dir, File, FileIdentity, FileKind, OsFile, Stat};
use crate::record::FileMeta;

/// The number of reads if a file changes while it is read; the last one counts.
const READS: usize = 4;

/// The bytes that are read at once: they are hashed or compared while they are in the processor's cache.
const PART: usize = 128 * 1024;

/// The result of observing a name.
#[derive(Clone)]
pub enum Observation {
    /// No file.
    Absent,
    /// A regular file.
    File(FileSnapshot),
    /// A regular file above [`limits::FILE`], or above the limit of this read.
    TooLarge(Stat),
    /// A regular file that may not be read.
    Unreadable(Stat),
    /// A folder, a link, a FIFO, a socket or a device.
    Other(FileKind),
}

/// A regular file as it was read.
#[derive(Clone)]
pub struct FileSnapshot {
    /// Its metadata and hash.
    pub meta: FileMeta,
    /// The number of its names.
    pub links: u64,
    /// Last change of content or metadata, nanoseconds since 1970; no program can set it back.
    pub changed: i64,
    /// Its content.
    pub bytes: Arc<[u8]>,
    /// The file, open for reading: it stays this file whatever happens to its name.
    pub file: File,
}

impl FileSnapshot {
    /// Returns true if it matches recorded metadata in everything but its identity: an equal file that was put there
    /// by other means is as good.
    pub fn shows(&self, meta: &FileMeta) -> bool {
        self.meta.hash == meta.hash && self.meta.mode == meta.mode && self.owned_as(meta)
    }

    /// Returns true if it is the very file, with the same content.
    pub fn is(&self, meta: &FileMeta) -> bool {
        self.meta.hash == meta.hash && self.meta.identity == meta.identity
    }

    /// Returns true if the open file still has the content with which it was read.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn is_unwritten(&self) -> io::Result<bool> {
        let mut buffer = vec![0; self.bytes.len().min(PART)];
        let mut offset = 0;
        loop {
            let rest = self.bytes.get(offset..).unwrap_or_default();
            let wanted = rest.len().min(PART);
            let part = buffer.get_mut(..wanted).unwrap_or_default();
            let (read, more) = self.file.fill(part, offset as u64)?;
            let is_last = wanted == rest.len();
            if read < wanted || rest.get(..wanted) != Some(part) || more == is_last {
                return Ok(false);
            }
            if is_last {
                return Ok(true);
            }
            offset += wanted;
        }
    }

    fn owned_as(&self, meta: &FileMeta) -> bool {
        self.meta.uid == meta.uid && self.meta.gid == meta.gid
    }
}

impl Observation {
    /// Returns the file if it was read.
    pub fn found(&self) -> Option<&FileSnapshot> {
        match self {
            Self::File(found) => Some(found),
            Self::Absent | Self::TooLarge(_) | Self::Unreadable(_) | Self::Other(_) => None,
        }
    }

    /// Returns the identity if it is a file.
    pub fn identity(&self) -> Option<FileIdentity> {
        match self {
            Self::File(found) => Some(found.meta.identity),
            Self::TooLarge(stat) | Self::Unreadable(stat) => Some(stat.identity),
            Self::Absent | Self::Other(_) => None,
        }
    }

    /// Returns the number of names of the file; 0 if it is no file.
    pub fn links(&self) -> u64 {
        match self {
            Self::File(found) => found.links,
            Self::TooLarge(stat) | Self::Unreadable(stat) => stat.links,
            Self::Absent | Self::Other(_) => 0,
        }
    }

    /// Returns true if it is the very file with the same content, as far as it may be read.
    pub fn is(&self, meta: &FileMeta) -> bool {
        match self {
            Self::File(found) => found.is(meta),
            Self::Unreadable(stat) => stat.identity == meta.identity && stat.size == meta.size,
            Self::Absent | Self::TooLarge(_) | Self::Other(_) => false,
        }
    }

    /// Returns the hash of the content, if there is one.
    pub fn hash(&self) -> Option<ContentHash> {
        self.found().map(|found| found.meta.hash)
    }
}

/// Observes a name in a folder.
///
/// # Errors
/// Errors of the system.
pub fn observe(dir: &Dir, name: &[u8]) -> io::Result<Observation> {
    observe_within(dir, name, limits::FILE)
}

/// The same, but a file above `most` bytes is too large.
///
/// # Errors
/// Errors of the system.
pub fn observe_within(dir: &Dir, name: &[u8], most: usize) -> io::Result<Observation> {
    match dir.open_with_stat(name, Access::Read) {
        Ok((file, stat)) => read_within(file, stat, most),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound => Ok(Observation::Absent),
            _ => match dir.stat(name) {
                Ok(stat) if stat.kind != FileKind::File => Ok(Observation::Other(stat.kind)),
                Ok(stat) if error.kind() == io::ErrorKind::PermissionDenied => {
                    Ok(Observation::Unreadable(stat))
                }
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(Observation::Absent),
                _ => Err(error),
            },
        },
    }
}

/// Reads an open file as an [`Observation`]; again if it changed meanwhile.
///
/// # Errors
/// Errors of the system.
pub fn read(file: File) -> io::Result<Observation> {
    let stat = file.stat()?;
    read_within(file, stat, limits::FILE)
}

/// The same for a file with this metadata. A file above `most` bytes is too large.
pub(super) fn read_within(file: File, mut before: Stat, most: usize) -> io::Result<Observation> {
    let most = most.min(limits::FILE);
    let mut left = READS;
    loop {
        left -= 1;
        if before.size > most as u64 {
            return Ok(Observation::TooLarge(before));
        }
        let (bytes, hash) = read_hashed(&*file, before.size, most)?;
        let after = file.stat()?;
        if bytes.len() > most {
            return Ok(Observation::TooLarge(after));
        }
        let quiet = (before.modified, before.size) == (after.modified, after.size);
        if (quiet && after.size == bytes.len() as u64) || left == 0 {
            let meta = meta(&after, &bytes, hash);
            return Ok(Observation::File(FileSnapshot {
                meta,
                links: after.links,
                changed: after.changed,
                bytes,
                file,
            }));
        }
        before = after;
    }
}

/// Reads a whole file, at most `most` bytes and one more, and hashes it. `size` is its size by its metadata.
fn read_hashed(file: &dyn OsFile, size: u64, most: usize) -> io::Result<(Arc<[u8]>, ContentHash)> {
    if let Some(found) = read_of_size(file, usize::try_from(size).unwrap_or(usize::MAX).min(most))? {
        return Ok(found);
    }
    let bytes: Arc<[u8]> = os::read_all(file, most)?.into();
    let hash = hash(&bytes);
    Ok((bytes, hash))
}

/// Reads and hashes a file of this size; `None` if it has another size, or is empty.
fn read_of_size(file: &dyn OsFile, size: usize) -> io::Result<Option<(Arc<[u8]>, ContentHash)>> {
    let mut bytes = os::zeros(size);
    let mut parts = Arc::get_mut(&mut bytes).unwrap_or_default().chunks_mut(part_size(size));
    let mut has_size = Ok(size > 0);
    let hash = hash_parts(size, &mut |hashed| {
        let mut left = size;
        for part in parts.by_ref() {
            left -= part.len();
            match file.fill(part, (size - left - part.len()) as u64) {
                Ok((read, more)) if read == part.len() && more == (left > 0) => hashed(part),
                other => return has_size = other.map(|_| false),
            }
        }
    });
    Ok(has_size?.then_some((bytes, hash)))
}

/// Returns the hash of an open file with this metadata, without keeping its bytes; `None` if it changes meanwhile.
pub(super) fn hash_within(file: &dyn OsFile, stat: &Stat) -> io::Result<Option<ContentHash>> {
    let mut hasher = blake3::Hasher::new();
    let mut part = vec![0; usize::try_from(stat.size).unwrap_or(usize::MAX).min(PART)];
    let mut offset = 0;
    loop {
        let (read, more) = file.fill(&mut part, offset)?;
        hasher.update(part.get(..read).unwrap_or_default());
        offset += read as u64;
        if !more || read == 0 || offset > stat.size {
            break;
        }
    }
    let after = file.stat()?;
    let quiet = (stat.modified, stat.size) == (after.modified, after.size) && offset == stat.size;
    Ok(quiet.then(|| hash_of(&hasher)))
}

fn hash_of(hasher: &blake3::Hasher) -> ContentHash {
    ContentHash::from_bytes(*hasher.finalize().as_bytes())
}

/// Returns the hash that names a content.
pub fn hash(bytes: &[u8]) -> ContentHash {
    ContentHash::from_bytes(*blake3::hash(bytes).as_bytes())
}

/// Returns the metadata of a file with the hash of its content.
pub(super) fn meta(stat: &Stat, bytes: &[u8], hash: ContentHash) -> FileMeta {
    FileMeta {
        hash,
        size: bytes.len() as u64,
        mode: stat.mode,
        uid: stat.uid,
        gid: stat.gid,
        identity: stat.identity,
        modified: stat.modified,
    }
}

#[cfg(all(test, unix))]
mod tests;
