//! Tests of the watch module: its pure parts with given times, the keeper with made-up events, and real folders.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking and set up files"
)]

mod echo;
mod folders;
mod globs;
mod ignored;
mod live;
mod settle;
