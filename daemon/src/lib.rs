//! editd: the one process in a workspace through which edits go.

#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests go through every door")
)]

pub mod clock;
pub mod config;
pub mod ipc;
pub mod limits;
pub mod os;
pub mod queue;
pub mod store;
pub mod watch;
pub mod workspace;
