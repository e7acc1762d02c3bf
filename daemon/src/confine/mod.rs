//! Restricts the files that this process, and the commands that it starts, can write: to the workspace, the state folder,
//! the name of the socket, shared memory, and temporary files. Where the kernel has no means for that, nothing is restricted, and the
//! result says so. It never restricts reading, running programs or connecting to sockets.
//!
//! *Calling sequence*: [`process`] in `run`, before any thread is started, since the kernel restricts the calling thread
//! and those that it starts later. The supervisor of a command calls it for itself, before it starts the command.
//!
//! *Invariants*: a restricted process can restrict itself further, but no process can undo a restriction.
//!
//! *Limitations*: Landlock, on Linux from 5.19 on. It restricts writing, creating, removing and moving by paths. Modes,
//! owners and times of files that the user owns can still be changed, and files that were opened before can still be
//! written.

#[cfg(target_os = "linux")]
mod landlock;

use std::path::PathBuf;

/// The folders that a process needs to write.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WritableFolders {
    /// Folders in which files can be made, changed and removed.
    pub folders: Vec<PathBuf>,
    /// Set if it also makes files in the folders for temporary files. A command has a folder of its own in there.
    pub temporary: bool,
    /// The folder of the socket, in which a socket can be made, and files can be removed.
    pub socket: Option<PathBuf>,
}

/// The restriction of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Confinement {
    /// The process can write only to its folders.
    Confined {
        /// The folders that it can write, besides those for temporary files.
        writable: Vec<PathBuf>,
        /// The folders that it was to write and cannot, since they could not be opened: an error for each.
        missing: Vec<String>,
        /// Set if it can still truncate files elsewhere, which Landlock restricts since Linux 6.2.
        truncates: bool,
    },
    /// Nothing is restricted, for this reason.
    Unconfined(String),
}

impl Default for Confinement {
    fn default() -> Self {
        Self::Unconfined("it was not requested".to_owned())
    }
}

impl Confinement {
    /// Returns true if the process can write only to its folders.
    #[must_use]
    pub fn is_confined(&self) -> bool {
        matches!(self, Self::Confined { .. })
    }
}

/// Restricts this thread, and all threads and processes that it starts from now on, as far as the kernel can. They gain no
/// privileges.
#[must_use]
pub fn process(folders: &WritableFolders) -> Confinement {
    #[cfg(target_os = "linux")]
    {
        landlock::restrict(folders)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folders;
        Confinement::Unconfined("editd cannot confine a process on this system".to_owned())
    }
}
