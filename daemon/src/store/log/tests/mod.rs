//! The log under kills, power cuts, faults and damage, on a simulated machine. It touches no real file.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod damage;
mod kit;
mod life;
mod mending;
mod packing;
mod sample;
