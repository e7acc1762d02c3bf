//! Tests of the protocol from the outside: messages, their memory, and the document. Uses neither daemon nor client.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod checks;
mod document;
mod errors;
mod memory;
mod messages;
mod round_trip;
mod samples;
