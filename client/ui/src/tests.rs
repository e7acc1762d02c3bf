//! Tests of the state with a journal in memory, and of its screens.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and reads its cases"
)]

mod journal_in_memory;
mod screens;
mod steps;
