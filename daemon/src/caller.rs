//! The caller of a request, and the lanes that its job needs. Plain values: this module decides nothing.

use editd_proto::path::FilePath;

use crate::os::FileIdentity;

/// The caller of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The session, which has its own receipts, clipboards and undo.
    pub session: String,
    /// The name of the client program, for the journal.
    pub client: String,
}

/// A path or file that one job at a time may use.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LaneKey {
    /// A path, links resolved.
    Path(FilePath),
    /// A file, whatever its names.
    File(FileIdentity),
}

/// The lanes of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// The lanes with these keys.
    Some(Vec<LaneKey>),
    /// All lanes: the job waits for every job before it, and every later one waits for it (undo, redo).
    All,
}
