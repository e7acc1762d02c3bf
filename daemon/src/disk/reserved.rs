//! Recognizes the daemon's own folder and its entries under other names, by their identities. It changes nothing.

use std::io;

use crate::os::{Dir, FileIdentity};

/// The daemon's own folder, and the entries that it had when it was listed.
pub struct OwnEntries {
    /// Open, so that no other folder gets its number.
    dir: Dir,
    identity: FileIdentity,
    entries: Vec<(Vec<u8>, FileIdentity)>,
}

impl OwnEntries {
    /// Lists the daemon's own folder.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn list(dir: Dir) -> io::Result<Self> {
        let identity = dir.stat_self()?.identity;
        let mut entries = Vec::new();
        for entry in dir.list()? {
            match dir.stat(&entry.name) {
                Ok(stat) => entries.push((entry.name, stat.identity)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { dir, identity, entries })
    }

    /// Returns true for the identity of the folder or of one of its entries. Where files have no birth times, another
    /// file may have got the number of an entry that was removed, so the entry must still have it.
    pub fn contain(&self, identity: FileIdentity) -> bool {
        let has = |name: &[u8]| self.dir.stat(name).is_ok_and(|found| found.identity == identity);
        identity == self.identity
            || self.entries.iter().any(|(name, listed)| *listed == identity && has(name))
    }
}
