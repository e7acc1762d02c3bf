//! The caller of a request, and the lanes that its job needs. Plain values: this module decides nothing.

mod shares;

use editd_proto::path::FilePath;

use crate::os::FileIdentity;

pub use shares::{RequestOwner, ShareHolder, ShareTable};

/// The caller of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The session, which has its own receipts, clipboards and undo.
    pub session: String,
    /// The name of the client program, for the journal.
    pub client: String,
    /// The owners whose shares its requests take.
    pub owner: RequestOwner,
}

impl Caller {
    /// Returns a caller without a connection: its requests count for its session alone.
    pub fn of_session(session: &str, client: &str) -> Self {
        let owner = RequestOwner::of_session(session);
        Self { session: session.to_owned(), client: client.to_owned(), owner }
    }
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
