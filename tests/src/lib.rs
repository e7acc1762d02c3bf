//! The test kit that all tests share. It has no tests of the product itself.
//!
//! A function of the kit panics if it cannot do its work, so that the calling test fails at that place.

#![expect(
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, and so does what it stands on"
)]

pub mod binaries;
pub mod checkout;
pub mod client;
pub mod commits;
pub mod counters;
pub mod fault_injection;
pub mod generator;
pub mod jobs;
pub mod journal_contents;
pub mod mcp_client;
pub mod patches;
pub mod picture;
#[cfg(target_os = "linux")]
pub mod power;
pub mod process;
pub mod scenario;
pub mod sources;
pub mod symbols;
pub mod test_daemon;
pub mod tree;
pub mod wait;

pub use editd_sim as sim;
