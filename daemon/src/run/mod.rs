//! Assembly and shutdown: the process from its command line to its exit status. It serves nobody itself.
//!
//! *Calling sequence*: [`main`]. In order: what was inherited, settings, the claim on the socket, recovery,
//! threads, and only then the listening: who can connect is served. Leaving goes the other way round: no
//! more clients, no more jobs, everything settled, the workspace closed, and last the claim given back, so
//! that the next daemon waits for exactly this.
//!
//! *Invariants*: the first SIGTERM or SIGINT, `stop` and the idle time all lead to the same clean end with
//! status 0; the second signal cuts it short, which loses nothing that was acknowledged. When nothing is
//! pending, nothing runs but one look at the workspace's folder every two seconds (`limits::FOLDER_MS`): a daemon whose
//! folder is gone leaves by itself.
//!
//! SIGHUP is ignored, so that a daemon outlives the terminal in which it was started; settings are read at
//! the start only.

mod assemble;
mod background;
mod folders;
mod idle;
mod logs;
mod nearby;
mod schedule;
mod signals;
#[cfg(all(test, unix))]
mod tests;
mod watching;

pub use assemble::{RunError, main};
pub use background::BackgroundWork;
pub use watching::Watching;
