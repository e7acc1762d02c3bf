//! The bound: a minimal program that makes only the calls that a safe edit needs, behind a Unix socket. It runs as a
//! process of its own, so that its calls and its processor time are counted like those of the daemon.
//!
//! One job, in the order of its calls: receive; for each file open, stat and read; find the quoted text; stage the new
//! content (create, write); write a record with the hashes and the change into a log of allocated blocks; flush it
//! (`fdatasync`; jobs that wait share one); for each file exchange it with the staged one, stat the displaced one and compare
//! its bytes through the handle that was judged; reply; remove the displaced files. With the word [`REUSE`], displaced
//! files are not removed: the next job writes its new content into them.
//!
//! *Limitations*: it has no journal to read, no recovery, no leases, no syntax check and no watch, and never flushes
//! the files themselves. It is no program to edit files with.

mod edit;
mod frame;
mod log;

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

pub(crate) use frame::{Outcome, encode};
pub(crate) use log::{BLOCK, prepared};

use edit::Editor;
use log::GroupLog;

/// The first word of the command line of the process.
pub(crate) const WORD: &str = "bound";
/// The word that makes it write into displaced files.
pub(crate) const REUSE: &str = "reuse";

/// Returns the socket of the program in a folder.
pub(crate) fn socket(folder: &Path) -> PathBuf {
    folder.join("socket")
}

/// Returns the workspace in a folder.
pub(crate) fn workspace(folder: &Path) -> PathBuf {
    folder.join("workspace")
}

/// Serves until a client says that it is enough. The words are the folder and perhaps [`REUSE`].
pub(crate) fn serve(mut words: impl Iterator<Item = String>) {
    let folder = PathBuf::from(words.next().expect("the bound program needs a folder"));
    let reuse = words.next().as_deref() == Some(REUSE);
    // A staged file has the mode of its target.
    rustix::process::umask(rustix::fs::Mode::empty());
    for name in ["workspace", "staging"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    let log = Arc::new(GroupLog::prepared(&folder.join("log")));
    let listener = UnixListener::bind(socket(&folder)).unwrap();
    for (number, stream) in listener.incoming().enumerate() {
        let mut editor = Editor::new(&folder, number, reuse, Arc::clone(&log));
        let stream = stream.unwrap();
        thread::spawn(move || converse(stream, &mut editor));
    }
}

/// Answers one client.
fn converse(mut stream: UnixStream, editor: &mut Editor) {
    let mut buffer = vec![0; 64 * 1024];
    let mut had = 0;
    loop {
        while !frame::is_whole(&buffer[..had]) {
            if had == buffer.len() {
                buffer.resize(had * 2, 0);
            }
            match stream.read(&mut buffer[had..]) {
                Ok(0) | Err(_) => return,
                Ok(more) => had += more,
            }
        }
        let job = frame::decode(&buffer[..had]);
        if job.is_end {
            std::process::exit(0);
        }
        let outcome = editor.run(&job);
        stream.write_all(&[outcome as u8]).unwrap();
        editor.clean();
        had = 0;
    }
}
