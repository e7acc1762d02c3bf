//! The identities of the daemon's own folder and of its entries, by which they are recognized under other names. It
//! changes nothing.

use std::io;

use super::own::OWN;
use crate::os::{Dir, FileIdentity};

/// Returns the identity of the daemon's own folder in the workspace, and those of its entries.
///
/// # Errors
/// Errors of the system.
pub(super) fn identities(root: &Dir) -> io::Result<Vec<FileIdentity>> {
    let own = root.open_dir(OWN)?;
    let mut all = vec![own.stat_self()?.identity];
    for entry in own.list()? {
        match own.stat(&entry.name) {
            Ok(stat) => all.push(stat.identity),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}
