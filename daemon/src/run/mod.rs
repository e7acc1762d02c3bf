//! Assembly and shutdown: the process from its command line to its exit status. It handles no request itself.
//!
//! *Calling sequence*: [`main`]. It starts, in order: the inherited socket, settings, the claim on the socket,
//! the confinement of the process, listening, recovery, threads. Clients that connect during recovery wait, and learn
//! after a moment how far it has come; no request is read before all is done. Shutdown is the reverse: no more clients,
//! no more jobs, everything settled, the workspace closed, and last the claim released, for which the next daemon waits.
//!
//! *Invariants*: the first SIGTERM or SIGINT, `stop` and the idle time all lead to the same clean end with status 0.
//! A second signal ends the process at once, which loses nothing that was acknowledged. When nothing is pending,
//! nothing runs except a check of the paths of the workspace and the socket every two seconds (`limits::FOLDER_MS`): a
//! daemon whose folder or socket is gone exits by itself; and a check of the log now and then (`limits::LOG_CHECK_MS`).
//!
//! SIGHUP is ignored, so that a daemon survives the terminal in which it was started; settings are read only at the
//! start.

mod assemble;
mod background;
mod checks;
mod defaults;
mod error;
mod folders;
mod idle;
mod import;
mod listening;
mod log_checker;
mod logs;
mod nearby;
mod retention;
mod salvage;
mod schedule;
mod settings;
mod signals;
mod supervisor;
#[cfg(all(test, unix))]
mod tests;
mod watching;

pub use assemble::main;
