//! The client of editd as a library: find the workspace, reach its daemon, ask. It never touches a
//! workspace file itself.
//!
//! *Calling sequence*: [`Workspace::find`], then [`daemon::reach`], then the requests of [`Connection`],
//! which is blocking and belongs to one thread.

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
pub mod session;
pub mod workspace;

pub use connection::{CallError, Connection};
pub use workspace::Workspace;
