//! Keys of rows. Pure.

use editd_proto::ids::JobId;
use editd_proto::path::FilePath;

use crate::store::LogPosition;
use crate::store::log::frame::{Checksum, digest};

/// The meta row.
pub const META: &[u8] = b"!";
/// Entries.
pub const ENTRY: u8 = b'e';
/// Entries by path.
pub const PATH: u8 = b'p';
/// Entries by session.
pub const SESSION: u8 = b's';
/// Client keys.
pub const CLIENT_KEY: u8 = b'k';
/// Receipts of jobs.
pub const RECEIPT: u8 = b'r';
/// Clipboards.
pub const CLIP: u8 = b'c';
/// Read receipts.
pub const SEEN: u8 = b'v';
/// Open entries.
pub const OPEN: u8 = b'o';
/// Detached jobs.
pub const QUEUED: u8 = b'q';

/// Void entries.
pub const VOID: u8 = b'w';

/// Lost records.
pub const LOST: u8 = b'x';

fn join(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut key = Vec::with_capacity(33);
    key.push(kind);
    parts.iter().for_each(|part| key.extend_from_slice(part));
    key
}

/// The key of a job or entry, for kinds that have no other key.
pub fn job(kind: u8, id: JobId) -> Vec<u8> {
    join(kind, &[&id.0.to_be_bytes()])
}

/// The key of an entry under a path.
pub fn path(path: &FilePath, id: JobId) -> Vec<u8> {
    join(PATH, &[&digest(path.as_bytes()), &id.0.to_be_bytes()])
}

/// The key of records that were lost through damage at a position of the log.
pub fn lost(at: u64) -> Vec<u8> {
    join(LOST, &[&at.to_be_bytes()])
}

/// The key of a void entry whose intent is at a position of the log. One number may have several void entries.
pub fn void(at: LogPosition) -> Vec<u8> {
    join(VOID, &[&at.0.to_be_bytes()])
}

/// The common prefix of the keys of all entries under a path.
pub fn paths(path: &FilePath) -> Vec<u8> {
    join(PATH, &[&digest(path.as_bytes())])
}

/// The key of an entry under a session.
pub fn session(session: &str, id: JobId) -> Vec<u8> {
    join(SESSION, &[&digest(session.as_bytes()), &id.0.to_be_bytes()])
}

/// The common prefix of the keys of all entries under a session.
pub fn sessions(session: &str) -> Vec<u8> {
    join(SESSION, &[&digest(session.as_bytes())])
}

/// The key of a client's key.
pub fn client_key(session: &str, key: &str) -> Vec<u8> {
    join(CLIENT_KEY, &[&digest(session.as_bytes()), &digest(key.as_bytes())])
}

/// The key of a clipboard. A name that begins with `/` belongs to the workspace, whatever the session.
pub fn clip(session: &str, name: &str) -> Vec<u8> {
    let session = if name.starts_with('/') { "" } else { session };
    join(CLIP, &[&digest(session.as_bytes()), &digest(name.as_bytes())])
}

/// The common prefix of the keys of all clipboards of a session.
pub fn clips(session: &str) -> Vec<u8> {
    join(CLIP, &[&digest(session.as_bytes())])
}

/// The digest of a session in these keys.
pub fn session_digest(session: &str) -> Checksum {
    digest(session.as_bytes())
}

/// The key of a session's read receipt for a path.
pub fn seen(session: &str, path: &FilePath) -> Vec<u8> {
    join(SEEN, &[&digest(session.as_bytes()), &digest(path.as_bytes())])
}

/// Returns the number at the end of a key.
pub fn id_of(key: &[u8]) -> Option<JobId> {
    key.last_chunk::<8>().map(|bytes| JobId(u64::from_be_bytes(*bytes)))
}

/// Returns the first key behind all that begin with a prefix.
pub fn behind(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return end;
        }
    }
    // Only a prefix of nothing but bytes 255 has no next key; no kind is 255.
    vec![u8::MAX; prefix.len() + 1]
}
