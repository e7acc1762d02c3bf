//! Tests of the watch module: its pure parts with given times, the keeper with made-up events, and real folders.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg_attr(unix, expect(clippy::disallowed_methods, reason = "tests set up files"))]

mod echo;
#[cfg(unix)]
mod folders;
mod globs;
mod ignored;
#[cfg(unix)]
mod live;
mod settle;
