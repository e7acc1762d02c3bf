//! The trusted hashes, in a file of the daemon's state folder. The file is replaced as a whole and flushed.

use std::io;
use std::path::Path;
use std::sync::Arc;

use editd_proto::ids::ContentHash;

use crate::limits;
use crate::os::{self, Access, Dir, Os};

const NAME: &[u8] = b"trust";
const FRESH: &[u8] = b"trust.new";
const VERSION: &str = "editd trust 1";
const PREFIX: &str = "blake3:";

/// A hash could not be recorded.
#[derive(thiserror::Error, Debug)]
pub enum TrustRecordError {
    /// A job could write the record.
    #[error(
        "the daemon's state folder lies in the workspace, where an edit could write it: start editd with \
         another --state"
    )]
    Inside,
    /// An error of the system.
    #[error("the daemon's state folder cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// The file with the hashes.
pub(super) struct TrustRecord {
    os: Arc<dyn Os>,
    dir: Dir,
    /// The workspace: the record of a state folder that served another one does not count.
    workspace: String,
    inside: bool,
}

impl TrustRecord {
    /// Creates it in the state folder (opened as `dir`, at the absolute path `state`) of the workspace at `root`.
    pub(super) fn new(os: Arc<dyn Os>, dir: Dir, state: &Path, root: &Path) -> Self {
        let name = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        Self { os, dir, workspace: format!("workspace {PREFIX}{name}"), inside: state.starts_with(root) }
    }

    /// Returns the hashes, oldest first; none if there is no record, or an invalid one.
    pub(super) fn read(&self) -> Vec<ContentHash> {
        if self.inside {
            return Vec::new();
        }
        let read = self.dir.open_file(NAME, Access::Read).and_then(|file| os::read_all(&*file, LONGEST));
        match read {
            Ok(bytes) => self.parse(&bytes).unwrap_or_else(|| {
                tracing::warn!("the record of trusted hashes is not valid: nothing is trusted");
                Vec::new()
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                tracing::warn!(%error, "the record of trusted hashes cannot be read: nothing is trusted");
                Vec::new()
            }
        }
    }

    /// Replaces all hashes by these, oldest first; durable when it returns.
    pub(super) fn write(&self, hashes: &[ContentHash]) -> Result<(), TrustRecordError> {
        if self.inside {
            return Err(TrustRecordError::Inside);
        }
        let mut text = format!("{VERSION}\n{}\n", self.workspace);
        for hash in hashes {
            text.push_str(&format_hash(*hash));
            text.push('\n');
        }
        match self.dir.remove_file(FRESH) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let file = self.dir.create_file(FRESH, 0o600)?;
        file.write_all_at(text.as_bytes(), 0)?;
        file.sync_all()?;
        self.os.rename(&self.dir, FRESH, &self.dir, NAME)?;
        Ok(self.dir.sync()?)
    }

    fn parse(&self, bytes: &[u8]) -> Option<Vec<ContentHash>> {
        let mut lines = std::str::from_utf8(bytes).ok()?.lines();
        let ours = lines.next()? == VERSION && lines.next()? == self.workspace;
        if !ours || bytes.len() > LONGEST {
            return None;
        }
        lines.map(parse_hash).collect()
    }
}

/// The most bytes of a record: two lines, and one for each hash.
const LONGEST: usize = 256 + limits::TRUSTED * 80;

/// Returns true if the state folder at the absolute path `state` has a hash of `.editd.toml` recorded for the workspace
/// at `root`. False if the record cannot be read.
pub fn is_recorded(os: &Arc<dyn Os>, state: &Path, root: &Path, hash: ContentHash) -> bool {
    match os.open_dir(state) {
        Ok(dir) => TrustRecord::new(Arc::clone(os), dir, state, root).read().contains(&hash),
        Err(error) => {
            tracing::warn!(%error, "the record of trusted hashes cannot be read: nothing is trusted");
            false
        }
    }
}

/// Formats a hash for people and the wire.
pub fn format_hash(hash: ContentHash) -> String {
    format!("{PREFIX}{}", hash.hex())
}

/// Parses `blake3:` and 64 hexadecimal digits.
pub fn parse_hash(text: &str) -> Option<ContentHash> {
    let digits = text.strip_prefix(PREFIX)?;
    let hash = blake3::Hash::from_hex(digits).ok()?;
    Some(ContentHash::from_bytes(*hash.as_bytes()))
}
