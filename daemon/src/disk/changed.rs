//! The time at which a path was last changed, and the start of this run of the machine. It changes nothing and draws
//! no conclusion.

use std::io;

use editd_proto::path::FilePath;

use super::Disk;
use super::place::names;
use crate::os::FileKind;

impl Disk {
    /// Returns the start of this run of the machine, in nanoseconds since 1970.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn began(&self) -> io::Result<i64> {
        self.os.began()
    }

    /// Returns the time at which what is at a path was last changed, in nanoseconds since 1970. If nothing is there,
    /// returns that of the innermost folder on the way; if a component on the way is not a folder, that of this
    /// component. No program can set the time back.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn changed(&self, path: &FilePath) -> io::Result<i64> {
        let mut dir = self.root.dir().clone();
        for name in names(path.as_bytes()) {
            match dir.stat(name) {
                Ok(stat) if stat.kind == FileKind::Dir => dir = dir.open_passage(name)?,
                Ok(stat) => return Ok(stat.changed),
                Err(free) if free.kind() == io::ErrorKind::NotFound => break,
                Err(error) => return Err(error),
            }
        }
        Ok(dir.stat_self()?.changed)
    }
}
