//! The store as a whole, against a naive model, through kills, faults and rebuilds. The only real files are those of
//! sled, in temporary folders.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod database_fault;
pub(in crate::store) mod fake;
mod faults;
mod forget;
pub(crate) mod kit;
mod lookups;
mod model;
mod moving;
mod quota;
#[cfg(unix)]
mod real;
mod rebuild;
mod salvage;
mod samples;
mod voided;
