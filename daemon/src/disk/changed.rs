//! When what a path shows was last changed, and when this run of the machine began. It changes nothing, and what follows
//! from the two it does not say.

use std::io;

use editd_proto::path::WirePath;

use super::Disk;
use crate::os::FileKind;

impl Disk {
    /// When this run of the machine began, nanoseconds since 1970.
    ///
    /// # Errors
    /// Where the system does not say.
    pub fn began(&self) -> io::Result<i64> {
        self.os.began()
    }

    /// The last change of what stands at a path, whatever it is, nanoseconds since 1970; where nothing does, of the
    /// innermost folder on the way, and where something else is in the way, of that. No program can set it back.
    ///
    /// # Errors
    /// What the system says.
    pub fn changed(&self, path: &WirePath) -> io::Result<i64> {
        let mut dir = self.root.dir().clone();
        for name in path.as_bytes().split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            match dir.stat(name) {
                Ok(stat) if stat.kind == FileKind::Dir => dir = dir.open_dir(name)?,
                Ok(stat) => return Ok(stat.changed),
                Err(free) if free.kind() == io::ErrorKind::NotFound => break,
                Err(error) => return Err(error),
            }
        }
        Ok(dir.stat_self()?.changed)
    }
}
