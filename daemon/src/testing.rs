//! The parts of the daemon that the tests crate uses. No other item except [`main`](crate::main) leaves this crate, so that
//! the compiler finds code that nothing uses.

pub use crate::caller::Caller;
pub use crate::clock::{Clock, SystemClock};
pub use crate::config::{GeneratedPolicy, GitFolderPolicy, Settings, UnreadPolicy, load as load_settings};
pub use crate::disk::Disk;
pub use crate::disk::observation::hash as content_hash;
pub use crate::disk::place::{ResolveError, ResolvedPath, WorkspaceRoot, resolve as resolve_path};
pub use crate::disk::put::RescueSink;
pub use crate::journal::recover::contents::IntactContents;
pub use crate::journal::seal::{SealProof, seal_record};
pub use crate::metrics::JobTrace;
#[cfg(unix)]
pub use crate::os::unix::Unix;
#[cfg(windows)]
pub use crate::os::windows::Windows;
pub use crate::os::{
    Access, BootId, Dir, DirEntry, ExtendedAttribute, File, FileIdentity, FileKind, LeaseState, Os, OsDir,
    OsFile, Stat, UnsetAttribute, is_link, read_all,
};
pub use crate::record::{Entry, FileMeta, FileRecord, Record};
pub use crate::state::step::{JobStep, Observer, StepDecision};
pub use crate::store::intent::{AppendedIntent, Intended, IntendedFile};
pub use crate::store::{DatabaseBackend, DatabaseFaults, EntryQuery, Store, StoreError, StoreOptions};
pub use crate::validate::process::{CommandEnd, CommandOutput, CommandRun, CommandRunner};
pub use crate::workspace::{Admission, Workspace};

/// The limits that tests reach.
pub mod limits {
    pub use crate::limits::{CONNECTIONS, HELD, LARGE, MEMORY_BUDGET, OUTGOING};
}
