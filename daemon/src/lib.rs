//! editd: the one process in a workspace through which edits go.

pub mod clock;
pub mod config;
pub mod limits;
pub mod os;
pub mod store;
pub mod watch;
pub mod workspace;
