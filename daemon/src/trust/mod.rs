//! Whether the commands that a workspace brings may run. It runs none, and never writes into the workspace.
//!
//! *Calling sequence*: [`CommandTrust::look`] for a job, and again before each command of it is started: it reads `.editd.toml` again where that may
//! have changed, and gives what the file brings with the answer. [`CommandTrust::record`] when a person has seen it.
//!
//! *Invariants*: what is hashed is what is parsed and run: one reading serves all three. Nothing is trusted but
//! a hash that stands in the daemon's state folder, and nothing of the workspace can stand there. On any doubt
//! (a link, a file that is wrong, too long or cannot be read, a record that does not read) nothing may run.
//!
//! *Limitations*: the hash is of `.editd.toml` alone. Whoever may change a program that it names, or a settings
//! file of that program, decides what runs.

mod commands;
mod look;
mod record;
#[cfg(all(test, unix))]
mod tests;

pub use commands::WorkspaceCommands;
pub use look::CommandTrust;
pub use record::TrustRecordError;
