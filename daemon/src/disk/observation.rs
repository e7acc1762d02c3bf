//! Looking at a name: what stands there, whole and with its hash. It never changes anything.

use std::io;
use std::sync::Arc;

use editd_proto::ids::ContentHash;
use editd_proto::limits;

use crate::os::{self, Access, Dir, File, FileKind, Identity, Stat};
use crate::store::record::FileMeta;

/// Reads that are tried when a file changes while it is read; the last one counts.
const READS: usize = 4;

/// What stands at a name.
#[derive(Clone)]
pub enum Observation {
    /// Nothing.
    Absent,
    /// A regular file.
    File(FileSnapshot),
    /// A regular file above [`limits::FILE`], or above what was to be read of one.
    TooLarge(Stat),
    /// A regular file that may not be read.
    Unreadable(Stat),
    /// A folder, a link, a FIFO, a socket or a device.
    Other(FileKind),
}

/// A regular file as it was read.
#[derive(Clone)]
pub struct FileSnapshot {
    /// What it is.
    pub face: FileMeta,
    /// Names that it has.
    pub links: u64,
    /// Last change of content or metadata, nanoseconds since 1970; no program can set it back.
    pub changed: i64,
    /// Its content.
    pub bytes: Arc<[u8]>,
    /// The file, open for reading: it stays this file whatever happens to its name.
    pub file: File,
}

impl FileSnapshot {
    /// Whether it is what the journal says of it, in everything but its number: an equal file that came
    /// from elsewhere is as good.
    pub fn shows(&self, face: &FileMeta) -> bool {
        self.face.hash == face.hash && self.face.mode == face.mode && self.owned_as(face)
    }

    /// Whether it is the very file, with the very content.
    pub fn is(&self, face: &FileMeta) -> bool {
        self.face.hash == face.hash && self.face.identity == face.identity
    }

    fn owned_as(&self, face: &FileMeta) -> bool {
        self.face.uid == face.uid && self.face.gid == face.gid
    }
}

impl Observation {
    /// The file, where it is one that was read.
    pub fn found(&self) -> Option<&FileSnapshot> {
        match self {
            Self::File(found) => Some(found),
            Self::Absent | Self::TooLarge(_) | Self::Unreadable(_) | Self::Other(_) => None,
        }
    }

    /// Which file it is, where it is one.
    pub fn identity(&self) -> Option<Identity> {
        match self {
            Self::File(found) => Some(found.face.identity),
            Self::TooLarge(stat) | Self::Unreadable(stat) => Some(stat.identity),
            Self::Absent | Self::Other(_) => None,
        }
    }

    /// Whether it is the very file with the very content, as far as it may be read.
    pub fn is(&self, face: &FileMeta) -> bool {
        match self {
            Self::File(found) => found.is(face),
            Self::Unreadable(stat) => stat.identity == face.identity && stat.size == face.size,
            Self::Absent | Self::TooLarge(_) | Self::Other(_) => false,
        }
    }

    /// The hash of the content, where there is one.
    pub fn hash(&self) -> Option<ContentHash> {
        self.found().map(|found| found.face.hash)
    }
}

/// Looks at a name in a folder.
///
/// # Errors
/// What the system says.
pub fn observe(dir: &Dir, name: &[u8]) -> io::Result<Observation> {
    observe_within(dir, name, limits::FILE)
}

/// The same where a file above `most` bytes is too large.
///
/// # Errors
/// What the system says.
pub fn observe_within(dir: &Dir, name: &[u8], most: usize) -> io::Result<Observation> {
    match dir.open_file(name, Access::Read) {
        Ok(file) => read_within(file, most),
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

/// Reads an open file as a [`Observation`]; again if it changed meanwhile.
///
/// # Errors
/// What the system says.
pub fn read(file: File) -> io::Result<Observation> {
    read_within(file, limits::FILE)
}

fn read_within(file: File, most: usize) -> io::Result<Observation> {
    let most = most.min(limits::FILE);
    let mut left = READS;
    loop {
        left -= 1;
        let before = file.stat()?;
        if before.size > most as u64 {
            return Ok(Observation::TooLarge(before));
        }
        let bytes = os::read_shared(&*file, most)?;
        let after = file.stat()?;
        if bytes.len() > most {
            return Ok(Observation::TooLarge(after));
        }
        let quiet = (before.modified, before.size) == (after.modified, after.size);
        if (quiet && after.size == bytes.len() as u64) || left == 0 {
            let face = face(&after, &bytes);
            return Ok(Observation::File(FileSnapshot {
                face,
                links: after.links,
                changed: after.changed,
                bytes,
                file,
            }));
        }
    }
}

/// The hash that names a content.
pub fn hash(bytes: &[u8]) -> ContentHash {
    ContentHash::from_bytes(*blake3::hash(bytes).as_bytes())
}

/// What a file is, by what the system and its content say.
pub(super) fn face(stat: &Stat, bytes: &[u8]) -> FileMeta {
    FileMeta {
        hash: hash(bytes),
        size: bytes.len() as u64,
        mode: stat.mode,
        uid: stat.uid,
        gid: stat.gid,
        identity: stat.identity,
        modified: stat.modified,
    }
}
