//! editd: the one process in a workspace through which all edits go.
//!
#![doc = include_str!("../ARCHITECTURE.md")]
#![expect(
    unreachable_pub,
    reason = "`pub` marks the interface of a module; only `main` and `testing` leave the crate"
)]
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests may call everything"))]
#![cfg_attr(all(test, unix), expect(clippy::disallowed_types, reason = "tests may call everything"))]

mod ipc;

mod queue;
mod workspace;

mod edit;
mod undo;

mod transaction;

mod clipboard;
mod journal;
mod receipt;
mod state;

mod disk;
mod record;
mod store;
mod trust;
mod validate;
mod watch;

mod run;

mod caller;
mod checks;
mod clock;
mod config;
mod confine;
mod limits;
mod metrics;
mod os;
mod progress;
/// Locks.
mod sync;

pub mod testing;

pub use run::main;
