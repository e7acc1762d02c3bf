//! Terminals in memory.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Opens a new terminal. Returns the side that types and reads the screen, and the side of the program. It becomes the
/// controlling terminal of no process: the hang-up would end a test program that leads its session.
pub(crate) fn open() -> (File, File) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let path = ptsname(&terminal, Vec::new()).unwrap();
    let flags = OFlags::NOCTTY.bits().cast_signed();
    let program = File::options().read(true).write(true).custom_flags(flags).open(path.to_str().unwrap());
    (File::from(terminal), program.unwrap())
}
