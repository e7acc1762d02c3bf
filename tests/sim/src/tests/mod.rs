//! The simulator against its own rules, and against the real system.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[cfg(unix)]
mod agreement;
mod cuts;
mod interruptions;
mod place;
mod process;

use std::collections::BTreeSet;
use std::path::Path;

use editd::testing::{Access, Dir, File, Os, read_all};

use super::SimMachine;

/// A machine with the folder `/w`, on the disk.
fn machine() -> (SimMachine, Dir) {
    let machine = SimMachine::new();
    machine.outside().mkdir("/w").unwrap();
    machine.settle();
    let dir = root(&machine);
    (machine, dir)
}

fn root(machine: &SimMachine) -> Dir {
    machine.open_dir(Path::new("/w")).unwrap()
}

fn content(dir: &Dir, name: &[u8]) -> Vec<u8> {
    read_all(&*dir.open_file(name, Access::Read).unwrap(), 1 << 20).unwrap()
}

fn make(dir: &Dir, name: &[u8], bytes: &[u8]) -> File {
    let file = dir.create_file(name, 0o644).unwrap();
    file.write_all_at(bytes, 0).unwrap();
    file
}

/// Returns the content of a file in each state that a power cut may leave; `None` if the file is absent.
fn contents(machine: &SimMachine, path: &str) -> BTreeSet<Option<Vec<u8>>> {
    let cuts = machine.all_cuts(10_000).unwrap();
    cuts.iter().map(|cut| cut.outside().read(path).ok()).collect()
}
