//! editd: the one process in a workspace through which edits go.
//!
#![doc = include_str!("../ARCHITECTURE.md")]

pub mod workspace;

pub mod clipboard;
pub mod job;
pub mod journal;
pub mod receipt;
pub mod rooms;

pub mod disk;
pub mod store;

pub mod clock;
pub mod config;
pub mod limits;
pub mod os;
