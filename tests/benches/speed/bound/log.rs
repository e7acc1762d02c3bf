//! The log of the bound program: a file of allocated blocks that records overwrite, and a flush that waiting jobs share.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Condvar, Mutex};

/// Bytes of the log. Records start again at its beginning.
const SIZE: u64 = 8 * 1024 * 1024;
/// Bytes of a block.
pub(crate) const BLOCK: usize = 4096;

/// Creates a file of this size whose blocks are allocated and written.
pub(crate) fn prepared(path: &Path, size: u64) -> File {
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(path).unwrap();
    let zeros = vec![0; 1024 * 1024];
    for _ in 0..size / zeros.len() as u64 {
        file.write_all(&zeros).unwrap();
    }
    file.sync_all().unwrap();
    file
}

/// The log.
pub(super) struct GroupLog {
    file: File,
    state: Mutex<GroupState>,
    flushed: Condvar,
}

#[derive(Default)]
struct GroupState {
    /// Records that no thread has written yet.
    waiting: Vec<u8>,
    /// The buffer of the last write, for the next one.
    spare: Vec<u8>,
    /// True if one of the waiting records must be flushed.
    must_flush: bool,
    /// Records that were handed in, and those of them that are on the disk.
    given: u64,
    done: u64,
    is_flushing: bool,
    at: u64,
}

impl GroupLog {
    /// Creates the log with all of its blocks.
    pub(super) fn prepared(path: &Path) -> Self {
        Self { file: prepared(path, SIZE), state: Mutex::default(), flushed: Condvar::new() }
    }

    /// Writes a record, and returns when it is on the disk if `durable`. The first of the waiting threads writes and flushes
    /// for all of them.
    pub(super) fn write(&self, record: &[u8], durable: bool) {
        let mut state = self.state.lock().unwrap();
        state.waiting.extend_from_slice(record);
        state.must_flush |= durable;
        state.given += 1;
        let ticket = state.given;
        while state.done < ticket {
            if state.is_flushing {
                state = self.flushed.wait(state).unwrap();
                continue;
            }
            state.is_flushing = true;
            let mut group = std::mem::take(&mut state.waiting);
            state.waiting = std::mem::take(&mut state.spare);
            let must_flush = std::mem::take(&mut state.must_flush);
            let upto = state.given;
            group.resize(group.len().next_multiple_of(BLOCK), 0);
            if state.at + group.len() as u64 > SIZE {
                state.at = 0;
            }
            let at = state.at;
            state.at += group.len() as u64;
            drop(state);
            self.file.write_all_at(&group, at).unwrap();
            if must_flush {
                self.file.sync_data().unwrap();
            }
            group.clear();
            state = self.state.lock().unwrap();
            state.spare = group;
            state.done = upto;
            state.is_flushing = false;
            self.flushed.notify_all();
        }
    }
}
