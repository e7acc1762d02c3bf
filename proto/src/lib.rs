//! What two processes must agree on: messages, codec, limits and ids. This crate does no I/O.
//!
//! `proto/WIRE.md` describes the wire; `proto/WIRE-SAMPLES.md` has the bytes of its examples.

pub mod codec;
pub mod error;
pub mod ids;
pub mod limits;
pub mod message;
pub mod operation;
pub mod path;
pub mod place;
pub mod tokens;
pub mod unit;

pub use error::{Code, WireError};
pub use path::WirePath;
