//! The client library of editd: finds a workspace, connects to its daemon and sends requests. Never writes to a file of
//! the workspace.
//!
//! *Calling sequence*: [`Workspace::find`], then [`daemon::reach`], then the requests of [`Connection`]. A connection
//! blocks its thread. [`retry::Caller`] does this for each request, and repeats it if the daemon is busy or stops. [`show`]
//! formats replies as text.

#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        clippy::disallowed_types,
        reason = "tests make and look at real files"
    )
)]

pub mod connection;
pub mod daemon;
pub mod machine;
pub mod retry;
pub mod session;
pub mod show;
pub mod workspace;

pub use connection::{CallError, Connection};
pub use workspace::Workspace;
