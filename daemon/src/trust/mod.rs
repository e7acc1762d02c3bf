//! Decides whether the commands of a workspace may run, and whether its settings may relax anything. It runs no
//! command, and never writes to the workspace.
//!
//! *Calling sequence*: [`CommandTrust::observe`] for a job, and again before each of its commands is started: it
//! reads `.editd.toml` again if that may have changed, and returns the file's commands with the decision.
//! [`CommandTrust::record`] after a person has reviewed the file. [`is_recorded`] once, at the start, for the settings.
//!
//! *Invariants*: the hashed bytes are those that are parsed and run: all three use one read. A file is trusted only
//! if its hash is in the daemon's state folder, which no file of the workspace can be in. On any doubt (a link, a
//! file that is invalid, too long or unreadable, an unreadable record) no command may run.
//!
//! *Limitations*: the hash covers `.editd.toml` alone. Anyone who can change a program that it names, or a settings
//! file of that program, controls what runs.

mod commands;
mod observe;
mod record;
#[cfg(all(test, unix))]
mod tests;

pub use commands::WorkspaceCommands;
pub use observe::CommandTrust;
pub use record::{TrustRecordError, format_hash, is_recorded, parse_hash};
