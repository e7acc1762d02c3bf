//! The protocol between editd and its clients: messages, codec, limits and ids. This crate does no I/O.
//!
//! `proto/WIRE.md` describes the protocol; `proto/WIRE-SAMPLES.md` has the bytes of its examples.

pub mod codec;
pub mod limits;
pub mod message;
pub mod plain_path;
pub mod socket_path;
pub mod system_error;
pub mod systemd_unit;
pub mod tokens;
#[cfg(windows)]
pub mod windows_user;

pub use editd_types::{ErrorCode, FilePath, RequestError, error, ids, operation, path};
