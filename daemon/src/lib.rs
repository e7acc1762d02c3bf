//! editd: the one process in a workspace through which all edits go.
//!
#![doc = include_str!("../ARCHITECTURE.md")]
#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests may call everything")
)]

pub mod ipc;

pub mod queue;
pub mod workspace;

pub mod clipboard;
pub mod job;
pub mod journal;
pub mod receipt;
pub mod state;

pub mod disk;
pub mod store;
pub mod trust;
pub mod validate;
pub mod watch;

pub mod run;

pub mod clock;
pub mod config;
pub mod limits;
pub mod os;
