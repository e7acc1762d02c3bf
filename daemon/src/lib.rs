//! editd: the one process in a workspace through which edits go.
//!
#![doc = include_str!("../ARCHITECTURE.md")]

pub mod clock;
pub mod config;
pub mod limits;
pub mod os;
pub mod store;
pub mod workspace;
